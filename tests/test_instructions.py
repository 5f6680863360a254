"""The instructions that are read off the source are those that Python 3.11 makes of it."""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from proofs._core import core_of
from proofs._instructions import Code, Instruction, NoSource, code_of, steps_of
from spec import PAPER, replace
from tests.texts import run_text

HERE = Path(__file__).parent
FOLDERS = ("spec", "proofs", "proposals", "tests/sound", "tests/unsound")
PASSED_OVER = ("CACHE", "EXTENDED_ARG", "NOP")
UNCOMPARED = ("RESUME", "RETURN_GENERATOR", "COPY_FREE_VARS", "FORMAT_VALUE", "COMPARE_OP")
NOT_FOLLOWED = frozenset(
    {
        *("PUSH_EXC_INFO", "BEFORE_WITH", "IMPORT_NAME", "LOAD_BUILD_CLASS", "GET_AWAITABLE"),
        *("MATCH_CLASS", "MATCH_SEQUENCE", "MATCH_MAPPING", "SEND"),
    }
)
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")

Listed = list[tuple[str, object, int | None]]
"""Instructions, what each is about, and where it may jump to."""


def of_python(code: CodeType) -> Listed:
    found: list[dis.Instruction] = []
    places: dict[int, int] = {}
    for step in dis.get_instructions(code):
        places[step.offset] = len(found)
        if step.opname not in PASSED_OVER:
            found.append(step)
    jumps = (*dis.hasjrel, *dis.hasjabs)
    return [
        (step.opname, about(step, code.co_consts), places[step.argval])
        if step.opcode in jumps
        else (step.opname, about(step, code.co_consts), None)
        for step in found
    ]


def of_source(code: Code) -> Listed:
    jumps = ("JUMP", "FOR_ITER")
    return [
        (each.opname, about(each, code.co_consts), int(str(each.argval)))
        if any(word in each.opname for word in jumps)
        else (each.opname, about(each, code.co_consts), None)
        for each in code.steps
    ]


def about(step: dis.Instruction | Instruction, constants: tuple[object, ...]) -> object:
    """Return what of an instruction is compared."""
    opname, value = step.opname, step.argval
    if opname in UNCOMPARED or "JUMP" in opname or opname == "FOR_ITER":
        return None
    if opname in ("IS_OP", "CONTAINS_OP"):
        return step.arg
    if opname == "KW_NAMES":
        return constants[step.arg or 0]
    if opname == "BINARY_OP":
        return step.argrepr
    if opname == "LOAD_GLOBAL":
        return value, (step.arg or 0) & 1
    if isinstance(value, CodeType | Code):
        return value.co_name
    if opname == "LOAD_CONST" and value == ("annotations",):
        return "annotations"
    return type(value), value


def differ(first: Listed, second: Listed) -> str:
    """Go along both lists side by side, wherever they lead; say where they are not alike."""
    pending, seen = [(0, 0)], set[tuple[int, int]]()
    while pending:
        pair = pending.pop()
        one, other = followed(first, pair[0]), followed(second, pair[1])
        if (one, other) in seen:
            continue
        seen.add((one, other))
        a, b = first[one], second[other]
        stores = [stored(first, one), stored(second, other)]
        if stores[0] or stores[1]:
            if stores[0] != stores[1]:
                return f"{stores[0]} and {stores[1]}"
            swaps = [each[0] == "SWAP" for each in (a, b)]
            pending.append((one + len(stores[0]) + swaps[0], other + len(stores[0]) + swaps[1]))
            continue
        if skip := imported(first[one : one + 3], second[other : other + 2]):
            pending.append((one + skip, other + 2))
            continue
        if {plain(a)[0], plain(b)[0]} in LED_ON:
            return ""
        if plain(a) != plain(b) and "annotations" not in (a[1], b[1]):
            return f"{a} and {b}"
        if a[0] in ("RETURN_VALUE", "RAISE_VARARGS"):
            continue
        pending.append((one + 1, other + 1))
        if a[2] is not None and b[2] is not None:
            pending.append((a[2], b[2]))
    return ""


def imported(first: Listed, second: Listed) -> int:
    """Count what Python does to call something imported, which it takes for no method, if it does.

    It goes by the name alone, whether or not it is one of the module there.
    """
    match [(each[0], each[1]) for each in (*first, *second)]:
        case [
            ("LOAD_GLOBAL", (name, 1)),
            ("LOAD_ATTR", method),
            _,
            ("LOAD_GLOBAL", (other, 0)),
            ("LOAD_METHOD", same),
        ]:
            return 2 * (name == other and method == same)
        case [
            ("PUSH_NULL", _),
            ("LOAD_FAST", name),
            ("LOAD_ATTR", method),
            ("LOAD_FAST", other),
            ("LOAD_METHOD", same),
        ]:
            return 3 * (name == other and method == same)
    return 0


LED_ON = (
    {"POP_JUMP_IF_FALSE", "JUMP_IF_FALSE_OR_POP"},
    {"POP_JUMP_IF_TRUE", "JUMP_IF_TRUE_OR_POP"},
)
"""Where one of several conditions ends another: Python leads the jump on to where that leads."""


def plain(step: tuple[str, object, int | None]) -> tuple[str, object]:
    return step[0].replace("_FORWARD", "").replace("_BACKWARD", ""), step[1]


def followed(steps: Listed, place: int) -> int:
    """Go along jumps."""
    while steps[place][0] in ("JUMP_FORWARD", "JUMP_BACKWARD"):
        place = int(str(steps[place][2]))
    return place


def stored(steps: Listed, place: int) -> tuple[object, ...]:
    """Return the names that take several values off the stack, the last value's first."""
    swapped = steps[place][0] == "SWAP"
    names = []
    for opname, value, _ in steps[place + swapped :]:
        if opname != "STORE_FAST":
            break
        names.append(value)
    if swapped:
        count = cast_count(steps[place][1])
        return tuple(reversed(names[:count])) if len(names) >= count else ()
    return tuple(names[:3]) if len(names) in (2, 3) else ()


def cast_count(value: object) -> int:
    assert isinstance(value, tuple)
    return int(value[1])


def is_large(steps: Listed) -> bool:
    """Tell whether Python begins with something empty because much is put into it."""
    begun = [place for place, each in enumerate(steps) if each[:2] in EMPTY]
    return any(
        sum(
            each[0] in ("LIST_APPEND", "MAP_ADD", "DICT_MERGE", "DICT_UPDATE")
            for each in steps[place:]
        )
        > 15
        for place in begun
    )


ADDING = ("LIST_APPEND", "MAP_ADD", "DICT_MERGE", "DICT_UPDATE")
EMPTY = (("BUILD_LIST", (int, 0)), ("BUILD_MAP", (int, 0)))


def functions_in(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            if each.co_flags & 2 and each.co_name not in COMPREHENSIONS:
                yield each
            yield from functions_in(each)


def pairs(code: CodeType, made: Code) -> Iterator[tuple[CodeType, Code]]:
    """Pair the functions inside a function with those that were made of its source."""
    yield code, made
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    others = [each for each in made.co_consts if isinstance(each, Code)]
    for each, other in zip(inner, others, strict=False):
        yield from pairs(each, other)


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="compared with those of Python 3.11")
@pytest.mark.parametrize("folder", FOLDERS)
def test_the_instructions_are_those_of_python(folder: str) -> None:
    compared = 0
    for path in sorted((HERE.parent / folder).glob("*.py")):
        whole = compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)
        for function in functions_in(whole):
            try:
                read = code_of(function)
            except NoSource:  # It holds a class, or is one of several in its line.
                continue
            for code, made in pairs(function, read):
                steps = of_python(code)
                if not NOT_FOLLOWED.isdisjoint(each[0] for each in steps) or is_large(steps):
                    continue
                why = differ(steps, of_source(made))
                assert not why, f"{path}, {code.co_qualname}, line {code.co_firstlineno}: {why}"
                assert made.co_name == code.co_name
                assert made.co_argcount == code.co_argcount
                assert set(made.co_freevars) == set(code.co_freevars)
                assert set(made.co_cellvars) == set(code.co_cellvars)
                compared += 1
    assert compared > 50


COUNT = "sum(not report.is_null for report in batch)"
TELLING = {
    "an annotated target is computed": f"""
def reveal(at, batch, outcome):
    shown = 0
    (shown := {COUNT}).real: int
    return outcome, shown
""",
    "a pattern of two ways": f"""
def beside(batch):
    match 0:
        case 1 | None:
            yield 0
    yield {COUNT}
def reveal(at, batch, outcome):
    return outcome, tuple(beside(batch))
""",
    "another name inside of a class": f"""
def __beside(batch):
    return 0
def _Shown__beside(batch):
    return {COUNT}
class Shown:
    def show(at, batch, outcome):
        return outcome, __beside(batch)
reveal = Shown.show
del Shown
""",
    "an annotation inside is computed": """
from collections import defaultdict
SHOWN = [1, 2, 3]
LOOK = defaultdict(SHOWN.pop)
def reveal(at, batch, outcome):
    def inner(x: LOOK[batch[0].is_null]):
        return x
    return outcome, len(SHOWN)
""",
    "an annotation makes a generator": """
def same(value):
    note: (yield) = 0
    return value
def reveal(at, batch, outcome):
    return outcome, bool(same(len(batch) > 1))
""",
    "one of two functions in a line": """
both = lambda at, batch, outcome: [outcome, lambda at, batch, outcome: [outcome, batch]][outcome]
reveal = both(0, 0, 1)
""",
    "a parameter by keyword is set again": """
def beside(batch, *, shown):
    later = lambda: shown
    shown = batch
    return later()
def reveal(at, batch, outcome):
    return outcome, beside(batch, shown=0)
""",
    "a variable is set inside": """
def reveal(at, batch, outcome):
    shown = 0
    def note():
        nonlocal shown
        shown = batch
    note()
    return outcome, shown
""",
    "a variable is set in a comprehension": """
def reveal(at, batch, outcome):
    shown = 0
    [shown := batch for _ in (1, 2)]
    return outcome, shown
""",
    "other code than the file's": """
def reveal(at, batch, outcome):
    return outcome, 1
def other(at, batch, outcome):
    return outcome, batch
reveal.__code__ = other.__code__
""",
    "a changed constant": """
def reveal(at, batch, outcome):
    return outcome, 1
reveal.__code__ = reveal.__code__.replace(co_consts=(None, 2))
""",
    "a jump out of a loop that ends": """
def reveal(at, batch, outcome):
    for report in batch:
        if report.is_null:
            break
    else:
        return outcome, 1
    return outcome, 2
""",
}


@pytest.mark.parametrize("what", TELLING)
def test_what_is_read_is_what_is_run(what: str) -> None:
    names: dict[str, Any] = {"__name__": "somewhere"}
    run_text(TELLING[what], names)
    assert core_of(replace(PAPER, reveal=names["reveal"])).kept.get("reveal")


KEPT_ALIVE = """
def noted(at, source):
    try:
        return True
    finally:
        NOTES.append(source)
"""


def test_what_is_not_followed_is_looked_through() -> None:
    names: dict[str, Any] = {"__name__": "somewhere", "NOTES": []}
    run_text(KEPT_ALIVE, names)
    found = [step.argval for step in steps_of(code_of(names["noted"].__code__))]
    assert "append" in found
