"""Measure exact noise: time per sample, one by one and in vectors, with OpenDP beside it.

The law is the discrete Laplace law of a query at the paper's contribution budget, or the discrete
Gaussian with that scale as its deviation. OpenDP draws them for a vector of zeros; it is measured
if it is installed (`pip install 'sandproof[bench]'`). The last column is the time against that of
OpenDP, or else of our vectors, in the same run. Time is processor time.

    python -m benchmarks.noise [SAMPLES]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from time import process_time

from sandproof.sampling import SeededEntropy, SystemEntropy, integer_noise, integer_noises
from spec import PAPER
from spec.noise import DiscreteGaussian, DiscreteLaplace, Noise
from spec.numbers import NATURAL, Power

SAMPLES = 100_000
EPSILONS = (1, 10, 64)


def of_opendp(law: str, scale: float, count: int) -> Callable[[], object] | None:
    """Return what draws a vector with OpenDP, if it is installed."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=int))
    if law == "Laplace":
        measure = dp.m.make_laplace(domain, dp.l1_distance(T=int), scale=scale)
    else:
        measure = dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=scale)
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
    print(f"{'law':<8}  {'epsilon':>7}  {'sampler':<32}  {'us/sample':>9}  {'ratio':>6}")
    for epsilon in EPSILONS:
        scale = Fraction(PAPER.limits.contribution_budget, epsilon)
        compare("Laplace", DiscreteLaplace(Power(NATURAL, -1 / scale)), scale, count)
        compare("Gaussian", DiscreteGaussian(scale**2), scale, count)


def compare(law: str, noise: Noise, scale: Fraction, count: int) -> None:
    """Print the time per sample of a law."""
    seeded, system = SeededEntropy(0), SystemEntropy()
    draws: dict[str, Callable[[], object] | None] = {
        "OpenDP, a vector": of_opendp(law, float(scale), count),
        "a vector": lambda: integer_noises(noise, count, seeded),
        "a vector, the system's entropy": lambda: integer_noises(noise, count, system),
        "one by one": lambda: [integer_noise(noise, seeded) for _ in range(count)],
    }
    times = {name: seconds(draw) for name, draw in draws.items() if draw is not None}
    unit = next(iter(times.values()))
    beginning = f"{law:<8}  {float(PAPER.limits.contribution_budget / scale):>7g}"
    for name, taken in times.items():
        each = 10**6 * taken / count
        print(f"{beginning}  {name:<32}  {each:>9.2f}  {taken / unit:>6.2f}", flush=True)
    if draws["OpenDP, a vector"] is None:
        print(f"{beginning}  OpenDP is not installed")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
