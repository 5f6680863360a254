"""Two solvers, one text: every obligation is written as SMT-LIB and decided by z3 and by cvc5.

An obligation says that some conditions imply a goal. Its text asserts the conditions and the
negation of the goal, so that "unsat" means proved and "sat" means refuted. Both solvers read the
same text, each in a fresh context, with fixed seeds and a fixed number of resource units, so that
neither what was decided before nor a busy machine has an influence on an answer. So an answer is
remembered: proofs of several claims, and of changed rules, ask much of the same.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from time import perf_counter_ns
from typing import Literal, TypeAlias

import cvc5
import z3

SEED = 0
RESOURCES = {"z3": 20_000_000, "cvc5": 2_000_000}
"""What each solver may spend on an obligation, in units of its own: counted, never timed."""

NONLINEAR = 100_000
"""What cvc5 may spend where unknown numbers are multiplied: there each unit takes it longer than
the one before, and the last ones minutes."""

READABLE_BOUNDS = (2, 10, 100)
SHRINK_RESOURCES = 1_000_000
KEPT = {-1: 2**28, -3: 2**25}
"""What glibc's mallopt is told: the sizes from which on freed memory goes back to the system."""

Exact: TypeAlias = int | Fraction | bool
Model: TypeAlias = Mapping[str, Exact]
Status: TypeAlias = Literal["proved", "refuted", "unknown", "not asked"]


@dataclass(frozen=True, slots=True)
class Answer:
    """Hold a solver's answer, its model if it refutes, and whether that is free of rounding."""

    status: Status
    model: Model | None = None
    exact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Obligation:
    """Hold a statement for the solvers: its name, its SMT-LIB logic and its SMT-LIB text."""

    name: str
    logic: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Hold what each solver said about an obligation, and a model if one refuted it."""

    obligation: Obligation
    z3: Status
    cvc5: Status
    seconds: Fraction
    model: Model | None = None
    exact: bool = True

    @property
    def status(self) -> Status | Literal["disagreement"]:
        """Combine the answers; one solver's "unknown" gives way to the other's answer."""
        answers = {self.z3, self.cvc5} - {"unknown", "not asked"}
        if len(answers) == 2:
            return "disagreement"
        for answer in answers:
            return answer
        return "unknown"


def obligation(name: str, conditions: Iterable[z3.BoolRef], goal: z3.BoolRef) -> Obligation:
    """Write down that the conditions imply the goal."""
    terms = [*conditions, z3.Not(goal)]
    solver = z3.Solver()
    solver.add(*terms)
    logic = logic_of(terms)
    asserted = _renumbered(solver.to_smt2()).split("\n", 2)[2]
    return Obligation(name=name, logic=logic, text=f"; {name}\n(set-logic {logic})\n{asserted}")


def decide(stated: Obligation) -> Decision:
    """Decide an obligation with both solvers.

    What z3 refutes by exact numbers is not asked again: whoever decides replays the numbers, and
    cvc5 may look for a model of its own without an end.
    """
    start = perf_counter_ns()
    first = ask_z3(stated)
    found = first.model is not None and first.exact
    second = Answer("not asked") if found else ask_cvc5(stated)
    shown = second if first.model is None or (second.model and not first.exact) else first
    return Decision(
        obligation=stated,
        z3=first.status,
        cvc5=second.status,
        seconds=Fraction(perf_counter_ns() - start, 10**9),
        model=shown.model,
        exact=shown.exact,
    )


@lru_cache(maxsize=10_000)
def ask_z3(stated: Obligation) -> Answer:
    """Decide an obligation with z3; prefer a model of small numbers."""
    answer = _run_z3(stated.logic, stated.text, RESOURCES["z3"])
    if answer.model is None:
        return answer
    for bound in READABLE_BOUNDS:
        small = stated.text.replace("(check-sat)", _bounded(answer.model, bound) + "(check-sat)")
        smaller = _run_z3(stated.logic, small, SHRINK_RESOURCES)
        if smaller.model is not None:
            return smaller
    return answer


def cvc5_resources(logic: str) -> int:
    """Return what cvc5 may spend on an obligation in a logic."""
    return min(NONLINEAR, RESOURCES["cvc5"]) if logic.startswith("QF_N") else RESOURCES["cvc5"]


@lru_cache(maxsize=10_000)
def ask_cvc5(stated: Obligation) -> Answer:
    """Decide an obligation with cvc5."""
    solver = cvc5.Solver(cvc5.TermManager())
    for option, value in (
        ("seed", str(SEED)),
        ("rlimit-per", str(cvc5_resources(stated.logic))),
        ("produce-models", "true"),
    ):
        solver.setOption(option, value)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, stated.text, stated.name)
    symbols = parser.getSymbolManager()
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said = command.invoke(solver, symbols).strip() or said
    if said != "sat":
        return Answer("proved" if said == "unsat" else "unknown")
    values = {term.getSymbol(): solver.getValue(term) for term in symbols.getDeclaredTerms()}
    model = {name: _from_cvc5(value) for name, value in values.items()}
    return Answer("refuted", model, all(map(_rational, values.values())))


@dataclass(frozen=True, slots=True)
class Content:
    """Hold what a term contains; the term itself is kept, because its number is its name."""

    term: z3.AstRef
    nonlinear: bool
    constant: bool
    sorts: frozenset[int]


MOST_CONTENTS = 50_000
_contents: dict[int, Content] = {}


def logic_of(terms: Iterable[z3.ExprRef]) -> str:
    """Name the smallest quantifier-free logic of arithmetic that holds the terms."""
    if len(_contents) > MOST_CONTENTS:
        _contents.clear()
    found = [_content(term) for term in terms]
    sorts = frozenset[int]().union(*(each.sorts for each in found))
    letter = "N" if any(each.nonlinear for each in found) else "L"
    reals = "R" if z3.Z3_REAL_SORT in sorts else ""
    integers = "I" if z3.Z3_INT_SORT in sorts or not reals else ""
    return f"QF_{letter}{integers}{reals}A"


def _content(term: z3.ExprRef) -> Content:
    known = _contents.get(term.get_id())
    if known is not None:
        return known
    parts = [_content(part) for part in term.children()]
    kind = term.decl().kind()
    nonlinear = kind == z3.Z3_OP_POWER
    if kind == z3.Z3_OP_MUL:
        nonlinear = sum(not part.constant for part in parts) > 1
    if kind in (z3.Z3_OP_DIV, z3.Z3_OP_IDIV, z3.Z3_OP_MOD):
        nonlinear = not parts[1].constant
    found = Content(
        term=term,
        nonlinear=nonlinear or any(part.nonlinear for part in parts),
        constant=kind != z3.Z3_OP_UNINTERPRETED and all(part.constant for part in parts),
        sorts=frozenset({term.sort().kind()}).union(*(part.sorts for part in parts)),
    )
    _contents[term.get_id()] = found
    return found


def write_obligations(decisions: Iterable[Decision], directory: Path) -> list[Path]:
    """Write every obligation into a directory as SMT-LIB, with what each solver said."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for number, decision in enumerate(decisions, start=1):
        slug = re.sub(r"[^a-z0-9]+", "-", decision.obligation.name.lower()).strip("-")
        path = directory / f"{number:03}-{slug}.smt2"
        verdicts = f"; z3: {decision.z3}, cvc5: {decision.cvc5} (unsat means proved)\n"
        path.write_text(verdicts + decision.obligation.text, encoding="utf-8")
        written.append(path)
    return written


@cache
def keep_freed_memory() -> None:
    """Let the process keep what a solver frees, where the C library can do that.

    Otherwise every fresh context fetches its memory from the system again, which takes about as
    long as deciding an obligation.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        for option, size in KEPT.items():
            library.mallopt(option, size)


def _run_z3(logic: str, text: str, resources: int) -> Answer:
    keep_freed_memory()
    solver = z3.SolverFor(logic, ctx=z3.Context())
    solver.set("rlimit", resources)
    solver.set("random_seed", SEED)
    solver.from_string(text)
    result = solver.check()
    if result != z3.sat:
        return Answer("proved" if result == z3.unsat else "unknown")
    model = solver.model()
    values = {
        declared.name(): model[declared] for declared in model.decls() if not declared.arity()
    }
    exact = not any(isinstance(value, z3.AlgebraicNumRef) for value in values.values())
    return Answer("refuted", {name: _from_z3(value) for name, value in values.items()}, exact)


def _from_z3(value: z3.ExprRef | z3.FuncInterp | None) -> Exact:
    """Return a model's value exactly; an irrational one becomes a fraction close to it."""
    if isinstance(value, z3.AlgebraicNumRef):
        value = value.approx()
    if isinstance(value, z3.IntNumRef):
        return value.as_long()
    if isinstance(value, z3.RatNumRef):
        return value.as_fraction()
    return z3.is_true(value)


def _from_cvc5(value: cvc5.Term) -> Exact:
    """Return a model's value exactly; an irrational one becomes a fraction close to it."""
    if value.isBooleanValue():
        return value.getBooleanValue()
    if not _rational(value):
        return value.getRealAlgebraicNumberLowerBound().getRealValue()
    if value.getSort().isInteger():
        return value.getIntegerValue()
    return value.getRealValue()


def _rational(value: cvc5.Term) -> bool:
    return not value.isRealAlgebraicNumber()


def _bounded(model: Model, bound: int) -> str:
    """Return assertions that keep every number of a model within a bound."""
    lines = []
    for name, value in model.items():
        if not isinstance(value, bool):
            limit = f"{bound}.0" if isinstance(value, Fraction) else str(bound)
            lines.append(f"(assert (<= (- {limit}) |{name}| {limit}))\n")
    return "".join(lines)


def _renumbered(text: str) -> str:
    """Name z3's shared subterms in order of appearance, so that equal obligations read the same."""
    names: dict[str, str] = {}

    def rename(found: re.Match[str]) -> str:
        return names.setdefault(found[0], f"{found[0][0]}x{len(names) + 1}")

    return re.sub(r"[?$]x\d+", rename, text)
