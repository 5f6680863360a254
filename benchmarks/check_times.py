"""Measure how long `sandproof check` takes, for the paper's rules and every proposal.

Each check is a command of its own at the default effort, timed from start to end, on all cores.
Broken proposals are checked with several seeds, and must be refuted with each of them. Sound ones
are checked once more at quick effort. The last column is the time at the default effort against
that of the paper's own rules, in the same run.

    python -m benchmarks.check_times [SEEDS]
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

VERDICTS = {0: "holds", 1: "refuted", 2: "bad input", 3: "undecided"}
SEEDS = 2


def check(path: Path | None, seed: int, effort: str = "standard") -> tuple[str, float]:
    """Check a proposal, or the paper's own rules; return the verdict and the seconds."""
    what = [] if path is None else [str(path)]
    options = ["--seed", str(seed), "--effort", effort]
    command = [sys.executable, "-m", "sandproof.main", "check", *what, *options]
    start = perf_counter()
    ran = subprocess.run(command, capture_output=True, check=False)
    return VERDICTS.get(ran.returncode, "failed"), perf_counter() - start


def main(seeds: int = SEEDS) -> None:
    """Print the time of every check, and the median and the longest of each verdict."""
    verdict, paper = check(None, 0)
    print(f"{'the paper':<45} {verdict:<9} {paper:6.1f} s", flush=True)
    times: dict[str, list[float]] = {}
    for path in sorted(Path("proposals").glob("[a-z]*.py")):
        verdict, seconds = check(path, 0)
        found, waited = {verdict}, [seconds]
        if verdict == "refuted":
            for seed in range(1, seeds):
                verdict, seconds = check(path, seed)
                found.add(verdict)
                waited.append(seconds)
        if verdict == "holds":
            quick, seconds = check(path, 0, "quick")
            times.setdefault(f"{quick}, quick effort", []).append(seconds)
        said = " or ".join(sorted(found))
        times.setdefault(said, []).extend(waited)
        typical = median(waited)
        ratio = typical / paper
        print(f"{path.stem:<45} {said:<9} {typical:6.1f} s {ratio:6.2f}", flush=True)
    for said, waited in times.items():
        print(
            f"{said}: {len(waited)} checks, median {median(waited):.1f} s, max {max(waited):.1f} s"
        )
    print(f"seeds for broken proposals: {seeds}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
