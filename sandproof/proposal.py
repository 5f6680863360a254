"""A proposal: a Python file that names other rules, or a few changed parameters.

A proposal file holds `RULES`, a docstring that says what changes, and where it needs them
`NEIGHBOURS` (a neighbour relation) and `UNIVERSE` or `UNIVERSES` (what the solver may use). Its
code is run in child processes only. What the command line prints about it is `About`, plain data.
"""

from __future__ import annotations

import ast
import inspect
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

from properties.universes import described
from properties.vocabulary import NO_WORDS, Vocabulary, vocabulary_of
from sandproof.about import About, Request, called, changes_of, labels_of
from sandproof.families import Family, Rules, families, family_named, family_of
from sandproof.integrity import PROPOSAL, Snapshot, complaint, snapshot
from sandproof.outside import first_outside, is_installed
from sandproof.problems import (
    BadInput,
    NotFollowed,
    at_line,
    brief,
    parsed,
    suggestion,
    told,
    wrong_syntax,
)
from sandproof.settings import with_settings
from spec.neighbours import Relation
from spec.universe import Universe


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Hold a loaded proposal; one that is `repeatable` is the same when it is loaded again.

    `files` are all files whose code it brings, its own first. `before` is how everything else was
    before it was loaded.
    """

    about: About
    rules: Rules
    relation: Relation | None = None
    universes: tuple[Universe, ...] = ()
    words: Vocabulary = NO_WORDS
    repeatable: bool = True
    files: tuple[Path, ...] = ()
    before: Snapshot | None = None

    def tampering(self) -> str:
        """Say what the proposal has changed that is not its own, if it has changed anything."""
        changed = "" if self.before is None else complaint(self.before)
        return f"{self.about.name}: {changed}" if changed else ""


def load(request: Request, again: bool = False) -> Proposal:
    """Load what is to be checked, or say in one line why that cannot be done.

    What is loaded `again` was found fit to be checked before.
    """
    own: list[ModuleType] = []
    before = None if request.path is None else snapshot()
    if request.path is None:
        family, module = family_named(request.family), None
        rules = family.versions[request.version] if request.version else family.own
    else:
        own = run_file(request.path)
        module = own[0]
        if before is not None and not again:
            if changed := complaint(before):
                raise BadInput(f"{request.path}: {changed}")
            check_followed(own)
        rules = rules_of(request.path, module, request.family if request.wanted else "")
        family = known_family(rules)
    rules = replace(rules, limits=with_settings(rules.limits, request.settings))
    relation, universes = (None, ()) if module is None else family.read(request.name, module, rules)
    text = "" if module is None else inspect.cleandoc(module.__doc__ or "")
    about = About(
        name=request.name,
        family=family.name,
        text=text,
        labels=labels_of(text),
        relation="" if relation is None else relation.name,
        relation_meaning="" if relation is None else relation.meaning,
        universes=tuple(map(described, universes)),
        changes=changes_of(rules),
    )
    return Proposal(
        about=about,
        rules=rules,
        relation=relation,
        universes=universes,
        words=vocabulary_of(*own),
        repeatable=not any(map(keeps_identities, own)),
        files=tuple(Path(str(each.__file__)) for each in own),
        before=before,
    )


_loaded: list[str] = []
"""The modules that the last proposal brought: another one, or the same again, starts afresh."""


def run_file(path: Path) -> list[ModuleType]:
    """Run a proposal file; return its module, and those of other files that it brings."""
    source = parsed(path)
    for name in _loaded:
        sys.modules.pop(name, None)
    # A proposal may define dataclasses, which look their module up by its name.
    loader = SourceFileLoader(PROPOSAL + "".join(filter(str.isalnum, path.stem)), str(path))
    found = spec_from_loader(loader.name, loader)
    assert found is not None
    module = module_from_spec(found)
    before = set(sys.modules)
    sys.modules[loader.name] = module
    # Files beside the proposal are found last, so that a folder called `spec` there hides nothing.
    beside = str(path.resolve().parent)
    if beside not in sys.path:
        sys.path.append(beside)
    # What is run is what is read: compiled code may be that of another source.
    sys.dont_write_bytecode, sys.pycache_prefix = True, os.devnull
    try:
        loader.exec_module(module)
    except SyntaxError as error:
        # In a file beside it: its own was parsed.
        raise BadInput(f"{error.filename or path}{wrong_syntax(error)}") from None
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        place = f"{path}{at_line(error.__traceback__, (path,))}"
        raise BadInput(f"{place}: {told(error)}{wrong_names(source)}") from None
    own = [
        each
        for name, each in list(sys.modules.items())
        if name not in before and each is not module and is_brought(each)
    ]
    _loaded[:] = [loader.name, *(each.__name__ for each in own)]
    return [module, *own]


def is_brought(module: ModuleType) -> bool:
    """Tell whether a module is a file that a proposal brings, and nothing that is installed."""
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and file.endswith(".py") and not is_installed(Path(file))


def check_followed(modules: Sequence[ModuleType]) -> None:
    """Refuse files that ask for anything but what a rule is given."""
    own = frozenset(module.__name__.partition(".")[0] for module in modules)
    for module in modules:
        path = Path(str(module.__file__))
        outside = first_outside(path.read_bytes(), own)
        if outside is not None:
            raise (BadInput if outside.judges else NotFollowed)(outside.told(path))


def wrong_names(source: bytes) -> str:
    """Say which rules and parameters that a file replaces are not there, and what was meant."""
    complaints: dict[str, str] = {}
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not ast.unparse(node.func).endswith("replace"):
            continue
        about = ast.unparse(node.args[0]) if node.args else ""
        of_limits = about.endswith("limits")
        owner = about.removesuffix(".limits")
        owns = [each.own for each in families() if owner in (*each.versions, "RULES")]
        what = "parameter" if of_limits else "rule"
        known = [each.name for own in owns for each in fields(own.limits if of_limits else own)]
        for name in [keyword.arg for keyword in node.keywords if keyword.arg is not None]:
            now = None if of_limits or name in known else gone(name)
            if now is not None:
                plain = now.replace("`", "")
                complaints[name] = f"; there is no rule {name} any more: {plain} (docs/porting.md)"
            elif known and name not in known:
                complaints[name] = f"; there is no {what} {name}{suggestion(name, known)}"
    return "".join(complaints.values())


def keeps_identities(module: ModuleType) -> bool:
    """Tell whether what a file defines is another thing each time it is run: types, sentinels."""
    return any(
        type(value) is object or (isinstance(value, type) and value.__module__ == module.__name__)
        for value in vars(module).values()
    )


def rules_of(path: Path, module: ModuleType, wanted: str = "") -> Rules:
    """Return the rules of a proposal; refuse what cannot be called as a rule is called.

    They are of any family, or of the one that is wanted.
    """
    if not hasattr(module, "RULES"):
        raise BadInput(f"{path}: the file does not define RULES")
    rules, family = module.RULES, family_of(module.RULES)
    if family is None or wanted not in ("", family.name):
        known = [each.rules_name for each in families() if wanted in ("", each.name)]
        raise BadInput(f"{path}: RULES must be a {' or a '.join(known)}, not {brief(rules)}")
    for name in ("limits", *family.parts):
        part, kind = getattr(rules, name), type(getattr(family.own, name))
        if type(part) is not kind:
            named = f"{kind.__module__.rpartition('.')[0]}.{kind.__name__}"
            raise BadInput(f"{path}: RULES.{name} must be a {named}, not {brief(part)}")
    for name in family.rule_names():
        rule = getattr(rules, name)
        if not callable(rule):
            raise BadInput(f"{path}: rule `{name}` must be a function, not {brief(rule)}")
        check_arguments(path, family, name, rule)
    return rules


def known_family(rules: Rules) -> Family:
    """Return the family of rules that are of one."""
    family = family_of(rules)
    assert family is not None
    return family


def check_arguments(path: Path, family: Family, name: str, rule: object) -> None:
    """Refuse a rule that is written for the first surface, or takes another number of arguments."""
    expected = list(inspect.signature(getattr(family.own, name)).parameters)
    try:
        signature = inspect.signature(rule)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return
    now = family.outdated(name, signature)
    if now is not None:
        raise BadInput(
            f"{path}: rule `{name}` is written for the first surface: {called(rule)} takes "
            f"{signature}; now it is {now} (docs/porting.md)"
        )
    try:
        signature.bind(*expected)
    except TypeError:
        raise BadInput(
            f"{path}: rule `{name}` is called with {len(expected)} arguments "
            f"({', '.join(expected)}), but {called(rule)} takes {signature}"
        ) from None


def gone(name: str) -> str | None:
    """Say what stands in the place of a rule that a family has no more, if one had it."""
    return next(filter(None, (each.gone(name) for each in families())), None)
