r"""What a proposal may make of `settle`: the paper's for some of the batch, or a loop of its own.

A loop goes through the batch once, and charges *this* report: it looks up what the ledger holds
under an entry of the report, or held before the query, asks the rules' `charge` for what it holds
after the query, and stores that under the same entry, in the ledger with the charges so far. A
report has *paid* when this was done for every entry that the rules' `budget_entries` names, or for
its identifier, if the loop keeps accounts by identifier throughout. What is answered must be
reports that have paid, each once, with the ledger that holds all charges; or nothing, with any
ledger on the way.

So, whatever is charged twice, skipped or charged in vain, an entry that was stored holds at least
what it held before the query and what the query asks for. For every report the parameters of the
answers that it took part in sum to at most what its entries hold. These stay within the caps, by
what the_ledger_never_passes_the_caps shows of `charge`. Who pays is public, because `charge` and
`budget_entries` look at no contents, by abort_does_not_depend_on_attribution. One of the entries
of a report is the same in every query, by the first of these.

The paper's `settle` may be asked for any reports of the batch, none of them twice: a comprehension
that goes through the batch once, or a list into which each report was put at most once. Which ones
these are must be public, as all that the rule branches on. What other reports were settled to
before is then forgotten, so that nobody is answered with the charges of others.

A charge that can be made from one account may be impossible from another, where the same entry has
been charged already. So what is stored must be that charge of which it is known that it is not
None.

Labels speak of one round of a loop. The next round begins with other values, so that whatever is
kept from the round before loses its label.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from proofs._chosen import collected, is_lazy
from proofs._labels import (
    NO_MEMBER,
    NONE,
    PUBLIC,
    Call,
    Change,
    Inside,
    Label,
    NotFollowed,
    Pack,
    Public,
    Rounds,
    Several,
    is_public,
    unchanged,
)
from proofs._served import (
    AT,
    BATCH,
    LEDGER,
    LEDGER_LOOK_UP,
    NOTHING,
    REPORT,
    At,
    AtTheService,
    RuleOf,
)
from spec import PAPER

CHARGED = Public("the ledger after the charge")
SETTLED = Label("what the batch was settled to")
ACCEPTED = Label("the reports that can pay")
SETTLED_BEFORE = Label("what other reports were settled to")

THIS = Label("the report of this round")
TAKEN = Label("the report of this round, which is in a list")
ONE = Label("the report of a round of a comprehension")
ONCE = Label("a report of the batch that is in a list once")
OWING = Label("a report that is in a list once, and has paid unless it is that of this round")
IN_TURN = Several("reports of the batch that come in turn, each at most once", REPORT)
CHOSEN = Several("reports of the batch, each at most once", REPORT)
PAID = Label("a report that has paid")
PAID_TAKEN = Label("a report that has paid and is in a list")
LISTED = Label("a report that has paid and is listed")
GONE_THROUGH = Several("the batch, which is gone through", REPORT)
BATCH_THAT_PAID = Several("the batch, which has paid", LISTED)

ONE_ENTRY = Public("one of the entries of this report")
ENTRIES = Several("the entries of this report", ONE_ENTRY)
ENTRY = Public("the entry of this round")
ENTRY_PAID = Public("the entry of this round, which has paid")
IDENTIFIER = Public("the identifier of this report")

ROUNDS_OF_A_REPORT = "the rounds of a report"

CHARGING = Public("the ledger with the charges so far")
WITH_CHARGES = Public("the ledger with all charges that were kept")
LEFT_BEHIND = Public("a ledger on the way")
LOOK_UP = Public("the look-up of an entry")
STORE = Public("the change of an entry")


@dataclass(frozen=True, slots=True)
class Under(Public):
    """Label what is held under an entry, or will be after the charge, and where it was found.

    The ledger with the charges so far may hold more than that from before the query, so that one
    charge may be possible and the other not.
    """

    entry: Label
    found: Label


@dataclass(frozen=True, slots=True)
class After(Under):
    """Label what an entry holds after the charge."""


@dataclass(frozen=True, slots=True)
class AfterOrNone(Under):
    """Label what an entry holds after the charge, or None if it cannot pay."""


OF_THIS_ROUND = (THIS, TAKEN)
HAS_PAID: dict[Label, Label] = {THIS: PAID, TAKEN: PAID_TAKEN, OWING: LISTED}
"""What becomes of labels when the report of this round has paid."""

IN_A_LIST = (ONCE, OWING, LISTED)
"""What is known of members of a list, none of which is in there twice, from least to most."""

OF_THIS_ENTRY = (ENTRY, ENTRY_PAID)
OF_THIS_REPORT = (*OF_THIS_ENTRY, ENTRIES, ONE_ENTRY, IDENTIFIER)


def next_entry(label: Label) -> Label:
    """Forget what was known of the entry before."""
    return PUBLIC if label in OF_THIS_ENTRY or isinstance(label, Under) else label


def next_report(label: Label) -> Label:
    """Forget what was known of the report before, but that it has paid."""
    if label in OF_THIS_ROUND:
        return REPORT
    if label == OWING:
        return ONCE
    return PUBLIC if label in OF_THIS_REPORT or isinstance(label, Under) else label


class AroundSettle(AtTheService):
    """Let a rule ask the paper's `settle` for the whole batch, or charge report by report."""

    def __init__(self) -> None:
        self.accounts: set[Label] = set()
        self.after: Change = unchanged

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open what is public of a report, and of the ledger what is charged."""
        if label in OF_THIS_ROUND and name == "report_id":
            return IDENTIFIER
        if label in OF_THIS_ROUND or label == ONE:
            return super().attribute(REPORT, name)
        if label in (PAID, PAID_TAKEN) and name == "report_id":
            return PUBLIC
        if label == CHARGING and name in ("get", "set"):
            return LOOK_UP if name == "get" else STORE
        return super().attribute(label, name)

    def inner(self, call: Call) -> Label | None:
        """Answer with the ledger: that of the paper and who can pay, or that after one charge."""
        if call.keywords:
            return None
        if call.target is PAPER.settle and call.positional[:1] == (AT,):
            if not _are_of_the_batch(call.positional[1:]):
                return None
            self.keeps(ENTRY)
            self.after = settled_before
            return SETTLED
        if call.target != STORE or len(call.positional) != 2:
            return None
        entry, after = call.positional
        if not is_charge(entry, after):
            return None
        self.keeps(entry)
        self.after = paid_by(entry)
        return CHARGING

    def keeps(self, entry: Label) -> None:
        """Refuse accounts by entry beside accounts by identifier."""
        self.accounts.add(entry)
        if len(self.accounts) > 1:
            raise NotFollowed("accounts by entry and by identifier")

    def after_inner(self, label: Label) -> Label:
        """Note which ledger holds all charges, and that an entry has paid."""
        return self.after(label)

    def call(self, call: Call) -> Label | None:
        """Look up what an entry holds, and ask the rules for entries and charges."""
        given, public = call.positional, all(map(is_public, call.positional))
        if call.keywords:
            return super().call(call)
        if isinstance(call.target, Inside):
            return self._chosen(call.target, given)
        if call.target in (tuple, list) and given in ((IN_TURN,), (CHOSEN,)):
            return CHOSEN
        if call.target in (LOOK_UP, LEDGER_LOOK_UP):
            known = len(given) == 2 and given[0] in (ENTRY, IDENTIFIER) and given[1] == NOTHING
            if known:
                return Under("held", given[0], LEDGER if call.target != LOOK_UP else CHARGING)
            return self._looked_up(given)
        if call.target == STORE:
            return PUBLIC if public else None
        if isinstance(call.target, RuleOf) and given[:1] and self._asked(given[0]):
            if call.target.name == "budget_entries" and given[1:] in ((THIS,), (TAKEN,)):
                return ENTRIES
            held = given[1] if call.target.name == "charge" and len(given) == 3 else PUBLIC
            if type(held) is Under and given[2] in OF_THIS_ROUND:
                return AfterOrNone("after or None", held.entry, held.found)
        return super().call(replace(call, positional=tuple(map(as_report, given))))

    def _chosen(self, inside: Inside, given: tuple[Label, ...]) -> Label | None:
        """Know a comprehension that chooses reports of the batch, each at most once."""
        if not _are_of_the_batch(given) or collected(inside, ONE, self) != ONE:
            return None
        return IN_TURN if is_lazy(inside) else CHOSEN

    def is_held(self, label: Label) -> bool:
        """Know what the ledger holds under entries of this report as well."""
        return type(label) is Under or super().is_held(label)

    def _asked(self, label: Label) -> bool:
        return isinstance(label, At) and label.asked

    def found_none(self, label: Label, none: bool) -> Change | None:
        """Note that an entry can pay: one label is that of one charge."""
        if not isinstance(label, AfterOrNone):
            return None
        known = NONE if none else After("after", label.entry, label.found)
        return lambda each: known if each == label else each

    def put_in(self, label: Label) -> tuple[Label, Change | None]:
        """List a report that has paid, or the report of this round, once."""
        if label == THIS:
            return OWING, lambda each: TAKEN if each == THIS else each
        if label != PAID:
            return label, None
        return LISTED, lambda each: PAID_TAKEN if each == PAID else each

    def taken_out(self, label: Label) -> Label:
        """Forget of a member what is known in one round."""
        if label in (PAID, PAID_TAKEN, *IN_A_LIST):
            return REPORT
        return PUBLIC if label in (CHARGING, LOOK_UP, STORE) else next_report(label)

    def gone_through(self, label: Label) -> tuple[Rounds, Change | None] | None:
        """Begin to go through the batch, with the ledger as it is, or through entries."""
        if label == BATCH:
            begun = {BATCH: GONE_THROUGH, LEDGER: CHARGING}
            return Rounds("the rounds", PAID), lambda each: begun.get(each, each)
        if label == ENTRIES:
            return Rounds(ROUNDS_OF_A_REPORT, ENTRY_PAID), None
        return None

    def next_round(self, rounds: Rounds) -> tuple[Label, Change]:
        """Take the next report, or the next entry of a report."""
        return (THIS, next_report) if rounds.what == "the rounds" else (ENTRY, next_entry)

    def ended(self, rounds: Rounds) -> Change | None:
        """Note that the batch, or a report, has paid if every round has."""
        if rounds in (Rounds("the rounds", PAID), Rounds("the rounds", PAID_TAKEN)):
            return lambda each: BATCH_THAT_PAID if each == GONE_THROUGH else each
        if rounds == Rounds(ROUNDS_OF_A_REPORT, ENTRY_PAID):
            return lambda each: HAS_PAID.get(each, each)
        return None

    def joined(self, first: Label, second: Label) -> Label | None:
        """Forget on which way a report was put into a list, and on which all in it have paid."""
        for weaker, stronger in ((TAKEN, THIS), (PAID_TAKEN, PAID), (OWING, LISTED)):
            if {first, second} == {weaker, stronger}:
                return weaker
        return ONCE if first in IN_A_LIST and second in IN_A_LIST else None

    def members(self, label: Label) -> Pack | None:
        """Open what the batch was settled to."""
        return Pack("settled", (CHARGED, ACCEPTED)) if label == SETTLED else None

    def may_be_none(self, label: Label) -> bool:
        """Let a rule see that a batch was refused."""
        return label == ACCEPTED or is_public(label)


def _are_of_the_batch(given: tuple[Label, ...]) -> bool:
    """Tell whether reports are some of the batch, none of them twice, and nobody can add one."""
    if given in ((BATCH,), (GONE_THROUGH,), (BATCH_THAT_PAID,), (CHOSEN,)):
        return True
    return len(given) == 1 and type(given[0]) is Several and given[0].member in IN_A_LIST


def as_report(label: Label) -> Label:
    """Return the label of any report for that of one that is known by its round."""
    return REPORT if label in OF_THIS_ROUND or label == ONE else label


def is_charge(entry: Label, after: Label) -> bool:
    """Tell whether a value is what an entry holds after a charge."""
    return entry in (ENTRY, IDENTIFIER) and type(after) is After and after.entry == entry


def settled_before(label: Label) -> Label:
    """Forget what other reports were settled to."""
    if label == CHARGED:
        return LEFT_BEHIND
    return SETTLED_BEFORE if label in (SETTLED, ACCEPTED) else label


def paid_by(entry: Label) -> Change:
    """Return what becomes of labels when the charge of an entry is stored in the ledger."""
    paid: dict[Label, Label] = {ENTRY: ENTRY_PAID}
    if entry == IDENTIFIER:
        paid = {**HAS_PAID, IDENTIFIER: PUBLIC}

    def after(label: Label) -> Label:
        if label in (CHARGING, LOOK_UP, STORE):
            return LEFT_BEHIND if label == CHARGING else PUBLIC
        return PUBLIC if isinstance(label, Under) else paid.get(label, label)

    return after


def settled_as(ledger: Label, reports: Label) -> Pack:
    """Return the label of what a batch is settled to."""
    return Pack("settled", (ledger, reports))


LEDGERS = (LEDGER, CHARGED, CHARGING, WITH_CHARGES, LEFT_BEHIND)
WAYS = (
    SETTLED,
    *(settled_as(each, NONE) for each in LEDGERS),
    settled_as(CHARGED, ACCEPTED),
    *(settled_as(each, Several("who has paid", LISTED)) for each in (CHARGING, WITH_CHARGES)),
)
"""What a batch may be settled to."""


def are_listed(label: Label) -> bool:
    """Tell whether reports have paid and are listed once, if there are any."""
    if isinstance(label, Pack):
        return not label.members
    return isinstance(label, Several) and label.member in (LISTED, NO_MEMBER)
