r"""If the programs of x run on an empty store and contribute, the factor is 2.

Claim: Under the reading in which the neighbour's store is *empty* and its programs still run, the
    sums change by $2\Lambda_1$, so that the loss is $2\varepsilon_*$, and no more.
Paper: Thm. 4.5; Sec. 4.3.
Method: A program that contributes to one key if it has run before and to another if not is run on
    the whole system, in both worlds, for several $\Lambda_1$. The change is $2\Lambda_1$ and the
    exact $\delta$ is positive below $2\varepsilon$ and zero there. The subject of the proof is the
    neighbour relation: with a null store nothing of this shows.
    Upper bound: in each world the unit contributes at most $\Lambda_1$, by
    contributions_stay_within_budget. Induction on the keys: the difference of two numbers that are
    not negative is at most their sum. So the change is at most $2\Lambda_1$ on at most
    $2\Lambda_0$ keys, each changes by at most $\Lambda_1$, and $\delta$ is at most doubled.
Assumes: Nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from proofs._check import check_of
from proofs._proof import Proof, assume, exists
from proofs._subjects import for_all_rules, search
from proofs._worlds import both_sums, change, delta_at, limited
from spec.aggregation_service import Query
from spec.neighbours import EMPTY_STORE, NULL_STORE, Relation
from spec.private_aggregation_client import DeviceWindow, Event, Program, Storage
from spec.system import Move, PassTime

UNIT = DeviceWindow(device="u", window=1)


def first_or_again(value: int) -> Program:
    """Return a program that contributes to key 1 at first and to key 2 when run again."""

    def program(storage: Storage) -> tuple[Storage, int, int]:
        return storage.set("seen", True), 2 if "seen" in storage else 1, value

    return program


def views(value: int) -> list[Move]:
    """Return a view in the first window and one in the second."""
    first, again = (
        Event(report_id=each, device="u", program=first_or_again(value)) for each in (1, 2)
    )
    return [first, PassTime(until=600), again]


@search(
    "the change is twice the budget, and the loss twice ε", by="exact laws", over="Λ1 = 1, 2, 3"
)
def factor_is_two(relation: Relation) -> Mapping[str, object] | None:
    """Look for a budget at which the factor is another."""
    for budget in (1, 2, 3):
        query = Query(epsilon=Fraction(budget), report_ids=(2,), keys=(1, 2))
        first, second = both_sums(limited(budget), relation, UNIT, views(budget), query)
        deltas = [delta_at(first, second, k) for k in (budget, 2 * budget - 1, 2 * budget)]
        if change(first, second) != 2 * budget or not (deltas[0] >= deltas[1] > deltas[2] == 0):
            return {
                "contribution_budget": budget,
                "change": change(first, second),
                "delta at ε": deltas[0],
                "delta at 2ε": deltas[2],
            }
    return None


@for_all_rules("upper bound: two worlds within budget differ by at most twice the budget")
def at_most_twice(
    _: Relation, real: int, other: int, rest_real: int, rest_other: int, rest: int, budget: int
) -> bool:
    """Add one key to a difference of which this is known already."""
    assume(0 <= real, 0 <= other, 0 <= rest_real, 0 <= rest_other, rest <= rest_real + rest_other)
    total = abs(real - other) + rest
    step = total <= (real + rest_real) + (other + rest_other)
    assume(real + rest_real <= budget, other + rest_other <= budget)
    return step & (total <= 2 * budget) & (abs(real - other) <= budget)


@exists("not vacuous: on two keys the bound is attained")
def bound_is_attained(_: Relation, real: int, other: int, budget: int) -> bool:
    """Find two worlds that use up the budget on different keys."""
    assume(budget >= 1, 0 <= real, real <= budget, 0 <= other, other <= budget)
    return abs(real - 0) + abs(0 - other) == 2 * budget


PROOF = Proof(
    claim="an_empty_store_costs_a_factor_two",
    subject=EMPTY_STORE,
    bound="attained for Λ1 = 1, 2, 3; the upper bound for all values",
    steps=(factor_is_two, at_most_twice, bound_is_attained),
    controls={"the neighbour's store is null": NULL_STORE},
)

CHECK = check_of(PROOF, method="exact run of the whole system; the triangle inequality")
