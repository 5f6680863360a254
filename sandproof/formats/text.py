"""A result as text for a terminal: at most 80 columns, the verdict a single last line."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping

from sandproof.about import Change
from sandproof.claim_result import ClaimResult, told_alarm
from sandproof.result import Result
from spec.verdicts import Kind, Verdict

WIDTH = 80
COLOURS: Mapping[str, str] = {
    "proved": "32",
    "searched": "36",
    "refuted": "31",
    "unknown": "33",
    "alarm": "1;31",
    "bad input": "33",
    "unaffected": "2",
    "heading": "1",
    "faint": "2",
}
HEADINGS = (
    (Kind.GUARANTEE, "Guarantees"),
    (Kind.ASSUMPTION, "Assumptions of the paper's proof"),
    (Kind.LEMMA, "Lemmas"),
)


class Writer:
    """Collect lines, in colour or not."""

    def __init__(self, colour: bool) -> None:
        self.colour = colour
        self.lines: list[str] = []

    def paint(self, text: str, style: str) -> str:
        """Colour a text."""
        return f"\033[{COLOURS[style]}m{text}\033[0m" if self.colour else text

    def heading(self, text: str) -> None:
        """Start a section."""
        self.lines += ["", self.paint(text, "heading")]

    def wrap(self, text: str, indent: int = 2, style: str = "") -> None:
        """Add a paragraph within the width."""
        space = " " * indent
        for line in textwrap.wrap(
            text, WIDTH, initial_indent=space, subsequent_indent=space, break_on_hyphens=False
        ):
            self.lines.append(self.paint(line, style) if style else line)


def as_text(result: Result, colour: bool = False) -> str:
    """Return a result as text."""
    out = Writer(colour)
    about = result.about
    out.lines.append(out.paint(f"Checking {about.name}", "heading"))
    if about.title:
        out.wrap(about.title)
    if about.relation:
        out.wrap(f"Neighbours: {about.relation}: {about.relation_meaning}.")
    for universe in about.universes:
        out.wrap(f"Universe: {universe}.")
    if about.changes:
        out.heading("Changed against the paper's rules")
        for change in about.changes:
            write_change(out, change)
    for kind, heading in HEADINGS:
        rows = [each for each in result.of_kind(kind) if each.affected]
        if rows:
            out.heading(heading)
            for row in rows:
                write_claim(out, row)
    write_unaffected(out, result)
    write_attacks(out, result)
    write_instead(out, result)
    write_remarks(out, result)
    write_alarms(out, result)
    word, _, rest = result.headline.partition(": ")
    style = word.partition(" under ")[0]
    out.lines += ["", out.paint(word, style) + ": " + rest]
    return "\n".join(out.lines)


def write_change(out: Writer, change: Change) -> None:
    """Write one changed rule with its source."""
    if change.field.startswith("limits."):
        name = change.field.removeprefix("limits.")
        out.lines.append(f"  {name}: {change.before} -> {change.after}")
        return
    out.lines.append(out.paint(f"  - {change.field} = {change.before}", "refuted"))
    out.lines.append(out.paint(f"  + {change.field} = {change.after}", "proved"))
    out.lines += [
        out.paint(f"      {line}".rstrip(), "faint") for line in change.source.split("\n")
    ]


def write_claim(out: Writer, row: ClaimResult) -> None:
    """Write the verdict on a claim, and how it was decided."""
    verdict = out.paint(f"{row.verdict.value:<8}", row.verdict.value)
    out.lines.append(f"  {verdict} {row.claim.id:<58}{row.seconds:7.1f} s")
    for line in row.reason.splitlines():
        out.wrap(line, indent=11, style="faint")


def write_unaffected(out: Writer, result: Result) -> None:
    """Write which claims are unaffected, and why."""
    reasons: dict[str, list[str]] = {}
    for row in result.claims:
        if not row.affected:
            reasons.setdefault(row.why, []).append(row.claim.id)
    if reasons:
        out.heading("Unaffected")
    for why, names in reasons.items():
        out.wrap(f"{why[0].upper()}{why[1:]}: {', '.join(names)}.")


def write_attacks(out: Writer, result: Result) -> None:
    """Write the attacks and counterexamples of what is refuted."""
    for row in result.guarantees(Verdict.REFUTED):
        out.heading(f"How {row.claim.id} is broken")
        if row.attack is not None:
            write_story(out, row.attack.story)
            if row.attack.factor:
                out.wrap(f"A weaker guarantee holds there: with {row.attack.factor}ε*.")
        else:
            for name, value in row.counterexample.items():
                out.wrap(f"{name} = {value}")
    for repair in result.repairs:
        out.heading("A repair")
        out.wrap(
            f"With the paper's {repair.field} put back, {repair.claim} is kept ({repair.how})."
        )


def write_story(out: Writer, story: str) -> None:
    """Write a story; what continues a line stands below its beginning."""
    for line in story.split("\n"):
        text = line.lstrip()
        first = " " * (2 + len(line) - len(text))
        rest = first + "   " * bool(re.match(r"\d+\. ", text))
        wrapped = textwrap.wrap(
            text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
        )
        out.lines += wrapped or [""]


def write_instead(out: Writer, result: Result) -> None:
    """Write which parts of the paper's proof fall, and how the guarantees were decided instead."""
    if not result.decided_instead:
        return
    out.heading("The paper's proof no longer applies here")
    for row in result.fallen:
        what = "falls" if row.verdict is Verdict.REFUTED else "is not shown for these rules"
        numbers = ", ".join(f"{name} = {value}" for name, value in row.counterexample.items())
        out.wrap(f"because {row.claim.id} {what}{f' ({numbers})' if numbers else ''}.")
    out.wrap("The guarantees were decided instead:")
    for row in result.decided_instead:
        out.wrap(f"{row.claim.id} {row.verdict.value}: {row.reason}.", indent=4)


def write_alarms(out: Writer, result: Result) -> None:
    """Write what must not happen, last of all and whatever the verdict."""
    if result.alarms:
        out.heading("ALARM: this must not happen, and nothing counts as shown beside it")
    for alarm in result.alarms:
        out.wrap(f"{alarm.claim}: {told_alarm(alarm)}", style="alarm")


def write_remarks(out: Writer, result: Result) -> None:
    """Write problems and notes."""
    lines = [*result.misbehaved, *result.exhausted, *result.notes]
    if result.interrupted:
        lines.append("Interrupted: what was not finished is unknown.")
    if lines:
        out.heading("Note")
        for line in lines:
            out.wrap(line)
    if result.claims and not result.about.changes and not result.about.relation:
        out.lines += ["", "To check a change: sandproof new my_change, then sandproof check"]
        out.lines += ["my_change.py; or only a parameter: sandproof check --set delta=1e-6"]
