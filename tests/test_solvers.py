"""Two solvers decide the same text, and what they find is replayed before it counts."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
import z3

from proofs import _proof, _solvers
from proofs._proof import Proof, Statement, assume, calculation, exists, for_all
from proofs._solvers import (
    Answer,
    Decision,
    Obligation,
    cvc5_resources,
    decide,
    logic_of,
    obligation,
)

Admit = Callable[[int, int, int], int | None]


def admit(most: int, spent: int, value: int) -> int | None:
    return spent + value if spent + value <= most else None


def admit_before_adding(most: int, spent: int, value: int) -> int | None:
    return spent + value if spent <= most else None


def admit_with_an_error(most: int, spent: int, value: int) -> int | None:
    if spent == most:
        raise RuntimeError("nothing is left")
    return admit(most, spent, value)


def admit_nothing(most: int, spent: int, value: int) -> int | None:
    return None if most + spent + value >= 0 else admit(most, spent, value)


@for_all("the sum stays within the cap")
def preserved(admit: Admit, most: int, spent: int, value: int) -> bool:
    assume(0 <= spent, spent <= most, 0 <= value)
    after = admit(most, spent, value)
    return after is None or spent <= after <= most


@exists("something is admitted")
def not_vacuous(admit: Admit, most: int, value: int) -> bool:
    assume(value > 0)
    return admit(most, 0, value) is not None


@calculation("the whole cap can be spent", by="exact arithmetic")
def tight(admit: Admit) -> bool:
    return admit(5, 2, 3) == 5


PROOF = Proof(
    claim="cap",
    subject=admit,
    steps=(preserved, not_vacuous, tight),
    controls={"compares before adding": admit_before_adding, "raises": admit_with_an_error},
)


def says(answer: Answer) -> Callable[[Obligation], Answer]:
    """Return a solver that gives one answer to everything."""

    def ask(_: Obligation) -> Answer:
        return answer

    return ask


def test_a_proof_names_both_solvers_and_its_witness() -> None:
    result = PROOF.run()
    assert (result.verdict, result.alarm) == ("PROVED", False)
    assert result.solvers == ("z3", "cvc5", "exact arithmetic")
    assert {decision.status for decision in result.steps[0].decisions} == {"proved"}
    witness = result.steps[1].example
    assert witness is not None
    assert admit(int(witness["most"]), 0, int(witness["value"])) is not None
    assert result.counterexample is None
    assert result.seconds > 0


def test_a_broken_subject_is_refuted_with_numbers_that_replay() -> None:
    refuted = {name: PROOF.run_on(broken) for name, broken in PROOF.controls.items()}
    assert {result.verdict for result in refuted.values()} == {"REFUTED"}
    numbers = refuted["compares before adding"].counterexample
    assert numbers is not None
    most, spent, value = (int(numbers[name]) for name in ("most", "spent", "value"))
    after = admit_before_adding(most, spent, value)
    assert after is not None
    assert after > most
    assert "RuntimeError: nothing is left" in refuted["raises"].text


def test_a_false_calculation_refutes() -> None:
    result = PROOF.run_on(admit_nothing)
    assert [step.verdict for step in result.steps] == ["PROVED", "UNKNOWN", "REFUTED"]
    assert result.steps[1].reason == "no such numbers exist"


@for_all("composition of one more round")
def composition(
    extra: Fraction,
    p1: Fraction,
    p2: Fraction,
    q1: Fraction,
    q2: Fraction,
    e1: Fraction,
    e2: Fraction,
    mu: Fraction,
    d2: Fraction,
) -> bool:
    for probability in (p1, p2, q1, q2, d2):
        assume(0 <= probability, probability <= 1)
    assume(e1 >= 1, e2 >= 1, mu >= 0, p1 <= e1 * q1 + mu, p2 <= e2 * q2 + d2)
    return p1 * p2 <= e1 * e2 * q1 * q2 + mu + p1 * d2 - extra


@for_all("the union bound")
def union_bound(extra: Fraction, p: Fraction, q: Fraction) -> bool:
    assume(0 <= p, p <= 1, 0 <= q, q <= 1)
    return 1 - (1 - p) * (1 - q) <= p + q - extra


@for_all("the tail lemma, with A and B for the powers of q")
def tail(extra: Fraction, a: Fraction, b: Fraction, q: Fraction) -> bool:
    assume(0 < a, a <= 1, 0 < b, b <= q, q < 1)
    return a * (1 - b) <= a * (1 + q - 2 * a * b) - extra


@for_all("rounding down")
def rounding(extra: Fraction, x: Fraction, n: int) -> bool:
    assume(n <= x, x < n + 1, x >= 0)
    return x // 1 == n - extra and x % 1 < 1


@pytest.mark.parametrize("step", [composition, union_bound, tail, rounding])
def test_both_solvers_decide_it_and_refute_its_sharpening(step: Statement[Fraction]) -> None:
    proved = step.decide(Fraction(0))
    assert proved.verdict == "PROVED", proved
    assert all((said.z3, said.cvc5) == ("proved", "proved") for said in proved.decisions)
    refuted = step.decide(Fraction(1, 7))
    assert refuted.verdict == "REFUTED", refuted
    last = refuted.decisions[-1]
    assert (last.z3, last.cvc5) == ("refuted", "not asked")
    assert _solvers.ask_cvc5(last.obligation).status == "refuted"


def test_an_irrational_counterexample_is_said_to_be_one() -> None:
    @for_all("no square is two")
    def root(_: None, x: Fraction) -> bool:
        return x * x != 2

    result = root.decide(None)
    assert (result.verdict, result.alarm) == ("UNKNOWN", False)
    assert "irrational" in result.reason


def test_a_disagreement_is_an_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_solvers, "ask_cvc5", says(Answer("refuted", {})))
    result = preserved.decide(admit)
    assert (result.verdict, result.alarm) == ("UNKNOWN", True)
    assert "the solvers disagree" in result.reason
    assert "z3 says proved, cvc5 says refuted" in result.reason


def test_a_model_that_does_not_replay_is_an_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    def invented(stated: Obligation) -> Decision:
        model = {"most": 9, "spent": 0, "value": 1}
        return Decision(
            obligation=stated, z3="refuted", cvc5="refuted", seconds=Fraction(0), model=model
        )

    monkeypatch.setattr(_proof, "decide", invented)
    result = preserved.decide(admit)
    assert (result.verdict, result.alarm, result.example) == ("UNKNOWN", True, None)
    assert result.reason == "the model does not replay: most = 9, spent = 0, value = 1"


def test_a_model_outside_the_assumptions_is_an_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Answer("refuted", {"most": -9, "spent": 0, "value": 1})
    monkeypatch.setattr(_solvers, "ask_z3", says(wrong))
    monkeypatch.setattr(_solvers, "ask_cvc5", says(wrong))
    result = preserved.decide(admit_before_adding)
    assert (result.verdict, result.alarm) == ("UNKNOWN", True)
    assert "the assumptions do not hold" in result.reason


def test_a_branch_left_out_wrongly_is_an_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    def holds(_: None, n: int) -> bool:
        assume(n > 3)
        return n > 2 or n == 17

    step: Statement[None] = Statement(name="branches", holds=holds)
    wrong = Answer("refuted", {"n": 0})
    honest = step.decide(None)
    assert honest.verdict == "PROVED"
    monkeypatch.setattr(_solvers, "ask_z3", says(wrong))
    monkeypatch.setattr(_solvers, "ask_cvc5", says(wrong))
    result = step.decide(None)
    assert (result.verdict, result.alarm) == ("UNKNOWN", True)


@pytest.mark.parametrize("silent", ["ask_z3", "ask_cvc5"])
def test_one_undecided_solver_is_not_named(silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_solvers, silent, says(Answer("unknown")))
    proof = Proof(claim="cap", subject=admit, steps=(preserved,))
    result = proof.run()
    assert result.verdict == "PROVED"
    assert result.solvers == (("cvc5",) if silent == "ask_z3" else ("z3",))
    refuted = proof.run_on(admit_before_adding)
    assert refuted.verdict == "REFUTED"


def test_two_undecided_solvers_leave_it_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ask_z3", "ask_cvc5"):
        monkeypatch.setattr(_solvers, name, says(Answer("unknown")))
    result = preserved.decide(admit)
    assert (result.verdict, result.alarm) == ("UNKNOWN", False)
    assert result.reason.startswith("undecided: ")


def test_what_takes_too_many_resources_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y, z = z3.Int("x"), z3.Int("y"), z3.Int("z")
    cubes = x * x * x + y * y * y + z * z * z
    hard = obligation("three cubes", [], z3.Not(cubes == z3.IntVal(114)))
    monkeypatch.setattr(_solvers, "RESOURCES", {"z3": 100_000, "cvc5": 10_000})
    assert decide(hard).status == "unknown"


def test_products_of_unknown_numbers_are_given_up_sooner_by_cvc5() -> None:
    """Each unit takes longer there than the one before; the limit of the others still holds."""
    n, m = z3.Int("n"), z3.Int("m")
    linear, product = (logic_of([n <= m]), logic_of([n * m <= n]))
    assert cvc5_resources(linear) == _solvers.RESOURCES["cvc5"]
    assert cvc5_resources(product) == _solvers.NONLINEAR < cvc5_resources(linear)


def test_the_logic_is_the_smallest_that_holds_the_terms() -> None:
    n, m, x, y = z3.Int("n"), z3.Int("m"), z3.Real("x"), z3.Real("y")
    two, half = z3.IntVal(2), z3.RealVal("1/2")
    assert logic_of([n * two <= m]) == "QF_LIA"
    assert logic_of([x * half <= y / half]) == "QF_LRA"
    assert logic_of([x <= z3.ToReal(n)]) == "QF_LIRA"
    assert logic_of([x * y <= x]) == "QF_NRA"
    assert logic_of([n * m <= n]) == "QF_NIA"
    assert logic_of([half / x <= z3.ToReal(n)]) == "QF_NIRA"
    assert logic_of([z3.Bool("b")]) == "QF_LIA"


def test_obligations_are_written_as_smt_lib(tmp_path: Path) -> None:
    result = PROOF.run()
    written = result.write_smt_lib(tmp_path / "smt")
    assert len(written) == len(result.decisions) > 1
    first = written[0].read_text()
    assert "; z3: proved, cvc5: proved" in first
    assert "(set-logic QF_LIA)" in first
    assert first.rstrip().endswith("(check-sat)")
    replayed = _solvers.ask_cvc5(Obligation(name="again", logic="QF_LIA", text=first))
    assert replayed.status == "proved"


def test_the_text_of_an_obligation_does_not_depend_on_what_came_before() -> None:
    def text() -> str:
        x, y = z3.Real("x"), z3.Real("y")
        square = x * y * (x + y)
        return obligation("same", [square <= square * square], square + square <= x).text

    first = text()
    preserved.decide(admit)
    kept = [z3.Real(f"other{number}") * z3.Real("x") for number in range(50)]
    assert text() == first
    assert "?x1" in first
    assert len(kept) == 50
