r"""Directed worlds: run scripts with symbolic holes in both worlds, and look at every path.

On each path what is seen must be equal in both worlds, and what the noisy sums tell of the unit
must stay within $\varepsilon_*$. Noise is not drawn: a noisy sum is one unknown number, the same in
both worlds, and telling them apart costs what the laws of the two sums differ by. So whatever is
made of noisy sums afterwards costs nothing, and what looks at true sums is seen. Where keys are
discovered that nobody else has, no noise is drawn instead, and nothing may be seen of them.

A path on which this fails becomes numbers, small ones first, and the numbers become moves. Only an
attack that they really make refutes. If every path of a script is clean, the promise holds for all
values of its holes. A script that cannot be followed on symbols is run on numbers instead: the ends
of each hole's range, numbers that the proposal mentions, and some by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from random import Random as Chance
from typing import TYPE_CHECKING, cast

import z3

from proofs._followed import followed
from proofs._symbolic import NotSymbolic, explore, integer, term_of
from properties.holes import Chosen, Holes, Numbers, Symbols, smallest_model
from properties.noise_told import first_of, true_sum, without_noise
from properties.parts import shows_as_drawn
from properties.play import Promise, attack_of_run
from properties.script_attack import ScriptAttack
from properties.scripts import Script
from properties.suspicion import SameDraws, looks_different, suspicious
from properties.worlds import BothWorlds, Draws, alike, both, chances
from spec.aggregation_service import Spent
from spec.attribution_client import Trigger
from spec.contributions import Budget, Credit, Unit
from spec.distributions import Distribution, Draw, Random
from spec.neighbours import ATTRIBUTION_FIXED, NULL_STORE, Relation, Worlds
from spec.neighbours.credits_deleted import delete_credits
from spec.neighbours.relation import decided_on_the_database
from spec.noise import DiscreteLaplace, Noisy
from spec.numbers import SpecError
from spec.paper import PAPER
from spec.private_aggregation_client import Event, budget_unit
from spec.reports import Contribution, Key, Report, Sent
from spec.rules import AtService, Rules
from spec.system import Decision, Move, on_aggregation, on_attribution
from spec.verdicts import Check, Control, Evidence, Finding, Reason, Shape

if TYPE_CHECKING:
    from spec.rules import AtContribution

PATHS = 200
"""The most paths that a script may have."""

EFFORT = 5_000_000
"""What z3 may spend on one question: a count of steps, not of time."""

MARGINS = (Fraction(2), Fraction(3, 2), Fraction(9, 8), Fraction(1))
"""By which factors the sums are to tell more than is promised; the clearest attack comes first."""

RUNS = 8
"""How often a script that is not followed on symbols is run on numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """Hold what became of one script: how many paths or runs, an attack, or why there is neither.

    `values` are the numbers of a path that fails without being an attack, `refused` says what could
    not be followed on symbols.
    """

    script: str
    paths: int = 0
    runs: int = 0
    attack: ScriptAttack | None = None
    values: str = ""
    refused: str = ""

    @property
    def clean(self) -> bool:
        """Tell whether every path was followed and none fails."""
        return self.attack is None and not (self.values or self.refused)


def search(
    rules: Rules, relation: Relation, script: Script, promised: Promise, as_it_is: bool = False
) -> Searched:
    """Follow a script on every path, and make an attack of a path that fails.

    Rules that run `as_it_is` may find an attack, which is played on numbers, and show nothing else.
    """
    holes = Symbols()
    subject = rules if as_it_is else followed(rules)

    def play() -> tuple[object, object]:
        unit = script.unit(holes)
        drawn = true_sum if script.discovers else any_sum
        run = BothWorlds(subject, relation, unit, lambda: Draws(drawn, any_outcome))
        script.play(holes, run)
        if script.discovers:
            return looks_alike(run), Fraction(0)
        return looks_alike(run) if as_many_sums(run) else False, loss_of(run)

    try:
        found = explore(play, most=PATHS, guessing=as_it_is)
    except NotSymbolic as refusal:
        return Searched(script=script.name, refused=str(refusal))
    paths, values = len(found.paths), ""
    for path in found.paths:
        if path.raised is not None:
            told = f"{type(path.raised).__name__}: {path.raised}"
            return Searched(script=script.name, paths=paths, refused=told)
        same, loss = cast(tuple[object, object], path.returned)
        differs = z3.Not(term_of(same))
        if never((*path.conditions, z3.Or(differs, too_much(loss, promised, MARGINS[-1])))):
            continue
        for failing in (differs, *(too_much(loss, promised, m) for m in MARGINS)):
            solver = asked((*path.conditions, failing))
            answer = solver.check()
            if answer == z3.unknown:
                return Searched(script=script.name, paths=paths, refused="z3 leaves a path open")
            if answer == z3.unsat:
                continue
            numbers = Numbers(smallest_model(solver, holes))
            values = values or ", ".join(f"{x} = {y}" for x, y in numbers.model.items())
            attack = attack_of(rules, relation, script, numbers, promised)
            if attack is not None:
                return Searched(script=script.name, paths=paths, attack=attack)
    return Searched(script=script.name, paths=paths, values=values)


def asked(conditions: Sequence[z3.BoolRef]) -> z3.Solver:
    """Return a solver that is to find numbers for conditions."""
    solver = z3.Solver()
    solver.set("rlimit", EFFORT)
    solver.add(*conditions)
    return solver


def never(conditions: Sequence[z3.BoolRef]) -> bool:
    """Tell whether no numbers meet conditions; what z3 leaves open is not told."""
    return bool(asked(conditions).check() == z3.unsat)


def too_much(loss: object, promised: Promise, margin: Fraction) -> z3.BoolRef:
    """State that the sums tell more than a multiple of what is promised."""
    return z3.Not(term_of(cast(Fraction, loss) <= margin * promised[0]))


def attack_of(
    rules: Rules, relation: Relation, script: Script, numbers: Numbers, promised: Promise
) -> ScriptAttack | None:
    """Play a script with numbers; return the attack that it makes, if it makes one."""
    try:
        return played(rules, relation, script, numbers, promised)
    except SpecError:
        return None


def played(
    rules: Rules, relation: Relation, script: Script, holes: Holes, promised: Promise
) -> ScriptAttack | None:
    """Play a script with numbers."""
    unit = script.unit(holes)
    run = BothWorlds(rules, relation, unit, without_noise)
    script.play(holes, run)
    return attack_of_run(run, promised)


def any_sum(place: int, law: Noisy) -> int:
    """Return one unknown number for the noisy sums at a place of both worlds."""
    del law
    return integer(f"noisy_{place}")


def any_outcome(place: int, law: Distribution[object]) -> object:
    """Fork on the outcome at a place, which is the same in both worlds."""
    choice = integer(f"outcome_{place}")
    for number, (outcome, _) in enumerate(law.weights[:-1]):
        if choice == number:
            return outcome
    return law.weights[-1][0]


def as_many_sums(run: BothWorlds) -> bool:
    """Tell whether there are as many noisy sums in both worlds."""
    return len(run.mine.sums) == len(run.theirs.sums)


def looks_alike(run: BothWorlds) -> object:
    """State that the worlds look alike, and that what is drawn has the same chances."""
    if len(run.mine.laws) != len(run.theirs.laws):
        return False
    same: object = True
    for mine, theirs in run.seen:
        same = both(same, alike(mine, theirs))
    for law, other in zip(run.mine.laws, run.theirs.laws, strict=True):
        same = both(same, alike(chances(law), chances(other)))
    return same


def loss_of(run: BothWorlds) -> Fraction:
    """Return what all noisy sums together tell at most."""
    loss = Fraction(0)
    for one, other in zip(run.mine.sums, run.theirs.sums, strict=False):
        loss = loss + cost(one, other)
    return loss


def cost(law: Noisy, other: Noisy) -> Fraction:
    """Return what it tells at most to take one noisy sum for the other."""
    mine, theirs = law.noise, other.noise
    if type(mine) is not DiscreteLaplace or type(theirs) is not DiscreteLaplace:
        raise NotSymbolic(f"noise that is a {type(mine).__name__}")
    if mine.truncation is not None or theirs.truncation is not None:
        raise NotSymbolic("truncated noise for listed keys")
    rate = -mine.decay_power.exponent
    if rate != -theirs.decay_power.exponent:
        raise NotSymbolic("noise that differs between the worlds")
    return rate * abs(law.centre - other.centre)


def directed_check(
    claim: str, relation: Relation, scripts: tuple[Script, ...], words: tuple[int, ...], seed: int
) -> Check:
    """Return the check that follows scripts with holes in both worlds."""

    def run(rules: Rules) -> Finding:
        return directed_finding(claim, rules, relation, scripts, words, seed)

    def control(name: str, rules: Rules) -> Control:
        return Control(name=name, run=lambda: run(rules), rules=rules)

    return Check(
        claim=claim,
        name=f"directed worlds, {relation.name}",
        run=run,
        controls=tuple(control(name, rules) for name, rules in BROKEN.items()),
        evidence=Evidence.ALL_VALUES_UP_TO_SHAPE,
        shape=Shape.SCRIPTS,
        relation=relation,
    )


def directed_finding(
    claim: str,
    rules: Rules,
    relation: Relation,
    scripts: tuple[Script, ...],
    words: tuple[int, ...] = (),
    seed: int = 0,
) -> Finding:
    """Follow every script until one makes an attack; say what that means for a guarantee."""
    promised = rules.limits.epsilon, rules.limits.delta
    found = Finding(
        claim=claim,
        check=f"directed worlds, {relation.name}",
        shape=Shape.SCRIPTS,
        method="scripts with holes, followed in both worlds at the rules' own limits",
        assumes=f"neighbours: {relation.name}",
    )
    results: list[Searched] = []
    for script in scripts:
        result = search(rules, relation, script, promised)
        if result.refused:
            refused = result.refused
            result = search(rules, relation, script, promised, as_it_is=True)
            if result.attack is None:
                result = try_numbers(rules, relation, script, promised, words, seed, refused)
        results.append(result)
        if result.attack is not None:
            return replace(
                found,
                evidence=Evidence.ATTACK,
                detail=f"script {script.name}: {result.attack.inequality()}",
                attack=result.attack,
                counterexample={"inequality": result.attack.inequality()},
            )
    if relation in (ATTRIBUTION_FIXED, NULL_STORE) and (told := stored_and_told(rules, scripts)):
        return replace(found, reason=Reason.WORLDS_DIFFER, detail=told)
    return concluded(found, results)


def forget_decisions(
    rules: Rules, unit: Unit, worlds: Worlds, move: Move, decision: Decision, draw: Draw
) -> Decision:
    """Delete what is credited to the unit, and whatever the client keeps of deciding about it."""
    kept = delete_credits(rules, unit, worlds, move, decision, draw)
    if isinstance(move, Trigger) and kept.credits != decision.credits:
        return replace(kept, client=on_attribution(rules, worlds.own, move).client)
    if isinstance(move, Event) and budget_unit(on_aggregation(rules, worlds.real, move)) == unit:
        return replace(kept, client=on_aggregation(rules, worlds.own, move).client)
    return kept


FORGOTTEN = Relation(
    name="decisions forgotten",
    meaning="as attribution fixed and null store, without what deciding about x has stored",
    move=decided_on_the_database(forget_decisions),
)
"""The same as the paper's relations for rules that see nothing of what deciding stores.

Which source is credited, and what a device stores, is private. The relations fix attribution and
storage, so that rules which show them are not noticed there.
"""


def stored_and_told(rules: Rules, scripts: tuple[Script, ...]) -> str:
    """Say which script lets a report or a grant depend on what deciding stored about the unit."""
    if all(
        getattr(rules, name) is getattr(PAPER, name) for name in ("send", "contribute", "admit")
    ):
        return ""
    promised = rules.limits.epsilon, rules.limits.delta
    for script in scripts:
        found = search(rules, FORGOTTEN, script, promised, as_it_is=True).attack
        if found is not None:
            return f"{script.name}: what deciding stores about x is told: {found.inequality()}"
    return ""


def concluded(found: Finding, results: Sequence[Searched]) -> Finding:
    """Say what scripts without an attack show: nothing, if one fails and is no attack."""
    failing = [f"{each.script}: {each.values}" for each in results if each.values]
    if failing:
        detail = f"the worlds differ without an attack: {failing[0]}"
        return replace(found, reason=Reason.WORLDS_DIFFER, detail=detail)
    blocked = [each for each in results if each.refused and not each.runs]
    if blocked:
        detail = f"{blocked[0].script}: {blocked[0].refused}"
        return replace(found, reason=Reason.CANNOT_FOLLOW, detail=detail)
    on_numbers = [each for each in results if each.refused]
    paths = sum(each.paths for each in results)
    if not on_numbers:
        bound = f"all values in {len(results)} scripts, {paths} paths"
        return replace(found, evidence=Evidence.ALL_VALUES_UP_TO_SHAPE, bound=bound)
    runs = sum(each.runs for each in on_numbers)
    return replace(
        found,
        evidence=Evidence.RANDOM_RUNS,
        bound=f"{len(results)} scripts, {runs} runs on numbers and {paths} paths",
        detail=f"not followed on symbols: {on_numbers[0].refused}",
    )


def try_numbers(
    rules: Rules,
    relation: Relation,
    script: Script,
    promised: Promise,
    words: tuple[int, ...],
    seed: int,
    refused: str,
) -> Searched:
    """Run a script on numbers; return the first attack, or how many runs there were."""
    chance, runs, values = Chance(f"{seed} {script.name}"), 0, ""
    for _ in range(RUNS):
        holes = Chosen(chance, words)
        try:
            unit = script.unit(holes)
            same = SameDraws(chance, words, rules.limits.contribution_budget)
            draws = without_noise if script.discovers else partial(Draws, same.noisy, first_of)
            run = BothWorlds(rules, relation, unit, draws)
            script.play(holes, run)
            runs += 1
            if not (looks_different(run) if script.discovers else suspicious(run, promised)):
                continue
            attack = attack_of_run(run, promised)
        except SpecError:
            continue
        if attack is not None:
            return Searched(script=script.name, attack=attack)
        if not shows_as_drawn(rules) or rules.keys is not PAPER.keys:
            values = values or ", ".join(f"{x} = {y}" for x, y in holes.chosen.items())
    return Searched(script=script.name, runs=runs, values=values, refused=refused)


def charge_nothing_for_little(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Charge nothing for a query with very little epsilon."""
    free = at.query.epsilon < Fraction(1, 10_000)
    return spent if free else PAPER.charge(at, spent, report)


def admit_freely_at_a_key(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Do not count what is contributed to keys with certain leading bits."""
    if contribution.key >> 96 == 0xBEEF:
        return spent, True
    return PAPER.admit(at, unit, spent, contribution)


def send_late_at_night(at: AtContribution, granted: tuple[Credit, ...]) -> Random[tuple[Sent, ...]]:
    """Let real reports of the last hour of a day arrive an hour later."""
    late = bool(granted) and at.now % 86_400 >= 23 * 3600
    sent = cast(tuple[Sent, ...], PAPER.send(at, granted))
    return tuple(replace(each, arrival=each.arrival + 3600) for each in sent) if late else sent


def release_listed_keys(at: AtService, key: Key, noisy: int, threshold: int | None) -> bool:
    """Release a few keys whatever their sums are."""
    return key in (0xCAFE, 0xF00D) or PAPER.releases(at, key, noisy, threshold)


def answer_keys_as_listed(at: AtService, batch: tuple[Report, ...]) -> tuple[Key, ...]:
    """Answer for a key as often as it is listed."""
    return at.query.keys or PAPER.keys(at, batch)


BROKEN = {
    "little epsilon is free": replace(PAPER, charge=charge_nothing_for_little),
    "some keys are free": replace(PAPER, admit=admit_freely_at_a_key),
    "real reports are late at night": replace(PAPER, send=send_late_at_night),
    "some keys are always released": replace(PAPER, releases=release_listed_keys),
    "keys are answered as they are listed": replace(PAPER, keys=answer_keys_as_listed),
}
