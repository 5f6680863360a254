"""The result of checking one proposal: a row per claim, and the verdict. Every format shows it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from sandproof.about import About
from sandproof.claim_result import AttackRecord, ClaimResult
from sandproof.promise import Strength
from spec.verdicts import Claim, Finding, Kind, Verdict

PROVED, REFUTED, BAD_INPUT, NOT_PROVED, WEAKER = 0, 1, 2, 3, 4
"""The exit statuses that tell a verdict."""


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
    memory, `notes` what else is worth knowing. `only` names the claims that were asked for, if not
    all were. `files` are all files whose code the proposal brings. A `lasting` result would be the
    same the next time.
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
    only: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    lasting: bool = False

    @property
    def why(self) -> str:
        """Say in a sentence what fell and with which rule, or what cost the proof."""
        from sandproof.why import opening

        return opening(self)

    def _repr_html_(self) -> str:
        """Return the report for a notebook, in a frame of its own."""
        from sandproof.formats.page import as_html

        page = escape(as_html([self]))
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 40rem; border: 0"></iframe>'

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
    def deciding(self) -> list[ClaimResult]:
        """Return the claims that decide: guarantees, and for the paper's own rules all claims.

        Where no guarantee was asked for, it is the claims that were.
        """
        chosen = deciding([each.claim for each in self.claims], self.about.own)
        return [each for each in self.claims if each.claim in chosen]

    @property
    def verdict(self) -> Verdict:
        """Return the verdict on the proposal: the worst of the claims that decide."""
        found = {each.verdict for each in self.deciding}
        worse = (Verdict.REFUTED, Verdict.UNKNOWN, Verdict.SEARCHED)
        if self.bad_input or self.not_followed or not found:
            return Verdict.UNKNOWN
        return next((verdict for verdict in worse if verdict in found), Verdict.PROVED)

    @property
    def weaker(self) -> list[ClaimResult]:
        """Return the guarantees whose promise is weaker than the paper's, or not comparable."""
        lost = (Strength.WEAKER, Strength.OTHER)
        return [row for row in self.of_kind(Kind.GUARANTEE) if row.strength in lost]

    def status(self, accepted: Container[Verdict] = (), fail_if_weaker: bool = False) -> int:
        """Return the exit status that tells the verdict; an accepted verdict counts as proved.

        A promise that is weaker than the paper's has a status of its own, if that is asked for.
        """
        if self.verdict is Verdict.REFUTED:
            return REFUTED
        if self.bad_input or self.misbehaved:
            return BAD_INPUT
        if fail_if_weaker and self.weaker:
            return WEAKER
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
        weaker = any(row.strength is Strength.WEAKER for row in self.weaker)
        loud += f"; the promise is WEAKER than {self.about.whose}" if weaker else ""
        under = self._under(rows)
        match self.verdict:
            case Verdict.REFUTED:
                return f"refuted{under}: {name}: {', '.join(map(_broken, rows))}{loud}"
            case Verdict.UNKNOWN:
                return self._unknown(rows)
            case _:
                proved = self.verdict is Verdict.PROVED
                said = "every guarantee is proved" if proved else "no attack was found"
                if self.only:
                    said = f"nothing but {', '.join(self.only)} was decided"
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
        rows = self.claims if self.only else self.of_kind(Kind.GUARANTEE)
        numbers = {verdict: sum(row.verdict is verdict for row in rows) for verdict in kept}
        return ", ".join(f"{count} {verdict.value}" for verdict, count in numbers.items() if count)

    def _unknown(self, rows: list[ClaimResult]) -> str:
        if self.not_followed:
            return f"unknown: {self.not_followed}"
        if self.misbehaved:
            return f"bad input: {self.misbehaved[0]}"
        if self.exhausted:
            return f"unknown: {self.exhausted[0]}"
        names = ", ".join(each.claim.id for each in rows) or "nothing is decided"
        reasons = rows[0].reason.splitlines() if rows else []
        why = "interrupted" if self.interrupted else "".join(reasons[:1])
        return f"unknown{self._under(rows)}: {self.about.name}: {names} ({why})"


def deciding(claims: Sequence[Claim], own: bool) -> Sequence[Claim]:
    """Return those of the claims asked for that decide; `own` are the rules of a family."""
    guarantees = [claim for claim in claims if claim.kind is Kind.GUARANTEE]
    return claims if own or not guarantees else guarantees


def _broken(result: ClaimResult) -> str:
    factor = "" if result.attack is None else result.attack.factor
    return result.claim.id + (
        f" (in the universe searched it holds with {factor}ε*)" if factor else ""
    )


def overall(
    results: Iterable[Result], accepted: Container[Verdict] = (), fail_if_weaker: bool = False
) -> int:
    """Return the exit status of a run: that of the worst result."""
    return worst_status({result.status(accepted, fail_if_weaker) for result in results})


def worst_status(found: Container[int]) -> int:
    """Return the exit status of several: bad input first, then refuted, weaker, and not proved."""
    order = (BAD_INPUT, REFUTED, WEAKER, NOT_PROVED)
    return next((status for status in order if status in found), PROVED)
