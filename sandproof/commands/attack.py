"""The command `sandproof attack`: the smallest attack on a proposal, told and replayable."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sandproof.commands.options import (
    FORMATS,
    SCENARIO,
    accepted,
    add_family,
    add_options,
    how_to_check,
    refuse_at_once,
)
from sandproof.problems import BadInput

if TYPE_CHECKING:
    from sandproof.claim_result import AttackRecord
    from sandproof.result import Result

EXAMPLES = """\
examples:
  sandproof attack my_change.py
  sandproof attack my_change.py --format json --output attack.json
  sandproof attack my_change.py --pytest test_attack.py && pytest test_attack.py

exit status: as of sandproof check; 1 an attack was found
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser], summary: str) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "attack",
        help=summary,
        description="Check the guarantees of a proposal and tell the smallest attack on them.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("proposal", type=Path, metavar="PROPOSAL")
    add_options(parser, (*FORMATS, SCENARIO))
    add_family(parser)
    parser.add_argument(
        "--pytest", type=Path, metavar="FILE", help="also write a test that replays the attack"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Look for an attack, tell it, and write its test if that is asked for."""
    refuse_at_once(arguments, arguments.proposal)
    # Only here, because they take the specification with them.
    import sandproof
    from sandproof import formats

    others = (file for _, file in arguments.also)
    formats.check_writable(arguments.output, arguments.pytest, *others)
    result = sandproof.check(
        arguments.proposal,
        settings=arguments.settings,
        family=arguments.family,
        **how_to_check(arguments),
    )
    if arguments.format == "text":
        text = as_story(result)
    elif arguments.format == "json":
        text = as_json(result)
    elif arguments.format == SCENARIO:
        text = as_scenario(result)
    else:
        text = formats.render(arguments.format, [result])
    formats.write(text, arguments.output)
    for name, file in arguments.also:
        formats.write(formats.render(name, [result]), file)
    if arguments.pytest is not None:
        write_test(result.attack, arguments.proposal, arguments.pytest)
    return result.status(accepted(arguments), arguments.fail_if_weaker)


def as_story(result: Result) -> str:
    """Return the attack as text, or why there is none."""
    from sandproof import formats
    from sandproof.formats.text import (
        INTERRUPTED,
        Writer,
        write_opening,
        write_story,
        write_verdict,
    )
    from spec.verdicts import Kind, Verdict

    out = Writer(formats.in_colour(), formats.width(), sys.stdout.isatty())
    write_opening(out, result)
    if result.attack is not None:
        broken = [row.claim.id for row in result.claims if row.attack is result.attack]
        out.wrap(f"How {broken[0]} is broken:")
        out.lines.append("")
        write_story(out, result.attack.story)
    elif result.verdict is Verdict.REFUTED:
        for row in result.guarantees(Verdict.REFUTED):
            out.wrap(f"How {row.claim.id} is broken:")
            write_story(out, "\n".join(row.told_counterexample))
    else:
        out.wrap("No attack was found.")
        for row in result.of_kind(Kind.GUARANTEE):
            out.wrap(f"{row.claim.id}: {row.verdict.value}: {row.reason}".rstrip(": "), indent=4)
    if result.interrupted:
        out.heading(INTERRUPTED)
    write_verdict(out, result)
    return "\n".join(out.lines)


def as_json(result: Result) -> str:
    """Return the attack as JSON; `attack` is null if there is none."""
    from sandproof.formats.data import SCHEMA_VERSION

    attack = result.attack
    broken = [row.claim.id for row in result.claims if attack is not None and row.attack is attack]
    data = {
        "schema_version": SCHEMA_VERSION,
        "proposal": result.about.name,
        "verdict": result.verdict.value,
        "headline": result.headline,
        "claim": broken[0] if broken else None,
        "attack": None if attack is None else {"story": attack.story, **attack.data},
    }
    return json.dumps(data, indent=2, ensure_ascii=False)


def as_scenario(result: Result) -> str:
    """Return the attack as a scenario of the W3C's group; other families have none."""
    if result.about.family != "w3c":
        raise BadInput(f"{result.about.name}: {SCENARIO} is a format of --family w3c")
    if result.attack is None:
        raise BadInput(f"{result.about.name}: no attack was found: {result.headline}")
    return json.dumps(result.attack.data["scenario"], indent=2, ensure_ascii=False)


def write_test(attack: AttackRecord | None, proposal: Path, path: Path) -> None:
    """Write the test that replays an attack, if there is one; it finds the proposal from there."""
    from sandproof.claim_result import PROPOSAL
    from sandproof.formats import write

    if attack is None or not attack.test:
        print(f"sandproof: there is no attack to replay; {path} is not written", file=sys.stderr)
        return
    found = os.path.relpath(proposal.resolve(), path.resolve().parent)
    write(attack.test.replace(PROPOSAL, Path(found).as_posix()).rstrip("\n"), path)
