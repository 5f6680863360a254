"""Scripts of moves that make every rule work, for tests that run whole files of rules."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

from sandproof.sampling import Sampler, SeededEntropy
from spec import (
    ATTRIBUTION_FIXED,
    NULL_STORE,
    DeviceWindow,
    Event,
    EventSource,
    EventTrigger,
    Move,
    Observation,
    PassTime,
    Query,
    Rules,
    Source,
    Storage,
    SystemMechanism,
    Trigger,
    TriggerSpecification,
    Universe,
)
from spec.neighbours import OtherWorld, Worlds

A = Source(source_id="A", destination="shop", expiry=2000, filters=frozenset("a"), key=1)
PURCHASE = Trigger(report_id=1, destination="shop", filters=frozenset("a"), key=4, value=2)
AD = EventSource(
    source_id="E",
    destination="shop",
    expiry=2000,
    filters=frozenset("a"),
    maximum_reports=2,
    specifications=(TriggerSpecification(data=0, windows=(700, 1400), buckets=(1, 2)),),
)
SALE = EventTrigger(trigger_id="t", destination="shop", filters=frozenset("a"), data=0, value=1)


def view(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 2 to key 1, and count."""
    return storage.set("views", len(storage)), 1, 2


VIEW = Event(report_id=11, device="device", program=view)
QUARTER = Fraction(1, 4)

SCRIPT: tuple[Move, ...] = (
    A,
    replace(A, source_id="B", key=2, filters=frozenset("ab")),
    AD,
    replace(AD, source_id="F"),
    PURCHASE,
    replace(PURCHASE, report_id=2, value=1),
    replace(PURCHASE, report_id=3, filters=frozenset("c")),
    SALE,
    replace(SALE, trigger_id="u", value=2),
    VIEW,
    replace(VIEW, report_id=12, device="tablet"),
    PassTime(until=700),
    replace(VIEW, report_id=13),
    replace(PURCHASE, report_id=4, device="tablet"),
    PassTime(until=90_000),
    Query(epsilon=QUARTER, keys=(1, 5), report_ids=(1, 2, 3, 11, 12, 13)),
    Query(epsilon=QUARTER, keys=(1,), report_ids=(1, 1)),
    Query(epsilon=QUARTER, delta=Fraction(1, 10**9), report_ids=(1, 2, 4, 11)),
    Query(epsilon=Fraction(1000), keys=(1,), report_ids=(1,)),
)
"""Every kind of move, under the paper's limits."""


def loaded(path: Path) -> ModuleType:
    """Return the module of a file that is in no package; what it brings is loaded afresh later."""
    before = set(sys.modules)
    loader = SourceFileLoader(f"_{path.parent.name}_{path.stem}", str(path))
    found = spec_from_loader(loader.name, loader)
    assert found is not None
    module = sys.modules[loader.name] = module_from_spec(found)
    loader.exec_module(module)
    for name in sys.modules.keys() - before - {loader.name}:
        file = getattr(sys.modules[name], "__file__", None)
        if file is not None and Path(file).is_relative_to(path.parent):
            del sys.modules[name]
    return module


def scripts_of(module: ModuleType) -> Iterator[tuple[Rules, tuple[Move, ...]]]:
    """Yield the script above, and one for every universe that a file names."""
    rules: Rules = module.RULES
    yield rules, SCRIPT
    named = [module.UNIVERSE] if hasattr(module, "UNIVERSE") else getattr(module, "UNIVERSES", ())
    for universe in named:
        yield replace(rules, limits=universe.limits), moves_of(universe)


def moves_of(universe: Universe) -> tuple[Move, ...]:
    """Use everything in a universe, the triggers and events once before every moment."""
    moves: list[Move] = [*universe.sources, *universe.event_sources]
    identifiers: list[int] = []
    for moment in (*universe.moments, (universe.moments or (0,))[-1] + 1):
        causes: tuple[Trigger | Event, ...] = (*universe.triggers, *universe.events)
        for cause in causes:
            identifiers.append(len(identifiers) + 1)
            moves.append(replace(cause, report_id=identifiers[-1]))
        moves += universe.event_triggers
        moves.append(PassTime(until=moment))
    moves += [replace(query, report_ids=tuple(identifiers)) for query in universe.queries]
    return tuple(moves)


def play(
    mechanism: SystemMechanism | OtherWorld, moves: tuple[Move, ...], seed: int = 0
) -> list[Observation]:
    """Make the moves one after the other; return what is seen. Queries name what has arrived."""
    state: Any = mechanism.initial
    draw, seen = Sampler(SeededEntropy(seed)), list[Observation]()
    for move in moves:
        if isinstance(move, Query):
            arrived = state.own.reports if isinstance(state, Worlds) else state.reports
            listed = tuple(each for each in move.report_ids if each in arrived)
            move = replace(move, report_ids=listed)
        state, observation = mechanism.step(state, move, draw)
        seen.append(observation)
    return seen


def play_in_all_worlds(module: ModuleType) -> list[list[Observation]]:
    """Play every script of a file without a unit, and with everybody; return what is seen then.

    With everybody it is played several times, because a response may be drawn that shows nothing.
    """
    seen = []
    named = getattr(module, "NEIGHBOURS", None)
    for rules, moves in scripts_of(module):
        everybody = SystemMechanism(rules=rules)
        seen.append([each for seed in range(4) for each in play(everybody, moves, seed)])
        for relation in (ATTRIBUTION_FIXED, NULL_STORE) if named is None else (named,):
            devices = relation.units == "devices"
            unit = DeviceWindow(device="device", window=0) if devices else "A"
            play(relation.without(rules, unit), moves)
    return seen
