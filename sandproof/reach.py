"""What of a proposal's own code has been run, and how much: nothing is known of the rest.

A game that holds says something about the code that it ran. A rule that looks for a date, a flag or
a batch of a thousand may hold code that no small universe reaches. So every part of the proposal's
files that is run in a game is noted, and every way that a condition went. Which there are says
`source_places.py`, and `code_places.py` where they are in the code. A guarantee that is decided by
games alone is left open where a changed rule holds code that none of them reached, or a condition
that always went the same way. Statements that raise are bad input, and need not be reached.

The same tracer counts the lines that are run. A call that runs too many of them is given up, and so
is a check: that does not depend on how fast or how busy a machine is.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING

from sandproof.code_places import Code, Tables, tables_of
from sandproof.source_parts import Place
from sandproof.source_places import INLINED, Said

if TYPE_CHECKING:
    from _typeshed import TraceFunction

Reached = frozenset[tuple[Code, Place]]
"""Places, each with its function."""

Fresh = dict[int, frozenset[Place]]
"""What instructions reach that have not been run yet."""

MOST_LINES = 10**6
"""How many lines of a proposal may be run in one call of a rule."""

MOST_LINES_OF_CHECK = 3 * 10**7
"""How many lines of a proposal may be run in one check."""


class TooManyLines(BaseException):
    """Report code that runs for too long; rules are not to handle it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """List the functions of a proposal's files: what is said of each place, and which are rules."""

    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    functions: Mapping[Code, Mapping[Place, Said]] = field(default_factory=dict)
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
            for place, said in self.functions.get(code, {}).items():
                for line, way in () if place in places else said:
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
        return f"no search reached {', '.join(shown)}{more} in full"


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
        self.entered: dict[int, tuple[Tables, set[Place], Fresh]] = {}
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
        if self.noted:
            # Python 3.12 tells of instructions only if one asks for it before there is a tracer.
            sys._getframe().f_trace_opcodes = True
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
        if code.co_name in INLINED:
            self.lines -= 1  # Its first line has been counted already, where it stands.
        else:
            self._count()
        known = self.entered.get(id(code))
        if known is None:
            tables = tables_of(code.co_filename, code)
            left = set(tables.places) if self.noted else set()
            known = self.entered[id(code)] = tables, left, dict(tables.at) if left else {}
        tables, left, fresh = known
        if left or tables.spins:
            return self._following(frame, tables, left, fresh)
        return self._counting

    def _counting(self, _: FrameType, event: str, __: object) -> TraceFunction:
        if event == "line":
            self._count()
        return self._counting

    def _following(
        self, frame: FrameType, tables: Tables, left: set[Place], fresh: Fresh
    ) -> TraceFunction:
        prefixed, ways, passing, jumps = tables.prefixed, tables.ways, tables.passing, tables.jumps
        before, passed = -1, -1

        def follow(frame: FrameType, event: str, _: object) -> TraceFunction:
            nonlocal before, passed
            if event == "opcode":
                now = frame.f_lasti
                if now in prefixed:
                    now = prefixed[now]
                if now in fresh:
                    left.difference_update(fresh.pop(now))
                if before in jumps:
                    if before != passed:
                        left.difference_update(ways.get((before, now), ()))
                    passed = passing.get((before, now), -1)
                elif before == now:
                    self._count()
                before = now
            elif event == "line":
                self._count()
            return follow

        frame.f_trace = follow  # Python 3.13 tells of instructions to what is there already.
        frame.f_trace_opcodes = True
        return follow

    @property
    def reached(self) -> Reached:
        """Return the parts that were run, and the ways that were taken."""
        return frozenset(
            (tables.function, place)
            for tables, left, _ in self.entered.values()
            for place in tables.places
            if self.noted and place not in left
        )


def listing(files: Iterable[Path], rules: Mapping[str, object]) -> Listing:
    """List the functions of a proposal's files, and which of them are its rules."""
    sources: dict[str, tuple[str, ...]] = {}
    functions: dict[Code, dict[Place, Said]] = {}
    for path in files:
        with suppress(OSError, SyntaxError, ValueError):
            read = path.read_bytes()
            for code in codes_in(compile(read, str(path), "exec", dont_inherit=True)):
                tables = tables_of(str(path), code)
                functions.setdefault(tables.function, {}).update(tables.places)
            sources[str(path)] = tuple(read.decode(errors="replace").splitlines())
    behind = {rule: code_behind(function) for rule, function in rules.items()}
    named = {
        rule: tables_of(code.co_filename, code).function
        for rule, code in behind.items()
        if code is not None and code.co_filename in sources
    }
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
