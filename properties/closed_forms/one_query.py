r"""One query at production parameters, decided by closed forms with certified enclosures.

Universes are small, and some defects show only at size. Here one unit spends all it may contribute
on one query with parameters $(\varepsilon, \delta)$ within the caps, spread over keys in the worst
way, against every background of other units' contributions. What the query needs is the exact
$\delta$ at its $\varepsilon$; what it may need is the $\delta$ it asks for.

The limits are the rules' own: only within them may the ad-tech choose. Where the ledger is not the
paper's, a small query may be charged more than it asks for, and says nothing by itself. So the caps
are lowered to what the query asks for, and a violation below the real caps is told, but refutes
nothing. The same goes for values of $\delta$ above the cap.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from time import perf_counter_ns

from properties.closed_forms.points import Point, place, points_of
from properties.closed_forms.replay import refuted
from properties.closed_forms.unit import CannotDecide, Spread, admitted_spreads
from properties.numerals import decimal, scientific, significant
from spec.numbers import SpecError
from spec.paper import PAPER
from spec.rules import Rules
from spec.verdicts import Evidence, Finding, Reason, Shape

STEPS = ("serve", "answer", "reveal")
CLIENTS = (
    *("initial", "register_source", "matches", "attempt_order", "contributions", "attribute"),
    *("budget_unit", "run_program", "propose", "admit", "contribute", "send"),
)


def production_finding(
    rules: Rules, claim: str, spreads: tuple[Spread, ...] | None = None
) -> Finding:
    """Decide one query of the rules at production parameters.

    `spreads` are what the clients admit, where that is known already.
    """
    start = perf_counter_ns()
    found = Finding(
        claim=claim,
        check="production parameters",
        reason=Reason.NO_CONCLUSION,
        shape=Shape.REAL_PARAMETERS,
        method="closed forms, certified enclosures",
    )
    try:
        found = judged(rules, claim, found, spreads)
    except SpecError as reason:
        found = replace(found, detail=str(reason))
    return replace(found, seconds=decimal(Fraction(perf_counter_ns() - start, 10**9), 2))


def judged(rules: Rules, claim: str, found: Finding, spreads: tuple[Spread, ...] | None) -> Finding:
    """Decide every query of the grid, and take the worst."""
    refuse_other_steps(rules)
    spreads = spreads or admitted_spreads(rules, claim)
    points = list(points_of(rules, spreads))
    if not points:
        return replace(found, detail="no query of the grid is answered")
    found = replace(found, bound=grid_text(rules, points), assumes=assumed(rules))
    broken = [point for point in points if point.within is False]
    if fair := [point for point in broken if point.fair]:
        worst = max(fair, key=lambda point: (point.delta > 0, point.ratio))
        return refuted(rules, claim, found, worst)
    if inside := [point for point in broken if point.delta <= rules.limits.delta]:
        why = "it would fail if the caps were what one query asks for"
        return replace(found, detail=f"{why}: {place(inside[0])}")
    open_points = [point for point in points if point.within is None]
    if open_points:
        point = open_points[0]
        why = f"at epsilon {point.epsilon}, delta {scientific(point.delta)}"
        return replace(found, detail=f"no closed form bounds {point.form.noise!r} {why}")
    kept = [point for point in points if point.within]
    if not kept:
        return replace(found, detail="no query within the caps is answered")
    worst = max(kept, key=lambda point: (point.delta > 0, point.ratio))
    detail = f"at worst {significant(worst.ratio)} times delta is needed: {place(worst)}"
    if broken:
        detail += f"; it would fail if the cap on delta were higher: {place(broken[0])}"
    return replace(found, evidence=Evidence.EXACT_IN_UNIVERSE, reason=Reason.NONE, detail=detail)


def grid_text(rules: Rules, points: list[Point]) -> str:
    """Say which queries and spreads were decided."""
    epsilons = ", ".join(map(str, sorted({point.epsilon for point in points})))
    deltas = ", ".join(map(scientific, sorted({point.delta for point in points})))
    keys = max(point.spread.keys for point in points)
    return (
        f"one query with epsilon {epsilons} and delta {deltas}; a contribution budget of "
        f"{rules.limits.contribution_budget} spread over 1 to {keys} keys"
    )


def assumed(rules: Rules) -> str:
    """Say what was found by trying, where that is not the paper's function."""
    tried = {
        "what one unit can contribute": CLIENTS,
        "which keys are answered for": ("keys",),
        "how sums move with values": ("batch", "settle", "budget_entries", "charge", "totals"),
        "from which noisy sum on keys are released": ("releases",),
        "that noise and threshold ignore the batch": ("noise", "threshold"),
    }
    changed = [
        what
        for what, names in tried.items()
        if any(getattr(rules, name) is not getattr(PAPER, name) for name in names)
    ]
    return "found by trying: " + "; ".join(changed) if changed else ""


def refuse_other_steps(rules: Rules) -> None:
    """Refuse rules whose steps are not the paper's: the closed forms are about those."""
    for name in STEPS:
        if getattr(rules, name) is not getattr(PAPER, name):
            raise CannotDecide(
                f"the service's step changed ({name}); decided in small universes only"
            )
