r"""What a proposal may put around the rules of the clients that decide and admit.

To *decide* is done once, on the database, for the world with a unit and for the world without it.
So `attribute` and `propose` may look at everything on the device and decide in any way, as long as
it is known whose credits they are: those of registered sources as they are, or those that the
paper's `propose` gives to the unit of the event.

To *admit* is done in each world on its own budgets. Whatever a proposal makes of a credit before
the paper's `contribute` grants it may depend on this credit, on its own unit's budget and on what
is public, so that no unit learns of another. A loop over credits must handle each by itself: what
one round sets is forgotten in the next, and none ends the loop.

Which event-level source a trigger may be credited to is decided on the truthful account. The
response that a source has drawn is no part of that: which other source takes a trigger would tell
whether the source answers truthfully.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from proofs._labels import (
    DRAW,
    PUBLIC,
    Call,
    Label,
    Pack,
    Policy,
    Public,
    Several,
    is_public,
)
from spec import PAPER
from spec.contributions import Credit

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

    kept_apart = CREDIT

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open a credit, and of the client the budgets."""
        if label == ADMITTING:
            return {"client": KEEPER, "rules": RULES}.get(name, PUBLIC)
        if label == CREDIT:
            return {"unit": UNIT, "contributions": PUBLIC}.get(name)
        if label == RULES and name == "limits":
            return PUBLIC
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


TRIGGERED = Label("what the rule sees of a trigger")
RECORDS = Label("the client of a trigger")
RECORD = Label("a record of a source")


class Matching(Policy):
    """Let a rule look at everything on the device but at drawn responses."""

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open the records of sources, and what they hold."""
        if label == TRIGGERED:
            return {"client": RECORDS, "rules": RULES}.get(name, PUBLIC)
        if label == RULES and name == "limits":
            return PUBLIC
        if label == RECORDS and name == "records":
            return Several("the records", RECORD)
        return None if label != RECORD or name == "response" else PUBLIC

    def call(self, call: Call) -> Label | None:
        """Let the paper say what matches."""
        asked = call.target is PAPER.event_matches and not call.keywords
        return PUBLIC if asked and call.positional == (TRIGGERED, RECORD) else None
