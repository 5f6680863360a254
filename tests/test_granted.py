"""A loop of its own over the credits is proved by induction, and none of its broken twins is.

A twin is one of two sound rules with a line or two replaced.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from proofs._core import core_of
from spec import PAPER, Rules, replace
from tests.scripts import loaded

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

Lines = tuple[str, str]


def twin(folder: Path, source: str, *changes: Lines) -> Rules:
    """Return the rules of a source with lines replaced."""
    for old, new in changes:
        assert source.count(old) >= 1, old
        source = source.replace(old, new)
    path = folder / "proposal.py"
    path.write_text(source, encoding="utf-8")
    rules = loaded(path).RULES
    assert isinstance(rules, Rules)
    return rules


ADMITTED = "            if fits:\n                fitting.append(part)\n"
STORED = "        budgets = budgets.set(credit.unit, account)\n"
STORED_HERE = "            budgets = budgets.set(credit.unit, spent)\n"
KEPT = "            parts.append(replace(wanted, value=value))\n"
COUNTED = "account = replace(account, value=account.value + value, count=account.count + 1)"
LOOP = "for wanted in filter(is_contribution, credit.contributions):"
ASKING_LOOP = "for part in filter(is_contribution, credit.contributions):"
GRANTED = "granted.append(Credit(unit=credit.unit, contributions=tuple(parts)))"
GRANTED_HERE = "granted.append(replace(credit, contributions=tuple(fitting)))"
NO_ROOM = "if value <= 0 or account.count >= most_parts:"
VALUE = "value = min(wanted.value, most_value - account.value)"
LOOK_UP = "account = budgets.get(credit.unit, Budget())"
BEGIN = "    granted = []\n"
RETURNED = "return budgets, tuple(granted)"
FOR_CREDIT = "    for credit in credits:\n"

SOUND: dict[str, tuple[str, tuple[Lines, ...]]] = {
    "clipping": (CLIPPING, ()),
    "asking": (ASKING, ()),
    "stored if it is another": (
        ASKING,
        (
            (
                f"if fitting:\n{STORED_HERE}",
                f"if spent is not before:\n{STORED_HERE}        if fitting:\n",
            ),
        ),
    ),
    "asked in the body": (
        ASKING,
        (
            (
                ASKING_LOOP,
                "for part in credit.contributions:\n            if not is_contribution(part):\n                continue",
            ),
        ),
    ),
    "the rest after the first that does not fit is dropped": (
        ASKING,
        (
            (
                ADMITTED,
                "            if not fits:\n                break\n            fitting.append(part)\n",
            ),
        ),
    ),
    "all or nothing, by a flag": (
        ASKING,
        (
            ("fitting = []\n", "fitting, whole = [], True\n"),
            (ADMITTED, f"{ADMITTED}            else:\n                whole = False\n"),
            ("if fitting:", "if fitting and whole:"),
        ),
    ),
    "all or nothing, by else": (
        ASKING,
        (
            (
                ADMITTED,
                "            if not fits:\n                break\n            fitting.append(part)\n",
            ),
            (
                f"        if fitting:\n{STORED_HERE}            granted",
                f"        else:\n            if not fitting:\n                continue\n{STORED_HERE}            granted",
            ),
        ),
    ),
    "at most three of a credit": (ASKING, (("if fits:", "if fits and len(fitting) < 3:"),)),
    "three are looked at": (CLIPPING, (("credit.contributions):", "credit.contributions[:3]):"),)),
    "the last first": (CLIPPING, (("credit.contributions):", "reversed(credit.contributions)):"),)),
    "the largest first": (
        CLIPPING,
        (
            (
                LOOP,
                "for wanted in sorted(filter(is_contribution, credit.contributions), key=lambda part: (part.value, -part.key), reverse=True):",
            ),
        ),
    ),
    "what is left is carried": (
        CLIPPING,
        (
            (
                "        parts = []\n",
                "        parts = []\n        left = most_value - account.value\n",
            ),
            ("most_value - account.value)\n            if", "left)\n            if"),
            (COUNTED, f"{COUNTED}\n            left -= value"),
        ),
    ),
    "counted in the end": (
        CLIPPING,
        (
            ("        parts = []\n", "        parts = []\n        used = 0\n"),
            (VALUE, "value = min(wanted.value, most_value - account.value - used)"),
            ("account.count >= most_parts", "account.count + len(parts) >= most_parts"),
            (COUNTED, "used += value"),
            (
                STORED,
                "        budgets = budgets.set(credit.unit, Budget(value=account.value + used, count=account.count + len(parts)))\n",
            ),
        ),
    ),
    "every part is a credit of its own": (
        ASKING,
        (
            (
                ADMITTED,
                "            if fits:\n                budgets = budgets.set(credit.unit, spent)\n                granted.append(replace(credit, contributions=(part,)))\n",
            ),
            (f"        if fitting:\n{STORED_HERE}            {GRANTED_HERE}\n", ""),
        ),
    ),
    "more is counted than is granted": (
        CLIPPING,
        (("replace(wanted, value=value)", "replace(wanted, value=value // 2)"),),
    ),
    "only what the next credit leaves out": (
        CLIPPING,
        (
            (
                "credit.unit, Budget())",
                "credit.unit)\n        if account is None:\n            account = Budget()",
            ),
        ),
    ),
    "a helper clips": (
        CLIPPING,
        (
            (
                "def contribute",
                "def clipped(part, account, most):\n    return replace(part, value=max(0, min(part.value, most - account.value)))\n\n\ndef contribute",
            ),
            (VALUE, "part = clipped(wanted, account, most_value)\n            value = part.value"),
            ("replace(wanted, value=value)", "part"),
        ),
    ),
    "at night less is granted": (
        CLIPPING,
        (
            (
                VALUE,
                f"{VALUE}\n            if at.now % 86400 < 21600:\n                value = value // 2",
            ),
        ),
    ),
    "keys of another range": (
        CLIPPING,
        (("replace(wanted, value=value)", "Contribution(key=wanted.key // 2, value=value)"),),
    ),
    "two loops": (
        ASKING,
        (
            (
                ASKING_LOOP,
                "wanted = []\n        for part in filter(is_contribution, credit.contributions):\n            if part.value > 0:\n                wanted.append(part)\n        for part in tuple(wanted):",
            ),
        ),
    ),
}


@pytest.mark.parametrize("title", SOUND)
def test_a_loop_that_counts_what_it_grants_is_the_papers(title: str, tmp_path: Path) -> None:
    source, changes = SOUND[title]
    core = core_of(twin(tmp_path, source, *changes))
    assert core.kept == {}
    assert core.rules is PAPER
