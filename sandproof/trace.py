"""Traces: reading what `sandproof simulate` runs, and saying where and why one cannot be used."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

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
from spec.attribution_client import DEVICE
from spec.numbers import NotWhole

Fields = dict[str, Any]

DAY = 24 * 60 * 60
"""The seconds of a day."""

LONGEST_REASON = 300
"""The most characters of a reason that are shown."""


class BadTrace(Exception):
    """Report a trace that cannot be used: where, and why."""

    def __init__(self, where: str, why: str) -> None:
        reason = " ".join(why.split())
        if len(reason) > LONGEST_REASON:
            reason = reason[:LONGEST_REASON] + " …"
        super().__init__(f"{where}: {reason}" if where else reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Hold one entry of a trace: when it happens, what it is, and whom it must be credited to."""

    where: str
    at: int | None
    move: Move | None
    credited: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Hold a trace that is well formed: each of its entries is a move of the specification.

    `limits` are the public parameters that the trace sets; the others are those of the rules.
    """

    description: str
    limits: Fields
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Inexact:
    """Stand for a number that JSON writes with a decimal point or an exponent, or calls NaN."""

    text: str


def read_trace(path: Path) -> Trace:
    """Read a trace, or refuse it."""
    data = _parsed(_text(path))
    _refuse_inexact(data, "")
    errors = sorted(_validator().iter_errors(data), key=lambda error: list(map(str, error.path)))
    if errors:
        raise BadTrace(errors[0].json_path.removeprefix("$").removeprefix("."), _reason(errors[0]))
    return Trace(
        description=data.get("description", ""),
        limits=_limits(data.get("limits", {})),
        entries=tuple(
            _entry(f"moves[{index}]", fields) for index, fields in enumerate(data["moves"])
        ),
    )


@cache
def schema() -> Fields:
    """Return the JSON Schema of traces."""
    text = files("sandproof").joinpath("schemas/trace.schema.json").read_text(encoding="utf-8")
    loaded: Fields = json.loads(text)
    return loaded


def _validator() -> Draft202012Validator:
    return Draft202012Validator(schema())


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise BadTrace("", error.strerror or str(error)) from None
    except UnicodeDecodeError as error:
        raise BadTrace(f"byte {error.start}", "not UTF-8") from None


def _parsed(text: str) -> Any:
    try:
        return json.loads(
            text, parse_float=Inexact, parse_constant=Inexact, object_pairs_hook=_distinct
        )
    except json.JSONDecodeError as error:
        raise BadTrace(f"line {error.lineno}, column {error.colno}", error.msg) from None
    except RecursionError:
        raise BadTrace("", "nested too deeply") from None
    except ValueError as error:
        raise BadTrace("", str(error)) from None


def _distinct(pairs: list[tuple[str, Any]]) -> Fields:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadTrace("", f"the name {twice!r} stands twice in one object")
    return fields


def _refuse_inexact(data: object, where: str) -> None:
    if isinstance(data, Inexact):
        raise BadTrace(
            where, f'{data.text} is not exact; write a whole number or a string such as "1/2"'
        )
    inside: Iterable[tuple[str, object]] = ()
    if isinstance(data, dict):
        inside = ((f"{where}.{name}" if where else name, part) for name, part in data.items())
    elif isinstance(data, list):
        inside = ((f"{where}[{index}]", part) for index, part in enumerate(data))
    for name, part in inside:
        _refuse_inexact(part, name)


def _reason(error: ValidationError) -> str:
    if error.validator == "oneOf":
        return f"a move holds `at` or exactly one of {', '.join(MAKERS)}"
    return error.message


def set_limits(limits: Limits, changed: Fields) -> Limits:
    """Return limits with those changed that a trace sets."""
    try:
        return replace(limits, **changed)
    except SpecError as error:
        raise BadTrace("limits", str(error)) from None


def _limits(fields: Fields) -> Fields:
    changed: Fields = dict(fields)
    for name in ("epsilon", "delta", "event_epsilon"):
        if name in changed:
            changed[name] = Fraction(changed[name])
    try:
        if "base" in changed:
            base = changed["base"]
            changed["base"] = NATURAL if base == "e" else Base(Fraction(base))
    except SpecError as error:
        raise BadTrace("limits", str(error)) from None
    set_limits(PAPER.limits, changed)
    return changed


def _entry(where: str, fields: Fields) -> Entry:
    actions = [name for name in fields if name != "at"]
    at = None
    if "at" in fields:
        try:
            at = _time(fields["at"])
        except SpecError as error:
            raise BadTrace(f"{where}.at", str(error)) from None
    if not actions:
        return Entry(where=where, at=at, move=None, credited=None)
    where = f"{where}.{actions[0]}"
    inner: Fields = fields[actions[0]]
    try:
        move = MAKERS[actions[0]](inner)
    except SpecError as error:
        raise BadTrace(where, str(error)) from None
    return Entry(where=where, at=at, move=move, credited=inner.get("credited"))


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
        report_ids=tuple(fields["reports"]),
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
