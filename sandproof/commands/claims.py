"""The command `sandproof claims`: the table of claims; with an id, everything about one."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import sandproof
from sandproof.claim_result import ClaimResult
from sandproof.commands.options import add_family, add_run_options, how_to_check
from sandproof.families import NAMES, claims_of
from sandproof.formats.data import claim_to_json
from sandproof.formats.text import HEADINGS, Writer
from sandproof.problems import known_claim
from sandproof.result import NOT_PROVED, PROVED, REFUTED
from spec.verdicts import Claim, Finding, Verdict

EXAMPLES = """\
examples:
  sandproof claims                                  every claim with its verdict
  sandproof claims --list                           the same without running a check
  sandproof claims the_ledger_never_passes_the_caps statement, proof, assumptions, limits
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser], summary: str) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "claims",
        help=summary,
        description="List every claim about the paper's rules with its verdict, or show one.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("claim", nargs="?", metavar="ID")
    parser.add_argument("--list", action="store_true", help="run no check, show no verdicts")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    add_family(parser)
    add_run_options(parser)
    parser.set_defaults(run=run, effort="quick")


def run(arguments: argparse.Namespace) -> int:
    """Run the checks of the claims that are asked for, and show what they found."""
    from sandproof import formats

    name: str | None = arguments.claim
    family = arguments.family or "paper"
    if name is not None:
        (family,) = (each for each in NAMES if known_claim(name) in claims_of(each))
    claims = claims_of(family)
    wanted = (name,) if name is not None else tuple(claims)
    notes: tuple[str, ...] = ()
    if arguments.list:
        rows = [ClaimResult(claim=claims[each], why="not run") for each in wanted]
    else:
        arguments.only = wanted
        result = sandproof.check(family=family, **how_to_check(arguments))
        rows, notes = list(result.claims), result.notes
    if arguments.format == "json":
        listed = [in_full(row) for row in rows]
        formats.write(json.dumps(listed, indent=2, ensure_ascii=False), None)
    else:
        text = table(rows, verdicts=not arguments.list) if name is None else shown(rows[0])
        print("\n".join((text, *notes)))
    found = {row.verdict for row in rows} if not arguments.list else set()
    if Verdict.REFUTED in found:
        return REFUTED
    return NOT_PROVED if found - {Verdict.PROVED} else PROVED


def in_full(row: ClaimResult) -> dict[str, object]:
    """Return a claim with everything that is known about it as plain data."""
    claim = row.claim
    return claim_to_json(row) | {
        "formula": claim.formula,
        "subjects": list(claim.subjects),
        "rules": list(claim.rules),
        "not_covered": claim.not_covered,
        "proof": proof_file(claim),
    }


def proof_file(claim: Claim) -> str:
    """Return the file that holds the proof of a claim, if there is one."""
    import proofs

    home = Path(proofs.__file__).parent
    found = sorted(home.rglob(f"{claim.id}.py"))
    return f"proofs/{found[0].relative_to(home)}" if found else ""


def table(rows: list[ClaimResult], verdicts: bool) -> str:
    """Return the claims as a table, by kind."""
    from sandproof import formats

    out = Writer(formats.in_colour())
    for kind, heading in HEADINGS:
        out.heading(heading)
        for row in rows:
            if row.claim.kind is not kind:
                continue
            verdict = f"{row.verdict.value:<8} " if verdicts else ""
            place = row.claim.paper.replace("none (", "beyond it (")
            painted = out.paint(verdict, row.verdict.value) if verdicts else ""
            out.lines.append(f"  {painted}{row.claim.id:<48} {place}")
            if verdicts and row.verdict in (Verdict.REFUTED, Verdict.UNKNOWN):
                out.wrap(row.reason, indent=11)
    counts = {verdict: sum(row.verdict is verdict for row in rows) for verdict in Verdict}
    told = ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items() if count)
    out.lines += ["", f"{len(rows)} claims: {told}" if verdicts else f"{len(rows)} claims"]
    return "\n".join(out.lines[1:])


def shown(row: ClaimResult) -> str:
    """Return everything about one claim as text."""
    from sandproof import formats

    claim = row.claim
    out = Writer(formats.in_colour())
    out.lines.append(out.paint(claim.id, "heading"))
    out.wrap(claim.statement)
    facts = (
        ("Kind", claim.kind.value),
        ("Paper", claim.paper),
        ("Promise", row.told_promise),
        ("Neighbours", "" if claim.relation is None else claim.relation.name),
        ("About", ", ".join(claim.subjects)),
        ("Depends on", ", ".join(claim.rules) or "no rule"),
        ("Proof", proof_file(claim)),
        ("Not covered", claim.not_covered),
    )
    out.lines.append("")
    for name, value in facts:
        if value:
            out.wrap(f"{name}: {value}")
    for finding in row.findings:
        write_finding(out, finding)
    verdict = row.verdict.value
    out.lines += ["", f"{out.paint(verdict, verdict)}: {claim.id}"]
    return "\n".join(out.lines)


def write_finding(out: Writer, finding: Finding) -> None:
    """Write what a check found, step by step."""
    out.heading(f"{finding.check}: {finding.verdict.value} in {finding.seconds or '0'} s")
    for name, value in (
        ("Method", finding.method),
        ("Bound", finding.bound),
        ("Assumes", finding.assumes),
        ("Found", finding.detail),
    ):
        if value:
            out.wrap(f"{name}: {value}")
    for step in finding.steps:
        by = f" ({step.by})" if step.by else ""
        detail = f": {step.detail}" if step.detail else ""
        out.wrap(f"{step.verdict.value} {step.name}{by}{detail}", indent=4)
