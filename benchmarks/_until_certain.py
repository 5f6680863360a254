"""Check the paper's rules as `sandproof check --effort quick --no-cache` does, until it must fail.

For the paper's own rules every claim has to be proved, so that a check whose proof of one claim has
failed, or that has found one attack or one alarm, ends with a status that is not zero, whatever
else is found. Then this ends at once. Jobs and findings are those of the command; only the order
differs, and no verdict depends on it: first what takes no time and runs nearly everything, then the
other lemmas.

    python -m benchmarks._until_certain
"""

from __future__ import annotations

from sandproof.about import Request
from sandproof.case import Case
from sandproof.families import claim_named
from sandproof.integrity import watching
from sandproof.jobs import Job, Options
from sandproof.plan import ORDER
from sandproof.processes import Pool
from sandproof.result import NOT_PROVED
from sandproof.schedule import Schedule
from sandproof.weigh import alarms_among
from spec.verdicts import Evidence

EARLIEST = "the_papers_examples_come_out"
"""The claim that is decided in no time, and whose proof runs nearly everything."""


def early(job: Job) -> tuple[bool, int]:
    """Say how early a job comes here."""
    return job.claim != EARLIEST, -ORDER[claim_named(job.claim).kind]


def must_fail(schedule: Schedule) -> bool:
    """Tell whether a claim cannot be proved any more.

    What a job found may become needless by a job of the same claim that comes earlier in the plan;
    what has one left is not counted. A rule that misbehaves makes more needless, and is bad input.
    """
    if not schedule.loaded.about.own:
        return False
    left = (*schedule.pending, *schedule.running)
    for job, found in schedule.kept().items():
        others = [each for each in left if each.claim == job.claim]
        if any(each.place < job.place for each in others):
            continue
        alarms = alarms_among(claim_named(job.claim), [found.finding], own=True)
        if alarms or found.finding.evidence is Evidence.ATTACK:
            return True
        proved = found.finding.evidence is Evidence.PROOF
        if job.proves and not proved and not any(each.proves for each in others):
            return True
    return False


def main() -> int:
    """Check the paper's rules, and return a status that is not zero as soon as that is certain."""
    options = Options(effort="quick")
    case = Case(Request(), options)
    with watching(), Pool(options.jobs, options.memory) as pool:
        while not case.done:
            while pool.has_room and (task := case.next_task()) is not None:
                case.begin(task, pool)
            outcome = pool.wait()
            assert outcome is not None
            loading = case.schedule is None
            case.take(outcome, pool)
            if case.schedule is not None and loading:
                case.schedule.pending.sort(key=early)
            if case.schedule is not None and must_fail(case.schedule):
                return NOT_PROVED
    return case.result().exit_status


if __name__ == "__main__":
    raise SystemExit(main())
