"""What a campaign asks, and how one process answers it: the same on this machine and on others.

A question is a proposal with parameters, an effort and a seed, or one row of the table of how tight
the paper's threshold is. It carries the proposal's files, so that it can be answered where they are
not. `Answerer` starts a process of its own for questions
(`python -m sandproof.questions`), which writes the files to a folder that nobody else has, runs
the checks in limited children as `sandproof check` does, and answers with the published JSON.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import chdir
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path

import sandproof
from sandproof.exact_numbers import Settings
from sandproof.families.parameters import own_parameters
from sandproof.settings import parse_settings
from sandproof.store import fleeting, users_store, version_digest

ATTEMPTS = 2
"""How often a question is asked whose process ends without an answer."""

VERDICT, TIGHTNESS = "verdict", "tightness"
"""What may be asked."""

Data = dict[str, object]


class Unanswered(Exception):
    """Report in one line that a question has no answer yet, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Ask for the verdict on a proposal; without files it is about the paper's own rules.

    `name` is what the campaign calls the proposal. `files` are its contents by their place beside
    the proposal, its own first. A number is written as a fraction, the base e as nothing.
    """

    name: str
    files: tuple[tuple[str, str], ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    effort: str = "standard"
    seed: int = 0
    only: tuple[str, ...] = ()
    timeout: float | None = None
    cached: bool = True
    asks: str = VERDICT

    @property
    def asked(self) -> Data:
        """Return what is asked, whatever the files hold now."""
        return {
            "proposal": self.name,
            "parameters": {name: value or "e" for name, value in self.settings},
            "effort": self.effort,
            "seed": self.seed,
            "only": list(self.only),
            **({} if self.asks == VERDICT else {"asks": self.asks}),
        }

    @property
    def place(self) -> str:
        """Name the question by a digest of what is asked."""
        return digest(self.asked)

    @property
    def digest(self) -> str:
        """Return a digest of all that the answer depends on, this project's source included."""
        return digest([self.asked, self.files, version_digest()])

    @property
    def told(self) -> str:
        """Tell the question in a few words."""
        numbers = [f"{name} = {value or 'e'}" for name, value in self.settings]
        return ", ".join([self.name, *numbers, f"seed {self.seed}"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Hold the answer to a question; one that is not `lasting` may be another the next time.

    `version` is that of the source which answered, and `result` the published JSON.
    """

    version: str
    status: int
    lasting: bool
    result: Mapping[str, object]


def digest(data: object) -> str:
    """Return a digest of plain data."""
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()[:32]


def written(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Return parameters as a question carries them."""
    return tuple((name, "" if value is None else str(value)) for name, value in settings)


def answer(question: Question) -> Answer:
    """Answer a question in this process."""
    return {VERDICT: _verdict, TIGHTNESS: _tightness}[question.asks](question)


def _tightness(question: Question) -> Answer:
    """Compare the thresholds at one point, or solve the small universe for one threshold."""
    from properties.closed_forms.tightness import row, small_row

    numbers = {name: Fraction(value) for name, value in question.settings}
    if "threshold" in numbers:
        cells = small_row(int(numbers["threshold"])).cells()
    else:
        point = (numbers["epsilon"], numbers["delta"], int(numbers["sparsity_budget"]))
        cells = row(*point).cells()
    result = {"verdict": "computed", "headline": ", ".join(cells), "cells": cells}
    return Answer(version=version_digest(), status=0, lasting=True, result=result)


def _verdict(question: Question) -> Answer:
    """Check a proposal as the command does."""
    from sandproof import verdict
    from sandproof.about import Request
    from sandproof.formats.data import to_json
    from sandproof.jobs import Options
    from sandproof.processes import memory_limit
    from sandproof.this_process import cores

    options = Options(
        effort=question.effort,
        seed=question.seed,
        jobs=1,
        timeout=question.timeout,
        memory=memory_limit(cores()),
        only=question.only,
        store=users_store() if question.cached else None,
    )
    texts = [f"{name}={value or 'e'}" for name, value in question.settings]
    settings = parse_settings(texts, own_parameters("paper"))
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for name, text in question.files:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(text.encode("latin-1"))
        path = Path(question.files[0][0]) if question.files else None
        (result,) = verdict.run([Request(path=path, settings=settings)], options)
        # Where files lie says nothing, and is elsewhere each time.
        data = json.dumps(to_json(result)).replace(f"{Path.cwd()}{os.sep}", "")
    findings = [finding for row in result.claims for finding in row.findings]
    return Answer(
        version=version_digest(),
        status=result.exit_status,
        lasting=not (result.interrupted or result.misbehaved or result.exhausted)
        and not any(map(fleeting, findings)),
        result=json.loads(data),
    )


class Answerer:
    """Answer questions in a process of its own, which ends with this one."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None
        self.closed = False

    def __call__(self, question: Question) -> Answer:
        """Answer a question; a process that ends before it has answered is replaced once."""
        for _ in range(ATTEMPTS):
            line = "" if self.closed else self._asked(json.dumps(asdict(question)))
            if line:
                return Answer(**json.loads(line))
            self._end()
        raise Unanswered(f"{question.told}: the process that answers it ended {ATTEMPTS} times")

    def _asked(self, line: str) -> str:
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "sandproof.questions", str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=Path(sandproof.__file__).resolve().parent.parent,
                start_new_session=True,
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            return self.process.stdout.readline()
        except OSError:
            return ""

    def _end(self) -> None:
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.communicate()

    def close(self) -> None:
        """End the process, whatever it is at, and with it the children that run its checks."""
        self.closed = True
        process = self.process
        if process is not None:
            process.kill()
            process.wait()


_own = threading.local()
"""The process that each thread of a worker asks."""


def answer_apart(question: Question) -> Answer:
    """Answer a question in the process that belongs to this thread: what a worker is asked to do.

    A worker has threads and much else running, from which no child should be forked.
    """
    if not hasattr(_own, "answerer"):
        _own.answerer = Answerer()
    answerer: Answerer = _own.answerer
    return answerer(question)


def question_of(data: Mapping[str, object]) -> Question:
    """Read a question from JSON."""
    lists = ("files", "settings", "only")
    tuples = {name: tuple(map(_fixed, data[name])) for name in lists}  # type: ignore[call-overload]
    return Question(**{**data, **tuples})  # type: ignore[arg-type]


def _fixed(part: object) -> object:
    return tuple(part) if isinstance(part, list) else part


def main(parent: int) -> None:
    """Answer the questions that come in, a line each, until there are no more."""
    from sandproof.processes import die_with

    die_with(parent)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        found = answer(question_of(json.loads(line)))
        answers.write(json.dumps(asdict(found)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
