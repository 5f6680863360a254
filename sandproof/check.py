"""The command `sandproof check`: a verdict for every claim under a proposal's rules."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from sandproof.proposal import BadInput, Request, brief_text, exact_number, parse_settings
from spec.verdicts import Verdict

if TYPE_CHECKING:
    from sandproof import runner

MOST_SECONDS = 10**9
FORMATS = ("text", "json", "markdown", "html", "junit")
EXAMPLES = """\
examples:
  sandproof check                             the paper's own rules
  sandproof check my_change.py                a proposal
  sandproof check --set sparsity_budget=65536 a change of parameters only
  sandproof check proposals/*.py --effort quick --format junit --output report.xml

exit status: 0 every guarantee is proved, 1 one is refuted, 2 bad input, 3 not proved (searched or
unknown), 70 a defect of sandproof; for the paper's own rules all claims count
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "check",
        help="decide every claim for the paper's rules or for proposals",
        description="Decide every claim for the paper's own rules, or for the rules of proposals.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("proposals", nargs="*", type=Path, metavar="PROPOSAL")
    add_options(parser, FORMATS)
    parser.set_defaults(run=run)


def add_options(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """Add the options of the commands that check proposals."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="settings",
        metavar="NAME=VALUE",
        help="set a public parameter, exactly: 65536, 1/8, 1e-8",
    )
    parser.add_argument("--format", choices=formats, default="text")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write to a file instead")
    parser.add_argument(
        "--accept",
        action="append",
        choices=("searched",),
        default=[],
        help="a verdict to end with exit status 0 for, besides proved",
    )
    add_run_options(parser)


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how to run checks."""
    parser.add_argument(
        "--effort",
        choices=("quick", "standard", "deep"),
        default="standard",
        help="how large a search (default: standard); quick searches little for what is proved",
    )
    parser.add_argument("--seed", type=whole, default=0, help="of random runs (default: 0)")
    parser.add_argument(
        "--jobs", type=positive, metavar="N", help="checks side by side (default: all cores)"
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help="of processor time per check (default: by effort, and generous)",
    )


def whole(text: str) -> int:
    """Read a whole number."""
    return int(_read(text, lambda number: number.denominator == 1, "a whole number"))


def positive(text: str) -> int:
    """Read a whole number above zero."""
    fits = "a whole number above zero"
    return int(_read(text, lambda number: number.denominator == 1 and number > 0, fits))


def seconds(text: str) -> float:
    """Read a number of seconds above zero."""
    fits = f"a number of seconds above zero, up to {MOST_SECONDS}"
    return float(_read(text, lambda number: 0 < number <= MOST_SECONDS, fits))


def _read(text: str, fits: Callable[[Fraction], bool], what: str) -> Fraction:
    try:
        number = exact_number("", text)
    except BadInput:
        number = None
    if number is None or not fits(number):
        raise argparse.ArgumentTypeError(f"{brief_text(text)!r} is not {what}")
    return number


def run(arguments: argparse.Namespace) -> int:
    """Check, print, and return the exit status that tells the verdict."""
    from sandproof import formats, runner
    from sandproof.result import Result, overall

    settings = parse_settings(arguments.settings)
    formats.check_writable(arguments.output)
    paths: list[Path | None] = list(arguments.proposals) or [None]
    requests = [Request(path=path, settings=settings) for path in paths]
    results: list[Result] = []
    for result in runner.run(requests, options_of(arguments)):
        results.append(result)
        if arguments.format == "text" and arguments.output is None:
            formats.print_text(result, first=len(results) == 1)
    if arguments.format != "text" or arguments.output is not None:
        formats.write(formats.render(arguments.format, results), arguments.output)
    elif len(results) > 1:
        print(f"\n{formats.tally(results)}")
    return overall(results, accepted(arguments))


def accepted(arguments: argparse.Namespace) -> tuple[Verdict, ...]:
    """Return the verdicts that count like proved."""
    return tuple(map(Verdict, arguments.accept))


def options_of(arguments: argparse.Namespace, only: tuple[str, ...] = ()) -> runner.Options:
    """Return how to check, as the arguments say."""
    from sandproof.runner import Options

    chosen = Options(
        effort=arguments.effort, seed=arguments.seed, timeout=arguments.timeout, only=only
    )
    return chosen if arguments.jobs is None else replace(chosen, jobs=arguments.jobs)
