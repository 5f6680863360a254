"""A proof as a check of its claim: run it on given rules and report what was found.

A step counts as decided by a solver if the solver decided every obligation of the step. A witness
has been replayed, so it needs no solver's word. A proof that one solver leaves open is still
reported as proved, by the other alone, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar, cast

from proofs._proof import Proof, ProofResult, StepResult
from spec import PAPER, Rules
from spec.claims import CLAIMS
from spec.verdicts import ALARMS, Check, Control, Evidence, Finding, Reason, Step, Verdict

S = TypeVar("S")

BOTH = ("z3", "cvc5")


def check_of(
    proof: Proof[S],
    *,
    header: str | None = None,
    method: str = "",
    assumes: str = "",
    takes_rules: bool = False,
    subject: Callable[[Rules], S] | None = None,
    papers_own: tuple[str, ...] | None = None,
    name: str = "proof",
) -> Check:
    """Return the check that runs a proof.

    Method and assumptions are taken from the header of the proof file, its docstring, where they
    are not given. A proof about the rules is run on the rules that are checked: `takes_rules`
    says that they are its subject, `subject` makes its subject of them. Any other proof is about
    fixed functions of the specification. `papers_own` lists the rules that must be the paper's own
    functions for the proof to say anything; by default these are all that the claim depends on if
    the proof takes no rules, except the limits, and none if it does.
    """
    fixed = () if takes_rules or subject is not None else CLAIMS[proof.claim].rules
    needed = tuple(field for field in fixed if field != "limits")
    if papers_own is not None:
        needed = papers_own
    labels = header_of(header or "")
    method, assumes = method or labels.get("Method", ""), assumes or labels.get("Assumes", "")

    def report(result: ProofResult) -> Finding:
        return finding(result, check=name, method=method, assumes=assumes)

    def run(rules: Rules) -> Finding:
        changed = [field for field in needed if getattr(rules, field) != getattr(PAPER, field)]
        if changed:
            return Finding(
                claim=proof.claim,
                check=name,
                reason=Reason.RULES_CHANGED,
                method=method,
                detail=f"the proof is about the paper's {', '.join(changed)}",
            )
        if subject is not None:
            return report(proof.run_on(subject(rules)))
        return report(proof.run_on(cast(S, rules)) if takes_rules else proof.run())

    def control(label: str, broken: S) -> Control:
        about = broken if isinstance(broken, Rules) else getattr(broken, "rules", None)
        rules = about if isinstance(about, Rules) and about != PAPER else None
        return Control(name=label, run=lambda: report(proof.run_on(broken)), rules=rules)

    controls = tuple(control(label, broken) for label, broken in proof.controls.items())
    return Check(claim=proof.claim, name=name, run=run, controls=controls, evidence=Evidence.PROOF)


def header_of(docstring: str) -> dict[str, str]:
    """Return what the header of a proof file says under Claim, Paper, Method and Assumes."""
    labelled = re.compile(
        r"^(Claim|Paper|Method|Assumes): (.+?)\n(?=\n|[A-Z][a-z]+: |\Z)", re.M | re.S
    )
    return {
        label: " ".join(text.split()).removesuffix(".")
        for label, text in labelled.findall(docstring)
    }


def finding(result: ProofResult, *, check: str, method: str, assumes: str) -> Finding:
    """Report what became of a proof."""
    verdict = Verdict(result.verdict.lower())
    example = result.counterexample
    evidence, reason = evidence_of(result)
    return Finding(
        claim=result.claim,
        check=check,
        evidence=evidence,
        reason=reason,
        rests_on=tuple(name for name in assumes.split(", ") if name in CLAIMS),
        method=f"{method}; {_decided(result)}" if verdict is Verdict.PROVED else method,
        bound=result.bound if verdict is Verdict.PROVED else "",
        assumes=assumes,
        detail="" if verdict is Verdict.PROVED else result.text,
        seconds=decimal(result.seconds),
        steps=tuple(map(step_of, result.steps)),
        counterexample=None if example is None else {x: str(y) for x, y in example.items()},
    )


def evidence_of(result: ProofResult) -> tuple[Evidence, Reason]:
    """Say which evidence a proof is, and for which reason it is none or an alarm."""
    reason = Reason.NONE if result.verdict == "PROVED" else Reason.STEP_OPEN
    if result.alarm:
        answers = {decision.status for decision in result.decisions}
        disagree = "disagreement" in answers
        reason = Reason.SOLVERS_DISAGREE if disagree else Reason.DOES_NOT_REPLAY
    elif any(step.witness and step.disproved for step in result.steps):
        reason = Reason.NO_WITNESS
    if result.verdict == "REFUTED":
        return Evidence.ATTACK, reason if result.alarm else Reason.NONE
    if reason in ALARMS:
        return Evidence.ALARM, reason
    return (Evidence.PROOF if result.verdict == "PROVED" else Evidence.NONE), reason


def deciders(step: StepResult) -> tuple[str, ...]:
    """Name who decided a step alone; nobody, if each solver left something of it open."""
    if step.verdict == "UNKNOWN":
        return ()
    if step.example is not None:
        return ("replay",)
    undecided = {
        *("z3" for decision in step.decisions if decision.z3 == "unknown"),
        *("cvc5" for decision in step.decisions if decision.cvc5 == "unknown"),
    }
    return tuple(name for name in step.by if name not in undecided)


def decimal(seconds: Fraction) -> str:
    """Write a time with three decimals."""
    thousandths = round(seconds * 1000)
    return f"{thousandths // 1000}.{thousandths % 1000:03}"


def _decided(result: ProofResult) -> str:
    solved = [deciders(step) for step in result.steps if step.by == BOTH and step.example is None]
    exact = dict.fromkeys(by for step in result.steps if step.by != BOTH for by in step.by)
    said = ["z3 and cvc5"] if solved else []
    for alone, other in (BOTH, BOTH[::-1]):
        if any(other not in names for names in solved):
            everywhere = all(alone in names for names in solved)
            said = [f"{alone} alone; {other} undecided" if everywhere else "z3 or cvc5 in part"]
    return ", ".join([*said, *exact])


def step_of(step: StepResult) -> Step:
    """Report what became of a step."""
    example = (
        "" if step.example is None else ", ".join(f"{x} = {y}" for x, y in step.example.items())
    )
    over = f"for {step.over}" if step.over else ""
    return Step(
        name=step.name,
        verdict=Verdict(step.verdict.lower()),
        by=", ".join(deciders(step)),
        detail=step.reason or example or over,
    )
