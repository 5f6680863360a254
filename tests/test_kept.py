"""What is kept where nobody may change anything stays what it is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import spec
from proofs._core import core_of
from proofs._followed import _immutable
from spec import AtEventSource, Draw, EventSource, replace

PAPER: Any = spec.PAPER


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(EventSource):
    """Be a source with notes."""

    notes: tuple[int, ...] = ()


def with_a_list(at: AtEventSource, source: EventSource, draw: Draw) -> Any:
    if isinstance(source, Noted):
        listed: Any = [0]
        source = replace(source, notes=listed)
    return PAPER.register_event_source(at, source, draw)


def note_the_number(at: Any, units: tuple[str, ...]) -> Any:
    client = PAPER.register_event_trigger(at, units)
    for record in client.records:
        if isinstance(record.source, Noted):
            record.source.notes.append(len(units))  # type: ignore[attr-defined]
    return client


def test_what_is_kept_in_a_source_may_not_be_changed() -> None:
    rules = replace(
        PAPER, register_event_source=with_a_list, register_event_trigger=note_the_number
    )
    assert ".append of a public value" in core_of(rules).kept["register_event_trigger"]


def test_a_place_that_is_no_field_is_no_data() -> None:
    @dataclass(frozen=True)
    class Slotted:
        """Have a place that is no field."""

        __slots__ = ("name", "taken")
        name: str

    value = Slotted("x")
    object.__setattr__(value, "taken", [])
    assert not _immutable(value)


def test_a_fraction_whose_numbers_were_set_is_no_data() -> None:
    value: Any = Fraction(1)
    assert _immutable(value)
    value._numerator = []
    assert not _immutable(value)
