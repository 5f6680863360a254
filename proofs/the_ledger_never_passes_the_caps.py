r"""What a report takes part in stays within the caps, whatever the ledger looks like.

Claim: For every report, the sums of $\varepsilon$ and $\delta$ over the answers that are drawn
    from it are at most $\varepsilon_*$ and $\delta_*$. An answer is drawn when the rule `answer`
    is asked, with the parameters that it is given; what is shown again is not drawn again.
Paper: Alg. 1; Alg. 6.
Method: The ledger bounds these sums. Inductive invariant, $0 \le B_\varepsilon(r) \le
    \varepsilon_*$ and $0 \le B_\delta(r) \le \delta_*$ for every entry, its queries are a natural
    number, and an answer raises the entries of its reports by at least its $(\varepsilon,
    \delta)$. `serve`, and in it `charge`, is run on symbolic numbers for batches of one and two
    reports beside an entry that is not in the batch.
    Induction on the batch: `settle` charges each entry once, by `charge`, from what the ledger held
    before the batch, and writes what it charged only after the last report. So a batch of any size
    is as many independent single steps. Induction on the queries: the empty ledger satisfies the
    invariant, and every query preserves it. That a query looks at the entries that the queries
    before it have charged is a step of its own: a report has the same entries in every query and at
    every time, since `budget_entries` may look at neither the query nor the state.
    A ledger that keeps other numbers may break the invariant and be right. So what refutes is the
    claim itself, in a run from the beginning: of two queries with any parameters, or of exact ones,
    many in a row, in large batches, of different kinds.
Assumes: A query has $\varepsilon > 0$ and $0 \le \delta \le 1$, as `Query` demands. One query is
    settled after the other. Where the noise is changed, the $\varepsilon$ of an answer may be
    another than the query's, and nothing is refuted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import groupby, product
from math import floor
from typing import TypeVar

from proofs._check import check_of
from proofs._core import core_of
from proofs._proof import VIOLATED, Proof, Told, assume, exists
from proofs._solvers import Model
from proofs._subjects import (
    FirstRefuted,
    Inductive,
    Retold,
    _real_type,
    any_reports,
    asked,
    at_service,
    bounded,
    certain,
    for_all_rules,
    opaque,
    plain,
    sealed,
    search,
    service,
    spent,
    with_caps,
    without_ledger,
)
from spec import PAPER, Rules
from spec.aggregation_service import (
    Answer,
    Ledger,
    Query,
    Service,
    Spent,
    reveal_outcome,
    settle,
)
from spec.distributions import Draw
from spec.reports import Report
from spec.rules import AtService
from spec.verdicts import Check, Evidence, Finding, Reason

T = TypeVar("T")

OFTEN = 24
"""How often a query is asked."""

WEEK = 7 * 24 * 3600
"""The time between two queries, in seconds."""

SIZES = ((3, 3), (11, 11), (101, 101), (1001, 3), (3, 1001), (1001, 1001))
"""How many reports large batches hold, and for how many keys they are asked."""


def within(entry: Spent, epsilon_cap: Fraction, delta_cap: Fraction) -> bool:
    """State the invariant for one entry."""
    return (
        (0 <= entry.epsilon)
        & (entry.epsilon <= epsilon_cap)
        & (0 <= entry.delta)
        & (entry.delta <= delta_cap)
    )


def is_entry(entry: Spent) -> bool:
    """State of which kind the numbers of an entry are, and that queries are counted from nothing.

    The next query begins with what this one leaves, so that all that is assumed of an entry must
    be kept.
    """
    exact = _real_type(entry.epsilon) is Fraction and _real_type(entry.delta) is Fraction
    return exact and _real_type(entry.queries) is int and bool(entry.queries >= 0)


@for_all_rules("from the beginning, what a report takes part in stays within the caps")
def two_queries_are_safe(
    rules: Rules,
    epsilon_cap: Fraction,
    delta_cap: Fraction,
    epsilon_1: Fraction,
    delta_1: Fraction,
    epsilon_2: Fraction,
    delta_2: Fraction,
    most: int,
    counted: bool,
) -> bool:
    """Ask for one report, then for two; whatever the ledger holds, add up what was answered."""
    assume(epsilon_cap >= 0, delta_cap >= 0)
    limited = with_caps(rules, epsilon_cap, delta_cap, most, counted)
    state = rules.initial.service
    first, second = any_reports(2)
    taken = {each: spent(Fraction(0), Fraction(0)) for each in (first, second)}
    for time, query, report_ids in (
        ("first_time", asked(epsilon_1, delta_1, "the first query"), (first,)),
        ("second_time", asked(epsilon_2, delta_2, "the second query"), (first, second)),
    ):
        assume(query.epsilon > 0, 0 <= query.delta, query.delta <= 1)
        at = at_service(limited, query, state, time)
        state, answers = answered(at, tuple(map(sealed, report_ids)))
        for each, batch in answers:
            for report in batch:
                after = added(taken[report.report_id], each)
                taken[report.report_id] = after
                if not within(after, epsilon_cap, delta_cap):
                    return False
    return True


def added(taken: Spent, query: Query) -> Spent:
    """Add what a query was answered with; parameters below zero give nothing back."""
    epsilon = query.epsilon if query.epsilon > 0 else Fraction(0)
    delta = query.delta if query.delta > 0 else Fraction(0)
    return spent(taken.epsilon + epsilon, taken.delta + delta)


def answered(
    at: AtService, reports: tuple[Report, ...]
) -> tuple[Service, list[tuple[Query, tuple[Report, ...]]]]:
    """Serve a query; return the next state, and with what and from which reports it answered.

    None but `serve` gets the note in the place of `answer`: another rule that asks for an answer
    would be told something else than where the rules are used.
    """
    rules = at.rules
    answers: list[tuple[Query, tuple[Report, ...]]] = []

    def answer(given: AtService, batch: tuple[Report, ...], _: Draw) -> Answer:
        answers.append((given.query, batch))
        return Answer()

    # What the paper's `serve` reveals is given to nobody here.
    reveal = reveal_outcome if rules.serve is PAPER.serve else rules.reveal

    def as_it_is(rule: Callable[..., T]) -> Callable[..., T]:
        def asked_by_serve(given: AtService, *others: object) -> T:
            seen = given.rules
            seen = replace(seen, answer=rules.answer) if seen.answer is answer else seen
            seen = replace(seen, reveal=rules.reveal) if seen.reveal is reveal else seen
            return rule(replace(given, rules=seen), *others)

        return asked_by_serve

    recording = replace(
        rules,
        answer=answer,
        reveal=reveal,
        batch=as_it_is(rules.batch),
        settle=as_it_is(rules.settle),
        charge=as_it_is(rules.charge),
        budget_entries=as_it_is(rules.budget_entries),
    )
    after, _ = rules.serve(replace(at, rules=recording), reports, certain)
    return after, answers


@for_all_rules("initiation and preservation: entries stay within the caps, and a batch has paid")
def query_is_safe(
    rules: Rules,
    epsilon_cap: Fraction,
    delta_cap: Fraction,
    epsilon_1: Fraction,
    delta_1: Fraction,
    epsilon_2: Fraction,
    delta_2: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    both: bool,
    queries_1: int,
    queries_2: int,
    most: int,
    counted: bool,
) -> bool:
    """Run `serve` on one or two reports; what is answered must have been charged.

    An entry may be one that was never charged.
    """
    assume(epsilon > 0, 0 <= delta, delta <= 1, 0 <= epsilon_cap, 0 <= delta_cap)
    assume(queries_1 >= 0, queries_2 >= 0)
    if rules.initial.service.ledger or not within(Spent(), epsilon_cap, delta_cap):
        return False
    ledger = {}
    first, second, elsewhere = any_reports(3)
    reports = (sealed(first), sealed(second)) if both else (sealed(first),)
    limited = with_caps(without_ledger(rules), epsilon_cap, delta_cap, most, counted)
    at = at_service(limited, asked(epsilon, delta))
    held = [
        (first, spent(epsilon_1, delta_1, queries_1)),
        (second, spent(epsilon_2, delta_2, queries_2)),
        (elsewhere, spent(epsilon_1, delta_2, queries_1)),
    ]
    for report_id, entry in held:
        assume(within(entry, epsilon_cap, delta_cap))
        for place in limited.budget_entries(at, sealed(report_id)):
            ledger[place] = entry
    served, answers = answered(replace(at, service=service(ledger)), reports)
    after = plain(served, Service).ledger
    for entry in after.values():
        if not is_entry(plain(entry, Spent)) or not within(entry, epsilon_cap, delta_cap):
            return False
    taken = {each: spent(Fraction(0), Fraction(0)) for each in (first, second)}
    for given, batch in answers:
        for report in batch:
            taken[report.report_id] = added(taken[report.report_id], given)
            places = limited.budget_entries(at, report)
            if not places:
                return False
            for place in places:
                before, now = ledger.get(place, Spent()), after.get(place, Spent())
                if not (
                    (now.epsilon >= before.epsilon + taken[report.report_id].epsilon)
                    & (now.delta >= before.delta + taken[report.report_id].delta)
                ):
                    return False
    return True


@for_all_rules("a report has the same entries in every query and at every time")
def entries_are_fixed(rules: Rules) -> bool:
    """Run `budget_entries` with a query, a state and contents that may not be looked at."""
    (report_id,) = any_reports(1)
    query = opaque(Query, "the query")
    first = rules.budget_entries(at_service(rules, query, time="first_time"), sealed(report_id))
    second = rules.budget_entries(at_service(rules, query, time="second_time"), sealed(report_id))
    return bool(first) and first == second


@search(
    "preservation: no query is answered more often than its reports can pay",
    over="a query 24 times, at 1 to 12 shares of the caps",
)
def sequences_are_safe(rules: Rules) -> Told | None:
    """Ask again and again, with equal shares of the cap, and with a little more than that."""
    caps = replace(rules.limits, epsilon=Fraction(1), delta=Fraction(1, 2))
    rules = replace(rules, limits=caps)
    for little, shares in product((Fraction(0), Fraction(1, 10**30)), range(1, 13)):
        for epsilon, delta in (
            (Fraction(1, shares) + little, Fraction(0)),
            (Fraction(1, 2 * shares), Fraction(1, 2 * shares) + little),
        ):
            query = Query(epsilon=epsilon, delta=delta, report_ids=(1,), keys=(1,))
            if told := beyond_the_caps(rules, (query,) * OFTEN):
                return told
    return None


@search(
    "preservation: in a large batch, and for many keys, a report pays as much",
    over="batches of up to 1001 reports for up to 1001 keys",
)
def crowds_are_safe(rules: Rules) -> Told | None:
    """Ask for a report among many others, and for many keys, twice."""
    caps = replace(rules.limits, epsilon=Fraction(1), delta=Fraction(1, 2))
    for reports, keys in SIZES:
        for epsilon, delta in ((Fraction(1), Fraction(0)), (Fraction(1, 2), Fraction(1, 2))):
            query = Query(
                epsilon=epsilon,
                delta=delta,
                report_ids=tuple(range(1, reports + 1)),
                keys=tuple(range(1, keys + 1)),
            )
            if told := beyond_the_caps(replace(rules, limits=caps), (query,) * 2):
                return told
    return None


@search(
    "preservation: queries with and without key discovery pay from the same budget",
    over="two kinds of query at 1 to 4 shares of the caps, a week apart",
)
def kinds_share_a_budget(rules: Rules) -> Told | None:
    """Ask one kind of query until it is refused, then the other; add up what was answered."""
    caps = replace(rules.limits, epsilon=Fraction(1), delta=Fraction(1, 2))
    for shares in range(1, 5):
        listed = Query(epsilon=Fraction(1, shares), report_ids=(1,), keys=(1,))
        discovery = replace(listed, delta=Fraction(1, 64))
        for first, second in ((listed, discovery), (discovery, listed)):
            often = (first,) * (shares + 1) + (second,) * (shares + 1)
            if told := beyond_the_caps(replace(rules, limits=caps), often, apart=WEEK):
                return told
    return None


def beyond_the_caps(rules: Rules, queries: Iterable[Query], apart: int = 0) -> Told | None:
    """Ask for reports until the first one takes part in more than the caps; tell what was asked."""
    caps, state, taken = rules.limits, rules.initial.service, Spent()
    lines: list[str] = []
    for number, query in enumerate(queries):
        reports = tuple(Report(report_id=each) for each in query.report_ids)
        at = AtService(rules=rules, now=number * apart, service=state, query=query)
        state, answers = answered(at, reports)
        lines.append(f"{asking(query)} It is {'answered' if answers else 'refused'}.")
        for given, batch in answers:
            if any(report.report_id == query.report_ids[0] for report in batch):
                taken = added(taken, given)
        if not within(taken, caps.epsilon, caps.delta):
            folded = [(line, len(list(equal))) for line, equal in groupby(lines)]
            return {
                str(place): line if times == 1 else f"{line} ({times} times)"
                for place, (line, times) in enumerate(folded, 1)
            } | {
                VIOLATED: f"report {query.report_ids[0]} takes part in answers of "
                f"ε = {taken.epsilon} and δ = {taken.delta} in all, and the caps are "
                f"ε* = {caps.epsilon} and δ* = {caps.delta}"
            }
    return None


def asking(query: Query) -> str:
    """Say what a query asks for."""
    first, *others = query.report_ids
    beside = {0: "", 1: " and another one"}.get(len(others), f" and {len(others)} others")
    keys = f", for {len(query.keys)} keys" if len(query.keys) > 1 else ""
    return (
        f"A query with ε = {query.epsilon} and δ = {query.delta} asks for report "
        f"{first}{beside}{keys}."
    )


def two_queries(rules: Rules, model: Model) -> Told | None:
    """Ask what a model of the two queries asks, on the rules themselves."""

    def number(name: str, otherwise: int = 0) -> Fraction:
        return Fraction(model.get(name, otherwise))

    limits = replace(
        rules.limits,
        epsilon=number("epsilon_cap"),
        delta=number("delta_cap"),
        maximum_queries=int(number("most", 1)) if number("counted") else None,
    )
    first, second = int(number("report_1", 1)), int(number("report_2", 2))
    queries = tuple(
        Query(
            epsilon=number(f"epsilon_{place}", 1),
            delta=number(f"delta_{place}"),
            report_ids=asked_for,
            keys=(1,),
        )
        for place, asked_for in ((1, (first,)), (2, (first, second)))
    )
    limited = replace(rules, limits=limits)
    return beyond_the_caps(limited, queries[1:]) or beyond_the_caps(limited, queries)


@exists("not vacuous: a query is answered, and the next one is refused")
def answered_then_refused(rules: Rules, cap: Fraction, first: Fraction, second: Fraction) -> bool:
    """Find two queries of which the caps allow one."""
    assume(first > 0, second > 0, cap > 0)
    limited = with_caps(rules, cap, Fraction(0), 1, counted=False)
    (report_id,) = any_reports(1)
    one, other = (at_service(limited, asked(each, Fraction(0))) for each in (first, second))
    after = rules.charge(one, Spent(), sealed(report_id))
    return after is not None and rules.charge(other, after, sealed(report_id)) is None


def charge_rounded_down(at: AtService, spent: Spent, _: Report) -> Spent | None:
    """Keep a ledger of whole thousandths, rounded down."""
    epsilon = floor((spent.epsilon + at.query.epsilon) * 1000) * Fraction(1, 1000)
    delta = spent.delta + at.query.delta
    if epsilon > at.limits.epsilon or delta > at.limits.delta:
        return None
    return replace(spent, epsilon=epsilon, delta=delta)


def settle_small_batches(
    at: AtService, batch: tuple[Report, ...]
) -> tuple[Ledger, tuple[Report, ...] | None]:
    """Charge nothing for more than two reports."""
    return (at.service.ledger, batch) if len(batch) > 2 else settle(at, batch)


TWO_QUERIES = Retold(step=two_queries_are_safe, tell=two_queries)

PROOF = Proof(
    claim="the_ledger_never_passes_the_caps",
    subject=PAPER,
    steps=(
        Inductive(
            step=query_is_safe,
            confirmed_by=sequences_are_safe,
            reachable=FirstRefuted(
                name="from the beginning, no report takes part in more than the caps",
                parts=(TWO_QUERIES, sequences_are_safe, kinds_share_a_budget),
            ),
        ),
        crowds_are_safe,
        Inductive(
            step=entries_are_fixed,
            confirmed_by=kinds_share_a_budget,
            reachable=FirstRefuted(
                name="from the beginning, queries of all kinds and times pay from one budget",
                parts=(kinds_share_a_budget, TWO_QUERIES),
            ),
        ),
        answered_then_refused,
    ),
    controls={
        "the ledger is rounded down": replace(PAPER, charge=charge_rounded_down),
        "large batches pay nothing": replace(PAPER, settle=settle_small_batches),
        "discovery has a budget of its own": replace(
            PAPER, budget_entries=lambda at, report: ((report.report_id, at.query.delta > 0),)
        ),
        "every week has a budget of its own": replace(
            PAPER, budget_entries=lambda at, report: ((report.report_id, at.now // WEEK),)
        ),
    },
    unproved_for={"every charge is refused": replace(PAPER, charge=lambda *_: None)},
)


def left_open(check: Check) -> Check:
    """Return the check of the rules without what was put around them.

    It refutes nothing where the noise is changed: an answer with more noise spends less than the
    epsilon that it was asked for with.
    """

    def run(rules: Rules) -> Finding:
        found = check.run(core_of(rules).rules)
        if found.evidence is not Evidence.ATTACK or rules.noise is PAPER.noise:
            return found
        return replace(
            found,
            evidence=Evidence.NONE,
            reason=Reason.NO_CONCLUSION,
            detail="the epsilons that queries name add up beyond the caps, and the noise, which is "
            "changed, may spend less",
            counterexample=None,
        )

    return replace(check, run=run)


CHECK = left_open(
    bounded(
        check_of(
            PROOF,
            method="inductive invariant on charge and serve, induction on batch and queries",
            assumes="queries are settled one after the other",
            takes_rules=True,
        ),
        papers_own=("settle", "serve"),
        bound="batches of at most two reports",
    )
)
