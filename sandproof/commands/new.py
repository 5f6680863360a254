"""The command `sandproof new`: start a proposal."""

from __future__ import annotations

import argparse
import keyword
import textwrap
from collections.abc import Sequence
from pathlib import Path

from sandproof.commands.options import add_family
from sandproof.families.paper_surface import Rule, surface, surface_of
from sandproof.problems import BadInput

SKELETON = '''"""Say in one line what changes.

Say why, and what stays the same.

Origin: where it was proposed.
Expected: holds or refuted, and why.
Neighbours: attribution fixed (ARA), null store (PAA).
"""

from spec import PAPER, AtService, Report, Rules, Spent, replace

# A rule is a plain function with the arguments of the rule it replaces. The first, `at`, holds all
# that its party can see: at.rules, at.limits, at.now, on a device at.client and at.cause (what
# happens), at the service at.service and at.query. A rule answers without changing its arguments,
# and may answer with an exact law (spec.Distribution) where it tosses a coin. The rules:
#
RULE_LINES

def charge_half_at_most(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Refuse a query that asks for more than half of the budget; charge others as before."""
    if at.query.epsilon > at.limits.epsilon / 2:
        return None
    return PAPER.charge(at, spent, report)


# Everything that is not named here stays as in the paper. Public parameters are changed with
# replace(PAPER, limits=replace(PAPER.limits, sparsity_budget=400)).
RULES: Rules = replace(PAPER, charge=charge_half_at_most)

# Another neighbour relation than the paper's is named here, from spec.neighbours:
# NEIGHBOURS = NEVER_REGISTERED

# Sources, triggers or queries with fields of your own go into a spec.universe.Universe, which the
# solver then searches besides its default ones:
# UNIVERSE = Universe(...)
'''

LEVEL_1_SKELETON = '''"""Say in one line what changes.

Say why, and what stays the same.

Origin: where it was proposed.
Expected: holds or refuted, and why.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Impression, Level1Rules

# A rule is a plain function with the arguments of the rule it replaces. Where the first is `at`, it
# holds all that its party can see: at.rules, at.limits, on a device at.now and at.device, for a
# conversion at.caller and at.conversion, at the aggregation service at.aggregator and at.job. A
# rule answers without changing its arguments; one that tosses a coin takes `draw` last. The rules:
#
RULE_LINES

def matches_after_an_hour(at: AtConversion, impression: Impression) -> bool:
    """Select an impression only if it is an hour old; else as before."""
    if at.now - impression.timestamp < at.limits.hour:
        return False
    return LEVEL_1_ONE_DRAW.matches(at, impression)


# Everything that is not named here stays as in the draft. LEVEL_1_ONE_DRAW is the draft of May 2026
# with one draw of credit (w3c/attribution#461); with the two draws of LEVEL_1_2026_05 some
# guarantees are refuted before anything is changed. Public parameters are changed with
# replace(LEVEL_1_ONE_DRAW, limits=replace(LEVEL_1_ONE_DRAW.limits, site_quota=2_000_000)).
RULES: Level1Rules = replace(LEVEL_1_ONE_DRAW, matches=matches_after_an_hour)

# Neighbours and universes of Level 1 are fixed: NEIGHBOURS and UNIVERSE are not read.
'''


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser], summary: str) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "new",
        help=summary,
        description="Write a commented proposal to start from. An existing file is left alone.",
        epilog="example: sandproof new my_change && sandproof check my_change.py",
    )
    parser.add_argument("name", metavar="NAME")
    add_family(parser, "whose rules are changed: the paper's (default), or Attribution Level 1's")
    parser.set_defaults(run=run)


def skeleton(family: str) -> str:
    """Return the proposal to start from in a family, with a line for every rule."""
    if family != "w3c":
        return filled(SKELETON, surface())
    # Only here, because most proposals are about the paper's rules.
    from spec.level1 import LEVEL_1_ONE_DRAW

    return filled(LEVEL_1_SKELETON, surface_of(LEVEL_1_ONE_DRAW))


def filled(text: str, rules: Sequence[Rule]) -> str:
    """Return a proposal with a line for every rule."""
    lines: list[str] = []
    for rule in rules:
        if rule.arguments:
            lines += textwrap.wrap(
                f"{rule.call}: {rule.decides}", 100, initial_indent="# ", subsequent_indent="#     "
            )
    return text.replace("RULE_LINES\n", "\n".join(lines) + "\n\n")


def run(arguments: argparse.Namespace) -> int:
    """Write the file."""
    path = Path(arguments.name).with_suffix(".py")
    if not path.stem.isidentifier() or keyword.iskeyword(path.stem):
        raise BadInput(f"{path.stem!r} is no name for a Python module: use letters, digits and _")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(skeleton(arguments.family or "paper"))
    except FileExistsError:
        raise BadInput(f"{path}: the file exists already") from None
    except OSError as error:
        raise BadInput(f"{path}: {(error.strerror or str(error)).lower()}") from None
    print(f"{path} is written; edit it, then run: sandproof check {path}")
    return 0
