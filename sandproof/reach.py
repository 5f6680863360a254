"""What of a proposal's own code has been run, and how much: nothing is known of the rest.

A game that holds says something about the code that it ran. A rule that looks for a date, a flag or
a batch of a thousand may hold code that no small universe reaches. So every instruction of the
proposal's files that is run in a game is noted, and every way that a condition went. A guarantee
that is decided by games alone is left open where a changed rule holds code that none of them
reached, or a condition that always went the same way. Statements that raise are bad input, and need
not be reached.

The same tracer counts the lines that are run. A call that runs too many of them is given up, and so
is a check: that does not depend on how fast or how busy a machine is.
"""

from __future__ import annotations

import ast
import dis
import functools
import inspect
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import TraceFunction

Code = tuple[str, str, int, int]
"""A function by its file, its qualified name and where it begins, as in every process."""

Way = tuple[int, int, int, bool]
"""A condition by line, column and number there, and whether it was true."""

Place = int | Way
Reached = frozenset[tuple[Code, Place]]
"""Instructions and ways, each by its function and its place there."""

MOST_LINES = 10**6
"""How many lines of a proposal may be run in one call of a rule."""

MOST_LINES_OF_CHECK = 3 * 10**7
"""How many lines of a proposal may be run in one check."""

SILENT = frozenset(
    {
        *("RESUME", "NOP", "CACHE", "COPY_FREE_VARS", "MAKE_CELL", "RETURN_GENERATOR", "POP_TOP"),
        *("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "EXTENDED_ARG", "COPY"),
        *("PUSH_EXC_INFO", "POP_EXCEPT", "RERAISE", "CLEANUP_THROW", "END_FOR", "NOT_TAKEN"),
    }
)
"""What the compiler adds for itself, and what stands behind an exception."""

JOINED = re.compile(r"\s(?:and|or)(?:\s|$)")
"""What stands between the conditions of a line."""

ENDS = frozenset({"RERAISE", "LOAD_ASSERTION_ERROR"})
"""Where ways lead that raise."""


class TooManyLines(BaseException):
    """Report code that runs for too long; rules are not to handle it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """List the functions of a proposal's files: the line of each place, and the code of rules."""

    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    functions: Mapping[Code, Mapping[Place, int]] = field(default_factory=dict)
    rules: Mapping[str, Code] = field(default_factory=dict)

    def unreached(self, rules: Collection[str], reached: Reached) -> list[tuple[str, int, str]]:
        """Return where these rules and what they call were not reached in full, and how.

        The last part is empty where code was never run, else it tells which way was not taken.
        """
        run: dict[Code, set[Place]] = {
            self.rules[rule]: set() for rule in rules if rule in self.rules
        }
        for code, place in reached:
            run.setdefault(code, set()).add(place)
        found: dict[tuple[str, int], str] = {}
        for code, places in run.items():
            for place, line in self.functions.get(code, {}).items():
                if place not in places:
                    way = "" if isinstance(place, int) else never(place, self.sources[code[0]])
                    where = code[0], line
                    found[where] = way if found.get(where, way) == way else ""
        return sorted((file, line, way) for (file, line), way in found.items())

    def complaint(self, rules: Collection[str], reached: Reached) -> str:
        """Say which lines of these rules nobody has looked at, if there are any."""
        found = self.unreached(rules, reached)
        if not found:
            return ""
        shown = []
        for file, line, way in found[:2]:
            text = f"`{self.sources[file][line - 1].strip()}`"
            shown.append(f"{file}, line {line} ({text}{f', {way}' if way else ''})")
        more = f" and {len(found) - 2} more" if len(found) > 2 else ""
        return (
            f"no search reached {', '.join(shown)}{more} in full: name a UNIVERSE that reaches it"
        )


def never(way: Way, source: Sequence[str]) -> str:
    """Say which way a condition did not go, and which one it is of several in a line."""
    line, column, _, true = way
    told = f"never {'true' if true else 'false'}"
    if not JOINED.search(source[line - 1]):
        return told
    condition = source[line - 1].encode()[column:].decode(errors="replace")
    return f"`{JOINED.split(condition)[0].strip().rstrip(':')}` {told}"


class Reach:
    """Follow the rules of a proposal: what of its files is run, which ways, and how much.

    Code is `noted` in checks that search. It is counted everywhere.
    """

    def __init__(
        self,
        files: Iterable[Path],
        noted: bool = True,
        most: int = MOST_LINES,
        most_of_check: int = MOST_LINES_OF_CHECK,
    ) -> None:
        self.files = frozenset(map(str, files))
        self.noted = noted
        self.left: dict[CodeType, set[Place]] = {}
        self.most, self.most_of_check = most, most_of_check
        self.lines = 0
        self.until = 0
        self.depth = 0
        self.exceeded = ""

    def call(self, rule: Callable[..., object], arguments: tuple[object, ...]) -> object:
        """Call a rule and follow it, for as many lines as it may run."""
        before = sys.gettrace()
        if not self.depth:
            self.until = min(self.lines + self.most, self.most_of_check)
        self.depth += 1
        sys.settrace(self._entered)
        try:
            answer = rule(*arguments)
        finally:
            sys.settrace(before)
            self.depth -= 1
        if self.exceeded:
            raise TooManyLines(self.exceeded)
        return answer

    def _count(self) -> None:
        self.lines += 1
        if self.lines > self.until:
            whole = self.lines > self.most_of_check
            most, where = (self.most_of_check, "check") if whole else (self.most, "call")
            self.exceeded = f"runs more than {most} lines in one {where}"
            raise TooManyLines(self.exceeded)

    def _entered(self, frame: FrameType, _: str, __: object) -> TraceFunction | None:
        code = frame.f_code
        if code.co_filename not in self.files:
            return None
        self._count()
        left = self.left.get(code)
        if left is None:
            left = self.left[code] = set(places_of(code)) if self.noted else set()
        return self._following(frame, left) if left or spins(code) else self._counting

    def _counting(self, _: FrameType, event: str, __: object) -> TraceFunction:
        if event == "line":
            self._count()
        return self._counting

    def _following(self, frame: FrameType, left: set[Place]) -> TraceFunction:
        frame.f_trace_opcodes = True
        prefixed, ways = prefixes_of(frame.f_code), ways_of(frame.f_code)
        before = -1

        def follow(frame: FrameType, event: str, _: object) -> TraceFunction:
            nonlocal before
            if event == "opcode":
                now = prefixed.get(frame.f_lasti, frame.f_lasti)
                left.discard(now)
                if before == now:
                    self._count()
                elif (before, now) in ways:
                    left.discard(ways[before, now])
                before = now
            elif event == "line":
                self._count()
            return follow

        return follow

    @property
    def reached(self) -> Reached:
        """Return the instructions that were run, and the ways that were taken."""
        return frozenset(
            (name_of(code), place)
            for code, left in self.left.items()
            for place in places_of(code)
            if self.noted and place not in left
        )


def listing(files: Iterable[Path], rules: Mapping[str, object]) -> Listing:
    """List the functions of a proposal's files, and which of them are its rules."""
    sources: dict[str, tuple[str, ...]] = {}
    functions: dict[Code, Mapping[Place, int]] = {}
    for path in files:
        with suppress(OSError, SyntaxError, ValueError):
            source = path.read_bytes()
            raising = lines_that_raise(ast.parse(source))
            for code in codes_in(compile(source, str(path), "exec", dont_inherit=True)):
                functions[name_of(code)] = places_of(code, frozenset(raising))
            sources[str(path)] = tuple(source.decode(errors="replace").splitlines())
    behind = {rule: code_behind(function) for rule, function in rules.items()}
    named = {rule: name_of(code) for rule, code in behind.items() if code is not None}
    return Listing(
        sources=sources,
        functions=functions,
        rules={rule: name for rule, name in named.items() if name in functions},
    )


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
    return code.co_filename, code.co_qualname, code.co_firstlineno, min(columns, default=0)


@functools.cache
def places_of(code: CodeType, raising: frozenset[int] = frozenset()) -> Mapping[Place, int]:
    """Return the line of every instruction that says something, and of every way it may go.

    Left out are the lines that are raising, and the ways that lead to them.
    """
    steps = {each.offset: each for each in dis.get_instructions(code)}
    lines = {place: each.positions.lineno or 0 for place, each in steps.items() if each.positions}
    found: dict[Place, int] = {
        place: lines[place]
        for place, each in steps.items()
        if each.opname not in SILENT and lines.get(place)
    }
    for (_, there), way in ways_of(code).items():
        if steps[there].opname not in ENDS and lines.get(there) not in raising:
            found.setdefault(way, way[0])
    return {place: line for place, line in found.items() if line not in raising}


@functools.cache
def ways_of(code: CodeType) -> Mapping[tuple[int, int], Way]:
    """Return the ways that conditions may go, by where they are decided and where they lead.

    A loop decides its condition at its beginning and at its end: both are one condition.
    """
    steps, prefixed = list(dis.get_instructions(code)), prefixes_of(code)
    seen: dict[tuple[int, int, bool], int] = {}
    found: dict[tuple[int, int], Way] = {}
    for each, following in pairwise(steps):
        at = each.positions
        if not is_condition(each.opname) or at is None or not at.lineno:
            continue
        key = (at.lineno, at.col_offset or 0, "BACKWARD" in each.opname)
        number = seen[key] = seen.get(key, -1) + 1
        jumps_if = "IF_TRUE" in each.opname or each.opname.endswith("NOT_NONE")
        for target, way in ((each.argval, jumps_if), (following.offset, not jumps_if)):
            found[each.offset, prefixed.get(target, target)] = (*key[:2], number, way)
    return found


@functools.cache
def spins(code: CodeType) -> bool:
    """Tell whether code holds an empty loop without a condition, which runs no line any more."""
    steps = dis.get_instructions(code)
    return any(each.opname == "JUMP_BACKWARD" and each.argval == each.offset for each in steps)


def is_condition(name: str) -> bool:
    """Tell whether an instruction decides where to go on."""
    return "JUMP" in name and "_IF_" in name


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
