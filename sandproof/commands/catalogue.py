"""The command `sandproof catalogue`: every proposal with the expected and the found verdict."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sandproof
from sandproof.commands.options import add_campaign_options, add_run_options, how_to_check
from sandproof.problems import BadInput

if TYPE_CHECKING:
    from sandproof.result import Result

CATALOGUE = Path(sandproof.__file__).resolve().parent.parent / "proposals"
"""The proposals that come with Sandproof: they lie beside its packages, also where installed."""

Data = Mapping[str, object]

EXAMPLES = """\
examples:
  sandproof catalogue                          every proposal that comes with Sandproof
  sandproof catalogue --list                   their files, without running a check
  sandproof catalogue named_budgets            one of them
  sandproof catalogue my_proposals/ --effort quick
  sandproof catalogue --effort deep --folder nightly   as a campaign, which can be resumed

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
    add_campaign_options(parser)
    add_run_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check the proposals one after the other and print the table."""
    named = arguments.proposals or [str(CATALOGUE)]
    paths = [path for name in named for path in proposals_of(name)]
    if arguments.list:
        print("\n".join(map(str, paths)))
        return 0
    if arguments.cluster is not None and arguments.folder is None:
        raise BadInput("--cluster needs --folder, where the answers are kept")
    width = max(len(name) for name in ("proposal", *(path.stem for path in paths)))
    print(f"{'proposal':<{width}}  expected   found      seconds")
    unexpected = 0
    for found in answers(paths, arguments):
        unexpected += not fits(found)
        print(row(found, width), flush=True)
    print(f"\n{len(paths)} proposals, {unexpected} with another verdict than expected")
    return 1 if unexpected else 0


def answers(paths: Sequence[Path], arguments: argparse.Namespace) -> Iterator[Data]:
    """Return the published JSON for each proposal; that of a campaign comes when all are there."""
    if arguments.folder is None:
        from sandproof.formats.data import to_json

        yield from map(to_json, sandproof.check_all(paths, **how_to_check(arguments)))
        return
    from sandproof.commands.campaign import report_on

    report = report_on(paths, [()], [arguments.seed], arguments, lambda _: None)
    if report.unanswered:
        raise BadInput("; ".join(report.unanswered))
    yield from (answer.result for answer in report.answers.values())


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
    return expectation(result.about.labels)


def as_expected(result: Result) -> bool:
    """Tell whether the verdict is the expected one: what holds is proved, or at least searched."""
    return not result.bad_input and is_expected(expected(result), result.verdict.value)


def expectation(labels: Mapping[str, str]) -> str:
    """Return the verdict that the labels of a docstring expect."""
    words = labels.get("Expected", "").replace(",", " ").replace(";", " ").split()
    return words[0].lower().rstrip(".:") if words else ""


def is_expected(wanted: str, verdict: str) -> bool:
    """Tell whether a verdict is the expected one: what holds is proved, or at least searched."""
    kept = ("holds", "proved", "searched")
    verdicts = {"holds": kept, "searched": kept[1:], "proved": ("proved",), "refuted": ("refuted",)}
    return verdict in verdicts.get(wanted, ())


def fits(found: Data) -> bool:
    """Tell the same of published JSON, where the verdict on bad input is unknown."""
    return is_expected(expectation(proposal_in(found)["labels"]), str(found["verdict"]))


def proposal_in(found: Data) -> Any:
    """Return what published JSON says of a proposal."""
    return found["proposal"]


def row(found: Data, width: int) -> str:
    """Return a row of the table."""
    from spec.verdicts import Verdict

    about, verdict = proposal_in(found), found["verdict"]
    name, wanted = Path(about["name"]).stem, expectation(about["labels"])
    mark = "" if fits(found) else "  UNEXPECTED"
    why = f": {found['headline']}" if verdict == Verdict.UNKNOWN.value else ""
    return f"{name:<{width}}  {wanted:<9}  {verdict:<9}  {found['seconds']:7.1f}{mark}{why}"
