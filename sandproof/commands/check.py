"""The command `sandproof check`: a verdict for every claim under a proposal's rules."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sandproof.commands.options import (
    FORMATS,
    accepted,
    add_family,
    add_options,
    how_to_check,
    refuse_at_once,
)

EXAMPLES = """\
examples:
  sandproof check                             the paper's own rules
  sandproof check my_change.py                a proposal
  sandproof check --set sparsity_budget=65536 a change of parameters only
  sandproof check --family w3c                the draft Attribution Level 1
  sandproof check proposals/*.py --effort quick --format junit --output report.xml

exit status: 0 every guarantee is proved, 1 one is refuted, 2 bad input, 3 not proved (searched or
unknown), 4 a weaker promise with --fail-if-weaker, 70 a defect of sandproof; for the paper's own
rules all claims count
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser], summary: str) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "check",
        help=summary,
        description="Decide every claim for the paper's own rules, or for the rules of proposals.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("proposals", nargs="*", type=Path, metavar="PROPOSAL")
    add_options(parser, FORMATS)
    add_family(parser)
    parser.set_defaults(run=run)


def say_refuted(name: str) -> None:
    """Say at once that a proposal is refuted; the report comes when every claim is decided."""
    print(
        f"refuted: {name}: an attack was replayed; the report follows", file=sys.stderr, flush=True
    )


def run(arguments: argparse.Namespace) -> int:
    """Check, print, and return the exit status that tells the verdict."""
    paths: list[Path | None] = list(arguments.proposals) or [None]
    # In other formats, and beside other proposals, a file that cannot be read has a result.
    told = arguments.format == "text" and not (arguments.output or arguments.also)
    refuse_at_once(arguments, paths[0] if told and len(paths) == 1 else None)
    # Only here, because they take the specification with them.
    import sandproof
    from sandproof import formats
    from sandproof.result import Result, overall

    formats.check_writable(arguments.output, *(file for _, file in arguments.also))
    found = sandproof.check_all(
        paths,
        settings=arguments.settings,
        family=arguments.family,
        refuted=say_refuted,
        **how_to_check(arguments),
    )
    results: list[Result] = []
    for result in found:
        results.append(result)
        if arguments.format == "text" and arguments.output is None:
            formats.print_text(result, len(results) == 1, arguments.verbose)
    if arguments.format != "text" or arguments.output is not None:
        formats.write(formats.render(arguments.format, results), arguments.output)
    elif len(results) > 1:
        print(f"\n{formats.tally(results)}")
    for name, file in arguments.also:
        formats.write(formats.render(name, results), file)
    return overall(results, accepted(arguments), arguments.fail_if_weaker)
