"""The tools are as they were: a proposal describes a change, and changes nothing that judges it.

Before a proposal's code runs, everything that a verdict rests on is written down: the functions,
classes and values of spec, proofs, properties and this package, the functions and classes of what
they calculate with, and the hooks of the interpreter. Afterwards, and again after every check, each
part must be the very same object. Whatever is not is named, and the proposal is bad input.

What is imported is written down, and what a proposal is judged with must be imported before it is
run. A search may begin before the rest of this project is imported. If anything whatsoever is
imported then, by the proposal or by the search, nothing counts of what was found (`Unwatched`): it
is found once more when everything is imported and written down.

What the project itself writes to while it runs is listed in `WORKING` and is left out.
"""

from __future__ import annotations

import atexit
import builtins
import dataclasses
import fractions
import functools
import importlib
import itertools
import math
import operator
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from itertools import chain, repeat
from pathlib import Path
from types import CellType, FunctionType, ModuleType
from typing import cast

import cvc5
import flint
import immutables
import z3

import proofs
import properties
import spec
from sandproof.object_parts import (
    PACKAGES,
    READERS,
    Read,
    is_ours,
    of_class,
    of_function,
    of_helper,
    of_wrapper,
    reader_of,
    slots_of,
)
from sandproof.this_process import collecting_no_garbage

HELPERS: tuple[ModuleType, ...] = (
    *(builtins, dataclasses, flint, fractions, functools, immutables, itertools, math, operator),
)
"""What the packages calculate with, besides themselves and the solvers."""

SOLVERS = (cvc5.Solver, z3.Solver, z3.ModelRef, z3.ExprRef)

WORKING = frozenset(
    {
        "proofs._chain._found",
        "proofs._solvers._contents",
        "proofs._subjects._OPENED",
        "proofs._symbolic._runs",
        "properties.lump.Seal.closed",
        "properties.lump.Seal.refused",
        "sandproof.integrity._last",
        "sandproof.integrity._watched",
        "properties.observation._encoders",
        "sandproof.proposal._loaded",
        "sandproof.schedule.PROVED",
    }
)
"""Where the project keeps what it knows for the moment."""

PROPOSAL = "proposal_"
"""How the name begins under which a proposal's file is imported."""

made_of = operator.attrgetter("__code__", "__defaults__", "__kwdefaults__", "__globals__")
"""What every function is made of."""

bases_of = operator.attrgetter("__bases__")
values_of = operator.methodcaller("values")

Seen = tuple[str, object, Read, list[str], list[object]]
"""The name of an object, the object, what reads its parts, their names, and the parts."""


class Shadowed(Exception):
    """Report that packages of this project come from different places."""


class Unwatched(Exception):
    """Report that modules were imported after what is imported was written down, and which."""


class Snapshot:
    """Hold every object that a verdict rests on, with its parts as they are now.

    One of `everything` imports first what is not imported yet. One of what is imported is of
    `everything`, too, where nothing is missing.
    """

    def __init__(self, everything: bool = True) -> None:
        modules = own_modules() if everything else imported_modules()
        self.everything = own_names() <= sys.modules.keys()
        self.seen: dict[int, Seen] = {}
        for module in modules:
            self._visit(module.__name__, module)
        for module in HELPERS:
            for name, value in self._note(module.__name__, module, of_helper):
                self._visit_helper(f"{module.__name__}.{name}", value)
        for kind in SOLVERS:
            self._visit_helper(f"{kind.__module__}.{kind.__name__}", kind)
        self.all_parts = AllParts(value for _, value, _, _, _ in self.seen.values())
        self.lengths, self.parts = self.all_parts.now()
        self.hooks = hooks()
        self.modules = {name: sys.modules[name] for name in sys.modules if is_ours(name)}
        self.imported = frozenset(sys.modules)

    def refuse_later_imports(self) -> None:
        """Raise `Unwatched` if more is imported now, and it is not everything that is held.

        The proposal's own file may be. Other files of its own may not, as their names may be those
        of modules that are imported with everything, and are then not its own.
        """
        later = () if self.everything else sys.modules.keys() - self.imported
        if named := sorted(name for name in later if not name.startswith(PROPOSAL)):
            raise Unwatched(*named)

    def differences(self) -> Iterator[str]:
        """Name what is not any more what it was."""
        for name, value in hooks().items():
            if value is not self.hooks[name] and value != self.hooks[name]:
                yield name
        for name in {*self.modules, *filter(is_ours, list(sys.modules))}:
            if sys.modules.get(name) is not self.modules.get(name):
                yield f"sys.modules[{name!r}]"
        lengths, parts = self.all_parts.now()
        if lengths == self.lengths and same(self.parts, parts):
            return
        for name, value, read, names, before in self.seen.values():
            now = [part for _, part in read(value)]
            if not same(before, now):
                old, new = dict(zip(names, before, strict=True)), dict(read(value))
                for part in {**old, **new}:
                    if part not in old or part not in new or old[part] is not new[part]:
                        yield f"{name}.{part}"

    def _visit(self, name: str, value: object) -> None:
        """Write down an object of this project and everything in it."""
        read = reader_of(value)
        if read is None or id(value) in self.seen or name in WORKING:
            return
        if isinstance(value, type):
            name = f"{value.__module__}.{value.__qualname__}"
        left_out = frozenset(part for part, _ in read(value) if f"{name}.{part}" in WORKING)
        parts = self._note(name, value, without(read, left_out) if left_out else read)
        for part, inner in parts:
            if part != "__globals__":
                self._visit(f"{name}.{part}", inner)

    def _visit_helper(self, name: str, value: object) -> None:
        """Write down a function or a class of another module."""
        if isinstance(value, FunctionType):
            self._note(name, value, of_function)
        elif isinstance(value, type) and id(value) not in self.seen:
            for inner, method in self._note(name, value, of_class):
                if isinstance(method, FunctionType):
                    self._note(f"{name}.{inner}", method, of_function)

    def _note(self, name: str, value: object, read: Read) -> list[tuple[str, object]]:
        parts = list(read(value))
        names, values = [part for part, _ in parts], [inner for _, inner in parts]
        self.seen.setdefault(id(value), (name, value, read, names, values))
        return parts


class AllParts:
    """Read the parts of many objects at once, which is much quicker than one after the other.

    Read is what the reader of each object reads, and what readers leave out. If it is the same as
    before, so is every object; if it is not, each has to be read for itself.
    """

    def __init__(self, values: Iterable[object]) -> None:
        self.functions: list[FunctionType] = []
        self.cells: list[CellType] = []
        self.classes: list[type] = []
        self.mappings: list[Mapping[str, object]] = []
        self.collections: list[list[object]] = []
        self.instances: dict[type, list[object]] = {}
        self.others: list[object] = []
        for value in values:
            self._add(value)

    def _add(self, value: object) -> None:
        kind = type(value)
        if isinstance(value, FunctionType):
            self.functions.append(value)
            self.cells.extend(value.__closure__ or ())
        elif isinstance(value, type):
            self.classes.append(value)
            getattr(value, "__annotations__", None)  # A class gets them when they are asked for.
        elif kind in (list, set):
            self.collections.append(cast("list[object]", value))
        elif kind in READERS and kind not in (dict, tuple, frozenset, Fraction):
            self.others.append(value)
        elif kind is Fraction or (kind not in READERS and not isinstance(value, ModuleType)):
            self.instances.setdefault(kind, []).append(value)
        if kind is dict:
            self.mappings.append(cast("dict[str, object]", value))
        elif hasattr(value, "__dict__"):
            self.mappings.append(vars(value))

    def now(self) -> tuple[list[int], list[object]]:
        """Return how long all collections are, and all parts."""
        lengths = [*map(len, self.mappings), *map(len, self.collections)]
        parts: list[object] = [*chain.from_iterable(map(made_of, self.functions))]
        parts.extend(map(content_of, self.cells))
        parts.extend(map(bases_of, self.classes))
        parts.extend(chain.from_iterable(self.mappings))
        parts.extend(chain.from_iterable(map(values_of, self.mappings)))
        parts.extend(chain.from_iterable(self.collections))
        for kind, values in self.instances.items():
            for name in slots_of(kind):
                parts.extend(map(getattr, values, repeat(name), repeat(None)))
        parts.extend(part for value in self.others for _, part in of_wrapper(value))
        return lengths, parts


def content_of(cell: CellType) -> object:
    """Return what a variable of an enclosing function is, if it was ever set."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def same(before: list[object], now: list[object]) -> bool:
    """Tell whether all parts are the very same objects."""
    return len(before) == len(now) and all(map(operator.is_, before, now))


def without(read: Read, left_out: frozenset[str]) -> Read:
    """Return what reads an object's parts but for some."""
    return lambda value: (part for part in read(value) if part[0] not in left_out)


def imported_modules() -> list[ModuleType]:
    """Return the modules of this project that are imported; see that they lie beside each other."""
    places = {Path(str(package.__file__)).resolve().parent.parent for package in packages()}
    if len(places) > 1:
        listed = ", ".join(sorted(map(str, places)))
        raise Shadowed(f"the packages {', '.join(PACKAGES)} come from several places: {listed}")
    names = sorted(filter(is_ours, sys.modules), key=lambda name: ("." in name, *as_shown(name)))
    return [sys.modules[name] for name in names]


def as_shown(name: str) -> tuple[int, str]:
    """Order modules by their packages: what several of them hold is named as the first does."""
    return PACKAGES.index(name.partition(".")[0]), name


def own_modules() -> list[ModuleType]:
    """Import every module of this project."""
    for name in sorted(own_names()):
        importlib.import_module(name)
    return imported_modules()


@functools.cache
def own_names() -> frozenset[str]:
    """Name every module of this project, by its files."""
    return frozenset(
        ".".join((package.__name__, *path.relative_to(folder).with_suffix("").parts)).removesuffix(
            ".__init__"
        )
        for package in packages()
        for folder in (Path(str(package.__file__)).parent,)
        for path in folder.rglob("*.py")
        if path.stem != "__main__"
    )


def packages() -> tuple[ModuleType, ...]:
    """Return the packages of this project."""
    return spec, proofs, properties, sys.modules["sandproof"]


def hooks() -> dict[str, object]:
    """Return what the interpreter calls by itself, and what runs beside this thread."""
    return {
        "sys.settrace": sys.gettrace(),
        "sys.setprofile": sys.getprofile(),
        "sys.excepthook": sys.excepthook,
        "sys.meta_path": tuple(map(id, sys.meta_path)),
        "sys.path_hooks": tuple(map(id, sys.path_hooks)),
        "sys.setrecursionlimit": sys.getrecursionlimit(),
        "threading (a thread that runs)": threading.active_count(),
        "atexit (a function to be called in the end)": atexit._ncallbacks(),
    }


_watched: list[Snapshot] = []
_last: list[Snapshot] = []


@contextmanager
def watching(everything: bool = True) -> Iterator[None]:
    """Write things down once, for all proposals that are loaded meanwhile, also in children.

    They are everything, or what is imported now.
    """
    _watched.append(written_down(everything))
    try:
        yield
    finally:
        _watched.pop()


def watch_everything() -> None:
    """Import and write down what is not yet; only where no proposal has been run."""
    if not _watched[-1].everything:
        _watched[-1] = written_down()


def snapshot() -> Snapshot:
    """Return how everything was when it was last written down, or how it is now."""
    return _watched[-1] if _watched else written_down()


def written_down(everything: bool = True) -> Snapshot:
    """Write things down; what was the last time is used again if it is still so."""
    known = bool(_last) and (_last[0].everything or not everything)
    if not known or next(_last[0].differences(), None) is not None:
        with collecting_no_garbage():
            _last[:] = [Snapshot(everything)]
    return _last[0]


def complaint(before: Snapshot) -> str:
    """Say what a proposal has changed that it must leave alone, if it has changed anything."""
    before.refuse_later_imports()
    changed = sorted(dict.fromkeys(before.differences()))
    if not changed:
        return ""
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    return f"it changes {changed[0]}{more}: a proposal leaves everything but its own as it was"
