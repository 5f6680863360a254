"""The pictures of results and parameters show the numbers that they are drawn from."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from pathlib import Path

import pytest

from docs.generator.drawings import curves
from properties.noise_told import noise_told
from sandproof.claim_result import AttackRecord
from sandproof.formats.stepper import curve_of, noise_of, step_of, stepper
from sandproof.formats.svg import HEIGHT, LEFT, TOP, WIDTH, attack_curve, noise_curve
from sandproof.main import main
from spec.noise import DiscreteLaplace
from spec.numbers import Base, Power

SVG = "{http://www.w3.org/2000/svg}"
ROOT = Path(__file__).resolve().parent.parent
FOOT = TOP + HEIGHT


def paths(picture: str) -> list[list[tuple[float, float]]]:
    """Return the points of every line of a picture."""
    drawn = ElementTree.fromstring(picture).iter(f"{SVG}path")
    found = [re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", each.attrib["d"]) for each in drawn]
    return [[(float(x), float(y)) for x, y in each] for each in found]


def height_of(delta: float, lowest: int) -> float:
    """Return where a delta stands on the scale, which ends at a power of ten."""
    return FOOT - HEIGHT * (1 - math.log10(delta) / lowest)


def test_an_event_that_only_one_world_has_shows_the_same_delta_at_every_epsilon() -> None:
    picture = attack_curve(Fraction(1), Fraction(0), Fraction(2**90), Fraction(1, 10**8), "64")
    _, curve, promise, mark = paths(picture)
    assert {y for _, y in curve} == {float(TOP)}
    assert (curve[0][0], curve[-1][0]) == (LEFT, LEFT + WIDTH)
    assert promise[0] == pytest.approx((LEFT + WIDTH / 2, height_of(1e-8, -9)), abs=0.1)
    assert mark[0] == pytest.approx((promise[0][0] - 6, promise[0][1] - 6), abs=0.1)
    assert "promised: δ ≤ 1e-8" in picture
    assert "ε = 64" in picture


def test_an_event_that_both_worlds_have_shows_less_the_larger_epsilon_is() -> None:
    picture = attack_curve(
        Fraction(1, 2), Fraction(1, 16), Fraction(4), Fraction(1, 8), "2", exact=False
    )
    _, curve, promise, _ = paths(picture)
    assert curve[0][1] == pytest.approx(height_of(1 / 2 - 1 / 16, -2), abs=0.1)
    there = min(curve, key=lambda point: abs(point[0] - LEFT - WIDTH / 2))
    assert there[1] == pytest.approx(height_of(1 / 2 - 4 / 16, -2), abs=0.5)
    assert there[1] < promise[0][1]
    assert [y for _, y in curve] == sorted(y for _, y in curve)
    assert curve[-1][1] == FOOT
    assert curve[-1][0] < LEFT + WIDTH
    assert "at least" in picture


def test_a_step_shows_both_worlds_and_marks_where_they_differ() -> None:
    same = step_of({"move": "m", "seen": "s", "seen_without": "s"})
    assert 'class="worlds"' in same
    other = step_of({"move": "m", "seen": "refused", "seen_without": "a <sum>"})
    assert 'class="worlds differ"' in other
    assert other.index("<b>with x</b>refused") < other.index("<b>without x</b>a &lt;sum&gt;")
    likely = {"move": "m", "seen": "s", "probability_with": "1/2", "probability_without": "1/8"}
    shown = step_of(likely)
    assert 'class="worlds differ"' in shown
    assert shown.count("probability so far") == 2
    certain = likely | {"probability_with": "1", "probability_without": "1"}
    assert "probability so far" not in step_of(certain)
    assert ("width: 50%" in shown, "width: 12%" in shown) == (True, True)


def test_the_curve_says_which_delta_the_attack_attains_and_a_bound_is_called_one() -> None:
    how = (Fraction(2, 3), Fraction(0), Fraction(4), Fraction(1, 32), "2 ln 2")
    assert "attack: δ = 0.6666<" in attack_curve(*how)
    assert "attack: δ ≥ 0.6666<" in attack_curve(*how, exact=False)
    assert "promised: δ ≤ 0.03125<" in attack_curve(*how)


def test_the_worst_adversary_is_drawn_beside_the_attack() -> None:
    how = (Fraction(2, 3), Fraction(0), Fraction(4), Fraction(1, 32), "2 ln 2")
    worst = [(Fraction(n, 2), Fraction(3 - n, 3)) for n in range(3)] + [(Fraction(8), Fraction(0))]
    drawn = attack_curve(*how, worst=worst)
    assert "small dots: the worst adversary" in drawn
    assert drawn.count("<circle") == 1 + 3
    assert attack_curve(*how).count("<circle") == 1


def test_an_attack_without_probabilities_has_no_curve() -> None:
    told = AttackRecord(story="s", data={"steps": [{"move": "m"}]})
    assert curve_of(told) == ""
    assert "<svg" not in stepper(told, "x")


def test_the_noise_is_drawn_around_both_sums_with_its_thresholds() -> None:
    _, zero, budget, first, second, *_ = paths(
        noise_curve([("0", 0), ("Λ1", 100)], 5.0, [("a", 120), ("b", 110)])
    )
    low, high = -30.0, 150.0

    def value(x: float) -> float:
        return low + (x - LEFT) / WIDTH * (high - low)

    peaks = [min(curve, key=lambda point: point[1]) for curve in (zero, budget)]
    assert [value(x) for x, _ in peaks] == pytest.approx([0, 100], abs=0.1)
    assert [value(each[0][0]) for each in (first, second)] == pytest.approx([120, 110], abs=0.1)


def test_an_attack_that_meets_noise_shows_it_with_the_threshold() -> None:
    noise = {"with_x": 8, "without_x": 0, "rate": "1/2", "base": "2", "threshold": 6}
    told = AttackRecord(story="s", data={"steps": [{"move": "m"}], "noise": noise})
    page = stepper(told, "x")
    assert "true sum with x = 8<" in page
    assert "true sum without x = 0<" in page
    assert "⌊τ⌋ = 6" in page
    picture = page[page.index("<svg") : page.index("</svg>") + len("</svg>")]
    _, there, gone, threshold, *_ = paths(picture)
    scale = 2 / math.log(2)
    low, high = -6 * scale, 8 + 6 * scale
    drawn = [low + (x - LEFT) / WIDTH * (high - low) for x in (there[0][0], gone[-1][0])]
    assert drawn == pytest.approx([2, 6], abs=0.1)
    assert threshold[0][0] == pytest.approx(gone[-1][0], abs=0.1)
    absent = AttackRecord(story="s", data={"noise": {**noise, "without_x": None}})
    assert "true sum without x" not in noise_of(absent)
    assert noise_of(AttackRecord(story="s", data={"noise": None})) == ""


def test_the_first_sum_that_differs_is_the_noise_that_is_told() -> None:
    noise = DiscreteLaplace(Power(Base(Fraction(2)), Fraction(-1, 2)), 6)
    same, mine, theirs = noise.around(3), noise.around(8), noise.around(0)
    told = noise_told([same, mine], [same, theirs])
    assert told == {"with_x": 8, "without_x": 0, "rate": "1/2", "base": "2", "threshold": 6}
    absent = noise_told([mine, same], [same])
    assert absent is not None
    assert (absent["with_x"], absent["without_x"]) == (8, None)
    assert noise_told([same], [same]) is None


def test_the_picture_of_the_readme_is_the_one_that_the_code_draws() -> None:
    kept = (ROOT / "docs" / "figures" / "curves.svg").read_text(encoding="utf-8")
    assert kept == curves(on_its_own=True) + "\n"
    assert "(docs/figures/curves.svg)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_params_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["params", "--format", "svg"]) == 0
    picture = capsys.readouterr().out
    assert ElementTree.fromstring(picture).tag == f"{SVG}svg"
    assert "smallest sound ⌊τ⌋ = 83689" in picture
    target = tmp_path / "page.html"
    assert main(["params", "--delta", "0", "--format", "html", "--output", str(target)]) == 0
    page = target.read_text(encoding="utf-8")
    assert page.count("<svg") == 1
    assert "smallest sound" not in page
    assert "1448.15463033" in page
    assert main(["params", "--output", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"sandproof: {tmp_path}: is a directory\n"
