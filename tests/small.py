"""Small rules, short ways to write inputs, and exact laws of what an adversary sees."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Generic, TypeVar, cast

from flint import fmpq

from properties.game import World
from spec import (
    PAPER,
    Answer,
    AtService,
    Base,
    Contribution,
    Distribution,
    Draw,
    Event,
    Law,
    Limits,
    Mechanism,
    Move,
    Noisy,
    Observation,
    OnDevice,
    OutputSet,
    Program,
    Query,
    Report,
    Rules,
    Service,
    Source,
    System,
    SystemMechanism,
    Trigger,
    explore,
    replace,
    step,
    transcript,
)
from spec.verdicts import Evidence, Verdict

T = TypeVar("T")
Client = TypeVar("Client")
Cause = TypeVar("Cause")
State = TypeVar("State")
Action = TypeVar("Action")
Response = TypeVar("Response")

TWO = Base(Fraction(2))


def small_rules(
    contribution_budget: int = 1,
    sparsity_budget: int = 2,
    epsilon: int | Fraction = 4,
    delta: int | Fraction = Fraction(1, 2),
) -> Rules:
    """Return the paper's rules with small limits and rational probabilities."""
    limits = Limits(
        contribution_budget=contribution_budget,
        sparsity_budget=sparsity_budget,
        epsilon=Fraction(epsilon),
        delta=Fraction(delta),
        event_epsilon=Fraction(1),
        base=TWO,
        window_length=10,
    )
    return replace(PAPER, limits=limits)


def at_service(
    rules: Rules, query: Query, service: Service | None = None, now: int = 0
) -> AtService:
    """Return what a rule of the service sees; without a service, that of a new one."""
    service = rules.initial.service if service is None else service
    return AtService(rules=rules, now=now, service=service, query=query)


def on_device(rules: Rules, client: Client, cause: Cause, now: int = 0) -> OnDevice[Client, Cause]:
    """Return what a rule on a device sees."""
    return OnDevice(rules=rules, now=now, client=client, cause=cause)


def uncapped(maximum_reports: int, windows: tuple[int, ...]) -> OutputSet:
    """Return the output set in which only the total number of reports is limited."""
    buckets = (maximum_reports,) * len(windows)
    return OutputSet(maximum_reports=maximum_reports, windows=windows, buckets=buckets)


class Certain:
    """Be a draw for steps that draw nothing, or only what is certain."""

    def __call__(self, law: T | Law[T], /) -> T:
        if isinstance(law, Distribution):
            (outcome,) = law
            return cast(T, outcome)
        assert not isinstance(law, Law), f"drew from {law!r}"
        return law


class Noiseless(Certain):
    """Be a draw that returns the centre of every noisy sum."""

    def __call__(self, law: T | Law[T], /) -> T:
        return cast(T, law.centre) if isinstance(law, Noisy) else super().__call__(law)


CERTAIN = Certain()
NOISELESS = Noiseless()


def source(name: str = "x", filters: str = "a", expiry: int = 100, key: int = 0) -> Source:
    return Source(
        source_id=name, destination="shop", expiry=expiry, filters=frozenset(filters), key=key
    )


def trigger(report: int, value: int = 1, filters: str = "a", key: int = 0) -> Trigger:
    return Trigger(
        report_id=report, destination="shop", filters=frozenset(filters), key=key, value=value
    )


def event(report: int, program: Program, device: str = "d", ad_tech: str = "ad-tech") -> Event:
    return Event(report_id=report, device=device, ad_tech=ad_tech, program=program)


def query(
    *reports: int,
    epsilon: int | Fraction = 1,
    delta: int | Fraction = 0,
    keys: tuple[int, ...] = (),
) -> Query:
    return Query(epsilon=Fraction(epsilon), delta=Fraction(delta), report_ids=reports, keys=keys)


def report(report_id: int, *contributions: tuple[int, int]) -> Report:
    return Report(
        report_id=report_id,
        contributions=tuple(Contribution(key=key, value=value) for key, value in contributions),
    )


def play(
    rules: Rules, moves: Iterable[Move], draw: Draw = NOISELESS, system: System | None = None
) -> tuple[System, list[Observation]]:
    """Return the state after the moves, and what the ad-tech saw."""
    system = SystemMechanism(rules=rules).initial if system is None else system
    seen: list[Observation] = []
    for move in moves:
        system, observation = step(rules, system, move, draw)
        seen.append(observation)
    return system, seen


def sums(observation: Observation) -> dict[int, int]:
    """Return the sums of the one answer in an observation."""
    (answer,) = observation
    assert isinstance(answer, Answer)
    return dict(answer.released)


def cut(law: Law[object], reach: int = 4) -> Iterable[tuple[object, Fraction]]:
    """List a law's outcomes; lump the noisy values that lie more than the reach from zero.

    Beyond the true sums, which must lie within the reach, the ratio of any two laws of infinite
    noise is constant, so that lumping them changes no divergence.
    """
    if not isinstance(law, Noisy) or law.noise.support != (None, None):
        return law.outcomes()
    return lumped(law, reach)


@cache
def lumped(law: Noisy, reach: int) -> tuple[tuple[object, Fraction], ...]:
    """Lump the noisy values that lie more than the reach from zero."""
    assert abs(law.centre) <= reach
    masses = {x: law.noise.pmf(x - law.centre) for x in range(-reach + 1, reach)}
    masses[reach] = law.noise.tail(reach - 1 - law.centre)
    masses[-reach] = law.noise.tail(reach - 1 + law.centre)
    return tuple((x, Fraction(mass)) for x, mass in masses.items() if isinstance(mass, Fraction))


@dataclass(frozen=True)
class CutNoise(Generic[State, Action, Response]):
    """Be a mechanism whose infinite noise is cut, so that its exact laws can be listed."""

    mechanism: Mechanism[State, Action, Response]

    @property
    def initial(self) -> State:
        return self.mechanism.initial

    def step(self, state: State, action: Action, draw: Draw) -> tuple[State, Response]:
        def draw_cut(law: T | Law[T]) -> T:
            if not isinstance(law, Noisy):
                return draw(law)
            return cast(T, draw(Distribution.of(dict(cut(cast(Law[object], law))))))

        return self.mechanism.step(state, action, cast(Draw, draw_cut))


def seen(
    mechanism: Mechanism[State, Action, Response], actions: Sequence[Action]
) -> Distribution[tuple[Response, ...]]:
    """Return the law of the transcript of an adversary that always takes the same actions."""
    return against(mechanism, lambda told: actions[len(told)] if len(told) < len(actions) else None)


def against(
    mechanism: Mechanism[State, Action, Response],
    adversary: Callable[[tuple[Response, ...]], Action | None],
) -> Distribution[tuple[Response, ...]]:
    """Return the law of the transcript of an adversary."""
    return explore(lambda draw: transcript(mechanism, adversary, draw), cut)


EVIDENCE = {
    Verdict.PROVED: Evidence.PROOF,
    Verdict.SEARCHED: Evidence.EXACT_IN_UNIVERSE,
    Verdict.REFUTED: Evidence.ATTACK,
    Verdict.UNKNOWN: Evidence.NONE,
}
"""Which evidence alone gives a verdict."""


def transcripts(world: World, moves: Sequence[Hashable]) -> dict[Hashable, fmpq]:
    """Return the probability of everything that may be seen of the moves."""
    start: tuple[Hashable, ...] = ()
    reached = {(start, world.number(world.mechanism.initial)): fmpq(1)}
    for move in moves:
        after: dict[tuple[tuple[Hashable, ...], int], fmpq] = {}
        for (seen, state), mass in reached.items():
            for response, next_state, share in world.step(state, move):
                key = ((*seen, response), next_state)
                after[key] = after.get(key, fmpq(0)) + mass * share
        reached = after
    law: dict[Hashable, fmpq] = {}
    for (seen, _), mass in reached.items():
        law[seen] = law.get(seen, fmpq(0)) + mass
    return law
