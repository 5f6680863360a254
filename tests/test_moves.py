"""What a proposal adds to a move is data: rules can write nothing on it, and compare it whole."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from fractions import Fraction
from types import FunctionType
from typing import Any, Literal, cast

import pytest
from immutables import Map

from proofs._core import core_of
from proofs._flow import unclean
from spec import PAPER, Event, Query, Source, Trigger, replace
from spec.contributions import send
from spec.reports import Contribution


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedTrigger(Trigger):
    notes: list[Any]


def admit_and_note(at: Any, unit: Any, spent: Any, contribution: Any) -> object:
    after, fits = PAPER.admit(at, unit, spent, contribution)
    if fits and isinstance(at.cause, NotedTrigger):
        at.cause.notes.append(unit)
    return after, fits


def send_with_notes(at: Any, granted: Any) -> object:
    (sent,) = send(at, granted)
    if isinstance(at.cause, NotedTrigger):
        sent = replace(sent, shown=(sent.shown, len(at.cause.notes)))
    return (sent,)


def test_rules_may_not_tell_each_other_by_what_a_trigger_holds() -> None:
    core = core_of(replace(PAPER, admit=admit_and_note, send=send_with_notes))  # type: ignore[arg-type]
    assert set(core.kept) == {"admit", "send"}


def file_with(kind: type) -> FunctionType:
    """Return a function of a file that holds a class and nothing else."""
    scope = {"__builtins__": vars(__import__("builtins")), "__name__": "proposal", "Kind": kind}
    return FunctionType(send.__code__, scope)


def adding(base: type, said: object, **given: Any) -> type:
    """Return a move with one field more."""
    more = field(**given) if given else field()
    fields = [("more", said, more)]
    made = make_dataclass("Kind", fields, bases=(base,), frozen=True, slots=True, kw_only=True)
    made.__module__ = "types"  # Since Python 3.12 it would be this file, with all that is in it.
    return made


@pytest.mark.parametrize("base", [Source, Trigger, Event, Query])
@pytest.mark.parametrize(
    "said",
    [
        *(list, dict, set, list[int], Mapping[str, int], Sequence[str], Hashable, object, Any),
        *(Iterator[int], tuple, tuple[list[int], ...], Map[Hashable, int], int | list[int]),
        "NowhereKnown",
    ],
    ids=str,
)
def test_a_move_that_may_hold_what_can_be_changed_is_named(base: type, said: object) -> None:
    assert "may hold what can be changed" in unclean(file_with(adding(base, said)))


@pytest.mark.parametrize("base", [Source, Trigger, Event, Query])
@pytest.mark.parametrize(
    "said",
    [
        *(int, str, bool, Fraction, tuple[int, ...], frozenset[str], Map[str, int], int | None),
        *(Literal["a", "b"], tuple[tuple[int, str], ...], tuple[Contribution, ...]),
    ],
    ids=str,
)
def test_a_move_that_holds_data_is_clean(base: type, said: object) -> None:
    assert unclean(file_with(adding(base, said))) == ""


def test_only_an_event_brings_programs() -> None:
    program = Callable[[int], int]
    assert unclean(file_with(adding(Event, program))) == ""
    assert "changed" in unclean(file_with(adding(Trigger, program)))


@pytest.mark.parametrize("given", [{"compare": False}, {"hash": False}])
def test_a_class_that_compares_less_than_it_holds_is_named(given: dict[str, bool]) -> None:
    kind = adding(Source, str, **given)
    assert "compares less than it holds" in unclean(file_with(kind))


def test_a_class_is_looked_at_whatever_it_says_of_its_module() -> None:
    class Odd(int):
        pass

    Odd.__module__ = "fractions"
    assert "has code of its own" in unclean(file_with(Odd))
    Odd.__module__ = "nowhere"
    assert "has code of its own" in unclean(file_with(Odd))


def test_a_class_of_python_is_left_alone() -> None:
    assert unclean(file_with(cast(type, FunctionType))) == ""
    assert unclean(file_with(Mapping)) == ""
