"""Long queues: one unit comes first, then many others, then the first again.

A rule may count what many units do together: reports for a destination, contributions to a key.
Such a count takes more moves than a game can have. So one long run is made with and without a unit.
Where the sums of the reports change by more than the unit's budget, or where as many have come as a
proposal mentions, one query for all of them is played as a game, which decides with its own exact
probabilities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from time import perf_counter_ns
from typing import TYPE_CHECKING

from properties.attack import Attack, decimal, unit_text, untyped
from properties.game import OutOfSteps, Steps, Window, WindowTooWide, World
from properties.sensitivity import NotDeterministic, Reached, change, played
from properties.universe import SHARED_KEY, Progress, contribute_to, crowd_limits, event, trigger
from properties.vocabulary import Vocabulary
from spec.aggregation_service import Query
from spec.attribution_client import Source
from spec.contributions import Budgets, Credit, Unit
from spec.neighbours import Relation, RelationUndefined
from spec.numbers import SpecError
from spec.paper import PAPER
from spec.private_aggregation_client import DeviceWindow
from spec.reports import Key, Report
from spec.rules import AtService, Rules
from spec.system import Move, SystemMechanism
from spec.universe import Universe
from spec.verdicts import Check, Control, Evidence, Finding, Reason, Shape

if TYPE_CHECKING:
    from spec.rules import AtContribution

SHORTEST, LONGEST = 24, 100
COUNTS = (5, 10)
AGAIN = 3
OWN_KEY = 4
EXPIRY = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Hold how far a queue was followed, whether to its end, and the attack if there is one."""

    reports: int
    change: int = 0
    whole: bool = True
    moves: str = ""
    attack: Attack | None = None


def queue_for(relation: Relation, others: int, own_key: int) -> tuple[Unit, list[Move], list[Move]]:
    """Return a unit, what is registered first, and what then happens: one report for each.

    All units are on one device: no rule of a client sees more than its own device. There a unit
    of PAA is what one ad-tech is told.
    """
    most = crowd_limits().contribution_budget
    if relation.units == "devices":
        unit = DeviceWindow(device="phone", window=0)
        own = event(unit.device, contribute_to(own_key, most))
        other = event(unit.device, contribute_to(SHARED_KEY, most))
        later = [replace(other, ad_tech=f"ad-tech {number}") for number in range(others)]
        happening: list[Move] = [
            replace(each, report_id=place)
            for place, each in enumerate([own, *later, *[own] * AGAIN])
        ]
        return unit, [], happening
    names = ["A", *(f"B{number}" for number in range(others))]
    sources: list[Move] = [
        Source(
            source_id=name,
            destination="shop",
            expiry=EXPIRY,
            filters=frozenset({name}),
            key=own_key if name == "A" else SHARED_KEY,
        )
        for name in names
    ]
    usual = trigger("", most, 0)
    triggers: list[Move] = [
        replace(usual, report_id=place, filters=frozenset({name}))
        for place, name in enumerate([*names, *["A"] * AGAIN])
    ]
    return "A", sources, triggers


def questions(place: int) -> Iterator[Query]:
    """Return the queries that use up the budget of all reports so far."""
    limits, batch = crowd_limits(), tuple(range(place + 1))
    yield Query(epsilon=limits.epsilon, delta=limits.delta, report_ids=batch)
    yield Query(epsilon=limits.epsilon, keys=(SHARED_KEY,), report_ids=batch)


def queues(rules: Rules, relation: Relation, mentioned: tuple[int, ...], steps: int) -> Queue:
    """Follow a queue for one key, then one in which the unit has a key of its own."""
    one_key = followed(rules, relation, mentioned, Steps(steps), SHARED_KEY)
    if one_key.attack is not None:
        return one_key
    apart = followed(rules, relation, mentioned, Steps(steps), OWN_KEY)
    if apart.attack is not None:
        return apart
    return Queue(
        reports=min(one_key.reports, apart.reports),
        change=max(one_key.change, apart.change),
        whole=one_key.whole and apart.whole,
    )


def followed(
    rules: Rules,
    relation: Relation,
    mentioned: tuple[int, ...],
    steps: Steps,
    own_key: int,
) -> Queue:
    """Follow a queue as far as the steps go, and return the first attack."""
    counts = sorted({*COUNTS, *(count for count in mentioned if 0 < count <= LONGEST)})
    unit, registered, happening = queue_for(relation, max(SHORTEST, *counts), own_key)
    limits = crowd_limits()
    universe = Universe(
        name="a long queue",
        limits=limits,
        units=(unit,),
        moves=len(registered) + len(happening) + 1,
        queries=tuple(questions(0)),
        query_count=1,
    )
    rules = replace(rules, limits=limits)
    there = World(mechanism=untyped(SystemMechanism(rules=rules)), window=Window())
    gone = World(mechanism=untyped(relation.without(rules, unit)), window=Window())
    states = there.number(there.mechanism.initial), gone.number(gone.mechanism.initial)
    largest, done = 0, 0
    for number, move in enumerate((*registered, *happening), 1):
        mine, theirs = there.step(states[0], move), gone.step(states[1], move)
        if len(mine) != 1 or len(theirs) != 1:
            raise NotDeterministic("the clients draw")
        states = mine[0][1], theirs[0][1]
        done = number - len(registered)
        if done <= 0:
            continue
        changed, query = change(there, gone, Reached(Progress(), *states, ()), universe)
        asked = [query] if changed > max(largest, limits.contribution_budget) else []
        largest = max(largest, changed)
        if done in counts:
            asked += questions(done - 1)
        for each in asked:
            so_far = (*registered, *happening[:done], each)
            played_in = replace(universe, event_count=done)
            try:
                attack = played(rules, relation, played_in, unit, so_far, steps)
            except WindowTooWide:
                continue
            except OutOfSteps:
                return Queue(reports=done, change=largest, whole=False)
            if attack is not None:
                again = done > len(happening) - AGAIN
                said = told(unit, len(registered), done, again)
                return Queue(reports=done, change=changed, moves=said, attack=attack)
    return Queue(reports=done, change=largest)


def told(unit: Unit, sources: int, done: int, again: bool) -> str:
    """Tell what happened before the query."""
    registered = f"{sources} sources are registered. " if sources else ""
    what = "triggers are attributed to one source" if sources else "events happen for one ad-tech"
    return (
        f"{registered}{done} {what} after the other, each for all of its budget; "
        f"{unit_text(unit)} is the first{' and comes again in the end' if again else ''}."
    )


def queue_finding(
    claim: str, rules: Rules, relation: Relation, words: Vocabulary, steps: int
) -> Finding:
    """Follow long queues and say what that means for a guarantee."""
    start = perf_counter_ns()
    found = Finding(
        claim=claim,
        check=f"long queues, {relation.name}",
        reason=Reason.CANNOT_FOLLOW,
        shape=Shape.LONG_QUEUES,
        method="one long run of many units, then one query",
        assumes=f"neighbours: {relation.name}",
    )
    try:
        most = crowd_limits().contribution_budget
        queue = queues(rules, relation, words.around, steps)
        kept = queue.change <= most and queue.whole
        why = Reason.NO_CONCLUSION if queue.whole else Reason.OUT_OF_STEPS
        found = replace(
            found,
            evidence=Evidence.EXACT_IN_UNIVERSE if kept else Evidence.NONE,
            reason=Reason.NONE if kept else why,
            detail=f"one unit changes the sums by at most {queue.change}, its budget is {most}",
            bound=f"queues of {queue.reports} reports; limits scaled down",
        )
        if queue.attack is not None:
            attack = queue.attack
            found = replace(
                found,
                evidence=Evidence.ATTACK,
                reason=Reason.NONE,
                detail="what many units do together tells of one of them; limits scaled down",
                counterexample={
                    "unit x": attack.unit,
                    "moves": queue.moves,
                    "last move": attack.steps[-1].move,
                    "seen": attack.steps[-1].seen,
                    "change of the sums": str(queue.change),
                    f"probability {attack.world}": str(attack.probability),
                    "probability in the other world": str(attack.other),
                    "inequality": attack.inequality(),
                },
            )
    except RelationUndefined as reason:
        found = replace(
            found,
            evidence=Evidence.ALARM,
            reason=Reason.RELATION_UNDEFINED,
            detail=str(reason),
        )
    except SpecError as reason:
        found = replace(found, detail=f"the queue cannot be followed: {reason}")
    return replace(found, seconds=decimal(Fraction(perf_counter_ns() - start, 10**9), 2))


def keys_of_ten(at: AtService, batch: tuple[Report, ...]) -> tuple[Key, ...]:
    """Discover the keys of at least ten reports only."""
    holders = Counter(part.key for report in batch for part in report.contributions)
    found = PAPER.keys(at, batch)
    return tuple(key for key in found if not at.query.discovers_keys or holders[key] >= 10)


def contribute_less_after_ten(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Contribute as usual, and a one at a time once all units together have done so ten times."""
    if sum(budget.count for budget in at.client.budgets.values()) >= 10:
        credits = tuple(
            replace(each, contributions=tuple(replace(x, value=1) for x in each.contributions))
            for each in credits
        )
    return PAPER.contribute(at, credits)


def queue_check(claim: str, relation: Relation, words: Vocabulary, steps: int) -> Check:
    """Return the check that follows long queues."""
    broken = {
        "keys of nine reports are not discovered": replace(PAPER, keys=keys_of_ten),
        "all units share ten contributions": replace(PAPER, contribute=contribute_less_after_ten),
    }

    def finding(rules: Rules) -> Finding:
        return queue_finding(claim, rules, relation, words, steps)

    def control(name: str) -> Control:
        rules = broken[name]
        return Control(name=name, run=lambda: finding(rules), rules=rules)

    return Check(
        claim=claim,
        name=f"long queues, {relation.name}",
        run=finding,
        controls=tuple(map(control, broken)),
        shape=Shape.LONG_QUEUES,
        relation=relation,
        spare=True,
    )
