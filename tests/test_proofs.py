"""Every proof holds for the paper's rules by both solvers, and every control is refuted."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from sympy import Symbol

import proofs
from proofs import _solvers
from proofs._algebra import Undecided, identical
from proofs._check import check_of, decimal, header_of
from proofs._proof import (
    ALL_VALUES,
    Calculation,
    Proof,
    Statement,
    Step,
    StepResult,
    assume,
    calculation,
    exists,
    for_all,
)
from proofs._solvers import Model
from proofs._subjects import Retold, Search, search
from proofs.the_ledger_never_passes_the_caps import TWO_QUERIES, two_queries_are_safe
from properties.broken import FLOATING_LEDGER, LATE_LEDGER
from spec import PAPER, Rules
from spec.aggregation_service import Spent
from spec.claims import CLAIMS
from spec.noise import DiscreteGaussian, Noise
from spec.numbers import N
from spec.reports import Report
from spec.rules import AtService
from spec.verdicts import Check, Control, Evidence, Finding, Reason, Verdict

FILES = sorted(path.stem for path in Path(proofs.__path__[0]).glob("[a-z]*.py"))
CHECKS = {check.claim: check for check in proofs.CHECKS}
CONTROLS = [(check, control) for check in proofs.CHECKS for control in check.controls]

NOT_FOR_ALL_VALUES = {
    "a_contributing_dummy_costs_a_factor",
    "a_rollout_that_looks_ahead_is_not_enough",
    "an_empty_store_costs_a_factor_two",
    "event_client_outputs_stay_in_the_output_set",
    "event_level_reports_are_private",
    "powers_are_compared_exactly",
    "rollouts_as_written_miss_the_state",
    "summary_and_event_reports_compose",
    "the_papers_examples_come_out",
    "truthful_outputs_may_leave_the_set_as_written",
}
"""The proofs in which a step that the claim needs runs through a range, which its bound names."""

checks = pytest.mark.parametrize("check", proofs.CHECKS, ids=lambda check: check.claim)
files = pytest.mark.parametrize("name", FILES)


@checks
def test_both_solvers_prove_every_step_for_the_papers_rules(check: Check) -> None:
    found = check.run(PAPER)
    assert found.verdict is Verdict.PROVED, found.detail
    assert found.method
    assert (found.bound == ALL_VALUES) == (check.claim not in NOT_FOR_ALL_VALUES)
    assert re.fullmatch(r"\d+\.\d{3}", found.seconds)
    assert found.steps
    for step in found.steps:
        assert step.verdict is Verdict.PROVED, step
        assert step.by not in ("", "z3", "cvc5"), step
        assert not re.search(r"alone|undecided|in part", step.by), step
    assert not re.search(r"alone|undecided|in part", found.method)


@pytest.mark.parametrize(
    ("check", "control"),
    CONTROLS,
    ids=[f"{check.claim}: {control.name}" for check, control in CONTROLS],
)
def test_every_control_is_refuted(check: Check, control: Control) -> None:
    found = control.run()
    assert found.verdict is Verdict.REFUTED, found
    assert not found.is_alarm
    refuted = [step for step in found.steps if step.verdict is Verdict.REFUTED]
    assert refuted
    assert control.rules is None or control.rules != PAPER, check.claim


def rules_named_by(check: Check) -> set[str]:
    """Name the rules of a claim, and those of its lemmas if the proof is a chain."""
    lemmas = [CHECKS[step.name] for step in check.run(PAPER).steps if step.name in CHECKS]
    return set(CLAIMS[check.claim].rules).union(*map(rules_named_by, lemmas))


@checks
def test_a_proof_calls_no_rule_that_its_claim_does_not_name(check: Check) -> None:
    """A claim is called unaffected by a change of rules that it does not name.

    So what its proof found is what it finds for all rules that agree on those it names.
    """
    others = {field.name for field in fields(Rules)} - rules_named_by(check)
    found = check.run(replace(PAPER, **{name: poisoned(name) for name in others}))
    assert found.verdict is Verdict.PROVED


def poisoned(name: str) -> Any:
    """Return a rule that nobody may call."""

    def rule(*_: object) -> object:
        raise AssertionError(f"the rule {name} was called")

    return rule


def test_a_poisoned_rule_that_is_called_costs_the_proof() -> None:
    rules = replace(PAPER, charge=poisoned("charge"))
    check = CHECKS["null_reports_are_charged"]
    assert "charge" in rules_named_by(check)
    with suppress(AssertionError):
        assert check.run(rules).verdict is not Verdict.PROVED


@files
def test_a_step_that_runs_through_a_range_says_which(name: str) -> None:
    for proof in vars(import_module(f"proofs.{name}")).values():
        for step in proof.steps if isinstance(proof, Proof) else ():
            algebra = isinstance(step, Calculation) and step.by == "sympy"
            if isinstance(step, Calculation | Search) and not algebra:
                assert step.over, step.name
                assert step.decide(proof.subject).over == step.over


def test_the_range_of_a_step_and_of_a_proof_is_reported() -> None:
    @search("no number is negative", over="one number")
    def one_number(_: object) -> None:
        return None

    proof = Proof[object](claim=CLAIM, subject=None, steps=(one_number,), bound="one number")
    found = check_of(proof, method="method").run(PAPER)
    assert (found.bound, found.steps[0].detail) == ("one number", "for one number")


@checks
def test_a_proof_does_not_need_caps_that_allow_key_discovery(check: Check) -> None:
    pure = replace(PAPER, limits=replace(PAPER.limits, delta=Fraction(0)))
    assert check.run(pure).verdict is Verdict.PROVED


@checks
def test_every_check_has_a_control(check: Check) -> None:
    assert check.controls
    names = [control.name for control in check.controls]
    assert len(set(names)) == len(names)


@files
def test_every_file_belongs_to_its_claim(name: str) -> None:
    assert name in CLAIMS
    planned, made = CHECKS[name], proofs.check_of_file(name)
    assert planned.claim == name
    for each in ("claim", "name", "evidence", "shape", "relation", "spare", "named"):
        assert getattr(planned, each) == getattr(made, each)


def test_every_file_is_collected_once() -> None:
    assert [check.claim for check in proofs.CHECKS] == FILES


@files
def test_the_header_says_claim_paper_method_and_assumptions(name: str) -> None:
    docstring = import_module(f"proofs.{name}").__doc__ or ""
    labels = header_of(docstring)
    assert list(labels) == ["Claim", "Paper", "Method", "Assumes"]
    assert all(labels.values())
    assert set(CLAIMS[name].paper.split("; ")) <= set(labels["Paper"].split("; "))


@files
def test_a_proof_about_numbers_shows_that_its_assumptions_can_hold(name: str) -> None:
    proof = getattr(import_module(f"proofs.{name}"), "PROOF", None)
    if proof is None or not any(isinstance(step, Statement) for step in proof.steps):
        return
    assert any(isinstance(step, Statement) and step.existential for step in proof.steps)


def test_an_unknown_name_of_the_package_is_refused() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        getattr(proofs, "nothing")  # noqa: B009


# The conversion of a proof into a check.

CLAIM = "discrete_laplace_is_private"


@for_all("squares are not negative")
def squares(_: object, x: Fraction) -> bool:
    return x * x >= 0


@exists("a square is negative")
def negative_square(_: object, x: Fraction) -> bool:
    return x * x < 0


@for_all("numbers are not negative")
def numbers(_: object, x: Fraction) -> bool:
    assume(x > -10)
    return x >= 0


@calculation("one is one", by="arithmetic")
def one(_: object) -> bool:
    return True


def checked(*steps: Step[object]) -> Check:
    proof = Proof[object](claim=CLAIM, subject=None, steps=steps, controls={"itself": None})
    return check_of(proof, method="method", assumes="nothing")


def silent(*solvers: str) -> Callable[[_solvers.Obligation], _solvers.Decision]:
    def decide(stated: _solvers.Obligation) -> _solvers.Decision:
        found = _solvers.decide(stated)
        found = replace(found, z3="unknown") if "z3" in solvers else found
        return replace(found, cvc5="unknown") if "cvc5" in solvers else found

    return decide


def test_a_proof_by_both_solvers_says_so() -> None:
    found = checked(squares, one).run(PAPER)
    assert found.verdict is Verdict.PROVED
    assert found.method == "method; z3 and cvc5, arithmetic"
    assert [step.by for step in found.steps] == ["z3, cvc5", "arithmetic"]
    assert found.assumes == "nothing"


@pytest.mark.parametrize(("left", "alone"), [("cvc5", "z3"), ("z3", "cvc5")])
def test_a_proof_by_one_solver_says_which(
    monkeypatch: pytest.MonkeyPatch, left: str, alone: str
) -> None:
    monkeypatch.setattr("proofs._proof.decide", silent(left))
    found = checked(squares).run(PAPER)
    assert found.verdict is Verdict.PROVED
    assert found.method == f"method; {alone} alone; {left} undecided"
    assert [step.by for step in found.steps] == [alone]


def test_a_proof_that_both_solvers_leave_open_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs._proof.decide", silent("z3", "cvc5"))
    found = checked(squares).run(PAPER)
    assert found.verdict is Verdict.UNKNOWN
    assert "undecided" in found.detail


def test_a_proof_that_each_solver_decides_in_part_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    left = iter(("z3", "cvc5"))
    monkeypatch.setattr("proofs._proof.decide", lambda stated: silent(next(left))(stated))
    found = checked(squares, squares).run(PAPER)
    assert found.method == "method; z3 or cvc5 in part"


def test_a_refutation_carries_its_numbers_and_its_step() -> None:
    found = checked(squares, numbers).run(PAPER)
    assert found.verdict is Verdict.REFUTED
    assert found.counterexample is not None
    assert Fraction(found.counterexample["x"]) < 0
    assert "numbers are not negative" in found.detail
    assert [step.verdict for step in found.steps] == [Verdict.PROVED, Verdict.REFUTED]


def test_a_model_that_does_not_replay_is_an_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(stated: _solvers.Obligation) -> _solvers.Decision:
        decision = _solvers.decide(stated)
        return replace(decision, z3="refuted", cvc5="refuted", model={"x": Fraction(2)})

    monkeypatch.setattr("proofs._proof.decide", wrong)
    found = checked(squares).run(PAPER)
    assert (found.evidence, found.reason) == (Evidence.ALARM, Reason.DOES_NOT_REPLAY)


def test_a_witness_that_does_not_exist_is_no_proof() -> None:
    """Of the paper's own rules it is an alarm: see test_combine."""
    found = checked(squares, negative_square).run(PAPER)
    assert (found.evidence, found.reason) == (Evidence.NONE, Reason.NO_WITNESS)


def test_solvers_that_disagree_are_an_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    def split(stated: _solvers.Obligation) -> _solvers.Decision:
        return replace(_solvers.decide(stated), z3="refuted", model={"x": Fraction(2)})

    monkeypatch.setattr("proofs._proof.decide", split)
    found = checked(squares).run(PAPER)
    assert (found.evidence, found.reason) == (Evidence.ALARM, Reason.SOLVERS_DISAGREE)


def test_a_proof_about_the_papers_function_says_nothing_about_another() -> None:
    found = checked(squares).run(replace(PAPER, noise=gaussian_noise))
    assert found.verdict is Verdict.UNKNOWN
    assert found.detail == "the proof is about the paper's noise"


def test_the_time_is_written_with_three_decimals() -> None:
    assert decimal(Fraction(12345678, 10**6)) == "12.346"
    assert decimal(Fraction(1, 10**6)) == "0.000"


def test_a_header_ends_with_its_paragraph() -> None:
    text = (
        "Claim: one\n    and a half.\n\nPaper: two.\nMethod: three: four.\nAssumes: five.\n\nSix."
    )
    assert header_of(text) == {
        "Claim": "one and a half",
        "Paper": "two",
        "Method": "three: four",
        "Assumes": "five",
    }


def test_algebra_says_equal_different_or_undecided() -> None:
    x, y = Symbol("x", positive=True), Symbol("y", positive=True)
    assert identical((x + y) ** 2, x**2 + 2 * x * y + y**2)
    assert not identical(x + y, x * y)
    with pytest.raises(Undecided):
        # Zero at the one point that is tried.
        identical(x * 2, 1)


# Changed rules.


def gaussian_noise(_: AtService, __: tuple[Report, ...], ___: int | None) -> Noise:
    return DiscreteGaussian(Fraction(10))


def run(claim: str, rules: Rules) -> Finding:
    return CHECKS[claim].run(rules)


def higher(at: AtService, batch: tuple[Report, ...]) -> int | None:
    threshold = PAPER.threshold(at, batch)
    return None if threshold is None else threshold + 1


def test_a_higher_threshold_is_proved() -> None:
    rules = replace(PAPER, threshold=higher)
    assert run("threshold_meets_the_tail_lemma", rules).verdict is Verdict.PROVED
    assert run("truncated_laplace_is_private", rules).verdict is Verdict.PROVED


def test_a_constant_threshold_is_refuted_by_an_instance_that_fails() -> None:
    found = run("threshold_meets_the_tail_lemma", replace(PAPER, threshold=lambda *_: 3))
    assert found.verdict is Verdict.REFUTED
    assert found.counterexample is not None
    shown = {name: Fraction(value) for name, value in found.counterexample.items()}
    assert shown["truncation"] == 3
    assert shown["tail"] > shown["delta"] / shown["sparsity_budget"]


def test_a_threshold_without_a_logarithm_that_never_fails_is_unknown() -> None:
    found = run("threshold_meets_the_tail_lemma", replace(PAPER, threshold=lambda *_: 10**9))
    assert found.verdict is Verdict.UNKNOWN
    assert "floor_log" in found.detail


def test_a_threshold_that_looks_at_the_batch_is_not_proved() -> None:
    def by_batch(at: AtService, batch: tuple[Report, ...]) -> int | None:
        threshold = PAPER.threshold(at, batch)
        return None if threshold is None else threshold - min(len(batch), 1)

    found = run("threshold_meets_the_tail_lemma", replace(PAPER, threshold=by_batch))
    assert found.verdict is Verdict.UNKNOWN
    assert "batch" in found.detail


def asked_with(at: AtService, epsilon: Fraction) -> AtService:
    return replace(at, query=replace(at.query, epsilon=epsilon))


def test_noise_that_grows_with_the_batch_is_proved_for_all_sizes() -> None:
    def wider(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
        many = len(batch) >= 100 or len(at.query.report_ids) > 70
        epsilon = at.query.epsilon / 2 if many else at.query.epsilon
        return PAPER.noise(asked_with(at, epsilon), batch, threshold)

    rules = replace(PAPER, noise=wider)
    assert run("discrete_laplace_is_private", rules).verdict is Verdict.PROVED
    assert run("noise_is_chosen_in_public", rules).verdict is Verdict.PROVED


def test_noise_that_shrinks_in_one_size_of_batch_is_refuted() -> None:
    def narrower(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
        epsilon = at.query.epsilon * (2 if len(batch) == 4711 else 1)
        return PAPER.noise(asked_with(at, epsilon), batch, threshold)

    found = run("discrete_laplace_is_private", replace(PAPER, noise=narrower))
    assert found.verdict is Verdict.REFUTED
    assert "4711" in (found.counterexample or {}).values()


def test_noise_by_the_reports_of_a_batch_is_not_chosen_in_public() -> None:
    def by_first(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
        first = len(batch) > 4710 and batch[0].is_null
        return PAPER.noise(asked_with(at, at.query.epsilon / (1 + first)), batch, threshold)

    found = run("noise_is_chosen_in_public", replace(PAPER, noise=by_first))
    assert found.verdict is Verdict.UNKNOWN
    assert "getitem of the batch" in found.detail


def test_noise_of_another_kind_is_unknown() -> None:
    found = run("discrete_laplace_is_private", replace(PAPER, noise=gaussian_noise))
    assert found.verdict is Verdict.UNKNOWN
    assert "DiscreteGaussian" in found.detail


def test_a_smaller_truth_probability_is_proved() -> None:
    def smaller(power: N, size: int) -> N:
        return (power - 1) / (power + size)

    rules = replace(PAPER, truth_probability=smaller)
    assert run("randomized_response_is_private", rules).verdict is Verdict.PROVED


def test_a_truth_probability_that_raises_is_unknown() -> None:
    def refused(power: object, size: int) -> Fraction:
        raise RuntimeError("not implemented")

    rules = replace(PAPER, truth_probability=refused)
    assert run("randomized_response_is_private", rules).verdict is Verdict.UNKNOWN


def charge_up_to_one_more(at: AtService, spent: Spent, report: Report) -> Spent | None:
    limits = replace(at.limits, epsilon=at.limits.epsilon + 1)
    return PAPER.charge(replace(at, rules=replace(at.rules, limits=limits)), spent, report)


LEDGERS = {
    "floating point": FLOATING_LEDGER,
    "compares before adding": LATE_LEDGER,
    "no entry": replace(PAPER, budget_entries=lambda *_: ()),
    "a cap of one more": replace(PAPER, charge=charge_up_to_one_more),
}


@pytest.mark.parametrize("name", LEDGERS)
def test_a_ledger_that_several_steps_refute_is_refuted(name: str) -> None:
    found = run("the_ledger_never_passes_the_caps", LEDGERS[name])
    assert found.verdict is Verdict.REFUTED
    assert found.counterexample is not None
    *moves, last = found.counterexample.items()
    assert [number for number, _ in moves] == [str(place) for place in range(1, len(moves) + 1)]
    assert all(move.startswith("A query with ε = ") for _, move in moves)
    assert last[0] == "violated"
    assert "takes part in answers of ε = " in last[1]
    assert last[1] in found.detail


def test_numbers_that_cannot_be_run_again_are_left_as_they_are() -> None:
    def refuse(rules: Rules, model: Model) -> None:
        raise LookupError(model)

    rules = LEDGERS["a cap of one more"]
    numbers = two_queries_are_safe.decide(rules)
    assert numbers.example is not None
    assert Retold(step=two_queries_are_safe, tell=refuse).decide(rules).example == numbers.example
    told = TWO_QUERIES.decide(rules)
    assert told.verdict == numbers.verdict == "REFUTED"
    assert told.example is not None
    assert list(told.example) == ["1", "violated"]


def test_a_step_result_of_another_kind_can_be_reported() -> None:
    class Open(Step[object]):
        name = "left open"

        def decide(self, subject: object) -> StepResult:
            return StepResult(
                name=self.name, verdict="UNKNOWN", by=("z3", "cvc5"), seconds=Fraction(0)
            )

    found = checked(Open()).run(PAPER)
    assert found.verdict is Verdict.UNKNOWN
    assert [step.by for step in found.steps] == [""]
