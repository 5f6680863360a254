"""The result of checking one proposal: a row per claim, and the verdict. Every format shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sandproof.proposal import About
from spec.claims import Claim, Finding, Kind, Verdict

SCHEMA_VERSION = 1
HOLDS, REFUTED, BAD_INPUT, UNDECIDED = 0, 1, 2, 3

STRENGTH = (Verdict.REFUTED, Verdict.PROVED, Verdict.HOLDS, Verdict.UNKNOWN)
"""Verdicts of checks in the order in which they decide a claim."""

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackRecord:
    """Hold an attack as plain data: told as a story, as JSON, and as a test that replays it."""

    story: str
    data: Json
    test: str = ""

    @property
    def steps(self) -> Sequence[Json]:
        """Return the moves of the attack."""
        steps = self.data.get("steps")
        return steps if isinstance(steps, list) else []

    @property
    def factor(self) -> str:
        """Return the multiple of the promised epsilon with which the guarantee holds, if known."""
        factor = self.data.get("factor")
        return "" if factor in (None, "", "none") else str(factor)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimResult:
    """Hold what was found about a claim; `why` tells why it is unaffected or stays unknown.

    That a part of a claim holds does not decide it.

    A claim that no check refutes stays unknown if a rule misbehaved in one of them, whatever the
    others say: they take for granted that rules answer. It also does, unless it is proved, if
    checks were cut off, or if they did not reach all of the changed rules' code: `unreached` says
    which.
    """

    claim: Claim
    findings: tuple[Finding, ...] = ()
    why: str = ""
    affected: bool = True
    misbehaved: bool = False
    cut_off: bool = False
    unreached: str = ""

    @property
    def verdict(self) -> Verdict:
        """Combine the verdicts of the checks."""
        if not self.affected:
            return Verdict.UNAFFECTED
        found = {
            finding.verdict
            for finding in self.findings
            if not (finding.partial and finding.verdict is Verdict.HOLDS)
        }
        if self.misbehaved and Verdict.REFUTED not in found:
            return Verdict.UNKNOWN
        if self.cut_off or self.unreached:
            found.discard(Verdict.HOLDS)
        return next((verdict for verdict in STRENGTH if verdict in found), Verdict.UNKNOWN)

    @property
    def deciding(self) -> Finding | None:
        """Return the finding that decides the claim, with an attack if there is one."""
        same = [finding for finding in self.findings if finding.verdict is self.verdict]
        attacks = [finding for finding in same if finding.attack is not None]
        return next(iter(attacks + same), None)

    @property
    def attack(self) -> AttackRecord | None:
        """Return the attack that refutes the claim, if there is one."""
        attack = None if self.deciding is None else self.deciding.attack
        return attack if isinstance(attack, AttackRecord) else None

    @property
    def counterexample(self) -> Mapping[str, str]:
        """Return the numbers that refute the claim, if there are any."""
        if self.verdict is not Verdict.REFUTED or self.deciding is None:
            return {}
        return self.deciding.counterexample or {}

    @property
    def seconds(self) -> float:
        """Add up the seconds of the checks."""
        return sum(float(finding.seconds or 0) for finding in self.findings)

    @property
    def reason(self) -> str:
        """Say in a line how the claim was decided, or why it was not."""
        finding = self.deciding
        if finding is None:
            return self.why or self.unreached
        same = [each for each in self.findings if each.verdict is self.verdict]
        if self.verdict in (Verdict.PROVED, Verdict.HOLDS):
            ways = ["; ".join(filter(None, (each.method, each.bound))) for each in same]
            return "\n".join(ways)
        details = [each.detail or each.method for each in same]
        why = self.why or (self.verdict is Verdict.UNKNOWN and self.unreached)
        return why or "; ".join(dict.fromkeys(filter(None, details)))


def with_failed_assumptions(rows: Sequence[ClaimResult]) -> tuple[ClaimResult, ...]:
    """Return the results with every proof saying which claims that it assumes fail here."""
    failed = {
        row.claim.id: "refuted" if row.verdict is Verdict.REFUTED else "not shown"
        for row in rows
        if row.verdict in (Verdict.REFUTED, Verdict.UNKNOWN)
    }

    def told(finding: Finding) -> Finding:
        named = [claim for claim in failed if claim in finding.assumes.split(", ")]
        if finding.verdict is not Verdict.PROVED or not named:
            return finding
        given = ", ".join(f"{claim}, which is {failed[claim]} here" for claim in named)
        return replace(finding, method=f"{finding.method}; this assumes {given}")

    return tuple(replace(row, findings=tuple(map(told, row.findings))) for row in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """Say that with one changed rule put back a refuted guarantee is kept, as was checked."""

    field: str
    claim: str
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Hold everything that was found about a proposal.

    `bad_input` says in one line why the proposal cannot be checked at all, `not_followed` which
    line asks for more than a rule is given, so that nothing is decided. `misbehaved` are the lines
    on rules that did what no rule may do, `exhausted` those on rules that ran out of time or
    memory, `notes` what else is worth knowing.
    """

    about: About
    claims: tuple[ClaimResult, ...] = ()
    effort: str = "standard"
    seed: int = 0
    seconds: float = 0.0
    bad_input: str = ""
    not_followed: str = ""
    misbehaved: tuple[str, ...] = ()
    exhausted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()
    interrupted: bool = False

    def of_kind(self, *kinds: Kind) -> list[ClaimResult]:
        """Return the results of the claims of some kinds."""
        return [result for result in self.claims if result.claim.kind in kinds]

    def guarantees(self, *verdicts: Verdict) -> list[ClaimResult]:
        """Return the guarantees with some verdicts."""
        return [each for each in self.of_kind(Kind.GUARANTEE) if each.verdict in verdicts]

    @property
    def fallen(self) -> list[ClaimResult]:
        """Return the lemmas and assumptions of the paper's proof that are not there any more."""
        lost = (Verdict.REFUTED, Verdict.UNKNOWN)
        return [each for each in self.of_kind(Kind.LEMMA, Kind.ASSUMPTION) if each.verdict in lost]

    @property
    def decided_instead(self) -> list[ClaimResult]:
        """Return the guarantees that are kept although parts of the paper's proof fall."""
        if not self.about.changes or not self.fallen or self.verdict == "refuted":
            return []
        return self.guarantees(Verdict.PROVED, Verdict.HOLDS)

    @property
    def verdict(self) -> str:
        """Return the verdict on the proposal: that on its guarantees."""
        if self.guarantees(Verdict.REFUTED):
            return "refuted"
        if self.bad_input or self.not_followed or self.guarantees(Verdict.UNKNOWN):
            return "undecided"
        return "holds"

    @property
    def exit_status(self) -> int:
        """Return the exit status that tells the verdict."""
        if self.verdict == "undecided":
            return BAD_INPUT if self.bad_input or self.misbehaved else UNDECIDED
        return REFUTED if self.verdict == "refuted" else HOLDS

    @property
    def attack(self) -> AttackRecord | None:
        """Return the smallest attack on a guarantee."""
        attacks = [each.attack for each in self.guarantees(Verdict.REFUTED) if each.attack]
        return min(attacks, key=lambda attack: len(attack.steps), default=None)

    @property
    def headline(self) -> str:
        """Return the verdict in one line."""
        if self.bad_input:
            return f"bad input: {self.bad_input}"
        if self.verdict == "refuted":
            return f"refuted: {self.about.name}: {', '.join(map(_broken, self._refuted()))}"
        if self.verdict == "undecided":
            return self._undecided()
        words = {Verdict.HOLDS: "as far as searched"}
        counted = [
            f"{count} {words.get(verdict, verdict.value)}"
            for verdict in (Verdict.PROVED, Verdict.HOLDS, Verdict.UNAFFECTED)
            if (count := len(self.guarantees(verdict)))
        ]
        return f"holds: {self.about.name}: every guarantee holds ({', '.join(counted)})"

    def _refuted(self) -> list[ClaimResult]:
        return self.guarantees(Verdict.REFUTED)

    def _undecided(self) -> str:
        if self.not_followed:
            return f"undecided: {self.not_followed}"
        if self.misbehaved:
            return f"bad input: {self.misbehaved[0]}"
        if self.exhausted:
            return f"undecided: {self.exhausted[0]}"
        unknown = self.guarantees(Verdict.UNKNOWN)
        names = ", ".join(each.claim.id for each in unknown)
        why = "interrupted" if self.interrupted else " ".join(unknown[0].reason.split())
        return f"undecided: {self.about.name}: {names} ({why})"

    def to_json(self) -> dict[str, object]:
        """Return the result as plain data, as the published schema describes it."""
        about = self.about
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
                    }
                    for change in about.changes
                ],
            },
            "verdict": self.verdict,
            "headline": self.headline,
            "exit_status": self.exit_status,
            "effort": self.effort,
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
            "interrupted": self.interrupted,
            "problems": [
                *filter(None, [self.bad_input, self.not_followed]),
                *self.misbehaved,
                *self.exhausted,
            ],
            "notes": list(self.notes),
            "repairs": [
                {"rule": each.field, "claim": each.claim, "how": each.how} for each in self.repairs
            ],
            "claims": [claim_to_json(each) for each in self.claims],
        }


def _broken(result: ClaimResult) -> str:
    factor = "" if result.attack is None else result.attack.factor
    return result.claim.id + (
        f" (in the universe searched it holds with {factor}ε*)" if factor else ""
    )


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
        "neighbours": result.claim.relation,
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
        "method": finding.method,
        "bound": finding.bound,
        "assumes": finding.assumes,
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


def overall(results: Iterable[Result]) -> int:
    """Return the exit status of a run: bad input first, then refuted, then undecided."""
    found = {result.exit_status for result in results}
    order = (BAD_INPUT, REFUTED, UNDECIDED)
    return next((status for status in order if status in found), HOLDS)
