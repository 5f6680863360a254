"""The why of a result in one sentence: what fell, and with which rule on which line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sandproof.about import Change
from sandproof.claim_result import ClaimResult, told_cost
from sandproof.result import Result
from spec.verdicts import Claim, Kind, Reason, Verdict

REGAINED = {
    Reason.RULES_CHANGED: "the proof returns if the rules that it names are {whose} again",
    Reason.LEMMA_OPEN: "the proof returns with a proof of that lemma for the changed rules",
    Reason.STEP_OPEN: "the proof returns if the changed rules are written so that it can follow",
}
"""What would regain a proof, by what cost it; `whose` rules they were, the family says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Name the claim that fell first, and the changed rule that it depends on.

    `beside` names the rule's file, if that is not the proposal's own.
    """

    claim: Claim
    change: Change | None = None
    beside: str = ""

    @property
    def rule(self) -> str:
        """Name the changed rule, and the line it stands on."""
        if self.change is None:
            return ""
        file = f", {self.beside}" if self.beside else ""
        line = f", line {self.change.line}" if self.change.line else ""
        return f"{self.change.field}{file}{line}"

    def __str__(self) -> str:
        rule = f": rule {self.rule}" if self.rule else ""
        return f"{self.claim.id} no longer holds{rule}"


def why(result: Result) -> Why | None:
    """Say why a proposal is refuted: the assumption, else the lemma, else the guarantee that fell.

    Of several changed rules it is one that repairs a guarantee when it is put back, if there is
    one, else the first that the claim depends on.
    """
    if result.verdict is not Verdict.REFUTED:
        return None
    row = first_fallen(result)
    changes = [each for each in result.about.changes if rule_of(each) in row.claim.rules]
    repairing = {repair.field for repair in result.repairs}
    culprits = [each for each in changes if rule_of(each) in repairing] or changes
    # A changed function says more than a changed number: it has a line to look at.
    first = min(culprits, key=lambda change: not change.line, default=None)
    return Why(claim=row.claim, change=first, beside=file_beside(result, first))


def file_beside(result: Result, change: Change | None) -> str:
    """Name the file of a changed rule, if the proposal brings it from beside its own."""
    if change is None or not change.file or result.about.name.startswith(change.file):
        return ""
    return Path(change.file).name


def first_fallen(result: Result) -> ClaimResult:
    """Return the refuted assumption, lemma or guarantee that comes first."""
    refuted = [row for row in result.claims if row.verdict is Verdict.REFUTED]
    order = (Kind.ASSUMPTION, Kind.LEMMA, Kind.GUARANTEE)
    attack = result.attack
    # Of guarantees it is the one whose attack is told.
    return min(refuted, key=lambda row: (order.index(row.claim.kind), row.attack is not attack))


def rule_of(change: Change) -> str:
    """Return the field of the rules that a change is about."""
    return change.field.partition(".")[0]


def opening(result: Result) -> str:
    """Return the sentence with which a report opens, if there is more to say than the verdict."""
    found = why(result)
    if found is not None:
        return f"refuted because {found}"
    searched = [row for row in result.deciding if row.verdict is Verdict.SEARCHED]
    costs = [finding for row in searched for finding in row.open_proofs]
    if result.verdict is not Verdict.SEARCHED or not costs:
        return ""
    regained = REGAINED[costs[0].reason].format(whose=result.about.whose)
    return f"searched, not proved: {told_cost(costs[0])}; {regained}"
