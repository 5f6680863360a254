"""Where in the code of a function the places of its source are reached.

An instruction tells where in the source it stands. Which instructions there are, and where some of
them stand, differs between versions of Python: what is reached is to be the same.
"""

from __future__ import annotations

import dis
import functools
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import CodeType
from typing import cast

from sandproof.source_parts import Condition, Place, Span, name_of, operands_of, span_of, within
from sandproof.source_places import ENTRY, PART, Function, Said, source_of

Code = tuple[str, str, Span]
"""A function by its file, its name and where it stands, as in every process."""

SILENT = frozenset(
    {
        *("RESUME", "NOP", "CACHE", "COPY_FREE_VARS", "MAKE_CELL", "RETURN_GENERATOR", "POP_TOP"),
        *("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "EXTENDED_ARG", "COPY"),
        *("PUSH_EXC_INFO", "POP_EXCEPT", "RERAISE", "CLEANUP_THROW", "END_FOR", "NOT_TAKEN"),
    }
)
"""What the compiler adds for itself, and what stands behind an exception."""

PASSED_BY = SILENT | {"SWAP", "TO_BOOL"}
"""What may stand between a condition and the instruction that decides."""

JUMPS = frozenset({"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"})
"""Where code goes on elsewhere, whatever was evaluated."""

ENDS = frozenset({"RERAISE", "LOAD_ASSERTION_ERROR"})
"""Where ways lead that raise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Hold an instruction, and where it stands in the source if it says something."""

    name: str
    offset: int
    span: Span | None
    line: int | None
    target: int
    second: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Hold what the instructions of a piece of code reach, by where they are in it.

    `at` tells it of instructions, `ways` of those that are run after each other. A way that is
    `passing` leads to another decision that is not about its own condition then; `jumps` are the
    instructions that decide. Of `places`, those
    that have to be reached, it is said what is missing if they are not. What `spins` is an empty
    loop without a condition, which runs no line any more.
    """

    code: CodeType
    function: Code
    places: Mapping[Place, Said] = field(default_factory=dict)
    at: Mapping[int, frozenset[Place]] = field(default_factory=dict)
    ways: Mapping[tuple[int, int], frozenset[Place]] = field(default_factory=dict)
    passing: Mapping[tuple[int, int], int] = field(default_factory=dict)
    jumps: frozenset[int] = frozenset()
    prefixed: Mapping[int, int] = field(default_factory=dict)
    spins: bool = False


@functools.cache
def tables_of(file: str, code: CodeType) -> Tables:
    """Find the places of a function in its code; what has no source has none."""
    steps = steps_of(code)
    function = None
    with suppress(OSError, SyntaxError, ValueError):
        source = source_of(file)
        function = source.function(code.co_name, (each.span for each in steps if each.span))
    spinning = any(each.name == "JUMP_BACKWARD" and each.target == each.offset for each in steps)
    if function is None:
        unknown = (file, code.co_qualname, (code.co_firstlineno, 0, 0, 0))
        return Tables(code=code, function=unknown, spins=spinning)
    at = {
        each.offset: reached
        for each in steps
        if each.span is not None and (reached := reached_at(function, each.span))
    }
    prefixed = prefixes_of(steps)
    ways: dict[tuple[int, int], frozenset[Place]] = {}
    needed = set[Place]().union(*at.values())
    places = {each.offset: number for number, each in enumerate(steps)}
    decided = [condition_at(function, steps, number) for number in range(len(steps))]
    passing: dict[tuple[int, int], int] = {}
    for number, (each, condition) in enumerate(zip(steps, decided, strict=True)):
        if condition is not None:
            jumps_if = goes_if(each.name, condition)
            for target, true in ((each.target, jumps_if), (steps[number + 1].offset, not jumps_if)):
                there = prefixed.get(target, target)
                way = each.offset, there
                ways[way] = frozenset(condition.after(true))
                leads = places[there]
                if steps[leads].name not in ENDS and steps[leads].line not in source.raising:
                    needed |= ways[way]
                while steps[leads].name in PASSED_BY - JUMPS and leads + 1 < len(steps):
                    leads += 1
                other = decided[leads]
                if other is not None and not within(span_of(condition.node), span_of(other.node)):
                    passing[way] = steps[leads].offset
    return Tables(
        code=code,
        function=(file, name_of(function.node), span_of(function.node)),
        places={place: said for place, said in function.places.items() if place in needed},
        at=at,
        ways=ways,
        passing=passing,
        jumps=frozenset(before for before, _ in ways),
        prefixed=prefixed,
        spins=spinning,
    )


def steps_of(code: CodeType) -> list[Step]:
    """List the instructions of a piece of code."""
    found = []
    for each in dis.get_instructions(code):
        at, value = each.positions, each.argval
        span = None
        if at is not None and at.end_col_offset and each.opname not in SILENT:
            span = cast(Span, (at.lineno, at.col_offset, at.end_lineno, at.end_col_offset))
        two = isinstance(value, tuple) and "FAST_LOAD_FAST" in each.opname
        found.append(
            Step(
                name=each.opname,
                offset=each.offset,
                span=span,
                line=None if at is None else at.lineno,
                target=value if isinstance(value, int) else -1,
                second=value[1] if two else "",
            )
        )
    return found


def reached_at(function: Function, span: Span) -> frozenset[Place]:
    """Name what is reached where an instruction stands."""
    entered = {(each, ENTRY) for each in function.entries(span[0]) if within(span, each)}
    return frozenset(entered | ({(span, PART)} & function.places.keys()))


def condition_at(function: Function, steps: Sequence[Step], number: int) -> Condition | None:
    """Return which condition an instruction decides, by what stands before it.

    Where the instruction itself stands is told in another way by every version. Before it stands
    what was evaluated last, or an instruction that loads two values and stands where the first is.
    """
    if not is_condition(steps[number].name):
        return None
    place = number - 1
    as_truth = steps[place].span if steps[place].name == "TO_BOOL" else None
    while place >= 0 and (steps[place].name in PASSED_BY or steps[place].span is None):
        place -= 1
    before, span = steps[place], steps[place].span
    if place < 0 or span is None:
        return None
    for known in (as_truth, span):
        listed = function.conditions.get(known, []) if known else []
        if len(listed) == 1:
            return listed[0]
        if listed and (found := compared_at(listed, steps[:number])):
            return found
    there = [each for each in function.listed if as_truth is not None and each.jump == as_truth]
    there = there or [x for x in function.listed if x.of_pattern and x.jump == steps[number].span]
    if there:
        return next((each for each in there if within(span, span_of(each.node))), there[0])
    if before.second and steps[number].name.endswith("_NONE"):
        later = [x for x in function.listed if x.asks_for_none_of(before.second)]
        return next((each for each in later if span_of(each.node)[:2] >= span[2:]), None)
    around = [each for each in function.listed if within(span, span_of(each.node))]
    return max(around, key=lambda each: span_of(each.node)[:2], default=None)


def compared_at(chain: Sequence[Condition], before: Sequence[Step]) -> Condition | None:
    """Return which comparison of a chain is made, by what was evaluated for it."""
    whole = span_of(chain[0].node)
    for step in reversed(before):
        if step.span is not None and step.span != whole and within(step.span, whole):
            return next(
                (x for x in chain if any(within(step.span, span_of(y)) for y in operands_of(x))),
                None,
            )
    return None


def goes_if(name: str, condition: Condition) -> bool:
    """Tell whether an instruction jumps where its condition is true."""
    if name.endswith("_NONE"):
        return name.endswith("IF_NONE") == condition.is_true_of_none
    return "IF_TRUE" in name


def is_condition(name: str) -> bool:
    """Tell whether an instruction decides where to go on."""
    return "JUMP" in name and "_IF_" in name


def prefixes_of(steps: Iterable[Step]) -> Mapping[int, int]:
    """Return where the instruction stands that a prefix belongs to: they are run as one."""
    found: dict[int, int] = {}
    open_prefixes: list[int] = []
    for each in steps:
        if each.name == "EXTENDED_ARG":
            open_prefixes.append(each.offset)
        else:
            found.update(dict.fromkeys(open_prefixes, each.offset))
            open_prefixes.clear()
    return found
