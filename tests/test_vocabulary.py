"""The words of a proposal are found, and universes are made of them."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from pathlib import Path

import pytest

from properties.checks import ATTRIBUTION, EVENT_LEVEL, property_checks
from properties.universes import event_words, source, trigger
from properties.vocabulary import Vocabulary
from sandproof.about import Request
from sandproof.proposal import Proposal, load
from spec import Query
from spec.verdicts import Check, Verdict

HEADER = """
from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction

from spec import PAPER, Budget, EventSource, Query, Source, Trigger, replace
from spec.event_client import SourceRecord
"""

WORDS = """
LIMITS = (10, Fraction(3, 7))


@dataclass(frozen=True, slots=True, kw_only=True)
class MyTrigger(Trigger):
    flag: bool = False
    level: int = 5
    label: str = "x"
    share: Fraction = Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsMore(Source):
    secret: object


def admit(at, unit, spent, contribution):
    "A docstring that is not a name, 99."
    texts = {"debug", "two words", "a-text-that-is-much-too-long-for-a-name"}
    if contribution.key in LIMITS or 1000 < contribution.value or True in texts:
        return spent, False
    return [PAPER.admit(at, unit, spent, contribution) for _ in "b"][0]


RULES = replace(PAPER, admit=admit)
"""


def loaded(tmp_path: Path, text: str) -> Proposal:
    path = tmp_path / "words.py"
    path.write_text(HEADER + text, encoding="utf-8")
    return load(Request(path=path))


def test_numbers_names_and_types_are_collected(tmp_path: Path) -> None:
    words = loaded(tmp_path, WORDS).words
    assert set(words.numbers) == {10, 3, 7, 1000}
    assert set(words.texts) == {"debug", "b"}
    assert [kind.__name__ for kind in words.types] == ["MyTrigger", "NeedsMore"]
    assert words
    assert {9, 10, 11, 999, 1001} <= set(words.around)


def test_names_of_keywords_are_no_words(tmp_path: Path) -> None:
    text = "def admit(at, unit, spent, part):\n    return replace(spent, value=77), True\n"
    words = loaded(tmp_path, text + "RULES = replace(PAPER, admit=admit)\n").words
    assert words.numbers == (77,)
    assert words.texts == ()


def test_instances_of_new_types_have_other_values_in_their_own_fields(tmp_path: Path) -> None:
    words = loaded(tmp_path, WORDS).words
    usual, other = words.variants(trigger("c", 2))
    assert (usual.value, other.value) == (2, 2)
    own = ("flag", "level", "label", "share")
    assert [getattr(usual, name) for name in own] == [False, 5, "x", Fraction(1, 2)]
    shown = [getattr(other, name) for name in own]
    assert shown == [True, 6, words.texts[0], Fraction(3, 2)]
    assert list(words.variants(Query(epsilon=Fraction(1)))) == []
    assert list(words.variants(source("A", "a", 100))) == []


def test_universes_hold_what_the_words_name() -> None:
    words = Vocabulary(numbers=(77,), texts=("debug",))
    universe = event_words(words)
    assert {each.trigger_id for each in universe.event_triggers} == {"t", "debug"}
    values = {each.value for each in universe.event_triggers}
    assert values == {1, 76, 77, 78}


def test_without_words_there_is_no_such_universe() -> None:
    assert not Vocabulary()
    assert not [check for check in property_checks() if "words" in check.name]


HIDDEN = {
    "a trigger of its own type is not charged": (
        ATTRIBUTION,
        """
@dataclass(frozen=True, slots=True, kw_only=True)
class FreeTrigger(Trigger):
    free: bool = False


def admit(at, unit, spent, contribution):
    if isinstance(at.cause, FreeTrigger) and at.cause.free:
        return spent, True
    return PAPER.admit(at, unit, spent, contribution)


RULES = replace(PAPER, admit=admit)
""",
    ),
    "a key is free": (
        ATTRIBUTION,
        """
def admit(at, unit, spent, contribution):
    if contribution.key == 12345:
        return spent, True
    return PAPER.admit(at, unit, spent, contribution)


RULES = replace(PAPER, admit=admit)
""",
    ),
    "a query of its own type has a budget of its own": (
        ATTRIBUTION,
        """
@dataclass(frozen=True, slots=True, kw_only=True)
class Dated(Query):
    day: int = 0


def entries(at, report):
    return ((report.report_id, at.query.day if isinstance(at.query, Dated) else 0),)


RULES = replace(PAPER, budget_entries=entries)
""",
    ),
    "large values are not randomized": (
        EVENT_LEVEL,
        """
def register_event_trigger(at, credited):
    client = PAPER.register_event_trigger(at, credited)
    if at.cause.value < 50:
        return client
    told = [
        replace(each, response=None) if each.source.source_id in credited else each
        for each in client.records
    ]
    return replace(client, records=tuple(told))


RULES = replace(PAPER, register_event_trigger=register_event_trigger)
""",
    ),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_hides_behind_a_word_is_found(name: str, tmp_path: Path) -> None:
    claim, text = HIDDEN[name]
    proposal = loaded(tmp_path, text)
    plain, worded = (
        [check for check in property_checks("quick", words=words) if check.claim == claim]
        for words in (Vocabulary(), proposal.words)
    )
    looking = "runs on numbers" if claim == ATTRIBUTION else "game"

    def verdicts(checks: list[Check]) -> set[Hashable]:
        found = (each.run(proposal.rules) for each in checks if each.name.startswith(looking))
        return {each.verdict for each in found}

    assert verdicts(plain) == {Verdict.SEARCHED}
    assert Verdict.REFUTED in verdicts(worded)


def test_a_number_of_bits_makes_a_key() -> None:
    keys = Vocabulary(numbers=(3, 100, 128, 2**130)).keys
    assert keys == (3 << 100, 128 << 100, 3, 100, 128, 2**100)


def test_upper_bits_make_a_key() -> None:
    assert Vocabulary(numbers=(112, 0xD1A6)).keys[0] == 0xD1A6 << 112
