r"""Moves, and what is seen of them, in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction

from properties.numerals import SHORT, shown
from spec.aggregation_service import Aborted, Answer, Query
from spec.attribution_client import DEVICE, Source, Trigger
from spec.contributions import Unit
from spec.event_client import EventReport, EventSource, EventTrigger
from spec.numbers import NATURAL, Base
from spec.private_aggregation_client import DeviceWindow, Event, Program
from spec.system import Move, PassTime

HOUR, DAY = 3600, 86_400

LARGE_KEY = 2**32
"""From here on a key is written with sixteen digits, as 0xbeef."""

SEVERAL = 3
"""By how much numbers must grow so that only the first and the last are told."""

NUMBERS = re.compile(r"0x[0-9a-f]+|\d+(?:[./:]\d+)+|\d+(?:\.\d+)?e-?\d+|(\d+)")
"""Numbers in a text; whole ones that are no part of another number are a group."""

BETWEEN = "\0"
"""What stands between the texts of a row where they are looked at as one."""


def unit_text(unit: Unit) -> str:
    """Name a unit in words."""
    if isinstance(unit, DeviceWindow):
        return f"device {unit.device!r} in window {unit.window}"
    if is_dataclass(unit):
        parts = ", ".join(f"{each.name} {getattr(unit, each.name)!r}" for each in fields(unit))
        return f"{type(unit).__name__} ({parts})"
    return f"source {unit!r}" if isinstance(unit, str) else str(unit)


def move_text(move: Move, base: Base = NATURAL) -> str:
    """Tell a move in a sentence; epsilons count logarithms of a base."""
    match move:
        case Source():
            own = extra(move, Source)
            return (
                f"Source {move.source_id!r} is registered{place(move)}: filters "
                f"{words(move.filters)}, expiry {time_text(move.expiry)}, key piece "
                f"{key_text(move.key)}{own}."
            )
        case Trigger():
            named = f" {move.trigger_id!r}" if move.trigger_id else ""
            return (
                f"A trigger{named} is registered{place(move)}: filters "
                f"{words(move.filters)}, value {move.value}, key piece {key_text(move.key)}, "
                f"report {move.report_id}{extra(move, Trigger)}."
            )
        case Event():
            doing = program_text(move.program)
            return (
                f"Device {move.device!r} runs a program, report {move.report_id}: "
                f"{doing.rstrip('.')}{extra(move, Event)}."
            )
        case EventSource():
            data = ", ".join(
                f"data {spec.data} windows {list(spec.windows)} buckets {list(spec.buckets)}"
                for spec in move.specifications
            )
            return (
                f"Event-level source {move.source_id!r} is registered{place(move)}: filters "
                f"{words(move.filters)}, expiry {move.expiry}, at most {move.maximum_reports} "
                f"reports, {data}{extra(move, EventSource)}."
            )
        case EventTrigger():
            return (
                f"An event-level trigger is registered{place(move)}: filters "
                f"{words(move.filters)}, data {move.data}, value {move.value}"
                f"{extra(move, EventTrigger)}."
            )
        case PassTime():
            return f"Time passes to {time_text(move.until)}."
        case Query():
            asked = f"keys {listed(move.keys)}"
            if move.discovers_keys:
                asked = "with key discovery"
            return (
                f"The ad-tech asks for reports {listed(move.report_ids)} with "
                f"{epsilon_text(move.epsilon, base)}, δ = {shown(move.delta, SHORT)}, {asked}"
                f"{extra(move, Query)}."
            )


def epsilon_text(epsilon: Fraction, base: Base) -> str:
    """Write an epsilon that counts logarithms of a base."""
    count = shown(epsilon, SHORT)
    if base.value is not None:
        count = f"ln {base.value}" if epsilon == 1 else f"{count} ln {base.value}"
    return f"ε = {count}"


def time_text(moment: int) -> str:
    """Tell a moment in seconds, and if that is an hour or more as a day and a time of day."""
    if moment < HOUR:
        return str(moment)
    day, second = divmod(moment, DAY)
    clock = f", {second // HOUR:02}:{second % HOUR // 60:02}:{second % 60:02}" if second else ""
    return f"{moment} (day {day}{clock})"


def key_text(key: object) -> str:
    """Tell a key; of a large one the bits are easier to read."""
    return f"{key:#x}" if type(key) is int and key >= LARGE_KEY else str(key)


def listed(numbers: Sequence[int]) -> str:
    """List numbers; those that count up by one are told by the first and the last."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] + 1 == number:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    told = (
        f"{key_text(first)} to {key_text(last)}"
        if last - first >= SEVERAL
        else ", ".join(map(key_text, range(first, last + 1)))
        for first, last in runs
    )
    return f"[{', '.join(told)}]"


def place(move: Source | Trigger | EventSource | EventTrigger) -> str:
    """Tell on which device a move happens, where one is named."""
    return "" if move.device == DEVICE else f" on device {move.device!r}"


def program_text(program: Program) -> str:
    """Tell what a program does: as it tells itself, or by the first line of its docstring."""
    told = getattr(program, "told", None)
    text = told() if callable(told) else program.__doc__ or getattr(program, "__name__", "")
    return str(text).strip().partition("\n")[0] or "a program"


def extra(value: object, known: type) -> str:
    """Tell the fields that a proposal added."""
    if type(value) is known or not is_dataclass(value):
        return ""
    mine = {f.name for f in fields(known)}
    added = [f.name for f in fields(value) if f.name not in mine]
    return "".join(f", {name} {getattr(value, name)}" for name in added)


def words(names: Iterable[str]) -> str:
    """List names in a fixed order."""
    return "{" + ", ".join(sorted(names)) + "}"


def seen_text(response: Hashable, value_text: Callable[[object], str] = str) -> str:
    """Tell what the ad-tech sees in words, noisy values as they are told."""
    if not isinstance(response, tuple):
        return str(response)
    return "; ".join(
        f"report {part} arrives" if _is_report(part) else _seen(part, value_text)
        for part in response
    )


def _is_report(part: Hashable) -> bool:
    return isinstance(part, int) and not isinstance(part, bool)


def _seen(part: Hashable, value_text: Callable[[object], str]) -> str:
    match part:
        case Answer():
            values = ((key_text(key), value_text(value)) for key, value in part.released)
            released = ", ".join(f"key {key}: {value}" for key, value in values)
            told = f"the summary {{{released}}}" if released else "an empty summary"
            return told + extra(part, Answer)
        case Aborted():
            return f"the query is refused{extra(part, Aborted)}"
        case EventReport():
            return (
                f"an event-level report (source {part.source_id!r}, data {part.data}, "
                f"bucket {part.bucket}{extra(part, EventReport)})"
            )
        case tuple():
            return f"({', '.join(_seen(each, value_text) for each in part)})"
    return str(part)


def folded(rows: Sequence[tuple[str, ...]]) -> list[tuple[tuple[str, ...], int]]:
    """Fold rows that are equal, or differ by numbers that count up by one; say how many there were.

    Such numbers are told by the first and the last.
    """
    runs: list[list[tuple[str, ...]]] = []
    steps: list[int] | None = None
    for row in rows:
        between = differences(runs[-1][-1], row) if runs else None
        if between is not None and (len(runs[-1]) == 1 or between == steps):
            runs[-1].append(row)
            steps = between
        else:
            runs.append([row])
    return [(merged(run[0], run[-1]), len(run)) for run in runs]


def differences(row: tuple[str, ...], after: tuple[str, ...]) -> list[int] | None:
    """Return by what each number of a row grows, none by more than one; None if more differs."""
    pieces, others = pieces_of(row), pieces_of(after)
    if pieces[::2] != others[::2]:
        return None
    grown = [int(y) - int(x) for x, y in zip(pieces[1::2], others[1::2], strict=True)]
    return grown if all(each in (0, 1) for each in grown) else None


def merged(first: tuple[str, ...], last: tuple[str, ...]) -> tuple[str, ...]:
    """Return a row that tells each number which differs by the first and the last."""
    pairs = zip(pieces_of(first), pieces_of(last), strict=True)
    told = "".join(x if x == y else f"{x} to {y}" for x, y in pairs)
    return tuple(told.split(BETWEEN))


def pieces_of(row: tuple[str, ...]) -> list[str]:
    """Split a row into text and, at every other place, whole numbers."""
    text, pieces, end = BETWEEN.join(row), [], 0
    for match in NUMBERS.finditer(text):
        if match.group(1):
            pieces += [text[end : match.start()], match.group(1)]
            end = match.end()
    return [*pieces, text[end:]]
