"""Guarantees as chains of lemmas: proved if every lemma is proved on the rules that are checked.

A chain says which rules its lemmas decide, whatever these rules are, and which are free: any
function will do. Every other rule that the guarantee depends on must be the paper's own. A chain
never refutes. A lemma that fails means that this proof does not apply, and the guarantee must be
decided in another way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module

from proofs._check import decimal
from spec import PAPER, Rules
from spec.claims import CLAIMS, Check, Control, Finding, Step, Verdict

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
        """Decide the guarantee on given rules."""
        fixed = set(CLAIMS[self.claim].rules) - self.decided - self.free
        changed = sorted(f for f in fixed if getattr(rules, f) is not getattr(PAPER, f))
        if changed:
            return self._unknown(
                f"the paper's proof no longer applies: {', '.join(changed)} changed"
            )
        failed: list[str] = []
        steps: tuple[Step, ...] = ()
        seconds = Fraction(0)
        for way in self.ways:
            found = [(_name(link), run_link(link, rules)) for link in way]
            steps = tuple(map(_step, found))
            seconds += sum((Fraction(each.seconds or 0) for _, each in found), Fraction(0))
            missing = [(name, each) for name, each in found if each.verdict != Verdict.PROVED]
            if not missing:
                return Finding(
                    claim=self.claim,
                    check="proof",
                    verdict=Verdict.PROVED,
                    method=self.argument,
                    bound="all values",
                    assumes=self.assumes,
                    seconds=decimal(seconds),
                    steps=steps,
                )
            failed += [f"{name} is {each.verdict}" for name, each in missing]
        reason = "; ".join(dict.fromkeys(failed))
        return self._unknown(f"the paper's proof no longer applies: {reason}", seconds, steps)

    def check(self) -> Check:
        """Return the chain as a check; its controls are what the lemmas refute."""
        controls = (
            Control(name=name, run=_refutation(lemma, rules), rules=rules)
            for name, (lemma, rules) in self.controls.items()
        )
        return Check(claim=self.claim, name="proof", run=self.run, controls=tuple(controls))

    def _unknown(
        self, reason: str, seconds: Fraction = Fraction(0), steps: tuple[Step, ...] = ()
    ) -> Finding:
        return Finding(
            claim=self.claim,
            check="proof",
            verdict=Verdict.UNKNOWN,
            method=self.argument,
            detail=reason,
            seconds=decimal(seconds),
            steps=steps,
        )


_last: list[tuple[Rules, dict[tuple[str, int], Finding]]] = []


def run_link(link: Link, rules: Rules) -> Finding:
    """Run a lemma, or recall what it found on the same rules."""
    if not _last or _last[0][0] is not rules:
        _last[:] = [(rules, {})]
    known = _last[0][1]
    check = lemma(link) if isinstance(link, str) else link[1]
    key = (_name(link), id(check))
    if key not in known:
        known[key] = check.run(rules)
    return known[key]


def lemma(claim: str) -> Check:
    """Return the check of a lemma by the name of its claim."""
    check: Check = import_module(f"proofs.{claim}").CHECK
    return check


def _name(link: Link) -> str:
    return link if isinstance(link, str) else link[0]


def _step(found: tuple[str, Finding]) -> Step:
    name, result = found
    return Step(name=name, verdict=result.verdict, by=result.method, detail=result.detail)


def _refutation(claim: str, rules: Rules) -> _Refutation:
    return _Refutation(claim=claim, rules=rules)


@dataclass(frozen=True, kw_only=True)
class _Refutation:
    """Run one lemma on broken rules."""

    claim: str
    rules: Rules

    def __call__(self) -> Finding:
        return lemma(self.claim).run(self.rules)


def controls_of(*lemmas: str) -> dict[str, tuple[str, Rules]]:
    """Return every control of the lemmas that is a change of rules."""
    return {
        control.name: (claim, control.rules)
        for claim in lemmas
        for control in _controls(claim)
        if control.rules is not None
    }


def _controls(claim: str) -> Iterable[Control]:
    return lemma(claim).controls
