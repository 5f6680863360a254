"""The command `sandproof new`: start a proposal."""

from __future__ import annotations

import argparse
import keyword
import textwrap
from pathlib import Path

from sandproof.families.paper_surface import surface
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


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser], summary: str) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "new",
        help=summary,
        description="Write a commented proposal to start from. An existing file is left alone.",
        epilog="example: sandproof new my_change && sandproof check my_change.py",
    )
    parser.add_argument("name", metavar="NAME")
    parser.set_defaults(run=run)


def skeleton() -> str:
    """Return the proposal to start from, with a line for every rule."""
    lines: list[str] = []
    for rule in surface():
        if rule.arguments:
            lines += textwrap.wrap(
                f"{rule.call}: {rule.decides}", 100, initial_indent="# ", subsequent_indent="#     "
            )
    return SKELETON.replace("RULE_LINES\n", "\n".join(lines) + "\n\n")


def run(arguments: argparse.Namespace) -> int:
    """Write the file."""
    path = Path(arguments.name).with_suffix(".py")
    if not path.stem.isidentifier() or keyword.iskeyword(path.stem):
        raise BadInput(f"{path.stem!r} is no name for a Python module: use letters, digits and _")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(skeleton())
    except FileExistsError:
        raise BadInput(f"{path}: the file exists already") from None
    except OSError as error:
        raise BadInput(f"{path}: {(error.strerror or str(error)).lower()}") from None
    print(f"{path} is written; edit it, then run: sandproof check {path}")
    return 0
