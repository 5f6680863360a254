"""Verdicts on Attribution Level 1: proofs and exact games for a version, or for a proposal.

A proposal is a file with a value RULES of the type `Level1Rules`. It is run in this process, so
everything that a verdict rests on is compared before and after, as for other proposals.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from proofs.level1._guarantees import ONE_SITE, ONE_VIEW, prove
from properties.level1.game import AttackDoesNotReplay, Level1Attack, Level1Solution, solve_level1
from properties.level1.universes import UNIVERSES
from properties.lump import Inexact
from sandproof import integrity, level1_scenario
from sandproof.problems import BadInput, told
from sandproof.proposal import run_file
from sandproof.result import BAD_INPUT, NOT_PROVED, PROVED, REFUTED
from sandproof.weigh import Weighed, weigh
from spec.level1 import LEVEL_1_2026_05, Level1Rules
from spec.level1.claims import GUARANTEES
from spec.verdicts import Claim, Evidence, Finding, Reason, Shape, Verdict

FORMATS = ("text", "json", "w3c-scenario")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Hold what was found about a guarantee, its verdict, and the smallest attack if any."""

    claim: Claim
    findings: tuple[Finding, ...]
    weighed: Weighed
    attack: Level1Attack | None = None

    @property
    def verdict(self) -> Verdict:
        """Return the verdict."""
        return self.weighed.verdict

    @property
    def reason(self) -> str:
        """Say in a line what the verdict rests on, or what is missing."""
        if self.attack is not None:
            return (
                f"{self.attack.universe.name}: {self.attack.moves} moves, "
                f"delta {self.attack.excess} where 0 is promised"
            )
        proof = self.findings[-1]
        alarms = "; ".join(f"{each.reason.value}: {each.detail}" for each in self.weighed.alarms)
        return alarms or proof.detail or proof.bound


def judge(rules: Level1Rules, progress: Callable[[str], None] = lambda _: None) -> list[Judged]:
    """Decide every guarantee: look for the smallest attack, and prove what has none."""
    own = rules == LEVEL_1_2026_05
    judged: list[Judged] = []
    shared: Finding | None = None
    for claim in GUARANTEES:
        progress(claim.id)
        findings, attack = searched(rules, claim.id)
        if attack is None:
            # The two guarantees about a site rest on the same lemmas.
            found = shared if claim.id == ONE_SITE and shared is not None else None
            found = prove(rules, claim.id) if found is None else _about(found, claim.id)
            shared = found if claim.id == ONE_VIEW else shared
            findings = (*findings, found)
        # Which lines of a proposal the universes run is not known: no attack alone says nothing.
        weighed = weigh(claim, findings, own=own, unreached="not proved")
        judged.append(Judged(claim=claim, findings=findings, weighed=weighed, attack=attack))
    return judged


def _about(found: Finding, claim: str) -> Finding:
    return replace(found, claim=claim)


def searched(rules: Level1Rules, claim: str) -> tuple[tuple[Finding, ...], Level1Attack | None]:
    """Solve the universes of a guarantee until one has an attack."""
    findings: list[Finding] = []
    for universe in UNIVERSES[claim]:
        blank = Finding(claim=claim, check=universe.name, shape=Shape.SMALL_UNIVERSE)
        try:
            solution = solve_level1(rules, universe)
        except Inexact as error:
            findings.append(_noted(blank, Reason.NOISE_OPEN, told(error)))
        except AttackDoesNotReplay as error:
            findings.append(_noted(blank, Reason.DOES_NOT_REPLAY, told(error)))
        except Exception as error:
            findings.append(_noted(blank, Reason.RAISED, told(error)))
        else:
            findings.append(_found(blank, solution))
            if solution.attack is not None:
                return tuple(findings), solution.attack
    # A search of all universes counts only if every one of them means something.
    good = all(each.evidence is Evidence.EXACT_IN_UNIVERSE for each in findings)
    kept = findings if good else [each for each in findings if each.reason is not Reason.NONE]
    return tuple(kept), None


def _noted(blank: Finding, reason: Reason, detail: str) -> Finding:
    return replace(blank, reason=reason, detail=detail)


def _found(blank: Finding, solution: Level1Solution) -> Finding:
    if solution.attack is not None:
        return replace(blank, evidence=Evidence.ATTACK)
    if solution.vacuous:
        return replace(blank, reason=Reason.VACUOUS)
    return replace(blank, evidence=Evidence.EXACT_IN_UNIVERSE)


def load(path: Path | None) -> Level1Rules:
    """Return the rules of a proposal, or those of the draft."""
    if path is None:
        return LEVEL_1_2026_05
    with integrity.watching():
        before = integrity.snapshot()
        module = run_file(path)[0]
        complaint = integrity.complaint(before)
    if complaint:
        raise BadInput(f"{path}: {complaint}")
    rules = getattr(module, "RULES", None)
    if not isinstance(rules, Level1Rules):
        raise BadInput(f"{path}: RULES must be a Level1Rules, such as replace(LEVEL_1_2026_05, …)")
    return rules


def status(judged: list[Judged]) -> int:
    """Return the exit status that tells the verdict."""
    verdicts = {each.verdict for each in judged}
    if Verdict.REFUTED in verdicts:
        return REFUTED
    return PROVED if verdicts == {Verdict.PROVED} else NOT_PROVED


def as_text(name: str, judged: list[Judged], story: bool) -> str:
    """Return the verdicts, and the attacks if they are asked for, as text."""
    lines = [f"{name}: Attribution Level 1", ""]
    for each in judged:
        lines.append(f"  {each.verdict.value:<9} {each.claim.id}")
        lines.append(f"            {each.claim.statement}")
        lines.append(f"            {each.reason}")
        if story and each.attack is not None:
            lines += [f"            {line}" for line in story_of(each.attack)]
    found = [each.claim.id for each in judged if each.verdict is Verdict.REFUTED]
    worst = {PROVED: "proved", REFUTED: f"refuted: {', '.join(found)}", NOT_PROVED: "not proved"}
    return "\n".join([*lines, "", worst[status(judged)]])


def story_of(attack: Level1Attack) -> list[str]:
    """Tell an attack move by move."""
    told_moves = [f"{place}. {move}" for place, move in enumerate(attack.longest(), start=1)]
    return [
        *told_moves,
        f"The telling outcomes have probability {attack.likely} {attack.direction}, "
        f"and {attack.unlikely} otherwise.",
    ]


def as_json(name: str, judged: list[Judged]) -> str:
    """Return the verdicts as JSON."""
    rows = [
        {
            "claim": each.claim.id,
            "verdict": each.verdict.value,
            "reason": each.reason,
            "attack": None
            if each.attack is None
            else {
                "universe": each.attack.universe.name,
                "moves": [str(move) for move in each.attack.longest()],
                "likely": str(each.attack.likely),
                "unlikely": str(each.attack.unlikely),
                "excess": str(each.attack.excess),
            },
        }
        for each in judged
    ]
    return json.dumps({"proposal": name, "status": status(judged), "claims": rows}, indent=2)


def has(arguments: argparse.Namespace, name: str) -> bool:
    """Tell whether an option was given."""
    return bool(getattr(arguments, name, None))


def run(arguments: argparse.Namespace, paths: list[Path | None], story: bool) -> int:
    """Judge every proposal, print what was found, and return the worst exit status."""
    unknown = [name for name in ("settings", "also", "accept", "pytest") if has(arguments, name)]
    if unknown:
        raise BadInput(f"--family w3c has no option for {unknown[0]}")
    worst = PROVED
    for path in paths:
        rules = load(path)
        name = "the draft of May 2026" if path is None else path.stem
        judged = judge(rules)
        worst = max(worst, status(judged), key=(PROVED, NOT_PROVED, REFUTED).index)
        if arguments.format == "json":
            text = as_json(name, judged)
        elif arguments.format == "w3c-scenario":
            attack = next((each.attack for each in judged if each.attack is not None), None)
            if attack is None:
                print(f"sandproof: {name}: no attack was found", file=sys.stderr)
                continue
            text = json.dumps(level1_scenario.scenario_of(attack, rules), indent=2)
        elif arguments.format == "text":
            text = as_text(name, judged, story)
        else:
            print(f"sandproof: --family w3c has no format {arguments.format}", file=sys.stderr)
            return BAD_INPUT
        if arguments.output is None:
            print(text)
        else:
            arguments.output.write_text(text + "\n", encoding="utf-8")
    return worst
