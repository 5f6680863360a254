from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from spec.agenda import Agenda, Entry, added, earliest, without_earliest

ENTRIES = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.just("s")), unique=True, max_size=30
)


def agenda_of(entries: list[Entry]) -> Agenda | None:
    agenda: Agenda | None = None
    for entry in entries:
        agenda = added(agenda, entry)
    return agenda


def depth(agenda: Agenda | None) -> int:
    return 0 if agenda is None else 1 + max(depth(agenda.before), depth(agenda.after))


@given(ENTRIES)
def test_entries_come_out_in_order(entries: list[Entry]) -> None:
    agenda = agenda_of(entries)
    assert ([] if agenda is None else list(agenda)) == sorted(entries)
    drained = []
    while agenda is not None:
        drained.append(earliest(agenda))
        agenda = without_earliest(agenda)
    assert drained == sorted(entries)


@given(ENTRIES, st.randoms())
def test_equal_contents_make_equal_agendas(entries: list[Entry], order: Random) -> None:
    shuffled = list(entries)
    order.shuffle(shuffled)
    assert agenda_of(entries) == agenda_of(shuffled)
    if entries:
        agenda = agenda_of([(min(entries)[0], -1, "s"), *entries])
        assert agenda is not None
        assert without_earliest(agenda) == agenda_of(entries)


def test_entries_in_order_make_a_shallow_tree() -> None:
    agenda = agenda_of([(time, 0, "s") for time in range(4096)])
    assert depth(agenda) <= 40
