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
from types import CodeType
from typing import cast

from proofs._chosen import collected, image_of, is_lazy, pairs_of
from proofs._followed import _known
from proofs._labels import (
    DRAW,
    FALSE,
    LIMITS,
    PUBLIC,
    TRUE,
    Call,
    Change,
    Inside,
    Known,
    Label,
    Method,
    Pack,
    Policy,
    Public,
    Several,
    is_public,
)
from proofs._rewritten import is_same_code
from spec import PAPER
from spec.contributions import Budget, Credit
from spec.distributions import Distribution
from spec.reports import Report, Sent

SEEN = Public("what the rule sees")
CLIENT = Public("the client")
SOURCE = Public("a source")
UNIT = Public("the unit of a source")
CREDITED = Public("a credit of a known unit")
CREDITS = Several("the credits", CREDITED)
DECIDED = Pack("decided", (CLIENT, CREDITS))


@dataclass(frozen=True, slots=True)
class RuleThere(Public):
    """Label a rule that is taken from the rules."""


class Deciding(Policy):
    """Let a rule look at everything, and note whose credits it makes."""

    def attribute(self, label: Label, name: str) -> Label | None:
        """Follow the client, its sources and their units."""
        if label == SEEN and name == "client":
            return CLIENT
        if label == SEEN and name == "rules":
            return RuleThere("the rules")
        if isinstance(label, RuleThere):
            return PUBLIC if name == "limits" else RuleThere(f"the rule {name}")
        if label == CLIENT and name == "sources":
            return Several("the sources", SOURCE)
        return UNIT if (label, name) in ((SOURCE, "source_id"), (CREDITED, "unit")) else None

    def call(self, call: Call) -> Label | None:
        """Make credits of known units; other rules may be asked anything."""
        keywords, given = call.keywords, call.positional
        if call.target is Credit and not given and keywords.get("unit") == UNIT:
            return CREDITED if all(map(is_public, keywords.values())) else None
        if call.target is dataclasses.replace and len(given) == 1:
            public = all(map(is_public, keywords.values()))
            if given[0] == CREDITED and set(keywords) == {"contributions"} and public:
                return CREDITED
            if given[0] == CLIENT and public and not {"sources", "budgets"} & set(keywords):
                return CLIENT
        if isinstance(call.target, RuleThere):
            return PUBLIC if all(map(is_public, (*given, *keywords.values()))) else None
        return None

    def inner(self, call: Call) -> Label | None:
        """Let the paper decide."""
        asked = call.target in (PAPER.attribute, PAPER.propose) and not call.keywords
        return DECIDED if asked and call.positional == (SEEN, DRAW) else None


class Proposing(Deciding):
    """Let a rule take or leave the credits of an event, and change what they contribute."""

    def call(self, call: Call) -> Label | None:
        """Make no credits but the paper's."""
        return None if call.target is Credit else super().call(call)


ADMITTING = Label("what the rule sees")
KEEPER = Label("the client")
BUDGETS = Label("the budgets of all units")
LOOK_UP = Label("the budget of another unit")
RULES = Label("the rules")
CREDIT = Label("a credit")
GRANTED = Label("what is granted")


class Admitting(Policy):
    """Let a rule change each credit by itself before the paper's `contribute` grants it.

    Without a unit there are fewer credits, so that nobody may know how many there are.
    """

    kept_apart: Label | None = CREDIT
    changes_nothing = True
    answers_always = True

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open a credit, and of the client the budgets."""
        if label == ADMITTING:
            return {"client": KEEPER, "rules": RULES, "limits": LIMITS}.get(name, PUBLIC)
        if label == CREDIT:
            return {"unit": UNIT, "contributions": PUBLIC}.get(name)
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
            return UNIT if name == "unit" else PUBLIC
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

    changes_nothing = True
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
LEAVING = Label("the report that is sent")
IDENTIFIER = Public("the identifier of the report")
CONTENTS = Label("the contents of the report")
PARTS_IN_TURN = Label("what was granted, part by part")
GONE_THROUGH = Label("a generator that was gone through")
PARTS = next(each for each in PAPER.send.__code__.co_consts if isinstance(each, CodeType))
"""The code by which the paper puts together what was granted."""


SENT_IN_TURN = Several("what is sent, which comes once or not at all", SENT)
SENT_ONCE = Several("what is sent, once or not at all", SENT)
OUTCOME = Label("what leaves in one case")
OUTCOMES = Several("what leaves in each case", OUTCOME)
CASES = Label("what leaves in each case, with its probability")
LAW = Label("a law of what is sent")
PUBLIC_LAW = Label("a law of public values")
IMAGE = Label("the law of a function of what is drawn")


class Sending(Policy):
    """Let a rule write what is public on the paper's report, delay it, or not send it.

    It may put the report together by itself, by the same code. It may do all that at random: in
    each case of a law the paper's report leaves once or not at all. Whatever the cases write on it
    is public, and its contents are the same in all, so that it is public which cases are equal.
    Their probabilities are public as well.
    """

    def is_handed_on(self, label: Label) -> bool:
        """Hand on what was granted, to the code that puts it together."""
        return label == ALL_GRANTED

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open what is public, and what is sent."""
        if label == SENDING:
            return {"client": KEEPER, "rules": RULES, "cause": CAUSE}.get(name, PUBLIC)
        if name == "map" and (label == PUBLIC_LAW or _is_law(label)):
            return IMAGE
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
            return Pack("sent", (SENT,)) if given == (SENDING, ALL_GRANTED) else None
        if not keywords and len(given) == 1 and (known := self._of_one(made, given[0])):
            return known
        if made is dataclasses.replace and given in ((SENT,), (LEAVING,)):
            whole = keywords.pop("report", LEAVING) == LEAVING if given == (SENT,) else True
            own = {"report_id", "contributions"} & set(keywords)
            public = all(map(is_public, keywords.values()))
            return given[0] if whole and public and not own else None
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

    def _of_one(self, target: object, given: Label) -> Label | None:
        """Go through what is sent, or through public cases, or make a law of cases."""
        if isinstance(target, Inside):
            return self._gone_through(target, given)
        if target in (tuple, list) and given in (SENT_IN_TURN, SENT_ONCE):
            return SENT_ONCE
        if target == IMAGE:
            ways = image_of(given, PUBLIC, self)
            return LAW if ways and all(map(is_outcome, ways)) else None
        if not isinstance(target, Method) or target.owner != Known("", Distribution):
            return None
        cases = {
            "uniform": _is_some_cases(given),
            "of": given == CASES,
            "certain": is_outcome(given),
        }
        if cases.get(target.name, False):
            return LAW
        return PUBLIC_LAW if target.name in cases and is_public(given) else None

    def _gone_through(self, inside: Inside, given: Label) -> Label | None:
        if isinstance(given, Pack) and given.members == (SENT,):
            if collected(inside, SENT, self) != SENT:
                return None
            return SENT_IN_TURN if is_lazy(inside) else SENT_ONCE
        if given == ALL_GRANTED:
            return PARTS_IN_TURN if is_same_code(inside.code, PARTS) else None
        pair = pairs_of(inside, given, self) if is_public(given) else None
        if pair is None or not is_outcome(pair.members[0]) or not is_public(pair.members[1]):
            return None
        return CASES

    def inner(self, call: Call) -> Label | None:
        """Put together what was granted, as the paper does."""
        together = call.target is tuple and not call.keywords
        return CONTENTS if together and call.positional == (PARTS_IN_TURN,) else None

    def after_inner(self, label: Label) -> Label:
        """Note that a generator was gone through, and has nothing left."""
        return GONE_THROUGH if label == PARTS_IN_TURN else label

    def built(self, operation: str, parts: tuple[Label, ...]) -> Label | None:
        """Write down the cases of a law."""
        if operation == "BUILD_LIST":
            return OUTCOMES if parts and all(map(is_outcome, parts)) else None
        public = all(map(is_public, parts[1::2]))
        return CASES if parts and public and all(map(is_outcome, parts[::2])) else None


def _is_law(label: Label) -> bool:
    """Tell whether something is a law of public values that is known when the rule is loaded."""
    return isinstance(label, Known) and type(label.value) is Distribution


def is_outcome(label: Label) -> bool:
    """Tell whether the paper's report leaves at most once, or nothing does."""
    return label == SENT_ONCE or (isinstance(label, Pack) and label.members in ((SENT,), ()))


def _is_some_cases(label: Label) -> bool:
    """Tell whether something is a public number of cases."""
    if isinstance(label, Pack):
        return bool(label.members) and all(map(is_outcome, label.members))
    return label == OUTCOMES or (isinstance(label, Several) and is_outcome(label.member))


SENT_OR_NOT = (Pack("sent", (SENT,)), Several("sent", SENT), Pack("()", ()), LAW)
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
