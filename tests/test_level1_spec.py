"""The specification of Attribution Level 1, algorithm by algorithm."""

from __future__ import annotations

import ast
from dataclasses import replace
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import pytest

from sandproof.sampling import Sampler, SeededEntropy
from spec.distributions import explore
from spec.level1 import (
    LEVEL_1_2026_05,
    LEVEL_1_ONE_DRAW,
    LIMITS,
    Activate,
    Caller,
    ClearHistory,
    ConversionOptions,
    Device,
    ImpressionOptions,
    Job,
    Level1Mechanism,
    Level1Move,
    Level1OtherWorld,
    Level1Rules,
    Level1System,
    Level1Unit,
    MeasureConversion,
    Navigate,
    SaveImpression,
    SetEnabled,
    Sight,
    Task,
)
from spec.level1.aggregation import MixedTasks, NoBudget
from spec.level1.credit import allocate
from spec.level1.epochs import EpochStart
from spec.level1.rules import BadLevel1Limit
from spec.level1.sites import parse_site
from spec.level1.system import NoSuchReport, NothingToClear, ReportTaken
from spec.numbers import Base

ROOT = Path(__file__).resolve().parent.parent
SERVICE = "https://agg-service.example"
SMALL = replace(
    LIMITS,
    site_budget=2,
    global_budget=4,
    site_quota=4,
    grains=1,
    base=Base(Fraction(2)),
    epoch=10,
    day=1,
    hour=1,
    maximum_lookback=20,
    minimum_batch=1,
)
RULES = replace(LEVEL_1_ONE_DRAW, limits=SMALL)


def saved(now: int, index: int = 0, site: str = "news.example", **options: Any) -> SaveImpression:
    return SaveImpression(
        now=now,
        caller=Caller(site=site),
        options=ImpressionOptions(histogram_index=index, **options),
    )


def measured(
    now: int, report: int, site: str = "shop.example", size: int = 2, **options: Any
) -> MeasureConversion:
    asked = ConversionOptions(service=SERVICE, histogram_size=size, **options)
    return MeasureConversion(now=now, caller=Caller(site=site), options=asked, report_id=report)


def run(
    *moves: Level1Move, rules: Level1Rules = RULES, system: Level1System | None = None
) -> tuple[Level1System, list[Sight]]:
    system = Level1System() if system is None else system
    draw = Sampler(SeededEntropy(1))
    seen: list[Sight] = []
    for move in moves:
        system, shown = Level1Mechanism(rules=rules).step(system, move, draw)
        seen += shown
    return system, seen


def test_a_report_leaves_whatever_is_matched_spent_or_turned_off() -> None:
    asked = measured(5, 1, epsilon=Fraction(2), lookback_days=1)
    _, nothing = run(asked)
    _, matched = run(saved(5), asked)
    _, off = run(saved(5), SetEnabled(now=5, enabled=False), asked)
    assert nothing[-1] == matched[-1] == off[-1]
    assert nothing[-1].shown == (
        1,
        Task(
            service=SERVICE,
            histogram_size=2,
            max_value=1,
            collector="shop.example",
            budget_source="shop.example",
        ),
        2,
    )


def test_what_a_report_holds() -> None:
    asked = measured(5, 1, epsilon=Fraction(2), lookback_days=1)
    assert run(saved(5, 1), asked)[0].reports[1].histogram == (0, 1)
    assert run(asked)[0].reports[1].histogram == (0, 0)
    off = run(saved(5, 1), SetEnabled(now=5, enabled=False), asked)[0]
    assert off.reports[1].histogram == (0, 0)


def test_a_report_is_accepted_once_and_only_with_the_budget_of_the_job() -> None:
    system, _ = run(saved(5), measured(5, 1, epsilon=Fraction(2)))
    _, (sums,) = run(Job(report_ids=(1,), minimal_budget=2), system=system)
    assert isinstance(sums.shown, tuple)
    _, (_, again) = run(*[Job(report_ids=(1,), minimal_budget=2)] * 2, system=system)
    assert again.shown is None
    _, (too_much,) = run(Job(report_ids=(1,), minimal_budget=3), system=system)
    assert too_much.shown is None


def test_a_job_names_reports_of_one_task_and_a_budget() -> None:
    system, _ = run(measured(5, 1), measured(5, 2, site="toys.example"))
    with pytest.raises(MixedTasks):
        run(Job(report_ids=(1, 2), minimal_budget=1), system=system)
    with pytest.raises(NoBudget):
        run(Job(report_ids=(1,), minimal_budget=0), system=system)
    with pytest.raises(NoSuchReport):
        run(Job(report_ids=(3,), minimal_budget=1), system=system)
    with pytest.raises(ReportTaken):
        run(measured(5, 1), system=system)


def test_a_batch_below_the_minimum_is_not_answered() -> None:
    rules = replace(RULES, limits=replace(SMALL, minimum_batch=2))
    system, _ = run(measured(5, 1), measured(5, 2), rules=rules)
    _, (few,) = run(Job(report_ids=(1, 1), minimal_budget=1), rules=rules, system=system)
    _, (enough,) = run(Job(report_ids=(1, 2), minimal_budget=1), rules=rules, system=system)
    assert few.shown is None
    assert enough.shown is not None


@pytest.mark.parametrize(
    ("credit", "value"),
    [((1, 1), 3), ((1, 2, 4), 5), ((1, 1, 1), 1), ((3, 1), 8), ((2, 3, 1, 6), 7), ((1,), 4)],
)
def test_shares_sum_to_the_value_are_close_and_unbiased(
    credit: tuple[int, ...], value: int
) -> None:
    parts = tuple(map(Fraction, credit))
    law = explore(lambda draw: allocate(parts, value, draw))
    wanted = [value * part / sum(parts) for part in parts]
    mean = [Fraction(0)] * len(parts)
    for shares, weight in law.items():
        assert sum(shares) == value
        assert all(abs(share - want) < 1 for share, want in zip(shares, wanted, strict=True))
        mean = [so_far + weight * share for so_far, share in zip(mean, shares, strict=True)]
    assert mean == wanted


@pytest.mark.parametrize("moment", [0, 1, 3600, 5000, 10**6])
def test_epochs_start_uniformly_in_the_epoch_before_their_first_use(moment: int) -> None:
    law = EpochStart(moment, 4 * 3600, 3600)
    counted: dict[int, Fraction] = {}
    parts = 4 * 3600 * 2
    for part in range(parts):
        start = law.at(Fraction(2 * part + 1, 2 * parts))
        counted[start] = counted.get(start, Fraction(0)) + Fraction(1, parts)
    assert dict(law.law().items()) == counted
    assert all(start % 3600 == 0 for start in counted)
    assert law.at(Fraction(0)) == floor(Fraction(moment, 3600)) * 3600


@pytest.mark.parametrize(
    ("text", "site"),
    [
        ("shop.example", "shop.example"),
        ("www.Shop.example", "shop.example"),
        ("a.b.co.example", "b.co.example"),
        ("co.example", None),
        ("example", None),
        ("localhost", None),
        ("a.localhost", None),
        ("127.0.0.1", None),
        (":", None),
        ("", None),
    ],
)
def test_a_site_is_the_registrable_domain(text: str, site: str | None) -> None:
    limits = replace(LIMITS, public_suffixes=frozenset({"co.example"}))
    assert parse_site(limits, text) == site


def test_an_activation_lasts_a_while_and_as_written_serves_several_sites() -> None:
    rules = replace(RULES, limits=replace(SMALL, activation_duration=5))
    _, refused = run(saved(1), rules=rules)
    assert refused[0].rejected == "NotAllowedError"
    _, late = run(Activate(now=1), saved(7), rules=rules)
    assert late[0].rejected == "NotAllowedError"
    moves = (Activate(now=1), saved(2), Navigate(now=3), saved(4, site="blog.example"))
    _, both = run(*moves, rules=rules)
    assert [each.rejected for each in both] == [None, None]
    _, kept = run(Activate(now=1), saved(2), saved(90), rules=rules)
    assert [each.rejected for each in kept] == [None, None]


def test_a_rejected_call_keeps_the_activation_but_nothing_else() -> None:
    rules = replace(RULES, limits=replace(SMALL, activation_duration=5))
    system, seen = run(Activate(now=1), saved(2, index=5000), rules=rules)
    device = system.devices["device"]
    assert seen[0].rejected == "RangeError"
    assert device.pages["page"].enabled
    assert device.impressions == ()


def test_a_clock_set_back_lets_a_second_clearing_open_a_closed_epoch_as_written() -> None:
    spent = measured(25, 1, epsilon=Fraction(4), lookback_days=1)
    again = measured(26, 2, epsilon=Fraction(4), lookback_days=1)
    first = ClearHistory(now=25, sites=frozenset({"shop.example"}), forget_visits=True)
    second = ClearHistory(now=5, sites=frozenset({"zoo.example"}), forget_visits=True)
    start = start_at_zero()
    rules = replace(RULES, limits=replace(SMALL, global_budget=100, site_quota=100))
    closed, _ = run(saved(25), spent, first, again, rules=rules, system=start)
    assert closed.reports[2].histogram == (0, 0)
    opened, _ = run(saved(25), spent, first, second, again, rules=rules, system=start)
    assert opened.reports[1].histogram == opened.reports[2].histogram == (1, 0)


def test_clearing_site_data_names_sites() -> None:
    with pytest.raises(NothingToClear):
        run(ClearHistory(now=1, sites=frozenset(), forget_visits=False))


def test_without_a_unit_nothing_of_it_is_selected() -> None:
    moves = (saved(5), measured(5, 1, lookback_days=1), measured(5, 2, site="toys.example"))

    def histograms(unit: Level1Unit) -> list[tuple[int, ...]]:
        world = Level1OtherWorld(rules=RULES, unit=unit)
        system, draw = start_at_zero(), Sampler(SeededEntropy(1))
        for move in moves:
            system, _ = world.step(system, move, draw)
        return [system.reports[report].histogram for report in (1, 2)]

    assert histograms(Level1Unit(epoch=0)) == [(0, 0), (0, 0)]
    assert histograms(Level1Unit(epoch=1)) == [(1, 0), (1, 0)]
    assert histograms(Level1Unit(epoch=0, site="shop.example")) == [(0, 0), (1, 0)]
    assert histograms(Level1Unit(epoch=0, match_value=7)) == [(1, 0), (1, 0)]
    assert histograms(Level1Unit(epoch=0, device="other")) == [(1, 0), (1, 0)]


def start_at_zero() -> Level1System:
    device = Device(epoch_start=0)
    return replace(Level1System(), devices=Level1System().devices.set("device", device))


def test_two_draws_report_what_was_not_charged() -> None:
    """A share beyond the histogram is drawn twice, so that the site may pay nothing for it."""
    asked = measured(5, 1, size=1, epsilon=Fraction(2), lookback_days=1, credit=(Fraction(1),) * 2)

    def outcome(rules: Level1Rules) -> set[tuple[int, int]]:
        def play(draw: Any) -> tuple[int, int]:
            system = start_at_zero()
            for move in (saved(4, 0), saved(5, 1), asked):
                system, _ = Level1Mechanism(rules=rules).step(system, move, draw)
            left = system.devices["device"].budgets.sites[0, "shop.example"]
            return system.reports[1].histogram[0], SMALL.site_budget - left

        return set(explore(play).support())

    assert outcome(replace(LEVEL_1_2026_05, limits=SMALL)) == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert outcome(RULES) == {(0, 0), (1, 1)}


def test_limits_out_of_range_are_refused() -> None:
    with pytest.raises(BadLevel1Limit):
        replace(LIMITS, site_budget=-1)


def test_the_default_draft_fills_twice() -> None:
    assert LEVEL_1_2026_05.attribute is not LEVEL_1_ONE_DRAW.attribute


SECTIONS = {
    "API Internals",
    "Aggregation",
    "Anti-Replay Requirements",
    "Attribution API Activation",
    "Attribution Logic",
    "Clearing API State",
    "Common Impression Matching Logic",
    "Contents",
    "DAP Extensions",
    "Differential Privacy Mechanisms",
    "Disabling the Attribution API",
    "Epoch Start Time",
    "Impression Store",
    "Information Exposed by the Attribution API",
    "Last Browsing History Clear Time",
    "Last-N-Touch Attribution",
    "Maintenance",
    "Measure Conversion Algorithm",
    "Privacy Budget Store",
    "Privacy Unit",
    "Report Encryption For DAP",
    "Requesting Attribution for a Conversion",
    "Save Impression Algorithm",
    "Saving Impressions",
    "Setting Implementation-Defined Values",
    "Site Identities",
    "Site Names",
    "State For Privacy Budget Management",
    "`Clear-Site-Data` Integration",
}


def wrong_sections(source: str) -> list[str]:
    """Complain of public names whose docstring does not end in sections of the draft."""
    complaints = []
    for node in ast.parse(source).body:
        errors = isinstance(node, ast.ClassDef) and any(
            isinstance(base, ast.Name) and base.id.endswith("Error") for base in node.bases
        )
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or errors:
            continue
        if not node.name.startswith("_"):
            said = " ".join((ast.get_docstring(node) or "").split())
            _, found, cited = said.rpartition("Draft: ")
            if not found or not set(cited.removesuffix(".").split("; ")) <= SECTIONS:
                complaints.append(node.name)
    return complaints


@pytest.mark.parametrize("path", sorted((ROOT / "spec" / "level1").glob("*.py")), ids=str)
def test_public_names_cite_sections_of_the_draft(path: Path) -> None:
    assert wrong_sections(path.read_text()) == []


def test_a_section_that_does_not_exist_is_flagged() -> None:
    assert wrong_sections('def f():\n    """Act.\n\n    Draft: Nowhere.\n    """') == ["f"]
    assert wrong_sections('def f():\n    """Act."""') == ["f"]
