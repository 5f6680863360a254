r"""If x was never registered, triggers re-route to older sources: the factor reaches 2k + 1.

Claim: With $k$ older sources the sums change by $(2k + 1)\Lambda_1$ if $x$ is not registered, and
    never by more, for every $k \ge 1$, $\Lambda_1 \ge 1$ and $\Lambda_0 \ge 1$.
Paper: none (B2).
Method: A family of attacks in which every trigger has the value $\Lambda_1$, so that a source takes
    one trigger and no more. The subject of the proof is the neighbour relation, with the rules.
    Falling through, as the paper's rules do: the sources are $x$, $z_1, \dots, z_k$ from the newest
    to the oldest. Trigger $t_1$ matches $x$ and $z_1$, trigger $t_{i+1}$ matches $z_i$ and
    $z_{i+1}$, and $t_{k+1}$ matches $z_k$. With $x$ every trigger is taken by the first of its
    sources. Without $x$, $z_1$ takes $t_1$, is used up for $t_2$, which goes to $z_2$, and so on;
    $t_{k+1}$ is lost. So each of $t_1, \dots, t_k$ moves $\Lambda_1$ from one key to another, and
    $t_{k+1}$ takes $\Lambda_1$ away.
    Induction on $k$: before $t_{i+1}$ the worlds differ in $z_i$ alone among the sources of the
    triggers that follow. It is unused with $x$ and used up without. The first trigger, one link and
    the last trigger are run on the client for every $\Lambda_1$ and $\Lambda_0$, beside a source
    that they do not match and that has used any part of its budget.
    Dropping: one trigger uses up the budget of $x$; then $t_i$, which matches $x$ and $z_i$, is
    lost on $x$ or goes to $z_i$ without $x$, which is then missing for $u_i$. The pairs are
    independent of each other.
    Both attacks are also run whole, in both worlds, for $k$ up to 3 and every budget.
    Upper bound: a source newer than $x$ is tried before it and takes what it takes without $x$, so
    that only $x$ and the older ones change. Each contributes at most $\Lambda_1$ in each world, by
    contributions_stay_within_budget, and $x$ in one only. Induction on the older sources
    adds $2\Lambda_1$ for each.
Assumes: A trigger reads the sources that match it, and their budgets, and no others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import cast

from proofs._check import check_of
from proofs._proof import Proof, Statement, assume, exists
from proofs._subjects import for_all_rules, search
from proofs._worlds import both_sums, change, delta_at, limited, without_noise
from spec import PAPER, Rules
from spec.aggregation_service import Query
from spec.attribution_client import Source, Trigger
from spec.distributions import Draw
from spec.neighbours import ATTRIBUTION_FIXED, NEVER_REGISTERED, Relation
from spec.reports import Contribution
from spec.rules import AtTrigger
from spec.system import Move, SystemMechanism, step

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
        owners = [X_KEY << each for each in range(sources + 1)]
        return Query(
            epsilon=Fraction(epsilon),
            report_ids=tuple(self.pieces),
            keys=tuple(owner | piece for owner in owners for piece in self.pieces),
        )

    def contents(self, rules: Rules, report_id: int) -> tuple[Contribution, ...]:
        """Make the moves and return what a report holds."""
        system = SystemMechanism(rules=rules).initial
        for move in self.moves:
            system, _ = step(rules, system, move, cast(Draw, without_noise))
        return system.reports[report_id].contributions


def falling_through(budget: int, sources: int) -> Attack:
    """Let each trigger go to one source with x and to the next older one without."""
    attack = Attack()
    for each in range(sources, 0, -1):
        attack.source(f"z{each}", X_KEY << each, f"t{each} t{each + 1}")
    attack.source("x", X_KEY, "t1")
    for each in range(1, sources + 2):
        attack.trigger(f"t{each}", budget)
    return attack


def dropping(budget: int, sources: int) -> Attack:
    """Use up the budget of x, then send what is lost on x or taken by an older source."""
    attack = Attack()
    for each in range(1, sources + 1):
        attack.source(f"z{each}", X_KEY << each, f"t{each} u{each}")
    attack.source("x", X_KEY, " ".join(["x", *(f"t{each}" for each in range(1, sources + 1))]))
    attack.trigger("x", budget)
    for each in range(1, sources + 1):
        attack.trigger(f"t{each}", budget)
        attack.trigger(f"u{each}", budget)
    return attack


def newest_only(_: AtTrigger, matching: tuple[Source, ...]) -> Sequence[Source]:
    """Try the newest source and no other."""
    return matching[:1]


MakeAttack = Callable[[int, int], Attack]

DROPPING = replace(PAPER, attempt_order=newest_only)


@dataclass(frozen=True, kw_only=True)
class Reroute:
    """Hold both attacks with their rules, what single triggers are run with, and a relation.

    The loss is computed for the relation. `moved` is what a link moves, `room` what an older source
    adds at most and `most` what the witness looks for, in budgets.
    """

    whole: Mapping[str, tuple[Rules, MakeAttack]] = field(
        default_factory=lambda: {
            "falling through": (PAPER, falling_through),
            "dropping": (DROPPING, dropping),
        }
    )
    client: Rules = PAPER
    drops: Rules = DROPPING
    newest: Rules = PAPER
    relation: Relation = NEVER_REGISTERED
    most: int = 2
    moved: int = 2
    room: int = 2


def whole_attack(name: str) -> Statement[Reroute]:
    """Return the step that an attack reaches the factor, run whole."""

    @for_all_rules(f"{name}: with k = 1, 2, 3 the change is 2k + 1 times any budget")
    def reached(reroute: Reroute, budget: int, count: int) -> bool:
        assume(budget >= 1, count >= 1)
        rules, make = reroute.whole[name]
        limits = with_budgets(rules, budget, count)
        for sources in (1, 2, 3):
            attack = make(budget, sources)
            query = attack.query(1, sources)
            sums = both_sums(limits, NEVER_REGISTERED, "x", attack.moves, query)
            if change(*sums) != (2 * sources + 1) * budget:
                return False
        return True

    return reached


def with_budgets(rules: Rules, budget: int, count: int) -> Rules:
    """Return the rules with these budgets."""
    limits = replace(rules.limits, contribution_budget=budget, sparsity_budget=count)
    return replace(rules, limits=limits)


def beside(other: int) -> Attack:
    """Begin with a source that the triggers of a link do not match, partly used up."""
    attack = Attack()
    attack.source("other", 2**40, "other")
    attack.trigger("other", other)
    return attack


def taken_by(contents: tuple[Contribution, ...], owner: int, piece: int, value: int) -> bool:
    """Tell whether a report holds one contribution, of this value to the key of this source."""
    return len(contents) == 1 and contents[0].key == owner | piece and contents[0].value == value


@for_all_rules("induction starts: the first trigger goes to x, or to the newest older source")
def first_trigger(reroute: Reroute, budget: int, count: int, other: int) -> bool:
    """Run it with x and without."""
    assume(budget >= 1, count >= 1, 0 <= other, other <= budget)
    rules = with_budgets(reroute.client, budget, count)
    with_x, without = beside(other), beside(other)
    for attack in (with_x, without):
        attack.source("z", X_KEY << 1, "first second")
    with_x.source("x", X_KEY, "first")
    for attack in (with_x, without):
        attack.trigger("first", budget)
    return taken_by(with_x.contents(rules, 2), X_KEY, 2, budget) and taken_by(
        without.contents(rules, 2), X_KEY << 1, 2, budget
    )


@for_all_rules("induction step: a source that is unused takes the trigger, else the next older one")
def one_link(reroute: Reroute, budget: int, count: int, other: int) -> bool:
    """Run a trigger that matches two sources, after one that used up the newer or was not there."""
    assume(budget >= 1, count >= 1, 0 <= other, other <= budget)
    rules = with_budgets(reroute.client, budget, count)
    unused, used_up = beside(other), beside(other)
    for attack, before in ((unused, "nobody"), (used_up, "before")):
        attack.source("older", X_KEY << 2, "link after")
        attack.source("newer", X_KEY << 1, "before link")
        attack.trigger(before, budget)
        attack.trigger("link", budget)
        attack.trigger("after", budget)
    # The older source is left unused in the one world, used up in the other: it can go on.
    goes_on = taken_by(unused.contents(rules, 4), X_KEY << 2, 4, budget)
    ends = not used_up.contents(rules, 4)
    moved = taken_by(unused.contents(rules, 3), X_KEY << 1, 3, budget) and taken_by(
        used_up.contents(rules, 3), X_KEY << 2, 3, budget
    )
    return moved and goes_on and ends


@for_all_rules("induction ends: the last trigger goes to the oldest source, or is lost")
def last_trigger(reroute: Reroute, budget: int, count: int, other: int) -> bool:
    """Run a trigger that matches one source, unused and used up."""
    assume(budget >= 1, count >= 1, 0 <= other, other < budget)
    rules = with_budgets(reroute.client, budget, count)
    unused, used_up = beside(other), beside(other)
    for attack, before in ((unused, "nobody"), (used_up, "before")):
        attack.source("oldest", X_KEY << 1, "before last")
        attack.trigger(before, budget)
        attack.trigger("last", budget)
    taken = taken_by(unused.contents(rules, 3), X_KEY << 1, 3, budget)
    return taken and not used_up.contents(rules, 3)


@for_all_rules("dropping: what is lost on x goes to an older source without x, and is missing then")
def one_pair(reroute: Reroute, budget: int, count: int, other: int) -> bool:
    """Run the two triggers of a pair once the budget of x is used up, and without x."""
    assume(budget >= 1, count >= 1, 0 <= other, other <= budget)
    rules = with_budgets(reroute.drops, budget, count)
    with_x, without = beside(other), beside(other)
    for attack in (with_x, without):
        attack.source("z", X_KEY << 1, "pair own")
    with_x.source("x", X_KEY, "x pair")
    for attack in (with_x, without):
        for filter_name in ("x", "pair", "own"):
            attack.trigger(filter_name, budget)
    lost, late = with_x.contents(rules, 3), with_x.contents(rules, 4)
    taken, missing = without.contents(rules, 3), without.contents(rules, 4)
    moved = taken_by(late, X_KEY << 1, 4, budget) and taken_by(taken, X_KEY << 1, 3, budget)
    return moved and not lost and not missing


@for_all_rules("induction adds up: each link moves twice the budget, and one budget is left over")
def links_add_up(reroute: Reroute, so_far: int, links: int, budget: int) -> bool:
    """Add one link to a change of which this is known already."""
    assume(links >= 0, budget >= 1, so_far == (2 * links + 1) * budget)
    return so_far + reroute.moved * budget == (2 * (links + 1) + 1) * budget


@search("with one older source the loss is three times ε", by="exact laws", over="k = 1, Λ1 = 2")
def loss_is_three_times(reroute: Reroute) -> Mapping[str, object] | None:
    """Compute the exact δ just below three times ε and there."""
    for rules, attack in ((PAPER, falling_through), (DROPPING, dropping)):
        made = attack(2, 1)
        first, second = both_sums(
            limited(2, rules=rules), reroute.relation, "x", made.moves, made.query(2, 1)
        )
        below, there = delta_at(first, second, 5), delta_at(first, second, 6)
        if not below > there == 0:
            return {"delta below 3ε": below, "delta at 3ε": there}
    return None


@for_all_rules("upper bound: a source newer than x takes the same with x and without")
def newer_are_untouched(
    reroute: Reroute, budget: int, count: int, other: int, used: int, value: int
) -> bool:
    """Run a trigger that matches an older source, x and a newer one that is partly used up."""
    assume(budget >= 1, count >= 1, 0 <= other, other <= budget, used >= 0, value >= 1)
    rules = with_budgets(reroute.newest, budget, count)
    newest = X_KEY << 2
    takes: list[bool] = []
    for registered in (True, False):
        attack = beside(other)
        attack.source("older", X_KEY << 1, "all")
        if registered:
            attack.source("x", X_KEY, "all")
        attack.source("newer", newest, "own all")
        attack.trigger("own", used)
        attack.trigger("all", value)
        takes.append(taken_by(attack.contents(rules, 3), newest, 3, value))
    return takes[0] == takes[1]


@for_all_rules("upper bound: every older source adds at most twice the budget")
def at_most_two_more(
    reroute: Reroute, rest: int, sources: int, real: int, other: int, budget: int
) -> bool:
    """Add one source to a change of which this is known already; with none x alone changes."""
    assume(sources >= 0, budget >= 1, rest <= (2 * sources + 1) * budget)
    assume(0 <= real, real <= budget, 0 <= other, other <= budget)
    return rest + abs(real - other) <= rest + real + other and (
        rest + real + other <= rest + reroute.room * budget <= (2 * (sources + 1) + 1) * budget
    )


@exists("not vacuous: one older source can add twice the budget")
def bound_is_attained(reroute: Reroute, real: int, other: int, budget: int) -> bool:
    """Find contributions of one source to two keys, one in each world."""
    assume(budget >= 1, 0 <= real, real <= budget, 0 <= other, other <= budget)
    return abs(real - 0) + abs(0 - other) == reroute.most * budget


def without_last(make: MakeAttack) -> MakeAttack:
    """Return the attack without its last trigger."""

    def shorter(budget: int, sources: int) -> Attack:
        attack = make(budget, sources)
        attack.moves.pop()
        attack.pieces.pop()
        return attack

    return shorter


def nothing_of_x(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    """Let x contribute nothing."""
    return () if source.source_id == "x" else PAPER.contributions(at, source)


def the_last_matches_all(at: AtTrigger, source: Source) -> bool:
    """Let the last trigger match every source."""
    return "last" in at.cause.filters or PAPER.matches(at, source)


def skip_the_newest_of_three(_: AtTrigger, matching: tuple[Source, ...]) -> Sequence[Source]:
    """Pass over the newest source where there are three."""
    return matching[1:] if len(matching) == 3 else matching


PAPERS = Reroute()
WHOLE = PAPERS.whole

PROOF = Proof(
    claim="never_registered_costs_a_factor",
    subject=PAPERS,
    steps=(
        *map(whole_attack, WHOLE),
        first_trigger,
        one_link,
        last_trigger,
        one_pair,
        links_add_up,
        loss_is_three_times,
        newer_are_untouched,
        at_most_two_more,
        bound_is_attained,
    ),
    controls={
        "attribution is fixed": replace(PAPERS, relation=ATTRIBUTION_FIXED),
        **{
            f"{name}, without the last trigger": replace(
                PAPERS, whole={**WHOLE, name: (rules, without_last(make))}
            )
            for name, (rules, make) in WHOLE.items()
        },
        "x contributes nothing": replace(PAPERS, client=replace(PAPER, contributions=nothing_of_x)),
        "triggers do not fall through": replace(PAPERS, client=DROPPING),
        "the last trigger matches every source": replace(
            PAPERS, client=replace(PAPER, matches=the_last_matches_all)
        ),
        "triggers fall through where they should be dropped": replace(PAPERS, drops=PAPER),
        "a link moves one budget": replace(PAPERS, moved=1),
        "the newest of three sources is passed over": replace(
            PAPERS, newest=replace(PAPER, attempt_order=skip_the_newest_of_three)
        ),
        "an older source adds one budget": replace(PAPERS, room=1),
    },
    unproved_for={"an older source that adds three budgets": replace(PAPERS, most=3)},
)

CHECK = check_of(
    PROOF,
    method="attacks run whole for k = 1, 2, 3; induction on the older sources, link by link",
    assumes="a trigger reads the sources that match it and no others",
)
