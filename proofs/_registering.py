"""What a proposal may put around the registration of a source, for either kind of report.

A source is registered in each world, with what that world keeps. So a rule may look at what was
registered before, at the time and at the limits, and may not look at budgets, accounts and drawn
responses. It may change what the ad-tech registers, but for the name of the source and its device,
or register nothing. Then the paper registers it, once: an ad-tech could have registered the changed
source, or none, by itself.
"""

from __future__ import annotations

import dataclasses

from proofs._labels import DRAW, LIMITS, PUBLIC, Call, Label, Policy, Public, Several, is_public
from spec import PAPER

REGISTERING = Label("what the rule sees of a new source")
KEEPER = Label("the client before the source is registered")
RULES = Label("the rules")
GIVEN = Public("the source that is registered")
ACCOUNT = Label("the account of a source")
REGISTERED = Label("the client with the source")
DONE = Label("what the rule sees once the source is registered")

WHOSE = frozenset({"source_id", "device"})
"""What tells whose a source is."""

KEPT = frozenset({"sources", "budgets", "records"})
"""What the paper's clients keep."""


class Registering(Policy):
    """Let a rule change what is registered by what is public, or register nothing.

    `opened` is what a client keeps of sources. What else a client keeps is not looked at.
    """

    opened: tuple[str, Label] = ("sources", PUBLIC)

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open what was registered before, and nothing of what became of it."""
        if label in (REGISTERING, DONE):
            return {"client": KEEPER, "rules": RULES, "limits": LIMITS}.get(name, PUBLIC)
        if label == RULES and name == "limits":
            return LIMITS
        if label in (KEEPER, REGISTERED):
            return self.opened[1] if name == self.opened[0] else None
        return PUBLIC if label == ACCOUNT and name in ("source", "registered_at") else None

    def call(self, call: Call) -> Label | None:
        """Copy the source with something changed, and the client with something noted."""
        if call.target is not dataclasses.replace or len(call.positional) != 1:
            return None
        if not all(map(is_public, call.keywords.values())):
            return None
        own = {GIVEN: WHOSE, REGISTERED: KEPT}.get(call.positional[0])
        return call.positional[0] if own is not None and own.isdisjoint(call.keywords) else None

    def inner(self, call: Call) -> Label | None:
        """Let the paper register the source."""
        asked = (call.target, call.positional) in (
            (PAPER.register_source, (REGISTERING, GIVEN)),
            (PAPER.register_event_source, (REGISTERING, GIVEN, DRAW)),
        )
        return REGISTERED if asked and not call.keywords else None

    def after_inner(self, label: Label) -> Label:
        """Note that the source is registered."""
        return DONE if label == REGISTERING else label


class RegisteringEvents(Registering):
    """Let a rule know which event-level sources were registered, and when."""

    opened = ("records", Several("the accounts of sources", ACCOUNT))
