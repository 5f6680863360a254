"""The runs that the paper's examples are made of: what happens, with which rules, without noise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypedDict, TypeVar, cast

from immutables import Map

from spec import PAPER, Rules
from spec.aggregation_service import Answer
from spec.attribution_client import Source, Trigger
from spec.distributions import Draw, Law
from spec.event_client import EventSource, TriggerSpecification
from spec.neighbours import RELATIONS_BY_NAME, Relation
from spec.neighbours.relation import SharedDraws
from spec.noise import Noisy
from spec.private_aggregation_client import Program, Storage
from spec.randomized_response import RandomizedResponse
from spec.reports import Contribution, Report
from spec.system import Move, Observation, PassTime, System, SystemMechanism, step

T = TypeVar("T")
HOUR = 60 * 60
DAY = 24 * HOUR
RELATIONS = Map(RELATIONS_BY_NAME)
SHOP = "shoes-website.com"
SNEAKERS, SANDALS = "sneakers", "sandals"

Held: TypeAlias = Mapping[int, Sequence[tuple[int, int]]]
"""What every report holds, as pairs of key and value."""


class ArrivedReports(TypedDict):
    """Name the parts of a system that hold reports."""

    reports: Map[int, Report]
    used_ids: Map[int, None]


@dataclass(frozen=True, kw_only=True)
class Examples:
    """Hold the rules that the examples are run with, the relations, and how these share draws."""

    rules: Rules = PAPER
    relations: Map[str, Relation] = RELATIONS
    draws: type[SharedDraws] = SharedDraws


def without_chance(law: T | Law[T]) -> T:
    """Draw no noise, and let every response be truthful."""
    if isinstance(law, Noisy):
        return cast(T, law.centre)
    if isinstance(law, RandomizedResponse):
        return cast(T, None)
    return cast(T, law)


def after(
    rules: Rules, moves: Iterable[Move], draw: Callable[[Any], Any] = without_chance
) -> tuple[System, list[Observation]]:
    """Return the system after moves, and what was seen of each."""
    system, seen = SystemMechanism(rules=rules).initial, []
    for move in moves:
        system, shown = step(rules, system, move, cast(Draw, draw))
        seen.append(shown)
    return system, seen


def first_difference(found: object, wanted: object) -> Mapping[str, object] | None:
    """Write down what came out instead, if it is something else."""
    return None if found == wanted else {"came out": str(found), "in the paper": str(wanted)}


AD = Source(
    source_id="Thanksgiving",
    destination=SHOP,
    expiry=3 * DAY,
    filters=frozenset({SNEAKERS, SANDALS, "flip-flops"}),
    key=0x500,
)
PURCHASE = Trigger(report_id=1, destination=SHOP, filters=frozenset({SNEAKERS}), key=0x59, value=70)


def carried(system: System) -> dict[int, list[tuple[int, int]]]:
    """Return what every report holds."""
    return {
        number: [(part.key, part.value) for part in report.contributions]
        for number, report in system.reports.items()
    }


def holding(held: Held) -> ArrivedReports:
    """Return the reports that hold so much, all of which have arrived."""
    reports = {
        number: Report(
            report_id=number,
            contributions=tuple(Contribution(key=key, value=value) for key, value in parts),
        )
        for number, parts in held.items()
    }
    return {"reports": Map(reports), "used_ids": Map(dict.fromkeys(held))}


def answers(seen: Iterable[Observation]) -> list[dict[int, int]]:
    """Return what was released by the queries that were not refused."""
    return [dict(each.released) for shown in seen for each in shown if isinstance(each, Answer)]


def first_view(key: int, value: int) -> Program:
    """Return the program that contributes the first time a device sees a key."""

    def program(storage: Storage) -> tuple[Storage, int, int]:
        return storage.set(key, True), key, 0 if key in storage else value

    return program


def after_window(rules: Rules) -> PassTime:
    """Let the first window end."""
    return PassTime(until=rules.limits.window_length)


FOOTWEAR = EventSource(
    source_id="footwear",
    destination=SHOP,
    expiry=30 * DAY,
    filters=frozenset({"footwear"}),
    maximum_reports=3,
    specifications=(
        TriggerSpecification(data=SNEAKERS, windows=(2 * DAY, 7 * DAY), buckets=(20, 70)),
        TriggerSpecification(data=SANDALS, windows=(1 * DAY, 5 * DAY), buckets=(10, 50)),
    ),
)
