"""A loop of its own over the credits is proved by induction, and none of its broken twins is.

The twins stand in two files: each is one of two sound rules with some lines in the place of others.
"""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from immutables import Map

from proofs._accounts import is_one
from proofs._core import core_of
from spec import PAPER, SMALL_LIMITS, Budget, Contribution, Credit, Rules, replace
from spec.attribution_client import AttributionClient
from spec.reports import is_contribution
from spec.rules import AtContribution, OnDevice
from tests.scripts import loaded

TWINS = Path(__file__).parent / "twins"

CLIPPING = """
from dataclasses import dataclass
from fractions import Fraction
from itertools import count as ticks
from immutables import Map
from spec import PAPER, Budget, Contribution, Credit, replace
from spec.reports import is_contribution

EIGHT, HALF, SEEN, TICKS = 8, Fraction(1, 2), [], ticks()


def contribute(at, credits):
    budgets = at.client.budgets
    most_value, most_parts = at.limits.contribution_budget, at.limits.sparsity_budget
    granted = []
    for credit in credits:
        account = budgets.get(credit.unit, Budget())
        parts = []
        for wanted in filter(is_contribution, credit.contributions):
            value = min(wanted.value, most_value - account.value)
            if value <= 0 or account.count >= most_parts:
                continue
            parts.append(replace(wanted, value=value))
            account = replace(account, value=account.value + value, count=account.count + 1)
        budgets = budgets.set(credit.unit, account)
        if parts:
            granted.append(Credit(unit=credit.unit, contributions=tuple(parts)))
    return budgets, tuple(granted)


RULES = replace(PAPER, contribute=contribute)
"""

ASKING = """
from fractions import Fraction
from spec import PAPER, Budget, Contribution, Credit, replace
from spec.reports import is_contribution


def contribute(at, credits):
    budgets = at.client.budgets
    granted = []
    for credit in credits:
        before = spent = budgets.get(credit.unit, Budget())
        fitting = []
        for part in filter(is_contribution, credit.contributions):
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                fitting.append(part)
        if fitting:
            budgets = budgets.set(credit.unit, spent)
            granted.append(replace(credit, contributions=tuple(fitting)))
    return budgets, tuple(granted)


RULES = replace(PAPER, contribute=contribute)
"""


def twins(folder: str) -> dict[str, tuple[str, str]]:
    """Return, by title, the source of which each of several twins is made, and what is changed."""
    text = (TWINS / f"{folder}.txt").read_text(encoding="utf-8")
    found: dict[str, tuple[str, str]] = {}
    for part in text.split("## ")[1:]:
        title, _, changes = part.partition("\n")
        name, _, source = title.removesuffix(")").rpartition(" (")
        assert name not in found
        found[name] = ({"clipping": CLIPPING, "asking": ASKING}[source], changes)
    return found


def changed(source: str, changes: str) -> str:
    """Return a source with the lines after - replaced by those after +, the last lot first."""
    for lot in filter(None, reversed(changes.strip("\n").split("@@\n"))):
        old, new = (
            "".join(line[1:] + "\n" for line in lot.splitlines() if line[:1] == sign)
            for sign in "-+"
        )
        assert f"\n{old}" in source, old
        source = source.replace(f"\n{old}", f"\n{new}", 1)
    return source


def rules_of(folder: Path, source: str, changes: str = "") -> Rules:
    """Return the rules of a twin."""
    path = folder / "proposal.py"
    path.write_text(changed(source, changes), encoding="utf-8")
    rules = loaded(path).RULES
    assert isinstance(rules, Rules)
    return rules


SOUND, UNSOUND = twins("sound"), twins("unsound")


@pytest.mark.parametrize("title", SOUND)
def test_a_loop_that_counts_what_it_grants_is_the_papers(title: str, tmp_path: Path) -> None:
    core = core_of(rules_of(tmp_path, *SOUND[title]))
    assert core.kept == {}
    assert core.rules is PAPER


@pytest.mark.parametrize("title", UNSOUND)
def test_no_broken_twin_is_the_papers(title: str, tmp_path: Path) -> None:
    assert core_of(rules_of(tmp_path, *UNSOUND[title])).kept["contribute"]


@pytest.mark.parametrize("name", ["admit", "budget_unit"])
def test_what_a_budget_is_must_be_the_papers(name: str, tmp_path: Path) -> None:
    others: dict[str, Any] = {
        "admit": lambda at, unit, spent, part: (spent, True),
        "budget_unit": lambda at: "all",
    }
    rules = replace(rules_of(tmp_path, ASKING), **{name: others[name]})
    assert core_of(rules).kept["contribute"]


ODD: tuple[Any, ...] = (-1, True, None, "1", Fraction(1), 2**128)


def any_part(chance: random.Random) -> Contribution:
    """Return a contribution, or something that is none."""
    key, value = chance.randrange(3), chance.randrange(5)
    if chance.randrange(5) == 0:
        key, value = chance.choice(((chance.choice(ODD), value), (key, chance.choice(ODD))))
    return Contribution(key=key, value=value)


def at_client(rules: Rules, budgets: Map[Any, Budget], now: int) -> AtContribution:
    """Return what a rule sees with these budgets."""
    limits = replace(SMALL_LIMITS, contribution_budget=7, sparsity_budget=4)
    client = AttributionClient(budgets=budgets)
    return OnDevice(rules=replace(rules, limits=limits), now=now, client=client, cause=None)


def parts_of(credits: tuple[Credit, ...]) -> list[tuple[Any, Contribution]]:
    return [(credit.unit, part) for credit in credits for part in credit.contributions]


@pytest.mark.parametrize("title", SOUND)
def test_what_it_grants_the_paper_grants_unchanged(title: str, tmp_path: Path) -> None:
    """Run what the proof comes to on numbers: with x, without x, and by the paper's rule."""
    rules = rules_of(tmp_path, *SOUND[title])
    chance = random.Random(title)
    budgets: list[Map[Any, Budget]] = [Map(), Map(), Map()]
    for now in range(400):
        credits = tuple(
            Credit(
                unit=chance.choice("xyz"),
                contributions=tuple(any_part(chance) for _ in range(chance.randrange(4))),
            )
            for _ in range(chance.randrange(4))
        )
        kept = tuple(each for each in credits if each.unit != "x")
        budgets[0], granted = rules.contribute(at_client(rules, budgets[0], now), credits)
        budgets[1], others = rules.contribute(at_client(rules, budgets[1], now), kept)
        budgets[2], again = PAPER.contribute(at_client(PAPER, budgets[2], now), granted)
        assert again == granted
        assert parts_of(others) == [each for each in parts_of(granted) if each[0] != "x"]
        if now % 8 == 0:
            budgets = [Map(), Map(), Map()]


@pytest.mark.parametrize("key", [0, 1, 2**128 - 1, *ODD], ids=repr)
@pytest.mark.parametrize("value", [0, 1, *ODD], ids=repr)
def test_what_is_a_contribution_is_said_as_in_the_paper(key: Any, value: Any) -> None:
    part = Contribution(key=key, value=value)
    assert is_one(part) is is_contribution(part)
