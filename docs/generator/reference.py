"""The reference: the command line as it describes itself, and the JSON schemas."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from docs.generator.names import ROOT

COMMANDS = ("check", "attack", "claims", "controls", "params", "new", "simulate", "catalogue")
SCHEMAS = {
    "attack.schema.json": "What `sandproof attack --format json` prints.",
    "check.schema.json": "What `sandproof check --format json` prints.",
    "trace.schema.json": "What `sandproof simulate` reads.",
}


def pages() -> dict[str, str]:
    """Return the pages of the command line and of the schemas."""
    return {"reference/commands.md": commands(), "reference/schemas.md": schemas()}


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
