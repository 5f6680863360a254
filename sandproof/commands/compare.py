"""The command `sandproof compare`: two proposals side by side, or versions of a family."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sandproof.commands.options import add_run_options, how_to_check

if TYPE_CHECKING:
    from sandproof.families import Rules
    from sandproof.result import Result

PUBLISHED = ("paper", "level_1_2026_05", "level_1_one_draw")
"""The versions that can be named in the place of a proposal; the first is the paper's own rules."""

EXAMPLES = """\
examples:
  sandproof compare paper my_change.py          what a change costs
  sandproof compare first.py second.py          two drafts of a change
  sandproof compare first.py second.py --format markdown
  sandproof compare level_1_2026_05 level_1_one_draw   two versions of Attribution Level 1

exit status: 0 no guarantee lost anything, 1 one is refuted that was not, 4 one promises less or
something that cannot be compared, 3 less is shown of one, 2 bad input
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser], summary: str) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "compare",
        help=summary,
        description="Check two proposals and show their guarantees side by side.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    help_ = f"a proposal, or one of {', '.join(PUBLISHED)}"
    parser.add_argument("old", metavar="OLD", help=help_)
    parser.add_argument("new", metavar="NEW", help=help_)
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    add_run_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check both and print the guarantees side by side."""
    import sandproof
    from sandproof.problems import BadInput, parsed

    for name in (arguments.old, arguments.new):
        if name not in PUBLISHED:
            parsed(Path(name))
    # Only here, because it takes the specification with it.
    from sandproof.compare import status_of

    named = [published(x) if x in PUBLISHED else Path(x) for x in (arguments.old, arguments.new)]
    old, new = sandproof.check_all(named, **how_to_check(arguments))
    for result in (old, new):
        if result.bad_input:
            print(f"sandproof: {result.bad_input}", file=sys.stderr)
    if old.about.family != new.about.family and not (old.bad_input or new.bad_input):
        raise BadInput(f"{old.about.name} and {new.about.name} are rules of different families")
    if not (old.bad_input or new.bad_input):
        print(
            {"text": as_text, "json": as_json, "markdown": as_markdown}[arguments.format](old, new)
        )
    return status_of(old, new)


def published(name: str) -> Rules | None:
    """Return the rules of a version; the paper's own need not be named."""
    if name == PUBLISHED[0]:
        return None
    from sandproof.families import families

    versions = {x.lower(): rules for each in families() for x, rules in each.versions.items()}
    return versions[name]


def as_text(old: Result, new: Result) -> str:
    """Return two results side by side as text."""
    from sandproof import formats
    from sandproof.compare import rows_of
    from sandproof.formats.text import Writer
    from sandproof.why import opening

    out = Writer(formats.in_colour(), formats.width())
    out.wrap(f"Old: {old.about.name}: {old.verdict.value}", indent=0)
    out.wrap(f"New: {new.about.name}: {new.verdict.value}", indent=0)
    if sentence := opening(new):
        out.wrap(sentence, style=new.verdict.value)
    for row in rows_of(old, new):
        out.heading(row.new.claim.id)
        style = "refuted" if row.broken else ""
        verdicts = f"{row.old.verdict.value} → {row.new.verdict.value}: {row.told}"
        out.wrap(verdicts, style=style)
        out.wrap(f"promise: {row.told_promise}")
    return "\n".join(out.lines)


def as_markdown(old: Result, new: Result) -> str:
    """Return two results side by side as a table."""
    from sandproof.compare import rows_of
    from sandproof.formats.markdown import escaped

    lines = [
        f"| guarantee | {escaped(old.about.name)} | {escaped(new.about.name)} | promise | change |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in rows_of(old, new):
        before, after = row.old.verdict.value, row.new.verdict.value
        promise = escaped(row.told_promise)
        lines.append(f"| `{row.new.claim.id}` | {before} | {after} | {promise} | {row.told} |")
    return "\n".join(lines)


def as_json(old: Result, new: Result) -> str:
    """Return two results side by side as JSON."""
    from sandproof.compare import rows_of, status_of
    from sandproof.formats.data import SCHEMA_VERSION

    rows = [
        {
            "id": row.new.claim.id,
            "old": row.old.verdict.value,
            "new": row.new.verdict.value,
            "promise": row.told_promise,
            "compared": row.strength.name.lower(),
            "change": row.told,
        }
        for row in rows_of(old, new)
    ]
    data = {
        "schema_version": SCHEMA_VERSION,
        "old": old.about.name,
        "new": new.about.name,
        "exit_status": status_of(old, new),
        "guarantees": rows,
    }
    return json.dumps(data, indent=2, ensure_ascii=False)
