"""Every proposal of the catalogue gets the verdict that its docstring expects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import sandproof
from sandproof import formats
from sandproof.about import Request
from sandproof.commands.attack import as_json
from sandproof.commands.catalogue import as_expected, expected
from sandproof.jobs import Options
from sandproof.verdict import run
from spec.claims import CLAIMS
from spec.verdicts import Kind, Verdict

ROOT = Path(__file__).parent.parent
PROPOSALS = sorted(path for path in (ROOT / "proposals").glob("*.py") if path.stem[0] != "_")
GUARANTEES = tuple(claim.id for claim in CLAIMS.values() if claim.kind is Kind.GUARANTEE)
SCHEMAS = {
    name: Draft202012Validator(
        json.loads(
            (Path(sandproof.__file__).parent / "schemas" / f"{name}.schema.json").read_text("utf-8")
        )
    )
    for name in ("check", "attack")
}


DECIDED = frozenset(
    [
        "budget_starts_over",
        "charge_by_windows_that_hold_data",
        "charge_every_window_twice",
        "charge_real_reports_only",
        "charge_report_by_report",
        "check_two_jobs_before_charging",
        "count_repeated_reports",
        "deactivate_losing_sources_at_once",
        "drop_instead_of_falling_through",
        "drop_repeated_reports",
        "dummy_source_contributes",
        "dummy_source_holds_records",
        "empty_store_runs_programs",
        "epsilon_per_job",
        "filtering_ids",
        "filtering_ids_charged_if_present",
        "flexible_event_level",
        "ledger_rounded_up",
        "merge_contributions_to_a_key",
        "named_budgets",
        "no_cap_on_contributions",
        "null_report_when_denied",
        "others_bucket_from_noisy_values",
        "several_contributions_one_by_one",
        "skip_reports_over_budget",
        "split_credit",
    ]
)
"""The proposals that quick effort must decide; of the others it must not say what is false."""


def test_there_is_a_catalogue() -> None:
    assert len(PROPOSALS) >= 40


@pytest.mark.parametrize("path", PROPOSALS, ids=lambda path: path.stem)
def test_the_verdict_is_the_expected_one(path: Path, store: Path) -> None:
    options = Options(effort="quick", jobs=1, only=GUARANTEES, store=store)
    (result,) = run([Request(path=path)], options)
    assert expected(result) in ("holds", "refuted")
    wrong = Verdict.REFUTED if expected(result) == "holds" else Verdict.PROVED
    assert result.verdict is not wrong, result.headline
    assert as_expected(result) or path.stem not in DECIDED, result.headline
    SCHEMAS["check"].validate(json.loads(formats.render("json", [result])))
    SCHEMAS["attack"].validate(json.loads(as_json(result)))


@pytest.mark.parametrize("path", PROPOSALS, ids=lambda path: path.stem)
def test_a_proposal_says_where_it_comes_from(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for label in ("Origin:", "Neighbours:", "Expected:"):
        assert label in text
