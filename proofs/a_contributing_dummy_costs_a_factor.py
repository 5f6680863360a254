r"""If records moved to the dummy source contribute, the factor is 2, or 3 if it holds records.

Claim: Under the reading in which $x_\bot$ is an ordinary source, the sums change by $2\Lambda_1$;
    if $x_\bot$ holds records already, by $3\Lambda_1$: the records of $x$ use up the dummy's budget
    and displace its own.
Paper: Thm. 4.3; Sec. 4.2.
Method: One trigger for $x$, and one for nobody that the dummy takes, are run on the whole system in
    both worlds. With $\Lambda_1 = 1$ the exact $\delta$ at $\varepsilon$, $2\varepsilon$ and
    $3\varepsilon$ is 2/9, 4/27 and 0. The subject of the proof is the neighbour relation: with
    attribution fixed nothing of this shows.
    Upper bound: $x$ contributes at most $\Lambda_1$ in one world, the dummy at most $\Lambda_1$ in
    each, by contributions_stay_within_budget, and a dummy without records nothing in the first.
Assumes: The dummy has a budget like any source. Without a cap the change is unbounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from proofs._check import check_of
from proofs._proof import Proof, assume, exists
from proofs._subjects import for_all_rules, search
from proofs._worlds import both_sums, change, delta_at, limited
from spec import PAPER
from spec.aggregation_service import Query
from spec.attribution_client import AttributionClient, Source, Trigger
from spec.contributions import Credit
from spec.distributions import Draw
from spec.neighbours import ATTRIBUTION_FIXED, DUMMY, DUMMY_KEY, MOVED_TO_DUMMY, Relation
from spec.rules import AtTrigger
from spec.system import Move

KEYS = tuple(key | piece for piece in (1, 2, DUMMY_KEY) for key in (0, 4, 8))


def attribute_to_someone(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    """Credit the dummy with a trigger that no source takes."""
    client, credits = PAPER.attribute(at, draw)
    dummy = Source(
        source_id=DUMMY,
        destination=at.cause.destination,
        expiry=at.now + 1,
        filters=at.cause.filters,
        key=DUMMY_KEY,
    )
    others = (Credit(unit=DUMMY, contributions=at.rules.contributions(at, dummy)),)
    return client, credits or others


def moves(value: int, *, for_nobody: bool) -> list[Move]:
    """Return a source with one trigger, and a trigger for nobody."""
    source = Source(source_id="x", destination="d", expiry=9, filters=frozenset("a"), key=1)
    first = Trigger(report_id=1, destination="d", filters=frozenset("a"), key=4, value=value)
    second = Trigger(report_id=2, destination="d", filters=frozenset("b"), key=8, value=value)
    return [source, first, second] if for_nobody else [source, first]


@dataclass(frozen=True, kw_only=True)
class Moved:
    """Hold the neighbour relation, and by how much two sums of a key differ."""

    relation: Relation = MOVED_TO_DUMMY
    difference: Callable[[int, int], int] = lambda first, second: abs(first - second)


EXACT = {(1, 3): [Fraction(2, 9), Fraction(4, 27), Fraction(0)]}
"""The exact δ at one, two and three times ε, by budget and factor."""


@search(
    "the change is two or three times the budget, and so is the loss; δ is 2/9, 4/27 and 0",
    by="exact laws",
    over="Λ1 = 1, 2",
)
def factors(moved: Moved) -> Mapping[str, object] | None:
    """Look for a budget at which a factor is another."""
    holding = replace(PAPER, attribute=attribute_to_someone)
    for budget, (rules, factor) in (
        (b, each) for b in (1, 2) for each in ((PAPER, 2), (holding, 3))
    ):
        run = moves(budget, for_nobody=factor == 3)
        ids = tuple(range(1, len(run)))
        query = Query(epsilon=Fraction(budget), report_ids=ids, keys=KEYS)
        first, second = both_sums(limited(budget, rules=rules), moved.relation, "x", run, query)
        deltas = [delta_at(first, second, k * budget) for k in range(1, factor + 1)]
        lost = deltas[-2] > deltas[-1] == 0 and deltas == EXACT.get((budget, factor), deltas)
        if change(first, second) != factor * budget or not lost:
            return {
                "contribution_budget": budget,
                "expected factor": factor,
                "change": change(first, second),
                **{f"delta at {k}ε": delta for k, delta in enumerate(deltas, start=1)},
            }
    return None


def assume_budgets(x: int, dummy: int, dummy_without: int, budget: int) -> None:
    """Take what x and the dummy contribute with x, and the dummy without it."""
    assume(0 <= x, x <= budget, 0 <= dummy, dummy <= budget)
    assume(0 <= dummy_without, dummy_without <= budget)


@for_all_rules("upper bound: x once and the dummy in both worlds make three times the budget")
def at_most_three_times(moved: Moved, x: int, dummy: int, dummy_without: int, budget: int) -> bool:
    """Bound the change of one key; keys add up as in an_empty_store_costs_a_factor_two."""
    assume_budgets(x, dummy, dummy_without, budget)
    total = moved.difference(x + dummy, dummy_without)
    return (total <= x + dummy + dummy_without) & (total <= 3 * budget)


@exists("not vacuous: on three keys the bound is attained")
def bound_is_attained(moved: Moved, x: int, dummy: int, dummy_without: int, budget: int) -> bool:
    """Find contributions that use up every budget on different keys."""
    assume_budgets(x, dummy, dummy_without, budget)
    with_x = moved.difference(x, 0) + moved.difference(dummy, 0)
    return (budget >= 1) & (with_x + moved.difference(0, dummy_without) == 3 * budget)


PAPERS = Moved()

PROOF = Proof(
    claim="a_contributing_dummy_costs_a_factor",
    subject=PAPERS,
    bound="attained for Λ1 = 1, 2; the upper bound for all values",
    steps=(factors, at_most_three_times, bound_is_attained),
    controls={
        "the dummy contributes nothing": replace(PAPERS, relation=ATTRIBUTION_FIXED),
        "squares of differences": replace(
            PAPERS, difference=lambda first, second: (first - second) * (first - second)
        ),
    },
    unproved_for={"sums that do not differ": replace(PAPERS, difference=lambda *_: 0)},
)

CHECK = check_of(PROOF, method="exact run of the whole system; the triangle inequality")
