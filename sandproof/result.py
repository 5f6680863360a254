"""The result of checking one proposal: a row per claim, and the verdict. Every format shows it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sandproof.combine import Weighed, weigh
from sandproof.proposal import About
from spec.verdicts import Claim, Finding, Kind, Reason, Verdict

SCHEMA_VERSION = 2
PROVED, REFUTED, BAD_INPUT, NOT_PROVED = 0, 1, 2, 3
"""The exit statuses that tell a verdict."""

PROOF_REASONS = (Reason.RULES_CHANGED, Reason.LEMMA_OPEN, Reason.STEP_OPEN)
"""Why a proof is none."""

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
    """Hold what was found about a claim; `why` tells why it is unaffected or was not run.

    `another_relation` names the neighbour relation that it was decided with, if that is not the
    paper's for it. The other fields are what `combine.weigh` puts together with the findings.
    """

    claim: Claim
    findings: tuple[Finding, ...] = ()
    why: str = ""
    affected: bool = True
    own: bool = False
    blocked: str = ""
    unreached: str = ""
    refuted_lemmas: tuple[str, ...] = ()
    another_relation: str = ""

    @property
    def weighed(self) -> Weighed:
        """Put together what the checks found."""
        if not self.affected:
            return Weighed(verdict=Verdict.UNAFFECTED)
        return weigh(
            self.claim,
            self.findings,
            own=self.own,
            blocked=self.blocked,
            unreached=self.unreached,
            refuted_lemmas=self.refuted_lemmas,
        )

    @property
    def verdict(self) -> Verdict:
        """Return the verdict on the claim."""
        return self.weighed.verdict

    @property
    def alarms(self) -> tuple[Finding, ...]:
        """Return the findings that must not be."""
        return self.weighed.alarms

    @property
    def relation(self) -> str:
        """Name the neighbour relation that the claim was decided with, if there is one."""
        papers = "" if self.claim.relation is None else self.claim.relation.name
        return self.another_relation or papers

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
        """Say how the claim was decided, or why it was not, a line for each thing."""
        return "\n".join(dict.fromkeys(filter(None, self._reasons())))

    def _reasons(self) -> Iterator[str]:
        yield from (f"ALARM: {told_alarm(each)}" for each in self.alarms)
        same = [each for each in self.findings if each.verdict is self.verdict]
        match self.verdict:
            case Verdict.PROVED:
                yield from map(how, same)
            case Verdict.SEARCHED:
                yield from map(how, same)
                yield from (f"not proved: {cost}" for cost in self.costs)
            case Verdict.REFUTED:
                yield "; ".join(dict.fromkeys(each.detail or each.method for each in same))
            case Verdict.UNKNOWN:
                if self.why:
                    yield self.why
                elif not self.alarms:
                    yield from self.weighed.missing
                    if not self.blocked:
                        yield from (f"not proved: {cost}" for cost in self.costs)
            case Verdict.UNAFFECTED:
                yield self.why

    @property
    def costs(self) -> list[str]:
        """Say what cost the proof: the changed rule, the open step or the open lemma."""
        open_proofs = [each for each in self.findings if each.reason in PROOF_REASONS]
        return [told_cost(each) for each in open_proofs]


def how(finding: Finding) -> str:
    """Say how a check came to what it found, and up to where."""
    return "; ".join(filter(None, (finding.method, finding.bound)))


def told_alarm(finding: Finding) -> str:
    """Tell an alarm: the check, what must not happen, and what is known of it."""
    known = f" ({finding.detail})" if finding.detail else ""
    return f"{finding.check}: {finding.reason.value or 'something that must not be'}{known}"


def told_cost(finding: Finding) -> str:
    """Tell why a proof is none; of a chain of lemmas also what is open in the last of them."""
    inner = finding.steps[-1].detail if finding.steps else ""
    deeper = inner if finding.reason is Reason.LEMMA_OPEN else ""
    return f"{finding.detail}: {deeper}" if deeper else finding.detail


def with_failed_assumptions(rows: Sequence[ClaimResult]) -> tuple[ClaimResult, ...]:
    """Return the results with every proof saying which claims that it assumes fail here."""
    failed = {
        row.claim.id: "refuted" if row.verdict is Verdict.REFUTED else "not shown"
        for row in rows
        if row.verdict in (Verdict.REFUTED, Verdict.UNKNOWN)
    }

    def told(finding: Finding) -> Finding:
        named = [claim for claim in failed if claim in finding.rests_on]
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
        if not self.about.changes or not self.fallen or self.verdict is Verdict.REFUTED:
            return []
        return self.guarantees(Verdict.PROVED, Verdict.SEARCHED)

    @property
    def own(self) -> bool:
        """Tell whether the paper's own rules were checked, and nothing else was asked for."""
        about = self.about
        return not (about.changes or about.relation or about.universes)

    @property
    def deciding(self) -> list[ClaimResult]:
        """Return the claims that decide: guarantees, and for the paper's own rules all claims."""
        return list(self.claims) if self.own else self.of_kind(Kind.GUARANTEE)

    @property
    def verdict(self) -> Verdict:
        """Return the verdict on the proposal: the worst of the claims that decide."""
        found = {each.verdict for each in self.deciding}
        worse = (Verdict.REFUTED, Verdict.UNKNOWN, Verdict.SEARCHED)
        if self.bad_input or self.not_followed or not found:
            return Verdict.UNKNOWN
        return next((verdict for verdict in worse if verdict in found), Verdict.PROVED)

    def status(self, accepted: Container[Verdict] = ()) -> int:
        """Return the exit status that tells the verdict; an accepted verdict counts as proved."""
        if self.verdict is Verdict.REFUTED:
            return REFUTED
        if self.bad_input or self.misbehaved:
            return BAD_INPUT
        fine = self.verdict is Verdict.PROVED or self.verdict in accepted
        return PROVED if fine else NOT_PROVED

    @property
    def exit_status(self) -> int:
        """Return the exit status where nothing but proved is accepted."""
        return self.status()

    @property
    def alarms(self) -> list[Finding]:
        """Return every alarm, whatever the verdict."""
        return [alarm for row in self.claims for alarm in row.alarms]

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
        name = self.about.name
        rows = [row for row in self.deciding if row.verdict is self.verdict]
        loud = ", with an ALARM" if self.alarms else ""
        under = self._under(rows)
        match self.verdict:
            case Verdict.REFUTED:
                return f"refuted{under}: {name}: {', '.join(map(_broken, rows))}{loud}"
            case Verdict.UNKNOWN:
                return self._unknown(rows)
            case _:
                proved = self.verdict is Verdict.PROVED
                said = "every guarantee is proved" if proved else "no attack was found"
                under = self._under(self.deciding)
                return f"{self.verdict.value}{under}: {name}: {said} ({self._counts()}){loud}"

    def _under(self, rows: Sequence[ClaimResult]) -> str:
        """Say with which neighbours claims were decided, if not with the paper's.

        If only some of them were, these are named.
        """
        others = [row for row in rows if row.another_relation and row.affected]
        if not others:
            return ""
        whole = len(others) == len([row for row in rows if row.affected])
        which = "" if whole else f" for {', '.join(row.claim.id for row in others)}"
        return f" under {others[0].another_relation} (not the paper's relation{which})"

    def _counts(self) -> str:
        kept = (Verdict.PROVED, Verdict.SEARCHED, Verdict.UNAFFECTED)
        numbers = {verdict: len(self.guarantees(verdict)) for verdict in kept}
        return ", ".join(f"{count} {verdict.value}" for verdict, count in numbers.items() if count)

    def _unknown(self, rows: list[ClaimResult]) -> str:
        if self.not_followed:
            return f"unknown: {self.not_followed}"
        if self.misbehaved:
            return f"bad input: {self.misbehaved[0]}"
        if self.exhausted:
            return f"unknown: {self.exhausted[0]}"
        names = ", ".join(each.claim.id for each in rows)
        why = "interrupted" if self.interrupted else " ".join(rows[0].reason.split())
        return f"unknown{self._under(rows)}: {self.about.name}: {names} ({why})"

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
            "verdict": self.verdict.value,
            "headline": self.headline,
            "exit_status": self.exit_status,
            "alarms": [
                {
                    "claim": each.claim,
                    "check": each.check,
                    "reason": each.reason.value,
                    "detail": each.detail,
                }
                for each in self.alarms
            ],
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
        "neighbours": result.relation,
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


def overall(results: Iterable[Result], accepted: Container[Verdict] = ()) -> int:
    """Return the exit status of a run: bad input first, then refuted, then not proved."""
    found = {result.status(accepted) for result in results}
    order = (BAD_INPUT, REFUTED, NOT_PROVED)
    return next((status for status in order if status in found), PROVED)
