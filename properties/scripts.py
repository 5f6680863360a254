r"""Scripts: short sequences of moves with holes for every number, time and key.

A script is a function of holes and of the run that it makes. It asks the holes for values, and the
run for moves. It may look at both worlds to choose its last query: the adversary that lists just
these keys is one of all adversaries. A script is run on symbolic holes to find what could go wrong,
and on numbers to show it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from properties.holes import Holes
from properties.telling import key_text
from spec.aggregation_service import Query
from spec.attribution_client import Source, Trigger
from spec.contributions import Unit
from spec.private_aggregation_client import Storage
from spec.reports import KEY_BITS
from spec.rules import Limits
from spec.system import Move, PassTime, System

LATEST = 10**10
"""The last moment of a script, in seconds."""

YEARS = 2 * LATEST

MOST_BETWEEN = 16
"""The most sources that are registered before the unit's is registered again."""


class Run(Protocol):
    """Make moves in both worlds."""

    limits: Limits
    there: System

    @property
    def gone(self) -> System:
        """Return the system without the unit."""
        ...

    def make(self, move: Move) -> None:
        """Make a move with the unit and without it."""
        ...

    def offer(self, move: Move) -> bool:
        """Make a move if both worlds take it, and say whether they do."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Name a script, the unit that it is about, and what it does.

    In one that `discovers` keys nobody but the unit contributes. So no key is there without the
    unit, and what is seen must be the same wherever no noise is drawn.
    """

    name: str
    unit: Callable[[Holes], Unit]
    play: Callable[[Holes, Run], None]
    discovers: bool = False


def key(holes: Holes, name: str) -> int:
    """Return any key."""
    return holes.integer(name, 0, 2**KEY_BITS - 1)


def wait(holes: Holes, run: Run, name: str, most: int = LATEST) -> None:
    """Let any time pass."""
    until = holes.integer(name, 0, most)
    run.make(PassTime(until=run.there.now + until))


def source_named(source_id: str, expiry: int = YEARS, key: int = 0) -> Source:
    """Return a source that only triggers with its own filter match."""
    return Source(
        source_id=source_id,
        destination="shop",
        expiry=expiry,
        filters=frozenset({source_id}),
        key=key,
    )


def register(run: Run, source_id: str, expiry: int = YEARS, key: int = 0) -> None:
    """Register a source that only triggers with its own filter match."""
    run.make(source_named(source_id, expiry, key))


def trigger(holes: Holes, run: Run, source_id: str, number: int, value: int | None = None) -> None:
    """Register a trigger for one source with any key and value."""
    run.make(
        Trigger(
            report_id=number,
            destination="shop",
            filters=frozenset({source_id}),
            key=key(holes, f"key_{number}"),
            value=any_value(holes, run, number) if value is None else value,
        )
    )


def any_value(holes: Holes, run: Run, number: int) -> int:
    """Return any value for a report, up to twice what a unit may contribute."""
    return holes.integer(f"value_{number}", 1, 2 * run.limits.contribution_budget)


@dataclass(frozen=True, slots=True)
class ContributeTo:
    """Be the program that contributes a value to a key and leaves the storage as it is."""

    key: int
    value: int

    def __call__(self, storage: Storage) -> tuple[Storage, int, int]:
        """Return the storage, the key and the value."""
        return storage, self.key, self.value

    def told(self) -> str:
        """Tell what the program does."""
        return f"Contribute {self.value} to key {key_text(self.key)}."


def ask(run: Run, epsilon: Fraction) -> None:
    """Ask for all reports that have arrived in both worlds, and all keys that they hold."""
    arrived = tuple(each for each in sorted(run.there.reports) if each in run.gone.reports)
    keys: list[int] = []
    for report_id in arrived:
        for world in (run.there, run.gone):
            for part in world.reports[report_id].contributions:
                if not any(part.key == known for known in keys):
                    keys.append(part.key)
    run.make(Query(epsilon=epsilon, report_ids=arrived, keys=tuple(keys)))


def ask_for_lists(holes: Holes, run: Run, report_id: int, own: int) -> None:
    """Ask again and again for one report with one epsilon, and list something else each time.

    The unit's key comes before another one, alone, behind it, on both sides of it and before a
    third one; then the report is listed twice. Whatever a list looks like, an answer for the unit's
    key is paid for.
    """
    epsilon = holes.epsilon("epsilon", run.limits.epsilon)
    other, third = key(holes, "other"), key(holes, "third")
    for keys in ((own, other), (own,), (other, own), (own, other, own), (own, third)):
        run.make(Query(epsilon=epsilon, report_ids=(report_id,), keys=keys))
    run.make(Query(epsilon=epsilon, report_ids=(report_id, report_id), keys=(own,)))


def discover(run: Run) -> None:
    """Ask once, with key discovery, for all reports that have arrived in both worlds."""
    arrived = tuple(each for each in sorted(run.there.reports) if each in run.gone.reports)
    limits = run.limits
    run.make(Query(epsilon=limits.epsilon, delta=limits.delta, report_ids=arrived))


def one_trigger(holes: Holes, run: Run) -> None:
    """Let a source take one trigger, at any time, and ask for it later."""
    register(run, "x")
    wait(holes, run, "wait_0")
    trigger(holes, run, "x", 0)
    wait(holes, run, "wait_1")
    ask(run, run.limits.epsilon)


def two_triggers(holes: Holes, run: Run) -> None:
    """Let a source take two triggers with any time between them."""
    register(run, "x")
    trigger(holes, run, "x", 0)
    wait(holes, run, "wait_0")
    trigger(holes, run, "x", 1)
    wait(holes, run, "wait_1")
    ask(run, run.limits.epsilon)


def two_sources(holes: Holes, run: Run) -> None:
    """Let another source take a trigger between two of the unit's."""
    register(run, "z")
    register(run, "x")
    trigger(holes, run, "x", 0)
    trigger(holes, run, "z", 1)
    wait(holes, run, "wait_0")
    trigger(holes, run, "x", 2)
    wait(holes, run, "wait_1")
    ask(run, run.limits.epsilon)


def a_source_after_another(holes: Holes, run: Run) -> None:
    """Let a source expire before the unit's is registered."""
    register(run, "z", expiry=LATEST)
    wait(holes, run, "wait_0", most=3 * LATEST // 2)
    register(run, "x", expiry=YEARS * 2)
    trigger(holes, run, "x", 0)
    trigger(holes, run, "x", 1)
    ask(run, run.limits.epsilon)


def asked_twice(holes: Holes, run: Run) -> None:
    """Ask twice for one report that holds all a source may contribute, with any epsilons."""
    register(run, "x")
    trigger(holes, run, "x", 0, value=run.limits.contribution_budget)
    ask(run, holes.epsilon("epsilon_0", run.limits.epsilon))
    wait(holes, run, "wait_0")
    ask(run, holes.epsilon("epsilon_1", run.limits.epsilon))


def asked_for_lists(holes: Holes, run: Run) -> None:
    """Ask for one report that holds all a source may contribute, with one list after the other."""
    register(run, "x")
    trigger(holes, run, "x", 0, value=run.limits.contribution_budget)
    ask_for_lists(holes, run, 0, key(holes, "key_0"))


def keys_of_a_source(holes: Holes, run: Run) -> None:
    """Let a source take two triggers, and ask which keys there are."""
    register(run, "x")
    trigger(holes, run, "x", 0)
    trigger(holes, run, "x", 1)
    wait(holes, run, "wait_0")
    discover(run)


def shared_trigger(*sources: str) -> Callable[[Holes, Run], None]:
    """Return the script in which a trigger matches several sources, and each has its own key.

    Before it the unit takes any value, so that its budget may be used up.
    """

    def play(holes: Holes, run: Run) -> None:
        for place, each in enumerate(sources):
            register(run, each, key=2**place)
        trigger(holes, run, "x", 0)
        run.make(
            Trigger(
                report_id=1,
                destination="shop",
                filters=frozenset(sources),
                key=0,
                value=any_value(holes, run, 1),
            )
        )
        wait(holes, run, "wait_0")
        ask(run, run.limits.epsilon)

    return play


def registered_again(number: int) -> Callable[[Holes, Run], None]:
    """Return the script in which the unit's source is registered once more, after so many others.

    The paper's client refuses that.
    """

    def play(holes: Holes, run: Run) -> None:
        register(run, "x", expiry=LATEST)
        trigger(holes, run, "x", 0)
        wait(holes, run, "wait_0", most=2 * LATEST)
        for place in range(number):
            register(run, f"z{place}", expiry=4 * LATEST)
        run.offer(source_named("x", expiry=4 * LATEST))
        trigger(holes, run, "x", 1)
        ask(run, run.limits.epsilon)

    return play


def with_others(number: int) -> Callable[[Holes, Run], None]:
    """Return the script that asks for the unit's report together with null reports of others."""

    def play(holes: Holes, run: Run) -> None:
        register(run, "x")
        trigger(holes, run, "x", 0)
        for place in range(1, number + 1):
            run.make(nobody(place))
        ask(run, run.limits.epsilon)

    return play


def nobody(number: int) -> Trigger:
    """Return a trigger that no source takes."""
    filters = frozenset({"nobody"})
    return Trigger(report_id=number, destination="shop", filters=filters, key=0, value=1)


def used_up(holes: Holes, run: Run) -> None:
    """Let a source contribute ones until one is left, and then twice any value."""
    register(run, "x")
    for place in range(run.limits.sparsity_budget - 1):
        contribute_one(run, place)
    first = run.limits.sparsity_budget
    trigger(holes, run, "x", first)
    trigger(holes, run, "x", first + 1)
    ask(run, run.limits.epsilon)


def contribute_one(run: Run, number: int) -> None:
    """Let the source of the unit contribute a one."""
    filters = frozenset({"x"})
    run.make(Trigger(report_id=number, destination="shop", filters=filters, key=0, value=1))


def asked_often(number: int) -> Callable[[Holes, Run], None]:
    """Return the script that asks often with little epsilon, and then twice with any."""

    def play(holes: Holes, run: Run) -> None:
        register(run, "x")
        trigger(holes, run, "x", 0, value=run.limits.contribution_budget)
        for _ in range(number):
            ask(run, run.limits.epsilon / (8 * number))
        ask(run, holes.epsilon("epsilon_0", run.limits.epsilon))
        ask(run, holes.epsilon("epsilon_1", run.limits.epsilon))

    return play


def source_x(holes: Holes) -> Unit:
    """Return the unit of the source that scripts are about."""
    del holes
    return "x"


def attribution_scripts(ladder: tuple[int, ...]) -> tuple[Script, ...]:
    """Return the scripts about a source, short ones first; the ladder is the lengths to try."""
    short = (one_trigger, two_triggers, asked_twice, two_sources, a_source_after_another, used_up)
    own = keys_of_a_source
    return (
        *(Script(name=x.__name__, unit=source_x, play=x) for x in (*short, asked_for_lists)),
        Script(name=own.__name__, unit=source_x, play=own, discovers=True),
        *(
            Script(
                name=f"a trigger of {', '.join(each)}", unit=source_x, play=shared_trigger(*each)
            )
            for each in (("z", "y", "x"), ("x", "y", "z"))
        ),
        *(
            Script(name=f"registered again after {n}", unit=source_x, play=registered_again(n))
            for n in sorted({0, *(each for each in ladder if each <= MOST_BETWEEN)})
        ),
        *(Script(name=f"with {n} others", unit=source_x, play=with_others(n)) for n in ladder),
        *(Script(name=f"asked {n} times", unit=source_x, play=asked_often(n)) for n in ladder),
    )
