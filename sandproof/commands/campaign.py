"""The command `sandproof campaign`: many proposals, parameters and seeds, and what is new."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from sandproof.commands.catalogue import proposals_of
from sandproof.commands.options import add_campaign_options, add_run_options, how_to_check
from sandproof.exact_numbers import exact_number
from sandproof.families.parameters import own_parameters
from sandproof.problems import BadInput

if TYPE_CHECKING:
    from sandproof.campaign import Report
    from sandproof.exact_numbers import Settings
    from sandproof.jobs import Options
    from sandproof.questions import Question

MOST = 100_000
"""The most questions of a campaign."""

EXAMPLES = """\
examples:
  sandproof campaign proposals/ --effort deep
  sandproof campaign my_change.py --sweep epsilon=1:64 --sweep sparsity_budget=1,20,400
  sandproof campaign my_changes/ --seeds 0:9 --folder nightly
  sandproof campaign my_changes/ --cluster tcp://10.0.0.1:8786

Every answer is kept in the folder of the campaign. The same command goes on where it was ended,
asks again only about what changed, and reports what is new since the last complete report.

exit status: as of check for all questions together; 3 also if a question has no answer
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser], summary: str) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "campaign",
        help=summary,
        description="Check every proposal with every combination of parameters and seeds, on this "
        "machine or on a Dask cluster, and report what is new.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "proposals", nargs="*", metavar="NAME", help="a file, a directory, or one of the catalogue"
    )
    parser.add_argument(
        "--sweep",
        action="append",
        default=[],
        metavar="NAME=VALUES",
        help="a public parameter and its values: 1,2,1/8 or 1:64 or 0:1:1/4 or several of these; "
        "may be given several times",
    )
    parser.add_argument("--set", action="append", default=[], dest="settings", metavar="NAME=VALUE")
    parser.add_argument("--seeds", metavar="VALUES", help="several seeds, such as 0:9")
    add_campaign_options(parser, Path("campaign"))
    parser.add_argument("--format", choices=("text", "json"), default="text")
    add_run_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Ask what is not answered yet, print the report, and tell the worst verdict."""
    swept = sweeps(arguments.sweep)
    seeds = [arguments.seed] if arguments.seeds is None else whole_values(arguments.seeds)
    named = [path for name in arguments.proposals for path in proposals_of(name)]
    paths: list[Path | None] = [*named] or [None]
    count = prod(map(len, (paths, seeds, *swept)))
    if count > MOST:
        raise BadInput(f"these are {count} questions; a campaign has at most {MOST}")
    # Here, because it takes the specification with it.
    from sandproof.settings import parse_settings

    texts = ([*arguments.settings, *chosen] for chosen in product(*swept))
    settings = [parse_settings(each, own_parameters("paper")) for each in texts]
    from sandproof.result import NOT_PROVED, worst_status

    text = arguments.format == "text"

    def tell(line: str) -> None:
        if text:
            print(line, flush=True)

    report = report_on(paths, settings, seeds, arguments, tell)
    tell(f"\n{report.text}")
    if not text:
        print(json.dumps(report.to_json(), indent=2, ensure_ascii=False))
    statuses = {answer.status for answer in report.answers.values()}
    return worst_status({*statuses, NOT_PROVED} if report.unanswered else statuses)


def report_on(
    paths: Sequence[Path | None],
    settings: Sequence[Settings],
    seeds: Sequence[int],
    arguments: argparse.Namespace,
    tell: Callable[[str], None],
) -> Report:
    """Conduct the campaign that the arguments describe, here or on a cluster."""
    from sandproof import api
    from sandproof.campaign import Folder, Replies, conduct, on_this_machine
    from sandproof.cluster import on_cluster
    from sandproof.integrity import watching
    from sandproof.progress import terminable

    options, folder = api.options(**how_to_check(arguments)), Folder(arguments.folder)

    def ask(missing: Sequence[Question]) -> Replies:
        if arguments.cluster is not None:
            return on_cluster(missing, arguments.cluster)
        return on_this_machine(missing, options.jobs)

    with terminable():
        with watching():
            asked = list(questions(paths, settings, seeds, options))
        return conduct(asked, folder, ask, tell)


def questions(
    paths: Sequence[Path | None],
    settings: Sequence[Settings],
    seeds: Sequence[int],
    options: Options,
) -> Iterator[Question]:
    """List what is asked: every proposal with every combination of parameters and every seed."""
    from sandproof.about import Request
    from sandproof.campaign import contents
    from sandproof.questions import Question, written

    for path in paths:
        files = () if path is None else contents(path, options)
        for chosen, seed in product(settings, seeds):
            yield Question(
                name=Request(path=path).name,
                files=files,
                settings=written(chosen),
                effort=options.effort,
                seed=seed,
                only=options.only,
                timeout=options.timeout,
                cached=options.store is not None,
            )


def sweeps(texts: Sequence[str]) -> list[list[str]]:
    """Return for each parameter that is swept what `--set` would be given for its values."""
    lists = []
    for text in texts:
        name, equals, listed = text.partition("=")
        if not equals or not name:
            raise BadInput(f"--sweep {text}: write it as name=values")
        lists.append([f"{name}={value}" for value in values(f"--sweep {name}", listed)])
    return lists


def values(option: str, text: str) -> list[Fraction]:
    """Read numbers with commas between them; `first:last` counts, by one or by a third number."""
    found: list[Fraction] = []
    for part in text.split(","):
        numbers = [exact_number(option, each) for each in part.split(":")]
        if len(numbers) == 1:
            found += numbers
            continue
        first, last, step = [*numbers, Fraction(1)][:3]
        if len(numbers) > 3 or step <= 0 or last < first or (last - first) / step >= MOST:
            raise BadInput(
                f"{option}: {part} is not first:last or first:last:step, upwards, of at most "
                f"{MOST} values"
            )
        found += [first + place * step for place in range(int((last - first) / step) + 1)]
    return list(dict.fromkeys(found))


def whole_values(text: str) -> list[int]:
    """Read whole numbers as `values` does."""
    found = values("--seeds", text)
    if any(each.denominator != 1 for each in found):
        raise BadInput(f"--seeds: {text} are not whole numbers")
    return list(map(int, found))
