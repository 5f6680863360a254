"""The command `sandproof catalogue`: every proposal with the expected and the found verdict."""

from __future__ import annotations

import argparse
from pathlib import Path

from sandproof.about import Request
from sandproof.commands.options import add_run_options, options_of
from sandproof.problems import BadInput
from sandproof.result import Result
from spec.verdicts import Verdict


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "catalogue",
        help="check every proposal of a directory against its expected verdict",
        description="Check every proposal of a directory and compare the verdict with the one "
        "that its docstring expects.",
        epilog="exit status: 0 every verdict is as expected, 1 one is not",
    )
    parser.add_argument("directory", nargs="?", type=Path, default=Path("proposals"))
    add_run_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check the proposals one after the other and print the table."""
    from sandproof import verdict

    paths = sorted(
        path for path in arguments.directory.glob("*.py") if not path.stem.startswith("_")
    )
    if not paths:
        raise BadInput(f"{arguments.directory}: there are no proposals")
    width = max(len(name) for name in ("proposal", *(path.stem for path in paths)))
    print(f"{'proposal':<{width}}  expected   found      seconds")
    unexpected = 0
    for result in verdict.run([Request(path=path) for path in paths], options_of(arguments)):
        unexpected += not as_expected(result)
        print(row(result, width), flush=True)
    print(f"\n{len(paths)} proposals, {unexpected} with another verdict than expected")
    return 1 if unexpected else 0


def expected(result: Result) -> str:
    """Return the verdict that a proposal expects."""
    words = result.about.labels.get("Expected", "").replace(",", " ").replace(";", " ").split()
    return words[0].lower().rstrip(".:") if words else ""


def as_expected(result: Result) -> bool:
    """Tell whether the verdict is the expected one: what holds is proved, or at least searched."""
    kept = ("holds", "proved", "searched")
    verdicts = {"holds": kept, "searched": kept[1:], "proved": ("proved",), "refuted": ("refuted",)}
    return not result.bad_input and result.verdict.value in verdicts.get(expected(result), ())


def row(result: Result, width: int) -> str:
    """Return a row of the table."""
    name = Path(result.about.name).stem
    mark = "" if as_expected(result) else "  UNEXPECTED"
    why = f": {result.headline}" if result.verdict is Verdict.UNKNOWN else ""
    return (
        f"{name:<{width}}  {expected(result):<9}  {result.verdict.value:<9}  {result.seconds:7.1f}"
        f"{mark}{why}"
    )
