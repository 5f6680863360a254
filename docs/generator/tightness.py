r"""The tables of how tight the paper's parameters are, computed as a campaign.

The paper's threshold $\tau = \Lambda_1(1 + \ln(\Lambda_0/\delta)/\varepsilon)$ treats the failures
of different keys as if each could use all of $\Lambda_1$. They share it, so the exact worst
$\delta$ is far below the one asked for, and a lower threshold without $\Lambda_0$ is sound.

    python -m docs.generator.tightness [DIRECTORY] [--folder DIR] [--jobs N] [--cluster ADDRESS]

prints the tables and writes them into the directory, which is `docs` by default. Each row is a
question of a campaign: its answer is kept in the folder, so that what was ended goes on where it
was, and is found on this machine or on a Dask cluster.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from fractions import Fraction
from io import StringIO
from itertools import product
from pathlib import Path
from typing import cast

from properties.closed_forms.points import EPSILONS
from properties.closed_forms.tightness import SMALL_DELTA, small_universe
from properties.universes import described
from sandproof.campaign import Folder, Replies, conduct, on_this_machine
from sandproof.cluster import on_cluster
from sandproof.commands.options import add_campaign_options
from sandproof.progress import terminable
from sandproof.questions import TIGHTNESS, Question
from sandproof.this_process import cores
from spec.paper import PAPER

DELTAS = tuple(Fraction(1, 10**power) for power in (12, 8, 5, 3))
SPARSITY = (1, 20, 400, 65536)
SMALL_THRESHOLDS = range(2, 7)
HEADINGS = (
    "ε",
    "δ",
    "Λ0",
    "⌊τ⌋ of the paper",
    "worst δ / δ",
    "smallest sound ⌊τ⌋",
    "lower by",
    "worst δ / δ there",
    "worst δ / δ one below",
)
SMALL_HEADINGS = ("⌊τ⌋", "worst δ, solved", "worst δ, closed form", f"at most {SMALL_DELTA}")

Cells = Sequence[str]


def questions(
    epsilons: Sequence[Fraction] = EPSILONS,
    deltas: Sequence[Fraction] = DELTAS,
    sparsity: Sequence[int] = SPARSITY,
) -> list[Question]:
    """Ask for every row of the table at production parameters."""
    return [
        asked(sparsity_budget=keys, delta=delta, epsilon=epsilon)
        for keys, delta, epsilon in product(sparsity, deltas, epsilons)
    ]


def small_questions() -> list[Question]:
    """Ask for every threshold of the small universe."""
    return [asked(threshold=threshold) for threshold in SMALL_THRESHOLDS]


def asked(**numbers: Fraction | int) -> Question:
    """Ask for the row at some numbers."""
    settings = tuple((name, str(value)) for name, value in numbers.items())
    return Question(name="tightness", settings=settings, asks=TIGHTNESS)


def as_csv(headings: Cells, table: Sequence[Cells]) -> str:
    """Return a table with commas between its cells."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows(table)
    return text.getvalue()


def as_text(headings: Cells, table: Sequence[Cells]) -> str:
    """Return a table with aligned columns."""
    lines = [headings, *table]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )


def tables(
    large: Sequence[Question],
    small: Sequence[Question],
    folder: Path,
    jobs: int,
    cluster: str | None,
) -> tuple[list[Cells], list[Cells]]:
    """Conduct the campaign and return the rows of both tables."""

    def ask(missing: Sequence[Question]) -> Replies:
        return on_this_machine(missing, jobs) if cluster is None else on_cluster(missing, cluster)

    with terminable():
        report = conduct([*large, *small], Folder(folder), ask, print)
    if report.unanswered:
        raise SystemExit("\n".join(report.unanswered))

    def cells(rows: Sequence[Question]) -> list[Cells]:
        return [cast(Cells, report.answers[each].result["cells"]) for each in rows]

    return cells(large), cells(small)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables and write them into a directory."""
    parser = argparse.ArgumentParser(prog="python -m docs.generator.tightness")
    parser.add_argument("directory", nargs="?", type=Path, default=Path("docs"))
    parser.add_argument("--jobs", type=int, default=cores(), help="rows side by side")
    add_campaign_options(parser, Path("build/tightness"))
    given = parser.parse_args(arguments)
    large, small = tables(questions(), small_questions(), given.folder, given.jobs, given.cluster)
    print(f"\nOne query at production parameters, Λ1 = {PAPER.limits.contribution_budget}")
    print(as_text(HEADINGS, large))
    print(f"\nEvery adversary: {described(small_universe())}; Λ1 = 2, q = 1/2, δ = {SMALL_DELTA}")
    print(as_text(SMALL_HEADINGS, small))
    given.directory.mkdir(parents=True, exist_ok=True)
    for name, headings, table in (
        ("tightness.csv", HEADINGS, large),
        ("tightness_small.csv", SMALL_HEADINGS, small),
    ):
        (given.directory / name).write_text(as_csv(headings, table), encoding="utf-8")


if __name__ == "__main__":
    main()
