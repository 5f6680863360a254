"""Guarantees as chains of lemmas: proved if every lemma is proved on the rules that are checked.

A chain is about the core of the rules: what a proposal has put around the paper's rules, and an
adversary could do by itself, is taken off first. A chain says which rules its lemmas decide,
whatever these rules are, and which are free: any function will do. Every other rule that the
guarantee depends on must be the paper's own. A chain never refutes. A lemma that fails means that
this proof does not apply, and the guarantee must be decided in another way. A chain's time is that
of its own links: each lemma has its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from importlib import import_module
from typing import Any

from proofs._check import decimal, step_of
from proofs._core import Core, core_of
from proofs._proof import ALL_VALUES
from spec import PAPER, Rules
from spec.claims import CLAIMS
from spec.verdicts import ALARMS, Check, Control, Evidence, Finding, Reason, Step

Link = str | tuple[str, Check]


@dataclass(frozen=True, kw_only=True)
class Chain:
    """Hold the lemmas of a guarantee; `ways` are alternatives, of which one must be proved whole.

    A link is the name of a lemma, or a name with a check of its own for a part of a lemma.
    """

    claim: str
    ways: tuple[tuple[Link, ...], ...]
    decided: frozenset[str]
    free: frozenset[str]
    argument: str
    assumes: str
    controls: Mapping[str, tuple[str, Rules]]

    def run(self, rules: Rules) -> Finding:
        """Decide the guarantee on given rules, without what was put around the paper's."""
        core = remembered_on(rules).core
        rules = core.rules
        changed = sorted(f for f in self._fixed if getattr(rules, f) is not getattr(PAPER, f))
        if changed:
            names = ", ".join(f"{f} changed{_why(core.kept.get(f))}" for f in changed)
            return self._unknown(
                Reason.RULES_CHANGED, f"the paper's proof no longer applies: {names}"
            )
        unclean = [f"{f} changed ({why})" for f, why in core.unclean.items() if f in self.free]
        if unclean:
            return self._unknown(
                Reason.RULES_CHANGED, f"the paper's proof no longer applies: {', '.join(unclean)}"
            )
        failed: list[Finding] = []
        taken_off = tuple(map(step_of, core.steps))
        steps: tuple[Step, ...] = ()
        seconds = Fraction(0)
        for way in self.ways:
            found = self._follow(way, rules)
            steps = (*taken_off, *(_step(link, each) for link, each in found))
            own = (each.seconds or 0 for link, each in found if link not in CLAIMS)
            seconds += sum(map(Fraction, own), Fraction(0))
            last, result = found[-1]
            if result.evidence is Evidence.PROOF:
                return Finding(
                    claim=self.claim,
                    check="proof",
                    evidence=Evidence.PROOF,
                    rests_on=tuple(x for x in map(_name, way) if x in CLAIMS),
                    method=self.argument,
                    bound=_bound(each for _, each in found),
                    assumes=self.assumes,
                    seconds=decimal(seconds),
                    steps=steps,
                )
            failed.append(replace(result, detail=f"{_name(last)} is {result.verdict}"))
        alarms = [each.reason for each in failed if each.is_alarm]
        why = "; ".join(dict.fromkeys(each.detail for each in failed))
        return self._unknown(
            alarms[0] if alarms else Reason.LEMMA_OPEN,
            f"the paper's proof no longer applies: {why}",
            seconds,
            steps,
        )

    def _follow(self, way: tuple[Link, ...], rules: Rules) -> list[tuple[Link, Finding]]:
        """Run the links up to the first that is not proved."""
        found: list[tuple[Link, Finding]] = []
        for link in way:
            found.append((link, run_link(link, rules)))
            if found[-1][1].evidence is not Evidence.PROOF:
                break
        return found

    def lemmas(self, changed: Collection[str], failed: Collection[str]) -> tuple[str, ...]:
        """Name the claims that are links of the first way without a failed one.

        There are none if a changed rule ends the chain, or if every way has failed.
        """
        if self._fixed.isdisjoint(changed):
            for way in self.ways:
                names = [name for name in map(_name, way) if name in CLAIMS]
                if not set(names) & set(failed):
                    return tuple(names)
        return ()

    @property
    def claims_of_ways(self) -> tuple[tuple[str, ...], ...]:
        """Return, way by way, the links that are claims."""
        return tuple(tuple(x for x in map(_name, way) if x in CLAIMS) for way in self.ways)

    @property
    def _fixed(self) -> set[str]:
        return set(CLAIMS[self.claim].rules) - self.decided - self.free

    def check(self) -> Check:
        """Return the chain as a check; its controls are what the lemmas refute."""
        controls = (
            Control(name=name, run=partial(run_link, broken, rules), rules=rules)
            for name, (broken, rules) in self.controls.items()
        )
        return Check(
            claim=self.claim,
            name="proof",
            run=self.run,
            controls=tuple(controls),
            evidence=Evidence.PROOF,
        )

    def _unknown(
        self,
        reason: Reason,
        detail: str,
        seconds: Fraction = Fraction(0),
        steps: tuple[Step, ...] = (),
    ) -> Finding:
        return Finding(
            claim=self.claim,
            check="proof",
            evidence=Evidence.ALARM if reason in ALARMS else Evidence.NONE,
            reason=reason,
            method=self.argument,
            detail=detail,
            seconds=decimal(seconds),
            steps=steps,
        )


REMEMBERED = 4
"""For how many rules it is remembered what lemmas found."""


@dataclass(kw_only=True)
class Remembered:
    """Hold the core of some rules, and what lemmas found on these rules, of whichever family.

    What they found on a core is held with the rules that it is the core of, each name with a
    `prefix`: whoever is handed the findings on these rules has those on their core as well.
    """

    rules: Any
    findings: dict[str, Finding] = field(default_factory=dict)
    prefix: str = ""

    @cached_property
    def core(self) -> Core:
        """Return the rules without what was put around the paper's."""
        core = core_of(self.rules)
        if core.rules is not self.rules and core.rules is not PAPER:
            prefix = f"{self.prefix}core: "
            _remember(Remembered(rules=core.rules, findings=self.findings, prefix=prefix))
        return core


_found: list[Remembered] = []


def remembered_on(rules: Any) -> Remembered:
    """Return what is remembered of given rules; it is begun where there is nothing."""
    known = next((each for each in _found if each.rules is rules), None)
    known = known or Remembered(rules=rules)
    _remember(known)
    return known


def _remember(known: Remembered) -> None:
    """Put what is remembered first; the last is forgotten."""
    _found[:] = [known, *(each for each in _found if each is not known)][:REMEMBERED]


def findings_on(rules: Any) -> dict[str, Finding]:
    """Return what lemmas found on given rules, by their names; what is added is recalled."""
    return remembered_on(rules).findings


def run_link(link: Link, rules: Rules) -> Finding:
    """Run a lemma, or recall what it found on the same rules.

    A lemma all of whose rules are the paper's is about the paper's rules.
    """
    if not isinstance(link, str):
        return recalled(link[0], link[1], rules)
    alone = all(getattr(rules, name) is getattr(PAPER, name) for name in CLAIMS[link].rules)
    return recalled(link, lemma(link), PAPER if alone else rules)


def recalled(name: str, check: Check, rules: Any) -> Finding:
    """Run a check, unless it was run on the same rules a short while ago."""
    known = remembered_on(rules)
    key = f"{known.prefix}{name}"
    if key not in known.findings:
        known.findings[key] = check.run(rules)
    return known.findings[key]


def remembered(check: Check) -> Check:
    """Return a check that shares what it finds with the chains that it is a link of."""
    return replace(check, run=lambda rules: recalled(check.claim, check, rules))


def lemma(claim: str) -> Check:
    """Return the check of a lemma by the name of its claim."""
    check: Check = import_module(f"proofs.{claim}").CHECK
    return check


def _bound(found: Iterable[Finding]) -> str:
    """Return the ranges of the links that are not about all values, or that there are none."""
    ranges = dict.fromkeys(each.bound for each in found if each.bound != ALL_VALUES)
    return "; ".join(ranges) or ALL_VALUES


def _name(link: Link) -> str:
    return link if isinstance(link, str) else link[0]


def _why(reason: str | None) -> str:
    return f" ({reason})" if reason else ""


def _step(link: Link, found: Finding) -> Step:
    return Step(name=_name(link), verdict=found.verdict, by=found.method, detail=found.detail)
