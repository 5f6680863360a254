r"""Summary and event-level reports of one source together are private with the sum of both budgets.

Claim: What the ad-tech sees of summary reports and event-level reports together is
    $(\varepsilon_* + \varepsilon, \delta_*)$-indistinguishable with and without a source $x$, for
    every interactive adversary, with attribution fixed.
Paper: none (E1).
Method: A hybrid argument. Let $P$ be the law of the transcript with $x$, $Q$ without it, and $R$ of
    the world in which the summary reports are those without $x$ and the event-level reports those
    with $x$. The clients share no state, so that for the step from $P$ to $R$ the event-level
    client is a random part of the adversary, and by joint_convexity the guarantee of summary
    reports gives $P \le e^{\varepsilon_*} R + \delta_*$. In the step from $R$ to $Q$ the summary
    reports are a random part of the adversary and $R \le e^{\varepsilon} Q$. For the other
    direction the hybrid $R'$ has the summary reports with $x$ and the event-level reports without:
    $Q \le e^{\varepsilon_*} R' + \delta_*$ and $R' \le e^{\varepsilon} P$. Each way the summary
    reports are swapped first. The other order would cost $e^{\varepsilon}\delta_*$. That the two
    clients share nothing is run on the whole system: each move changes the state of one client,
    and time passes for both alike. On which device a source is, is noted for both, and depends on
    the moves alone.
Assumes: What the two guarantees assume.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction

from immutables import Map

from proofs._chain import Chain
from proofs._check import check_of
from proofs._proof import Proof, assume, exists
from proofs._subjects import for_all_rules, search, unchecked
from proofs.attribution_summaries_are_private import BROKEN
from proofs.attribution_summaries_are_private import CHAIN as SUMMARIES
from proofs.event_client_outputs_stay_in_the_output_set import drawing
from proofs.event_level_reports_are_private import CHAIN as EVENTS
from proofs.event_level_reports_are_private import source_of
from spec import PAPER, Rules
from spec.aggregation_service import Query
from spec.attribution_client import Source, Trigger
from spec.distributions import Draw
from spec.event_client import EventTrigger
from spec.rules import Limits
from spec.system import Move, Observation, PassTime, System, SystemMechanism, step
from spec.universe import Promise, promised_by


@dataclass(frozen=True, kw_only=True)
class Hybrid:
    r"""Hold the rules, the step of the system, and the bound $abQ + \delta$ of both guarantees."""

    rules: Rules = PAPER
    step: Callable[[Rules, System, Move, Draw], tuple[System, Observation]] = step
    bound: Callable[[Fraction, Fraction, Fraction, Fraction], Fraction] = lambda a, b, q, delta: (
        a * b * q + delta
    )
    promised: Callable[[Limits, Promise], tuple[Fraction, Fraction]] = promised_by


@for_all_rules("what is promised: the two ε for both, one δ, and none for event-level reports")
def promises_add_up(
    hybrid: Hybrid, epsilon: Fraction, delta: Fraction, event_epsilon: Fraction
) -> bool:
    """Read off limits what the games and the verdicts hold rules to."""
    limits = unchecked(Limits, epsilon=epsilon, delta=delta, event_epsilon=event_epsilon)
    (summary, summaries), (event, events), (both, altogether) = (
        hybrid.promised(limits, each) for each in ("summary", "event", "both")
    )
    return (
        (summary == epsilon)
        & (summaries == delta)
        & (event == event_epsilon)
        & (events == Fraction(0))
        & (both == epsilon + event_epsilon)
        & (altogether == delta)
    )


@for_all_rules("hybrid: swapping the summary reports first costs both ε and one δ")
def summary_first(
    hybrid: Hybrid, p: Fraction, r: Fraction, q: Fraction, a: Fraction, b: Fraction, delta: Fraction
) -> bool:
    r"""Chain $P \le aR + \delta$ and $R \le bQ$ for one event."""
    assume(0 <= p, 0 <= r, 0 <= q, 1 <= a, 1 <= b, 0 <= delta)
    assume(p <= a * r + delta, r <= b * q)
    return p <= hybrid.bound(a, b, q, delta)


@exists("not vacuous: the other order can cost more than one δ")
def other_order_costs_more(
    hybrid: Hybrid, p: Fraction, r: Fraction, q: Fraction, a: Fraction, b: Fraction, delta: Fraction
) -> bool:
    r"""Find $P \le bR$ and $R \le aQ + \delta$ with $P > abQ + \delta$."""
    assume(0 <= p, p <= 1, 0 <= r, r <= 1, 0 <= q, q <= 1, 1 <= a, 1 <= b, 0 < delta, delta < 1)
    assume(p <= b * r, r <= a * q + delta)
    return p > hybrid.bound(a, b, q, delta)


MOVES: tuple[tuple[Move, frozenset[str]], ...] = (
    (
        Source(source_id="x", destination="d", expiry=9, filters=frozenset("f"), key=1),
        frozenset({"attribution", "registered"}),
    ),
    (source_of("x"), frozenset({"events", "registered"})),
    (
        Trigger(report_id=1, destination="d", filters=frozenset("f"), key=2, value=3),
        frozenset({"attribution", "reports", "used_ids", "in_flight"}),
    ),
    (
        EventTrigger(trigger_id="t", destination="d", filters=frozenset("f"), data=0, value=1),
        frozenset({"events"}),
    ),
    (PassTime(until=1), frozenset({"now", "events", "reports", "in_flight"})),
    (Query(epsilon=Fraction(1), report_ids=(1,)), frozenset({"service"})),
)


@search(
    "each move changes the state of one client only",
    by="exact run",
    over="one run of every kind of move",
)
def clients_are_apart(hybrid: Hybrid) -> Mapping[str, object] | None:
    """Make every kind of move and look at what it changes."""
    system = SystemMechanism(rules=hybrid.rules).initial
    for move, allowed in MOVES:
        after, _ = hybrid.step(hybrid.rules, system, move, drawing(None))
        changed = {
            field.name
            for field in fields(System)
            if getattr(after, field.name) != getattr(system, field.name)
        }
        if not changed <= allowed:
            return {"move": type(move).__name__, "changed": ", ".join(sorted(changed - allowed))}
        system = after
    return None


def share_a_client(
    rules: Rules, system: System, move: Move, draw: Draw
) -> tuple[System, Observation]:
    """Let an event-level trigger remove the sources of summary reports."""
    after, seen = step(rules, system, move, draw)
    if isinstance(move, EventTrigger):
        after = replace(after, attribution=Map())
    return after, seen


def promise_delta(limits: Limits, promise: Promise) -> tuple[Fraction, Fraction]:
    """Promise event-level reports the δ of summary reports."""
    return promised_by(limits, promise)[0], limits.delta


PAPERS = Hybrid()

HYBRID = Proof(
    claim="summary_and_event_reports_compose",
    subject=PAPERS,
    steps=(promises_add_up, summary_first, other_order_costs_more, clients_are_apart),
    bound="all values; one run of every kind of move",
    controls={
        "only the larger ε is paid for": replace(
            PAPERS, bound=lambda a, b, q, delta: max(a, b) * q + delta
        ),
        "clients that share a state": replace(PAPERS, step=share_a_client),
        "event-level reports have a δ": replace(PAPERS, promised=promise_delta),
    },
    unproved_for={
        "δ is paid for with both factors": replace(
            PAPERS, bound=lambda a, b, q, delta: a * b * (q + delta)
        ),
    },
)

FREE = SUMMARIES.free | EVENTS.free


def hybrid_of(rules: Rules) -> Hybrid:
    """Return the argument for given rules; those that decide freely change no client."""
    return Hybrid(rules=replace(rules, **{name: getattr(PAPER, name) for name in FREE}))


HYBRID_HOLDS = check_of(HYBRID, method="one event", subject=hybrid_of)

CHAIN = Chain(
    claim="summary_and_event_reports_compose",
    ways=(
        (
            ("the hybrid argument", HYBRID_HOLDS),
            "joint_convexity",
            ("event_level_reports_are_private", EVENTS.check()),
            ("attribution_summaries_are_private", SUMMARIES.check()),
        ),
    ),
    decided=SUMMARIES.decided | EVENTS.decided,
    free=FREE,
    argument="hybrid of the two guarantees, summary reports swapped first",
    assumes="what the two guarantees assume",
    controls={**BROKEN, **EVENTS.controls},
)

CHECK = CHAIN.check()
