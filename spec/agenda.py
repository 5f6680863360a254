r"""What falls due when: an immutable priority queue.

The event-level client has to know which window ends next without looking through all of them. The
agenda is a binary search tree of entries ordered by time. Its shape is settled by a hash of each
entry, an entry with a greater hash standing above one with a smaller. So the tree is shallow, a
step copies one path of it, and equal agendas are equal trees however they came about.

Paper: none (keeps each step's time independent of the history).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

Entry: TypeAlias = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Agenda:
    """Hold an entry (time, order, name), the entries before it and those after it.

    The order decides between entries of one time; no two entries share both. None is the empty
    agenda.

    Paper: none (a data structure).
    """

    entry: Entry
    before: Agenda | None = None
    after: Agenda | None = None

    def __iter__(self) -> Iterator[Entry]:
        """List the entries, the earliest first."""
        if self.before is not None:
            yield from self.before
        yield self.entry
        if self.after is not None:
            yield from self.after


def added(agenda: Agenda | None, entry: Entry) -> Agenda:
    """Return the agenda with one entry more.

    Paper: none (a data structure).
    """
    if agenda is None or _rank(entry) > _rank(agenda.entry):
        return Agenda(entry, *_split(agenda, entry))
    if entry < agenda.entry:
        return Agenda(agenda.entry, added(agenda.before, entry), agenda.after)
    return Agenda(agenda.entry, agenda.before, added(agenda.after, entry))


def earliest(agenda: Agenda) -> Entry:
    """Return the earliest entry.

    Paper: none (a data structure).
    """
    while agenda.before is not None:
        agenda = agenda.before
    return agenda.entry


def without_earliest(agenda: Agenda) -> Agenda | None:
    """Return the agenda without its earliest entry.

    Paper: none (a data structure).
    """
    if agenda.before is None:
        return agenda.after
    return Agenda(agenda.entry, without_earliest(agenda.before), agenda.after)


def _rank(entry: Entry) -> int:
    """Return a hash that is the same in every process, which that of a string is not."""
    return hash(entry[:2])


def _split(agenda: Agenda | None, entry: Entry) -> tuple[Agenda | None, Agenda | None]:
    """Return the entries before the given one, and those after it."""
    if agenda is None:
        return None, None
    if agenda.entry < entry:
        before, after = _split(agenda.after, entry)
        return Agenda(agenda.entry, agenda.before, before), after
    before, after = _split(agenda.before, entry)
    return before, Agenda(agenda.entry, after, agenda.after)
