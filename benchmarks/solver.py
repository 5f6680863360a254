"""Measure the game solver: its cost against rounds, triggers, keys and sources, with brute force.

The mechanism is the paper's M_SR with requerying: units A and B, values of one or two, a query
without and one with key discovery. Time is processor time for one unit and both directions.
`plain` is the plain dynamic programme over all nodes, with the steps of both worlds remembered, and
`ratio` how many times as long it takes in the same run. `adversaries` is how many deterministic
adversaries brute force would have to try. Both are run where there are few nodes or adversaries,
and must find the same worst delta. The second table is about event-level sources of the whole
system, which draw their responses and keep them.

    python -m benchmarks.solver
"""

from __future__ import annotations

import resource
from dataclasses import dataclass, replace
from fractions import Fraction
from multiprocessing import get_context
from time import perf_counter, process_time

from properties.brute_force import Untyped, number_of_all, worst_by_nodes, worst_of_all
from properties.game import Game, Steps, Window, World, with_answers_remembered
from properties.mechanism_menu import Observed, SummaryDescription, SummaryMenu, SummaryParts
from properties.replay import untyped
from properties.solve import solve
from properties.system_menu import SystemMenu
from properties.universes import event_level, event_source, event_trigger
from spec import (
    ATTRIBUTION_FIXED,
    PAPER,
    SMALL_LIMITS,
    Contribution,
    Power,
    Query,
    SummaryMechanism,
    SystemMechanism,
    Universe,
    Without,
)
from spec.summary_mechanism import without_source

RULES = replace(PAPER, limits=SMALL_LIMITS)
POWER = Power(SMALL_LIMITS.base, SMALL_LIMITS.epsilon).exact()
FEW = 10_000
FEW_NODES = 8
"""Up to which product of rounds, triggers and keys the plain programme takes seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Say how large a universe is."""

    rounds: int
    triggers: int
    keys: int
    values: tuple[int, ...] = (2,)
    units: str = "AB"

    def menu(self) -> SummaryMenu:
        """Return what the adversary may do."""
        listed = tuple(range(self.keys))
        epsilon = Fraction(SMALL_LIMITS.contribution_budget)
        return SummaryMenu(
            kinds=tuple(
                (unit, Contribution(key=key, value=value))
                for unit in self.units
                for key in listed
                for value in self.values
            ),
            records=self.triggers,
            queries=(
                Query(epsilon=epsilon, keys=listed),
                Query(epsilon=epsilon, delta=SMALL_LIMITS.delta / 2),
            ),
            rounds=self.rounds,
        )

    def window(self) -> Window:
        """Return a window that holds every true sum."""
        return Window(lowest=0, highest=self.triggers * max(self.values))


SIZES = (
    Size(rounds=1, triggers=1, keys=1, units="A"),
    Size(rounds=2, triggers=1, keys=1, units="A"),
    Size(rounds=1, triggers=2, keys=1),
    Size(rounds=1, triggers=1, keys=2),
    Size(rounds=1, triggers=2, keys=2),
    Size(rounds=1, triggers=2, keys=2, units="ABC"),
    Size(rounds=1, triggers=2, keys=2, units="ABCD"),
    Size(rounds=1, triggers=3, keys=2),
    Size(rounds=2, triggers=2, keys=2),
    Size(rounds=2, triggers=3, keys=2),
    Size(rounds=3, triggers=2, keys=2),
    Size(rounds=3, triggers=3, keys=1),
    Size(rounds=3, triggers=3, keys=2),
    Size(rounds=4, triggers=3, keys=2),
    Size(rounds=5, triggers=3, keys=2),
)
EVENT_SIZES = ((1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1))
FEW_EVENTS = 4
"""Below which product of sources and triggers the plain programme takes seconds."""

TARGET = Size(rounds=3, triggers=3, keys=2, values=(1, 2))


def solved(size: Size, unit: str = "A") -> tuple[Fraction, int]:
    """Return the worst delta for one unit in both directions, and the number of nodes."""
    menu, window = size.menu(), size.window()
    mechanism = SummaryMechanism(rules=with_answers_remembered(RULES, window, Steps()))
    gone = Without(mechanism=mechanism, neighbour=without_source, unit=unit)
    worlds = [
        World(mechanism=untyped(Observed(mechanism=made)), window=window, parts=SummaryParts())
        for made in (mechanism, gone)
    ]
    games = [
        Game(first=first, second=second, menu=menu, description=SummaryDescription())
        for first, second in (worlds, worlds[::-1])
    ]
    worst = max(game.worst(POWER, menu.moves) for game in games)
    return worst, sum(game.nodes for game in games)


def both_worlds() -> tuple[Untyped, Untyped]:
    """Return the mechanism with the first unit and without it."""
    mechanism = SummaryMechanism(rules=RULES)
    gone = Without(mechanism=mechanism, neighbour=without_source, unit="A")
    return untyped(mechanism), untyped(gone)


def by_nodes(size: Size) -> tuple[Fraction, int]:
    """Return the worst delta and the number of nodes of the plain dynamic programme."""
    menu, window, worlds = size.menu(), size.window(), both_worlds()
    found = [
        worst_by_nodes(first, second, menu, POWER, menu.moves, window.outcomes)
        for first, second in (worlds, worlds[::-1])
    ]
    return max(worst for worst, _ in found), sum(nodes for _, nodes in found)


def by_brute_force(size: Size) -> tuple[int, Fraction | None]:
    """Return the number of adversaries, and the worst delta if they are few enough to try."""
    menu, window, worlds = size.menu(), size.window(), both_worlds()
    count = number_of_all(*worlds, menu, menu.moves, window.outcomes)
    if count > FEW:
        return count, None
    gains = [
        worst_of_all(first, second, menu, POWER, menu.moves, window.outcomes)[0]
        for first, second in (worlds, worlds[::-1])
    ]
    return count, max(gains)


def text(count: int) -> str:
    """Return a count, as a power of ten where it is long."""
    digits = len(str(count))
    return str(count) if digits < 8 else f"10^{digits - 1}"


def checked(which: str, found: Fraction, worst: Fraction) -> None:
    """End with a message if two ways to solve a universe disagree."""
    if found != worst:
        raise SystemExit(f"{which} finds {found}, the solver {worst}")


def table() -> None:
    """Print the cost of the solver, of the plain programme and of brute force against the size."""
    print(
        f"{'rounds':>6}  {'triggers':>8}  {'keys':>4}  {'sources':>7}  {'nodes':>6}  "
        f"{'seconds':>8}  {'plain nodes':>11}  {'plain':>8}  {'ratio':>6}  "
        f"{'adversaries':>11}  {'brute force':>11}  worst delta"
    )
    for size in SIZES:
        start = process_time()
        worst, nodes = solved(size)
        took = process_time() - start
        print(
            f"{size.rounds:>6}  {size.triggers:>8}  {size.keys:>4}  {len(size.units):>7}  "
            f"{nodes:>6}  {took:>8.3f}  {plain(size, worst, took)}  {brute(size, worst)}  {worst}",
            flush=True,
        )


def plain(size: Size, worst: Fraction, took: float) -> str:
    """Return the nodes and the time of the plain programme, and the ratio, where it is small."""
    if size.rounds * size.triggers * size.keys > FEW_NODES:
        return f"{'':>11}  {'':>8}  {'':>6}"
    start = process_time()
    found, nodes = by_nodes(size)
    seconds = process_time() - start
    checked("the plain programme", found, worst)
    return f"{nodes:>11}  {seconds:>8.3f}  {seconds / took:>6.1f}"


def brute(size: Size, worst: Fraction) -> str:
    """Return the number of adversaries, and the time that brute force takes where they are few."""
    if size.triggers > 2:
        return f"{'':>11}  {'':>11}"
    start = process_time()
    count, gain = by_brute_force(size)
    if gain is None:
        return f"{text(count):>11}  {'':>11}"
    checked("brute force", gain, worst)
    return f"{text(count):>11}  {process_time() - start:>11.2f}"


def event_universe(sources: int, triggers: int) -> Universe:
    """Return a universe of event-level sources with two windows each."""
    return event_level(
        f", {sources} sources",
        tuple(event_source(name, "c") for name in "ABC"[:sources]),
        (event_trigger("c", 1),),
        moves=sources + triggers + 2,
        count=triggers,
        moments=(5, 10),
    )


def event_table() -> None:
    """Print the cost of event-level games, and of the plain programme with every move there is."""
    print(
        f"\n{'sources':>7}  {'triggers':>8}  {'moves':>5}  {'nodes':>6}  {'steps':>6}  "
        f"{'seconds':>8}  {'plain nodes':>11}  {'plain':>8}  {'ratio':>6}  worst delta"
    )
    for sources, triggers in EVENT_SIZES:
        universe = event_universe(sources, triggers)
        start = process_time()
        found = solve(PAPER, ATTRIBUTION_FIXED, universe, room=None)
        took = process_time() - start
        told = f"{'':>11}  {'':>8}  {'':>6}"
        if sources * triggers < FEW_EVENTS:
            start = process_time()
            worst, nodes = event_by_nodes(universe)
            seconds = process_time() - start
            checked("the plain programme", worst, found.worst)
            told = f"{nodes:>11}  {seconds:>8.3f}  {seconds / took:>6.1f}"
        print(
            f"{sources:>7}  {triggers:>8}  {universe.moves:>5}  {found.nodes:>6}  "
            f"{found.steps:>6}  {took:>8.3f}  {told}  {found.worst}",
            flush=True,
        )


def event_by_nodes(universe: Universe) -> tuple[Fraction, int]:
    """Return the worst delta and the number of nodes of the plain dynamic programme."""
    rules = replace(PAPER, limits=universe.limits)
    menu = SystemMenu(universe=universe, rules=rules, any_tells=True)
    there = untyped(SystemMechanism(rules=rules))
    gone = untyped(ATTRIBUTION_FIXED.without(rules, "A"))
    power = Power(universe.limits.base, universe.promised[0]).exact()
    found = [
        worst_by_nodes(first, second, menu, power, universe.moves, Window().outcomes)
        for first, second in ((there, gone), (gone, there))
    ]
    return max(worst for worst, _ in found), sum(nodes for _, nodes in found)


def target(unit: str) -> tuple[Fraction, int, float, int]:
    """Solve the target for one unit; return also the time in seconds and the memory in MiB."""
    start = process_time()
    worst, nodes = solved(TARGET, unit)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return worst, nodes, process_time() - start, memory


def main() -> None:
    """Print the tables, then solve the target for both units, one on each core."""
    table()
    event_table()
    print("\nthree rounds, three triggers, two sources, two keys, values 1 and 2, requerying:")
    start = perf_counter()
    with get_context("spawn").Pool(2) as pool:
        found = pool.map(target, TARGET.units)
    for unit, (worst, nodes, seconds, memory) in zip(TARGET.units, found, strict=True):
        print(
            f"  unit {unit}: worst delta {worst} (promised {SMALL_LIMITS.delta}), {nodes} nodes, "
            f"{seconds:.1f} s, {nodes / seconds:.0f} nodes/s, {memory} MiB"
        )
    print(f"  both on two cores: {perf_counter() - start:.1f} s (target: 60 s, 2048 MiB)")


if __name__ == "__main__":
    main()
