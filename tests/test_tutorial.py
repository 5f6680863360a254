"""Every command of the tutorial does what the tutorial says, and so does that of the README."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sandproof.store import FOLDER

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(\S+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
CAPTION = re.compile(r"\A:caption: (\S+)\n\n")
STATUS = re.compile(r"\[exit status (\d+)\]")


@dataclass(frozen=True)
class File:
    name: str
    text: str


@dataclass(frozen=True)
class Command:
    words: list[str]
    shown: list[str]
    status: int

    @property
    def last(self) -> str:
        """Return the last line of output that the tutorial shows, if it shows one."""
        return self.shown[-1] if self.shown and self.shown[-1] != "..." else ""

    @property
    def first(self) -> str:
        """Return the first line of output that the tutorial shows, if it shows one."""
        return self.shown[0] if self.shown and self.shown[0] != "..." else ""


def read(text: str) -> Iterator[File | Command]:
    """Yield the files and the commands of a tutorial in order."""
    for kind, body in BLOCK.findall(text):
        caption = CAPTION.match(body)
        if kind == "console":
            for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, *lines = part.rstrip().splitlines()
                status = STATUS.fullmatch(lines[-1]) if lines else None
                shown = lines if status is None else lines[:-1]
                yield Command(shlex.split(command), shown, int(status[1]) if status else 0)
        elif caption is not None:
            yield File(caption[1], body[caption.end() :])


def run(words: list[str], directory: Path, store: str = "") -> subprocess.CompletedProcess[str]:
    assert words[0] == "sandproof"
    return subprocess.run(
        [sys.executable, "-m", "sandproof.main", *words[1:]],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT), FOLDER: store},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_command_of_the_tutorial_does_what_it_shows(tmp_path: Path) -> None:
    steps = list(read((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")))
    commands = [step for step in steps if isinstance(step, Command)]
    assert len(commands) >= 5
    assert {command.status for command in commands} == {0, 1}
    for step in steps:
        if isinstance(step, File):
            (tmp_path / step.name).write_text(step.text, encoding="utf-8")
            continue
        ran = run(step.words, tmp_path, store=str(tmp_path / "store"))
        said = ran.stdout.rstrip().splitlines()
        assert ran.returncode == step.status, (step.words, ran.stdout[-2000:], ran.stderr)
        if step.shown and not any("..." in line for line in step.shown):
            assert said == step.shown
        if step.first:
            assert said[0] == step.first
        if step.last:
            start, dots, _ = step.last.partition("...")
            assert said[-1].startswith(start), (step.words, said[-1])
            assert dots or said[-1] == start


def test_the_readme_shows_what_the_command_prints(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (proposal,) = (body for kind, body in BLOCK.findall(text) if kind == "python")
    (command,) = read(text)
    assert isinstance(command, Command)
    (tmp_path / command.words[-1]).write_text(proposal, encoding="utf-8")
    ran = run(command.words, tmp_path)
    assert ran.returncode == 1, ran.stderr
    assert ran.stdout.rstrip().splitlines() == command.shown


def test_a_block_is_read_as_it_is_shown() -> None:
    text = "```console\n$ sandproof a b\n...\nholds: b\n[exit status 1]\n```\n"
    text += "```{code-block} python\n:caption: f.py\n\nx = 1\n```\n```python\nskipped\n```\n"
    command, file = read(text)
    assert command == Command(["sandproof", "a", "b"], ["...", "holds: b"], 1)
    assert file == File("f.py", "x = 1\n")
