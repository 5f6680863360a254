"""How a claim's verdict is put together from what its checks found: nowhere else is it decided.

A claim is refuted if there is an attack. Otherwise it is unknown, and loudly so, if there is an
alarm, whatever else was found. Otherwise it is proved if there is a proof. Otherwise it is searched
if every shape that its row lists was searched whole, every line of the proposal was run there, no
run showed worlds that differ, and no lemma that it rests on is refuted. Otherwise it is unknown,
and what is missing is named.

A shape may be searched by several checks, a universe each. It was searched whole if each of them
came to its end and one of them met a difference between neighbours. A universe that the proposal
names besides may be left unfinished.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from spec.verdicts import Claim, Evidence, Finding, Reason, Shape, Verdict

OWN_ALARMS = frozenset({Reason.VACUOUS, Reason.CANNOT_FOLLOW, Reason.NO_WITNESS})
"""What is an alarm only for the paper's own rules: there every check must mean something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """Hold a verdict, the alarms, and what is missing where there is no verdict but unknown."""

    verdict: Verdict
    alarms: tuple[Finding, ...] = ()
    missing: tuple[str, ...] = ()


def weigh(
    claim: Claim,
    findings: Sequence[Finding],
    *,
    own: bool = False,
    blocked: str = "",
    unreached: str = "",
    refuted_lemmas: Sequence[str] = (),
    covered: Collection[Shape] = (),
) -> Weighed:
    """Put together what the checks of a claim found.

    `own` says that the rules are the paper's own. `blocked` says why nothing but an attack counts:
    a rule misbehaved, or the run was interrupted. `unreached` says which code of the proposal no
    search ran. `covered` are shapes that need no search of this claim, because of others.
    """
    alarms = alarms_among(claim, findings, own)
    brought = {finding.evidence for finding in findings}
    if Evidence.ATTACK in brought:
        return Weighed(verdict=Verdict.REFUTED, alarms=alarms)
    if blocked or alarms:
        missing = (blocked,) if blocked else ()
        return Weighed(verdict=Verdict.UNKNOWN, alarms=alarms, missing=missing)
    if Evidence.PROOF in brought:
        return Weighed(verdict=Verdict.PROVED)
    missing = (
        *(f"{lemma}, on which it rests, is refuted" for lemma in refuted_lemmas),
        *missing_shapes(claim, findings, covered),
        *(f"{x.check}: {x.detail}" for x in findings if x.reason is Reason.WORLDS_DIFFER),
        *((unreached,) if unreached else ()),
    )
    return Weighed(verdict=Verdict.UNKNOWN if missing else Verdict.SEARCHED, missing=missing)


def alarms_among(claim: Claim, findings: Sequence[Finding], own: bool) -> tuple[Finding, ...]:
    """List the alarms; that a claim is proved and refuted at once is one more."""
    alarms = [each for each in findings if each.is_alarm or (own and each.reason in OWN_ALARMS)]
    proofs = [each.check for each in findings if each.evidence is Evidence.PROOF]
    attacks = [each.check for each in findings if each.evidence is Evidence.ATTACK]
    if proofs and attacks:
        alarms.append(
            Finding(
                claim=claim.id,
                check="combination",
                evidence=Evidence.ALARM,
                reason=Reason.PROVED_AND_REFUTED,
                detail=f"proved by {', '.join(proofs)}, refuted by {', '.join(attacks)}",
            )
        )
    return tuple(alarms)


def missing_shapes(
    claim: Claim, findings: Sequence[Finding], covered: Collection[Shape] = ()
) -> list[str]:
    """Say which shapes that the claim's row lists were not searched whole, and why not."""
    if not claim.shapes:
        return ["no search is known that would do"]
    return [
        f"{shape.value} not searched whole: {why_not(shape, findings)}"
        for shape in claim.shapes
        if shape not in covered and not searched_whole(shape, findings)
    ]


def searched_whole(shape: Shape, findings: Sequence[Finding]) -> bool:
    """Tell whether every search of a shape came to its end, and one of them means something.

    One that found no difference to look at came to its end, and brings no evidence.
    """
    looked = [each for each in findings if each.shape is shape]
    ended = all(
        each.verdict is Verdict.SEARCHED or each.reason is Reason.VACUOUS or each.named
        for each in looked
    )
    return ended and any(each.verdict is Verdict.SEARCHED for each in looked)


def why_not(shape: Shape, findings: Sequence[Finding]) -> str:
    """Say why a shape was not searched."""
    open_ones = [x for x in findings if x.shape is shape and x.verdict is not Verdict.SEARCHED]
    tried = [each.detail or each.reason.value for each in open_ones]
    return "; ".join(dict.fromkeys(tried)) or Reason.NOT_RUN.value
