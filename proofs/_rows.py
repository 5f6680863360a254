r"""What a `settle` may keep in dictionaries: charges by their entries, until they are stored.

A dictionary that the rule begins empty and to which nothing is added but `rows[entry] = after`,
where `after` is what the entry holds after the charge of this report, holds charges only. One that
is begun before the loop over the batch may take the place of the ledger: an entry has paid once its
charge is in there, and it is enough that the ledger takes over all of it in the end. One that is
begun in the round of a report keeps the charges of that report: the report is *ready* when each of
its entries is there or has paid, and it has paid once `charged.update(rows)`, or
`ledger.update(rows)`, took them over. An entry that is found in such a dictionary has paid, or is
ready, because only charges get there. So a report that cannot pay in full can be left out before
anything of it is charged.

What is kept so is the charge of an entry in this query, from what the ledger held before it or
more. So an entry holds in the end at least what it held before the query and what the query asks
for, whichever of its charges is stored last: all that `proofs/_settled.py` needs.

A dictionary that is begun anew is another one: whatever was known of the one before is forgotten.
It can be used in no other way, so that nothing is taken out of it, and nobody else changes it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from proofs._labels import (
    NONE,
    PUBLIC,
    Call,
    Change,
    Label,
    NotFollowed,
    Pack,
    Public,
    Rounds,
    is_public,
    unchanged,
)
from proofs._served import LEDGER, REPORT
from proofs._settled import (
    BATCH_THAT_PAID,
    CHARGING,
    ENTRY,
    ENTRY_PAID,
    GONE_THROUGH,
    IDENTIFIER,
    IN_A_LIST,
    LEFT_BEHIND,
    LISTED,
    LOOK_UP,
    ONCE,
    OWING,
    PAID,
    PAID_TAKEN,
    ROUNDS_OF_A_REPORT,
    STORE,
    TAKEN,
    THIS,
    WITH_CHARGES,
    AroundSettle,
    Under,
    is_charge,
    paid_by,
)


@dataclass(frozen=True, slots=True)
class Rows(Label):
    """Label a dictionary of charges; `place` says where it is begun, `inner` whether in a round."""

    place: int
    inner: bool


@dataclass(frozen=True, slots=True)
class OfRows(Label):
    """Label a method of a dictionary of charges, or of the ledger as a whole."""

    name: str
    owner: Label


@dataclass(frozen=True, slots=True)
class Ready(Label):
    """Label the report of this round, each of whose entries is in some rows or has paid."""

    rows: Rows
    taken: bool = False


@dataclass(frozen=True, slots=True)
class OwingRows(Label):
    """Label reports in a list, which have paid but that of this round, which is ready."""

    rows: Rows


@dataclass(frozen=True, slots=True)
class EntryReady(Public):
    """Label the entry of this round, which is in some rows or has paid."""

    rows: Rows


@dataclass(frozen=True, slots=True)
class IsIn(Public):
    """Label whether the entry of this round, or this report's, is in some rows, or is not."""

    rows: Rows
    entry: Label
    inside: bool


class AroundRows(AroundSettle):
    """Let a rule keep charges in dictionaries before they are stored in the ledger."""

    def __init__(self) -> None:
        super().__init__()
        self.stores: set[Label] = set()

    def stores_in(self, where: Label) -> None:
        """Refuse charges in the ledger beside charges that are kept elsewhere."""
        self.stores.add(where)
        if len(self.stores) > 1:
            raise NotFollowed("charges that are kept in two places")

    def made_dictionary(self, place: int, loops: int) -> tuple[Label, Change | None] | None:
        """Begin a dictionary of charges, before the loop over the batch or in one of its rounds."""
        if loops > 1:
            return None
        rows = Rows("a dictionary of charges", place, loops == 1)
        return rows, _forgotten(rows)

    def stored(self, into: Label, key: Label, value: Label) -> Change | None:
        """Keep the charge of an entry."""
        if not isinstance(into, Rows) or not is_charge(key, value):
            return None
        self.keeps(key)
        if into.inner:
            return _ready(into, key)
        self.stores_in(into)
        return _kept(paid_by(key))

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open the methods by which charges are found and taken over."""
        if isinstance(label, Rows) and name in ("get", "update"):
            return OfRows(f".{name}", name, label)
        if label in (LEDGER, CHARGING) and name == "update":
            return OfRows(".update", name, label)
        if isinstance(label, Ready):
            return PUBLIC if name == "report_id" else None
        return super().attribute(label, name)

    def contained(self, member: Label, into: Label, inside: bool) -> Label | None:
        """Say whether an entry is among charges."""
        if not isinstance(into, Rows) or not is_public(member):
            return None
        return IsIn("whether it is charged", into, member, inside) if member == ENTRY else PUBLIC

    def found_true(self, label: Label, true: bool) -> Change | None:
        """Note that an entry is among charges."""
        if not isinstance(label, IsIn) or label.inside is not true:
            return None
        found: Label = EntryReady("an entry that is ready", label.rows)
        if not label.rows.inner:
            self.keeps(ENTRY)
            self.stores_in(label.rows)
            found = ENTRY_PAID
        return lambda each: found if each == ENTRY else each

    def inner(self, call: Call) -> Label | None:
        """Take over charges."""
        target, given = call.target, call.positional
        if not isinstance(target, OfRows) or target.name != "update" or call.keywords:
            return self._in_the_ledger(call)
        rows = given[0] if len(given) == 1 else NONE
        if not isinstance(rows, Rows):
            return None
        if isinstance(target.owner, Rows):
            if target.owner.inner or not rows.inner:
                return None
            self.stores_in(target.owner)
            self.after = _kept(_taken_over(rows))
            return NONE
        if not rows.inner:
            self.stores_in(rows)
            self.after = unchanged
            return WITH_CHARGES
        if target.owner != CHARGING:
            return None
        self.stores_in(CHARGING)
        self.after = _left_behind(_taken_over(rows))
        return CHARGING

    def _in_the_ledger(self, call: Call) -> Label | None:
        found = super().inner(call)
        if found == CHARGING:
            self.stores_in(CHARGING)
            self.after = _left_behind(self.after)
        return found

    def call(self, call: Call) -> Label | None:
        """Look up the charge of an entry, or else what the ledger holds."""
        target, given = call.target, call.positional
        if isinstance(target, OfRows) and target.name == "get" and not call.keywords:
            held = given[1] if len(given) == 2 and given[0] in (ENTRY, IDENTIFIER) else NONE
            known = type(held) is Under and held.entry == given[0]
            return Under("held", given[0], Pack("found", (target, held))) if known else None
        return super().call(call)

    def next_round(self, rounds: Rounds) -> tuple[Label, Change]:
        """Forget what was ready in the round before."""
        member, change = super().next_round(rounds)
        entries = member == ENTRY

        def forget(label: Label) -> Label:
            if isinstance(label, EntryReady | IsIn):
                return PUBLIC
            if isinstance(label, Ready | OwingRows) and not entries:
                return REPORT if isinstance(label, Ready) else ONCE
            return change(label)

        return member, forget

    def taken_out(self, label: Label) -> Label:
        """Forget of a member what is known in one round."""
        if isinstance(label, EntryReady | IsIn):
            return PUBLIC
        if isinstance(label, Rows | OfRows):
            return Label("a dictionary of charges in something else")
        return REPORT if isinstance(label, Ready | OwingRows) else super().taken_out(label)

    def put_in(self, label: Label) -> tuple[Label, Change | None]:
        """List a report that is ready, once."""
        if not isinstance(label, Ready) or label.taken:
            return super().put_in(label)
        taken = replace(label, taken=True)
        return _owing(label.rows), lambda each: taken if each == label else each

    def ended(self, rounds: Rounds) -> Change | None:
        """Note that a report is ready if every round was."""
        if rounds.what == ROUNDS_OF_A_REPORT and isinstance(rounds.member, EntryReady):
            ready = _is_ready(rounds.member.rows)
            return lambda each: ready.get(each, each)
        return super().ended(rounds)

    def joined(self, first: Label, second: Label) -> Label | None:
        """Forget that an entry, or a report, has paid where it is only ready on another way."""
        for one, other in ((first, second), (second, first)):
            if isinstance(one, EntryReady) and other == ENTRY_PAID:
                return one
            if isinstance(one, Ready) and other in (PAID, PAID_TAKEN):
                return replace(one, taken=one.taken or other == PAID_TAKEN)
            if isinstance(one, OwingRows) and other in IN_A_LIST:
                return one if other == LISTED else ONCE
        return super().joined(first, second)


def _entry_ready(rows: Rows) -> Label:
    return EntryReady("an entry that is ready", rows)


def _owing(rows: Rows) -> Label:
    return OwingRows("a report in a list, that of this round is ready", rows)


def _is_ready(rows: Rows) -> dict[Label, Label]:
    """Return what becomes of labels when the report of this round is ready."""
    ready = Ready("a report that is ready", rows)
    return {THIS: ready, TAKEN: replace(ready, taken=True), OWING: _owing(rows)}


def _ready(rows: Rows, key: Label) -> Change:
    """Return what becomes of labels when the charge of an entry is kept in rows."""
    ready: dict[Label, Label] = {ENTRY: _entry_ready(rows)}
    if key == IDENTIFIER:
        ready = {**_is_ready(rows), IDENTIFIER: PUBLIC}
    return lambda each: PUBLIC if isinstance(each, Under) else ready.get(each, each)


def _taken_over(rows: Rows) -> Change:
    """Return what becomes of labels when charges that are kept in rows are paid."""
    ready = Ready("a report that is ready", rows)
    known: dict[Label, Label] = {
        ready: PAID,
        replace(ready, taken=True): PAID_TAKEN,
        _owing(rows): LISTED,
        _entry_ready(rows): ENTRY_PAID,
    }
    return lambda each: PUBLIC if isinstance(each, Under) else known.get(each, each)


def _kept(change: Change) -> Change:
    """Note that a ledger that took over charges before does not hold these."""
    return lambda each: LEFT_BEHIND if each == WITH_CHARGES else change(each)


def _left_behind(change: Change) -> Change:
    """Note that there is a ledger with more charges."""

    def after(label: Label) -> Label:
        if label == CHARGING or (isinstance(label, OfRows) and label.owner == CHARGING):
            return LEFT_BEHIND if label == CHARGING else PUBLIC
        return PUBLIC if label in (LOOK_UP, STORE) else change(label)

    return after


def _forgotten(rows: Rows) -> Change:
    """Return what becomes of labels when a dictionary is begun where another one was before.

    A report that is ready may have paid into one that was begun before the loop over the batch.
    """

    def after(label: Label) -> Label:
        if label == rows or (isinstance(label, OfRows) and label.owner == rows):
            return PUBLIC
        if isinstance(label, IsIn | EntryReady | Ready | OwingRows):
            if rows.inner and label.rows != rows:
                return label
            lists = ONCE if isinstance(label, OwingRows) else REPORT
            return PUBLIC if isinstance(label, IsIn | EntryReady) else lists
        if isinstance(label, Under):
            return PUBLIC
        return label if rows.inner else NOTHING_PAID.get(label, label)

    return after


NOTHING_PAID: dict[Label, Label] = {
    **dict.fromkeys((PAID, PAID_TAKEN), REPORT),
    **dict.fromkeys((OWING, LISTED), ONCE),
    ENTRY_PAID: PUBLIC,
    BATCH_THAT_PAID: GONE_THROUGH,
    WITH_CHARGES: LEFT_BEHIND,
}
"""What is left of what was paid into a dictionary that is begun anew."""
