"""The reference: the rules, the command line as it describes itself, and the JSON schemas."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from docs.generator.names import ROOT, label
from sandproof.families.paper_surface import surface
from spec import PAPER

COMMANDS = (
    *("check", "attack", "claims", "controls", "params", "new", "simulate", "catalogue"),
    "campaign",
)
SCHEMAS = {
    "attack.schema.json": "What `sandproof attack --format json` prints.",
    "check.schema.json": "What `sandproof check --format json` prints.",
    "trace.schema.json": "What `sandproof simulate` reads.",
}


def pages() -> dict[str, str]:
    """Return the pages of the rules, of the command line and of the schemas."""
    return {
        "reference/rules.md": rules(),
        "reference/commands.md": commands(),
        "reference/schemas.md": schemas(),
    }


def rules() -> str:
    """Return every rule with what it decides, and a link to the paper's own."""
    lines = [
        "# The rules",
        "",
        "Every decision of the APIs, in the order of {ref}`Rules <"
        + label("spec.rules.Rules")
        + ">`.",
        "The first argument `at` holds all that the rule's party can see:",
        "{ref}`OnDevice <" + label("spec.rules.OnDevice") + ">` on a device,",
        "{ref}`AtService <" + label("spec.rules.AtService") + ">` at the aggregation service.",
        "A proposal that was written for the first surface is [ported](/porting.md) rule by rule.",
        "",
        "| rule | what it decides | the paper's |",
        "| --- | --- | --- |",
    ]
    for rule in surface():
        own = getattr(PAPER, rule.name)
        link = "public values"
        if rule.arguments:
            link = f"{{ref}}`{own.__name__} <{label(f'{own.__module__}.{own.__name__}')}>`"
        said = rule.decides.replace("|", "\\|")
        lines.append(f"| `{rule.call}` | {said} | {link} |")
    return "\n".join([*lines, ""])


def helped(*command: str) -> str:
    """Return what a command says about itself."""
    program = "import sys; from sandproof.main import main; sys.exit(main(sys.argv[1:]))"
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", program, *command, "--help"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.rstrip()


def commands() -> str:
    """Return the reference of the command line."""
    lines = ["# Command line", "", "```text", helped(), "```", ""]
    lines += [
        "Exit status of `check` and `attack`: 0 every guarantee is proved, 1 one is refuted, 2 bad",
        "input, 3 not proved (searched or unknown; `--accept searched` makes searched 0), 70 a",
        "defect of Sandproof itself. For the paper's own rules all claims count.",
        "",
    ]
    for command in COMMANDS:
        lines += [f"## sandproof {command}", "", "```text", helped(command), "```", ""]
    return "\n".join(lines)


def schemas() -> str:
    """Return the JSON schemas: what each field means, and the schema itself."""
    lines = ["# JSON schemas", ""]
    found = {path.name for path in (ROOT / "sandproof" / "schemas").glob("*.json")}
    for name in sorted(found):
        text = (ROOT / "sandproof" / "schemas" / name).read_text(encoding="utf-8")
        described = json.loads(text).get("description", "")
        lines += [f"## {name}", "", SCHEMAS.get(name, described), described, ""]
        lines += ["```json", text.rstrip(), "```", ""]
    return "\n".join(lines)
