r"""What a proposal may make of `contribute`: a loop of its own, that admits part by part.

A round of the loop is about one credit. It looks up what the credit's unit has spent, in the
budgets with all grants so far, asks the rules' `admit` about one contribution after the other, each
time with what the last answer left, and stores in the end what the unit has spent then. What is
granted must be contributions that were admitted on this way, each once, and be granted when the
budget in which they count is stored in the same round; or the credit as it is, if the loop has
asked about every one of its contributions, and all were admitted.

So an adversary who talks to the paper's `contribute` can leave out of a credit what is not granted
in the end, and gets the same. More may be counted than is granted: the budget is then larger than
the paper's, and refuses more. Both needs an `admit` that is the paper's, or refuses more than it,
and values that are not negative, because these would give budget back. Those that the paper's rules
decide on are not. Others must be looked at by `checked_contribution`, as in the paper's loop. What
the rule makes of them must be made of what is not negative, with a key that is known to be one:
a report with anything else would raise, in the world with the unit alone.

No unit learns of another. What a round sets is forgotten in the next, and none ends the loop,
unless nothing but the paper decides, so that there is one credit at a time.
"""

from __future__ import annotations

import dataclasses
from typing import cast

from proofs._clients import ADMITTING, BUDGETS, KEEPER, RULES, UNIT
from proofs._labels import (
    LIMITS,
    MADE,
    NO_MEMBER,
    NONE,
    POSITIVE,
    PUBLIC,
    Call,
    Change,
    Label,
    Listing,
    Pack,
    Policy,
    Public,
    Rounds,
    Several,
    is_public,
)
from spec import PAPER
from spec.contributions import Budget, Credit
from spec.reports import Contribution, checked_contribution

CREDIT = Label("a credit")
CREDITS = Several("the credits", CREDIT)
GONE_THROUGH = Several("the credits, which are gone through", CREDIT)
THIS = Label("the credit of this round")
STORED = Label("what the rule sees, once a budget is stored")
SO_FAR = Label("the budgets with all grants so far")
LEFT_BEHIND = Label("budgets on the way")
LOOK_UP = Label("the look-up of a budget")
LOOK_UP_BEFORE = Label("the look-up of a budget as it was")
STORE = Label("the change of a budget")
ADMIT = Label("the rule admit")
NOTHING = Public("nothing contributed")

PART = Public("a contribution of the credit")
PARTS = Several("the contributions of the credit", PART)
UNCHECKED = Public("the contribution of this round, whose key or value may be none")
CHECKED = Public("the contribution of this round, whose key is one, and whose value not negative")
KEY = Public("a key")
ASKED = Public("the contribution that admit was asked about")
FITTING = Public("the contribution that was admitted")
COUNTED = Public("a contribution that was admitted, and counts")
LISTED = Label("a contribution that was admitted and is listed")
PAID = Label("a contribution that was admitted and is counted in the budgets")

SPENT = Public("what the unit has spent")
AFTER = Public("what the unit has spent after the contribution")
HELD = Public("what the budgets hold for the unit")
HELD_BEFORE = Public("what the budgets hold for the unit, before a contribution was admitted")
WAYS = (HELD, SPENT, AFTER)
"""What the unit has spent, all that was admitted so far included."""
SAME = Public("that the unit has spent what the budgets hold")
NOT_SAME = Public("that the unit has spent something else than the budgets hold")
FITS = Public("whether the contribution is admitted")
VALUE_SPENT = Public("the sum of values that the unit has spent")
VALUE_LIMIT = Public("the limit of values")
NOT_NEGATIVE = Public("a whole number that is not negative")
INTEGER = Public("a whole number")
NATURAL = (NOT_NEGATIVE, POSITIVE, VALUE_LIMIT, VALUE_SPENT, KEY)
NUMBERS = (*NATURAL, INTEGER)

WHOLE = Label("the credit, all of which is admitted")
WHOLE_PAID = Label("the credit, all of which is admitted and counted in the budgets")
GRANT = Label("what is admitted of the credit")
GRANT_PAID = Label("what is admitted of the credit, and counted in the budgets")
EMPTY = Label("a grant of nothing")
OWED = Label("a grant that is not counted in the budgets")
GRANTED = Label("a grant")

OF_THIS_PART: dict[Label, Label] = dict.fromkeys((UNCHECKED, CHECKED, ASKED, FITTING, FITS), PUBLIC)
OF_THIS_CREDIT: dict[Label, Label] = {
    **OF_THIS_PART,
    **dict.fromkeys(
        (UNIT, *WAYS, HELD_BEFORE, SAME, NOT_SAME, VALUE_SPENT, COUNTED, LISTED, PAID), PUBLIC
    ),
    **dict.fromkeys((THIS, WHOLE, WHOLE_PAID, GRANT, GRANT_PAID, OWED), CREDIT),
}
"""What is known of one credit, and what is left of that in the next round."""
NOT_STORED: dict[Label, Label] = {
    **dict.fromkeys((*WAYS, HELD_BEFORE, SAME, NOT_SAME, VALUE_SPENT, COUNTED, LISTED), PUBLIC),
    **dict.fromkeys((GRANT, OWED), CREDIT),
    WHOLE: THIS,
}
"""What is known of the way from the budget that was looked up last."""
PAYING: dict[Label, Label] = {LISTED: PAID, WHOLE: WHOLE_PAID, GRANT: GRANT_PAID, OWED: GRANTED}
STORING: dict[Label, Label] = {
    **dict.fromkeys((SO_FAR, LOOK_UP, STORE, BUDGETS, LOOK_UP_BEFORE), LEFT_BEHIND),
    **dict.fromkeys((HELD_BEFORE, SAME, NOT_SAME), PUBLIC),
    HELD: SPENT,
    **PAYING,
    **OF_THIS_PART,
}
GRANTING: dict[Label, Label] = {
    **dict.fromkeys((WHOLE, WHOLE_PAID), THIS),
    **dict.fromkeys((GRANT, GRANT_PAID), CREDIT),
    **dict.fromkeys((LISTED, PAID), PUBLIC),
}
WHOLES = (WHOLE, WHOLE_PAID, GRANT, GRANT_PAID)
"""What may be granted of a credit."""


class Granting(Policy):
    """Let a rule grant credit by credit; `alone` says that there is one, `known` of which values.

    Where the paper's rules decide what is to be contributed, values are known to be no less than
    zero.
    """

    changes_nothing = True
    answers_always = True
    has_helpers = True
    copied = (LISTED, PAID, GRANTED, OWED)
    asks_identity = True

    def __init__(self, *, alone: bool, known: bool) -> None:
        self.alone, self.known = alone, known
        self.kept_apart = None if alone else CREDIT
        self.collected = (*WHOLES, EMPTY)
        self.changing: dict[Label, Label] = {}
        self.changed_by_helpers: list[set[Label]] = []

    def help_begins(self) -> None:
        """Begin to note which labels a function changes."""
        self.changed_by_helpers.append(set())

    def help_ended(self) -> Change:
        """Forget what is known by labels that the function has changed: it holds the new ones."""
        changed = self.changed_by_helpers.pop()
        self._note(dict.fromkeys(changed, PUBLIC))
        return lambda each: _forgotten(each) if each in changed else each

    def _note(self, change: dict[Label, Label]) -> Change:
        """Note which labels a change concerns, and return it."""
        for changed in self.changed_by_helpers:
            changed.update(change)
        return lambda each: change.get(each, each)

    def is_counted(self, member: Label) -> bool:
        """Let a rule know how many contributions of a credit are admitted."""
        return member in (LISTED, PAID) or super().is_counted(member)

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open a credit, its contributions and what its unit has spent."""
        if label in (ADMITTING, STORED):
            keeper = KEEPER if label == ADMITTING else LEFT_BEHIND
            return {"client": keeper, "rules": RULES, "limits": LIMITS}.get(name, PUBLIC)
        if label in (THIS, WHOLE, WHOLE_PAID):
            return {"unit": UNIT, "contributions": PARTS}.get(name)
        if label == RULES:
            return {"limits": LIMITS, "admit": ADMIT}.get(name)
        if label == KEEPER and name == "budgets":
            return BUDGETS
        if label == BUDGETS and name == "get":
            return LOOK_UP if self.alone else LOOK_UP_BEFORE
        if label == BUDGETS and name == "set":
            return STORE if self.alone else None
        if label == SO_FAR and name in ("get", "set"):
            return LOOK_UP if name == "get" else STORE
        if (label, name) == (LIMITS, "contribution_budget"):
            return VALUE_LIMIT
        if name == "value" and label in WAYS:
            return VALUE_SPENT
        checked = label == CHECKED or (label == PART and self.known)
        return {"key": KEY, "value": NOT_NEGATIVE}.get(name) if checked else None

    def call(self, call: Call) -> Label | None:
        """Look up what the unit has spent; choose among numbers that are not negative."""
        given = call.positional
        if call.target is Budget and not given and not call.keywords:
            return NOTHING
        if call.target == LOOK_UP_BEFORE and given[:1] == (UNIT,) and not call.keywords:
            return PUBLIC if all(map(is_public, given)) else None
        if call.target in (min, max) and len(given) > 1 and not call.keywords:
            natural = [each in NATURAL for each in given]
            chosen = all(natural) if call.target is min else any(natural)
            return NOT_NEGATIVE if chosen and all(each in NUMBERS for each in given) else None
        return None

    def operated(self, operator: str, first: Label, second: Label) -> Label | None:
        """Know that what is left of the budget is not negative, and which numbers are keys."""
        name, natural = operator.rstrip("="), first in NATURAL and second in NATURAL
        if name == "-" and (first, second) == (VALUE_LIMIT, VALUE_SPENT):
            return NOT_NEGATIVE
        if natural and first == KEY and (name in ("&", "//", "%") or (name, second) == ("|", KEY)):
            return KEY
        if natural and name in ("+", "*", "//", "%"):
            return NOT_NEGATIVE
        if first in NUMBERS and second in NUMBERS and name in ("+", "-", "*", "//", "%"):
            return INTEGER
        return MADE if first in NUMBERS and is_public(second) else None

    def constant(self, value: object) -> Label | None:
        """Know whole numbers, and which of them are not negative."""
        if type(value) is not int:
            return None
        return POSITIVE if value > 0 else NOT_NEGATIVE if value == 0 else INTEGER

    def inner(self, call: Call) -> Label | None:
        """Follow the way from what the unit has spent to what it has spent in the end."""
        found = self._part(call) or self._spent(call) or self._grant(call)
        if found is None:
            return None
        label, self.changing = found
        self._note(self.changing)
        return label

    def after_inner(self, label: Label) -> Label:
        """Return what becomes of other labels on this way."""
        return self.changing.get(label, label)

    def _part(self, call: Call) -> tuple[Label, dict[Label, Label]] | None:
        """Look at a contribution, or make another one, which takes its place."""
        given, keywords = call.positional, call.keywords
        if call.target is checked_contribution and given in ((UNCHECKED,), (CHECKED,)):
            return (NONE, {UNCHECKED: CHECKED}) if not keywords else None
        copied = call.target is dataclasses.replace and given in ((UNCHECKED,), (CHECKED,))
        made = call.target is Contribution and not given and set(keywords) == {"key", "value"}
        if not (copied or made) or not all(map(is_public, keywords.values())):
            return None
        if keywords.get("value", POSITIVE) not in NATURAL or keywords.get("key", KEY) != KEY:
            return None
        return given[0] if copied else CHECKED, OF_THIS_PART

    def _spent(self, call: Call) -> tuple[Label, dict[Label, Label]] | None:
        """Look up what the unit has spent, ask whether a contribution fits, store the budget."""
        given, target = call.positional, call.target
        if call.keywords:
            return None
        if target == LOOK_UP and given == (UNIT, NOTHING):
            return HELD, OF_THIS_PART | NOT_STORED
        if target == STORE and len(given) == 2 and given[0] == UNIT and given[1] in WAYS:
            stored: dict[Label, Label] = {ADMITTING: STORED, KEEPER: LEFT_BEHIND}
            return SO_FAR, STORING | (stored if self.alone else {})
        asked = target == ADMIT or target is PAPER.admit
        if not asked or len(given) != 4 or given[:2] not in ((ADMITTING, UNIT), (STORED, UNIT)):
            return None
        if given[2] not in WAYS or given[3] != CHECKED:
            return None
        before = OF_THIS_PART | {CHECKED: ASKED, AFTER: SPENT}
        return Pack("admitted", (AFTER, FITS)), before

    def _grant(self, call: Call) -> tuple[Label, dict[Label, Label]] | None:
        """Make a credit of what is admitted."""
        given, keywords = call.positional, call.keywords
        copied = call.target is dataclasses.replace and len(given) == len(keywords) == 1
        copied = copied and given[0] in (THIS, WHOLE, WHOLE_PAID)
        made = call.target is Credit and not given and len(keywords) == 2
        parts = keywords.get("contributions")
        if not (copied or (made and keywords.get("unit") == UNIT)) or parts is None:
            return None
        known = {LISTED: GRANT, PAID: GRANT_PAID, NO_MEMBER: EMPTY}
        lasting = isinstance(parts, Several) and not isinstance(parts, Listing)
        found = known.get(cast(Several, parts).member) if lasting else None
        found = EMPTY if parts == Pack("()", ()) else found
        return (found, {}) if found else None

    def found_true(self, label: Label, true: bool) -> Change | None:
        """Note that a contribution is admitted: what was spent before is no longer right."""
        if label in (SAME, NOT_SAME):
            return self._note(PAYING) if true == (label == SAME) else None
        if label != FITS:
            return None
        known: dict[Label, Label] = {FITS: PUBLIC, AFTER: SPENT, ASKED: PUBLIC}
        if true:
            known |= {SPENT: PUBLIC, HELD: HELD_BEFORE, VALUE_SPENT: PUBLIC, ASKED: FITTING}
            known |= {SAME: PUBLIC, NOT_SAME: PUBLIC}
        return self._note(known)

    def identity(self, first: Label, second: Label, *, inverted: bool) -> Label | None:
        """Let a rule ask whether anything was admitted: nothing has to be stored if not."""
        held = {first, second} & {HELD, HELD_BEFORE}
        if not held or not {first, second} <= {*WAYS, HELD_BEFORE} or AFTER in (first, second):
            return None
        if {first, second} <= {HELD, HELD_BEFORE} and HELD not in (first, second):
            return PUBLIC
        return NOT_SAME if inverted else SAME

    def put_in(self, label: Label) -> tuple[Label, Change | None]:
        """List a contribution that was admitted, or a grant, once."""
        if label == FITTING:
            return LISTED, self._note({FITTING: COUNTED})
        if label == EMPTY:
            return GRANTED, None
        if label in WHOLES:
            held = GRANTED if label in (WHOLE_PAID, GRANT_PAID) else OWED
            return held, self._note(GRANTING)
        return label, None

    def taken_out(self, label: Label) -> Label:
        """Forget of a member what is known where it is listed."""
        return {LISTED: PUBLIC, PAID: PUBLIC, GRANTED: CREDIT, OWED: CREDIT}.get(label, label)

    def gone_through(self, label: Label) -> tuple[Rounds, Change | None] | None:
        """Begin to go through the credits, with the budgets as they are, or through one."""
        if label == CREDITS:
            begun: dict[Label, Label] = {CREDITS: GONE_THROUGH, BUDGETS: SO_FAR}
            return Rounds("the credits", THIS), self._note(begun)
        if label == PARTS:
            return Rounds("all contributions", COUNTED), None
        if isinstance(label, Several) and label.member == PART:
            return Rounds("contributions", PUBLIC), None
        return None

    def lasts(self, label: Label, /) -> bool:
        """Keep the budgets and what is granted from one round to the next."""
        return label == SO_FAR or (isinstance(label, Several) and label.member == GRANTED)

    def is_apart(self, rounds: Rounds, /) -> bool:
        """Keep the rounds of several credits apart."""
        return rounds.what == "the credits" and not self.alone

    def next_round(self, rounds: Rounds) -> tuple[Label, Change]:
        """Take the next credit, or the next contribution of a credit.

        Where there is one credit at a time the next is the first: nothing is stored yet.
        """
        if rounds.what != "the credits":
            return CHECKED if self.known else UNCHECKED, self._note(OF_THIS_PART)
        begun: dict[Label, Label] = {STORED: ADMITTING} if self.alone else {}
        return THIS, self._note(OF_THIS_CREDIT | begun)

    def ended(self, rounds: Rounds) -> Change | None:
        """Note that all contributions of a credit are admitted, if every round has seen that."""
        whole = rounds == Rounds("all contributions", COUNTED)
        return (lambda each: WHOLE if each == THIS else each) if whole else None

    def joined(self, first: Label, second: Label) -> Label | None:
        """Forget on which way a contribution was admitted, or a budget stored."""
        both = {first, second}
        if both <= {*WAYS}:
            return SPENT
        if both <= {HELD, HELD_BEFORE}:
            return HELD_BEFORE
        if both <= {OWED, GRANTED}:
            return OWED
        if both <= {COUNTED, FITTING}:
            return COUNTED
        if both <= {THIS, WHOLE, WHOLE_PAID}:
            return THIS
        if EMPTY in both and both <= {EMPTY, GRANT, GRANT_PAID}:
            return first if second == EMPTY else second
        return STORED if both <= {ADMITTING, STORED} else None


def _forgotten(label: Label) -> Label:
    """Return what is left of a label once a function has changed what it stands for."""
    if label in (WHOLE, WHOLE_PAID):
        return THIS
    if is_public(label) or label in (LISTED, PAID):
        return PUBLIC
    return {CREDITS: GONE_THROUGH, ADMITTING: STORED}.get(label, LEFT_BEHIND)


def is_granted(found: Label) -> bool:
    """Tell whether a rule may return this: what is granted is counted, and nothing is forgotten."""
    if not isinstance(found, Pack) or len(found.members) != 2:
        return False
    budgets, granted = found.members
    if isinstance(granted, Pack):
        one = len(granted.members) == 1 and granted.members[0] in (WHOLE_PAID, GRANT_PAID)
        none = not granted.members and budgets in (SO_FAR, BUDGETS)
        return none or (one and budgets == SO_FAR)
    listed = isinstance(granted, Several) and granted.member in (GRANTED, NO_MEMBER)
    return listed and budgets == SO_FAR
