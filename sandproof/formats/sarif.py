"""A result as SARIF 2.1.0, which code hosts show beside the lines of a change.

A refuted guarantee is an error at the rule that broke it, one that is not proved or promises less a
warning. What is proved has no result.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

import sandproof
from sandproof.about import Change
from sandproof.claim_result import ClaimResult
from sandproof.families import all_claims
from sandproof.promise import Strength
from sandproof.result import Result
from sandproof.why import opening, rule_of, why
from spec.verdicts import Verdict

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {Verdict.REFUTED: "error", Verdict.UNKNOWN: "warning", Verdict.SEARCHED: "note"}


def as_sarif(results: Sequence[Result]) -> str:
    """Return results as one SARIF log."""
    found = [each for result in results for each in results_of(result)]
    named = dict.fromkeys(str(each["ruleId"]) for each in found)
    driver = {
        "name": "sandproof",
        "version": sandproof.VERSION,
        "rules": [described(name) for name in named],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": found}
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False)


def described(name: str) -> dict[str, object]:
    """Describe a claim, or that input cannot be used."""
    claims = all_claims()
    text = claims[name].statement if name in claims else "The proposal can be checked."
    return {"id": name, "shortDescription": {"text": text}}


def results_of(result: Result) -> Iterator[dict[str, object]]:
    """List what is to be shown of one result."""
    problems = [*filter(None, [result.bad_input, result.not_followed]), *result.misbehaved]
    for problem in problems:
        yield entry("bad-input", "error", problem, result.about.name, None)
    for row in result.deciding:
        level = LEVELS.get(row.verdict, "")
        if row.strength in (Strength.WEAKER, Strength.OTHER) and level != "error":
            level = "warning"
        if level:
            change = changed_by(result, row)
            yield entry(row.claim.id, level, told(result, row), result.about.name, change)


def told(result: Result, row: ClaimResult) -> str:
    """Tell what was found about a claim, the why first."""
    story = row.attack.story if row.attack is not None else ""
    numbers = ", ".join(row.told_counterexample)
    parts = (
        opening(result),
        f"{row.verdict.value}: {row.claim.id}",
        f"promise: {row.told_promise}" if row.told_promise else "",
        row.reason,
        story or numbers,
    )
    return "\n".join(filter(None, parts))


def changed_by(result: Result, row: ClaimResult) -> Change | None:
    """Return the changed rule to point at: that of the why, else one that the claim depends on."""
    found = why(result)
    if row.verdict is Verdict.REFUTED and found is not None and found.change is not None:
        return found.change
    changes = [each for each in result.about.changes if rule_of(each) in row.claim.rules]
    return next((each for each in changes if each.line), None)


def from_here(file: str) -> str:
    """Return a path as code hosts know it, from the folder in which the command runs."""
    path, here = PurePath(file), Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


def entry(
    rule: str, level: str, text: str, proposal: str, change: Change | None
) -> dict[str, object]:
    """Return one result of the log."""
    file = change.file if change is not None and change.file else proposal
    line = change.line if change is not None and change.line else 1
    place = {
        "artifactLocation": {"uri": from_here(file)},
        "region": {"startLine": line},
    }
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }
