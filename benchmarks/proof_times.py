"""Print the time of every proof for the paper's rules, and of all proofs together.

Seconds are those on the clock. The last columns are what the processor spent, which does not depend
on what else runs, and how many times as much that is as for the first proof. Lemmas run first, the
guarantees that are chains of lemmas last: a chain recalls what its lemmas found, so that its time
is what it adds to them.

    python -m benchmarks.proof_times [CLAIM ...]
"""

from __future__ import annotations

import sys
from time import perf_counter, process_time

from proofs import CHECKS
from spec import PAPER
from spec.claims import CLAIMS
from spec.verdicts import Kind


def main(claims: list[str] | None = None) -> None:
    """Run the proofs of the given claims, or all."""
    chosen = [check for check in CHECKS if not claims or check.claim in claims]
    chosen.sort(key=lambda check: CLAIMS[check.claim].kind is Kind.GUARANTEE)
    clock: dict[str, float] = {}
    spent: dict[str, float] = {}
    print(f"{'proof':50} {'verdict':>8} {'steps':>6} {'seconds':>8} {'processor':>10} {'ratio':>6}")
    for check in chosen:
        claim, start, begun = check.claim, perf_counter(), process_time()
        found = check.run(PAPER)
        clock[claim], spent[claim] = perf_counter() - start, process_time() - begun
        verdict, steps = found.verdict.value, len(found.steps)
        ratio = spent[claim] / next(iter(spent.values()))
        print(
            f"{claim:50} {verdict:>8} {steps:>6} {clock[claim]:>8.2f} {spent[claim]:>10.2f} "
            f"{ratio:>6.1f}"
        )
    slowest = max(clock, key=lambda claim: clock[claim])
    total, processor = sum(clock.values()), sum(spent.values())
    print(f"{len(clock)} proofs: {total:.1f} s, {processor:.1f} s of the processor")
    print(f"slowest: {slowest}, {clock[slowest]:.1f} s, {spent[slowest]:.1f} s of the processor")


if __name__ == "__main__":
    main(sys.argv[1:])
