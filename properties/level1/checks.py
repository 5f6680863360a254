"""The searches for attacks on Attribution Level 1 as checks: exact games in small universes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from typing import Any

from properties.broken import controls
from properties.game import OutOfRoom, OutOfSteps
from properties.level1.directed import directed_universes
from properties.level1.game import (
    Action,
    AttackDoesNotReplay,
    Level1Attack,
    Level1Universe,
    Reaction,
    solve_level1,
)
from properties.level1.mutants import MUTANTS
from properties.level1.universes import UNIVERSES
from properties.lump import Inexact
from spec.level1 import (
    LEVEL_1_ONE_DRAW,
    AtAggregator,
    ClearHistory,
    ClearSiteData,
    ConversionOptions,
    ImpressionOptions,
    Job,
    Level1Rules,
    MeasureConversion,
    Report,
    SaveImpression,
    SetEnabled,
)
from spec.level1.claims import GLOBAL, ONE_IMPRESSION, ONE_SITE, ONE_VIEW, SEVERAL_EPOCHS
from spec.noise import DiscreteLaplace, Noise
from spec.numbers import Power
from spec.verdicts import Check, Evidence, Finding, Reason, Shape

STEPS: Mapping[str, int] = {"quick": 200_000, "standard": 1_000_000, "deep": 10_000_000}
"""How many steps the game of one universe may take; those of the draft take a few thousand."""


def narrow_noise(at: AtAggregator, batch: tuple[Report, ...]) -> Noise:
    """Add noise of a third of the width."""
    epsilon = Fraction(at.job.minimal_budget, at.limits.grains)
    return DiscreteLaplace(Power(at.limits.base, -3 * epsilon / (2 * batch[0].task.max_value)))


FREE_FOR_ALL = "the shared limits are charged nothing"
FREE_FOR_THE_SITE = "the site pays nothing"
NARROW_NOISE = "noise of a third of the width"
NARROW = replace(LEVEL_1_ONE_DRAW, noise=narrow_noise)
CONTROLS: Mapping[str, Mapping[str, Level1Rules]] = {
    GLOBAL: {FREE_FOR_ALL: MUTANTS[FREE_FOR_ALL]},
    ONE_VIEW: {FREE_FOR_THE_SITE: MUTANTS[FREE_FOR_THE_SITE]},
    ONE_SITE: {FREE_FOR_THE_SITE: MUTANTS[FREE_FOR_THE_SITE]},
    ONE_IMPRESSION: {NARROW_NOISE: NARROW},
    SEVERAL_EPOCHS: {NARROW_NOISE: NARROW},
}
"""Broken rules that the games of each guarantee must refute; they draw credit once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldAttack:
    """Hold an attack with the rules that it is on, so that it can be told."""

    attack: Level1Attack
    rules: Level1Rules

    def story(self) -> str:
        """Return the attack move by move."""
        attack, universe = self.attack, self.attack.universe
        who = "all sites together" if universe.view is None else universe.view
        told = [f"{n}. {told_move(move)}" for n, move in enumerate(attack.longest(), start=1)]
        return "\n".join(
            (
                f"Universe: {universe.name}. Watching: {who}.",
                *told,
                f"The telling outcomes have probability {attack.likely} {attack.direction}, and "
                f"{attack.unlikely} otherwise: {attack.likely} > {universe.power} * "
                f"{attack.unlikely}, by {attack.excess} where 0 is promised.",
            )
        )

    def to_json(self) -> dict[str, object]:
        """Return the attack as plain data."""
        attack = self.attack
        return {
            "universe": attack.universe.name,
            "moves": attack.moves,
            "epsilon": str(attack.universe.epsilon),
            "power": str(attack.universe.power),
            "probability": str(attack.likely),
            "other_probability": str(attack.unlikely),
            "gained_delta": str(attack.excess),
            "steps": [{"move": told_move(move)} for move in attack.longest()],
        }


def level1_searches(effort: str = "standard") -> tuple[Check, ...]:
    """Return a check per guarantee: its small universes and suspicious stories, solved exactly."""
    return tuple(
        Check(
            claim=claim,
            name="game",
            run=(run := partial(searched, claim, universes, STEPS[effort])),
            controls=controls(run, broken_rules(claim)),
            shape=Shape.SMALL_UNIVERSE,
        )
        for claim, universes in UNIVERSES.items()
    )


def broken_rules(claim: str) -> dict[str, Level1Rules]:
    """Return the broken rules of a guarantee; they draw credit once."""
    once = LEVEL_1_ONE_DRAW.attribute
    return {name: replace(rules, attribute=once) for name, rules in CONTROLS[claim].items()}


def searched(claim: str, universes: tuple[Level1Universe, ...], steps: int, rules: Any) -> Finding:
    """Solve universes, and then those of directed stories that tell more than is promised."""
    found = games_finding(claim, universes, steps, rules)
    if found.evidence is Evidence.ATTACK:
        return found
    told = games_finding(claim, directed_universes(claim, rules), steps, rules)
    return told if told.evidence is Evidence.ATTACK else found


def games_finding(
    claim: str, universes: tuple[Level1Universe, ...], steps: int, rules: Any
) -> Finding:
    """Solve universes one after the other until one has an attack.

    One that cannot be solved, or in which no state differs, leaves the claim open unless a later
    one refutes it.
    """
    blank = Finding(
        claim=claim, check="game", shape=Shape.SMALL_UNIVERSE, method="exact game", bound=""
    )
    left_open: Finding | None = None
    for universe in universes:
        try:
            solution = solve_level1(rules, universe, steps)
        except (Inexact, AttackDoesNotReplay, OutOfSteps) as error:
            reason = REASONS[type(error)]
            found = replace(blank, reason=reason, detail=f"{universe.name}: {error}")
            left_open = left_open if left_open is not None and not found.is_alarm else found
            continue
        if solution.attack is not None:
            attack = solution.attack
            return replace(
                blank,
                evidence=Evidence.ATTACK,
                detail=f"{universe.name}: {attack.moves} moves, delta {attack.excess} where 0 is "
                "promised",
                counterexample={"delta": str(attack.excess), "moves": str(attack.moves)},
                attack=ToldAttack(attack=attack, rules=rules),
            )
        if solution.vacuous:
            detail = f"{universe.name}: neighbours never differed"
            left_open = left_open or replace(blank, reason=Reason.VACUOUS, detail=detail)
    if left_open is not None:
        return left_open
    names = "; ".join(universe.name for universe in universes)
    return replace(blank, evidence=Evidence.EXACT_IN_UNIVERSE, bound=f"small universes: {names}")


REASONS: Mapping[type[Exception], Reason] = {
    Inexact: Reason.NOISE_OPEN,
    AttackDoesNotReplay: Reason.DOES_NOT_REPLAY,
    OutOfSteps: Reason.OUT_OF_STEPS,
    OutOfRoom: Reason.OUT_OF_ROOM,
}
"""Why a universe is not solved."""


def told_move(action: Action) -> str:
    """Tell a move in a line: when, who, and every option that is not the usual one."""
    if isinstance(action, Reaction):
        return (
            f"{told_move(action.job)}; whoever asked reacts if the first bucket shows at least "
            f"{action.at_least}: {told_move(action.move)}"
        )
    if isinstance(action, Job):
        reports = ", ".join(map(str, action.report_ids))
        return f"reports {reports} are summed with the noise of a budget {action.minimal_budget}"
    match action:
        case SaveImpression():
            what = f"{action.caller.name} saves an impression{told_options(action.options)}"
        case MeasureConversion():
            options = told_options(action.options)
            what = f"{action.caller.name} measures a conversion, report {action.report_id}{options}"
        case ClearSiteData():
            what = f"{action.site} clears its data"
        case ClearHistory():
            sites = ", ".join(sorted(action.sites)) or "all sites"
            how = "and forgets visits" if action.forget_visits else "and keeps visits"
            what = f"the user clears the history of {sites} {how}"
        case SetEnabled():
            what = f"the user turns the interface {'on' if action.enabled else 'off'}"
        case _:
            what = f"the user acts: {action}"
    return f"at {action.now}: {what}"


def told_options(options: ImpressionOptions | ConversionOptions) -> str:
    """Tell the options of a call that are not the usual ones."""
    return "".join(
        f", {each.name.replace('_', ' ')} {shown_option(value)}"
        for each in fields(options)
        if each.name != "service" and (value := getattr(options, each.name)) != each.default
    )


def shown_option(value: object) -> str:
    """Show the value of an option."""
    return " and ".join(map(str, value)) if isinstance(value, tuple) else str(value)
