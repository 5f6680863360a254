"""Traces: what `sandproof simulate` runs, as moves of the specification.

A trace is one JSON document, which is read whole, or JSON Lines, which are read as they are run: a
header with the description and the limits, and then a move in each line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

from sandproof.trace_text import STANDARD_INPUT, BadTrace, Fields, read_document, read_lines
from spec import (
    NATURAL,
    PAPER,
    Base,
    Event,
    EventSource,
    EventTrigger,
    Limits,
    Move,
    Program,
    Query,
    Source,
    SpecError,
    Storage,
    Trigger,
    TriggerSpecification,
    replace,
)
from spec.aggregation_service import BadQuery
from spec.attribution_client import DEVICE
from spec.numbers import NotWhole
from spec.reports import ReportId, checked_report_id

Ranges: TypeAlias = tuple[tuple[ReportId, ReportId], ...]

DAY = 24 * 60 * 60
"""The seconds of a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Hold one entry of a trace: when it happens, what it is, and whom it must be credited to.

    A query is without its reports: they are the `reports`, as ranges from a first to a last one.
    """

    where: str
    at: int | None
    move: Move | None = None
    credited: str | None = None
    reports: Ranges = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Hold a trace that is well formed: each of its entries is a move of the specification.

    `limits` are the public parameters that the trace sets; the others are those of the rules. The
    entries of JSON Lines are read, once, while somebody walks through them.
    """

    description: str
    limits: Fields
    entries: Iterable[Entry]


def in_lines(path: Path) -> bool:
    """Tell whether a trace is in JSON Lines."""
    return path == STANDARD_INPUT or path.suffix == ".jsonl"


def read_trace(path: Path) -> Trace:
    """Read a trace, or refuse it."""
    if in_lines(path):
        lines = read_lines(path)
        _, header = next(lines)
        entries = (_entry(where, f"{where}: ", fields) for where, fields in lines)
        return _trace(header, "line 1: limits", entries)
    return trace_of(read_document(path))


def trace_of(document: Fields) -> Trace:
    """Return the trace that a document holds which follows the schema."""
    moves = [(f"moves[{index}]", fields) for index, fields in enumerate(document["moves"])]
    entries = tuple(_entry(where, f"{where}.", fields) for where, fields in moves)
    return _trace(document, "limits", entries)


def _trace(header: Fields, where: str, entries: Iterable[Entry]) -> Trace:
    limits = _limits(where, header.get("limits", {}))
    return Trace(description=header.get("description", ""), limits=limits, entries=entries)


def set_limits(limits: Limits, changed: Fields, where: str = "limits") -> Limits:
    """Return limits with those changed that a trace sets."""
    try:
        return replace(limits, **changed)
    except SpecError as error:
        raise BadTrace(where, str(error)) from None


def _limits(where: str, fields: Fields) -> Fields:
    changed: Fields = dict(fields)
    for name in ("epsilon", "delta", "event_epsilon"):
        if name in changed:
            changed[name] = Fraction(changed[name])
    try:
        if "base" in changed:
            base = changed["base"]
            changed["base"] = NATURAL if base == "e" else Base(Fraction(base))
    except SpecError as error:
        raise BadTrace(where, str(error)) from None
    set_limits(PAPER.limits, changed, where)
    return changed


def _entry(where: str, inside: str, fields: Fields) -> Entry:
    """Return the entry that stands somewhere; `inside` is how its parts are named."""
    at = move = None
    if "at" in fields:
        try:
            at = _time(fields["at"])
        except SpecError as error:
            raise BadTrace(f"{inside}at", str(error)) from None
    for name, inner in fields.items():
        if name != "at":
            where = f"{inside}{name}"
            try:
                move = MAKERS[name](inner)
                listed = _ranges(inner["reports"]) if isinstance(move, Query) else ()
            except SpecError as error:
                raise BadTrace(where, str(error)) from None
            credited = inner.get("credited")
            return Entry(where=where, at=at, move=move, credited=credited, reports=listed)
    return Entry(where=where, at=at)


def _ranges(listed: list[int | list[int]]) -> Ranges:
    """Return ranges of reports that are in the order in which the trace lists them."""
    ranges: list[tuple[ReportId, ReportId]] = []
    for each in listed:
        first, last = (each, each) if isinstance(each, int) else each
        checked_report_id(last, "reports")
        if first > last:
            raise BadQuery(f"reports {first} to {last} are none: the first comes first")
        ranges.append((first, last))
    return tuple(ranges)


def _time(value: int | str) -> int:
    """Return a time in seconds, from seconds or from a text such as "day 1.5"."""
    if isinstance(value, int):
        return value
    seconds = Fraction(value.removeprefix("day ")) * DAY
    if seconds.denominator != 1:
        raise NotWhole(f"{value!r} is no whole number of seconds")
    return int(seconds)


def _key(value: int | str) -> int:
    return value if isinstance(value, int) else int(value, 16)


def _device(fields: Fields) -> str:
    device: str = fields.get("device", DEVICE)
    return device


def _source(fields: Fields) -> Source:
    return Source(
        source_id=fields["id"],
        destination=fields["destination"],
        expiry=_time(fields["expiry"]),
        filters=frozenset(fields["filters"]),
        key=_key(fields["key"]),
        device=_device(fields),
    )


def _trigger(fields: Fields) -> Trigger:
    return Trigger(
        report_id=fields["report"],
        trigger_id=fields.get("id", ""),
        destination=fields["destination"],
        filters=frozenset(fields["filters"]),
        key=_key(fields["key"]),
        value=fields["value"],
        device=_device(fields),
    )


def _event(fields: Fields) -> Event:
    return Event(
        report_id=fields["report"],
        device=fields["device"],
        ad_tech=fields.get("ad_tech", "ad-tech"),
        program=_program(fields["program"]),
    )


def _event_source(fields: Fields) -> EventSource:
    return EventSource(
        source_id=fields["id"],
        destination=fields["destination"],
        expiry=_time(fields["expiry"]),
        filters=frozenset(fields["filters"]),
        maximum_reports=fields["maximum_reports"],
        specifications=tuple(
            TriggerSpecification(
                data=each["data"],
                windows=tuple(map(_time, each["windows"])),
                buckets=tuple(each["buckets"]),
            )
            for each in fields["specifications"]
        ),
        device=_device(fields),
    )


def _event_trigger(fields: Fields) -> EventTrigger:
    return EventTrigger(
        trigger_id=fields.get("id", ""),
        destination=fields["destination"],
        filters=frozenset(fields["filters"]),
        data=fields["data"],
        value=fields["value"],
        device=_device(fields),
    )


def _query(fields: Fields) -> Query:
    return Query(
        epsilon=Fraction(fields["epsilon"]),
        delta=Fraction(fields.get("delta", 0)),
        keys=tuple(map(_key, fields.get("keys", ()))),
    )


MAKERS: dict[str, Callable[[Fields], Move]] = {
    "source": _source,
    "trigger": _trigger,
    "event": _event,
    "event_source": _event_source,
    "event_trigger": _event_trigger,
    "query": _query,
}


def _program(fields: Fields) -> Program:
    ((name, contribution),) = fields.items()
    key, value = _key(contribution["key"]), contribution["value"]
    return first_view(key, value) if name == "first_view" else constant(key, value)


def constant(key: int, value: int) -> Program:
    """Return the program that contributes the value to the key each time it runs."""
    return lambda storage: (storage, key, value)


def first_view(key: int, value: int) -> Program:
    """Return the program that contributes the value the first time a device sees the key."""

    def program(storage: Storage) -> tuple[Storage, int, int]:
        return storage.set(key, True), key, 0 if key in storage else value

    return program
