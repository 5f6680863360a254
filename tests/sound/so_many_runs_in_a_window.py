"""Private Aggregation runs at most five programs per window; a program that fails counts as null.

Truth: proved: How often programs ran is counted when credits are decided, on D, so both worlds
    agree on it (and the ad-tech knows it anyway). A program that does not run, or fails,
    credits nothing and keeps the storage; its report is sent as a null report. Admission is the
    paper's, so x stays within L1 and L0.
Status: proved
"""

from dataclasses import dataclass

from immutables import Map

from spec import (
    PAPER,
    AggregationClient,
    AtEvent,
    Contribution,
    Credit,
    Draw,
    Storage,
    Unit,
    replace,
)

MOST_RUNS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingClient(AggregationClient):
    """Count the programs that ran per device, window and ad-tech."""

    runs: Map[Unit, int] = Map()


def run_program(at: AtEvent) -> tuple[Storage, tuple[Contribution, ...]]:
    try:
        return PAPER.run_program(at)
    except Exception:
        return at.client.storage, ()


def propose(at: AtEvent, draw: Draw) -> tuple[AggregationClient, tuple[Credit, ...]]:
    client = at.client
    assert isinstance(client, CountingClient)
    unit = at.rules.budget_unit(at)
    runs = client.runs.get(unit, 0)
    if runs >= MOST_RUNS:
        return client, ()
    storage, contributions = at.rules.run_program(at)
    after = replace(client, storage=storage, runs=client.runs.set(unit, runs + 1))
    return after, (Credit(unit=unit, contributions=contributions),)


RULES = replace(
    PAPER,
    initial=replace(PAPER.initial, aggregation=CountingClient()),
    run_program=run_program,
    propose=propose,
)
