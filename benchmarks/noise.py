"""Measure exact noise: time per sample, one by one and in vectors, with OpenDP beside it.

The law is the discrete Laplace law of a query at the paper's contribution budget. OpenDP draws it
for a vector of zeros; it is measured if it is installed (`pip install 'sandproof[bench]'`). The
last column is the time against that of OpenDP, or else of our vectors, in the same run. Time is
processor time.

    python -m benchmarks.noise [SAMPLES]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from time import process_time

from sandproof.sampling import SeededEntropy, SystemEntropy, discrete_laplace, discrete_laplaces
from spec import PAPER
from spec.noise import DiscreteLaplace
from spec.numbers import NATURAL, Power

SAMPLES = 100_000
EPSILONS = (1, 10, 64)


def of_opendp(scale: float, count: int) -> Callable[[], object] | None:
    """Return what draws a vector with OpenDP, if it is installed."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    measure = dp.m.make_laplace(*space, scale=scale)
    zeros = [0] * count
    return lambda: measure(zeros)


def seconds(draw: Callable[[], object]) -> float:
    """Return the processor time that a draw takes, after one that sets everything up."""
    draw()
    start = process_time()
    draw()
    return process_time() - start


def main(count: int = SAMPLES) -> None:
    """Print the time per sample for several epsilons."""
    print(f"{'epsilon':>7}  {'sampler':<32}  {'us/sample':>9}  {'ratio':>6}")
    for epsilon in EPSILONS:
        scale = Fraction(PAPER.limits.contribution_budget, epsilon)
        noise = DiscreteLaplace(Power(NATURAL, -1 / scale))
        seeded, system = SeededEntropy(0), SystemEntropy()
        draws: dict[str, Callable[[], object] | None] = {
            "OpenDP, a vector": of_opendp(float(scale), count),
            "a vector": lambda: discrete_laplaces(noise, count, seeded),  # noqa: B023
            "a vector, the system's entropy": lambda: discrete_laplaces(noise, count, system),  # noqa: B023
            "one by one": lambda: [discrete_laplace(noise, seeded) for _ in range(count)],  # noqa: B023
        }
        times = {name: seconds(draw) for name, draw in draws.items() if draw is not None}
        unit = next(iter(times.values()))
        for name, taken in times.items():
            each = 10**6 * taken / count
            print(f"{epsilon:>7}  {name:<32}  {each:>9.2f}  {taken / unit:>6.2f}", flush=True)
        if draws["OpenDP, a vector"] is None:
            print(f"{epsilon:>7}  OpenDP is not installed")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
