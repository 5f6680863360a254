r"""Individual privacy: how much of each unit's budget every step uses.

A *rollout* lists, for one unit $x$ and one sequence of databases and queries, parameters
$\theta_t = (\varepsilon_t, \delta_t)$ such that the $t$-th response with $x$ and the $t$-th
response without $x$ are indistinguishable. An *online* rollout is a function of the sequence *up to
$t$*: the parameters of a step are known with the step, before anything that follows. A mechanism
is $(\varepsilon_*, \delta_*)$-individually private if every unit has an online rollout whose sums
stay within the caps on every sequence. Then it is $(\varepsilon_*, \delta_*)$-private against
every interactive adversary.

Two readings of the text are not meant here. That *every* rollout stay within the caps is met by no
mechanism, because larger parameters are a rollout too. That for every sequence *there is* one lets
the parameters of a step be chosen in hindsight, and an adaptive adversary gets more than the caps.
And a rollout compares two histories: the mechanism after $D_1, \dots, D_t$ with the mechanism after
$D_1^{-x}, \dots, D_t^{-x}$. The text keeps the state of the run on $D$ on both sides, so that a
mechanism that stores its first database and shows it later would use no budget.

Deviates: A1 an online rollout, not every one; A2 the states differ too.
Paper: Sec. 4.1; Def. 4.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from spec.contributions import Unit
from spec.distributions import Distribution, explore, indistinguishable
from spec.interaction import Data, Mechanism, Question, Response, State
from spec.numbers import NATURAL, Base, OutOfRange, Power, SpecError, exact, unit_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Theta:
    r"""Hold privacy parameters $\theta = (\varepsilon, \delta)$.

    Paper: Sec. 4.4.
    """

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if exact(self.epsilon, "epsilon") < 0:
            raise OutOfRange(f"epsilon must not be negative, not {self.epsilon}")
        unit_interval(self.delta, "delta")


Rollout: TypeAlias = Sequence[Theta]
Steps: TypeAlias = Sequence[tuple[Data, Question]]
OnlineRollout: TypeAlias = Callable[[Steps[Data, Question]], Theta]
Neighbouring: TypeAlias = Callable[[Data, Unit], Data]


def individually_private(
    mechanism: Mechanism[State, tuple[Data, Question], Response],
    neighbour: Neighbouring[Data],
    unit: Unit,
    sequences: Iterable[Steps[Data, Question]],
    rollout: OnlineRollout[Data, Question],
    caps: Theta,
    base: Base = NATURAL,
) -> bool:
    """Decide individual privacy of one unit on a finite menu of sequences, by an online rollout.

    On every sequence the parameters must bound what each response tells, and their sums must stay
    within the caps. True is a proof for this menu. False says that this rollout is none, and
    nothing about others.

    Deviates: A1 there is an online rollout; not every rollout, and not one per sequence.
    Paper: Def. 4.1.
    """
    return all(
        within(chosen := along(rollout, steps), caps)
        and is_rollout(mechanism, neighbour, unit, steps, chosen, base)
        for steps in sequences
    )


def along(
    rollout: OnlineRollout[Data, Question], steps: Steps[Data, Question]
) -> tuple[Theta, ...]:
    r"""Return the parameters of an online rollout along a sequence.

    The parameters $\theta_t$ are asked for with the first $t$ steps and nothing else.

    Deviates: A1 the parameters of a step do not depend on what follows.
    Paper: Sec. 4.1.
    """
    return tuple(rollout(steps[: place + 1]) for place in range(len(steps)))


def within(rollout: Rollout, caps: Theta) -> bool:
    r"""Decide $\sum_t \varepsilon_t \le \varepsilon_*$ and $\sum_t \delta_t \le \delta_*$."""
    epsilon = sum((theta.epsilon for theta in rollout), Fraction(0))
    delta = sum((theta.delta for theta in rollout), Fraction(0))
    return epsilon <= caps.epsilon and delta <= caps.delta


def is_rollout(
    mechanism: Mechanism[State, tuple[Data, Question], Response],
    neighbour: Neighbouring[Data],
    unit: Unit,
    steps: Steps[Data, Question],
    rollout: Rollout,
    base: Base = NATURAL,
) -> bool:
    r"""Decide whether the parameters bound what each response tells about the unit.

    The run on $D_1, \dots, D_t$ is compared with the run on $D_1^{-x}, \dots, D_t^{-x}$.

    Deviates: A2 each run has its own state.
    Paper: Sec. 4.1.
    """
    state = other = mechanism.initial
    for (database, question), theta in zip(steps, rollout, strict=True):
        without = neighbour(database, unit)
        state, law = run(mechanism, state, (database, question))
        other, law_without = run(mechanism, other, (without, question))
        if not indistinguishable(law, law_without, Power(base, theta.epsilon), theta.delta):
            return False
    return True


def run(
    mechanism: Mechanism[State, tuple[Data, Question], Response],
    state: State,
    action: tuple[Data, Question],
) -> tuple[State, Distribution[Response]]:
    r"""Return the next state and the law $F_t(D)$ of the response."""
    law = explore(lambda draw: mechanism.step(state, action, draw))
    states = {after for after, _ in law}
    if len(states) != 1:
        raise RandomState(f"the next state of {type(mechanism).__name__} is random")
    return states.pop(), law.map(lambda outcome: outcome[1])


class RandomState(SpecError):
    """Report a mechanism whose next state is random, for which rollouts are not defined."""
