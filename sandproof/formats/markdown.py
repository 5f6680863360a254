"""A result as Markdown, for a pull request or an issue."""

from __future__ import annotations

from collections.abc import Sequence

from sandproof.claim_result import ClaimResult, told_alarm
from sandproof.result import Result
from sandproof.why import opening
from spec.verdicts import Kind, Verdict


def as_markdown(results: Sequence[Result]) -> str:
    """Return results as Markdown."""
    return "\n\n".join("\n".join(lines_of(result)) for result in results)


def lines_of(result: Result) -> list[str]:
    """Return the lines of one result."""
    about = result.about
    lines = [
        f"## {escaped(about.name)}: {result.verdict.value}",
        "",
        f"**{escaped(result.headline)}**",
    ]
    if sentence := opening(result):
        lines[2:2] = [escaped(sentence[0].upper() + sentence[1:]) + ".", ""]
    if about.title:
        lines += ["", escaped(about.title)]
    if about.relation:
        lines += ["", f"Neighbours: {escaped(about.relation)}: {escaped(about.relation_meaning)}."]
    for row in result.guarantees(Verdict.REFUTED):
        lines += ["", f"### How `{row.claim.id}` is broken", ""]
        numbers = "\n".join(row.told_counterexample)
        lines += fenced(row.attack.story if row.attack else numbers, "text")
    for change in about.changes:
        lines += ["", f"`{change.field}`: `{change.before}` becomes `{change.after}`"]
        if change.source:
            lines += ["", *fenced(change.source, "python")]
    rows = [row for row in result.claims if row.affected]
    lines += table([row for row in rows if row.claim.kind is Kind.GUARANTEE])
    others = [row for row in rows if row.claim.kind is not Kind.GUARANTEE]
    lines += folded(f"{len(others)} assumptions and lemmas", table(others)) if others else []
    lines += unaffected(result)
    for repair in result.repairs:
        whose = result.about.whose
        lines += ["", f"With {whose} `{repair.field}` put back, `{repair.claim}` is kept"]
        lines += [f"({escaped(repair.how)})."]
    lines += instead(result)
    alarms = [f"ALARM: {each.claim}: {told_alarm(each)}" for each in result.alarms]
    notes = [*alarms, *result.misbehaved, *result.exhausted, *result.notes]
    lines += [""] * bool(notes) + [f"- {escaped(note)}" for note in notes]
    return lines


def table(rows: Sequence[ClaimResult]) -> list[str]:
    """Return claims as a table."""
    if not rows:
        return []
    heading = ["", "| verdict | claim | promise | how | seconds |"]
    return [*heading, "| --- | --- | --- | --- | ---: |", *map(table_row, rows)]


def folded(summary: str, lines: list[str]) -> list[str]:
    """Return lines that are folded away under a summary."""
    return ["", "<details>", f"<summary>{summary}</summary>", *lines, "", "</details>"]


def table_row(row: ClaimResult) -> str:
    """Return a claim as a row of a table."""
    verdict = f"**{row.verdict.value}**" if row.verdict is Verdict.REFUTED else row.verdict.value
    kind = "" if row.claim.kind is Kind.GUARANTEE else f" ({row.claim.kind.value})"
    how = escaped(row.reason).replace("\n", "<br>")
    assumes = f"; assumes: {row.assumes}" if row.promise is not None and row.assumes else ""
    promise = escaped(row.told_promise + assumes)
    return f"| {verdict} | `{row.claim.id}`{kind} | {promise} | {how} | {row.seconds:.1f} |"


def unaffected(result: Result) -> list[str]:
    """Return which claims are unaffected, folded away."""
    rows = [row for row in result.claims if not row.affected]
    if not rows:
        return []
    listed = [f"- `{row.claim.id}`: {row.why}{kept_promise(row)}" for row in rows]
    return folded(f"{len(rows)} claims are unaffected", ["", *listed])


def kept_promise(row: ClaimResult) -> str:
    """Return the promise of a guarantee that is unaffected."""
    return f"; promise: {escaped(row.told_promise)}" if row.told_promise else ""


def instead(result: Result) -> list[str]:
    """Return which parts of the published proof fall, if guarantees hold without them."""
    if not result.decided_instead:
        return []
    names = ", ".join(f"`{row.claim.id}`" for row in result.fallen)
    lines = ["", f"{result.about.lost_proof}, because of {names}."]
    lines += ["The guarantees were decided instead, as the table tells:", ""]
    return lines + [f"- `{row.claim.id}`: {row.verdict.value}" for row in result.decided_instead]


def fenced(text: str, language: str) -> list[str]:
    """Return a block of text as it is."""
    fence = "```"
    while fence in text:
        fence += "`"
    return [f"{fence}{language}", *text.split("\n"), fence]


def escaped(text: str) -> str:
    """Return text that Markdown leaves alone."""
    for character in "\\`*_|<>[]#":
        text = text.replace(character, "\\" + character)
    return text
