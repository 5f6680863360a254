"""The command `sandproof controls`: broken rules, to show that checks and proof steps can fail."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

from sandproof.commands.options import add_family, positive, seconds
from sandproof.families import NAMES, Rules, claim_named, claims_of, family_named, family_of
from sandproof.formats.text import Writer
from sandproof.problems import known_claim
from spec.verdicts import Check, Finding

if TYPE_CHECKING:
    from proofs._obligations import Obligations
    from sandproof.processes import Outcome

EXAMPLES = """\
examples:
  sandproof controls                  every check on its own broken rules
  sandproof controls --full           every check on the broken rules of all checks
  sandproof controls --obligations    every step of every proof: what notices if it is left out
  sandproof controls --family w3c     the same for W3C Attribution Level 1 alone
  sandproof controls --format json

exit status: 0 every check refutes all its controls, 1 one does not; with --obligations 0 every step
has a control for which it fails alone, 1 one has not
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Hold what a check found about a broken variant; `own` if it is a control of this check."""

    claim: str
    check: str
    control: str
    own: bool
    verdict: str
    seconds: float
    detail: str = ""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser], summary: str) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "controls",
        help=summary,
        description="Run every check on the broken rules that it must refute.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("claims", nargs="*", metavar="ID", help="of these claims only")
    add_family(parser, "whose checks are run (default: those of all families)")
    parser.add_argument("--full", action="store_true", help="run checks on all broken rules")
    parser.add_argument(
        "--obligations",
        action="store_true",
        help="replace each step of each proof by True, and name those that no control notices",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--jobs", type=positive, metavar="N")
    parser.add_argument("--timeout", type=seconds, default=120.0, metavar="SECONDS")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the controls and print the matrix, or what became of each step of each proof."""
    from sandproof.this_process import cores

    for name in arguments.claims:
        known_claim(name)
    families = [arguments.family] if arguments.family else NAMES
    known = [claim for family in families for claim in claims_of(family)]
    claims = [claim for claim in known if claim in (arguments.claims or known)]
    jobs = arguments.jobs or cores()
    if arguments.obligations:
        return run_obligations(claims, jobs, arguments.timeout, arguments.format)
    every = [check for family in families for check in checks_of(family)]
    checks = [check for check in every if check.claim in claims]
    rows: dict[tuple[str, str], list[Cell]] = {(check.claim, check.name): [] for check in checks}
    for cell in run_cells(list(plan(checks, arguments.full)), jobs, arguments.timeout):
        rows[cell.claim, cell.check].append(cell)
    failing = [row for row, cells in rows.items() if not can_fail(cells)]
    if arguments.format == "json":
        print(json.dumps([as_data(row, cells) for row, cells in rows.items()], indent=2))
    else:
        print("\n".join(as_text(row, cells) for row, cells in rows.items()))
        names = ", ".join(f"{claim} ({check})" for claim, check in failing)
        told = f"not shown to fail: {names}" if failing else "every check refutes its controls"
        print(f"\n{len(rows)} checks, {sum(map(len, rows.values()))} cells: {told}")
    return 1 if failing else 0


def checks_of(family: str) -> Iterable[Check]:
    """Return every check of a family's own rules."""
    from sandproof.about import Request
    from sandproof.jobs import Options
    from sandproof.proposal import load

    return family_named(family).checks(load(Request(family=family)), Options(effort="quick"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Hold a cell that is to be filled: which check, on what, and how."""

    check: Check
    control: str
    own: bool
    work: Callable[[], Finding]


def plan(checks: Sequence[Check], full: bool) -> Iterator[Plan]:
    """List the cells: every check with its own controls, and if asked for with those of others."""
    for check in checks:
        for control in check.controls:
            yield Plan(check=check, control=control.name, own=True, work=control.run)
    if not full:
        return
    for broken, rules in broken_rules(checks):
        for check in checks:
            mine = any(control.rules is rules for control in check.controls)
            if not mine and touches(rules, check):
                yield Plan(check=check, control=broken, own=False, work=on(check, rules))


def broken_rules(checks: Sequence[Check]) -> Iterator[tuple[str, Rules]]:
    """List the broken rules of all checks once, each with the name of a control."""
    seen: list[Rules] = []
    for check in checks:
        for control in check.controls:
            if control.rules is not None and control.rules not in seen:
                seen.append(control.rules)
                yield f"{control.name} (of {check.claim})", control.rules


def touches(rules: Rules, check: Check) -> bool:
    """Tell whether broken rules change anything that the claim of a check depends on."""
    family = family_of(rules)
    if family is None or check.claim not in family.claims:
        return False
    own = family.nearest(rules)
    return any(getattr(rules, n) != getattr(own, n) for n in claim_named(check.claim).rules)


def on(check: Check, rules: Rules) -> Callable[[], Finding]:
    """Return the work that runs a check on broken rules."""
    return lambda: check.run(rules)


def run_cells(plans: Sequence[Plan], jobs: int, timeout: float) -> list[Cell]:
    """Run the cells side by side, each in a child process."""

    def work(planned: Plan) -> tuple[str, str]:
        try:
            found = planned.work()
        except BaseException as error:
            return "unknown", f"{type(error).__name__}: {error}"
        return found.verdict.value, found.detail

    works = [(each.check.claim, partial(work, each)) for each in plans]
    cells = []
    for planned, outcome in zip(plans, in_children(works, jobs, timeout), strict=True):
        verdict, detail = ("unknown", outcome.how or f"not finished in {timeout:g} s")
        if isinstance(outcome.answer, tuple):
            verdict, detail = outcome.answer
        cells.append(
            Cell(
                claim=planned.check.claim,
                check=planned.check.name,
                control=planned.control,
                own=planned.own,
                verdict=verdict,
                seconds=round(outcome.seconds, 3),
                detail=detail,
            )
        )
    return cells


def in_children(
    works: Sequence[tuple[str, Callable[[], object]]], jobs: int, timeout: float
) -> list[Outcome]:
    """Do named work side by side, each piece in a child process; return outcomes in its order."""
    from sandproof.processes import Pool, Task
    from sandproof.progress import Progress, terminable

    def task(number: int) -> Task:
        return Task(name=str(number), work=lambda _: works[number][1](), seconds=timeout)

    outcomes: dict[int, Outcome] = {}
    waiting = list(range(len(works)))
    progress = Progress()
    with terminable(), Pool(jobs) as pool:
        while waiting or pool.running:
            while waiting and pool.has_room:
                pool.start(task(waiting.pop(0)))
            outcome = pool.wait(
                lambda: progress(
                    len(outcomes),
                    len(works),
                    [works[int(child.task.name)][0] for child in pool.running],
                )
            )
            assert outcome is not None
            outcomes[int(outcome.task.name)] = outcome
    progress.clear()
    return [outcomes[number] for number in sorted(outcomes)]


def run_obligations(claims: Sequence[str], jobs: int, timeout: float, form: str) -> int:
    """Run every proof on all its controls, and print which control each step has of its own."""
    from proofs._obligations import Failure, Obligations, controls_of, failure, proofs_by_name

    proofs = {name: proof for name, proof in proofs_by_name().items() if proof.claim in claims}
    pairs = [(name, control) for name, proof in proofs.items() for control in controls_of(proof)]
    works = [(name, partial(failure, proofs[name], control)) for name, control in pairs]
    failures: dict[str, dict[str, Failure]] = {name: {} for name in proofs}
    for (name, control), outcome in zip(pairs, in_children(works, jobs, timeout), strict=True):
        # A control that was not finished vouches for nothing.
        found = outcome.answer if isinstance(outcome.answer, Failure) else Failure()
        failures[name][control] = found
    tables = [
        Obligations(
            proof=name, steps=tuple(step.name for step in proof.steps), failures=failures[name]
        )
        for name, proof in proofs.items()
    ]
    defects = [defect for table in tables for defect in table.defects]
    if form == "json":
        print(json.dumps([obligations_as_data(table) for table in tables], indent=2))
    else:
        for table in tables:
            print(obligations_as_text(table))
        steps = sum(len(table.steps) for table in tables)
        told = "each has a control for which it fails alone"
        print("\n".join(["", *defects, f"{steps} steps, {len(pairs)} controls: "]), end="")
        print(f"{len(defects)} defects" if defects else told)
    return 1 if defects else 0


def obligations_as_data(table: Obligations) -> dict[str, object]:
    """Return the steps of a proof, each with the control for which it fails alone."""
    return {
        "proof": table.proof,
        "steps": {step: table.control_of(step) for step in table.steps},
        "defects": list(table.defects),
    }


def obligations_as_text(table: Obligations) -> str:
    """Return the steps of a proof as text."""
    from sandproof import formats

    out = Writer(formats.in_colour())
    out.heading(table.proof)
    for step in table.steps:
        control = table.control_of(step)
        style = "refuted" if control is None else "faint"
        out.wrap(step, indent=2)
        out.lines.append(f"    {out.paint(control or 'nothing notices', style)}")
    return "\n".join(out.lines)


def can_fail(cells: Sequence[Cell]) -> bool:
    """Tell whether a check has controls of its own and refutes them all."""
    own = [cell for cell in cells if cell.own]
    return bool(own) and all(cell.verdict == "refuted" for cell in own)


def as_data(row: tuple[str, str], cells: Sequence[Cell]) -> dict[str, object]:
    """Return a row of the matrix as plain data."""
    claim, check = row
    listed = [asdict(cell) for cell in cells]
    return {"claim": claim, "check": check, "can_fail": can_fail(cells), "controls": listed}


def as_text(row: tuple[str, str], cells: Sequence[Cell]) -> str:
    """Return a row of the matrix as text: every broken variant and what the check says to it."""
    from sandproof import formats

    out = Writer(formats.in_colour())
    out.heading(f"{row[0]} ({row[1]})")
    if not any(cell.own for cell in cells):
        out.wrap("has no control")
    for cell in cells:
        # A check that leaves the broken rules of another one alone is no failure.
        style = cell.verdict if cell.own or cell.verdict == "refuted" else "faint"
        name = cell.control if len(cell.control) <= 58 else cell.control[:55] + "..."
        verdict = out.paint(f"{cell.verdict:<8}", style)
        out.lines.append(f"  {verdict} {name:<58}{cell.seconds:7.1f} s")
        if cell.own and cell.verdict != "refuted":
            out.wrap(cell.detail, indent=11)
    return "\n".join(out.lines)
