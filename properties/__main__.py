"""Solve the default universes for the paper's rules: `python -m properties [MOVES]`."""

from __future__ import annotations

import sys

from properties.checks import AGGREGATION, ATTRIBUTION, EVENT_LEVEL, TOGETHER, universe_for
from properties.numerals import decimal
from properties.solve import solve
from spec.neighbours import ATTRIBUTION_FIXED, NULL_STORE
from spec.paper import PAPER


def main(arguments: list[str]) -> int:
    """Print the exact worst delta of every default universe; return 1 if a promise is broken."""
    if arguments and not arguments[0].isdecimal():
        print(f"properties: the number of moves must be a whole number, not {arguments[0]!r}")
        return 2
    moves = int(arguments[0]) if arguments else None
    broken = False
    for claim in (ATTRIBUTION, AGGREGATION, EVENT_LEVEL, TOGETHER):
        relation = NULL_STORE if claim == AGGREGATION else ATTRIBUTION_FIXED
        solution = solve(PAPER, relation, universe_for(claim), moves=moves)
        sign = "<=" if solution.worst <= solution.delta else ">"
        broken |= solution.refuted
        print(f"{claim} ({relation.name})")
        print(
            f"  worst delta {solution.worst} = {decimal(solution.worst)} {sign} {solution.delta} "
            f"at epsilon {solution.epsilon} ln {solution.universe.limits.base.value}"
        )
        print(f"  searched {solution.searched}", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
