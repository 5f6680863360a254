"""The script for a shell completes commands, options, claims and files, in a real bash."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sandproof.commands.completion import SHELLS
from sandproof.main import COMMANDS, main

ASK = """
source ./script
COMP_WORDS=(sandproof {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
COMP_LINE="${{COMP_WORDS[*]}}"; COMP_POINT=${{#COMP_LINE}}
$(complete -p sandproof | sed -E 's/.*-F ([^ ]+).*/\\1/')
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Return a folder that holds the script and a proposal."""
    assert main(["completion", "bash"]) == 0
    (tmp_path / "script").write_text(capsys.readouterr().out, encoding="utf-8")
    (tmp_path / "my_change.py").touch()
    return tmp_path


def offered(folder: Path, words: str) -> set[str]:
    """Return what bash offers for the last of some words."""
    done = subprocess.run(
        ["bash", "-c", ASK.format(words=words)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return set(done.stdout.split())


def test_bash_completes_commands_options_values_claims_and_files(folder: Path) -> None:
    assert offered(folder, "''") >= set(COMMANDS)
    assert offered(folder, "co") == {"compare", "controls", "completion"}
    assert offered(folder, "check --eff") == {"--effort"}
    assert offered(folder, "check --effort ''") == {"quick", "standard", "deep"}
    assert offered(folder, "claims null_") == {"null_reports_are_charged"}
    assert "null_reports_are_charged" in offered(folder, "check --only null")
    assert offered(folder, "check my_") == {"my_change.py"}
    assert offered(folder, "simulate trace.json --rules my_") == {"my_change.py"}


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_gets_a_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(command in script for command in COMMANDS)
    assert "fail-if-weaker" in script
