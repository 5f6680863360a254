"""Two jobs are checked before either of them is charged.

Two jobs for the same reports run side by side. Each asks the privacy budget service whether its
reports can pay, both are told yes, and then both are charged and answered. Here a job's charges are
written only after the next job has been checked. Checking and charging must be one step.

Origin: w3c/attribution#371 asks for atomicity
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted, factor 2
"""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    Aborted,
    AtService,
    DeviceWindow,
    Draw,
    Event,
    Ledger,
    Outcome,
    Query,
    Report,
    Rules,
    Service,
    Source,
    Spent,
    Storage,
    Trigger,
    Universe,
    replace,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Hold a job that was checked and has not been charged yet."""

    query: Query = Query(epsilon=Fraction(1))
    batch: tuple[Report, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BusyService(Service):
    """Hold the ledger and the job that runs beside the next one."""

    running: Job = Job()


def serve(at: AtService, reports: tuple[Report, ...], draw: Draw) -> tuple[Service, Hashable]:
    """Check this job, then charge the one before it; this one is charged after the next check."""
    assert isinstance(at.service, BusyService)
    batch = draw(at.rules.batch(at, reports))
    _, accepted = draw(at.rules.settle(at, batch))
    service = BusyService(ledger=charged(at.service.ledger, at.service.running))
    outcome: Outcome = Aborted()
    if accepted is not None:
        outcome = at.rules.answer(at, accepted, draw)
        service = replace(service, running=Job(query=at.query, batch=accepted))
    return service, draw(at.rules.reveal(replace(at, service=service), batch, outcome))


def charged(ledger: Ledger, job: Job) -> Ledger:
    """Charge a job that was checked before, whatever the caps."""
    for report in job.batch:
        spent = ledger.get(report.report_id, Spent())
        epsilon, delta = spent.epsilon + job.query.epsilon, spent.delta + job.query.delta
        ledger = ledger.set(report.report_id, replace(spent, epsilon=epsilon, delta=delta))
    return ledger


def view(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 2 to key 1."""
    return storage, 1, 2


RULES: Rules = replace(PAPER, serve=serve, initial=replace(PAPER.initial, service=BusyService()))

LIMITS = replace(SMALL_LIMITS, epsilon=Fraction(2), delta=Fraction(0))
JOB = Query(epsilon=Fraction(2), keys=(1,))
UNIVERSES = (
    Universe(
        name="two jobs that use up the budget of a source's report",
        limits=LIMITS,
        units=("A",),
        moves=4,
        sources=(
            Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),
        ),
        triggers=(
            Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=2),
        ),
        trigger_count=1,
        queries=(JOB,),
        query_count=2,
    ),
    Universe(
        name="two jobs that use up the budget of a device's report",
        limits=LIMITS,
        units=(DeviceWindow(device="phone", window=0),),
        moves=3,
        events=(Event(report_id=0, device="phone", program=view),),
        event_count=1,
        queries=(JOB,),
        query_count=2,
    ),
)
