"""The tightness tables: the figures expected, and that the files in docs are what is computed."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from pathlib import Path

import pytest

from docs.generator.drawings import tightness
from docs.generator.explorer import rows as table_rows
from docs.generator.tightness import (
    HEADINGS,
    SMALL_HEADINGS,
    SMALL_THRESHOLDS,
    as_csv,
    as_text,
    questions,
    small_questions,
    tables,
)
from properties.closed_forms.tightness import Row, row, small_row
from spec.noise import smallest_sound_truncation
from spec.numbers import Base

DOCS = Path(__file__).resolve().parent.parent / "docs"
SVG = "{http://www.w3.org/2000/svg}"
EPSILONS = (Fraction(16, 25), Fraction(10))
DELTA = Fraction(1, 10**8)


@pytest.fixture(scope="module")
def few() -> list[Row]:
    return [row(epsilon, DELTA, keys) for keys in (20, 400) for epsilon in EPSILONS]


def test_the_smallest_sound_threshold_is_lower_by_a_fifth_and_more(few: list[Row]) -> None:
    lower = {(each.sparsity, each.epsilon): round(100 * each.saved) for each in few}
    assert lower == {
        (20, EPSILONS[0]): 20,
        (20, EPSILONS[1]): 12,
        (400, EPSILONS[0]): 30,
        (400, EPSILONS[1]): 19,
    }


def test_the_smallest_sound_threshold_is_sound_and_one_less_is_not(few: list[Row]) -> None:
    for each in few:
        assert each.needed_at_smallest <= 1 < each.needed_below
        assert each.needed < each.needed_at_smallest


def test_the_solver_agrees_with_the_closed_form_to_the_fraction() -> None:
    solved = {threshold: small_row(threshold) for threshold in SMALL_THRESHOLDS}
    assert solved[4].solved == Fraction(3, 46)
    assert solved[3].solved == Fraction(3, 22)
    assert all(row.solved == row.closed for row in solved.values())
    smallest = smallest_sound_truncation(2, Fraction(2), Fraction(1, 8), Base(Fraction(2)))
    assert [row.sound for row in solved.values()] == [t >= smallest for t in SMALL_THRESHOLDS]
    cells = [row.cells() for row in solved.values()]
    assert (DOCS / "tightness_small.csv").read_text("utf-8") == as_csv(SMALL_HEADINGS, cells)


def test_the_table_in_docs_is_what_is_computed(few: list[Row]) -> None:
    with (DOCS / "tightness.csv").open(encoding="utf-8", newline="") as file:
        headings, *written = csv.reader(file)
    assert tuple(headings) == HEADINGS
    assert len(written) == 13 * 4 * 4
    for each in few:
        assert list(each.cells()) in written


def test_the_rows_are_answers_of_a_campaign_and_are_kept(
    few: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = questions(EPSILONS, (DELTA,), (20, 400))
    found = tables(asked, small_questions()[:1], tmp_path, 1, None)
    assert found == ([list(each.cells()) for each in few], [list(small_row(2).cells())])
    assert capsys.readouterr().out.count("computed") == 5
    assert tables(asked, small_questions()[:1], tmp_path, 1, None) == found
    assert capsys.readouterr().out == ""


def test_the_plot_has_a_line_for_each_sparsity_budget_in_each_panel() -> None:
    drawn = [each.attrib["d"] for each in ElementTree.fromstring(tightness()).iter(f"{SVG}path")]
    lines = [path for path in drawn if path.count("L") == 12]
    assert len(lines) == 8
    # At ε = 1/100 and Λ0 = 1 the smallest sound threshold is the table's share of the paper's.
    first = next(row for row in table_rows() if row["delta"] == "1e-8" and row["sparsity"] == "1")
    share = int(first["smallest"]) / int(first["threshold"])
    x, y = lines[0].removeprefix("M").partition("L")[0].split()
    assert (float(x), float(y)) == pytest.approx((60, 260 - 220 * (share - 0.4) / 0.6), abs=0.1)


def test_columns_are_aligned() -> None:
    assert as_text(("a", "bb"), [("ccc", "d")]) == "  a  bb\nccc   d"
