"""What was found about one claim, and the verdict on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sandproof.promise import Promise, Strength, compared, told_change
from sandproof.weigh import Weighed, weigh
from spec.verdicts import Claim, Finding, Reason, Shape, Verdict

PROOF_REASONS = (Reason.RULES_CHANGED, Reason.LEMMA_OPEN, Reason.STEP_OPEN)
"""Why a proof is none."""

MANY_DIGITS = r"-?\d+/\d{4,}"
"""Fractions that are hard to read without their decimals."""

LONGEST = 24
"""The most characters of a fraction that people are shown."""

PROPOSAL = "@proposal@"
"""What stands for the proposal's path in a test, until it is known where the test is written."""

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackRecord:
    """Hold an attack as plain data: told as a story, as JSON, and as a test that replays it.

    In the test `PROPOSAL` stands for the path of the proposal, from where the test is.
    """

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
    paper's for it. A guarantee has its `promise`, and that of the paper's own rules in `papers`.
    The other fields are what `weigh` puts together with the findings.
    """

    claim: Claim
    findings: tuple[Finding, ...] = ()
    why: str = ""
    affected: bool = True
    own: bool = False
    blocked: str = ""
    unreached: str = ""
    refuted_lemmas: tuple[str, ...] = ()
    covered: tuple[Shape, ...] = ()
    promise: Promise | None = None
    papers: Promise | None = None
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
            covered=self.covered,
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
    def told_counterexample(self) -> list[str]:
        """Tell the run or the numbers that refute the claim, long fractions as decimals."""
        return [shortened(told_entry(*entry)) for entry in self.counterexample.items()]

    @property
    def seconds(self) -> float:
        """Add up the seconds of the checks."""
        return sum(float(finding.seconds or 0) for finding in self.findings)

    @property
    def reason(self) -> str:
        """Say how the claim was decided, or why it was not, a line for each thing."""
        return shortened("\n".join(dict.fromkeys(filter(None, self._reasons()))))

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
                told = sorted(same, key=lambda each: each is not self.deciding)
                yield from (each.detail or each.method for each in told)
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
    def open_proofs(self) -> list[Finding]:
        """Return the proofs that are none, for the changed rule, open step or lemma they name."""
        return [each for each in self.findings if each.reason in PROOF_REASONS]

    @property
    def costs(self) -> list[str]:
        """Say what cost the proof."""
        return [told_cost(each) for each in self.open_proofs]

    @property
    def strength(self) -> Strength:
        """Say how the promise compares with that of the paper's own rules."""
        if self.promise is None or self.papers is None:
            return Strength.SAME
        return compared(self.papers, self.promise)

    @property
    def told_promise(self) -> str:
        """Tell what a guarantee promises, and if that is not what the paper's rules promise."""
        if self.promise is None or self.papers is None:
            return ""
        return told_change(self.papers, self.promise)

    @property
    def assumes(self) -> str:
        """Say what the verdict takes for granted: that of the findings that decide it.

        An attack was replayed, and takes nothing for granted.
        """
        if self.verdict not in (Verdict.PROVED, Verdict.SEARCHED):
            return ""
        deciding = [each.assumes for each in self.findings if each.verdict is self.verdict]
        return "; ".join(dict.fromkeys(filter(None, deciding)))


def told_entry(name: str, value: str) -> str:
    """Tell an entry of a counterexample: a number, a move of a run, or what the run violates."""
    if name == "violated":
        return f"{value[0].upper()}{value[1:]}."
    return f"{name}. {value}" if name.isdigit() else f"{name} = {value}"


def shortened(text: str) -> str:
    """Return a text for people, in which fractions of many digits are decimals, or beside them."""
    if not re.search(MANY_DIGITS, text):
        return text
    # Only here, because most texts hold none.
    from properties.numerals import beside

    return re.sub(MANY_DIGITS, lambda found: beside(Fraction(found.group()), LONGEST), text)


def how(finding: Finding) -> str:
    """Say how a check came to what it found, and up to where."""
    return "; ".join(filter(None, (finding.method, finding.bound)))


def told_alarm(finding: Finding) -> str:
    """Tell an alarm: the check, what must not happen, and what is known of it."""
    known = f" ({finding.detail})" if finding.detail else ""
    return f"{finding.check}: {finding.reason.value or 'something that must not be'}{known}"


def told_cost(finding: Finding) -> str:
    """Tell why a proof is none; of a chain of lemmas also what is open in the last of them.

    That is left out where the steps that are needed of it are named already.
    """
    inner = finding.steps[-1].detail if finding.steps else ""
    deeper = inner if finding.reason is Reason.LEMMA_OPEN else ""
    steps = (line.partition(" [")[0].lower() for line in deeper.splitlines())
    named = any(step in finding.detail.lower() for step in steps)
    return f"{finding.detail}: {deeper}" if deeper and not named else finding.detail
