"""The command `sandproof catalogue`: every proposal with the expected and the found verdict."""

from __future__ import annotations

import argparse
from pathlib import Path

import sandproof
from sandproof.commands.options import add_run_options, how_to_check
from sandproof.problems import BadInput
from sandproof.result import Result
from spec.verdicts import Verdict

CATALOGUE = Path(sandproof.__file__).resolve().parent.parent / "proposals"
"""The proposals that come with Sandproof: they lie beside its packages, also where installed."""

EXAMPLES = """\
examples:
  sandproof catalogue                          every proposal that comes with Sandproof
  sandproof catalogue --list                   their files, without running a check
  sandproof catalogue named_budgets            one of them
  sandproof catalogue my_proposals/ --effort quick

exit status: 0 every verdict is as expected, 1 one is not
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser], summary: str) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "catalogue",
        help=summary,
        description="Check proposals and compare each verdict with the one that the docstring "
        "expects: those of the catalogue, or of directories, or some of the catalogue by name.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("proposals", nargs="*", metavar="NAME", help="or a directory, or a file")
    parser.add_argument("--list", action="store_true", help="run no check, show the files")
    add_run_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check the proposals one after the other and print the table."""
    named = arguments.proposals or [str(CATALOGUE)]
    paths = [path for name in named for path in proposals_of(name)]
    if arguments.list:
        print("\n".join(map(str, paths)))
        return 0
    width = max(len(name) for name in ("proposal", *(path.stem for path in paths)))
    print(f"{'proposal':<{width}}  expected   found      seconds")
    unexpected = 0
    for result in sandproof.check_all(paths, **how_to_check(arguments)):
        unexpected += not as_expected(result)
        print(row(result, width), flush=True)
    print(f"\n{len(paths)} proposals, {unexpected} with another verdict than expected")
    return 1 if unexpected else 0


def proposals_of(name: str) -> list[Path]:
    """Return the proposals of a directory, or a file, or the one of the catalogue with a name."""
    path = Path(name)
    if path.is_dir():
        found = sorted(each for each in path.glob("*.py") if not each.stem.startswith("_"))
        if not found:
            raise BadInput(f"{path}: there are no proposals")
        return found
    if path.is_file():
        return [path]
    path = CATALOGUE / f"{name}.py"
    if not path.is_file():
        raise BadInput(f"{name}: no such file, directory or proposal of the catalogue")
    return [path]


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
