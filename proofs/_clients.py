r"""What a proposal may put around the rules of the clients that decide and admit.

To *decide* is done once, on the database, for the world with a unit and for the world without it.
So `attribute` and `propose` may look at everything on the device and decide in any way, as long as
it is known whose credits they are: those of registered sources as they are, or those that the
paper's `propose` gives to the unit of the event.

To *admit* is done in each world on its own budgets. A rule that raises would tell of them, so that
nothing may be done there that could: no division by what may be zero, no place that may not be
there, no function that refuses what it is given. Whatever a proposal makes of a credit before
the paper's `contribute` grants it may depend on this credit, on its own unit's budget and on what
is public, so that no unit learns of another. A loop over credits must handle each by itself: what
one round sets is forgotten in the next, and none ends the loop.

Where nothing but the paper decides, there is one credit at a time, and a rule may leave it out as a
whole. A rule that admits single contributions may refuse more than the paper, by what it knows of
the unit, and note more in the unit's budget. What leaves is decided by what is public: the paper's
report may be delayed, or not be sent, or carry more that is public.

Which event-level sources a trigger may be credited to, and which of them are, is decided once, on
the truthful account. The response that a source has drawn is no part of that: which other source
takes a trigger would tell whether the source answers truthfully. Nor is it, or any other part of an
account, a part of what becomes of the reports once the windows have passed, or of how they are
shown. To count a trigger is done in each world, as in the paper, for all sources that are credited.
What else is noted of it serves to decide only.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from itertools import product
from typing import cast

from proofs._followed import _known
from proofs._labels import (
    A_PART,
    DRAW,
    FALSE,
    LIMITS,
    NO_MEMBER,
    PUBLIC,
    TRUE,
    Call,
    Change,
    Known,
    Label,
    Method,
    Pack,
    Policy,
    Public,
    Several,
    is_lasting,
    is_public,
)
from spec import PAPER
from spec.contributions import Budget, Credit
from spec.distributions import Distribution
from spec.reports import Report, Sent

SEEN = Public("what the rule sees")
SEEN_CHANGED = Public("what the rule sees, at another time or of another trigger")
SEEN_IN_PART = Public("what the rule sees, with some of the sources")
CLIENT = Public("the client")
CLIENT_IN_PART = Public("the client with some of its sources")
SOURCE = Public("a source")
UNIT = Public("the unit of a source")
CREDITED = Public("a credit of a known unit")
CREDITS = Several("the credits", CREDITED)
DECIDED = Pack("decided", (CLIENT, CREDITS))


@dataclass(frozen=True, slots=True)
class RuleThere(Public):
    """Label a rule that is taken from the rules."""


RULES_THERE = RuleThere("the rules")
ATTEMPT_ORDER = RuleThere("the rule attempt_order")


class Deciding(Policy):
    """Let a rule look at everything, and note whose credits it makes.

    What the rule `attempt_order` puts in order are the sources that it is given, if it is the
    paper's.
    """

    changes_nothing = False

    def __init__(self, orders_sources: bool = False) -> None:
        self.orders_sources = orders_sources

    def attribute(self, label: Label, name: str) -> Label | None:
        """Follow the client, its sources and their units."""
        if label == SEEN and name == "client":
            return CLIENT
        if label == SEEN and name == "rules":
            return RULES_THERE
        if label == RULES_THERE:
            return PUBLIC if name == "limits" else RuleThere(f"the rule {name}")
        if label == CLIENT and name == "sources":
            return Several("the sources", SOURCE)
        return UNIT if (label, name) in ((SOURCE, "source_id"), (CREDITED, "unit")) else None

    def call(self, call: Call) -> Label | None:
        """Make credits of known units; other rules may be asked anything."""
        keywords, given = call.keywords, call.positional
        kept = all(map(is_lasting, keywords.values()))
        if call.target is Credit and not given and keywords.get("unit") == UNIT:
            return CREDITED if kept and all(map(is_public, keywords.values())) else None
        if call.target is dataclasses.replace and len(given) == 1:
            public = kept and all(map(is_public, keywords.values()))
            if given[0] == CREDITED and set(keywords) == {"contributions"} and public:
                return CREDITED
            if given[0] == CLIENT and public and not {"sources", "budgets"} & set(keywords):
                return CLIENT
            if given[0] == CLIENT and set(keywords) == {"sources"}:
                return CLIENT_IN_PART if _are_sources(keywords["sources"]) else None
            if given[0] == SEEN and public and "rules" not in keywords:
                whole = keywords.get("client", CLIENT) == CLIENT
                part = keywords.get("client") == CLIENT_IN_PART
                return SEEN_CHANGED if whole else SEEN_IN_PART if part else None
        ordered = self.orders_sources and call.target == ATTEMPT_ORDER and len(given) == 2
        if ordered and not keywords and given[0] == SEEN and _are_sources(given[1]):
            return given[1]
        if call.target == DRAW and len(given) == 1 and not keywords and _are_sources(given[0]):
            return given[0]
        if isinstance(call.target, RuleThere):
            return PUBLIC if all(map(is_public, (*given, *keywords.values()))) else None
        return None

    def inner(self, call: Call) -> Label | None:
        """Let the paper decide, for all of the sources or for some."""
        if call.keywords or call.positional[1:] != (DRAW,):
            return None
        seen = call.positional[0]
        if seen == SEEN and call.target in (PAPER.attribute, PAPER.propose):
            return DECIDED
        # Whose an event is depends on its time; a trigger is credited to sources at any time.
        if call.target is not PAPER.attribute:
            return None
        in_part = Pack("decided", (PUBLIC, CREDITS))
        return DECIDED if seen == SEEN_CHANGED else in_part if seen == SEEN_IN_PART else None


def _are_sources(label: Label) -> bool:
    """Tell whether a value is a sequence of registered sources, as they are."""
    members = label.members if isinstance(label, Pack) else ()
    members = (label.member,) if isinstance(label, Several) else members
    return bool(members) and all(each in (SOURCE, NO_MEMBER) for each in members)


class Proposing(Deciding):
    """Let a rule credit the unit of an event, with whatever its program or the rule contributes."""

    def attribute(self, label: Label, name: str) -> Label | None:
        """Take no source of a client's own for a unit: there are none."""
        return PUBLIC if (label, name) == (CLIENT, "sources") else super().attribute(label, name)

    def call(self, call: Call) -> Label | None:
        """Know the unit of the event as what the rules, or the paper, say it is."""
        rule = call.target == RuleThere("the rule budget_unit")
        if rule or call.target is PAPER.budget_unit:
            return UNIT if call.positional == (SEEN,) and not call.keywords else None
        return super().call(call)


ADMITTING = Label("what the rule sees")
KEEPER = Label("the client")
BUDGETS = Label("the budgets of all units")
LOOK_UP = Label("the budget of another unit")
RULES = Label("the rules")
CREDIT = Label("a credit")
PARTS = Several("the contributions of a credit", A_PART)
GRANTED = Label("what is granted")


class Admitting(Policy):
    """Let a rule change each credit by itself before the paper's `contribute` grants it.

    Without a unit there are fewer credits, so that nobody may know how many there are.
    """

    kept_apart: Label | None = CREDIT
    answers_always = True

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open a credit, and of the client the budgets."""
        if label == ADMITTING:
            return {"client": KEEPER, "rules": RULES, "limits": LIMITS}.get(name, PUBLIC)
        if label == CREDIT:
            return {"unit": UNIT, "contributions": PARTS}.get(name)
        if label == RULES and name == "limits":
            return LIMITS
        if label == KEEPER and name == "budgets":
            return BUDGETS
        return LOOK_UP if label == BUDGETS and name == "get" else None

    def call(self, call: Call) -> Label | None:
        """Look up the unit's own budget; copy a credit with other contributions."""
        given = call.positional
        if call.target == LOOK_UP and not call.keywords and given[:1] == (UNIT,):
            return PUBLIC if all(map(is_public, given)) else None
        if call.target is dataclasses.replace and given == (CREDIT,):
            public = is_public(call.keywords.get("contributions", CREDIT))
            return CREDIT if public and set(call.keywords) == {"contributions"} else None
        return None

    def inner(self, call: Call) -> Label | None:
        """Let the paper grant."""
        if call.target is not PAPER.contribute or call.keywords or len(call.positional) != 2:
            return None
        at, credits = call.positional
        several = isinstance(credits, Several) and credits.member == CREDIT
        return GRANTED if at == ADMITTING and several else None


DONE = Label("what the rule sees, once it has granted")
ONE_CREDIT = Public("the credit")
CONTRIBUTED = Label("the budgets, and what is granted of one credit")
BUDGETS_AFTER = Label("the budgets after the grant")
PARTS_GRANTED = Public("what is granted of one credit")


class AdmittingOne(Admitting):
    """Let a rule grant the only credit that there is as the paper does, or not at all.

    With one credit there is one unit, so that whatever the rule makes of it tells of no other.
    Without the unit there is no credit, and nothing that could be granted.
    """

    kept_apart = None

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open the credit."""
        if label == ONE_CREDIT:
            return {"unit": UNIT, "contributions": PARTS}.get(name, PUBLIC)
        return super().attribute(ADMITTING if label == DONE else label, name)

    def call(self, call: Call) -> Label | None:
        """Look up the unit's own budget; copy the credit with other contributions."""
        if call.target is dataclasses.replace and call.positional == (ONE_CREDIT,):
            public = is_public(call.keywords.get("contributions", CREDIT))
            return ONE_CREDIT if public and set(call.keywords) == {"contributions"} else None
        return super().call(call)

    def inner(self, call: Call) -> Label | None:
        """Let the paper grant, once."""
        if call.target is not PAPER.contribute or call.keywords or len(call.positional) != 2:
            return None
        at, credits = call.positional
        one = isinstance(credits, Several) and credits.member == ONE_CREDIT
        return CONTRIBUTED if at == ADMITTING and one else None

    def after_inner(self, label: Label) -> Label:
        """Note that the paper has granted."""
        return DONE if label == ADMITTING else label

    def members(self, label: Label) -> Pack | None:
        """Open what the paper has granted."""
        granted = Pack("granted", (BUDGETS_AFTER, PARTS_GRANTED))
        return granted if label == CONTRIBUTED else None


GRANTED_OR_NOT = (
    CONTRIBUTED,
    Pack("granted", (BUDGETS_AFTER, PARTS_GRANTED)),
    Pack("not granted", (BUDGETS, Pack("()", ()))),
)
"""What may become of a single credit."""


ONE_PART = Label("what the rule sees of one contribution")
SPENT = Public("what the unit has contributed")
PART = Public("the contribution")
ADMITTED = Label("what the paper admits")
AFTER = Public("the budget after the paper's admission")
FITS = Public("whether the paper admits the contribution")
AFTER_FITTING = Public("the budget after the paper has admitted the contribution")
AFTER_REFUSAL = Public("the budget after the paper has refused the contribution")
FITTING = Public("that the paper admits the contribution")
NOT_FITTING = Public("that the paper refuses the contribution")
COUNTED = Public("the budget in which the contribution is counted")
HOLDING = (AFTER_FITTING, COUNTED)
AFTERS, ANSWERS = (AFTER, AFTER_FITTING, AFTER_REFUSAL), (FITS, FITTING, NOT_FITTING)
COUNTS = {"value": Public("the value of that budget"), "count": Public("the number of that budget")}


class AdmittingPart(Policy):
    """Let a rule refuse more than the paper does, by whatever it knows of the unit.

    A budget may note more than the paper's. What the paper counts in it must be what was admitted.
    """

    answers_always = True

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open what is public, and the budget in which a contribution is counted."""
        if label == ONE_PART:
            return {"client": KEEPER, "rules": RULES, "limits": LIMITS}.get(name, PUBLIC)
        if label == RULES and name == "limits":
            return LIMITS
        return COUNTS.get(name) if label in HOLDING else None

    def call(self, call: Call) -> Label | None:
        """Let the paper admit; copy a budget with something noted in it."""
        keywords, given = call.keywords, call.positional
        if call.target is PAPER.admit and not keywords:
            return ADMITTED if given == (ONE_PART, UNIT, SPENT, PART) else None
        if not all(map(is_public, keywords.values())):
            return None
        counted = {name: label for name, label in keywords.items() if name in COUNTS}
        if call.target is dataclasses.replace and given[1:] == () and given[:1] and not counted:
            return SPENT if given == (SPENT,) else COUNTED if given[0] in HOLDING else None
        made = isinstance(call.target, type) and issubclass(call.target, Budget)
        made = made and _known(cast(type, call.target))
        return COUNTED if made and not given and counted == COUNTS else None

    def members(self, label: Label) -> Pack | None:
        """Open what the paper admits."""
        return Pack("admitted", (AFTER, FITS)) if label == ADMITTED else None

    def found_true(self, label: Label, true: bool) -> Change | None:
        """Note what the budget after the paper's admission is."""
        if label != FITS:
            return None
        known: dict[Label, Label] = {FITS: FITTING, AFTER: AFTER_FITTING}
        if not true:
            known = {FITS: NOT_FITTING, AFTER: AFTER_REFUSAL}
        return lambda each: known.get(each, each)

    def joined(self, first: Label, second: Label) -> Label | None:
        """Forget on which way the paper admits; the values are the same."""
        for same in (AFTERS, ANSWERS):
            if first in same and second in same:
                return same[0]
        return None


ADMITTED_OR_NOT = (
    ADMITTED,
    *(Pack("admitted", pair) for pair in product(AFTERS, ANSWERS)),
    *(Pack("admitted", pair) for pair in product(HOLDING, (TRUE, FITTING))),
    *(Pack("refused", pair) for pair in product((SPENT, AFTER_REFUSAL), (FALSE, NOT_FITTING))),
)
"""What may become of a contribution."""


SENDING = Label("what the rule sees when it sends")
CAUSE = Public("the trigger or event")
ALL_GRANTED = Label("what was granted")
SENT = Label("what is sent")
ONE_SENT = Pack("a tuple", (SENT,))
LAW = Label("the law of what is sent")
LEAVING = Label("the report that is sent")
IDENTIFIER = Public("the identifier of the report")
CONTENTS = Label("the contents of the report")


class Sending(Policy):
    """Let a rule write what is public on the paper's report, delay it, or not send it.

    It may choose among public cases at random. The contents are the same in all of them, so that
    it is public which cases are equal, and how many there are.
    """

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open what is public, and what is sent."""
        if label == SENDING:
            return {"client": KEEPER, "rules": RULES, "cause": CAUSE}.get(name, PUBLIC)
        if label == RULES and name == "limits":
            return LIMITS
        if label == SENT:
            return LEAVING if name == "report" else PUBLIC
        if label == LEAVING:
            return {"report_id": IDENTIFIER, "contributions": CONTENTS}.get(name)
        return IDENTIFIER if label == CAUSE and name == "report_id" else None

    def call(self, call: Call) -> Label | None:
        """Let the paper send; copy what is sent, and the report with the same contents."""
        keywords, given, made = dict(call.keywords), call.positional, call.target
        if made is PAPER.send and not keywords:
            return ONE_SENT if given == (SENDING, ALL_GRANTED) else None
        if made is dataclasses.replace and given in ((SENT,), (LEAVING,)):
            whole = keywords.pop("report", LEAVING) == LEAVING if given == (SENT,) else True
            own = {"report_id", "contributions"} & set(keywords)
            public = all(map(is_public, keywords.values()))
            return given[0] if whole and public and not own else None
        if isinstance(made, Method) and made.owner == Known("", Distribution) and not keywords:
            drawn = made.name == "uniform" and len(given) == 1 and isinstance(given[0], Several)
            return LAW if drawn and cast(Several, given[0]).member == ONE_SENT else None
        if not isinstance(made, type) or given:
            return None
        if made is Sent:
            whole = keywords.pop("report", PUBLIC) == LEAVING
            return SENT if whole and all(map(is_public, keywords.values())) else None
        if issubclass(made, Report):
            same = keywords.pop("report_id", PUBLIC) == IDENTIFIER
            whole = keywords.pop("contributions", PUBLIC) == CONTENTS
            public = all(map(is_public, keywords.values()))
            return LEAVING if same and whole and public and _known(made) else None
        return None


SENT_OR_NOT = (ONE_SENT, Several("sent", SENT), Pack("()", ()), LAW)
"""What may leave for a trigger or an event."""


TRIGGERED = Label("what the rule sees of a trigger")
RECORDS = Label("the client of a trigger")
RECORD = Label("a record of a source")
KEPT = Several("the records", RECORD)
MATCHES = Label("the rule event_matches")
UNITS = Public("the sources that are credited")
COUNTING = Label("what the rule sees once a trigger is counted")
RECORDS_AFTER = Label("the client after a trigger is counted")


class Matching(Policy):
    """Let a rule look at everything on the device but at drawn responses.

    What else a client keeps was put there by rules that may look at no more.
    """

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open the records of sources, and what they hold."""
        if label in (TRIGGERED, COUNTING):
            return {"client": RECORDS, "rules": RULES, "limits": LIMITS}.get(name, PUBLIC)
        if label == RULES and name == "limits":
            return LIMITS
        if label in (RECORDS, RECORDS_AFTER):
            return KEPT if name == "records" else PUBLIC
        return None if label != RECORD or name == "response" else PUBLIC

    def call(self, call: Call) -> Label | None:
        """Let the paper say what matches, and records be gone through backwards."""
        if call.target is reversed and call.positional == (KEPT,):
            return KEPT
        asked = call.target is PAPER.event_matches and not call.keywords
        return PUBLIC if asked and call.positional == (TRIGGERED, RECORD) else None


class Crediting(Matching):
    """Let a rule credit sources by everything on the device but drawn responses."""

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open the rule that says what matches, which is looked at by itself."""
        if label == RULES and name == "event_matches":
            return MATCHES
        return super().attribute(label, name)

    def call(self, call: Call) -> Label | None:
        """Let the paper credit, and the rule of the proposal say what matches."""
        given = () if call.keywords else call.positional
        credited = call.target is PAPER.event_attribute and given == (TRIGGERED,)
        matched = call.target == MATCHES and given == (TRIGGERED, RECORD)
        return PUBLIC if credited or matched else super().call(call)


class Counting(Matching):
    """Let a rule count a trigger as the paper does, once, and note more beside the records."""

    answers_always = True

    def call(self, call: Call) -> Label | None:
        """Copy the client with something noted in it."""
        if call.target is dataclasses.replace and call.positional == (RECORDS_AFTER,):
            public = all(map(is_public, call.keywords.values()))
            return RECORDS_AFTER if public and "records" not in call.keywords else None
        return super().call(call)

    def inner(self, call: Call) -> Label | None:
        """Let the paper count the trigger for all credited sources."""
        asked = call.target is PAPER.register_event_trigger and not call.keywords
        return RECORDS_AFTER if asked and call.positional == (TRIGGERED, UNITS) else None

    def after_inner(self, label: Label) -> Label:
        """Note that the trigger is counted."""
        return COUNTING if label == TRIGGERED else label


PASSING = Label("what the rule sees when windows pass")
PASSED = Label("what the rule sees when windows have passed")
SINCE = Public("the moment from which on windows pass")
SOURCES = Label("the client of event-level sources")
SOURCES_AFTER = Label("the client of event-level sources after the windows")
ACCOUNT = Label("the account of a source")


class Passing(Policy):
    """Let a rule make of the paper's reports what the ad-tech could, who knows all sources."""

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open of every source what was registered, and when."""
        if label in (PASSING, PASSED):
            return {"client": SOURCES, "rules": RULES}.get(name, PUBLIC)
        if label == RULES and name == "limits":
            return LIMITS
        if label in (SOURCES, SOURCES_AFTER) and name == "records":
            return Several("the accounts of sources", ACCOUNT)
        return PUBLIC if label == ACCOUNT and name in ("source", "registered_at") else None

    def inner(self, call: Call) -> Label | None:
        """Let the windows pass as in the paper, once."""
        asked = call.target is PAPER.pass_windows and not call.keywords
        passed = Pack("passed", (SOURCES_AFTER, PUBLIC))
        return passed if asked and call.positional == (PASSING, SINCE, DRAW) else None

    def after_inner(self, label: Label) -> Label:
        """Note that the windows have passed."""
        return PASSED if label == PASSING else label
