r"""Every unit of M_SR has an online rollout that sums to at most the caps: ARA and PAA, ε and δ.

Claim: With $V$ the sum and $n$ the number of what $x$ contributes to the batch of query $t$, the
    losses $\varepsilon_{x,t} = \varepsilon_t V / \Lambda_1$ and
    $\delta_{x,t} = \delta_t n / \Lambda_0$, or $\delta_t V / \Lambda_1$, form an online rollout,
    and sum to at most $\varepsilon_*$ and $\delta_*$.
Paper: Thm. 4.3; Thm. 4.5.
Method: *The losses sum to at most the caps* by a conservation law over the reports that $x$ holds,
    kept as ghost state: with $v_r$ the value in report $r$ and $\varepsilon_r$ what its entry was
    charged,
    $$\mathrm{spent}_x + \sum_r v_r (\varepsilon_* - \varepsilon_r) / \Lambda_1
    + (\Lambda_1 - L_x)\,\varepsilon_* / \Lambda_1$$
    starts at $\varepsilon_*$ and never grows. For $\delta$ the same holds with counts and
    $\Lambda_0$, and with values (E3). The terms are multiplied by the budget, so that
    no solver has to divide. `add_record` is run for one record and changes one term of the sum,
    `settle` for a batch and changes the term of every report by itself.
    *They are a rollout* because the two runs differ in $x$ alone: a record of $x$ without $x$
    contributes nothing, what another unit contributes does not depend on $x$, and the sums differ
    by what $x$ contributes. The noise hides that by discrete_laplace_is_private and
    truncated_laplace_is_private, which are lemmas of their own. The rollout is online: the losses
    of query $t$ are a function of the records and queries up to $t$.
    Induction on records and queries: each changes the sum by the terms it touches, and none of them
    grows. Induction on the batch: `settle` and `totals` treat every report by itself.
Assumes: the_ledger_never_passes_the_caps and contributions_stay_within_budget, by which no term is
    negative; abort_does_not_depend_on_attribution, so that both runs refuse the same queries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from immutables import Map

from proofs._check import check_of
from proofs._proof import Proof, Statement, assume, calculation, exists
from proofs._subjects import (
    any_reports,
    asked,
    at_service,
    bounded,
    budget,
    certain,
    contribution,
    for_all_rules,
    holding,
    name,
    null,
    opaque,
    plain,
    sealed,
    service,
    spent,
    unchecked,
    with_caps,
    with_limits,
    without_client,
    without_ledger,
)
from proofs.the_ledger_never_passes_the_caps import entries_are_fixed
from spec import PAPER, Rules
from spec.aggregation_service import Ledger, Query, Service, Spent
from spec.contributions import Budget, Budgets, Credit, Unit
from spec.individual_privacy import (
    Loss,
    Steps,
    Theta,
    along,
    individually_private,
    loss_by_count,
    loss_by_value,
    summary_rollout,
)
from spec.numbers import Base
from spec.reports import Contribution, Report
from spec.rules import AtContribution, AtService, Limits
from spec.summary_mechanism import (
    Database,
    Neighbour,
    Record,
    SummaryMechanism,
    SummaryQuery,
    SummaryState,
    add_record,
    without_source,
    without_storage,
)
from spec.verdicts import Check

X, Z = name(str, "unit x"), name(str, "unit z")
R1, R2 = name(int, "report 1"), name(int, "report 2")
K1, K2, K3 = (name(int, f"key {each}") for each in "123")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Say what the conservation law is over: the values of contributions, or their number."""

    what: str
    size: Callable[[tuple[Contribution, ...]], int]
    used: Callable[[Budget], int]


VALUE = Measure(
    what="value",
    size=lambda parts: sum(part.value for part in parts),
    used=lambda spent: spent.value,
)
COUNT = Measure(what="count", size=len, used=lambda spent: spent.count)


def of_budgets(rules: Rules, value_limit: int, count_limit: int) -> Rules:
    """Return the rules with these limits; `admit` may not look at the state of the mechanism."""
    limits = {"contribution_budget": value_limit, "sparsity_budget": count_limit}
    return without_client(with_limits(rules, **limits))


def record_conserves(measure: Measure) -> Statement[Rules]:
    """Return the step that a record preserves the conservation law."""
    size, used = measure.size, measure.used

    @for_all_rules(f"conservation by {measure.what}: a record moves budget into its report")
    def step(
        rules: Rules,
        value_limit: int,
        count_limit: int,
        cap: Fraction,
        charged: Fraction,
        value: int,
        count: int,
        held: int,
        new: int,
        known: bool,
    ) -> bool:
        limited = of_budgets(rules, value_limit, count_limit)
        assume(value_limit >= 1, count_limit >= 1, 0 <= charged, charged <= cap, new >= 0)
        assume(held >= 0, 0 <= value, value <= value_limit, 0 <= count, count <= count_limit)
        before = budget(value, count)
        earlier = holding(R1, *((contribution(held, "held_key"),) if known else ()))
        state = SummaryState(budgets=Map({X: before}), reports=Map({R1: earlier}))
        record = Record(unit=X, report_id=R1)
        after = add_record(limited, state, record, lambda _: contribution(new, "key"))
        limit = used(budget(value_limit, count_limit))

        def potential(spent: Budget, report: Report) -> Fraction:
            return size(report.contributions) * (cap - charged) + (limit - used(spent)) * cap

        return potential(after.budgets[X], after.reports[R1]) <= potential(before, earlier)

    return step


@for_all_rules("initiation: a unit that has done nothing has exactly the cap left")
def initiation(_: Rules, value_limit: int, count_limit: int, cap: Fraction) -> bool:
    """Start with nothing spent, no report and an unused budget."""
    assume(value_limit >= 1, count_limit >= 1, cap >= 0)
    nothing = SummaryState()
    left = nothing.budgets.get(X, Budget())
    by_value, by_count = (value_limit - left.value) * cap, (count_limit - left.count) * cap
    return not nothing.reports and (by_value == value_limit * cap) & (by_count == count_limit * cap)


def query_conserves(of: str, parameter: Callable[[Query | Spent], Fraction]) -> Statement[Rules]:
    """Return the step that a query preserves the conservation law, for ε or for δ."""

    @for_all_rules(f"conservation of {of}: a query takes from its reports what it costs")
    def step(
        rules: Rules,
        epsilon_cap: Fraction,
        delta_cap: Fraction,
        epsilon_1: Fraction,
        delta_1: Fraction,
        epsilon_2: Fraction,
        delta_2: Fraction,
        epsilon: Fraction,
        delta: Fraction,
        held_1: int,
        held_2: int,
        queries_1: int,
        queries_2: int,
        most: int,
        counted: bool,
    ) -> bool:
        query, caps = asked(epsilon, delta), spent(epsilon_cap, delta_cap)
        assume(epsilon > 0, 0 <= delta, delta <= 1, held_1 >= 0, held_2 >= 0)
        assume(queries_1 >= 0, queries_2 >= 0)
        limited = with_caps(without_ledger(rules), epsilon_cap, delta_cap, most, counted)
        at = at_service(limited, query)
        first, second = any_reports(2)
        ledger: Ledger = Map()
        held = (
            (first, spent(epsilon_1, delta_1, queries_1)),
            (second, spent(epsilon_2, delta_2, queries_2)),
        )
        for report_id, entry in held:
            assume(0 <= entry.epsilon, entry.epsilon <= epsilon_cap)
            assume(0 <= entry.delta, entry.delta <= delta_cap)
            ledger = ledger.set(limited.budget_entries(at, sealed(report_id))[0], entry)
        charging = replace(at, service=service(ledger))
        after, accepted = certain(rules.settle(charging, (sealed(first), sealed(second))))
        answered = [report.report_id for report in accepted or ()]
        # Each report has its own term, so that each must pay its own share of the loss.
        for report_id, value in ((first, held_1), (second, held_2)):
            place = limited.budget_entries(at, sealed(report_id))[0]
            loss = value * parameter(query) if report_id in answered else Fraction(0)
            before = value * (parameter(caps) - parameter(ledger[place]))
            if not loss + value * (parameter(caps) - parameter(after[place])) <= before:
                return False
        return True

    return step


@for_all_rules("the losses are the shares of the query's parameters")
def losses_are_shares(
    rules: Rules,
    value_limit: int,
    count_limit: int,
    epsilon: Fraction,
    delta: Fraction,
    value: int,
    count: int,
) -> bool:
    """Run the losses of a rollout, by count and by value."""
    assume(value_limit >= 1, count_limit >= 1, epsilon > 0, 0 <= delta, delta <= 1)
    assume(0 <= value, value <= value_limit, 0 <= count, count <= count_limit)
    limited = with_limits(rules, contribution_budget=value_limit, sparsity_budget=count_limit)
    question = unchecked(SummaryQuery, query=asked(epsilon, delta))
    by_count = loss_by_count(limited.limits, question, budget(value, count))
    by_value = loss_by_value(limited.limits, question, budget(value, count))
    return (
        (by_count.epsilon * value_limit == epsilon * value)
        & (by_value.epsilon * value_limit == epsilon * value)
        & (by_count.delta * count_limit == delta * count)
        & (by_value.delta * value_limit == delta * value)
    )


@for_all_rules("conclusion: what was spent is at most the cap")
def spent_is_capped(
    _: Rules,
    limit: int,
    used: int,
    cap: Fraction,
    charged: Fraction,
    held: int,
    spent: Fraction,
) -> bool:
    """Start at the cap, never grow, and have no negative term."""
    assume(limit >= 1, 0 <= used, used <= limit, 0 <= held, 0 <= charged, charged <= cap)
    assume(limit * spent + held * (cap - charged) + (limit - used) * cap <= limit * cap)
    return spent <= cap


@for_all_rules("without x a record of x contributes nothing: ARA and PAA")
def dummies_are_null(
    rules: Rules, value_limit: int, count_limit: int, value: int, count: int, new: int, ara: bool
) -> bool:
    """Run `add_record` on the neighbour of a record."""
    assume(value_limit >= 1, count_limit >= 1, value >= 0, count >= 0, new >= 0)
    limited = of_budgets(rules, value_limit, count_limit)
    neighbour: Neighbour = without_source if ara else without_storage
    (record,) = neighbour((Record(unit=X, report_id=R1),), X)
    state = SummaryState(budgets=Map({Z: budget(value, count)}))
    after = add_record(limited, state, record, lambda _: contribution(new, "key"))
    others = set(after.budgets) == {Z} and after.reports[R1].is_null
    return others and same_budget(after.budgets[Z], state.budgets[Z])


def same_budget(first: Budget, second: Budget) -> bool:
    """Compare two budgets."""
    first, second = plain(first, Budget), plain(second, Budget)
    return (first.value == second.value) & (first.count == second.count)


@for_all_rules("what another unit contributes does not depend on x")
def others_are_independent(
    rules: Rules,
    value_limit: int,
    count_limit: int,
    value_x: int,
    count_x: int,
    value_z: int,
    count_z: int,
    new: int,
) -> bool:
    """Run `add_record` on a record of z, beside any budget of x and without it."""
    assume(value_limit >= 1, count_limit >= 1, new >= 0)
    assume(0 <= value_x, value_x <= value_limit, 0 <= count_x, count_x <= count_limit)
    assume(0 <= value_z, value_z <= value_limit, 0 <= count_z, count_z <= count_limit)
    limited = of_budgets(rules, value_limit, count_limit)
    x, z = budget(value_x, count_x), budget(value_z, count_z)
    record = Record(unit=Z, report_id=R2)
    states = SummaryState(budgets=Map({X: x, Z: z})), SummaryState(budgets=Map({Z: z}))
    first, second = (
        add_record(limited, s, record, lambda _: contribution(new, "key")) for s in states
    )
    if len(first.reports[R2].contributions) != len(second.reports[R2].contributions):
        return False
    for a, b in zip(first.reports[R2].contributions, second.reports[R2].contributions, strict=True):
        if a.value != b.value:
            return False
    return same_budget(first.budgets[Z], second.budgets[Z]) & same_budget(first.budgets[X], x)


@for_all_rules("two reports: the sums with and without x differ by what x contributes")
def sums_differ_by_x(rules: Rules, value_1: int, value_2: int, other: int) -> bool:
    """Run `totals` with a report of x and with its null report, for every pattern of keys."""
    assume(value_1 >= 0, value_2 >= 0, other >= 0)
    at = at_service(rules, opaque(Query, "the query"))
    holds = True
    for first, second, third in product((K1, K2), (K1, K2), (K1, K2, K3)):
        parts = zip((first, second, third), (value_1, value_2, other), strict=True)
        x1, x2, z = (unchecked(Contribution, key=key, value=value) for key, value in parts)
        with_x = rules.totals(at, (holding(R1, x1, x2), holding(R2, z)))
        without = rules.totals(at, (null(R1), holding(R2, z)))
        keys = dict.fromkeys((*with_x, *without))
        changes = {key: with_x.get(key, 0) - without.get(key, 0) for key in keys}
        holds = holds & (sum(map(abs, changes.values())) <= value_1 + value_2)
        for key, change in changes.items():
            if key not in (first, second):
                holds = holds & (change == 0)
    return holds


SMALL = Limits(
    contribution_budget=2,
    sparsity_budget=2,
    epsilon=Fraction(4),
    delta=Fraction(1, 2),
    event_epsilon=Fraction(1),
    base=Base(Fraction(2)),
)


def small_run() -> list[tuple[Database, SummaryQuery]]:
    """Return two rounds: x and z contribute to one key, then everything is asked for again."""
    values = {1: 1, 2: 2, 3: 1}

    def answer(record: Record) -> Contribution:
        return Contribution(key=1, value=values[record.report_id])

    def question(*report_ids: int) -> SummaryQuery:
        query = Query(epsilon=Fraction(2), delta=Fraction(1, 4), report_ids=report_ids)
        return SummaryQuery(query=query, function=answer)

    first = (Record(unit="x", report_id=1), Record(unit="z", report_id=2))
    return [(first, question(1, 2)), ((Record(unit="x", report_id=3),), question(1, 3))]


@calculation(
    "the losses of a run are an online rollout within the caps, exactly",
    by="exact laws",
    over="one run of two queries at Λ1 = Λ0 = 2",
)
def a_run_has_this_rollout(rules: Rules) -> bool:
    """Compare the laws of the responses with and without x, for ARA and for PAA.

    The losses up to a step are those of the sequence up to it: the rollout is online.
    """
    rules = replace(rules, limits=SMALL)
    caps = Theta(epsilon=SMALL.epsilon, delta=SMALL.delta)
    steps, mechanism = small_run(), SummaryMechanism(rules=rules)
    for loss, neighbour in product(
        (loss_by_count, loss_by_value), (without_source, without_storage)
    ):

        def rollout(so_far: Steps[Database, SummaryQuery], loss: Loss = loss) -> Theta:
            return summary_rollout(rules, so_far, "x", loss)[-1]

        if along(rollout, steps) != summary_rollout(rules, steps, "x", loss):
            return False
        if not individually_private(mechanism, neighbour, "x", [steps], rollout, caps, SMALL.base):
            return False
    return True


@exists("not vacuous: a unit can contribute to an answer and pay for it")
def a_unit_can_pay(rules: Rules, value: int, epsilon: Fraction) -> bool:
    """Find a record and a query whose loss is positive."""
    assume(value >= 1, epsilon > 0)
    limited = with_limits(
        rules,
        contribution_budget=2,
        sparsity_budget=1,
        epsilon=Fraction(3),
        delta=Fraction(0),
        maximum_queries=None,
    )
    (report_id,) = any_reports(1)
    record = Record(unit=X, report_id=report_id)
    state = add_record(limited, SummaryState(), record, lambda _: contribution(value, "key"))
    at = at_service(limited, asked(epsilon, Fraction(0)), Service())
    _, accepted = certain(rules.settle(at, (state.reports[report_id],)))
    return accepted is not None and VALUE.size(accepted[0].contributions) * epsilon > 0


def charge_half(at: AtService, spent: Spent, _: Report) -> Spent | None:
    """Charge half of what the query costs."""
    half = spent.epsilon + at.query.epsilon / 2, spent.delta + at.query.delta / 2
    if half[0] > at.limits.epsilon or half[1] > at.limits.delta:
        return None
    return replace(spent, epsilon=half[0], delta=half[1])


def admit_half(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Count half of the value."""
    half = replace(contribution, value=contribution.value // 2)
    return PAPER.admit(at, unit, spent, half)


def share_one_budget(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Let all units together contribute no more than one may."""
    used = sum(spent.value for spent in at.client.budgets.values())
    asked_for = sum(part.value for credit in credits for part in credit.contributions)
    if used + asked_for > at.limits.contribution_budget:
        return at.client.budgets, ()
    return PAPER.contribute(at, credits)


def doubled_totals(at: AtService, batch: tuple[Report, ...]) -> dict[int, int]:
    """Count every value twice."""
    return {key: 2 * value for key, value in PAPER.totals(at, batch).items()}


BY_VALUE = (
    initiation,
    record_conserves(VALUE),
    query_conserves("ε", lambda spent: spent.epsilon),
    query_conserves("δ", lambda spent: spent.delta),
    entries_are_fixed,
    losses_are_shares,
    spent_is_capped,
    dummies_are_null,
    others_are_independent,
    sums_differ_by_x,
    a_unit_can_pay,
)

PROOF = Proof(
    claim="summary_mechanism_is_individually_private",
    subject=PAPER,
    steps=(*BY_VALUE, record_conserves(COUNT), a_run_has_this_rollout),
    controls={
        "charge takes half": replace(PAPER, charge=charge_half),
        "admit counts half the value": replace(PAPER, admit=admit_half),
        "units share one budget": replace(PAPER, contribute=share_one_budget),
        "values are counted twice": replace(PAPER, totals=doubled_totals),
    },
)


def checked(proof: Proof[Rules]) -> Check:
    """Return the check of a proof of this claim, or of its part about values."""
    return bounded(
        check_of(
            proof,
            method="conservation law over the reports of x, two runs of M_SR; induction on records "
            "and queries",
            assumes="the_ledger_never_passes_the_caps, contributions_stay_within_budget, "
            "abort_does_not_depend_on_attribution, noise_is_chosen_in_public, "
            "absent_keys_are_never_released, discrete_laplace_is_private, "
            "truncated_laplace_is_private",
            takes_rules=True,
        ),
        papers_own=(
            *("settle", "batch", "contribute", "totals"),
            *("keys", "answer", "reveal", "serve"),
        ),
        bound="one record, two reports in a batch",
    )


CHECK = checked(PROOF)
BY_VALUE_ONLY = checked(replace(PROOF, steps=BY_VALUE))
