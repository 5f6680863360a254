r"""If x was never registered, triggers re-route to older sources: the factor reaches 2k + 1.

Claim: With $k$ older sources the sums change by $(2k + 1)\Lambda_1$ if $x$ is not registered, and
    never by more.
Paper: none (B2).
Method: A family of attacks is run on the whole system for $k = 1, 2, 3$ and several $\Lambda_1$,
    with the paper's rules, which fall through to an older source, and with rules that drop. Falling
    through: trigger $t_i$ matches $x$ and the older $z_i$, and the $t_i$ use up the budget of $x$.
    Then $u_i$ and $w_i$ match $z_i$ alone. With $x$, $z_i$ gives all of its budget to $u_i$.
    Without $x$, $z_i$ takes $t_i$, has not enough left for $u_i$, and gives the rest to $w_i$. So
    every $z_i$ moves $2\Lambda_1$, and $x$ one more. Dropping: one trigger uses up the budget of
    $x$; then $t_i$ is lost on $x$ or goes to $z_i$ without $x$, which is then missing for $u_i$.
    The subject of the proof is the neighbour relation.
    Upper bound: a source newer than $x$ is tried before it, so that only $x$ and the older ones
    change. Each contributes at most $\Lambda_1$ in each world, by contributions_stay_within_budget,
    and $x$ in one only. Induction on the older sources adds $2\Lambda_1$ for each.
Assumes: The budget on the number of contributions allows for the triggers of the attack.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from proofs._check import check_of
from proofs._proof import Proof, assume, exists
from proofs._subjects import for_all_rules, search
from proofs._worlds import both_sums, change, delta_at, limited
from spec import PAPER, Rules
from spec.aggregation_service import Query
from spec.attribution_client import Source, Trigger
from spec.neighbours import ATTRIBUTION_FIXED, NEVER_REGISTERED, Relation
from spec.system import Move

X_KEY = 2**20


class Attack:
    """Collect moves, each trigger with a key of its own."""

    def __init__(self) -> None:
        self.moves: list[Move] = []
        self.pieces: list[int] = []

    def source(self, source_id: str, key: int, filters: str) -> None:
        """Register a source."""
        self.moves.append(
            Source(
                source_id=source_id,
                destination="d",
                expiry=9,
                filters=frozenset(filters.split()),
                key=key,
            )
        )

    def trigger(self, filter_name: str, value: int) -> None:
        """Register a trigger with one filter."""
        number = len(self.pieces) + 1
        self.pieces.append(number)
        self.moves.append(
            Trigger(
                report_id=number,
                destination="d",
                filters=frozenset({filter_name}),
                key=number,
                value=value,
            )
        )

    def query(self, epsilon: int, sources: int) -> Query:
        """Ask for all reports and for all keys that any source could make."""
        owners = [X_KEY, *(X_KEY << each for each in range(1, sources + 1))]
        return Query(
            epsilon=Fraction(epsilon),
            report_ids=tuple(self.pieces),
            keys=tuple(owner | piece for owner in owners for piece in self.pieces),
        )


def registered(sources: int) -> Attack:
    """Register the older sources, and x last."""
    attack = Attack()
    for each in range(1, sources + 1):
        attack.source(f"z{each}", X_KEY << each, f"t{each} z{each}")
    shared = " ".join(f"t{each}" for each in range(1, sources + 1))
    attack.source("x", X_KEY, f"x {shared}")
    return attack


def falling_through(budget: int, sources: int) -> Attack:
    """Share the budget of x among triggers that the older sources take without x."""
    attack = registered(sources)
    shares = [1] * (sources - 1) + [budget - sources + 1]
    for each, share in enumerate(shares, start=1):
        attack.trigger(f"t{each}", share)
    for each, share in enumerate(shares, start=1):
        attack.trigger(f"z{each}", budget)
        attack.trigger(f"z{each}", budget - share)
    return attack


def dropping(budget: int, sources: int) -> Attack:
    """Use up the budget of x, then send what is lost on x or taken by an older source."""
    attack = registered(sources)
    attack.trigger("x", budget)
    for each in range(1, sources + 1):
        attack.trigger(f"t{each}", budget)
        attack.trigger(f"z{each}", budget)
    return attack


def newest_only(candidates: Sequence[Source], _: Trigger) -> Sequence[Source]:
    """Try the newest source and no other."""
    return candidates[:1]


ATTACKS = (
    (PAPER, falling_through),
    (replace(PAPER, attempt_order=newest_only), dropping),
)


@search(
    "with k older sources the change is 2k + 1 times the budget",
    by="exact runs",
    over="k = 1, 2, 3 and Λ1 = 3, 5",
)
def factor_is_reached(relation: Relation) -> Mapping[str, object] | None:
    """Look for a budget and a number of sources at which the attack changes another amount."""
    for rules, attack in ATTACKS:
        for budget, sources in ((3, 1), (3, 2), (3, 3), (5, 3)):
            found = changed_by(rules, relation, attack(budget, sources), budget, sources)
            if found != (2 * sources + 1) * budget:
                return {"older sources": sources, "contribution_budget": budget, "change": found}
    return None


def changed_by(rules: Rules, relation: Relation, attack: Attack, budget: int, sources: int) -> int:
    """Return the change of the sums by an attack."""
    query = attack.query(budget, sources)
    return change(*both_sums(limited(budget, rules=rules), relation, "x", attack.moves, query))


@search("with one older source the loss is three times ε", by="exact laws", over="k = 1, Λ1 = 2")
def loss_is_three_times(relation: Relation) -> Mapping[str, object] | None:
    """Compute the exact δ just below three times ε and there."""
    for rules, attack in ATTACKS:
        made = attack(2, 1)
        first, second = both_sums(
            limited(2, rules=rules), relation, "x", made.moves, made.query(2, 1)
        )
        below, there = delta_at(first, second, 5), delta_at(first, second, 6)
        if not below > there == 0:
            return {"delta below 3ε": below, "delta at 3ε": there}
    return None


@for_all_rules("upper bound: every older source adds at most twice the budget")
def at_most_two_more(
    _: Relation, rest: int, sources: int, real: int, other: int, budget: int
) -> bool:
    """Add one source to a change of which this is known already; with none x alone changes."""
    assume(sources >= 0, budget >= 1, rest <= (2 * sources + 1) * budget)
    assume(0 <= real, real <= budget, 0 <= other, other <= budget)
    return rest + abs(real - other) <= rest + real + other and (
        rest + real + other <= (2 * (sources + 1) + 1) * budget
    )


@exists("not vacuous: one older source can add twice the budget")
def bound_is_attained(_: Relation, real: int, other: int, budget: int) -> bool:
    """Find contributions of one source to two keys, one in each world."""
    assume(budget >= 1, 0 <= real, real <= budget, 0 <= other, other <= budget)
    return abs(real - 0) + abs(0 - other) == 2 * budget


PROOF = Proof(
    claim="never_registered_costs_a_factor",
    subject=NEVER_REGISTERED,
    bound="attained for k = 1, 2, 3 and Λ1 = 3, 5; the upper bound for all values",
    steps=(factor_is_reached, loss_is_three_times, at_most_two_more, bound_is_attained),
    controls={"attribution is fixed": ATTRIBUTION_FIXED},
)

CHECK = check_of(PROOF, method="attacks for k = 1, 2, 3 run exactly; induction on older sources")
