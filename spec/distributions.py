r"""Exact finite distributions, and how far apart two of them are.

A rule may be random. It then returns a law instead of a value, and the step that calls it writes
`draw(rule(...))`. What `draw` does is the caller's affair: a sampler tosses coins, `explore` runs
the step once per combination of outcomes and returns the exact distribution of its result.
Probabilities are fractions, so that $(\epsilon, \delta)$-indistinguishability is decided and never
estimated.

Paper: Sec. 3; Sec. 4.3; Sec. 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Generic, Protocol, TypeAlias, TypeVar, cast, overload

from spec.numbers import (
    Base,
    N,
    Power,
    Real,
    SpecError,
    bounds,
    decide,
    enclose,
    exact,
    positive,
    positive_whole,
    unit_interval,
)

T = TypeVar("T")
U = TypeVar("U")


class Law(Generic[T]):
    r"""Be an exact law in $\Delta(\mathcal{R})$, which a rule may return instead of a value."""

    __slots__ = ()

    def outcomes(self) -> Iterable[tuple[T, Fraction]]:
        """List the outcomes with their probabilities, if they are finitely many and rational."""
        raise NotEnumerable(f"{self!r} has no list of exact outcomes")


Random: TypeAlias = T | Law[T]
Enumerate: TypeAlias = Callable[[Law[object]], Iterable[tuple[object, Fraction]]]
Path: TypeAlias = tuple[tuple[Law[object], object, Fraction], ...]


class Draw(Protocol):
    """Turn a law into one of its outcomes; a plain value is returned unchanged."""

    @overload
    def __call__(self, law: Law[T], /) -> T: ...
    @overload
    def __call__(self, law: T | Law[T], /) -> T: ...


@dataclass(frozen=True, slots=True, eq=False)
class Distribution(Law[T]):
    """Hold a finite distribution as pairs of an outcome and its positive probability.

    Two distributions are equal if they give every outcome the same probability, in whatever order.
    """

    weights: tuple[tuple[T, Fraction], ...]
    _lookup: dict[T, Fraction] = field(init=False, repr=False)
    _hash: int | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        lookup = dict(self.weights)
        if len(lookup) != len(self.weights):
            raise NotADistribution(f"an outcome is listed twice in {self.weights!r}")
        for outcome, weight in self.weights:
            if exact(weight, f"the probability of {outcome!r}") <= 0:
                raise NotADistribution(f"the probability of {outcome!r} is {weight}")
        total = sum(lookup.values(), Fraction(0))
        if total != 1:
            raise NotADistribution(f"the probabilities sum to {total}, not to 1")
        object.__setattr__(self, "_lookup", lookup)

    @classmethod
    def of(cls, weights: Mapping[T, Fraction | int]) -> Distribution[T]:
        """Return the distribution with these probabilities; zeros are dropped."""
        pairs = [(x, exact(w, f"the probability of {x!r}")) for x, w in weights.items()]
        return cls(tuple((outcome, weight) for outcome, weight in pairs if weight != 0))

    @classmethod
    def certain(cls, outcome: T) -> Distribution[T]:
        """Return the distribution that always gives this outcome."""
        return _trusted({outcome: Fraction(1)})

    @classmethod
    def uniform(cls, outcomes: Iterable[T]) -> Distribution[T]:
        """Return the uniform distribution over distinct outcomes."""
        listed = tuple(outcomes)
        if not listed:
            raise NotADistribution("a uniform distribution needs an outcome")
        return cls(tuple((outcome, Fraction(1, len(listed))) for outcome in listed))

    def items(self) -> tuple[tuple[T, Fraction], ...]:
        """Return the pairs of outcome and probability."""
        return self.weights

    outcomes = items

    def support(self) -> tuple[T, ...]:
        """Return the outcomes of positive probability."""
        return tuple(outcome for outcome, _ in self.weights)

    def probability(self, event: Callable[[T], bool]) -> Fraction:
        """Return the probability of the event that a predicate describes."""
        return sum((weight for outcome, weight in self.weights if event(outcome)), Fraction(0))

    def probability_of(self, outcome: T) -> Fraction:
        """Return the probability of one outcome."""
        return self._lookup.get(outcome, Fraction(0))

    def map(self, function: Callable[[T], U]) -> Distribution[U]:
        """Return the distribution of a function of the outcome."""
        image: dict[U, Fraction] = {}
        for outcome, weight in self.weights:
            value = function(outcome)
            image[value] = image.get(value, Fraction(0)) + weight
        return _trusted(image)

    def then(self, function: Callable[[T], Distribution[U]]) -> Distribution[U]:
        """Return the distribution of a second draw whose law depends on the first."""
        image: dict[U, Fraction] = {}
        for outcome, weight in self.weights:
            for value, share in function(outcome).weights:
                image[value] = image.get(value, Fraction(0)) + weight * share
        return _trusted(image)

    def given(self, event: Callable[[T], bool]) -> Distribution[T]:
        """Return the distribution conditioned on an event of positive probability."""
        mass = self.probability(event)
        if mass == 0:
            raise NotADistribution("the event to condition on has probability 0")
        return _trusted({x: weight / mass for x, weight in self.weights if event(x)})

    def __iter__(self) -> Iterator[T]:
        """Iterate over the outcomes of positive probability."""
        return iter(self.support())

    def __eq__(self, other: object) -> bool:
        """Compare by law."""
        if not isinstance(other, Distribution):
            return NotImplemented
        return self is other or self._lookup == other._lookup

    def __hash__(self) -> int:
        """Hash by law."""
        if self._hash is None:
            object.__setattr__(self, "_hash", hash(frozenset(self.weights)))
        return cast(int, self._hash)


def _trusted(lookup: dict[T, Fraction]) -> Distribution[T]:
    """Return a distribution whose weights are positive and sum to one by construction."""
    made: Distribution[T] = object.__new__(Distribution)
    object.__setattr__(made, "weights", tuple(lookup.items()))
    object.__setattr__(made, "_lookup", lookup)
    object.__setattr__(made, "_hash", None)
    return made


def coin(probability: Fraction) -> Distribution[bool]:
    """Return the law of a coin that is true with the given probability.

    Paper: Alg. 8.
    """
    chance = unit_interval(probability, "probability")
    return Distribution.of({True: chance, False: 1 - chance})


def mixture(
    weights: Sequence[Fraction], distributions: Sequence[Distribution[T]]
) -> Distribution[T]:
    r"""Return $\sum_i \alpha_i P_i$.

    Paper: Fact 5.2.
    """
    if len(weights) != len(distributions):
        raise NotADistribution(f"{len(weights)} weights for {len(distributions)} distributions")
    choice = Distribution.of(dict(enumerate(weights)))
    return choice.then(lambda index: distributions[index])


def hockey_stick(p: Distribution[T], q: Distribution[T], power: Fraction) -> Fraction:
    r"""Return $\max_W P(W) - e^{\epsilon} Q(W)$, with $e^{\epsilon}$ given as a fraction.

    The best event holds the outcomes where $P$ exceeds $e^{\epsilon} Q$.

    Paper: Def. 3.1.
    """
    factor = exact(power, "power")
    excess = (weight - factor * q.probability_of(x) for x, weight in p.weights)
    return sum((gain for gain in excess if gain > 0), Fraction(0))


def indistinguishable(
    p: Distribution[T], q: Distribution[T], power: Fraction | Power, delta: Fraction
) -> bool:
    r"""Decide $P \approx_{\epsilon, \delta} Q$, with $e^{\epsilon}$ a fraction or a power.

    The divergence falls as $e^{\epsilon}$ grows, and is linear in it between rational points, so
    for an irrational power rational bounds on both sides decide at some precision.

    Paper: Def. 3.1.
    """
    allowed = exact(delta, "delta")
    if isinstance(power, Fraction | int):
        limit = exact(power, "power")
        return max(hockey_stick(p, q, limit), hockey_stick(q, p, limit)) <= allowed

    def bracketed() -> bool | None:
        low, high = bounds(power.value())
        if max(hockey_stick(p, q, low), hockey_stick(q, p, low)) <= allowed:
            return True
        if max(hockey_stick(p, q, high), hockey_stick(q, p, high)) > allowed:
            return False
        return None

    return decide(bracketed)


def group_privacy_delta(power: N, size: int, delta: N) -> N:
    r"""Return $\delta' = \delta (1 + e^{\epsilon} + \dots + e^{(k-1)\epsilon})$ for $k$ steps.

    As a geometric sum it needs no division, so that $\epsilon = 0$ is no special case.

    Paper: Fact 4.7.
    """
    total = delta
    for _ in range(positive_whole(size, "size") - 1):
        total = total * power + delta
    return total


def group_privacy_delta_closed(power: N, power_of_group: N, delta: N) -> N:
    r"""Return $\delta (e^{k\epsilon} - 1) / (e^{\epsilon} - 1)$, from $e^{k\epsilon}$ itself.

    Paper: Fact 4.7.
    """
    return delta * (power_of_group - 1) / (power - 1)


def group_privacy(
    epsilon: Fraction, delta: Fraction, size: int, base: Base
) -> tuple[Fraction, Real]:
    r"""Return the $(\epsilon', \delta')$ that a chain of `size` indistinguishable steps guarantees.

    The second number is exact if $e^{\epsilon}$ is rational and enclosed at the current precision
    if not. It may exceed one, where it guarantees nothing.

    Paper: Fact 4.7.
    """
    step = positive(epsilon, "epsilon")
    chance = unit_interval(delta, "delta")
    power = Power(base, step).value()
    if isinstance(power, Fraction):
        return size * step, group_privacy_delta(power, size, chance)
    group = Power(base, positive_whole(size, "size") * step).ball()
    return size * step, group_privacy_delta_closed(power, group, enclose(chance))


def explore(step: Callable[[Draw], T], enumerate_law: Enumerate | None = None) -> Distribution[T]:
    """Return the exact distribution of a step by running it once per combination of its draws.

    A run replays the outcomes of its path and takes the first one wherever it draws anew; the other
    ones there are paths to be run later. `enumerate_law` lists the outcomes of laws that cannot
    list themselves. Laws are compared when they are drawn again, so they must be values.
    """
    weights: dict[T, Fraction] = {}
    pending: list[Path] = [()]
    while pending:
        replay = _Replay(pending.pop(), enumerate_law or _own_outcomes)
        outcome = step(replay)
        weights[outcome] = weights.get(outcome, Fraction(0)) + replay.weight()
        pending += replay.others
    total = sum(weights.values(), Fraction(0))
    if total != 1:
        raise NotADistribution(f"the probabilities sum to {total}, not to 1")
    return _trusted(weights)


def _own_outcomes(law: Law[object]) -> Iterable[tuple[object, Fraction]]:
    return law.outcomes()


class _Replay:
    """Draw along a path, beyond its end take the first outcome, and note the paths not taken."""

    def __init__(self, path: Path, enumerate_law: Enumerate) -> None:
        self.others: list[Path] = []
        self._path = path
        self._enumerate = enumerate_law
        self._position = 0

    def __call__(self, law: T | Law[T], /) -> T:
        if not isinstance(law, Law):
            return law
        if self._position == len(self._path):
            first, *others = self._listed(cast(Law[object], law))
            self.others += [(*self._path, each) for each in reversed(others)]
            self._path = (*self._path, first)
        drawn, outcome, _ = self._path[self._position]
        if law is not drawn and law != drawn:
            raise NotReplayable(f"drew {law!r} where it drew {drawn!r} before")
        self._position += 1
        return cast(T, outcome)

    def _listed(self, law: Law[object]) -> Path:
        listed = list(law.weights if isinstance(law, Distribution) else self._enumerate(law))
        for outcome, weight in listed:
            if weight < 0:
                raise NotADistribution(f"the probability of {outcome!r} is {weight}")
        options = tuple((law, outcome, weight) for outcome, weight in listed if weight != 0)
        if not options:
            raise NotEnumerable(f"{law!r} lists no outcome of positive probability")
        return options

    def weight(self) -> Fraction:
        """Return the probability of this run's path."""
        if self._position != len(self._path):
            raise NotReplayable(f"drew {self._position} times where it drew more before")
        return prod((weight for _, _, weight in self._path), start=Fraction(1))


class NotADistribution(SpecError):
    """Report weights that are not probabilities or do not sum to one."""


class NotEnumerable(SpecError):
    """Report a law whose outcomes cannot be listed with exact probabilities."""


class NotReplayable(SpecError):
    """Report a step that drew something else when it was run again with the same outcomes."""
