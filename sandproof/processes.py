"""Run work in child processes with limits on time and memory, and leave nothing running.

The parent has everything imported and forks a child per task, so that a task costs a few
milliseconds to start, sees what the parent sees, and can do no harm but to itself. A child leads a
process group of its own, which is killed with it. It answers with plain data through a pipe.

Limits are on processor time, so that a busy machine ends nothing early. A child that waits for
something, and uses no processor, is ended after a multiple of its limit.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import os
import pickle
import resource
import select
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from types import TracebackType
from typing import IO

from sandproof.calls import Calls
from sandproof.this_process import CHILD

GIBIBYTE = 2**30
TICK = 0.05
PRINTED = 200
COLLECTED = (50_000, 20, 50)
"""How often a child looks for garbage: after so many new values, and so many such looks.

A check makes many small values and hardly any cycles; looking for them took an eighth of its time.
"""

LARGEST_OUTPUT = 16 * 2**20
PARENT_DEATH_SIGNAL = 1
PATIENCE = 3
"""How many times as long as it may calculate a child may take in all."""

SYMBOLIC = 3
"""How many times as long a call may take when a proof runs it on symbolic numbers."""


class Ending(Enum):
    """Say how a child ended."""

    ANSWERED = auto()
    OUT_OF_TIME = auto()
    HUNG = auto()
    DIED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Name a piece of work, and bound its seconds and those of a single call of a changed rule.

    They are seconds of processor time.
    """

    name: str
    work: Callable[[Calls], object]
    seconds: float
    call_seconds: float = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Hold how a task ended, what it answered, which rule was running, and what it printed."""

    task: Task
    ending: Ending
    answer: object = None
    how: str = ""
    rule: str = ""
    printed: str = ""
    seconds: float = 0.0
    call_seconds: float = 0.0


@dataclass(slots=True, kw_only=True)
class Child:
    """Hold a child that is running."""

    task: Task
    pid: int
    pipe: int
    trace: Calls
    output: IO[bytes]
    started: float
    received: bytearray = field(default_factory=bytearray)
    call: int = 0
    call_started: float = 0.0
    call_worked: float = 0.0

    def seconds(self) -> float:
        """Return for how long it has been running."""
        return time.monotonic() - self.started

    def overdue(self) -> Ending | None:
        """Say whether the task, or a single call of a rule, has taken too long."""
        now, worked = time.monotonic(), processor_seconds(self.pid)
        if too_long(worked, now - self.started, self.task.seconds):
            return Ending.OUT_OF_TIME
        calls, rule, symbolic = self.trace.now
        most = self.task.call_seconds * (SYMBOLIC if symbolic else 1)
        if calls != self.call or not rule:
            self.call, self.call_started, self.call_worked = calls, now, worked
        elif too_long(worked - self.call_worked, now - self.call_started, most):
            return Ending.HUNG
        return None

    def receive(self) -> None:
        """Read what has come through the pipe."""
        with suppress(BlockingIOError):
            while part := os.read(self.pipe, 1 << 16):
                self.received += part

    def kill(self) -> None:
        """End the child and whatever it has started in its group."""
        for end in (os.killpg, os.kill):
            with suppress(ProcessLookupError, PermissionError):
                end(self.pid, signal.SIGKILL)

    def close(self) -> str:
        """Give back what the parent holds for it; return the beginning of what it printed."""
        os.close(self.pipe)
        self.trace.close()
        self.output.seek(0)
        text = self.output.read(PRINTED).decode(errors="replace")
        self.output.close()
        return text


class Pool:
    """Run tasks side by side; on leaving, end those that still run."""

    def __init__(self, jobs: int, memory: int | None = None) -> None:
        self.jobs = jobs
        self.memory = memory_limit(jobs) if memory is None else memory
        self.running: list[Child] = []

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for child in self.running:
            child.kill()
        for child in self.running:
            os.waitpid(child.pid, 0)
            child.close()
        self.running.clear()
        gc.unfreeze()

    @property
    def has_room(self) -> bool:
        """Tell whether another task may start."""
        return len(self.running) < self.jobs

    def start(self, task: Task) -> None:
        """Start a task in a child process."""
        trace, output = Calls(), tempfile.TemporaryFile()  # noqa: SIM115
        reading, writing = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        # A child that looks for garbage need not look at what it was given.
        gc.freeze()
        pid = forked()
        if pid == 0:
            os.close(reading)
            _be_child(task, trace, writing, output.fileno(), parent, self.memory)
        os.close(writing)
        os.set_blocking(reading, False)
        with suppress(ProcessLookupError, PermissionError):
            os.setpgid(pid, pid)
        self.running.append(
            Child(
                task=task,
                pid=pid,
                pipe=reading,
                trace=trace,
                output=output,
                started=time.monotonic(),
                call_started=time.monotonic(),
            )
        )

    def stop(self, unwanted: Callable[[Task], bool]) -> None:
        """End the running tasks that nobody needs any more."""
        for child in [child for child in self.running if unwanted(child.task)]:
            self._finish(child, Ending.DIED)

    def wait(self, tick: Callable[[], None] = lambda: None) -> Outcome | None:
        """Wait until a task ends, or nothing is running any more; call `tick` now and then."""
        while self.running:
            select.select([child.pipe for child in self.running], [], [], TICK)
            for child in self.running:
                child.receive()
                pid, status = os.waitpid(child.pid, os.WNOHANG)
                if pid:
                    return self._finish(child, Ending.DIED, status)
                overdue = child.overdue()
                if overdue is not None:
                    return self._finish(child, overdue)
            tick()
        return None

    def _finish(self, child: Child, ending: Ending, status: int | None = None) -> Outcome:
        rule = child.trace.now[1]
        child.kill()
        if status is None:
            os.waitpid(child.pid, 0)
        else:
            child.receive()
        self.running.remove(child)
        answer: object = None
        with suppress(Exception):
            answer = pickle.loads(child.received)
            ending = Ending.ANSWERED
        how = "" if status is None or ending is Ending.ANSWERED else ended(status)
        return Outcome(
            task=child.task,
            ending=ending,
            answer=answer,
            how=how,
            rule=rule,
            seconds=child.seconds(),
            call_seconds=time.monotonic() - child.call_started,
            printed=child.close(),
        )


def forked() -> int:
    """Fork, without the warning that Python 3.12 and later have about threads of the parent.

    A child that waits for what such a thread held when it was made is ended like any that waits.
    Of a warning Python leaves a note in the module that it is about, even of one that it does not
    show, and a module is to stay as it is.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    globals().pop("__warningregistry__", None)
    return pid


def too_long(worked: float, passed: float, most: float) -> bool:
    """Tell whether something has calculated, or waited, for longer than it may."""
    return worked > most or passed > PATIENCE * most


def processor_seconds(pid: int) -> float:
    """Return how long a process has calculated; where the system does not tell, nothing."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            numbers = file.read().rpartition(")")[2].split()
        return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0


def memory_limit(jobs: int) -> int:
    """Return how much more memory a child may use: a share of what there is, from 1 to 4 GiB."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(GIBIBYTE, min(4 * GIBIBYTE, there // (jobs + 1)))


def memory_used() -> int:
    """Return how much address space this process uses already, where the system tells."""
    with suppress(OSError), open("/proc/self/statm", encoding="utf-8") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def ended(status: int) -> str:
    """Say how a process ended that did not answer."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"ended the process with exit status {code}"
    return f"crashed the process ({signal.Signals(-code).name})"


def _be_child(
    task: Task, trace: Calls, answers: int, output: int, parent: int, memory: int
) -> None:
    """Do the work under limits, answer, and leave without touching what the parent set up."""
    status = 1
    try:
        os.environ[CHILD] = "1"
        gc.set_threshold(*COLLECTED)
        faulthandler.disable()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        with suppress(OSError):
            os.setpgid(0, 0)
        die_with(parent)
        limit(resource.RLIMIT_AS, memory_used() + memory)
        limit(resource.RLIMIT_CORE, 0)
        limit(resource.RLIMIT_FSIZE, LARGEST_OUTPUT)
        silent = os.open(os.devnull, os.O_RDONLY)
        os.dup2(silent, 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.stdout = sys.stderr = open(1, "w", closefd=False)  # noqa: SIM115
        answer = pickle.dumps(task.work(trace))
        with suppress(Exception):
            sys.stdout.flush()
        while answer:
            answer = answer[os.write(answers, answer) :]
        status = 0
    finally:
        os._exit(status)


def die_with(parent: int) -> None:
    """Ask the system to end this process if its parent ends, where the system can do that."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def limit(what: int, most: int) -> None:
    """Lower a limit of this process, where the system can do that."""
    with suppress(OSError, ValueError):
        _, hard = resource.getrlimit(what)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))
