"""Scripts with holes find what no small universe shows, and are clean for what is sound."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from properties.device_scripts import aggregation_scripts
from properties.play import attack_by
from properties.script_attack import ScriptAttack
from properties.scripts import Script, attribution_scripts
from properties.searches.directed_worlds import BROKEN, directed_finding, search
from sandproof.about import Request
from sandproof.proposal import load
from spec import (
    ATTRIBUTION_FIXED,
    NULL_STORE,
    PAPER,
    Budget,
    Contribution,
    Distribution,
    PassTime,
    Random,
    Report,
    Rules,
    Sent,
    Source,
    Spent,
    Trigger,
    Unit,
)
from spec.aggregation_service import Answer, Outcome
from spec.attribution_client import AttributionClient
from spec.contributions import Budgets, Credit
from spec.distributions import Draw
from spec.neighbours import Relation
from spec.noise import DiscreteLaplace, Noise
from spec.numbers import Power
from spec.verdicts import Evidence, Reason
from tests.corpus import HERE
from tests.scripts import loaded

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.rules import AtContribution, AtService, AtTrigger

PROMISED = PAPER.limits.epsilon, PAPER.limits.delta
SHORT = attribution_scripts(())
EVENTS = aggregation_scripts(())
FREE_KEYS = {17, 2**100 + 5}
BAND = range(20_001, 21_000)


def finding(rules: Rules, *ladder: int) -> Evidence:
    scripts = attribution_scripts(ladder)
    return directed_finding("a claim", rules, ATTRIBUTION_FIXED, scripts).evidence


def admit_listed_keys(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    if contribution.key in FREE_KEYS:
        return spent, True
    return PAPER.admit(at, unit, spent, contribution)


def admit_band(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    if contribution.value in BAND:
        return spent, True
    return PAPER.admit(at, unit, spent, contribution)


def count_less_noise(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    times = 1 + len(batch) // 100
    rate = -times * at.query.epsilon / at.limits.contribution_budget
    return DiscreteLaplace(decay_power=Power(at.limits.base, rate), truncation=threshold)


def charge_hundred_times(at: AtService, spent: Spent, report: Report) -> Spent | None:
    return spent if spent.queries > 100 else PAPER.charge(at, spent, report)


def lose_null_reports(at: AtContribution, granted: tuple[Credit, ...]) -> Random[tuple[Sent, ...]]:
    sent = cast(tuple[Sent, ...], PAPER.send(at, granted))
    if granted:
        return sent
    return Distribution.of({sent: Fraction(9, 10), (): Fraction(1, 10)})


def lose_any_report(at: AtContribution, granted: tuple[Credit, ...]) -> Random[tuple[Sent, ...]]:
    sent = cast(tuple[Sent, ...], PAPER.send(at, granted))
    return Distribution.of({sent: Fraction(9, 10), (): Fraction(1, 10)})


def contribute_the_last(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    return PAPER.contribute(at, credits[-1:])


def credit_all(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    matching = [each for each in at.client.sources if at.rules.matches(at, each)]
    return at.client, tuple(
        Credit(unit=each.source_id, contributions=at.rules.contributions(at, each))
        for each in matching
    )


def share_noise(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
    """Draw noise once for all keys of a cell; the cells are kept in a dictionary."""
    noise, totals = at.rules.noise(at, batch, None), at.rules.totals(at, batch)
    errors: dict[int, int] = {}
    for key in at.query.keys:
        if key % 1000 not in errors:
            errors[key % 1000] = draw(noise.around(0))
    shown = ((key, totals.get(key, 0) + errors[key % 1000]) for key in at.query.keys)
    return Answer(released=tuple(shown))


def refuse_listed_keys(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    if contribution.key in FREE_KEYS:
        return spent, False
    return PAPER.admit(at, unit, spent, contribution)


def show_steps(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Outcome:
    if not isinstance(outcome, Answer):
        return outcome
    return Answer(released=tuple((key, noisy // 16 * 16) for key, noisy in outcome.released))


@pytest.mark.parametrize("name", BROKEN)
def test_broken_rules_are_refuted_for_devices(name: str) -> None:
    found = directed_finding("a claim", BROKEN[name], NULL_STORE, EVENTS)
    assert found.evidence is Evidence.ATTACK


@pytest.mark.parametrize(
    ("rules", "ladder"),
    [
        (replace(PAPER, admit=admit_listed_keys), ()),
        (replace(PAPER, admit=admit_band), ()),
        (replace(PAPER, noise=count_less_noise), (128,)),
        (replace(PAPER, charge=charge_hundred_times), (128,)),
        (replace(PAPER, send=lose_null_reports), ()),
        (replace(PAPER, attribute=credit_all, contribute=contribute_the_last), ()),
        (replace(PAPER, answer=share_noise), ()),
    ],
)
def test_unsound_rules_are_refuted(rules: Rules, ladder: tuple[int, ...]) -> None:
    assert finding(rules, *ladder) is Evidence.ATTACK


@pytest.mark.parametrize(
    "rules",
    [
        PAPER,
        replace(PAPER, admit=refuse_listed_keys),
        replace(PAPER, attribute=credit_all),
        replace(PAPER, reveal=show_steps),
    ],
)
def test_sound_rules_are_clean_for_all_values(rules: Rules) -> None:
    assert finding(rules, 16) is Evidence.ALL_VALUES_UP_TO_SHAPE


@pytest.mark.parametrize("name", ["keys_in_the_order_listed", "further_keys_for_free"])
@pytest.mark.parametrize("relation", [ATTRIBUTION_FIXED, NULL_STORE])
def test_every_list_is_paid_for(name: str, relation: Relation) -> None:
    proposal = load(Request(path=HERE / "unsound" / f"{name}.py"))
    scripts = [each for each in (*SHORT, *EVENTS) if "asked_for_lists" in each.name]
    play = scripts[0] if relation is ATTRIBUTION_FIXED else scripts[1]
    found = directed_finding("a claim", proposal.rules, relation, (play,), proposal.words.around)
    assert found.evidence is Evidence.ATTACK


@pytest.mark.parametrize("relation", [ATTRIBUTION_FIXED, NULL_STORE])
def test_lines_of_one_key_may_share_an_epsilon(relation: Relation) -> None:
    path = HERE / "sound" / "keys_listed_twice_share_the_epsilon.py"
    scripts = [each for each in (*SHORT, *EVENTS) if "asked_for_lists" in each.name]
    play = scripts[0] if relation is ATTRIBUTION_FIXED else scripts[1]
    found = directed_finding("a claim", load(Request(path=path)).rules, relation, (play,))
    assert found.evidence is Evidence.ALL_VALUES_UP_TO_SHAPE


def test_sound_rules_that_draw_are_not_refuted() -> None:
    rules = replace(PAPER, send=lose_any_report)
    found = directed_finding("a claim", rules, ATTRIBUTION_FIXED, SHORT[:2])
    assert found.evidence is Evidence.RANDOM_RUNS


@pytest.mark.parametrize("relation", [ATTRIBUTION_FIXED, NULL_STORE])
def test_the_papers_rules_are_clean(relation: Relation) -> None:
    scripts = SHORT if relation is ATTRIBUTION_FIXED else EVENTS
    found = directed_finding("a claim", PAPER, relation, scripts)
    assert found.evidence is Evidence.ALL_VALUES_UP_TO_SHAPE
    assert f"{len(scripts)} scripts" in found.bound


def test_what_differs_without_an_attack_concludes_nothing() -> None:
    """A rate that is a millionth too high tells more than is promised, but less than delta."""

    def noise(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
        rate = at.query.epsilon / at.limits.contribution_budget * Fraction(10**15 + 1, 10**15)
        return DiscreteLaplace(decay_power=Power(at.limits.base, -rate), truncation=threshold)

    found = directed_finding("a claim", replace(PAPER, noise=noise), ATTRIBUTION_FIXED, SHORT[:1])
    assert found.evidence is Evidence.NONE
    assert found.reason is Reason.WORLDS_DIFFER


@pytest.mark.parametrize(
    ("name", "relation", "scripts"),
    [
        ("a_report_names_who_was_noted", ATTRIBUTION_FIXED, SHORT[:1]),
        ("a_report_shows_the_size_of_the_storage", NULL_STORE, EVENTS),
    ],
)
def test_what_deciding_stores_must_not_be_told(
    name: str, relation: Relation, scripts: tuple[Script, ...]
) -> None:
    rules = loaded(HERE / "unsound" / f"{name}.py").RULES
    found = directed_finding("a claim", rules, relation, scripts)
    assert found.reason is Reason.WORLDS_DIFFER
    assert "what deciding stores about x is told" in found.detail


def test_an_attack_is_as_small_as_it_can_be() -> None:
    one = search(BROKEN["real reports are late at night"], ATTRIBUTION_FIXED, SHORT[0], PROMISED)
    assert one.attack is not None
    assert len(one.attack.moves) == 3
    assert "Time passes to 82800 (day 0, 23:00:00)." in one.attack.moves
    assert one.attack.probability == 1
    assert one.attack.other == 0
    assert "with x: nothing" in one.attack.story()


def test_exact_laws_decide_what_draws_from_finite_laws() -> None:
    rules = replace(PAPER, send=lose_null_reports)
    moves = (
        Source(source_id="x", destination="d", expiry=9, filters=frozenset("f"), key=1),
        Trigger(report_id=0, destination="d", filters=frozenset("f"), key=0, value=1),
        PassTime(until=1),
    )
    attack = attack_by(rules, ATTRIBUTION_FIXED, "x", moves, PROMISED)
    assert attack is not None
    assert attack.world == "without x"
    assert attack.probability == Fraction(1, 10)
    assert attack.other == 0
    assert attack_by(PAPER, ATTRIBUTION_FIXED, "x", moves, PROMISED) is None


@pytest.mark.parametrize("claimed", [ATTRIBUTION_FIXED, NULL_STORE])
def test_an_attack_is_written_as_a_test_that_replays_it(claimed: Relation, tmp_path: Path) -> None:
    scripts = SHORT if claimed is ATTRIBUTION_FIXED else EVENTS
    found = directed_finding("a claim", BROKEN["some keys are free"], claimed, scripts)
    assert isinstance(found.attack, ScriptAttack)
    proposal = tmp_path / "proposal.py"
    proposal.write_text(
        "from properties.searches.directed_worlds import BROKEN\n"
        "RULES = BROKEN['some keys are free']\n"
    )
    names: dict[str, object] = {"__file__": str(tmp_path / "test_attack.py")}
    exec(found.attack.to_pytest(proposal.name), names)
    for name, fails in (("changed", True), ("papers", False)):
        test = cast("Callable[[], None]", names[f"test_the_{name}_rules_withstand_the_attack"])
        if fails:
            with pytest.raises(AssertionError):
                test()
            broken = cast("Callable[[Rules], str]", names["broken"])
            assert broken(BROKEN["some keys are free"]).startswith("at least 0.5")
        else:
            test()
