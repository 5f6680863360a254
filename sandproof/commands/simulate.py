"""The command `sandproof simulate`: run a trace through the specification."""

from __future__ import annotations

import argparse
from pathlib import Path

from sandproof.commands.options import whole
from sandproof.problems import BadInput


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser], summary: str) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "simulate",
        help=summary,
        description="Run a trace through the paper's rules, or through those of a proposal; print "
        "reports, refusals, and summaries with the true sums, which the ad-tech does not see. "
        "A trace is a JSON document, or JSON Lines in a file named .jsonl or from standard input "
        "(-): a header with description and limits, then a move in each line. Lines are read, run "
        "and told one by one, in little memory, as a table or with --format jsonl. "
        "With --family w3c: replay a scenario of the W3C's Attribution group, or a folder of them, "
        "on Attribution Level 1; the exit status is 1 if something is not as expected.",
    )
    parser.add_argument("trace", type=Path, metavar="TRACE.json|TRACE.jsonl|-|DIR")
    parser.add_argument("--family", choices=("paper", "w3c"), default="paper")
    parser.add_argument(
        "--rules", type=Path, metavar="PROPOSAL", help="run it through the rules of this proposal"
    )
    parser.add_argument("--format", choices=("text", "json", "jsonl"), default="text")
    parser.add_argument(
        "--times",
        choices=("days", "seconds"),
        help="how the table tells times (default: days, if a document takes a day or longer)",
    )
    noise = parser.add_mutually_exclusive_group()
    noise.add_argument("--seed", type=whole, help="sample noise from this seed")
    noise.add_argument("--noiseless", action="store_true", help="add no noise at all")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the trace and print what happens, or one line that says why it cannot be run."""
    if arguments.trace != Path("-"):
        try:
            arguments.trace.stat()
        except OSError as error:
            raise BadInput(f"{arguments.trace}: {error.strerror}") from None
    # Only here, because it takes the specification with it.
    from sandproof import traces_told

    return traces_told.run(arguments)
