"""What of a proposal's own code has been run: nothing is known about what was never reached.

A game that holds says something about the code that it ran. A rule that looks for a date, a flag or
a batch of a thousand may hold code that no small universe reaches. So every instruction of the
proposal's file that is run in a game is noted, and a guarantee that is decided by games alone is
left open where a changed rule holds code that none of them reached. Statements that raise are bad
input, and need not be reached.
"""

from __future__ import annotations

import ast
import dis
import functools
import inspect
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import TraceFunction

Code = tuple[str, int, int]
"""A function by its qualified name and where it begins: what names it in every process."""

Reached = frozenset[tuple[Code, int]]
"""Instructions, each by its function and its place there."""

SILENT = frozenset(
    {
        *("RESUME", "NOP", "CACHE", "COPY_FREE_VARS", "MAKE_CELL", "RETURN_GENERATOR", "POP_TOP"),
        *("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "EXTENDED_ARG", "COPY"),
        *("PUSH_EXC_INFO", "POP_EXCEPT", "RERAISE", "CLEANUP_THROW", "END_FOR", "NOT_TAKEN"),
    }
)
"""What the compiler adds for itself, and what stands behind an exception."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """List a file's functions with the line of each instruction, and the code of each rule."""

    name: str = ""
    source: tuple[str, ...] = ()
    functions: Mapping[Code, Mapping[int, int]] = field(default_factory=dict)
    rules: Mapping[str, Code] = field(default_factory=dict)

    def unreached(self, rules: Collection[str], reached: Reached) -> list[int]:
        """Return the lines that were not reached in full, of these rules and of what they call."""
        run: dict[Code, set[int]] = {
            self.rules[rule]: set() for rule in rules if rule in self.rules
        }
        for code, place in reached:
            run.setdefault(code, set()).add(place)
        lines = {
            line
            for code, places in run.items()
            for place, line in self.functions.get(code, {}).items()
            if place not in places
        }
        return sorted(lines)

    def complaint(self, rules: Collection[str], reached: Reached) -> str:
        """Say which lines of these rules nobody has looked at, if there are any."""
        lines = self.unreached(rules, reached)
        if not lines:
            return ""
        shown = [f"line {line} (`{self.source[line - 1].strip()}`)" for line in lines[:2]]
        more = f" and {len(lines) - 2} more" if len(lines) > 2 else ""
        return (
            f"holds as far as it was searched, but {self.name}, {', '.join(shown)}{more}, was "
            "never reached there in full: name a UNIVERSE that reaches it"
        )


class Reach:
    """Note which instructions of one file are run while its rules are called."""

    def __init__(self, path: Path) -> None:
        self.file = str(path)
        self.left: dict[CodeType, set[int]] = {}

    def call(self, rule: Callable[..., object], arguments: tuple[object, ...]) -> object:
        """Call a rule and follow it."""
        before = sys.gettrace()
        sys.settrace(self._entered)
        try:
            return rule(*arguments)
        finally:
            sys.settrace(before)

    def _entered(self, frame: FrameType, _: str, __: object) -> TraceFunction | None:
        code = frame.f_code
        if code.co_filename != self.file:
            return None
        left = self.left.get(code)
        if left is None:
            left = self.left[code] = set(lines_of(code))
        if not left:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        prefixed = prefixes_of(code)

        def follow(frame: FrameType, event: str, _: object) -> TraceFunction:
            if event == "opcode":
                left.discard(prefixed.get(frame.f_lasti, frame.f_lasti))
            return follow

        return follow

    @property
    def reached(self) -> Reached:
        """Return the instructions that were run."""
        return frozenset(
            (name_of(code), place)
            for code, left in self.left.items()
            for place in lines_of(code)
            if place not in left
        )


def listing(path: Path, rules: Mapping[str, object]) -> Listing:
    """List the functions of a proposal's file, and which of them are its rules."""
    with suppress(OSError, SyntaxError, ValueError):
        source = path.read_bytes()
        raising = lines_that_raise(ast.parse(source))
        codes = codes_in(compile(source, str(path), "exec", dont_inherit=True))
        functions = {
            name_of(code): {
                place: line for place, line in lines_of(code).items() if line not in raising
            }
            for code in codes
        }
        behind = {rule: code_behind(function) for rule, function in rules.items()}
        named = {rule: name_of(code) for rule, code in behind.items() if code is not None}
        return Listing(
            name=str(path),
            source=tuple(source.decode(errors="replace").splitlines()),
            functions=functions,
            rules={rule: name for rule, name in named.items() if name in functions},
        )
    return Listing()


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """Return the code of every function in a piece of code."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes_in(constant)


def code_behind(rule: object) -> CodeType | None:
    """Return the code that is run when a rule is called."""
    while isinstance(rule, functools.partial):
        rule = rule.func
    if inspect.ismethod(rule):
        rule = rule.__func__
    elif not inspect.isfunction(rule) and callable(rule):
        rule = inspect.getattr_static(type(rule), "__call__", None)
    return rule.__code__ if inspect.isfunction(rule) else None


def name_of(code: CodeType) -> Code:
    """Name a function by where it stands."""
    columns = [column for _, _, column, _ in code.co_positions() if column]
    return code.co_qualname, code.co_firstlineno, min(columns, default=0)


@functools.cache
def lines_of(code: CodeType) -> Mapping[int, int]:
    """Return the line of every instruction that says something."""
    return {
        each.offset: each.positions.lineno
        for each in dis.get_instructions(code)
        if each.opname not in SILENT and each.positions and each.positions.lineno
    }


@functools.cache
def prefixes_of(code: CodeType) -> Mapping[int, int]:
    """Return where the instruction stands that a prefix belongs to: they are run as one."""
    found: dict[int, int] = {}
    open_prefixes: list[int] = []
    for each in dis.get_instructions(code):
        if each.opname == "EXTENDED_ARG":
            open_prefixes.append(each.offset)
        else:
            found.update(dict.fromkeys(open_prefixes, each.offset))
            open_prefixes.clear()
    return found


def lines_that_raise(tree: ast.AST) -> set[int]:
    """Return the lines of all statements that raise or assert."""
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise | ast.Assert)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
