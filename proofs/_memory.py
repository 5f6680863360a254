"""Whether the rules of a proposal only compute: a proof is about functions of their arguments.

A proof follows some rules and leaves others free, and what it has not followed could write down
what another rule reads, or change what it is given. So the code of all changed rules is looked at,
and that of the functions of the proposal that they can reach. They may set no global name, no
attribute and no variable that outlives a call. They may name no attribute that begins with an
underscore or leads to frames, make no class and import nothing while they run, and call nothing
that is not known: of the built-in and standard functions those that only compute. If two rules
share something that can be changed, such as a list of the module, neither may hold an instruction
or name a method that changes a container in place.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import FunctionType, ModuleType
from typing import Any, cast

from immutables import Map

from proofs._flow import IN_PLACE, _codeless, unguarded
from proofs._followed import (
    BUILTINS,
    CACHED,
    FUNCTIONS,
    _home,
    _immutable,
    _leads_out,
    _names,
    _ours,
)
from proofs._instructions import Code, Instruction, NoSource, code_of, steps_of
from proofs._opaque import Unknown
from proofs._rewritten import global_names
from spec.verdicts import Check, Evidence, Finding, Reason

SETS = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR"})
CONTAINERS = (list, dict, set, tuple, frozenset, Map)
MAKING = {"LOAD_BUILD_CLASS": "a class that is made", "IMPORT_NAME": "an import"}
COMPUTING = frozenset({"hash", "repr", "bin", "hex", "oct", "ord", "chr", "callable", "ascii"})
"""Built-in functions that compute, though not on symbols."""


def memoryless(check: Check) -> Check:
    """Return a check that proves nothing of rules that could remember."""

    def run(rules: Any) -> Finding:
        found = check.run(rules)
        if found.evidence is not Evidence.PROOF or not (why := memory_of(rules)):
            return found
        return replace(found, evidence=Evidence.NONE, reason=Reason.CANNOT_FOLLOW, detail=why)

    return replace(check, run=run)


def memory_of(rules: Any) -> str:
    """Say how the rules that are not of spec could remember, or nothing."""
    changed = {
        f.name: unguarded(getattr(rules, f.name))
        for f in dataclasses.fields(rules)
        if callable(getattr(rules, f.name))
    }
    shared: dict[int, tuple[str, str]] = {}
    for rule, function in changed.items():
        reached = _Reached()
        reached.visit(function, rule)
        if reached.foreign:
            return f"{reached.foreign}, of which nothing is known, in {rule}"
        for code in reached.codes:
            if what := _kept(code):
                return f"{what}, which is kept for the next call, in {code.co_qualname}"
            if what := _beyond(code):
                return f"{what} in {code.co_qualname}"
        for identity, name in reached.changeable.items():
            other, writer = shared.get(identity, ("", ""))
            writer = writer or reached.writer
            if other and writer:
                return f"{name}, shared by {other} and {rule}, may be changed in {writer}"
            shared[identity] = (rule, writer)
    return ""


class _Reached:
    """Collect the code that a rule can reach, and what it can reach that can be changed.

    `writer` names something in it that could change a container, if there is anything, `foreign`
    something whose code is not known.
    """

    def __init__(self) -> None:
        self.codes: list[Code] = []
        self.changeable: dict[int, str] = {}
        self.writer = ""
        self.foreign = ""
        self.seen: dict[int, object] = {}

    def visit(self, value: object, name: str) -> None:
        """Look at a value, and at all that is in it."""
        if id(value) in self.seen or _immutable(value):
            return
        self.seen[id(value)] = value
        kind = type(value)
        if any(value is each for each in FUNCTIONS) or kind is ModuleType:
            return
        if kind is FunctionType:
            self._function(unguarded(cast(FunctionType, value)))
        elif kind is functools.partial:
            partial = cast("functools.partial[object]", value)
            self._all((partial.func, *partial.args, *partial.keywords.values()), name)
        elif kind is CACHED:
            self.visit(getattr(value, "__wrapped__", None), name)
        elif isinstance(value, type):
            if not _codeless(value):
                self.foreign = self.foreign or name
        elif kind in CONTAINERS or (dataclasses.is_dataclass(value) and _codeless(kind)):
            if kind in (list, dict, set):
                self.changeable[id(value)] = name
            self._all(members_of(value), name)
        else:
            self.foreign = self.foreign or name

    def _all(self, values: Iterable[object], name: str) -> None:
        for each in values:
            self.visit(each, name)

    def _function(self, function: FunctionType) -> None:
        if _ours(function):
            return
        if function.__module__.split(".")[0] in sys.stdlib_module_names:
            self.foreign = self.foreign or function.__name__
            return
        try:
            code = code_of(function.__code__)
        except NoSource:
            self.foreign = self.foreign or function.__name__
            return
        names = _names(function.__code__)
        self.codes.append(code)
        for name in sorted(global_names(code) - set(function.__globals__)):
            self._builtin(name)
        if names & IN_PLACE or any(map(_changes, steps_of(code))):
            self.writer = self.writer or code.co_qualname
        for name in global_names(code) & set(function.__globals__):
            value = function.__globals__[name]
            self.visit(value, name)
            if isinstance(value, ModuleType) and _home(value.__name__, "spec") is not value:
                self._all((getattr(value, each) for each in names if hasattr(value, each)), name)
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            self.visit(cell.cell_contents, name)
        self._all(function.__defaults__ or (), "a default")
        self._all((function.__kwdefaults__ or {}).values(), "a default")

    def _builtin(self, name: str) -> None:
        """Look at a built-in name; one that is not there ends the rule."""
        known = type(BUILTINS.get(name)) is not Unknown or name in COMPUTING
        if name == "getattr" or not known:
            self.foreign = self.foreign or name


def members_of(value: object) -> Iterator[object]:
    """List what is in a container or in a dataclass."""
    if isinstance(value, dict | Map):
        for key, each in value.items():
            yield key
            yield each
    elif dataclasses.is_dataclass(value):
        yield from (getattr(value, f.name, None) for f in dataclasses.fields(value))
    else:
        yield from cast(list[object], value)


def _kept(code: Code) -> str:
    """Name what code sets that outlives a call."""
    for step in steps_of(code):
        shared = step.opname in ("STORE_DEREF", "DELETE_DEREF") and step.argval in code.co_freevars
        if step.opname in SETS or shared:
            return str(step.argval)
    return ""


def _beyond(code: Code) -> str:
    """Name what code does that could reach beyond the values it is given."""
    for step in steps_of(code):
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and _leads_out(str(step.argval)):
            return f".{step.argval}"
        if step.opname in MAKING:
            return MAKING[step.opname]
    return ""


def _changes(step: Instruction) -> bool:
    """Tell whether an instruction could change a container in place."""
    if step.opname == "BINARY_OP":
        return step.argrepr.endswith("=")
    return step.opname in ("STORE_SUBSCR", "DELETE_SUBSCR")
