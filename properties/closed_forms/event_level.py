r"""Event-level reports at production parameters: large sources, many reports, large output sets.

Universes are small, and some defects show only at size. Here one source registers and triggers
arrive, the client answers truthfully, and what it sends is one output $o$. With probability $t$
this is what the ad-tech sees, otherwise it sees a uniform output of $\mathcal{O}$, of size $n$.
Without the source's triggers the truth is that nothing is sent. So with $m = 1$ if
$o \in \mathcal{O}$ and $m = 0$ if not, $o$ has probability $t + m (1 - t) / n$ in one world and
$m (1 - t) / n$ in the other, and it must not be more than $e^{\varepsilon}$ times as likely:
$t + m (1 - t) / n \le e^{\varepsilon} m (1 - t) / n$. The same is needed of the output that sends
nothing. The paper's $t$ meets the inequality for $m = 1$ with equality. For $m = 0$ it means
$t = 0$.

The rules are asked for $t$ at $e^{\varepsilon}$ rounded down to a rational number of 256 bits, as
they would be if $\varepsilon$ were counted in units of its logarithm. What comes out is compared
with certified bounds on $e^{\varepsilon}$ itself.

The paper's steps are taken for granted: rules with other steps are left to the games.

An output is judged at the rules' own $\varepsilon$, which the API fixes. That a truth probability
would not do for another one is worth telling, and refutes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from time import perf_counter_ns

from flint import arb, ctx

from properties.broken import OFTEN_TRUTHFUL, ONE_BUCKET, THREE_REPORTS, controls
from properties.closed_forms.event_sources import (
    Plan,
    output_text,
    papers_truth,
    plan_text,
    sent_by,
    source_text,
    sources,
)
from properties.closed_forms.unit import CannotDecide
from properties.numerals import decimal, shown
from spec.event_client import EventSource
from spec.event_outputs import Output, OutputSet
from spec.numbers import Power, SpecError, bounds, exact
from spec.paper import PAPER
from spec.rules import Limits, OnDevice, Rules
from spec.verdicts import Check, Evidence, Finding, Reason, Shape

EVENT_LEVEL = "event_level_reports_are_private"
STEPS = ("register_event_source", "register_event_trigger", "pass_windows", "event_visible")
ONE = Fraction(1)
EPSILONS = tuple(map(Fraction, (1, 2, 8, 14)))
BITS = 256
MOST_EPSILON = 10**4
LISTED = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    r"""Hold an output that the truthful client sends, and whether the set $\mathcal{O}$ has it.

    `output` is what is sent with the triggers of `plan`, or nothing at all if `idle`: then those
    triggers belong to the other world.
    """

    source: EventSource
    plan: Plan
    output: Output
    idle: bool
    size: int
    member: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    r"""Hold $e^{\varepsilon}$ by certified bounds; both are the number if it is rational."""

    power: Power
    low: Fraction
    high: Fraction

    def text(self) -> str:
        """Return the epsilon with the unit it is counted in."""
        base = self.power.base.value
        return str(self.power.exponent) + ("" if base is None else f" ln {base}")


def event_parameters_finding(rules: Rules) -> Finding:
    """Decide the event-level rules at production parameters."""
    start = perf_counter_ns()
    found = Finding(
        claim=EVENT_LEVEL,
        check="production parameters",
        reason=Reason.NO_CONCLUSION,
        shape=Shape.REAL_PARAMETERS,
        method="truthful runs of large sources, exact numbers",
    )
    try:
        refuse_other_steps(rules)
        found = judged(rules, found)
    except SpecError as reason:
        found = replace(found, detail=str(reason))
    return replace(found, seconds=decimal(Fraction(perf_counter_ns() - start, 10**9), 2))


def refuse_other_steps(rules: Rules) -> None:
    """Refuse rules whose steps are not the paper's: the inequality is about those."""
    for name in STEPS:
        if getattr(rules, name) is not getattr(PAPER, name):
            raise CannotDecide(
                f"the client's step changed ({name}); decided in small universes only"
            )


def judged(rules: Rules, found: Finding) -> Finding:
    """Look for an output that tells too much, first for one that the output set lacks."""
    cases, reasons = cases_of(rules)
    found = replace(found, bound=grid_text(rules, cases), assumes=assumed(rules))
    for member in (False, True):
        alike = [case for case in cases if case.member is member]
        if not alike or (member and papers_truth(rules)):
            continue
        own = factor_of(rules.limits)
        for case in alike:
            try:
                within = private(rules, case.size, member, own)
            except SpecError as reason:
                reasons.append(str(reason))
                continue
            if not within:
                return refuted(rules, found, case, own)
    if reasons:
        return replace(found, detail=reasons[0])
    if not cases:
        return replace(found, detail="no source of the grid sends anything")
    detail = "every output that was sent is in the output set"
    if not papers_truth(rules):
        detail += ", and the truth is told rarely enough" + would_fail(rules, cases)
    return replace(found, evidence=Evidence.EXACT_IN_UNIVERSE, reason=Reason.NONE, detail=detail)


def grid_text(rules: Rules, cases: list[Case]) -> str:
    """Say which sources and sizes were decided."""
    if not cases:
        return ""
    most = max(len(case.source.specifications) for case in cases)
    reports = max(case.source.maximum_reports for case in cases)
    largest = max(case.size for case in cases)
    text = f"sources with up to {most} trigger data and {reports} reports, |O| up to {largest}"
    if papers_truth(rules):
        return text
    return f"{text}; epsilon {rules.limits.event_epsilon}"


def assumed(rules: Rules) -> str:
    """Say that a changed truth probability is asked for at a rational number only."""
    if papers_truth(rules) or Power(rules.limits.base, ONE).is_rational():
        return ""
    return f"the truth probability is that for e^epsilon rounded down to {BITS} bits"


def would_fail(rules: Rules, cases: list[Case]) -> str:
    """Say at which other epsilon the truth would be told too often, if at one of a few."""
    sizes = {case.size for case in cases if case.member}
    for epsilon in EPSILONS:
        if not truth_fits(rules, replace(rules.limits, event_epsilon=epsilon), sizes):
            return f"; it is not shown for other limits, such as an event_epsilon of {epsilon}"
    return ""


def truth_fits(rules: Rules, limits: Limits, sizes: Iterable[int]) -> bool:
    """Tell whether the truth probability is certainly private at limits, for output sets so large.

    It is asked for at those limits, whatever the rules' own are.
    """
    try:
        factor = factor_of(limits)
        return all(private(rules, size, True, factor) for size in sizes)
    except SpecError:
        return False


def sizes_of(rules: Rules, others: Iterable[EventSource]) -> set[int]:
    """Return the sizes of the output sets of the grid's and other sources that the rules take."""
    found: set[int] = set()
    for source in (*(source for source, _ in sources(rules)), *others):
        try:
            found.add(output_set_of(rules, source).size())
        except SpecError:
            continue
    return {size for size in found if size > 1}


def factor_of(limits: Limits) -> Factor:
    """Return the power of epsilon with its bounds, which are written out and must not be long."""
    power = Power(limits.base, limits.event_epsilon)
    if power.exponent > MOST_EPSILON:
        raise CannotDecide(f"epsilon {power.exponent} is too large to be written out")
    low, high = power.enclosure(BITS)
    return Factor(power=power, low=low, high=high)


def truth(rules: Rules, factor: Factor, size: int) -> tuple[Fraction, Fraction]:
    """Return bounds on the rules' truth probability; both are the number if it is exact."""
    with ctx.workprec(BITS):
        found: object = rules.truth_probability(factor.low, size)
        told = bounds(found if isinstance(found, arb) else exact(found, "truth_probability"))
    if told[1] < 0 or told[0] > 1:
        raise CannotDecide(
            f"truth_probability is {shown(told[0])}, which is no probability, at epsilon "
            f"{factor.text()} and |O| = {size}"
        )
    return told


def chances(size: int, member: bool, told: Fraction) -> tuple[Fraction, Fraction]:
    """Return how likely an output is where it is the truth, and where it is not."""
    drawn = (1 - told) / size if member else Fraction(0)
    return told + drawn, drawn


def private(rules: Rules, size: int, member: bool, factor: Factor) -> bool:
    r"""Decide whether the output is at most $e^{\varepsilon}$ times as likely where it is true.

    The larger the truth probability, the more likely it is there, and the less likely elsewhere.
    """
    least, most = truth(rules, factor, size)
    likely, unlikely = chances(size, member, most)
    if likely <= factor.low * unlikely:
        return True
    likely, unlikely = chances(size, member, least)
    if likely > factor.high * unlikely:
        return False
    raise CannotDecide(
        f"the truth probability at epsilon {factor.text()} and |O| = {size} is not apart from "
        f"the largest private one with {BITS} bits"
    )


def cases_of(rules: Rules) -> tuple[list[Case], list[str]]:
    """List the outputs that are sent, one for each size and membership, and what stays open."""
    found: dict[tuple[int, bool], Case] = {}
    reasons: list[str] = []
    for source, plans in sources(rules):
        try:
            for case in cases_at(rules, source, plans):
                found.setdefault((case.size, case.member), case)
        except SpecError as reason:
            reasons.append(f"{source_text(source)}: {reason}")
    return list(found.values()), reasons


def cases_at(rules: Rules, source: EventSource, plans: tuple[Plan, ...]) -> Iterator[Case]:
    """List the outputs that one source sends, and that it sends nothing if it can send more."""
    sent: dict[Output, Plan] = {}
    for plan in plans:
        sent.setdefault(sent_by(rules, source, plan), plan)
    nothing = tuple((0,) * len(each.windows) for each in source.specifications)
    sent.pop(nothing, None)
    if not sent:
        return
    outputs = output_set_of(rules, source)
    size, listed = outputs.size(), listing(outputs)
    if size < 1 or outputs.windows != tuple(map(len, nothing)):
        raise CannotDecide("the output set is empty or is about other windows than the source's")
    for output, plan in (*sent.items(), (nothing, next(iter(sent.values())))):
        idle, member = output == nothing, output in listed
        if size > 1 or not member:
            yield Case(source=source, plan=plan, output=output, idle=idle, size=size, member=member)


def output_set_of(rules: Rules, source: EventSource) -> OutputSet:
    """Return the output set of a source on a new device."""
    at = OnDevice(rules=rules, now=0, client=rules.initial.events, cause=source)
    return rules.output_set(at, source)


def listing(outputs: OutputSet) -> OutputSet | frozenset[Output]:
    """Return the set to look an output up in; one of another type is listed if it is small."""
    if type(outputs) is OutputSet:
        return outputs
    if outputs.size() > LISTED:
        raise CannotDecide(f"a {type(outputs).__name__} is too large to list")
    return frozenset(outputs)


def refuted(rules: Rules, found: Finding, case: Case, factor: Factor) -> Finding:
    """Write a violation down."""
    told, _ = truth(rules, factor, case.size)
    worlds = [shown(chance) for chance in chances(case.size, case.member, told)]
    with_x, without_x = reversed(worlds) if case.idle else worlds
    largest = (factor.low - 1) / (factor.low + case.size - 1) if case.member else Fraction(0)
    counterexample = {
        "epsilon": factor.text(),
        "source": source_text(case.source),
        "triggers": plan_text(case.plan),
        "output": output_text(case.output),
        "in the output set": "yes" if case.member else "no",
        "size of the output set": str(case.size),
        "truth probability": shown(told),
        "largest private truth probability": shown(largest),
        "probability with x": with_x,
        "probability without x": without_x,
    }
    what = "the truth is told too often" if case.member else "a truthful output is not in O"
    detail = (
        f"{what}, |O| = {case.size}: probability {with_x} with x, {without_x} without x, "
        f"at epsilon {factor.text()}"
    )
    return replace(
        found,
        evidence=Evidence.ATTACK,
        reason=Reason.NONE,
        detail=detail,
        counterexample=counterexample,
    )


def event_parameters_check() -> Check:
    """Return the check that decides event-level rules at production parameters."""
    return Check(
        claim=EVENT_LEVEL,
        name="production parameters",
        run=event_parameters_finding,
        controls=controls(
            event_parameters_finding,
            {
                "the truth at least every fourth time": OFTEN_TRUTHFUL,
                "the output set has three reports at most": THREE_REPORTS,
                "the output set has one bucket per datum": ONE_BUCKET,
            },
        ),
        shape=Shape.REAL_PARAMETERS,
    )
