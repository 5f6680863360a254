"""Event-level runs: sources that are registered again, and laws without their least likely ways."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from properties.event_again import taken_again
from properties.likely import likely_law
from properties.script_attack import ScriptAttack
from properties.searches.event_runs import event_runs_finding
from properties.vocabulary import NO_WORDS
from properties.worlds import CannotPlay
from sandproof.about import Request
from sandproof.proposal import load
from spec import ATTRIBUTION_FIXED, PAPER
from spec.distributions import Distribution, Draw, Law, NotReplayable, explore
from spec.verdicts import Evidence, Finding, Reason
from tests.corpus import HERE

if TYPE_CHECKING:
    from collections.abc import Iterable

RARE = Distribution.of({"usual": Fraction(99, 100), "rare": Fraction(1, 100)})


def finding(name: str, runs: int = 1) -> Finding:
    proposal = load(Request(path=HERE / f"{name}.py"))
    return event_runs_finding("a claim", proposal.rules, ATTRIBUTION_FIXED, proposal.words, runs)


@pytest.mark.parametrize(
    ("name", "when"),
    [
        ("forget_old_sources", "after 2 others"),
        ("event_sources_of_thirty_others", "after 30 others"),
        ("event_sources_of_three_places", "after 3 others at places of their own"),
        ("event_sources_of_ninety_days", "after 1 others and 80"),
        ("event_sources_are_known_by_their_place", "elsewhere"),
    ],
)
def test_a_source_that_is_forgotten_is_registered_again(name: str, when: str) -> None:
    found = finding(f"unsound/{name}")
    assert found.evidence is Evidence.ATTACK
    assert "registered again" in found.detail
    assert when in found.detail


def test_what_is_taken_after_too_many_others_is_left_open() -> None:
    found = finding("unsound/a_thousand_event_sources_are_kept")
    assert (found.evidence, found.reason) == (Evidence.NONE, Reason.WORLDS_DIFFER)
    assert "after 1024 others" in found.detail


def test_what_is_taken_in_one_world_only_is_left_open() -> None:
    def forget_who_reported(at: Any, source: Any, draw: Draw) -> Any:
        client = PAPER.register_event_source(at, source, draw)
        return replace(client, records=tuple(each for each in client.records if not each.sent))

    rules = replace(PAPER, register_event_source=forget_who_reported)
    found = event_runs_finding("a claim", rules, ATTRIBUTION_FIXED, NO_WORDS, 1)
    assert (found.evidence, found.reason) == (Evidence.NONE, Reason.WORLDS_DIFFER)
    assert "in one world only" in found.detail


def test_a_source_that_is_known_is_not_taken_again() -> None:
    assert list(taken_again(PAPER, NO_WORDS)) == []
    assert finding("sound/forgotten_event_sources_are_known").evidence is Evidence.RANDOM_RUNS


def test_a_source_that_keeps_its_response_may_be_registered_again() -> None:
    def leave_it(at: Any, source: Any, draw: Draw) -> Any:
        known = any(each.source.source_id == source.source_id for each in at.client.records)
        return at.client if known else PAPER.register_event_source(at, source, draw)

    rules = replace(PAPER, register_event_source=leave_it)
    assert list(taken_again(rules, NO_WORDS))
    found = event_runs_finding("a claim", rules, ATTRIBUTION_FIXED, NO_WORDS, 1)
    assert found.evidence is Evidence.RANDOM_RUNS


@pytest.mark.parametrize("name", ["forget_old_sources", "sources_share_three_triggers"])
def test_an_attack_is_written_as_a_test_that_replays_it(name: str) -> None:
    found = finding(f"unsound/{name}", runs=60)
    assert isinstance(found.attack, ScriptAttack)
    path = HERE / "unsound" / f"{name}.py"
    names: dict[str, Any] = {"__file__": str(path.with_name("test_attack.py"))}
    exec(found.attack.to_pytest(path.name), names)
    assert names["broken"](names["proposal"].RULES) == found.attack.inequality()
    names["test_the_papers_rules_withstand_the_attack"]()
    with pytest.raises(AssertionError):
        names["test_the_changed_rules_withstand_the_attack"]()


def listed(law: Law[object]) -> Iterable[tuple[object, Fraction]]:
    return law.outcomes()


def three_times(draw: Draw) -> tuple[str, ...]:
    return tuple(draw(RARE) for _ in range(3))


def test_ways_that_are_left_out_bound_the_error() -> None:
    exact = explore(three_times)
    law, left_out = likely_law(three_times, listed, Fraction(1, 1000), most=10)
    assert left_out == 1 - Fraction(99, 100) ** 3 - 3 * Fraction(99**2, 100**3)
    assert len(list(law.support())) == 4
    usual = ("usual",) * 3
    for seen in exact.support():
        assert 0 <= abs(law.probability_of(seen) - exact.probability_of(seen)) <= left_out
    assert law.probability_of(usual) == exact.probability_of(usual) + left_out


def test_a_law_of_all_ways_is_exact() -> None:
    law, left_out = likely_law(three_times, listed, Fraction(1, 10**9), most=8)
    assert left_out == 0
    assert law == explore(three_times)
    with pytest.raises(CannotPlay):
        likely_law(three_times, listed, Fraction(1, 10**9), most=7)


def test_a_run_that_draws_something_else_again_is_refused() -> None:
    laws = iter((RARE, Distribution.of({1: Fraction(1, 2), 2: Fraction(1, 2)})))

    def changing(draw: Draw) -> object:
        return draw(next(laws))

    with pytest.raises(NotReplayable):
        likely_law(changing, listed, Fraction(1, 1000), most=9)
