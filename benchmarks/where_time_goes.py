"""Show where the time of `sandproof check` goes; as a command, write it to benchmarks/profile.md.

The paper's rules and four proposals are checked at the default effort, without the store. In each
child process a timer asks every few milliseconds of processor time what is running, and adds the
time since it last asked. A solver is counted where it returns; cvc5 has no frames of its own and
counts with the proofs that call it. Another tree of the project, such as a checkout of the version
before, is measured in the same run by its own code.

    python -m benchmarks.where_time_goes [TREE]
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import process_time
from types import FrameType

CASES = {
    "charge_real_reports_only": "proposals/charge_real_reports_only.py",
    "drop_repeated_reports": "proposals/drop_repeated_reports.py",
    "filtering_ids": "proposals/filtering_ids.py",
    "charge_every_window_twice": "proposals/charge_every_window_twice.py",
    "the paper's rules": None,
}
INTERVAL = 0.005
PLACES = {
    f"{os.sep}z3{os.sep}": "z3",
    f"{os.sep}sympy{os.sep}": "sympy",
    "properties/game/": "games",
    "properties/solve.py": "games",
    "properties/machines": "machines",
    "properties/closed_forms": "closed forms",
    "properties/searches": "scripts",
    "proofs/": "symbolic runs, proofs and cvc5",
    "sandproof/proposal.py": "loading",
    "sandproof/integrity.py": "loading",
}
"""What a file on the stack stands for: that of the innermost frame that is listed."""

WHOLE = "all processes"
IMPORTS = "imports"
REST = "the rest: forks, planning, what no line above names"


def place_of(frame: FrameType | None) -> str:
    """Say what is running."""
    while frame is not None:
        for part, name in PLACES.items():
            if part in frame.f_code.co_filename:
                return name
        frame = frame.f_back
    return REST


def sampled(work: Callable[[], object], folder: Path) -> object:
    """Run work, and write down how much processor time what has taken."""
    spent: Counter[str] = Counter()
    last = process_time()

    def ask(_: int, frame: FrameType | None) -> None:
        nonlocal last
        now = process_time()
        spent[place_of(frame)] += now - last
        last = now

    signal.signal(signal.SIGPROF, ask)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)
    try:
        return work()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        (folder / str(os.getpid())).write_text(json.dumps(spent))


def measure(path: str | None) -> dict[str, float]:
    """Check a proposal in this process and its children; return seconds by what took them."""
    start = process_time()
    from sandproof import children, integrity, verdict
    from sandproof.about import Request
    from sandproof.jobs import Options

    # A check that comes to its proofs imports every module, to see that none is changed.
    list(integrity.own_modules())
    imports = process_time() - start
    with tempfile.TemporaryDirectory() as name:
        folder, run_guarded = Path(name), children.run_guarded
        children.run_guarded = lambda *given: sampled(lambda: run_guarded(*given), folder)  # type: ignore[assignment, return-value]
        (result,) = verdict.run([Request(path=path and Path(path))], Options(jobs=1))  # type: ignore[arg-type]
        spent = Counter({IMPORTS: imports})
        for file in folder.iterdir():
            spent.update(json.loads(file.read_text()))
    times = os.times()
    spent[WHOLE] = times.user + times.system + times.children_user + times.children_system
    spent[REST] = spent[WHOLE] - sum(x for name, x in spent.items() if name not in (WHOLE, REST))
    print(json.dumps({"verdict": result.verdict.value, "spent": spent}))
    return dict(spent)


def measured(tree: Path, path: str | None) -> tuple[str, dict[str, float]]:
    """Check a proposal with the code of a tree, in a process of its own."""
    program = (
        "import importlib.util as u; "
        f"s = u.spec_from_file_location('measuring', {str(Path(__file__).resolve())!r}); "
        f"m = u.module_from_spec(s); s.loader.exec_module(m); m.measure({path!r})"
    )
    environment = {**os.environ, "SANDPROOF_CACHE": "", "PYTHONPATH": str(tree)}
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(ran.stdout.splitlines()[-1])
    return found["verdict"], found["spent"]


def table(name: str, found: list[tuple[str, dict[str, float]]]) -> str:
    """Return the table of one proposal: now, and in the other tree if there is one."""
    headings = ["now", "before"][: len(found)]
    lines = [f"## {name}: {' / '.join(verdict for verdict, _ in found)}", ""]
    lines += [f"| what | {' | '.join(f'{x}, s | {x}, %' for x in headings)} |"]
    lines += ["| --- |" + " ---: | ---: |" * len(found)]
    rows = sorted(
        {row for _, spent in found for row in spent if spent[row] >= 0.05},
        key=lambda row: -found[0][1].get(row, 0.0),
    )
    for row in rows:
        cells = [
            f"{spent.get(row, 0.0):.1f} | {100 * spent.get(row, 0.0) / spent[WHOLE]:.0f}"
            for _, spent in found
        ]
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def main(*others: str) -> str:
    """Measure every case here and in other trees; print the tables and return them."""
    here = Path(__file__).resolve().parent.parent
    trees = [here, *(Path(each).resolve() for each in others)]
    texts = []
    for name, path in CASES.items():
        texts.append(table(name, [measured(tree, path) for tree in trees]))
        print(texts[-1], flush=True)
    return "\n".join(texts)


HEADING = """\
# Where the time of `sandproof check` goes

Written by `python -m benchmarks.where_time_goes`: seconds of processor time on one core,
default effort, without the store. Checks run in child processes, one after the other.

"""

if __name__ == "__main__":
    found = HEADING + main(*sys.argv[1:])
    Path(__file__).with_name("profile.md").write_text(found, encoding="utf-8")
