"""Two results side by side: which guarantee is shown less, or promises less, than before."""

from __future__ import annotations

from dataclasses import dataclass

from sandproof.claim_result import ClaimResult
from sandproof.promise import Strength, compared, told_change
from sandproof.result import BAD_INPUT, NOT_PROVED, PROVED, REFUTED, WEAKER, Result
from spec.verdicts import Kind, Verdict

ORDER = (Verdict.REFUTED, Verdict.UNKNOWN, Verdict.SEARCHED, Verdict.PROVED)
"""The verdicts, the worst first. A claim that is unaffected is what it is for the paper's rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Hold a guarantee as it was and as it is."""

    old: ClaimResult
    new: ClaimResult

    @property
    def strength(self) -> Strength:
        """Say how the promise compares with the old one."""
        if self.old.promise is None or self.new.promise is None:
            return Strength.SAME
        return compared(self.old.promise, self.new.promise)

    @property
    def told_promise(self) -> str:
        """Tell both promises, or the one that is the same."""
        if self.old.promise is None or self.new.promise is None:
            return ""
        return told_change(self.old.promise, self.new.promise)

    @property
    def shown(self) -> int:
        """Return 0 if as much is shown as before, less than 0 if less is, more if more is."""
        return rank(self.new.verdict) - rank(self.old.verdict)

    @property
    def broken(self) -> bool:
        """Tell whether the guarantee is refuted now, and was not."""
        return self.new.verdict is Verdict.REFUTED and self.shown < 0

    @property
    def told(self) -> str:
        """Say in a word or two what became of the guarantee."""
        if self.broken:
            return "BROKEN"
        words = []
        if self.shown:
            words.append("shown less" if self.shown < 0 else "shown more")
        if self.strength is not Strength.SAME:
            words.append(f"promise {self.strength.value}")
        return ", ".join(words) or "the same"


def rank(verdict: Verdict) -> int:
    """Say how good a verdict is."""
    return len(ORDER) - 1 if verdict is Verdict.UNAFFECTED else ORDER.index(verdict)


def rows_of(old: Result, new: Result) -> list[Row]:
    """Return the guarantees of two results side by side."""
    before = {row.claim.id: row for row in old.of_kind(Kind.GUARANTEE)}
    after = new.of_kind(Kind.GUARANTEE)
    return [Row(old=before[row.claim.id], new=row) for row in after if row.claim.id in before]


def status_of(old: Result, new: Result) -> int:
    """Return the exit status: bad input, a guarantee broken, a weaker promise, less shown."""
    if BAD_INPUT in (old.exit_status, new.exit_status):
        return BAD_INPUT
    rows = rows_of(old, new)
    if any(row.broken for row in rows):
        return REFUTED
    if any(row.strength in (Strength.WEAKER, Strength.OTHER) for row in rows):
        return WEAKER
    return NOT_PROVED if any(row.shown < 0 for row in rows) else PROVED
