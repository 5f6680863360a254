"""From what jobs found to a result: a row per claim, and what the rows take from each other.

The verdict on one claim is put together in `weigh.py`. Here it is said which findings are the
claim's own, what blocks it, which code of the proposal nobody ran, which of its lemmas fell, what
holds because its parts do, and which rule put back repairs it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from sandproof.claim_result import ClaimResult
from sandproof.families import claim_named
from sandproof.result import Repair
from sandproof.schedule import Schedule
from spec.verdicts import Claim, Evidence, Finding, Kind, Reason, Verdict

UNREACHABLE = "if nothing can reach it, leave it out or put an assert in its place"
"""What lets a guarantee be decided that waits for code which no run can reach."""


def claim_results(
    schedule: Schedule, claims: Sequence[Claim], interrupted: bool
) -> tuple[ClaimResult, ...]:
    """Return a row for each claim, from what the jobs have found so far.

    Claims that others rest on have rows, too, which are left out in the end.
    """
    asked_for = {claim.id for claim in claims}
    helping = {job.claim for job in schedule.kept() if job.helping} - asked_for
    every = (*claims, *map(claim_named, sorted(helping)))
    rows = [claim_result(schedule, claim, interrupted) for claim in every]
    refuted = {row.claim.id for row in rows if row.verdict is Verdict.REFUTED}
    refuted |= {x for x, found in schedule.lemmas.items() if found.verdict is Verdict.REFUTED}
    family = schedule.loaded.family
    fallen = [
        replace(row, refuted_lemmas=family.refuted_lemmas(row.claim.id, refuted)) for row in rows
    ]
    known = without_fallen_proofs(family.composed(fallen))
    return tuple(row for row in known if row.claim.id in asked_for)


def claim_result(schedule: Schedule, claim: Claim, interrupted: bool) -> ClaimResult:
    """Return the row of one claim, with its own findings and what weighs against them."""
    loaded = schedule.loaded
    family = loaded.family
    promise = loaded.promises.get(claim.id)
    papers = family.promises(family.own, {}).get(claim.id)
    if not loaded.affects(claim.id):
        why = why_unaffected(claim)
        return ClaimResult(claim=claim, affected=False, why=why, promise=promise, papers=papers)
    mine = [found.finding for job, found in schedule.kept().items() if job.claim == claim.id]
    return ClaimResult(
        claim=claim,
        findings=tuple(mine),
        another_relation=loaded.about.relation if claim.id in loaded.another_relation else "",
        own=loaded.about.own,
        promise=promise,
        papers=papers,
        blocked=blocked(schedule, claim, interrupted),
        unreached=unreached(schedule, claim, mine),
    )


def blocked(schedule: Schedule, claim: Claim, interrupted: bool) -> str:
    """Say why nothing but an attack counts for a claim, if that is so."""
    kept = schedule.kept().values()
    misbehaved = [line for found in kept for line in found.misbehaved]
    hung = [line for found in kept for rule, line in found.exhausted.items() if rule in claim.rules]
    rests_on = {claim.id, *schedule.loaded.family.rests_on(claim.id)}
    unfinished = interrupted and not schedule.unfinished().isdisjoint(rests_on)
    return next(iter([*misbehaved, *hung, *([Reason.INTERRUPTED.value] * unfinished)]), "")


def unreached(schedule: Schedule, claim: Claim, findings: Sequence[Finding]) -> str:
    """Say which code of the changed rules no game reached, if a guarantee rests on games.

    All games count: a rule of both clients has code for triggers and code for events.
    """
    searched = any(finding.verdict is Verdict.SEARCHED for finding in findings)
    if claim.kind is not Kind.GUARANTEE or not searched:
        return ""
    reached = frozenset().union(*(found.reached for found in schedule.own().values()))
    changed = schedule.loaded.about.changed & set(claim.rules)
    complaint = schedule.loaded.listing.complaint(changed, reached)
    return complaint and f"{complaint}: {schedule.loaded.family.unreached}; {UNREACHABLE}"


def repairs(schedule: Schedule) -> Iterator[Repair]:
    """List the rules that, put back, keep a guarantee that is refuted."""
    for (name, claim), findings in schedule.repairs().items():
        result = ClaimResult(claim=claim_named(claim), findings=tuple(findings))
        if result.verdict in (Verdict.PROVED, Verdict.SEARCHED):
            yield Repair(field=name, claim=claim, how=f"{result.verdict}: {result.reason}")


def without_fallen_proofs(rows: Sequence[ClaimResult]) -> tuple[ClaimResult, ...]:
    """Return the results in which no proof rests on a claim with an alarm: that is one more alarm.

    It may cost a claim its proof on which another rests, so it is asked again until nothing
    changes. A proof that rests on claims that are refuted or not shown here, though not on the part
    of them that fails, says so.
    """
    while True:
        alarmed = {row.claim.id for row in rows if row.alarms}
        after = tuple(
            replace(row, findings=tuple(fallen_or_same(each, alarmed) for each in row.findings))
            for row in rows
        )
        if after == tuple(rows):
            return with_failed_assumptions(after)
        rows = after


def fallen_or_same(finding: Finding, alarmed: Collection[str]) -> Finding:
    """Return a proof as an alarm if it rests on a claim with an alarm."""
    named = [claim for claim in finding.rests_on if claim in alarmed]
    if finding.evidence is not Evidence.PROOF or not named:
        return finding
    detail = f"it rests on {' and on '.join(named)}"
    reason = Reason.RESTS_ON_ALARM
    return replace(finding, evidence=Evidence.ALARM, reason=reason, detail=detail)


def with_failed_assumptions(rows: Sequence[ClaimResult]) -> tuple[ClaimResult, ...]:
    """Return the results with every proof saying which claims fail here that it rests on.

    It rests on them for the rules without what was put around them, or without a part that fails.
    """
    failed = {
        row.claim.id: "refuted" if row.verdict is Verdict.REFUTED else "not shown"
        for row in rows
        if row.verdict in (Verdict.REFUTED, Verdict.UNKNOWN)
    }

    def told(finding: Finding) -> Finding:
        named = [claim for claim in failed if claim in finding.rests_on]
        if finding.verdict is not Verdict.PROVED or not named:
            return finding
        given = ", ".join(f"{claim}, which is {failed[claim]} here as a whole" for claim in named)
        return replace(finding, method=f"{finding.method}; it needs a part only of {given}")

    return tuple(replace(row, findings=tuple(map(told, row.findings))) for row in rows)


def why_unaffected(claim: Claim) -> str:
    """Say why a claim is unaffected by a proposal."""
    if not claim.rules:
        return "it is about fixed functions and depends on no rule"
    return "it depends on none of the changed rules"
