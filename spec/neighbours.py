r"""Neighbour relations: what it means that a privacy unit $x$ was not there.

Privacy compares the system with the system without $x$. What "without" means is a choice, and the
guarantee depends on it, so every verdict names its relation.

*Attribution fixed* is the paper's relation for ARA. Attribution runs once, on $D$, and says which
unit each trigger is credited to. In $D^{-x}$ the credits of $x$ are deleted; admission, reports,
ledgers and all that the ad-tech sees run on from there in their own world. *Null store* is the same
for PAA: the programs run once, on $D$, and in $D^{-x}$ the unit's contributions are deleted.
*Nulled after admission* admits in $D^{-x}$ what was admitted in $D$ and then empties the reports of
$x$. The other relations run everything again: *never matches* lets no trigger match $x$, *never
registered* does not register it. *Moved to the dummy* and *empty store* are the two readings of the
paper under which its theorems fail.

Where a changed step does not ask who is credited, fixing the attribution means to run the step on
$D$ and to replace what it credits to $x$ by what it makes of a trigger without sources, or of a
program that contributes nothing. A relation is undefined where attribution depends on the
randomness of the event-level response, where such a step credits several units at once, or where a
changed step does not call the rule that the relation acts on.

Deviates: A3 and A4 the dummy contributes nothing; E5 before and after admission are two relations.
Paper: Sec. 3.1; Sec. 4.2; Sec. 4.3; Sec. 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Generic, Literal, ParamSpec, Protocol, TypeAlias, TypeVar

from immutables import Map

from spec.aggregation_service import Query
from spec.attribution_client import AttributionClient, Source, Trigger, register_trigger
from spec.contributions import Budgets, Cause, Credit, Unit
from spec.distributions import Distribution, Draw, explore
from spec.event_client import EventSource, EventTrigger
from spec.numbers import SpecError
from spec.private_aggregation_client import (
    EMPTY_STORAGE,
    AggregationClient,
    Event,
    Storage,
    budget_unit,
    register_event,
)
from spec.reports import Contribution, Report
from spec.rules import Rules
from spec.system import Move, Observation, System, step

T = TypeVar("T")
P = ParamSpec("P")

DUMMY = "x_⊥"
DUMMY_KEY = 3
REMEMBERED = 2**16


class RelationUndefined(SpecError):
    """Report that a neighbour relation has no meaning for the given rules.

    Paper: none (the paper's rules never cause it).
    """


class Runs(tuple[System, ...]):
    """Hold every possible run on $D$; looked up often, so that the hash is computed once.

    Paper: none (an instrument).
    """

    @cached_property
    def _hash(self) -> int:
        return super().__hash__()

    def __hash__(self) -> int:
        """Hash like the tuple that it is."""
        return self._hash


@dataclass(frozen=True, slots=True, kw_only=True)
class Worlds:
    """Hold the clients' possible states in the run on $D$, and the run on its neighbour.

    Paper: Sec. 3.1.
    """

    real: tuple[System, ...]
    own: System


class MoveWithout(Protocol):
    """Make a move in the world without a unit.

    Paper: Sec. 3.1.
    """

    def __call__(
        self, rules: Rules, unit: Unit, worlds: Worlds, move: Move, draw: Draw
    ) -> tuple[Worlds, Observation]:
        """Return the next state of both worlds and what the ad-tech sees in this one."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """Name a neighbour relation and say how the world without a unit moves.

    `units` says whose absence it is about: sources (ARA) or devices in time windows (PAA).

    Paper: Sec. 3.1; Def. 3.6.
    """

    name: str
    meaning: str
    move: MoveWithout
    units: Literal["sources", "devices", "any"] = "any"

    def without(self, rules: Rules, unit: Unit) -> OtherWorld:
        """Return the system without the unit."""
        return OtherWorld(rules=rules, unit=unit, move=self.move)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherWorld:
    r"""Be the system without the unit, $\mathcal{M}^{-x}$, an interactive mechanism.

    Paper: Sec. 3.1; Def. 3.6.
    """

    rules: Rules
    unit: Unit
    move: MoveWithout

    @property
    def initial(self) -> Worlds:
        """Return the two empty worlds."""
        return Worlds(real=(System(),), own=System())

    def step(self, state: Worlds, action: Move, draw: Draw) -> tuple[Worlds, Observation]:
        """Make one move in the world without the unit."""
        return self.move(self.rules, self.unit, state, action, draw)


class Stub(Generic[T]):
    """Stand in for a rule with a fixed return value, and note whether it was called.

    Paper: none (an instrument).
    """

    def __init__(self, value: T) -> None:
        self.value = value
        self.called = False

    def __call__(self, *_: object) -> T:
        """Return the fixed value."""
        self.called = True
        return self.value


class Noted(Generic[P, T]):
    """Stand in for a rule, ask it, and note what it answers.

    Paper: none (an instrument).
    """

    def __init__(self, rule: Callable[P, T]) -> None:
        self.rule = rule
        self.answers: list[T] = []

    def __call__(self, *given: P.args, **named: P.kwargs) -> T:
        """Return what the rule answers."""
        answer = self.rule(*given, **named)
        self.answers.append(answer)
        return answer


def clients_of(system: System) -> System:
    """Forget everything but the clients and the time.

    Paper: none (an instrument).
    """
    return replace(System(), now=system.now, attribution=system.attribution,
                   aggregation=system.aggregation, events=system.events)  # fmt: skip


@lru_cache(maxsize=REMEMBERED)
def every_run(
    rules: Rules, runs: tuple[System, ...], move: Move, credits: tuple[Credit, ...] | None
) -> tuple[System, ...]:
    """Make the move in every possible run on $D$, with the credits that were decided.

    What the ad-tech would see there does not matter, and is not drawn.

    Paper: Sec. 3.1.
    """
    rules = replace(rules, visible=Stub(None), event_visible=Stub(None))
    if credits is not None:
        rules = replace(rules, attribute=Stub(credits))
    after: dict[System, None] = {}
    for run in runs:

        def moved(draw: Draw, run: System = run) -> System:
            return clients_of(step(rules, run, move, draw)[0])

        after.update(dict.fromkeys(explore(moved).support()))
    return Runs(after)


Decision: TypeAlias = "tuple[Map[str, Storage], tuple[Credit, ...], tuple[Unit, ...]]"


@lru_cache(maxsize=REMEMBERED)
def decided(rules: Rules, runs: tuple[System, ...], move: Move) -> Distribution[Decision]:
    """Return the law of what a move decides on $D$, which must be the same in every possible run.

    A trigger decides credits, an event the storage and credits, an event-level trigger the sources
    that are credited.

    Paper: Sec. 4.2; Sec. 4.3; Sec. 5.
    """

    def decide(run: System, draw: Draw) -> Decision:
        match move:
            case Trigger():
                return Map(), attributed(rules, run, move, draw), ()
            case Event():
                client, credits = proposed(rules, run, move, draw)
                return client.storage, credits, ()
            case EventTrigger():
                return Map(), (), rules.event_attribute(rules, run.events, move, run.now)
            case _:
                return Map(), (), ()

    def law(run: System) -> Distribution[Decision]:
        return explore(lambda draw: decide(run, draw))

    return only_law(map(law, runs))


def attributed(rules: Rules, run: System, trigger: Trigger, draw: Draw) -> tuple[Credit, ...]:
    """Return what a trigger is credited with; a changed step is run to see what it asks and gets.

    Paper: Sec. 4.2.
    """
    client, now = run.attribution, run.now
    if rules.register_trigger is register_trigger:
        return rules.attribute(rules, client, trigger, now, draw)
    noted = Noted(rules.attribute)
    rules.register_trigger(replace(rules, attribute=noted), client, trigger, now, draw)
    return noted.answers[0] if noted.answers else ()


def proposed(rules: Rules, run: System, event: Event, draw: Draw) -> Proposal:
    """Return what an event's program proposes; a changed step is run to see what it asks and gets.

    Paper: Sec. 4.3.
    """
    client, now = run.aggregation, run.now
    if rules.register_event is register_event:
        return rules.propose(rules, client, event, now)
    noted = Noted(rules.propose)
    rules.register_event(replace(rules, propose=noted), client, event, now, draw)
    return noted.answers[0] if noted.answers else (client, ())


def only_law(laws: Iterable[Distribution[T]]) -> Distribution[T]:
    """Return the law that holds in every possible run; there must be one only.

    Paper: none (an instrument).
    """
    different = set(laws)
    if len(different) != 1:
        raise RelationUndefined(
            "who is credited depends on a randomized event-level response, "
            "so that fixing the attribution has no meaning"
        )
    return different.pop()


Proposal: TypeAlias = tuple[AggregationClient, tuple[Credit, ...]]
ChangeCredits: TypeAlias = Callable[
    [Rules, Unit, System, Move, tuple[Credit, ...]], tuple[Credit, ...]
]


def with_credits_changed(change: ChangeCredits) -> MoveWithout:
    """Decide credits once, on $D$; change those of the unit; run the rest on its own ledgers.

    Paper: Sec. 4.2; Sec. 4.3; Sec. 5.
    """

    def move_without(
        rules: Rules, unit: Unit, worlds: Worlds, move: Move, draw: Draw
    ) -> tuple[Worlds, Observation]:
        if isinstance(move, Query):
            own, seen = step(rules, worlds.own, move, draw)
            return replace(worlds, own=own), seen
        storage, credits, credited = draw(decided(rules, worlds.real, move))
        kept = change(rules, unit, worlds.own, move, credits)
        own_rules = rules
        stub: Stub[tuple[Credit, ...]] | Stub[Proposal] | Stub[tuple[Unit, ...]] | None = None
        match move:
            case Trigger():
                stub = Stub(kept)
                own_rules = replace(rules, attribute=stub)
            case Event():
                stub = Stub((replace(worlds.own.aggregation, storage=storage), kept))
                own_rules = replace(rules, propose=stub)
            case EventTrigger():
                stub = Stub(tuple(other for other in credited if other != unit))
                own_rules = replace(rules, event_attribute=stub)
            case _:
                pass
        returned = Returned(rules)
        own, seen = step(returned.watched(own_rules), worlds.own, move, draw)
        asked = stub is None or stub.called
        if not (asked and returned.agrees_with(kept)):
            if change is not delete_credits:
                raise RelationUndefined(
                    f"the changed step for a {type(move).__name__} does not ask the rule "
                    "that decides credits, so that changing them has no meaning"
                )
            return step_on_both(rules, unit, worlds, move, draw)
        fixed = credits if isinstance(move, Trigger) else None
        return Worlds(real=every_run(rules, worlds.real, move, fixed), own=own), seen

    return move_without


class Returned:
    """Note what the steps for triggers and events return.

    Paper: none (an instrument).
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.credits: tuple[Credit, ...] | None = None
        self.is_null = False

    def watched(self, rules: Rules) -> Rules:
        """Return the rules with steps that are watched; the paper's own need no watching."""
        if self.rules.register_trigger is not register_trigger:
            rules = replace(rules, register_trigger=self.watching(rules.register_trigger))
        if self.rules.register_event is not register_event:
            rules = replace(rules, register_event=self.watching(rules.register_event))
        return rules

    def watching(
        self, registered: Callable[P, tuple[T, tuple[Credit, ...], Report]]
    ) -> Callable[P, tuple[T, tuple[Credit, ...], Report]]:
        """Return the step, watched."""

        def watched(*given: P.args, **named: P.kwargs) -> tuple[T, tuple[Credit, ...], Report]:
            client, self.credits, report = registered(*given, **named)
            self.is_null = report.is_null
            return client, self.credits, report

        return watched

    def agrees_with(self, kept: tuple[Credit, ...]) -> bool:
        """Tell whether a watched step credited those it was told, and without credits nobody."""
        return self.credits is None or (self.credits == kept and (bool(kept) or self.is_null))


Registered: TypeAlias = tuple[T, tuple[Credit, ...], Report]


@lru_cache(maxsize=REMEMBERED)
def triggered(
    rules: Rules, runs: tuple[System, ...], move: Trigger
) -> Distribution[Registered[AttributionClient]]:
    """Return the law of what a trigger's step makes on $D$, the same in every possible run.

    Paper: Sec. 4.2.
    """

    def law(run: System) -> Distribution[Registered[AttributionClient]]:
        client, now = run.attribution, run.now
        return explore(lambda draw: rules.register_trigger(rules, client, move, now, draw))

    return only_law(map(law, runs))


@lru_cache(maxsize=REMEMBERED)
def happened(
    rules: Rules, runs: tuple[System, ...], move: Event
) -> Distribution[Registered[AggregationClient]]:
    """Return the law of what an event's step makes on $D$, the same in every possible run.

    Paper: Sec. 4.3.
    """

    def law(run: System) -> Distribution[Registered[AggregationClient]]:
        client, now = run.aggregation, run.now
        return explore(lambda draw: rules.register_event(rules, client, move, now, draw))

    return only_law(map(law, runs))


def step_on_both(
    rules: Rules, unit: Unit, worlds: Worlds, move: Move, draw: Draw
) -> tuple[Worlds, Observation]:
    """Run a step that decides credits by itself on $D$; replace what it credits to the unit.

    The clients' state is that on $D$, but for the unit's own budget, which stays as it was.

    Paper: none (for changed steps).
    """
    own, real = worlds.own, worlds.real
    if isinstance(move, Trigger):
        client, credits, report = draw(triggered(rules, real, move))
        kept, report = taken_out(rules, unit, worlds, move, credits, report, draw)
        budgets = restored(client.budgets, own.attribution.budgets, {unit})
        made = Stub((replace(client, budgets=budgets), kept, report))
        own, seen = step(replace(rules, register_trigger=made), own, move, draw)
        real = tuple(replace(run, attribution=client) for run in real)
    else:
        assert isinstance(move, Event)
        device, credits, report = draw(happened(rules, real, move))
        kept, report = taken_out(rules, unit, worlds, move, credits, report, draw)
        its = {unit, *(credit.unit for credit in credits if credit not in kept)}
        budgets = restored(device.budgets, own.aggregation.budgets, its)
        ran = Stub((replace(device, budgets=budgets), kept, report))
        own, seen = step(replace(rules, register_event=ran), own, move, draw)
        real = tuple(replace(run, aggregation=device) for run in real)
    return Worlds(real=real, own=own), seen


def taken_out(
    rules: Rules,
    unit: Unit,
    worlds: Worlds,
    move: Trigger | Event,
    credits: tuple[Credit, ...],
    report: Report,
    draw: Draw,
) -> tuple[tuple[Credit, ...], Report]:
    """Return the credits without the unit's, and a report that holds nothing of the unit.

    That is the report which the same step makes of a trigger without any source, or of an event
    whose program contributes nothing.

    Paper: none (for changed steps).
    """
    kept = delete_credits(rules, unit, worlds.own, move, credits)
    if kept == credits and (credits or report.is_null):
        return credits, report
    run = worlds.real[0]
    others: tuple[Credit, ...] = ()
    if isinstance(move, Trigger):
        empty = AttributionClient(clock=run.attribution.clock)
        _, others, report = rules.register_trigger(rules, empty, move, run.now, draw)
    else:
        idle = replace(move, program=contribute_nothing)
        _, _, report = rules.register_event(rules, run.aggregation, idle, run.now, draw)
    if kept or others or not credits or not report.is_null:
        raise RelationUndefined(
            f"the changed step for a {type(move).__name__} does not ask the rule that decides "
            "credits, and what it credits to one unit cannot be told from the rest"
        )
    return (), report


def contribute_nothing(storage: Storage) -> tuple[Storage, int, int]:
    """Be a program that leaves the storage as it is and contributes nothing.

    Paper: Sec. 4.3.
    """
    return storage, 0, 0


def restored(budgets: Budgets, before: Budgets, units: set[Unit]) -> Budgets:
    """Return the budgets with those of some units as they were before.

    Paper: none (for changed steps).
    """
    for unit in units:
        if unit in before:
            budgets = budgets.set(unit, before[unit])
        elif unit in budgets:
            budgets = budgets.delete(unit)
    return budgets


def belongs_to(rules: Rules, unit: Unit, own: System, move: Move, credit: Credit) -> bool:
    """Tell whether a credit is the unit's: its source's, or that of its device and time window.

    The window is the paper's, whatever a proposal keeps its budgets by. A credit for a trigger must
    name a registered source or the dummy: otherwise nobody knows whose data it carries.

    Paper: Sec. 4.2; Sec. 4.3.
    """
    if isinstance(move, Event):
        return budget_unit(rules.limits, move, own.now) == unit
    if isinstance(move, Trigger) and credit.unit not in (*own.attribution.sources, DUMMY):
        raise RelationUndefined(
            f"a trigger is credited to {credit.unit!r}, which is no registered source, "
            "so that nobody knows whose data it carries"
        )
    return credit.unit == unit


def delete_credits(
    rules: Rules, unit: Unit, own: System, move: Move, credits: tuple[Credit, ...]
) -> tuple[Credit, ...]:
    """Delete the credits of the unit.

    Paper: Sec. 4.2; Sec. 4.3.
    """
    return tuple(c for c in credits if not belongs_to(rules, unit, own, move, c))


def move_credits_to_dummy(
    rules: Rules, unit: Unit, own: System, move: Move, credits: tuple[Credit, ...]
) -> tuple[Credit, ...]:
    """Let the dummy source contribute in place of the unit, with a key piece of its own.

    Deviates: A4 this is the reading under which the theorem fails.
    Paper: Sec. 4.2.
    """
    moved: list[Credit] = []
    for credit in credits:
        if isinstance(move, Trigger) and belongs_to(rules, unit, own, move, credit):
            dummy = replace(own.attribution.sources[str(unit)], source_id=DUMMY, key=DUMMY_KEY)
            credit = Credit(unit=DUMMY, contributions=rules.contributions(rules, dummy, move))
        moved.append(credit)
    return tuple(moved)


def run_on_empty_store(
    rules: Rules, unit: Unit, own: System, move: Move, credits: tuple[Credit, ...]
) -> tuple[Credit, ...]:
    """Run the unit's programs on an empty store and let them contribute.

    Deviates: A3 this is the reading under which the theorem fails.
    Paper: Sec. 4.3.
    """
    if not isinstance(move, Event) or budget_unit(rules.limits, move, own.now) != unit:
        return credits
    client = own.aggregation
    emptied = replace(client, storage=client.storage.set(move.device, EMPTY_STORAGE))
    return rules.propose(rules, emptied, move, own.now)[1]


def null_after_admission(
    rules: Rules, unit: Unit, worlds: Worlds, move: Move, draw: Draw
) -> tuple[Worlds, Observation]:
    """Run everything as on $D$, and empty the reports of the unit after admission.

    Deviates: E5 the paper's mechanism nulls before admission.
    Paper: Sec. 4.2; Sec. 4.3.
    """
    called = Stub(None)

    def contribute(
        given: Rules, budgets: Budgets, credits: tuple[Credit, ...], cause: Cause
    ) -> tuple[Budgets, tuple[Contribution, ...]]:
        called()
        after, _ = rules.contribute(given, budgets, credits, cause)
        others = delete_credits(rules, unit, worlds.own, move, credits)
        return after, rules.contribute(given, budgets, others, cause)[1]

    if isinstance(move, EventTrigger):
        return with_credits_changed(delete_credits)(rules, unit, worlds, move, draw)
    own, seen = step(replace(rules, contribute=contribute), worlds.own, move, draw)
    if isinstance(move, Trigger | Event) and not called.called:
        raise RelationUndefined(
            f"the changed step for a {type(move).__name__} does not ask the rule contribute, "
            "so that nulling after admission has no meaning"
        )
    if isinstance(move, Query):
        return replace(worlds, own=own), seen
    if not isinstance(move, Trigger | Event):
        return Worlds(real=every_run(rules, worlds.real, move, None), own=own), seen
    real = tuple(
        replace(run, attribution=own.attribution, aggregation=own.aggregation)
        for run in worlds.real
    )
    return Worlds(real=real, own=own), seen


def never_match(
    rules: Rules, unit: Unit, worlds: Worlds, move: Move, draw: Draw
) -> tuple[Worlds, Observation]:
    """Run everything again with no trigger matching the unit.

    Paper: none (another neighbour relation).
    """
    own_rules = replace(
        rules,
        matches=lambda source, trigger: source.source_id != unit and rules.matches(source, trigger),
        event_matches=lambda source, trigger: (
            source.source_id != unit and rules.event_matches(source, trigger)
        ),
    )
    own, seen = step(own_rules, worlds.own, move, draw)
    return replace(worlds, own=own), seen


def never_register(
    rules: Rules, unit: Unit, worlds: Worlds, move: Move, draw: Draw
) -> tuple[Worlds, Observation]:
    """Run everything again without registering the unit.

    Paper: none (another neighbour relation).
    """
    if isinstance(move, Source | EventSource) and move.source_id == unit:
        return worlds, ()
    own, seen = step(rules, worlds.own, move, draw)
    return replace(worlds, own=own), seen


ATTRIBUTION_FIXED = Relation(
    name="attribution fixed",
    meaning="attribution runs once; the reports credited to x are null; admission runs again",
    move=with_credits_changed(delete_credits),
    units="sources",
)
NULL_STORE = Relation(
    name="null store",
    meaning="programs run once; the contributions of x are deleted; admission runs again",
    move=with_credits_changed(delete_credits),
    units="devices",
)
NULLED_AFTER_ADMISSION = Relation(
    name="nulled after admission",
    meaning="attribution and admission run once; the reports of x are emptied",
    move=null_after_admission,
)
MOVED_TO_DUMMY = Relation(
    name="moved to the dummy",
    meaning="what is credited to x is credited to the dummy source, which contributes it",
    move=with_credits_changed(move_credits_to_dummy),
    units="sources",
)
EMPTY_STORE = Relation(
    name="empty store",
    meaning="the programs of x run on an empty store and contribute",
    move=with_credits_changed(run_on_empty_store),
    units="devices",
)
NEVER_MATCHES = Relation(
    name="never matches",
    meaning="x is registered and wins no trigger; everything runs again",
    move=never_match,
    units="sources",
)
NEVER_REGISTERED = Relation(
    name="never registered",
    meaning="x is not registered; everything runs again",
    move=never_register,
    units="sources",
)
RELATIONS = (
    ATTRIBUTION_FIXED,
    NULL_STORE,
    NULLED_AFTER_ADMISSION,
    MOVED_TO_DUMMY,
    EMPTY_STORE,
    NEVER_MATCHES,
    NEVER_REGISTERED,
)
RELATIONS_BY_NAME = {relation.name: relation for relation in RELATIONS}
