r"""What all machines share: moves that are kept, invariants that are claims, draws that are chosen.

A machine is a Hypothesis state machine. Its rules choose a move and `play` it; `make` is the only
place where anything happens. So the moves played are all there is to a run, and a run can be played
again without Hypothesis. An invariant is a method under the name of a claim. It yields complaints,
and the first one ends the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import wraps
from typing import ClassVar, TypeVar, cast, overload

from hypothesis.stateful import RuleBasedStateMachine, invariant

from properties.machine_list import ROLLOUTS
from properties.machines._answers import Laws
from properties.observation import NoEncoding
from properties.strategies import LIMITS
from spec.distributions import Law
from spec.neighbours import Relation
from spec.noise import Noise, Noisy
from spec.rules import Limits, Rules

T = TypeVar("T")
M = TypeVar("M", bound="Machine")

Played = tuple[object, int]
Needs = Mapping[str, tuple[str, ...]]
MARK = "is_an_invariant"
MOST_QUERIES = 3
"""The most queries that a report may take part in, where their number is bounded."""


class Violated(AssertionError):
    """Report that a claim does not hold after the moves played."""

    def __init__(self, claim: str, complaint: str, moves: tuple[Played, ...]) -> None:
        super().__init__(f"{claim}: {complaint}")
        self.claim = claim
        self.complaint = complaint
        self.moves = moves


NO_CANDIDATE = "no candidate was a rollout within the caps, and there may be another"


class Stopped(BaseException):
    """Report an error in a rule or in the specification, which Hypothesis is not to shrink."""


class Machine(RuleBasedStateMachine):
    """Be a machine: it keeps its moves and counts what happened in all its runs.

    `happens` lists what has to happen in some run, or the machine has shown nothing. `needs` lists,
    per claim, what has to happen for the claim not to hold for want of an occasion, `leaves_open`
    what leaves a claim open if it happens. A machine with
    a higher `cost` makes fewer runs in the same time. One that `lumps` takes all noisy values that
    are never released as one.
    """

    title: ClassVar[str]
    happens: ClassVar[tuple[str, ...]]
    needs: ClassVar[Needs]
    leaves_open: ClassVar[Needs] = {ROLLOUTS: (NO_CANDIDATE,)}
    cost: ClassVar[int] = 1
    lumps: ClassVar[bool] = True
    limits: ClassVar[Limits] = LIMITS
    tested: ClassVar[Rules]
    relation: ClassVar[Relation | None] = None
    claims: ClassVar[frozenset[str]]
    counts: ClassVar[Counter[str]]
    laws: ClassVar[Laws]

    def __init__(self) -> None:
        super().__init__()
        self.moves: list[Played] = []

    def play(self, move: object, choice: int = 0) -> None:
        """Make a move and keep it; an error of a rule ends everything."""
        self.moves.append((move, choice))
        try:
            self.make(move, choice)
        except NoEncoding:
            raise
        except Exception as error:
            raise Stopped(f"{type(error).__name__}: {error}") from error

    def just(self, kind: type) -> bool:
        """Tell whether the last move was of a kind."""
        return bool(self.moves) and isinstance(self.moves[-1][0], kind)

    def make(self, move: object, choice: int) -> None:
        """Make a move; `choice` is the number of the outcome to take where something is drawn."""
        raise NotImplementedError

    def examine(self) -> None:
        """Examine every claim."""
        for name in sorted(self.claims):
            getattr(self, name)()

    def tell(self, move: object) -> str:
        """Tell a move in a sentence."""
        raise NotImplementedError

    @classmethod
    def count(cls, happening: str, times: int | bool = 1) -> None:
        """Count that something happened."""
        if times:
            cls.counts[happening] += int(times)

    @classmethod
    def examines(cls, *claims: str) -> bool:
        """Tell whether one of the claims is examined in this run."""
        return not cls.claims.isdisjoint(claims)


def claim(method: Callable[[M], Iterator[str]]) -> Callable[[M], None]:
    """Turn a method that yields complaints into an invariant under the name of a claim."""

    @wraps(method)
    def checked(machine: M) -> None:
        try:
            complaint = next(method(machine), None)
        except NoEncoding:
            raise
        except Exception as error:
            raise Stopped(f"{type(error).__name__}: {error}") from error
        if complaint is not None:
            raise Violated(method.__name__, complaint, tuple(machine.moves))

    marked = invariant()(checked)
    setattr(marked, MARK, True)
    return marked


def invariants_of(machine: type[Machine]) -> frozenset[str]:
    """Return the names of a machine's invariants."""
    return frozenset(name for name in dir(machine) if hasattr(getattr(machine, name), MARK))


def machine_for(
    machine: type[M],
    rules: Rules,
    relation: Relation | None = None,
    claims: frozenset[str] | None = None,
) -> type[M]:
    """Return the machine for given rules and neighbour relation, examining the given claims only.

    The limits of the rules are replaced by small ones; a cap on the number of queries stays, if
    there is one. Without a relation every unit is removed as the paper removes it; without claims
    all invariants are examined.
    """
    limits, most = machine.limits, rules.limits.maximum_queries
    if most is not None:
        limits = replace(limits, maximum_queries=min(most, MOST_QUERIES))
    known = invariants_of(machine)
    examined = known if claims is None else known & claims
    body: dict[str, object] = dict.fromkeys(known - examined)
    body |= {
        "__module__": machine.__module__,
        "__doc__": machine.__doc__,
        "tested": replace(rules, limits=limits),
        "relation": relation,
        "claims": examined,
        "counts": Counter(),
        "laws": Laws(),
    }
    return cast("type[M]", type(machine.__name__, (machine,), body))


class Choose:
    """Be a draw that takes the outcome with a given number, and noise at rest or at its edges."""

    def __init__(self, number: int = 0) -> None:
        self.number = number

    @overload
    def __call__(self, law: Law[T], /) -> T: ...
    @overload
    def __call__(self, law: T | Law[T], /) -> T: ...
    def __call__(self, law: T | Law[T], /) -> T:
        """Return the outcome; a plain value is returned unchanged."""
        if isinstance(law, Noisy):
            return cast(T, law.centre + self.noise(law.noise))
        if isinstance(law, Law):
            listed = [outcome for outcome, weight in law.outcomes() if weight != 0]
            return cast(T, listed[self.number % len(listed)])
        return law

    def noise(self, noise: Noise) -> int:
        """Return no noise, the largest, or the smallest; one step where there is no largest."""
        low, high = noise.support
        return (0, 1 if high is None else high, -1 if low is None else low)[self.number % 3]
