r"""What a proposal may make of `settle`: the paper's for the whole batch, or a loop of its own.

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

Labels speak of one round of a loop. The next round begins with other values, so that whatever is
kept from the round before loses its label.
"""

from __future__ import annotations

from dataclasses import dataclass

from proofs._labels import (
    NO_MEMBER,
    NONE,
    PUBLIC,
    Call,
    Change,
    Label,
    NotFollowed,
    Pack,
    Public,
    Rounds,
    Several,
    is_public,
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

THIS = Label("the report of this round")
PAID = Label("a report that has paid")
LISTED = Label("a report that has paid and is listed")
GONE_THROUGH = Several("the batch, which is gone through", REPORT)
BATCH_THAT_PAID = Several("the batch, which has paid", LISTED)

ONE_ENTRY = Public("one of the entries of this report")
ENTRIES = Several("the entries of this report", ONE_ENTRY)
ENTRY = Public("the entry of this round")
ENTRY_PAID = Public("the entry of this round, which has paid")
IDENTIFIER = Public("the identifier of this report")

CHARGING = Public("the ledger with the charges so far")
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


OF_THIS_ENTRY = (ENTRY, ENTRY_PAID)
OF_THIS_REPORT = (*OF_THIS_ENTRY, ENTRIES, ONE_ENTRY, IDENTIFIER)


def next_entry(label: Label) -> Label:
    """Forget what was known of the entry before."""
    return PUBLIC if label in OF_THIS_ENTRY or isinstance(label, Under) else label


def next_report(label: Label) -> Label:
    """Forget what was known of the report before, but that it has paid."""
    if label == THIS:
        return REPORT
    return PUBLIC if label in OF_THIS_REPORT or isinstance(label, Under) else label


class AroundSettle(AtTheService):
    """Let a rule ask the paper's `settle` for the whole batch, or charge report by report."""

    def __init__(self) -> None:
        self.accounts: set[Label] = set()
        self.paid: dict[Label, Label] = {}

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open what is public of a report, and of the ledger what is charged."""
        if label == THIS and name == "report_id":
            return IDENTIFIER
        if label in (PAID, LISTED) and name == "report_id":
            return PUBLIC
        if label == CHARGING and name in ("get", "set"):
            return LOOK_UP if name == "get" else STORE
        return super().attribute(label, name)

    def inner(self, call: Call) -> Label | None:
        """Answer with the ledger: that of the paper and who can pay, or that after one charge."""
        if call.keywords:
            return None
        if call.target is PAPER.settle and call.positional[:1] == (AT,):
            if call.positional[1:] not in ((BATCH,), (GONE_THROUGH,), (BATCH_THAT_PAID,)):
                return None
            self._keeps(ENTRY)
            self.paid = {}
            return SETTLED
        if call.target != STORE or len(call.positional) != 2:
            return None
        entry, after = call.positional
        if entry not in (ENTRY, IDENTIFIER) or type(after) is not After or after.entry != entry:
            return None
        self._keeps(entry)
        self.paid = {ENTRY: ENTRY_PAID} if entry == ENTRY else {THIS: PAID, IDENTIFIER: PUBLIC}
        return CHARGING

    def _keeps(self, entry: Label) -> None:
        self.accounts.add(entry)
        if len(self.accounts) > 1:
            raise NotFollowed("accounts by entry and by identifier")

    def after_inner(self, label: Label) -> Label:
        """Note which ledger holds all charges, and that an entry has paid."""
        if not self.paid:
            return label
        if label in (CHARGING, LOOK_UP, STORE):
            return LEFT_BEHIND if label == CHARGING else PUBLIC
        return PUBLIC if isinstance(label, Under) else self.paid.get(label, label)

    def call(self, call: Call) -> Label | None:
        """Look up what an entry holds, and ask the rules for entries and charges."""
        given, public = call.positional, all(map(is_public, call.positional))
        if call.keywords:
            return super().call(call)
        if call.target in (LOOK_UP, LEDGER_LOOK_UP):
            known = len(given) == 2 and given[0] in (ENTRY, IDENTIFIER) and given[1] == NOTHING
            found = CHARGING if call.target == LOOK_UP else LEDGER
            return Under("held", given[0], found) if known else self._looked_up(given)
        if call.target == STORE:
            return PUBLIC if public else None
        if isinstance(call.target, RuleOf) and given[:1] and self._asked(given[0]):
            if call.target.name == "budget_entries" and given[1:] == (THIS,):
                return ENTRIES
            held = given[1] if call.target.name == "charge" and len(given) == 3 else PUBLIC
            if type(held) is Under and given[2] == THIS:
                return AfterOrNone("after or None", held.entry, held.found)
        return super().call(call)

    def is_held(self, label: Label) -> bool:
        """Know what the ledger holds under entries of this report as well."""
        return type(label) is Under or super().is_held(label)

    def _asked(self, label: Label) -> bool:
        return isinstance(label, At) and label.asked

    def found_none(self, label: Label, none: bool) -> Change | None:
        """Note that an entry can pay: a label is that of one charge."""
        if not isinstance(label, AfterOrNone):
            return None
        known = NONE if none else After("after", label.entry, label.found)
        return lambda each: known if each == label else each

    def put_in(self, label: Label) -> tuple[Label, Change | None]:
        """List a report that has paid, once."""
        if label != PAID:
            return label, None
        return LISTED, lambda each: REPORT if each == PAID else each

    def taken_out(self, label: Label) -> Label:
        """Forget of a member what is known in one round."""
        if label in (PAID, LISTED):
            return REPORT
        return PUBLIC if label in (CHARGING, LOOK_UP, STORE) else next_report(label)

    def gone_through(self, label: Label) -> tuple[Rounds, Change | None] | None:
        """Begin to go through the batch, with the ledger as it is, or through entries."""
        if label == BATCH:
            begun = {BATCH: GONE_THROUGH, LEDGER: CHARGING}
            return Rounds("the rounds", PAID), lambda each: begun.get(each, each)
        if label == ENTRIES:
            return Rounds("the rounds of a report", ENTRY_PAID), None
        return None

    def next_round(self, rounds: Rounds) -> tuple[Label, Change]:
        """Take the next report, or the next entry of a report."""
        return (THIS, next_report) if rounds.what == "the rounds" else (ENTRY, next_entry)

    def ended(self, rounds: Rounds) -> Change | None:
        """Note that the batch, or a report, has paid if every round has."""
        if rounds == Rounds("the rounds", PAID):
            return lambda each: BATCH_THAT_PAID if each == GONE_THROUGH else each
        if rounds == Rounds("the rounds of a report", ENTRY_PAID):
            return lambda each: PAID if each == THIS else each
        return None

    def members(self, label: Label) -> Pack | None:
        """Open what the batch was settled to."""
        return Pack("settled", (CHARGED, ACCEPTED)) if label == SETTLED else None

    def may_be_none(self, label: Label) -> bool:
        """Let a rule see that a batch was refused."""
        return label == ACCEPTED or is_public(label)


def settled_as(ledger: Label, reports: Label) -> Pack:
    """Return the label of what a batch is settled to."""
    return Pack("settled", (ledger, reports))


REFUSED = tuple(settled_as(each, NONE) for each in (LEDGER, CHARGED, CHARGING, LEFT_BEHIND))
WAYS = (
    SETTLED,
    *REFUSED,
    settled_as(CHARGED, ACCEPTED),
    settled_as(CHARGING, Several("who has paid", LISTED)),
)
"""What a batch may be settled to."""


def are_listed(label: Label) -> bool:
    """Tell whether reports have paid and are listed once, if there are any."""
    if isinstance(label, Pack):
        return not label.members
    return isinstance(label, Several) and label.member in (LISTED, NO_MEMBER)
