"""What a proposal's code must not ask: the clock, the machine, chance, files, the interpreter.

A rule is a function of its arguments. A verdict about code that looks at anything else would be a
verdict about this machine today. So a proposal's files are read before anything is checked: they
may import what calculates, the specification, and files of their own. The first line that reaches
for anything else is named, and nothing is decided.

Whatever has a module in its hands has all modules, since each holds those that it imports itself.
So of a module a file may use what it makes public, by name, and may not pass the module on. Nor may
it use what finds attributes by a text that is computed, or names with two underscores at both ends
that lead from a value to a module: all but those of operators.
"""

from __future__ import annotations

import ast
import importlib
import string
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import cast

CALCULATES = frozenset(
    {
        *("__future__", "abc", "bisect", "collections", "copy", "dataclasses", "decimal", "enum"),
        *("fractions", "functools", "heapq", "immutables", "itertools", "math", "numbers"),
        *("operator", "re", "spec", "string", "typing"),
    }
)
"""Modules that a proposal may use as it likes."""

PARTLY = {
    "sys": frozenset({"path", "maxsize"}),
    "pathlib": frozenset({"Path", "PurePath"}),
}
"""Modules of which a proposal may use some names, all but `maxsize` to find files of its own."""

ADDS = {"sys": ("sys.path.insert", "sys.path.append"), "path": ("path.insert", "path.append")}
"""How a proposal adds the place of its files to the path, by the name that it has imported."""

PLACE = (ast.Call, ast.Attribute, ast.Name, ast.Constant, ast.BinOp, ast.Div, ast.Subscript)
"""What the place of a file is written with."""

FINDS = frozenset({"Path", "PurePath", "absolute", "joinpath", "parent", "parents", "resolve"})
"""Which attributes it may have; its names are `str`, `__file__` and those of paths."""

JUDGES = frozenset({"proofs", "properties", "sandproof"})
"""Packages that judge proposals, and that no proposal needs."""

READS = {
    "the clock": ("time", "datetime", "calendar", "sched", "timeit"),
    "chance": ("random", "secrets", "uuid"),
    "the machine": ("os", "sys", "platform", "locale", "getpass", "resource", "site", "sysconfig"),
    "files": ("io", "pathlib", "shutil", "tempfile", "glob", "fileinput", "sqlite3", "pickle"),
    "the network": ("socket", "ssl", "http", "urllib", "ftplib", "smtplib", "asyncio", "select"),
    "other processes": ("subprocess", "multiprocessing", "threading", "concurrent", "signal"),
    "the interpreter": ("gc", "inspect", "ctypes", "types", "importlib", "builtins", "atexit"),
}
WHAT = {module: what for what, modules in READS.items() for module in modules}

BUILTINS = {
    **dict.fromkeys(("open", "input"), "files"),
    **dict.fromkeys(("eval", "exec", "compile", "__import__", "breakpoint"), "other code"),
    **dict.fromkeys(("globals", "locals", "id", "__builtins__", "vars", "dir"), "the interpreter"),
    "__match_args__": "the interpreter",
}
ATTRIBUTES = {
    **dict.fromkeys(("read_text", "read_bytes", "exists", "iterdir", "is_file", "stat"), "files"),
    **dict.fromkeys(
        (
            *("f_back", "f_globals", "f_builtins", "f_locals", "tb_frame", "tb_next"),
            *("gi_frame", "gi_code", "cr_frame", "cr_code", "ag_frame", "ag_code"),
        ),
        "the interpreter",
    ),
}
"""Names of attributes that lead out of what a rule is given."""

OPERATORS = {
    *(
        name
        for kind in (int, str, tuple, list, dict, set, frozenset, Fraction)
        for name, value in vars(kind).items()
        if callable(value) and name not in vars(object)
    ),
    *("__init__", "__post_init__", "__new__", "__setattr__", "__class__", "__name__"),
    *("__qualname__", "__doc__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"),
    "__hash__",
}
"""Attributes with two underscores at both ends that lead nowhere."""

BY_TEXT = frozenset(
    {
        *("attrgetter", "methodcaller", "Formatter", "get_type_hints", "ForwardRef"),
        *("singledispatch", "singledispatchmethod", "get_cache_token"),
    }
)
"""What is public of modules that calculate and finds attributes, or runs code, by a text."""

PLACES = dict.fromkeys(("__file__", "__spec__", "__cached__", "__loader__"), "sys")
"""Names that tell where on the machine a file lies."""


@dataclass(frozen=True, slots=True)
class Outside:
    """Say at which line a file asks what, and by which name; one that `judges` is bad input."""

    line: int
    what: str
    name: str
    judges: bool = False

    def told(self, path: Path) -> str:
        """Return it in one line."""
        if self.judges:
            return f"{path}, line {self.line}: imports {self.name}: a proposal imports spec only"
        return (
            f"{path}, line {self.line}: reads {self.what} (`{self.name}`), and a rule may depend "
            "on its arguments alone"
        )


def first_outside(source: bytes | str, own: frozenset[str] = frozenset()) -> Outside | None:
    """Return the first use of anything outside in a file; `own` are modules of the proposal."""
    tree = ast.parse(source)
    found = [*imports(tree, own), *uses(tree)]
    named = used_lines(tree, {each.name for each in found if each.line < 0})
    placed = [
        each if each.line > 0 else Outside(named.get(each.name, -each.line), each.what, each.name)
        for each in found
    ]
    return min(placed, key=lambda each: (not each.judges, each.line), default=None)


def imports(tree: ast.AST, own: frozenset[str]) -> Iterator[Outside]:
    """List the imports of what does not only calculate; a negative line is that of the import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                if alias.name not in PARTLY:
                    yield from imported(node.lineno, alias.name, bound, own)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            module = node.module or ""
            for alias in node.names:
                whole = list(imported(node.lineno, module, alias.asname or alias.name, own))
                if what := leads_to(alias.name) or ("" if whole else hidden(module, alias.name)):
                    yield Outside(node.lineno, what, alias.name)
                elif alias.name not in PARTLY.get(module, frozenset()):
                    yield from whole


def imported(line: int, name: str, bound: str, own: frozenset[str]) -> Iterator[Outside]:
    """Complain of a module unless it only calculates, or is the proposal's own."""
    top = name.partition(".")[0]
    if top in JUDGES:
        yield Outside(line, "", name, judges=True)
    elif top not in CALCULATES and top not in own:
        yield Outside(-line, WHAT.get(top, "what is not followed"), bound)


def leads_to(name: str) -> str:
    """Say where an attribute of a module leads: modules hold those that they import themselves."""
    return leads_out(name) or WHAT.get(name.strip("_"), "")


def leads_out(name: str) -> str:
    """Say where an attribute of any value leads, if it leads out of what a rule is given."""
    if name.startswith("__") and name.endswith("__") and name not in OPERATORS:
        return "the interpreter"
    return ATTRIBUTES.get(name, "")


def hidden(module: str, name: str) -> str:
    """Say what a module holds under a name, if that is not for a proposal to use.

    No module holds another one for it that is neither its own nor calculates. Of the specification
    and of its own files all else may be used, of modules that calculate what is public.
    """
    if name == "*":
        return "all that a module holds"
    others = is_calculating(module) and module.partition(".")[0] != "spec"
    if others and name.startswith("_"):
        return "the interpreter"  # What there is besides what is public depends on the version.
    found = member(module, name)
    if isinstance(found, ModuleType):
        top = found.__name__.partition(".")[0].strip("_")
        file = getattr(found, "__file__", None)
        own = isinstance(file, str) and not is_installed(Path(file))
        return "" if own or top in CALCULATES else WHAT.get(top, "what is not followed")
    if not others:
        return ""
    listed = getattr(importlib.import_module(module), "__all__", None)
    public = name in listed if listed else not name.startswith("_")
    return "" if public and name not in BY_TEXT else "the interpreter"


def member(module: str, name: str) -> object:
    """Return what a module holds under a name, or nothing; only what calculates is loaded."""
    for path in (module, f"{module}.{name}"):
        if is_calculating(module):
            with suppress(ImportError):
                importlib.import_module(path)
    return getattr(sys.modules.get(module), name, None)


def uses(tree: ast.Module) -> Iterator[Outside]:
    """List the functions and attributes that lead outside."""
    bound = {
        alias.asname or alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in PARTLY
        for alias in node.names
        if alias.name != "maxsize"
    }
    modules = {
        alias.asname or alias.name.partition(".")[0]: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    given = modules_in(tree)
    finding = set(finding_files(tree, {**modules, **bound}))
    allowed: set[int] = set()
    of_modules = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    asking = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call) and names_plainly(n)}
    renamed = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            name = root_of(node)
            module = modules.get(name, "")
            if module in PARTLY and isinstance(node.value, ast.Name):
                allowed.add(id(node.value))
                known = node.attr in PARTLY[module]
                if not known or (node.attr != "maxsize" and node not in finding):
                    yield Outside(node.lineno, WHAT[module], f"{module}.{node.attr}")
            elif what := (
                (leads_to(node.attr) if module else leads_out(node.attr))
                or hidden(module_of(node.value, given), node.attr)
            ):
                yield Outside(node.lineno, what, node.attr)
            elif node.attr in ("format", "format_map") and not is_template(node.value):
                yield Outside(node.lineno, "the interpreter", node.attr)
        elif isinstance(node, ast.Name):
            module = modules.get(node.id, "")
            if node not in finding and (outside := bound.get(node.id) or PLACES.get(node.id)):
                yield Outside(node.lineno, WHAT[outside], node.id)
            elif node.id in BUILTINS and not (node.id == "id" and "id" in renamed):
                yield Outside(node.lineno, BUILTINS[node.id], node.id)
            elif module in PARTLY and id(node) not in allowed:
                yield Outside(node.lineno, WHAT[module], module)
            elif node.id in given and module not in PARTLY and id(node) not in of_modules:
                yield Outside(node.lineno, "the interpreter", node.id)
            elif node.id == "getattr" and id(node) not in asking:
                yield Outside(node.lineno, "the interpreter", "getattr")
        elif isinstance(node, ast.MatchClass):
            for attribute in filter(leads_out, node.kwd_attrs):
                yield Outside(node.lineno, leads_out(attribute), attribute)


def finding_files(tree: ast.Module, imported: Mapping[str, str | None]) -> Iterator[ast.AST]:
    """List what stands in statements that do nothing but add to the path where files lie.

    Nothing in them may be given a name or handed to what is the proposal's own, so that no rule
    gets hold of a path. `imported` says from which module names are.
    """
    if "str" in set(given_names(tree)):
        return
    for statement in tree.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call):
            continue
        known = [name for name, ways in ADDS.items() if ast.unparse(call.func) in ways]
        places = [node for argument in call.args for node in ast.walk(argument)]
        if (
            known
            and imported.get(known[0]) == "sys"
            and not call.keywords
            and all(isinstance(node, (*PLACE, ast.expr_context)) for node in places)
            and all(
                node.id in ("str", "__file__") or imported.get(node.id) == "pathlib"
                for node in places
                if isinstance(node, ast.Name)
            )
            and all(node.attr in FINDS for node in places if isinstance(node, ast.Attribute))
        ):
            yield from ast.walk(statement)


def modules_in(tree: ast.Module) -> dict[str, str]:
    """Return the names that stand for modules in a file, and for which."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                found[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                held = member(node.module or "", alias.name)
                if isinstance(held, ModuleType):
                    found[alias.asname or alias.name] = held.__name__
    return found


def is_calculating(module: str) -> bool:
    """Tell whether a module, or the package that it is in, only calculates."""
    return module.partition(".")[0] in CALCULATES


def module_of(node: ast.expr, given: Mapping[str, str]) -> str:
    """Return which module an expression names, or nothing."""
    if isinstance(node, ast.Name):
        return given.get(node.id, "")
    if isinstance(node, ast.Attribute) and (module := module_of(node.value, given)):
        found = member(module, node.attr)
        return found.__name__ if isinstance(found, ModuleType) else ""
    return ""


def is_template(node: ast.expr) -> bool:
    """Tell whether a text is written out in which no attribute of what is put in is named."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    try:
        parts = list(string.Formatter().parse(node.value))
    except ValueError:
        return True
    names = [field for _, field, _, _ in parts if field]
    nested = any("{" in (form or "") for _, _, form, _ in parts)
    return not nested and all(name.isidentifier() or name.isdigit() for name in names)


def given_names(tree: ast.AST) -> Iterator[str]:
    """List the names that a file gives to anything."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name


def root_of(node: ast.expr) -> str:
    """Return the name with which a chain of attributes begins."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def names_plainly(call: ast.Call) -> bool:
    """Tell whether an attribute that is asked for is written out and is none that leads outside."""
    spread = call.keywords or any(isinstance(each, ast.Starred) for each in call.args)
    name = call.args[1] if len(call.args) > 1 and not spread else None
    written = isinstance(name, ast.Constant) and isinstance(name.value, str)
    return written and not leads_out(str(cast(ast.Constant, name).value))


def used_lines(tree: ast.AST, names: set[str]) -> dict[str, int]:
    """Return where imported names are first used inside of a function, if they are there."""
    found: dict[str, int] = {}
    functions = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Lambda))
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in names:
                found[node.id] = min(node.lineno, found.get(node.id, node.lineno))
    return found


def is_installed(path: Path) -> bool:
    """Tell whether a file belongs to Python, to an installed package or to this project."""
    home = Path(__file__).resolve().parent.parent
    ours = [home / package for package in ("spec", *JUDGES)]
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = [*ours, *(Path(sysconfig.get_path(kind)).resolve() for kind in kinds)]
    return any(folder in path.resolve().parents for folder in folders)
