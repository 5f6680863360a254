"""A result as plain data, as the published schemas describe it, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sandproof.claim_result import ClaimResult
from sandproof.result import Result
from sandproof.why import opening, why
from spec.verdicts import Finding, Verdict

SCHEMA_VERSION = 3

VERDICTS = (Verdict.REFUTED, Verdict.UNKNOWN, Verdict.SEARCHED, Verdict.PROVED)
"""The verdicts on proposals, the worst first."""


def as_json(results: Sequence[Result]) -> str:
    """Return the result, or several of them, as JSON."""
    if len(results) == 1:
        return json.dumps(to_json(results[0]), indent=2, ensure_ascii=False)
    found = {result.verdict for result in results}
    several = {
        "schema_version": SCHEMA_VERSION,
        "verdict": next(verdict.value for verdict in VERDICTS if verdict in found),
        "results": [to_json(result) for result in results],
    }
    return json.dumps(several, indent=2, ensure_ascii=False)


def to_json(result: Result) -> dict[str, object]:
    """Return the result as plain data, as the published schema describes it."""
    about = result.about
    return {
        "schema_version": SCHEMA_VERSION,
        "proposal": {
            "name": about.name,
            "title": about.title,
            "text": about.text,
            "labels": dict(about.labels),
            "neighbours": about.relation,
            "universes": list(about.universes),
            "changes": [
                {
                    "rule": change.field,
                    "before": change.before,
                    "after": change.after,
                    "source": change.source,
                    "file": change.file,
                    "line": change.line,
                }
                for change in about.changes
            ],
        },
        "verdict": result.verdict.value,
        "headline": result.headline,
        "why": why_to_json(result),
        "weaker": [row.claim.id for row in result.weaker],
        "exit_status": result.exit_status,
        "alarms": [
            {
                "claim": each.claim,
                "check": each.check,
                "reason": each.reason.value,
                "detail": each.detail,
            }
            for each in result.alarms
        ],
        "effort": result.effort,
        "seed": result.seed,
        "seconds": round(result.seconds, 3),
        "interrupted": result.interrupted,
        "problems": [
            *filter(None, [result.bad_input, result.not_followed]),
            *result.misbehaved,
            *result.exhausted,
        ],
        "notes": list(result.notes),
        "repairs": [
            {"rule": each.field, "claim": each.claim, "how": each.how} for each in result.repairs
        ],
        "claims": [claim_to_json(each) for each in result.claims],
    }


def why_to_json(result: Result) -> dict[str, object] | None:
    """Return what fell first, and with which rule, as plain data; null if nothing is refuted."""
    found = why(result)
    if found is None:
        return None
    change = found.change
    return {
        "sentence": opening(result),
        "claim": found.claim.id,
        "statement": found.claim.statement,
        "rule": "" if change is None else change.field,
        "file": "" if change is None else change.file,
        "line": 0 if change is None else change.line,
    }


def promise_to_json(row: ClaimResult) -> dict[str, object] | None:
    """Return what a guarantee promises as plain data; null for other claims."""
    if row.promise is None or row.papers is None:
        return None
    return {
        **row.promise.to_json(),
        "assumes": row.assumes,
        "told": row.told_promise,
        "papers": row.papers.to_json(),
        "compared": row.strength.name.lower(),
    }


def claim_to_json(result: ClaimResult) -> dict[str, object]:
    """Return what was found about a claim as plain data."""
    attack = result.attack
    example: object = dict(result.counterexample) or None
    if attack is not None:
        example = {"story": attack.story, **attack.data}
    return {
        "id": result.claim.id,
        "kind": result.claim.kind.value,
        "statement": result.claim.statement,
        "paper": result.claim.paper,
        "neighbours": result.relation,
        "promise": promise_to_json(result),
        "verdict": result.verdict.value,
        "reason": result.reason,
        "checks": [finding_to_json(finding) for finding in result.findings],
        "counterexample": example,
    }


def finding_to_json(finding: Finding) -> dict[str, object]:
    """Return what a check found as plain data."""
    return {
        "name": finding.check,
        "verdict": finding.verdict.value,
        "evidence": finding.evidence.value,
        "reason": finding.reason.value,
        "shape": finding.shape.value,
        "method": finding.method,
        "bound": finding.bound,
        "assumes": finding.assumes,
        "neighbours": finding.relation,
        "detail": finding.detail,
        "seconds": float(finding.seconds or 0),
        "steps": [
            {
                "name": step.name,
                "verdict": step.verdict.value,
                "by": step.by,
                "detail": step.detail,
            }
            for step in finding.steps
        ],
    }
