r"""As written, no mechanism that answers is individually private.

Claim: The definition asks that *every* rollout stay within the caps. Larger parameters are a
    rollout too, so that no mechanism meets it, for any caps. With *an online* rollout it can be
    met.
Paper: Def. 4.1.
Method: The parameters $(\varepsilon_* + 1, 1)$ bound every response of any mechanism and are above
    the caps, for all values. So they are a rollout that the definition forbids. A mechanism that
    always gives the same answer is then run: one of its rollouts is above any caps, so that the
    literal reading is false of it, while the online rollout of zeros shows it individually private
    with caps of zero. The subject of the proof is the reading.
Assumes: Nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from proofs._check import check_of
from proofs._proof import Proof, assume, exists
from proofs._subjects import for_all_rules, search
from spec.contributions import Unit
from spec.distributions import Draw
from spec.individual_privacy import (
    OnlineRollout,
    Rollout,
    Steps,
    Theta,
    individually_private,
    is_rollout,
    within,
)
from spec.numbers import Base

Reading = Callable[[Callable[[Rollout], bool], Iterable[Rollout], Theta], bool]

CAPS = tuple(
    Theta(epsilon=Fraction(epsilon), delta=Fraction(delta, 10))
    for epsilon, delta in ((0, 0), (1, 1), (64, 5))
)


def literally_individually_private(
    is_one: Callable[[Rollout], bool], candidates: Iterable[Rollout], caps: Theta
) -> bool:
    """Decide individual privacy as the text puts it: every rollout of the candidates is within.

    `is_one` says which of the candidates are rollouts, for one unit and one sequence.
    """
    return all(within(rollout, caps) for rollout in candidates if is_one(rollout))


def zeros(_: Steps[tuple[str, ...], str]) -> Theta:
    """Return the online rollout of zeros."""
    return Theta()


@dataclass(frozen=True, kw_only=True)
class Definition:
    """Hold how the definition is read, and the online rollout of the corrected one."""

    reading: Reading = literally_individually_private
    rollout: OnlineRollout[tuple[str, ...], str] = zeros


@for_all_rules("parameters above the caps bound every response, so that the definition fails")
def above_any_caps(
    definition: Definition, p: Fraction, q: Fraction, epsilon: Fraction, delta: Fraction
) -> bool:
    r"""Bound any response by $(\varepsilon_* + 1, 1)$, with any caps and any $e^{\varepsilon}$."""
    assume(0 <= p, p <= 1, 0 <= q, q <= 1, 0 <= epsilon, 0 <= delta, delta <= 1)
    above = Theta(epsilon=epsilon + 1, delta=Fraction(1))
    bounds = p <= q + above.delta
    caps = Theta(epsilon=epsilon, delta=delta)
    return bounds and not definition.reading(lambda _: True, [[above]], caps)


@exists("not vacuous: parameters within the caps are told from those above")
def some_are_within(definition: Definition, epsilon: Fraction, cap: Fraction) -> bool:
    """Find a rollout that the definition has nothing against."""
    assume(0 < epsilon, 0 < cap)
    candidates = [[Theta(epsilon=epsilon)]]
    return definition.reading(lambda _: True, candidates, Theta(epsilon=cap))


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
def fails_for_all_caps(definition: Definition) -> Mapping[str, object] | None:
    """Look for caps with which the constant mechanism is individually private."""
    for caps in CAPS:
        above = Theta(epsilon=caps.epsilon + 1, delta=caps.delta)
        candidates = [[Theta()], [above]]
        if not all(map(is_one, candidates)) or definition.reading(is_one, candidates, caps):
            return {"epsilon": caps.epsilon, "delta": caps.delta, "rollout": above.epsilon}
    return None


@search(
    "with an online rollout in place of every rollout it is met", by="exact laws", over="three caps"
)
def corrected_reading_is_met(definition: Definition) -> Mapping[str, object] | None:
    """Look for caps with which the corrected definition fails."""
    for caps in CAPS:
        if not individually_private(Constant(), without, "x", [ROUND], definition.rollout, caps):
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


def nothing_passes(_: Callable[[Rollout], bool], __: Iterable[Rollout], ___: Theta) -> bool:
    """Find every rollout above the caps."""
    return False


PAPERS = Definition()

PROOF = Proof(
    claim="idp_as_written_is_unsatisfiable",
    subject=PAPERS,
    steps=(above_any_caps, fails_for_all_caps, corrected_reading_is_met, some_are_within),
    controls={
        "some rollout is within the caps": replace(PAPERS, reading=some_rollout_is_within),
        "a single rollout is not compared": replace(PAPERS, reading=single_rollouts_pass),
        "an online rollout above the caps": replace(
            PAPERS, rollout=lambda _: Theta(epsilon=Fraction(65))
        ),
    },
    unproved_for={"no rollout is within the caps": replace(PAPERS, reading=nothing_passes)},
)

CHECK = check_of(
    PROOF, method="parameters above any caps, and a counterexample that runs on the definition"
)
