r"""Nulled after admission: decided and admitted once; what was granted to $x$ is deleted.

Where units share a budget, what one contributes decides what another is granted. Then it matters
whether admission runs again in $D^{-x}$, as in the paper's mechanism, or not, as here. Event-level
triggers know no admission, and the credits of $x$ are deleted.

Deviates: E5 the paper's mechanism nulls before admission.
Paper: Sec. 4.2; Sec. 4.3.
"""

from __future__ import annotations

from dataclasses import replace

from spec.attribution_client import Trigger
from spec.contributions import Unit
from spec.distributions import Draw
from spec.neighbours.credits_deleted import ATTRIBUTION_FIXED, without_unit
from spec.neighbours.relation import Relation, Worlds, clients_of
from spec.private_aggregation_client import Event
from spec.rules import Rules
from spec.system import Move, Observation, admit, decide, send


def null_after_admission(
    rules: Rules, unit: Unit, worlds: Worlds, move: Move, draw: Draw
) -> tuple[Worlds, Observation]:
    """Decide and admit as on $D$, and send without what was granted to the unit."""
    if not isinstance(move, Trigger | Event):
        return ATTRIBUTION_FIXED.move(rules, unit, worlds, move, draw)
    decision = decide(rules, worlds.own, move, draw)
    own, granted = admit(rules, worlds.own, move, decision, draw)
    real = clients_of(replace(own, events=worlds.real.events))
    kept = without_unit(rules, unit, worlds, move, granted)
    own, seen = send(rules, own, move, kept, draw)
    return Worlds(real=real, own=own), seen


NULLED_AFTER_ADMISSION = Relation(
    name="nulled after admission",
    meaning="attribution and admission run once; the reports of x are emptied",
    move=null_after_admission,
    reports="summary",
)
