r"""The command `sandproof params`: what follows from given parameters, exactly or certified.

Every number is exact, or enclosed so that each digit that is printed is right.
"""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLES = """\
examples:
  sandproof params                                  the paper's limits, a navigation source
  sandproof params --epsilon 10 --delta 1e-6        of one query
  sandproof params --set sparsity_budget=400
  sandproof params --reports 3 --windows 2,2 --buckets 2,2 --event-epsilon 14
  sandproof params --capacity 6.5 --reports 1 --windows 1,1 --format json
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser], summary: str) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "params",
        help=summary,
        description="Compute what follows from given parameters, exactly or with certified digits.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="settings",
        metavar="NAME=VALUE",
        help="set a public parameter, exactly: 65536, 1/8, 1e-8",
    )
    parser.add_argument("--epsilon", metavar="E", help="of a query (default: the cap)")
    parser.add_argument("--delta", metavar="D", help="of a query (default: the cap)")
    parser.add_argument("--event-epsilon", metavar="E", help="of event-level reports")
    parser.add_argument(
        "--reports", default="3", metavar="N", help="of an event-level source (default: 3)"
    )
    parser.add_argument(
        "--windows",
        default="3,3,3,3,3,3,3,3",
        metavar="N,N,…",
        help="per trigger datum (default: 8 data with 3 windows)",
    )
    parser.add_argument(
        "--buckets", metavar="N,N,…", help="per trigger datum (default: as many as reports)"
    )
    parser.add_argument(
        "--capacity", default="11.5", metavar="BITS", help="of the channel (default: 11.5)"
    )
    parser.add_argument(
        "--day-cap", default="1048576", metavar="N", help="on a device's contributions per day"
    )
    parser.add_argument(
        "--format",
        choices=("text", "json", "html", "svg"),
        default="text",
        help="html and svg draw the noise and the threshold of the query (default: text)",
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="write to a file instead")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compute and print."""
    # Only here, because it takes the specification with it.
    from sandproof import parameters_told

    return parameters_told.run(arguments)
