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
    truncated_laplace_is_private, which are lemmas of their own. The same keys are listed in the
    same order, but for a key of $x$ alone, and each once. The rollout is online: the losses of
    query $t$ are a function of the records and queries up to $t$.
    Induction on records and queries: each changes the sum by the terms it touches, and none of them
    grows. Induction on the batch: `settle` and `totals` treat every report by itself, and `keys`
    every key.
Assumes: the_ledger_never_passes_the_caps and contributions_stay_within_budget, by which no term is
    negative; abort_does_not_depend_on_attribution, so that both runs refuse the same queries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Protocol

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
from proofs._summary_rollout import Loss, loss_by_count, loss_by_value, summary_rollout
from proofs._symbolic import NotSymbolic
from proofs.the_ledger_never_passes_the_caps import WEEK, entries_are_fixed
from spec import PAPER, Rules
from spec.aggregation_service import Ledger, Query, Service, Spent
from spec.contributions import Budget, Budgets, Credit, Unit
from spec.individual_privacy import (
    Steps,
    Theta,
    along,
    individually_private,
)
from spec.noise import Noise
from spec.numbers import Base
from spec.reports import Contribution, Key, Report
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
R1, R2, R3 = (name(int, f"report {each}") for each in "123")
K1, K2, K3 = (name(int, f"key {each}") for each in "123")


class Rollout(Protocol):
    """Be a rollout of M_SR: the losses of a unit along a sequence, by one of the two losses."""

    def __call__(
        self, rules: Rules, steps: Steps[Database, SummaryQuery], unit: Unit, loss: Loss
    ) -> tuple[Theta, ...]:
        """Return the parameters of every step."""
        ...


def initial_state(rules: Rules) -> SummaryState:
    """Return the state in which M_SR begins."""
    return SummaryMechanism(rules=rules).initial


@dataclass(frozen=True, slots=True, kw_only=True)
class Individual:
    """Hold the rules, the losses and rollout of a unit, its removal, and where M_SR begins."""

    rules: Rules = PAPER
    by_count: Loss = loss_by_count
    by_value: Loss = loss_by_value
    rollout: Rollout = summary_rollout
    without_source: Neighbour = without_source
    without_storage: Neighbour = without_storage
    initial: Callable[[Rules], SummaryState] = initial_state


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Say what the conservation law is over: the values of contributions, or their number."""

    what: str
    size: Callable[[tuple[Contribution, ...]], int]
    used: Callable[[Budget], int]

    def left(self, limit: int, cap: Fraction, spent: Budget) -> Fraction:
        """Return what the unused budget of a unit is worth, times the budget."""
        return (limit - self.used(spent)) * cap


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


def record_conserves(measure: Measure) -> Statement[Individual]:
    """Return the step that a record preserves the conservation law."""

    @for_all_rules(f"conservation by {measure.what}: a record moves budget into its report")
    def step(
        subject: Individual,
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
        limited = of_budgets(subject.rules, value_limit, count_limit)
        assume(value_limit >= 1, count_limit >= 1, 0 <= charged, charged <= cap, new >= 0)
        assume(held >= 0, 0 <= value, value <= value_limit, 0 <= count, count <= count_limit)
        before = budget(value, count)
        earlier = holding(R1, *((contribution(held, "held_key"),) if known else ()))
        state = SummaryState(budgets=Map({X: before}), reports=Map({R1: earlier}))
        record = Record(unit=X, report_id=R1)
        after = add_record(limited, state, record, lambda _: contribution(new, "key"))
        limit = measure.used(budget(value_limit, count_limit))

        def potential(spent: Budget, report: Report) -> Fraction:
            held = measure.size(report.contributions) * (cap - charged)
            return held + measure.left(limit, cap, spent)

        return potential(after.budgets[X], after.reports[R1]) <= potential(before, earlier)

    return step


def query_conserves(
    of: str, parameter: Callable[[Query | Spent], Fraction]
) -> Statement[Individual]:
    """Return the step that a query preserves the conservation law, for ε or for δ."""

    @for_all_rules(f"conservation of {of}: a query takes from its reports what it costs")
    def step(
        subject: Individual,
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
        limited = with_caps(without_ledger(subject.rules), epsilon_cap, delta_cap, most, counted)
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
        after, accepted = certain(subject.rules.settle(charging, (sealed(first), sealed(second))))
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


@for_all_rules(entries_are_fixed.name)
def reports_keep_their_entries(subject: Individual) -> bool:
    """State what the ledger needs as well: the law is about one entry per report."""
    return entries_are_fixed.holds(subject.rules)


@for_all_rules("the losses are the shares of the query's parameters")
def losses_are_shares(
    subject: Individual,
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
    limited = with_limits(
        subject.rules, contribution_budget=value_limit, sparsity_budget=count_limit
    )
    question = unchecked(SummaryQuery, query=asked(epsilon, delta))
    by_count = subject.by_count(limited.limits, question, budget(value, count))
    by_value = subject.by_value(limited.limits, question, budget(value, count))
    return (
        (by_count.epsilon * value_limit == epsilon * value)
        & (by_value.epsilon * value_limit == epsilon * value)
        & (by_count.delta * count_limit == delta * count)
        & (by_value.delta * value_limit == delta * value)
    )


@for_all_rules("initiation and conclusion: a unit starts with the cap and spends at most that")
def spent_is_capped(
    subject: Individual,
    limit: int,
    value: int,
    count: int,
    cap: Fraction,
    charged: Fraction,
    held: int,
    spent: Fraction,
    by_count: bool,
) -> bool:
    """Start with no report and an unused budget, never grow, and have no negative term."""
    start = subject.initial(subject.rules)
    if start.reports:
        return False
    measure, now = COUNT if by_count else VALUE, budget(value, count)
    assume(limit >= 1, 0 <= measure.used(now), measure.used(now) <= limit)
    assume(0 <= held, 0 <= charged, charged <= cap)
    at_start = measure.left(limit, cap, start.budgets.get(X, Budget()))
    assume(limit * spent + held * (cap - charged) + measure.left(limit, cap, now) <= at_start)
    return spent <= cap


@for_all_rules("without x a record of x contributes nothing: ARA and PAA")
def dummies_are_null(
    subject: Individual,
    value_limit: int,
    count_limit: int,
    value: int,
    count: int,
    new: int,
    ara: bool,
) -> bool:
    """Run `add_record` on the neighbour of a record."""
    assume(value_limit >= 1, count_limit >= 1, value >= 0, count >= 0, new >= 0)
    limited = of_budgets(subject.rules, value_limit, count_limit)
    neighbour = subject.without_source if ara else subject.without_storage
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
    subject: Individual,
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
    limited = of_budgets(subject.rules, value_limit, count_limit)
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
def sums_differ_by_x(subject: Individual, value_1: int, value_2: int, other: int) -> bool:
    """Run `totals` with a report of x and with its null report, for every pattern of keys."""
    rules = subject.rules
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


@for_all_rules("three reports: x changes neither which keys of others are listed nor their order")
def other_keys_keep_their_places(subject: Individual, epsilon: Fraction, delta: Fraction) -> bool:
    """Run `keys` with a report of x and with its null report, in every place of the batch."""
    rules = subject.rules
    assume(epsilon > 0, 0 < delta, delta <= 1)
    x, y, z = (contribution(1, f"key {each}") for each in "123")
    others = [holding(R2, y), holding(R3, z)]
    holds = True
    for place, listed in product(range(3), ((), (K1, K2))):
        at = at_service(rules, unchecked(Query, epsilon=epsilon, delta=delta, keys=listed))
        before, after = others[:place], others[place:]
        mine = tuple(rules.keys(at, (*before, holding(R1, x), *after)))
        theirs = tuple(rules.keys(at, (*before, null(R1), *after)))
        alone = () if listed else tuple(key for key in mine if not is_among(key, theirs))
        shared = tuple(key for key in mine if listed or is_among(key, theirs))
        holds = holds and len(alone) <= 1 and all(key == x.key for key in alone)
        holds = holds and len(shared) == len(theirs)
        holds = holds and all(a == b for a, b in zip(shared, theirs, strict=False))
    return holds


@for_all_rules("a key that a query lists twice is listed once")
def listed_keys_are_answered_once(subject: Individual, epsilon: Fraction, delta: Fraction) -> bool:
    """Run `keys` for a query that lists a key twice.

    Two noisy sums of one key tell twice as much as is lost for it, if the noise is the paper's.
    """
    rules = subject.rules
    assume(epsilon > 0, 0 <= delta, delta <= 1)
    query = unchecked(Query, epsilon=epsilon, delta=delta, keys=(K1, K2, K1))
    found = tuple(rules.keys(at_service(rules, query), (holding(R1, contribution(1, "key 1")),)))
    twice = any(is_among(key, found[:place]) for place, key in enumerate(found))
    if twice and rules.noise is not PAPER.noise:
        raise NotSymbolic("noise of its own beside keys that are listed twice")
    return not twice


def is_among(key: int, keys: tuple[int, ...]) -> bool:
    """Tell whether a key is one of several."""
    return any(key == each for each in keys)


SMALL = Limits(
    contribution_budget=2,
    sparsity_budget=2,
    epsilon=Fraction(4),
    delta=Fraction(1, 2),
    event_epsilon=Fraction(1),
    base=Base(Fraction(2)),
)


OTHERS = (4, 5, 6)
"""The reports of other units: their sum is about the threshold, so that noise decides."""


def small_run() -> list[tuple[Database, SummaryQuery]]:
    """Return two rounds: x and others contribute to one key, then all is asked for again."""

    def answer(record: Record) -> Contribution:
        return Contribution(key=1, value=1 if record.unit == "x" else 2)

    def question(*report_ids: int) -> SummaryQuery:
        query = Query(epsilon=Fraction(2), delta=Fraction(1, 4), report_ids=report_ids)
        return SummaryQuery(query=query, function=answer)

    others = tuple(Record(unit=f"z{each}", report_id=each) for each in OTHERS)
    first = (Record(unit="x", report_id=1), *others)
    second = (Record(unit="x", report_id=3),)
    return [(first, question(1, *OTHERS)), (second, question(1, 3, *OTHERS))]


@calculation(
    "the losses of a run are an online rollout within the caps, exactly",
    by="exact laws",
    over="one run of two queries at Λ1 = Λ0 = 2",
)
def a_run_has_this_rollout(subject: Individual) -> bool:
    """Compare the laws of the responses with and without x, for ARA and for PAA.

    The losses up to a step are those of the sequence up to it: the rollout is online.
    """
    rules = replace(subject.rules, limits=SMALL)
    caps = Theta(epsilon=SMALL.epsilon, delta=SMALL.delta)
    steps, mechanism = small_run(), SummaryMechanism(rules=rules)
    for loss, neighbour in product(
        (subject.by_count, subject.by_value), (subject.without_source, subject.without_storage)
    ):

        def rollout(so_far: Steps[Database, SummaryQuery], loss: Loss = loss) -> Theta:
            return subject.rollout(rules, so_far, "x", loss)[-1]

        if along(rollout, steps) != subject.rollout(rules, steps, "x", loss):
            return False
        if not individually_private(mechanism, neighbour, "x", [steps], rollout, caps, SMALL.base):
            return False
    return True


@exists("not vacuous: a unit can contribute to an answer and pay for it")
def a_unit_can_pay(subject: Individual, value: int, epsilon: Fraction) -> bool:
    """Find a record and a query whose loss is positive."""
    assume(value >= 1, epsilon > 0)
    limited = with_limits(
        subject.rules,
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
    _, accepted = certain(limited.settle(at, (state.reports[report_id],)))
    return accepted is not None and VALUE.size(accepted[0].contributions) * epsilon > 0


def charge_half_epsilon(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Charge half of the query's epsilon."""
    half = replace(at.query, epsilon=at.query.epsilon / 2)
    return PAPER.charge(replace(at, query=half), spent, report)


def charge_half_delta(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Charge half of the query's delta."""
    half = replace(at.query, delta=at.query.delta / 2)
    return PAPER.charge(replace(at, query=half), spent, report)


def admit_half(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Count half of the value."""
    half = replace(contribution, value=contribution.value // 2)
    return PAPER.admit(at, unit, spent, half)


def admit_uncounted(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Count the value, and not that there was one more."""
    after, fits = PAPER.admit(at, unit, spent, contribution)
    return replace(after, count=spent.count), fits


def share_two_budgets(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Let all units together contribute less than two may."""
    used = sum(spent.value for spent in at.client.budgets.values())
    asked_for = sum(part.value for credit in credits for part in credit.contributions)
    if used + asked_for >= 2 * at.limits.contribution_budget:
        return at.client.budgets, ()
    return PAPER.contribute(at, credits)


def double_full_reports(at: AtService, batch: tuple[Report, ...]) -> Mapping[int, int]:
    """Count a report with several contributions twice."""
    full = tuple(report for report in batch if len(report.contributions) > 1)
    return PAPER.totals(at, (*batch, *full))


def keys_as_they_come(at: AtService, batch: tuple[Report, ...]) -> tuple[Key, ...]:
    """List discovered keys in the order of the reports."""
    if not at.query.discovers_keys:
        return PAPER.keys(at, batch)
    return tuple(dict.fromkeys(part.key for report in batch for part in report.contributions))


def keys_as_they_are_listed(at: AtService, batch: tuple[Report, ...]) -> tuple[Key, ...]:
    """Answer for a key as often as it is listed."""
    return PAPER.keys(at, batch) if at.query.discovers_keys else at.query.keys


def noise_for_half(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    """Add noise for half of the contribution budget."""
    half = replace(at.limits, contribution_budget=at.limits.contribution_budget // 2)
    rules = replace(at.rules, limits=half)
    return PAPER.noise(replace(at, rules=rules), batch, threshold)


def look_ahead(
    rules: Rules, steps: Steps[Database, SummaryQuery], unit: Unit, loss: Loss
) -> tuple[Theta, ...]:
    """Give every step the largest parameters of the whole sequence."""
    losses = summary_rollout(rules, steps, unit, loss)
    return tuple(max(losses, key=lambda theta: theta.epsilon) for _ in losses)


def begin_in_credit(_: Rules) -> SummaryState:
    """Begin with more left than the budget."""
    return SummaryState(budgets=Map({X: Budget(value=-1, count=-1)}))


BY_VALUE = (
    record_conserves(VALUE),
    query_conserves("ε", lambda spent: spent.epsilon),
    query_conserves("δ", lambda spent: spent.delta),
    reports_keep_their_entries,
    losses_are_shares,
    spent_is_capped,
    dummies_are_null,
    others_are_independent,
    sums_differ_by_x,
    other_keys_keep_their_places,
    listed_keys_are_answered_once,
    a_unit_can_pay,
)

PAPERS = Individual()

PROOF = Proof(
    claim="summary_mechanism_is_individually_private",
    subject=PAPERS,
    steps=(*BY_VALUE, record_conserves(COUNT), a_run_has_this_rollout),
    controls={
        "admit counts half the value": Individual(rules=replace(PAPER, admit=admit_half)),
        "charge takes half of epsilon": Individual(
            rules=replace(PAPER, charge=charge_half_epsilon)
        ),
        "charge takes half of delta": Individual(rules=replace(PAPER, charge=charge_half_delta)),
        "every week has a budget of its own": Individual(
            rules=replace(
                PAPER, budget_entries=lambda at, report: ((report.report_id, at.now // WEEK),)
            )
        ),
        "delta is lost by value for both": replace(PAPERS, by_count=loss_by_value),
        "a unit begins with more than its budget": replace(PAPERS, initial=begin_in_credit),
        "ARA records of x stay": replace(PAPERS, without_source=lambda database, _: database),
        "PAA records of x stay": replace(PAPERS, without_storage=lambda database, _: database),
        "units share two budgets": Individual(rules=replace(PAPER, contribute=share_two_budgets)),
        "full reports are counted twice": Individual(
            rules=replace(PAPER, totals=double_full_reports)
        ),
        "keys are listed as they come": Individual(rules=replace(PAPER, keys=keys_as_they_come)),
        "keys are answered as they are listed": Individual(
            rules=replace(PAPER, keys=keys_as_they_are_listed)
        ),
        "admit does not count": Individual(rules=replace(PAPER, admit=admit_uncounted)),
        "noise for half of the budget": Individual(rules=replace(PAPER, noise=noise_for_half)),
        "a rollout that looks ahead": replace(PAPERS, rollout=look_ahead),
    },
    unproved_for={
        "every charge is refused": Individual(rules=replace(PAPER, charge=lambda *_: None)),
    },
)


def checked(proof: Proof[Individual]) -> Check:
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
            subject=lambda rules: Individual(rules=rules),
        ),
        papers_own=(
            *("settle", "batch", "contribute", "totals"),
            *("keys", "answer", "reveal", "serve"),
        ),
        bound="one record, two reports in a batch",
    )


CHECK = checked(PROOF)
BY_VALUE_ONLY = checked(replace(PROOF, steps=BY_VALUE))
