r"""No unit contributes more than it may: ARA client, PAA client and M_SR.

Claim: The contributions of a unit $x$ sum to at most $\Lambda_1$ and number at most $\Lambda_0$.
Paper: Alg. 2; Alg. 3; Alg. 6.
Method: Inductive invariant: the budget of $x$ counts at least what was granted to $x$, and stays
    within $(\Lambda_1, \Lambda_0)$, in natural numbers. Both clients and the mechanism admit
    by `contribute`, so one proof serves all three. `contribute`, and in it `admit`, is run on
    symbolic numbers for a credit of two contributions, as in a client, and for two credits of one
    contribution, of one unit or of two, as in the mechanism. `admit` by itself may not look at the
    budgets of other units, at the client or at the cause. Values and counts are proved apart,
    because the privacy of truncated noise needs the values only.
    Induction on the contributions of a credit: `contribute` admits them one by one, each from the
    budget that the one before left. Induction on the credits of a report: it does the same with
    credits, each against its own unit's budget. Induction on triggers, events and records: every
    step that changes budgets does so by `contribute`, and a source that is registered starts with
    nothing contributed.
Assumes: Values are natural numbers, as `Contribution` demands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from immutables import Map

from proofs._check import check_of
from proofs._proof import Proof, Step, assume, exists
from proofs._subjects import (
    Inductive,
    _real_type,
    bounded,
    budget,
    cause_of,
    contribution,
    for_all_rules,
    keeper,
    name,
    on_device,
    plain,
    unchecked,
    with_limits,
    without_client,
)
from spec import PAPER, Rules
from spec.contributions import Budget, Budgets, Credit, Unit, admit, contribute
from spec.reports import Contribution
from spec.rules import AtContribution, Limits
from spec.verdicts import Check

X, Z = name(str, "unit x"), name(str, "unit z")


def credit(unit: Unit, *values: int, after: int = 0) -> Credit:
    """Return what a unit is to contribute after so many others, each value to any key."""
    parts = tuple(contribution(v, f"key_{place}") for place, v in enumerate(values, after + 1))
    return unchecked(Credit, unit=unit, contributions=parts)


def parts_of(credits: Iterable[Credit]) -> tuple[Contribution, ...]:
    """Return the contributions of all credits."""
    return tuple(part for each in credits for part in each.contributions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Say what is bounded: the sum of values, or their number."""

    what: str
    used: Callable[[Budget], int]
    size: Callable[[tuple[Contribution, ...]], int]
    limit: Callable[[Limits], int]


VALUE = Measure(
    what="Λ1",
    used=lambda spent: spent.value,
    size=lambda parts: sum(part.value for part in parts),
    limit=lambda limits: limits.contribution_budget,
)
COUNT = Measure(
    what="Λ0",
    used=lambda spent: spent.count,
    size=len,
    limit=lambda limits: limits.sparsity_budget,
)


def limited(rules: Rules, value_limit: int, count_limit: int) -> Rules:
    """Return the rules with these limits."""
    assume(value_limit >= 1, count_limit >= 1)
    return with_limits(rules, contribution_budget=value_limit, sparsity_budget=count_limit)


def steps_for(measure: Measure) -> tuple[Step[Rules], ...]:
    """Return the steps of the induction for one of the two measures."""
    what, used, size = measure.what, measure.used, measure.size

    def within(spent: Budget, limits: Limits) -> bool:
        whole = _real_type(spent.value) is int and _real_type(spent.count) is int
        natural = (0 <= spent.value) & (0 <= spent.count)
        return whole and natural & (used(spent) <= measure.limit(limits))

    @for_all_rules(f"initiation and preservation: what is granted is counted, within {what}")
    def contributed(
        rules: Rules,
        value_limit: int,
        count_limit: int,
        value_x: int,
        count_x: int,
        value_z: int,
        count_z: int,
        new_1: int,
        new_2: int,
        together: bool,
        same: bool,
    ) -> bool:
        rules = without_client(limited(rules, value_limit, count_limit))
        x, z = budget(value_x, count_x), budget(value_z, count_z)
        assume(within(x, rules.limits), within(z, rules.limits), new_1 >= 0, new_2 >= 0)
        beginning = (rules.initial.attribution.budgets, rules.initial.aggregation.budgets)
        if any(beginning) or not within(Budget(), rules.limits):
            return False
        credits: tuple[Credit, ...] = (credit(X, new_1, new_2),)
        if not together:
            credits = (credit(X, new_1), credit(X if same else Z, new_2, after=1))
        at = on_device(rules, keeper(Map({X: x, Z: z})), cause_of(in_client=together))
        after, granted = rules.contribute(at, credits)
        x_after, z_after = plain(after[X], Budget), plain(after[Z], Budget)
        counted = used(x_after) - used(x) + used(z_after) - used(z)
        return (
            (size(parts_of(granted)) <= counted)
            & within(x_after, rules.limits)
            & within(z_after, rules.limits)
        )

    @for_all_rules(f"from the beginning, three contributions stay within {what}")
    def from_the_beginning(
        rules: Rules,
        value_limit: int,
        count_limit: int,
        new_1: int,
        new_2: int,
        new_3: int,
        together: bool,
    ) -> bool:
        rules = limited(rules, value_limit, count_limit)
        assume(new_1 >= 0, new_2 >= 0, new_3 >= 0)
        credits = [credit(X, new_1, new_2), credit(X, new_3, after=2)]
        if not together:
            credits = [credit(X, each, after=k) for k, each in enumerate((new_1, new_2, new_3))]
        kept = contributed_in_turn(rules, credits)
        return size(kept) <= measure.limit(rules.limits)

    return (Inductive(step=contributed, reachable=from_the_beginning),)


def contributed_in_turn(rules: Rules, credits: Iterable[Credit]) -> tuple[Contribution, ...]:
    """Let a new unit contribute, one credit after the other; return all that is granted to it."""
    budgets: Budgets = Map()
    total: tuple[Contribution, ...] = ()
    for each in credits:
        at = on_device(rules, keeper(budgets), cause_of(in_client=True))
        budgets, granted = rules.contribute(at, (each,))
        total += parts_of(granted)
    return total


@exists("not vacuous: a unit contributes, and the next contribution is refused")
def granted_then_refused(
    rules: Rules, value_limit: int, count_limit: int, new_1: int, new_2: int
) -> bool:
    """Find two contributions of which the budget allows one."""
    assume(new_1 > 0, new_2 > 0)
    rules = limited(rules, value_limit, count_limit)
    credits = (credit(X, new_1), credit(X, new_2, after=1))
    return len(contributed_in_turn(rules, credits)) == 1


def compare_before_adding(
    at: AtContribution, _: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Compare what was contributed so far with the limits."""
    limits = at.limits
    if spent.count < limits.sparsity_budget and spent.value < limits.contribution_budget:
        return Budget(value=spent.value + contribution.value, count=spent.count + 1), True
    return spent, False


def forget_the_count(
    at: AtContribution, _: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Bound values only."""
    after = spent.value + contribution.value
    fits = after <= at.limits.contribution_budget
    return (replace(spent, value=after), True) if fits else (spent, False)


def doubled(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Allow twice the contribution budget."""
    limits = replace(at.limits, contribution_budget=2 * at.limits.contribution_budget)
    return admit(replace(at, rules=replace(at.rules, limits=limits)), unit, spent, contribution)


def doubled_count(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Allow twice the sparsity budget."""
    limits = replace(at.limits, sparsity_budget=2 * at.limits.sparsity_budget)
    return admit(replace(at, rules=replace(at.rules, limits=limits)), unit, spent, contribution)


def contribute_without_counting(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Count the values of a credit by its last contribution only."""
    budgets, granted = contribute(at, credits)
    for each in granted:
        before = at.client.budgets.get(each.unit, Budget())
        last = before.value + each.contributions[-1].value
        budgets = budgets.set(each.unit, replace(budgets[each.unit], value=last))
    return budgets, granted


PROOF = Proof(
    claim="contributions_stay_within_budget",
    subject=PAPER,
    steps=(*steps_for(VALUE), *steps_for(COUNT), granted_then_refused),
    controls={
        "admit compares before adding": replace(PAPER, admit=compare_before_adding),
        "admit forgets the count": replace(PAPER, admit=forget_the_count),
        "the cap is doubled": replace(PAPER, admit=doubled),
        "the cap on the number is doubled": replace(PAPER, admit=doubled_count),
        "a credit counts by its last contribution": replace(
            PAPER, contribute=contribute_without_counting
        ),
    },
    unproved_for={
        "nothing is ever admitted": replace(PAPER, admit=lambda _, __, spent, ___: (spent, False)),
    },
)


def checked(proof: Proof[Rules]) -> Check:
    """Return the check of a proof of this claim, or of its part about values."""
    return bounded(
        check_of(
            proof,
            method="inductive invariant on admit and contribute; induction on contributions",
            assumes="values are natural numbers",
            takes_rules=True,
        ),
        papers_own=("contribute",),
        bound="two credits or two contributions at a time",
    )


CHECK = checked(PROOF)
VALUES_ONLY = checked(replace(PROOF, steps=(*steps_for(VALUE), granted_then_refused)))
