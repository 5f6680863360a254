"""A result as text for a terminal: the why first, then the attack, then the guarantees.

Lemmas are counted, and listed if that is asked for. The verdict is a single last line.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping

from sandproof.about import Change
from sandproof.claim_result import ClaimResult, told_alarm
from sandproof.promise import Strength
from sandproof.result import Result
from sandproof.why import opening, why
from spec.verdicts import Kind, Verdict

WIDTH = 80
NARROWEST = 40
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
COST = "not proved: "
"""How a line begins that says what cost a proof; the same is said once."""

UNIVERSES = re.compile(r"(?P<method>.*?)small universes: (?P<names>.*)")
REAL = ", at real sizes"
"""How names of universes end that were played at real sizes."""

FEW = 3
"""As many universes are named without being asked for."""

INTERRUPTED = "Interrupted: what was not finished is unknown."

HEADINGS = (
    (Kind.GUARANTEE, "Guarantees"),
    (Kind.ASSUMPTION, "Assumptions of the paper's proof"),
    (Kind.LEMMA, "Lemmas"),
)


class Writer:
    """Collect lines, in colour or not, of a width.

    The why and the verdict are one line each, for programs that read them, unless the lines are
    for a terminal.
    """

    def __init__(self, colour: bool, width: int = WIDTH, terminal: bool = False) -> None:
        self.colour, self.terminal = colour, terminal
        self.width = max(width, NARROWEST)
        self.lines: list[str] = []
        self.told: set[str] = set()

    def paint(self, text: str, style: str) -> str:
        """Colour a text."""
        return f"\033[{COLOURS[style]}m{text}\033[0m" if self.colour else text

    def heading(self, text: str) -> None:
        """Start a section."""
        self.lines += ["", *(self.paint(line, "heading") for line in self.folded(text))]

    def headline(self, text: str, first: str, style: str) -> None:
        """Add a line that begins with a text in a colour, folded only for a terminal."""
        lines = self.folded(text, rest="  ") if self.terminal else [text]
        rest = lines[0].removeprefix(first)
        self.lines += [self.paint(first, style) + rest, *lines[1:]]

    def folded(self, text: str, first: str = "", rest: str = "") -> list[str]:
        """Return a text in lines within the width; a name that is longer stays whole."""
        return textwrap.wrap(
            text,
            self.width,
            initial_indent=first,
            subsequent_indent=rest,
            break_on_hyphens=False,
            break_long_words=False,
        )

    def wrap(self, text: str, indent: int = 2, style: str = "") -> None:
        """Add a paragraph within the width."""
        space = " " * indent
        for line in self.folded(text, space, space):
            self.lines.append(self.paint(line, style) if style else line)


def as_text(
    result: Result,
    colour: bool = False,
    width: int = WIDTH,
    verbose: bool = False,
    terminal: bool = False,
) -> str:
    """Return a result as text; a `verbose` one lists the lemmas and tells every attack."""
    out = Writer(colour, width, terminal)
    about = result.about
    write_opening(out, result)
    for line in out.folded(f"Checking {about.name}"):
        out.lines.append(out.paint(line, "heading"))
    if about.title:
        out.wrap(about.title)
    if about.relation:
        out.wrap(f"Neighbours: {about.relation}: {about.relation_meaning}.")
    for universe in about.universes:
        out.wrap(f"Universe: {universe}.")
    write_attacks(out, result, verbose)
    if about.changes:
        out.heading(f"Changed against {about.whose} rules")
        for change in about.changes:
            write_change(out, change)
    for kind, heading in HEADINGS if verbose else HEADINGS[:1]:
        rows = [row for row in result.of_kind(kind) if row.affected]
        if rows:
            out.heading(heading)
            for row in rows:
                write_claim(out, row, verbose)
            if not verbose and any(counted(line) != line for line in out.told):
                out.wrap("(-v names all universes)", style="faint")
    write_folded(out, result, verbose)
    write_instead(out, result)
    write_remarks(out, result)
    write_alarms(out, result)
    write_verdict(out, result)
    return "\n".join(out.lines)


def write_verdict(out: Writer, result: Result) -> None:
    """Write the verdict, which comes last."""
    unusable = bool(result.bad_input or result.misbehaved) and result.verdict is Verdict.UNKNOWN
    style = "bad input" if unusable else result.verdict.value
    out.lines.append("")
    out.headline(result.headline, result.headline.partition(": ")[0], style)


def write_opening(out: Writer, result: Result) -> None:
    """Write the why, and what the claim that fell says."""
    sentence, found = opening(result), why(result)
    folded = out.terminal or found is None
    for line in out.folded(sentence, rest="  ") if folded else [sentence]:
        out.lines.append(out.paint(line, result.verdict.value))
    if found is not None:
        out.wrap(f"What no longer holds: {found.claim.statement}")
    if sentence:
        out.lines.append("")


def write_change(out: Writer, change: Change) -> None:
    """Write one changed rule with its source."""
    if change.field.startswith("limits."):
        name = change.field.removeprefix("limits.")
        out.wrap(f"{name}: {change.before} -> {change.after}")
        return
    out.lines.append(out.paint(f"  - {change.field} = {change.before}", "refuted"))
    out.lines.append(out.paint(f"  + {change.field} = {change.after}", "proved"))
    out.lines += [
        out.paint(f"      {line}".rstrip(), "faint") for line in change.source.split("\n")
    ]


def write_claim(out: Writer, row: ClaimResult, verbose: bool) -> None:
    """Write the verdict on a claim, what it promises, and how it was decided."""
    verdict = out.paint(f"{row.verdict.value:<8}", row.verdict.value)
    named = f"  {verdict} {row.claim.id}"
    plain = f"  {row.verdict.value:<8} {row.claim.id}"
    seconds = f"{row.seconds:7.1f} s"
    fits = len(plain) + len(seconds) <= out.width
    out.lines.append(named + (seconds.rjust(out.width - len(plain)) if fits else ""))
    if row.told_promise:
        weaker = row.strength in (Strength.WEAKER, Strength.OTHER)
        out.wrap(f"promise: {row.told_promise}", indent=11, style="alarm" if weaker else "")
    reasons = row.reason.splitlines()
    for line in reasons if verbose or row.verdict is not Verdict.REFUTED else reasons[:1]:
        out.wrap(told_once(out, row, line, verbose), indent=11, style="faint")
    if row.promise is not None and row.assumes:
        out.wrap(f"assumes: {row.assumes}", indent=11, style="faint")


def told_once(out: Writer, row: ClaimResult, line: str, verbose: bool) -> str:
    """Return a line that says how a claim was decided, without what was told of another claim.

    A `verbose` one is whole, unless it was told whole.
    """
    again = line in out.told
    parts = line.removeprefix(COST).split("; ")
    fresh = [part for part in parts if part not in out.told]
    out.told.add(line)
    if line.startswith(COST):
        out.told.update(parts)
        if again or not fresh:
            return f"{COST}for the same reason"
        rest = ["the rest is told above"] if len(fresh) < len(parts) else []
        return line if verbose else COST + "; ".join([*fresh, *rest])
    if verbose:
        return line
    short = row.verdict is not Verdict.UNKNOWN or len(line) <= out.width
    return counted(line) if short or not again else "for the same reason"


def counted(line: str) -> str:
    """Return a line with the number of its universes in place of their names, if they are many."""
    found = UNIVERSES.fullmatch(line)
    names = found["names"].split("; ") if found else []
    if found is None or len(names) <= FEW:
        return line
    real = " at real sizes" if all(name.endswith(REAL) for name in names) else ""
    return f"{found['method']}{len(names)} small universes{real}"


def write_folded(out: Writer, result: Result, verbose: bool) -> None:
    """Write how the claims fare that are not listed, and which of them are unaffected."""
    others = [row for row in result.of_kind(Kind.ASSUMPTION, Kind.LEMMA) if row.affected]
    if others and not verbose:
        out.heading("Assumptions and lemmas")
        for verdict in (Verdict.REFUTED, Verdict.UNKNOWN, Verdict.SEARCHED, Verdict.PROVED):
            names = [row.claim.id for row in others if row.verdict is verdict]
            listed = "" if verdict is Verdict.PROVED else f": {', '.join(names)}"
            if names:
                out.wrap(f"{len(names)} {verdict.value}{listed}")
        out.wrap("(-v lists them with what was found)", style="faint")
    reasons: dict[str, list[str]] = {}
    for row in result.claims:
        if not row.affected:
            reasons.setdefault(row.why, []).append(row.claim.id)
    if reasons:
        out.heading("Unaffected")
    for why_not, names in reasons.items():
        guarantees = [row.claim.id for row in result.of_kind(Kind.GUARANTEE)]
        shown = [name for name in names if verbose or name in guarantees]
        more = len(names) - len(shown)
        counted = [*shown, *([f"{more} assumptions and lemmas"] if more else [])]
        out.wrap(f"{why_not[0].upper()}{why_not[1:]}: {', '.join(counted)}.")


def write_attacks(out: Writer, result: Result, verbose: bool) -> None:
    """Write the smallest attack, or all attacks and counterexamples, and what repairs."""
    refuted = result.guarantees(Verdict.REFUTED)
    told = [row for row in refuted if row.attack is result.attack] if result.attack else refuted
    for row in refuted if verbose else told[:1]:
        out.heading(f"How {row.claim.id} is broken")
        if row.attack is not None:
            write_story(out, row.attack.story)
            if row.attack.factor:
                out.wrap(f"A weaker guarantee holds there: with {row.attack.factor}ε*.")
        else:
            write_story(out, "\n".join(row.told_counterexample))
    for repair in result.repairs:
        out.heading("A repair")
        out.wrap(
            f"With {result.about.whose} {repair.field} put back, {repair.claim} is kept "
            f"({repair.how})."
        )


def write_story(out: Writer, story: str) -> None:
    """Write a story; what continues a line stands below its beginning."""
    for line in story.split("\n"):
        text = line.lstrip()
        first = " " * (2 + len(line) - len(text))
        rest = first + "   " * bool(re.match(r"\d+\. ", text))
        out.lines += out.folded(text, first, rest) or [""]


def write_instead(out: Writer, result: Result) -> None:
    """Write which parts of the published proof fall, and that guarantees were decided instead."""
    if not result.decided_instead:
        return
    out.heading(result.about.lost_proof)
    for row in result.fallen:
        what = "falls" if row.verdict is Verdict.REFUTED else "is not shown for these rules"
        told = row.told_counterexample
        numbers = told[-1].rstrip(".") if "violated" in row.counterexample else ", ".join(told)
        out.wrap(f"because {row.claim.id} {what}{f' ({numbers})' if numbers else ''}.")
    out.wrap("The guarantees were decided instead, as is told above:")
    for row in result.decided_instead:
        out.wrap(f"{row.claim.id} {row.verdict.value}.", indent=4)


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
        lines.append(INTERRUPTED)
    if lines:
        out.heading("Note")
        for line in lines:
            out.wrap(line)
    if result.claims and not result.about.changes and not result.about.relation:
        out.lines.append("")
        out.wrap("To check a change: sandproof new my_change, then sandproof check", indent=0)
        out.wrap("my_change.py; or only a parameter: sandproof check --set delta=1e-6", indent=0)
