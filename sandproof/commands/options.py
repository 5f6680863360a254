"""The options that commands share: how to check, and in which format to say what was found."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from sandproof.exact_numbers import exact_number, named_numbers
from sandproof.families.parameters import PARAMETERS
from sandproof.problems import BadInput, brief_text, known_claim, refuse_unreadable

if TYPE_CHECKING:
    from spec.verdicts import Verdict

MOST_SECONDS = 10**9

FORMATS = ("text", "json", "markdown", "html", "junit", "sarif")


class HowToCheck(TypedDict):
    """Name the arguments of `sandproof.check` that say how to check."""

    effort: str
    seed: int
    jobs: int | None
    timeout: float | None
    only: list[str]
    cache: bool


SCENARIO = "w3c-scenario"
"""The format of an attack on Attribution Level 1 as a scenario of the W3C's group."""


JUDGED = (
    "whose rules are judged: the paper's, or W3C Attribution Level 1's; by default those that a "
    "proposal names, and without one the paper's"
)


def add_family(parser: argparse.ArgumentParser, meaning: str = JUDGED) -> None:
    """Add the choice between the paper's APIs and Attribution Level 1."""
    parser.add_argument("--family", choices=("paper", "w3c"), help=meaning)


def add_options(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """Add the options of the commands that check proposals."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="settings",
        metavar="NAME=VALUE",
        help="set a public parameter, exactly: 65536, 1/8, 1e-8; NAME is one of "
        + ", ".join(PARAMETERS["paper"]),
    )
    parser.add_argument("--format", choices=formats, default="text")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write to a file instead")
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        type=format_and_file,
        metavar="FORMAT=FILE",
        help="besides, write this format to this file; may be given several times",
    )
    parser.add_argument(
        "--accept",
        action="append",
        choices=("searched",),
        default=[],
        help="a verdict to end with exit status 0 for, besides proved",
    )
    parser.add_argument(
        "--fail-if-weaker",
        action="store_true",
        help="end with exit status 4 if a guarantee promises less than under the paper's rules, or "
        "something that cannot be compared",
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show the lemmas, and every attack"
    )
    add_run_options(parser)


def add_campaign_options(parser: argparse.ArgumentParser, folder: Path | None = None) -> None:
    """Add the options that say where a campaign keeps its answers, and who is asked."""
    default = "none, no campaign" if folder is None else str(folder)
    parser.add_argument(
        "--folder",
        type=Path,
        default=folder,
        metavar="DIR",
        help=f"where the answers of a campaign are kept (default: {default})",
    )
    parser.add_argument("--cluster", metavar="ADDRESS", help="of the scheduler of a Dask cluster")


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how to run checks."""
    parser.add_argument(
        "--effort",
        choices=("quick", "standard", "deep"),
        default="standard",
        help="how large a search (default: standard); quick searches little for what is proved",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="CLAIM",
        help="decide this claim and no other; may be given several times",
    )
    parser.add_argument("--seed", type=whole, default=0, help="of random runs (default: 0)")
    parser.add_argument(
        "--jobs", type=positive, metavar="N", help="checks side by side (default: all cores)"
    )
    parser.add_argument(
        "--no-cache",
        action="store_true",
        help="run every check, and neither look up nor keep what was found before",
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help="of processor time per check (default: by effort, and generous)",
    )


def format_and_file(text: str) -> tuple[str, Path]:
    """Read a format and the file that it is to be written to."""
    name, equals, file = text.partition("=")
    if name not in FORMATS or not equals or not file:
        raise argparse.ArgumentTypeError(
            f"{brief_text(text)!r} is not FORMAT=FILE; formats are {', '.join(FORMATS)}"
        )
    return name, Path(file)


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


def refuse_at_once(arguments: argparse.Namespace, proposal: Path | None) -> None:
    """Refuse parameters, a file and claims that cannot be meant, before more is imported."""
    named_numbers(arguments.settings, PARAMETERS[arguments.family or "paper"])
    if proposal is not None:
        refuse_unreadable(proposal)
    for name in arguments.only:
        known_claim(name)


def accepted(arguments: argparse.Namespace) -> tuple[Verdict, ...]:
    """Return the verdicts that count like proved."""
    from spec.verdicts import Verdict

    return tuple(map(Verdict, arguments.accept))


def how_to_check(arguments: argparse.Namespace) -> HowToCheck:
    """Return the arguments of `sandproof.check` that say how to check."""
    return {
        "effort": arguments.effort,
        "seed": arguments.seed,
        "jobs": arguments.jobs,
        "timeout": arguments.timeout,
        "only": arguments.only,
        "cache": not arguments.no_cache,
    }
