"""What a proposal's code must not ask: the clock, the machine, chance, files, the interpreter.

A rule is a function of its arguments. A verdict about code that looks at anything else would be a
verdict about this machine today. So a proposal's files are read before anything is checked: they
may import what calculates, the specification, and files of their own. The first line that reaches
for anything else is named, and nothing is decided.
"""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

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
    **dict.fromkeys(("globals", "locals", "id", "__builtins__"), "the interpreter"),
}
ATTRIBUTES = {
    **dict.fromkeys(("read_text", "read_bytes", "exists", "iterdir", "is_file", "stat"), "files"),
    **dict.fromkeys(
        (
            *("__globals__", "__code__", "__closure__", "__builtins__", "__subclasses__"),
            *("__defaults__", "__kwdefaults__", "__wrapped__", "__func__", "__loader__"),
            *("__import__", "__traceback__", "f_back", "f_globals", "gi_frame", "tb_frame"),
        ),
        "the interpreter",
    ),
}
"""Names of attributes that lead out of what a rule is given."""

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
                if what := leads_to(alias.name):
                    yield Outside(node.lineno, what, alias.name)
                elif alias.name not in PARTLY.get(module, frozenset()):
                    yield from imported(node.lineno, module, alias.asname or alias.name, own)


def imported(line: int, name: str, bound: str, own: frozenset[str]) -> Iterator[Outside]:
    """Complain of a module unless it only calculates, or is the proposal's own."""
    top = name.partition(".")[0]
    if top in JUDGES:
        yield Outside(line, "", name, judges=True)
    elif top not in CALCULATES and top not in own:
        yield Outside(-line, WHAT.get(top, "what is not followed"), bound)


def leads_to(name: str) -> str:
    """Say where an attribute of a module leads: modules hold those that they import themselves."""
    return ATTRIBUTES.get(name) or WHAT.get(name.strip("_"), "")


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
    finding = set(finding_files(tree, {**modules, **bound}))
    allowed: set[int] = set()
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
            elif what := leads_to(node.attr) if module else ATTRIBUTES.get(node.attr, ""):
                yield Outside(node.lineno, what, node.attr)
        elif isinstance(node, ast.Name):
            module = modules.get(node.id, "")
            if node not in finding and (outside := bound.get(node.id) or PLACES.get(node.id)):
                yield Outside(node.lineno, WHAT[outside], node.id)
            elif node.id in BUILTINS and not (node.id == "id" and "id" in renamed):
                yield Outside(node.lineno, BUILTINS[node.id], node.id)
            elif module in PARTLY and id(node) not in allowed:
                yield Outside(node.lineno, WHAT[module], module)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "getattr"
            and not is_plain(node.args[1:2])
        ):
            yield Outside(node.lineno, "the interpreter", "getattr")


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


def given_names(tree: ast.Module) -> Iterator[str]:
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


def is_plain(name: list[ast.expr]) -> bool:
    """Tell whether an attribute that is asked for is written out and is none that leads outside."""
    return all(
        isinstance(each, ast.Constant)
        and isinstance(each.value, str)
        and each.value not in ATTRIBUTES
        for each in name
    )


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
