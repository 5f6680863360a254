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

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, kw_only=True)
class Emptied:
    """Hold the neighbour relation, and by how much two sums of a key differ."""

    relation: Relation = EMPTY_STORE
    difference: Callable[[int, int], int] = lambda first, second: abs(first - second)


@search(
    "the change is twice the budget, and the loss twice ε", by="exact laws", over="Λ1 = 1, 2, 3"
)
def factor_is_two(emptied: Emptied) -> Mapping[str, object] | None:
    """Look for a budget at which the factor is another."""
    for budget in (1, 2, 3):
        query = Query(epsilon=Fraction(budget), report_ids=(2,), keys=(1, 2))
        first, second = both_sums(limited(budget), emptied.relation, UNIT, views(budget), query)
        deltas = [delta_at(first, second, k) for k in (budget, 2 * budget - 1, 2 * budget)]
        if change(first, second) != 2 * budget or not (deltas[0] >= deltas[1] > deltas[2] == 0):
            return {
                "contribution_budget": budget,
                "change": change(first, second),
                "delta at ε": deltas[0],
                "delta at 2ε": deltas[2],
            }
    return None


def assume_budgets(real: int, other: int, rest_real: int, rest_other: int, rest: int) -> None:
    """Take the sums of a key in two worlds, those of all other keys, and how far these differ."""
    assume(0 <= real, 0 <= other, 0 <= rest_real, 0 <= rest_other)
    assume(0 <= rest, rest <= rest_real + rest_other)


@for_all_rules("upper bound: two worlds within budget differ by at most twice the budget")
def at_most_twice(
    emptied: Emptied,
    real: int,
    other: int,
    rest_real: int,
    rest_other: int,
    rest: int,
    budget: int,
) -> bool:
    """Add one key to a difference of which this is known already."""
    assume_budgets(real, other, rest_real, rest_other, rest)
    one = emptied.difference(real, other)
    step = one + rest <= (real + rest_real) + (other + rest_other)
    assume(real + rest_real <= budget, other + rest_other <= budget)
    return step & (one + rest <= 2 * budget) & (one <= budget)


@exists("not vacuous: on two keys the bound is attained")
def bound_is_attained(
    emptied: Emptied,
    real: int,
    other: int,
    rest_real: int,
    rest_other: int,
    rest: int,
    budget: int,
) -> bool:
    """Find two worlds that use up the budget on different keys."""
    assume_budgets(real, other, rest_real, rest_other, rest)
    assume(real + rest_real == budget, other + rest_other == budget)
    one, apart = emptied.difference(real, other), emptied.difference(rest_real, rest_other)
    return (budget >= 1) & (rest == apart) & (one + apart == 2 * budget)


PAPERS = Emptied()

PROOF = Proof(
    claim="an_empty_store_costs_a_factor_two",
    subject=PAPERS,
    bound="attained for Λ1 = 1, 2, 3; the upper bound for all values",
    steps=(factor_is_two, at_most_twice, bound_is_attained),
    controls={
        "the neighbour's store is null": replace(PAPERS, relation=NULL_STORE),
        "squares of differences": replace(
            PAPERS, difference=lambda first, second: (first - second) * (first - second)
        ),
    },
    unproved_for={"sums that do not differ": replace(PAPERS, difference=lambda *_: 0)},
)

CHECK = check_of(PROOF, method="exact run of the whole system; the triangle inequality")
