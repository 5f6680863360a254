r"""As written, no mechanism that answers is individually private.

Claim: The definition asks that *every* rollout stay within the caps. Larger parameters are a
    rollout too, so that no mechanism meets it, for any caps. With *an online* rollout it can be
    met.
Paper: Def. 4.1.
Method: Parameters that are larger still satisfy the inequality of indistinguishability, and
    $(\varepsilon_* + 1, 1)$ bound every response of any mechanism, for all values. A mechanism that
    always gives the same answer is then run: one of its rollouts is above any caps, so that the
    literal reading is false of it, while the online rollout of zeros shows it individually private
    with caps of zero. The subject of the proof is the reading.
Assumes: Nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from proofs._check import check_of
from proofs._proof import Proof, assume, exists
from proofs._subjects import for_all_rules, search
from spec.contributions import Unit
from spec.distributions import Draw
from spec.individual_privacy import (
    Rollout,
    Theta,
    individually_private,
    is_rollout,
    literally_individually_private,
    within,
)
from spec.numbers import Base

Reading = Callable[[Callable[[Rollout], bool], Iterable[Rollout], Theta], bool]

CAPS = tuple(
    Theta(epsilon=Fraction(epsilon), delta=Fraction(delta, 10))
    for epsilon, delta in ((0, 0), (1, 1), (64, 5))
)


@for_all_rules("larger parameters are a rollout too")
def rollouts_can_grow(
    _: Reading,
    p: Fraction,
    q: Fraction,
    factor: Fraction,
    delta: Fraction,
    larger_factor: Fraction,
    larger_delta: Fraction,
) -> bool:
    """Keep the inequality of indistinguishability when both parameters grow."""
    assume(0 <= p, 0 <= q, 1 <= factor, 0 <= delta, p <= factor * q + delta)
    assume(factor <= larger_factor, delta <= larger_delta)
    return p <= larger_factor * q + larger_delta


@for_all_rules("parameters above the caps bound every response, so that the definition fails")
def above_any_caps(
    reading: Reading, p: Fraction, q: Fraction, epsilon: Fraction, delta: Fraction
) -> bool:
    r"""Bound any response by $(\varepsilon_* + 1, 1)$, with any caps and any $e^{\varepsilon}$."""
    assume(0 <= p, p <= 1, 0 <= q, q <= 1, 0 <= epsilon, 0 <= delta, delta <= 1)
    above = Theta(epsilon=epsilon + 1, delta=Fraction(1))
    bounds = p <= q + above.delta
    caps = Theta(epsilon=epsilon, delta=delta)
    return bounds and not reading(lambda _: True, [[above]], caps)


@exists("not vacuous: parameters can be a rollout and not suffice when they are smaller")
def rollouts_matter(_: Reading, p: Fraction, q: Fraction, factor: Fraction) -> bool:
    """Find probabilities for which the parameter is needed."""
    assume(0 < p, p <= 1, 0 < q, q <= 1, 1 < factor)
    return (p <= factor * q) & (p > q)


@dataclass(frozen=True, slots=True)
class Constant:
    """Be the mechanism that always gives the same answer."""

    @property
    def initial(self) -> None:
        """Return the only state."""
        return

    def step(self, _: None, __: tuple[tuple[str, ...], str], ___: Draw) -> tuple[None, str]:
        """Say hello."""
        return None, "hello"


def without(database: tuple[str, ...], unit: Unit) -> tuple[str, ...]:
    """Return the database without a unit."""
    return tuple(each for each in database if each != unit)


ROUND: list[tuple[tuple[str, ...], str]] = [(("x",), "anything")]


def is_one(rollout: Rollout) -> bool:
    """Decide whether parameters are a rollout of the constant mechanism, for one round."""
    return is_rollout(Constant(), without, "x", ROUND, rollout, Base(Fraction(2)))


@search(
    "a mechanism that tells nothing fails the definition for all caps",
    by="exact laws",
    over="three caps",
)
def fails_for_all_caps(reading: Reading) -> Mapping[str, object] | None:
    """Look for caps with which the constant mechanism is individually private."""
    for caps in CAPS:
        above = Theta(epsilon=caps.epsilon + 1, delta=caps.delta)
        candidates = [[Theta()], [above]]
        if not all(map(is_one, candidates)) or reading(is_one, candidates, caps):
            return {"epsilon": caps.epsilon, "delta": caps.delta, "rollout": above.epsilon}
    return None


@search(
    "with an online rollout in place of every rollout it is met", by="exact laws", over="three caps"
)
def corrected_reading_is_met(_: Reading) -> Mapping[str, object] | None:
    """Look for caps with which the corrected definition fails."""
    for caps in CAPS:
        if not individually_private(Constant(), without, "x", [ROUND], lambda _: Theta(), caps):
            return {"epsilon": caps.epsilon, "delta": caps.delta}
    return None


def some_rollout_is_within(
    is_one: Callable[[Rollout], bool], candidates: Iterable[Rollout], caps: Theta
) -> bool:
    """Ask for some rollout instead of every one."""
    return any(within(rollout, caps) for rollout in candidates if is_one(rollout))


def single_rollouts_pass(
    is_one: Callable[[Rollout], bool], candidates: Iterable[Rollout], caps: Theta
) -> bool:
    """Compare rollouts with the caps only where there are several."""
    listed = list(candidates)
    return len(listed) == 1 or literally_individually_private(is_one, listed, caps)


PROOF = Proof(
    claim="idp_as_written_is_unsatisfiable",
    subject=literally_individually_private,
    steps=(
        rollouts_can_grow,
        above_any_caps,
        rollouts_matter,
        fails_for_all_caps,
        corrected_reading_is_met,
    ),
    controls={
        "some rollout is within the caps": some_rollout_is_within,
        "a single rollout is not compared": single_rollouts_pass,
    },
)

CHECK = check_of(
    PROOF, method="monotonicity for all values, a counterexample that runs on the definition"
)
