"""The properties of a claim depend on no rule that the claim does not name."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from properties.checks import property_checks
from spec import PAPER, Rules, replace
from spec.claims import CLAIMS, Check, Verdict

GAMES = [check for check in property_checks("quick") if not check.name.startswith("machine")]


@pytest.mark.parametrize("check", GAMES, ids=lambda check: f"{check.claim}: {check.name}")
def test_a_game_calls_no_rule_that_its_claim_does_not_name(check: Check) -> None:
    """A claim is called unaffected by a change of rules that it does not name.

    The rule `pass_windows` is called when time passes, but it is given the event-level client alone
    and its reports only: where there are no event-level sources it can tell nothing.
    """
    called: list[str] = []

    def poisoned(name: str) -> Any:
        return lambda *_: called.append(name)

    named = {*CLAIMS[check.claim].rules, "limits", "pass_windows"}
    others = {field.name for field in fields(Rules)} - named
    found = check.run(replace(PAPER, **{name: poisoned(name) for name in others}))
    assert (found.verdict, called) == (Verdict.HOLDS, [])
