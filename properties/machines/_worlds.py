r"""Two worlds side by side: the system on $D$, and for every unit $x$ the system on $D^{-x}$.

Both make the same moves. What the neighbour relation fixes is decided by the clients of the run on
$D$. Whatever a rule draws is drawn alike in both worlds: a draw takes the outcome with a given
number.

Summary reports and event-level reports have their own clients, and no rule sees both. So the law of
a run's transcript is a product of two, each exact. The summary part is a sequence of independent
answers, because the moves are fixed and the states are not random. The event-level part is a law
over all responses that were drawn and not seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import cast

from hypothesis.stateful import precondition, rule
from immutables import Map

from properties.machine_list import ROLLOUTS
from properties.machines._answers import (
    Shown,
    Unclear,
    Watch,
    World,
    added,
    beyond_budget,
    cut_mass,
    laws_of_answers,
    parts_by_unit,
)
from properties.machines._loss import Loss, Losses
from properties.machines._machine import Choose, Machine, claim
from properties.machines._responses import Responses, outcomes
from properties.machines._rollouts import Rollouts
from properties.numerals import beside
from properties.observation import Seen, encoded
from properties.strategies import spans
from properties.telling import move_text, unit_text
from spec.aggregation_service import Query
from spec.attribution_client import Source, Trigger
from spec.contributions import Budget, Credit, Unit
from spec.distributions import Distribution, Draw
from spec.event_client import EventSource, EventTrigger
from spec.individual_privacy import RandomState
from spec.neighbours import ATTRIBUTION_FIXED, NULL_STORE, Relation, Worlds, clients_of
from spec.numbers import Power
from spec.private_aggregation_client import DeviceWindow, Event, budget_unit
from spec.reports import Contribution, Report
from spec.rules import AtService, Rules
from spec.system import (
    Decision,
    Move,
    Observation,
    PassTime,
    System,
    SystemMechanism,
    admit,
    decide,
    on_aggregation,
    send,
    step,
)

ATTRIBUTION = "attribution_summaries_are_private"
AGGREGATION = "aggregation_summaries_are_private"
EVENT_LEVEL = "event_level_reports_are_private"
TOGETHER = "summary_and_event_reports_compose"

PRESENCE = "a_report_is_sent_for_every_trigger"


class WorldsMachine(Machine):
    """Make every move on the database and without each unit; keep what tells the worlds apart."""

    def __init__(self) -> None:
        super().__init__()
        self.begin()

    def begin(self) -> None:
        """Begin with nothing registered."""
        self.system = self.before = SystemMechanism(rules=self.tested).initial
        self.without: dict[Unit, System] = {}
        self.watch = Watch()
        self.watches: dict[Unit, Watch] = {}
        self.known: dict[Unit | None, Shown] = {None: frozenset()}
        self.decision = Decision()
        self.granted: tuple[Credit, ...] = ()
        self.seen: Observation = ()
        self.arrivals: dict[Unit | None, Distribution[Seen]] = {}
        self.held: dict[Unit, Budget] = {}
        self.credited: dict[int, set[Unit]] = {}
        self.rollouts = Rollouts(self.tested)
        self.losses = Losses()
        self.cut = Fraction(0)
        self.responses = Responses(self.tested)

    def tell(self, move: object) -> str:
        """Tell a move in a sentence."""
        return move_text(as_move(move))

    def relation_for(self, unit: Unit) -> Relation:
        """Return the neighbour relation for a unit: the paper's, or the one that is examined."""
        kind = "devices" if isinstance(unit, DeviceWindow) else "sources"
        if self.relation is not None and self.relation.units in (kind, "any"):
            return self.relation
        return NULL_STORE if kind == "devices" else ATTRIBUTION_FIXED

    def make(self, move: object, choice: int) -> None:
        """Make a move in every world, and compare what is seen."""
        move, self.before = as_move(move), self.system
        for unit in self.units_of(move):
            self.without.setdefault(unit, self.system)
            self.responses.track(unit)
        others, self.watch, self.watches = dict(self.without), Watch(), {}
        self.step(move, Choose(choice))
        for unit, own in others.items():
            watch = self.watches[unit] = Watch()
            worlds = Worlds(real=clients_of(self.before), own=own)
            rules = watch.on(self.tested) if isinstance(move, Query) else self.tested
            after, seen = self.relation_for(unit).move(rules, unit, worlds, move, Choose(choice))
            self.without[unit] = after.own
            if isinstance(move, Query):
                self.hear(unit, watch, seen, move)
        if isinstance(move, Query):
            self.hear(None, self.watch, self.seen, move)
        if isinstance(move, Trigger | Event):
            self.note_what_was_sent(move)
        self.compare(move, others)
        self.count_what_happened(move)

    def step(self, move: Move, draw: Draw) -> None:
        """Make a move on the database, and keep what was decided and granted."""
        rules = self.watch.on(self.tested) if isinstance(move, Query) else self.tested
        self.decision = decide(rules, self.before, move, draw)
        admitted, self.granted = admit(rules, self.before, move, self.decision, draw)
        self.system, self.seen = send(rules, admitted, move, self.granted, draw)

    def note_what_was_sent(self, move: Trigger | Event) -> None:
        """Note whose reports were sent, and add what they hold to what their units hold.

        What is sent for one unit is the unit's. If several units are credited, what is sent must
        not be more than what was granted, or nobody knows whose it is.
        """
        known = all_reports(self.before)
        sent = [each for name, each in all_reports(self.system).items() if name not in known]
        credited = {credit.unit for credit in self.decision.credits}
        units = set(self.units_of(move)) if isinstance(move, Event) else credited
        for report in sent:
            self.credited[report.report_id] = units
        parts = tuple(part for report in sent for part in report.contributions)
        grants = self.grants()
        if len(grants) == 1:
            grants = dict.fromkeys(grants, parts)
        elif Counter(parts) - Counter(part for each in grants.values() for part in each):
            raise Unclear("a report holds more than was granted, and nobody knows whose it is")
        for unit, each in grants.items():
            self.held[unit] = added(self.held.get(unit, Budget()), each)

    def grants(self) -> dict[Unit, tuple[Contribution, ...]]:
        """Return what every unit was granted that the last move credited."""
        return parts_by_unit(self.decision.credits, self.granted)

    def hear(self, unit: Unit | None, watch: Watch, seen: Observation, query: Query) -> None:
        """Note what one world showed for a query, and what that says of the watch."""
        (shown,) = seen
        known = self.known.get(unit, self.known[None])
        self.known[unit] = watch.hear(shown, known, query)

    @precondition(lambda self: not self.just(PassTime))
    @rule(span=spans())
    def let_time_pass(self, span: int) -> None:
        """Let time pass: windows end, sources expire, reports arrive."""
        self.play(PassTime(until=self.system.now + span))

    def units_of(self, move: Move) -> Iterator[Unit]:
        """Name the unit that a move brings into being."""
        match move:
            case Source() | EventSource():
                yield move.source_id
            case Event():
                yield budget_unit(on_aggregation(self.tested, self.before, move))
            case _:
                pass

    def count_what_happened(self, move: Move) -> None:
        """Count what happened."""
        if isinstance(move, PassTime):
            length = self.tested.limits.window_length
            ended = self.before.now // length < self.system.now // length
            self.count("a time window ended", ended)

    def compare(self, move: Move, others: dict[Unit, System]) -> None:
        """Compare the laws of what is seen in the two worlds, as far as a claim asks for it."""
        self.arrivals = {}
        match move:
            case Query():
                if self.examines(ROLLOUTS, ATTRIBUTION, AGGREGATION, TOGETHER):
                    self.compare_answers(move, others)
            case Trigger() | Event() | PassTime():
                if self.examines(PRESENCE, ROLLOUTS, ATTRIBUTION, AGGREGATION, TOGETHER):
                    self.compare_arrivals(move, others)
            case _:
                pass
        followed = self.examines(EVENT_LEVEL, TOGETHER)
        if followed and isinstance(move, EventSource | EventTrigger | PassTime):
            self.responses.follow(move, self.relation_for)

    def compare_answers(self, query: Query, others: dict[Unit, System]) -> None:
        """Add what an answer tells of every unit to its rollout and to its loss."""
        world = served(self.tested, self.before, query)
        power = self.power(self.tested.limits.epsilon)
        batches = {world[1], *(served(self.tested, own, query)[1] for own in others.values())}
        batches |= {watch.answered or () for watch in (self.watch, *self.watches.values())}
        self.cut += max(cut_mass(world[0], batch, power) for batch in batches)
        for unit, own in others.items():
            other = served(self.tested, own, query)
            if encoded((world[0].service, world[1])) == encoded((other[0].service, other[1])):
                continue
            self.count("an answer told of a unit")
            watches = (self.watch, self.watches[unit])
            laws = laws_of_answers(world, other, watches, self.laws, self.lumps)
            if self.examines(ROLLOUTS):
                self.rollouts.add(unit, query, laws, *watches)
            if self.examines(ATTRIBUTION, AGGREGATION, TOGETHER):
                law, without = (each.map(lambda outcome: outcome[1]) for each in laws)
                if all(len({state for state, _ in each}) == 1 for each in laws):
                    self.losses.add(unit, law, without)
                else:
                    self.losses.add_and_take(unit, law, without, None)

    def compare_arrivals(self, move: Move, others: dict[Unit, System]) -> None:
        """Compare which reports arrive and what they show, event-level reports apart."""
        before = summary_part(self.before)
        real = Ways(outcomes(lambda draw: step(self.tested, before, move, draw)))
        self.arrivals[None] = real.law
        for unit, own in others.items():
            worlds = Worlds(real=clients_of(before), own=summary_part(own))

            def moved(
                draw: Draw, unit: Unit = unit, worlds: Worlds = worlds
            ) -> tuple[System, Observation]:
                after, seen = self.relation_for(unit).move(self.tested, unit, worlds, move, draw)
                return after.own, seen

            ways = Ways(outcomes(moved))
            self.arrivals[unit] = ways.law
            if len(real.ways) == len(ways.ways) == 1:
                self.losses.add(unit, real.law, ways.law)
            else:
                known = not real.hidden and not ways.hidden and real.first == ways.first
                self.losses.add_and_take(unit, real.law, ways.law, real.first if known else None)
        if real.hidden and self.examines(ROLLOUTS):
            raise RandomState("a client's next state is random, and nothing tells which it is")

    def power(self, epsilon: Fraction) -> Fraction:
        r"""Return $e^{\varepsilon}$."""
        return Power(self.tested.limits.base, epsilon).exact()

    def lost(
        self,
        unit: Unit,
        loss: Loss,
        epsilon: Fraction,
        delta: Fraction = Fraction(0),
        cut: Fraction = Fraction(0),
    ) -> Iterator[str]:
        """Complain if a transcript tells more of a unit than was promised."""
        exact = loss.delta(self.power(epsilon))
        if exact - cut > delta:
            yield (
                f"exact delta {beside(exact)} at epsilon {epsilon} where {delta} is "
                f"promised, for {unit_text(unit)}; neighbours: {self.relation_for(unit).name}"
            )


class ClientMachine(WorldsMachine):
    """Examine what the clients of summary reports have in common."""

    def next_report(self) -> int:
        """Return an identifier that is not in use."""
        return max(self.system.used_ids, default=-1) + 1

    def count_what_happened(self, move: Move) -> None:
        """Count what happened."""
        super().count_what_happened(move)
        if isinstance(move, Trigger | Event):
            self.count("a null report was sent", is_null(self.system, move.report_id))
            for unit, granted in self.grants().items():
                self.count("a contribution was refused", not granted)
                full = self.held[unit].value >= self.tested.limits.contribution_budget
                self.count("a unit used up its budget", full and bool(granted))
        apart = any(budgets_of(own) != budgets_of(self.system) for own in self.without.values())
        self.count("the worlds differed", apart)

    @claim
    def contributions_stay_within_budget(self) -> Iterator[str]:
        """Demand that no unit's reports hold more than its budget, in value or in number."""
        yield from beyond_budget(self.tested.limits, self.held)

    @claim
    def a_report_is_sent_for_every_trigger(self) -> Iterator[str]:
        """Demand that the worlds show the same reports at the same time."""
        for unit, law in self.arrivals.items():
            if law != self.arrivals[None]:
                seen = " or ".join(map(listed, self.arrivals[None]))
                other = " or ".join(map(listed, law))
                yield f"the ad-tech sees {seen}, without {unit_text(unit)} it sees {other}"

    @claim
    def removing_a_unit_leaves_the_others_alone(self) -> Iterator[str]:
        """Demand that no other unit's reports or budget change when a unit is removed."""
        known = budgets_of(self.system)
        for unit, own in self.without.items():
            kept = budgets_of(own)
            for other, budget in known.items():
                if other != unit and kept.get(other) != budget:
                    yield f"the budget of {unit_text(other)} changes without {unit_text(unit)}"
            for report_id, report in self.system.reports.items():
                if self.credited.get(report_id) != {unit} and (
                    encoded(own.reports.get(report_id)) != encoded(report)
                ):
                    yield f"report {report_id} changes without {unit_text(unit)}"


class Ways:
    """Hold the ways in which a move can turn out: states with what is seen."""

    def __init__(self, ways: Iterable[tuple[tuple[System, Observation], Fraction]]) -> None:
        self.ways = list(ways)
        sums: dict[Seen, Fraction] = {}
        for (_, observed), share in self.ways:
            seen = Seen(observed)
            sums[seen] = sums.get(seen, Fraction(0)) + share
        self.law = Distribution.of(sums)
        self.hidden = len(self.ways) > len(sums)
        self.first = Seen(self.ways[0][0][1])


def listed(seen: Seen) -> str:
    """Return what is seen as a list."""
    return str(list(cast(Observation, seen.value)))


def as_move(move: object) -> Move:
    """Return a move of the system as what it is."""
    assert isinstance(
        move, Source | Trigger | Event | EventSource | EventTrigger | PassTime | Query
    )
    return move


def served(rules: Rules, system: System, query: Query) -> World:
    """Return what the service knows and gets when the query is asked."""
    at = AtService(rules=rules, now=system.now, service=system.service, query=query)
    return at, tuple(system.reports[each] for each in query.report_ids)


def summary_part(system: System) -> System:
    """Forget the event-level clients."""
    return replace(system, events=Map())


def budgets_of(system: System) -> dict[Unit, Budget]:
    """Return what every unit has contributed to summary reports, if anything."""
    clients = (*system.attribution.values(), *system.aggregation.values())
    known = {unit: budget for each in clients for unit, budget in each.budgets.items()}
    return {unit: budget for unit, budget in known.items() if budget != Budget()}


def all_reports(system: System) -> dict[int, Report]:
    """Return the reports that have been sent, whether they have arrived or not."""
    waiting = {sent.report.report_id: sent.report for sent in system.in_flight}
    return {**system.reports, **waiting}


def is_null(system: System, report_id: int) -> bool:
    """Tell whether a report was sent and holds nothing."""
    report = all_reports(system).get(report_id)
    return report is not None and report.is_null
