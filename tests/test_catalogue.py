"""Every proposal of the catalogue gets the verdict that its docstring expects."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import sandproof
from sandproof import formats
from sandproof.about import Request, labels_of
from sandproof.commands.attack import as_json
from sandproof.commands.catalogue import as_expected, expectation, expected
from sandproof.families.paper import FAMILY
from sandproof.jobs import Options
from sandproof.proposal import Proposal, load
from sandproof.verdict import run
from spec.claims import CLAIMS
from spec.rules import Rules
from spec.verdicts import Finding, Kind, Verdict

ROOT = Path(__file__).parent.parent
PROPOSALS = sorted(path for path in (ROOT / "proposals").glob("*.py") if path.stem[0] != "_")
GUARANTEES = tuple(claim.id for claim in CLAIMS.values() if claim.kind is Kind.GUARANTEE)
PROVED = frozenset(
    {
        "charge_report_by_report",
        "drop_instead_of_falling_through",
        "drop_repeated_reports",
        "epsilon_per_job",
        "flexible_event_level",
        "highest_priority_wins",
        "key_discovery",
        "ledger_rounded_up",
        "merge_contributions_to_a_key",
        "named_budgets",
        "no_cap_on_contributions",
        "null_report_when_denied",
        "others_bucket_from_noisy_values",
        "remaining_budget_inside_the_worklet",
        "scale_contributions_down",
        "several_contributions_all_or_nothing",
        "several_contributions_one_by_one",
        "shared_report_id",
        "skip_reports_over_budget",
        "smallest_sound_threshold",
        "split_credit",
        "summary_and_event_together",
        "truncated_noise_without_sparsity",
        "truth_probability_from_output_set",
    }
)
"""The proposals that are proved and not only searched; the list only grows."""
ATTRIBUTION, AGGREGATION = "attribution_summaries_are_private", "aggregation_summaries_are_private"
EVENTS, LEDGER = "event_level_reports_are_private", "the_ledger_never_passes_the_caps"
REFUTED_IN = {
    "budget_starts_over": AGGREGATION,
    "day_cap_admitted_again": AGGREGATION,
    "deactivate_losing_sources_late": EVENTS,
    "device_and_day_unit": AGGREGATION,
    "device_and_day_unit_with_day_cap": AGGREGATION,
    "empty_store_runs_programs": AGGREGATION,
    "ledger_in_floating_point": LEDGER,
    "no_report_when_budget_is_used_up": AGGREGATION,
    "output_set_misses_outputs": EVENTS,
    "randomize_every_window": EVENTS,
    "rolling_windows_admitted_again": AGGREGATION,
}
"""Which guarantee is refuted, where it is not that of ARA's summary reports."""
SCHEMAS = {
    name: Draft202012Validator(
        json.loads(
            (Path(sandproof.__file__).parent / "schemas" / f"{name}.schema.json").read_text("utf-8")
        )
    )
    for name in ("check", "attack")
}


def test_there_is_a_catalogue() -> None:
    assert len(PROPOSALS) >= 40


def wanted_of(path: Path) -> str:
    """Return what a proposal expects of itself."""
    wanted = expectation(labels_of(ast.get_docstring(ast.parse(path.read_text())) or ""))
    assert wanted in ("holds", "refuted")
    return wanted


def affected_by(proposal: Proposal) -> list[str]:
    """Name the guarantees that depend on what a proposal changes, or that it asks about."""
    asked, _ = FAMILY.asks(proposal)
    changed = proposal.about.changed
    return [claim for claim in GUARANTEES if claim in asked or changed & set(CLAIMS[claim].rules)]


WHOLE = (
    *("charge_every_window_twice", "charge_real_reports_only", "flexible_event_level"),
    *("ledger_in_floating_point", "never_registered", "output_set_misses_outputs"),
    *("randomize_every_window", "scale_contributions_up", "tell_the_remaining_budget"),
)
"""The proposals that the command is asked about; `make catalogue` asks about all."""


@pytest.mark.parametrize("name", WHOLE)
def test_the_verdict_is_the_expected_one(name: str, store: Path) -> None:
    """What holds does so in a guarantee that it affects; what is refuted, where it breaks one."""
    path = ROOT / "proposals" / f"{name}.py"
    wanted = wanted_of(path)
    kept = tuple(affected_by(load(Request(path=path)))[:1])
    broken = (REFUTED_IN.get(path.stem, ATTRIBUTION),)
    only = kept if wanted == "holds" else broken
    options = Options(effort="quick", jobs=1, only=only, store=store)
    (result,) = run([Request(path=path)], options)
    assert expected(result) == wanted
    assert as_expected(result), result.headline
    assert path.stem not in PROVED or result.verdict is Verdict.PROVED, result.headline
    SCHEMAS["check"].validate(json.loads(formats.render("json", [result])))
    SCHEMAS["attack"].validate(json.loads(as_json(result)))


ATTACKED = [path for path in PROPOSALS if path.stem not in WHOLE and wanted_of(path) == "refuted"]
"""The proposals that searches and proofs are asked about, because the command is not."""


@pytest.mark.parametrize("path", ATTACKED, ids=lambda path: path.stem)
def test_what_is_refuted_has_an_attack(path: Path) -> None:
    proposal = load(Request(path=path))
    broken = REFUTED_IN.get(path.stem, ATTRIBUTION)
    searches = (
        check.run
        for check in FAMILY.checks(proposal, Options(effort="quick"))
        if check.claim == broken and not check.proves
    )
    assert any(run(proposal.rules).verdict is Verdict.REFUTED for run in searches)


def proofs_of(proposal: Proposal) -> dict[str, Callable[[Rules], Finding]]:
    """Return the proofs of claims for a proposal."""
    checks = FAMILY.checks(proposal, Options(effort="quick"))
    return {check.claim: check.run for check in checks if check.proves}


@pytest.mark.parametrize("name", sorted(PROVED))
def test_what_is_proved_is_proved_in_every_guarantee(name: str) -> None:
    proposal = load(Request(path=ROOT / "proposals" / f"{name}.py"))
    proofs, affected = proofs_of(proposal), affected_by(proposal)
    found = {claim: proofs[claim](proposal.rules).verdict for claim in affected}
    assert found == dict.fromkeys(affected, Verdict.PROVED)


@pytest.mark.parametrize("path", ATTACKED, ids=lambda path: path.stem)
def test_what_is_refuted_is_not_proved(path: Path) -> None:
    proposal = load(Request(path=path))
    proof = proofs_of(proposal).get(REFUTED_IN.get(path.stem, ATTRIBUTION))
    assert proof is None or proof(proposal.rules).verdict is not Verdict.PROVED


@pytest.mark.parametrize("path", PROPOSALS, ids=lambda path: path.stem)
def test_a_proposal_says_where_it_comes_from(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for label in ("Origin:", "Neighbours:", "Expected:"):
        assert label in text
