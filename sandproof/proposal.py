"""A proposal: a Python file that names other rules, or a few changed parameters.

A proposal file holds `RULES`, a docstring that says what changes, and where it needs them
`NEIGHBOURS` (a neighbour relation) and `UNIVERSE` or `UNIVERSES` (what the solver may use). Its
code is run in child processes only. What the command line prints about it is `About`, plain data.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

from properties.universe import described
from properties.vocabulary import NO_WORDS, Vocabulary, vocabulary_of
from sandproof.about import About, Request, called, changes_of, labels_of, rule_names
from sandproof.integrity import Snapshot, complaint, snapshot
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
from sandproof.surface import changed_since, gone
from spec import PAPER, Initial, Limits, Rules
from spec.neighbours import RELATIONS_BY_NAME, Relation
from spec.numbers import Power, bounds
from spec.universe import SMALL_LIMITS, Universe, promised_by

LARGEST_DELTA = Fraction(1, 2)
"""The delta from which on a promise is as good as none."""


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
        rules, module = PAPER, None
    else:
        own = run_file(request.path)
        module = own[0]
        if before is not None and not again:
            if changed := complaint(before):
                raise BadInput(f"{request.path}: {changed}")
            check_followed(own)
        rules = rules_of(request.path, module)
    rules = replace(rules, limits=with_settings(rules.limits, request.settings))
    relation = None if module is None else relation_of(request.name, module)
    universes = () if module is None else universes_of(request.name, module, rules.limits)
    text = "" if module is None else inspect.cleandoc(module.__doc__ or "")
    about = About(
        name=request.name,
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
    loader = SourceFileLoader("proposal_" + "".join(filter(str.isalnum, path.stem)), str(path))
    found = spec_from_loader(loader.name, loader)
    assert found is not None
    module = module_from_spec(found)
    before = set(sys.modules)
    sys.modules[loader.name] = module
    # Files beside the proposal are found last, so that a folder called `spec` there hides nothing.
    beside = str(path.resolve().parent)
    if beside not in sys.path:
        sys.path.append(beside)
    sys.dont_write_bytecode = True
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
        what, kind = ("parameter", Limits) if about.endswith("limits") else ("rule", Rules)
        known = [each.name for each in fields(kind)]
        for name in [keyword.arg for keyword in node.keywords if keyword.arg is not None]:
            now = gone(name) if kind is Rules else None
            if now is not None:
                plain = now.replace("`", "")
                complaints[name] = f"; there is no rule {name} any more: {plain} (docs/porting.md)"
            elif about in ("PAPER", "RULES", "PAPER.limits") and name not in known:
                complaints[name] = f"; there is no {what} {name}{suggestion(name, known)}"
    return "".join(complaints.values())


def keeps_identities(module: ModuleType) -> bool:
    """Tell whether what a file defines is another thing each time it is run: types, sentinels."""
    return any(
        type(value) is object or (isinstance(value, type) and value.__module__ == module.__name__)
        for value in vars(module).values()
    )


def rules_of(path: Path, module: ModuleType) -> Rules:
    """Return the rules of a proposal; refuse what cannot be called as a rule is called."""
    if not hasattr(module, "RULES"):
        raise BadInput(f"{path}: the file does not define RULES")
    rules = module.RULES
    if type(rules) is not Rules:
        raise BadInput(f"{path}: RULES must be a spec.Rules, not {brief(rules)}")
    if type(rules.limits) is not Limits:
        raise BadInput(f"{path}: RULES.limits must be a spec.Limits, not {brief(rules.limits)}")
    if type(rules.initial) is not Initial:
        raise BadInput(f"{path}: RULES.initial must be a spec.Initial, not {brief(rules.initial)}")
    for name in rule_names():
        rule = getattr(rules, name)
        if not callable(rule):
            raise BadInput(f"{path}: rule `{name}` must be a function, not {brief(rule)}")
        check_arguments(path, name, rule)
    return rules


def check_arguments(path: Path, name: str, rule: object) -> None:
    """Refuse a rule that is written for the first surface, or takes another number of arguments."""
    expected = list(inspect.signature(getattr(PAPER, name)).parameters)
    try:
        signature = inspect.signature(rule)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return
    now = changed_since(name, signature)
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


def relation_of(name: str, module: ModuleType) -> Relation | None:
    """Return the neighbour relation that a proposal names."""
    relation = getattr(module, "NEIGHBOURS", None)
    if relation is not None and not isinstance(relation, Relation):
        raise BadInput(
            f"{name}: NEIGHBOURS must be a spec.neighbours.Relation, not {brief(relation)}"
        )
    known = None if relation is None else RELATIONS_BY_NAME.get(relation.name)
    if relation is not None and known is not None and relation is not known:
        raise BadInput(
            f"{name}: NEIGHBOURS is called {relation.name!r} and is another relation than that: "
            "give it a name of its own"
        )
    return relation


def universes_of(name: str, module: ModuleType, limits: Limits) -> tuple[Universe, ...]:
    """Return the universes that a proposal names; refuse one whose promise allows too much."""
    if hasattr(module, "UNIVERSE") and hasattr(module, "UNIVERSES"):
        raise BadInput(f"{name}: define UNIVERSE or UNIVERSES, not both")
    named = getattr(module, "UNIVERSES", None)
    given = [module.UNIVERSE] if hasattr(module, "UNIVERSE") else named or ()
    if not isinstance(given, Sequence):
        raise BadInput(f"{name}: UNIVERSES must be a sequence, not {brief(given)}")
    for universe in given:
        if not isinstance(universe, Universe):
            raise BadInput(
                f"{name}: a universe must be a spec.universe.Universe, not {brief(universe)}"
            )
        if weak := weakness(universe, limits):
            raise BadInput(f"{name}: the universe {universe.name!r} {weak}")
    return tuple(given)


def weakness(universe: Universe, limits: Limits) -> str:
    r"""Say why the promise of a universe allows nearly everything, for rules with limits, if so.

    It must promise a delta below one half, and no larger $e^{\varepsilon}$ than the rules or the
    small limits do.
    """
    epsilon, delta = universe.promised
    if delta >= LARGEST_DELTA:
        return f"promises a delta of {delta}; it must be below {LARGEST_DELTA}"
    least, _ = bounds(Power(universe.limits.base, epsilon).value())
    for other in (limits, SMALL_LIMITS):
        _, most = bounds(Power(other.base, promised_by(other, universe.promise)[0]).value())
        if least <= most:
            return ""
    return f"promises an epsilon of {epsilon}, which is larger than that of the rules"
