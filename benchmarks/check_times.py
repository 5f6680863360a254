"""Measure how long `sandproof check` takes, for the paper's rules and every proposal.

Each check is a command of its own at the default effort and without the store, timed from start to
end, on all cores. Broken proposals are checked with several seeds, and must be refuted with each of
them; when they are first said to be is timed as well. Sound ones are checked once more at quick
effort. The last columns are times against that of the paper's own rules, in the same run.

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


def check(path: Path | None, seed: int, effort: str = "standard") -> tuple[str, float, float]:
    """Check a proposal, or the paper's own rules; return the verdict and the seconds.

    The first seconds are those to the first line that tells a verdict, the others those to the end.
    """
    what = [] if path is None else [str(path)]
    options = ["--seed", str(seed), "--effort", effort, "--no-cache"]
    command = [sys.executable, "-m", "sandproof.main", "check", *what, *options]
    start = perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as child:
        assert child.stdout is not None
        child.stdout.readline()
        first = perf_counter() - start
        child.stdout.read()
    return VERDICTS.get(child.returncode, "failed"), first, perf_counter() - start


def main(seeds: int = SEEDS) -> None:
    """Print the time of every check, and the median and the longest of each verdict."""
    verdict, _, paper = check(None, 0)
    print(f"{'what':<45} {'verdict':<9} {'first':>8} {'whole':>8} {'ratios':>13}")
    print(f"{'the paper':<45} {verdict:<9} {'':>8} {paper:6.1f} s", flush=True)
    times: dict[str, list[float]] = {}
    for path in sorted(Path("proposals").glob("[a-z]*.py")):
        verdict, early, seconds = check(path, 0)
        found, firsts, waited = {verdict}, [early], [seconds]
        if verdict == "refuted":
            for seed in range(1, seeds):
                verdict, early, seconds = check(path, seed)
                found.add(verdict)
                firsts.append(early)
                waited.append(seconds)
            times.setdefault("refuted, first line", []).extend(firsts)
        if verdict == "holds":
            quick, _, seconds = check(path, 0, "quick")
            times.setdefault(f"{quick}, quick effort", []).append(seconds)
        said = " or ".join(sorted(found))
        times.setdefault(said, []).extend(waited)
        first, typical = median(firsts), median(waited)
        print(
            f"{path.stem:<45} {said:<9} {first:6.1f} s {typical:6.1f} s "
            f"{first / paper:6.2f} {typical / paper:6.2f}",
            flush=True,
        )
    for said, waited in times.items():
        middle, longest = median(waited), max(waited)
        print(
            f"{said}: {len(waited)} checks, median {middle:.1f} s ({middle / paper:.2f} of the "
            f"paper's), max {longest:.1f} s ({longest / paper:.2f})"
        )
    print(f"seeds for broken proposals: {seeds}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
