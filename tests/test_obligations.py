"""Every step of every proof has a control for which it fails alone; without one it is named."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from typing import Any, NamedTuple

import pytest

from proofs import CHECKS, _obligations
from proofs._obligations import Failure, controls_of, obligations, proofs_by_name
from proofs._proof import Proof, Step, StepResult, assume, exists, for_all
from proofs._subjects import Inductive, search
from sandproof.main import main
from spec import PAPER, AtContribution, Credit, Sent
from spec.claims import CLAIMS
from spec.contributions import send

PROOFS = proofs_by_name()


@pytest.mark.parametrize("name", sorted(PROOFS))
def test_every_step_has_a_control_for_which_it_fails_alone(name: str) -> None:
    assert obligations(name, PROOFS[name]).defects == ()


@pytest.mark.parametrize("name", sorted(PROOFS))
def test_steps_and_controls_have_names_of_their_own(name: str) -> None:
    steps = [step.name for step in PROOFS[name].steps]
    assert len(set(steps)) == len(steps)
    assert not set(PROOFS[name].controls) & set(PROOFS[name].unproved_for)


def test_every_step_of_a_check_is_a_step_of_a_proof_that_is_looked_at() -> None:
    known = {step.name for proof in PROOFS.values() for step in proof.steps}
    for check in CHECKS:
        module = import_module(f"proofs.{check.claim}")
        chain = getattr(module, "CHAIN", None)
        if chain is None:
            assert PROOFS[check.claim] is module.PROOF
            continue
        for link in (link for way in chain.ways for link in way):
            if link not in CLAIMS and link[0] not in CLAIMS:
                assert {step.name for step in link[1].run(PAPER).steps} <= known, link[0]


# What is noticed, on a proof about one number.


class Bounds(NamedTuple):
    low: int = 0
    high: int = 9


@for_all("the lower bound is not negative")
def low_is_not_negative(bounds: Bounds, x: int) -> bool:
    assume(x >= bounds.low)
    return x >= 0


@for_all("the upper bound is at most ten")
def high_is_at_most_ten(bounds: Bounds, x: int) -> bool:
    assume(x <= bounds.high)
    return x <= 10


@exists("a number between the bounds")
def between(bounds: Bounds, x: int) -> bool:
    assume(bounds.low <= x)
    return x <= bounds.high


PROOF = Proof(
    claim="joint_convexity",
    subject=Bounds(),
    steps=(low_is_not_negative, high_is_at_most_ten, between),
    controls={"low": Bounds(low=-1), "high": Bounds(high=11)},
    unproved_for={"empty": Bounds(low=10)},
)


def test_a_proof_whose_steps_all_have_a_control_has_no_defect() -> None:
    found = obligations("p", PROOF)
    assert found.defects == ()
    assert [found.control_of(step) for step in found.steps] == ["low", "high", "empty"]


def test_a_step_without_a_control_is_named() -> None:
    found = obligations("p", replace(PROOF, controls={"low": Bounds(low=-1)}))
    assert found.unnoticed == (high_is_at_most_ten.name,)
    assert found.defects == (
        f"p: nothing notices without the step: {high_is_at_most_ten.name} (never fails)",
    )


def test_a_witness_without_a_control_is_named() -> None:
    assert obligations("p", replace(PROOF, unproved_for={})).unnoticed == (between.name,)


def test_a_control_for_which_two_steps_fail_vouches_for_neither() -> None:
    both = {"both": Bounds(low=-1, high=11)}
    found = obligations("p", replace(PROOF, controls=both))
    assert found.unnoticed == (low_is_not_negative.name, high_is_at_most_ten.name)
    assert "fails only with others for: both" in found.defects[0]
    assert found.defects[2].startswith("p: no step alone fails for: both (fails: ")


def test_a_control_that_is_proved_is_named() -> None:
    controls = {**PROOF.controls, "itself": Bounds()}
    found = obligations("p", replace(PROOF, controls=controls))
    assert found.defects == ("p: no step alone fails for: itself (fails: nothing)",)


def test_a_control_that_a_step_cannot_follow_vouches_for_nothing() -> None:
    """A step that is left open might be one that the control breaks as well."""

    @for_all("the bounds can be formatted")
    def formatted(bounds: Bounds, x: int) -> bool:
        return bounds.high == 9 or bool(f"{x}")

    found = obligations("p", replace(PROOF, steps=(*PROOF.steps, formatted)))
    assert found.unnoticed == (high_is_at_most_ten.name, formatted.name)
    assert "left open: the bounds can be formatted" in found.defects[-1]


def test_an_induction_that_no_run_refutes_fails_all_the_same() -> None:
    @search("no run leaves the bounds", over="no runs")
    def nothing_found(_: Bounds) -> None:
        return None

    step = Inductive(step=low_is_not_negative, reachable=nothing_found)
    proof = replace(PROOF, steps=(step, *PROOF.steps[1:]))
    assert proof.run_on(Bounds(low=-1)).verdict == "UNKNOWN"
    assert obligations("p", proof).defects == ()


def test_a_confirmed_step_is_refuted_by_a_run_though_it_is_proved() -> None:
    @search("no run leaves the bounds", over="one run")
    def something_found(_: Bounds) -> dict[str, object] | None:
        return {"x": -1}

    @search("no run raises", over="one run")
    def raising(_: Bounds) -> dict[str, object] | None:
        raise RuntimeError

    for confirmed, reachable, verdict in (
        (False, something_found, "PROVED"),
        (True, something_found, "REFUTED"),
        (True, raising, "UNKNOWN"),
        (True, low_is_not_negative, "PROVED"),
    ):
        confirmed_by = reachable if confirmed else None
        step = Inductive(step=low_is_not_negative, reachable=reachable, confirmed_by=confirmed_by)
        assert step.decide(Bounds()).verdict == verdict


@pytest.mark.parametrize(
    ("place", "control"),
    [(0, "the ledger is rounded down"), (2, "every week has a budget of its own")],
)
def test_runs_meet_what_slips_by_the_symbolic_steps_of_the_ledger(place: int, control: str) -> None:
    proof = PROOFS["the_ledger_never_passes_the_caps"]
    step = proof.steps[place]
    assert isinstance(step, Inductive)
    blind = replace(step, step=for_all(step.name)(lambda _: True))
    assert blind.decide(proof.controls[control]).verdict == "REFUTED"
    assert blind.decide(PAPER).verdict == "PROVED"


@dataclass(frozen=True, kw_only=True)
class ReplacedByTrue(Step[Any]):
    name: str

    def decide(self, subject: object) -> StepResult:
        return StepResult(name=self.name, verdict="PROVED", by=("nobody",), seconds=Fraction(0))


SIX = {
    "truncated_tail_is_below_delta": 2,
    "discrete_laplace_is_private": 3,
    "truncated_laplace_is_private": 7,
    "joint_convexity": 1,
    "randomized_response_is_private": 2,
    "threshold_meets_the_tail_lemma": 3,
}


def test_six_steps_replaced_by_true_at_once_are_all_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = {}
    replaced = []
    for claim, place in SIX.items():
        steps = list(PROOFS[claim].steps)
        replaced.append(steps[place].name)
        steps[place] = ReplacedByTrue(name=steps[place].name)
        broken[claim] = replace(PROOFS[claim], steps=tuple(steps))
        assert broken[claim].run().verdict == "PROVED"
    monkeypatch.setattr(_obligations, "proofs_by_name", lambda: broken)
    assert main(["controls", "--obligations", "--format", "json"]) == 1
    tables = json.loads(capsys.readouterr().out)
    unnoticed = [
        step for table in tables for step, control in table["steps"].items() if not control
    ]
    assert unnoticed == replaced
    for table, step in zip(tables, replaced, strict=True):
        assert any(step in defect for defect in table["defects"])


def test_the_command_ends_with_zero_if_every_step_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_obligations, "proofs_by_name", lambda: {"p": PROOF})
    assert main(["controls", "--obligations"]) == 0
    assert "3 steps, 3 controls: each has a control" in capsys.readouterr().out
    unwitnessed = replace(PROOF, unproved_for={})
    monkeypatch.setattr(_obligations, "proofs_by_name", lambda: {"p": unwitnessed})
    assert main(["controls", "--obligations"]) == 1
    assert between.name in capsys.readouterr().out.splitlines()[-2]


def test_a_control_that_is_not_finished_vouches_for_nothing() -> None:
    assert Failure().alone is None
    assert set(controls_of(PROOF)) == {"low", "high", "empty"}


def test_a_report_under_another_identifier_is_noticed() -> None:
    def send_renumbered(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
        return tuple(
            replace(each, report=replace(each.report, report_id=each.report.report_id + 1))
            for each in send(at, granted)
        )

    proof = PROOFS["client_and_service_refine_the_mechanism"]
    named = "a report holds all that was granted, and nothing else"
    (step,) = (each for each in proof.steps if each.name == named)
    changed = replace(PAPER, send=send_renumbered)
    assert step.decide(proof.subject).verdict == "PROVED"
    assert step.decide(replace(proof.subject, rules=changed)).fails
