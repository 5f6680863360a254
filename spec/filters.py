r"""Privacy filters: universal mechanisms that stop answering when a budget is used up.

Here a database is a set $U$ of privacy units and a query is any one-shot mechanism on such sets. A
query comes with what it claims to satisfy: parameters $\theta$, or parameters $p(x)$ for each unit.
A filter $\phi$ looks at the parameters so far and says whether to go on. With one account for
everybody a query over budget is not answered. With one account per unit it is answered without the
units that are over budget. The mechanisms take any filter.

With the filter that compares the sums with the caps, both are private against stable adversaries,
those that never change the database. Nothing is shown of other filters, such as those of advanced
composition. For approximate zCDP the filter on the sums is run, and its lemma is shown for
$\delta = 0$ only.

Deviates: B23 what is shown is about the filters on the sums.
Paper: Sec. 4.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from immutables import Map

from spec.contributions import Unit
from spec.distributions import Distribution, Draw, indistinguishable
from spec.individual_privacy import Rollout, Theta, within
from spec.interaction import Adversary
from spec.numbers import NATURAL, Base, Power

T = TypeVar("T")
Ask = TypeVar("Ask")

Units: TypeAlias = frozenset[Unit]
Filter: TypeAlias = Callable[[Rollout], bool]
Consumed: TypeAlias = Map[Unit, Theta]

NOTHING = Theta()


@dataclass(frozen=True, slots=True, kw_only=True)
class UniversalQuery(Generic[T]):
    r"""Hold a one-shot mechanism $q$ on sets of units, and the $\theta$ that it satisfies."""

    answer: Callable[[Units], Distribution[T]]
    theta: Theta


@dataclass(frozen=True, slots=True, kw_only=True)
class IndividualQuery(Generic[T]):
    r"""Hold a one-shot mechanism and, per unit, the parameters $p(x)$ that it satisfies.

    Units that `parameters` does not name get $\mathbf{0}$: the answer does not depend on them.

    Paper: Sec. 4.4; Def. 4.10.
    """

    answer: Callable[[Units], Distribution[T]]
    parameters: Map[Unit, Theta]


def basic_filter(caps: Theta) -> Filter:
    r"""Return $\phi_{\varepsilon, \delta}$: go on while both sums are within the caps.

    For approximate zCDP this is $\phi_{\rho, \delta}$, with $\rho$ held as `epsilon`.

    Paper: Sec. 4.4; Lem. B.2.
    """
    return lambda spent: within(spent, caps)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilteredMechanism(Generic[T]):
    r"""Be the universal mechanism $\mathcal{M}_\phi$; None stands for the answer $\bot$.

    Paper: Sec. 4.4; Lem. 4.9.
    """

    go_on: Filter

    @property
    def initial(self) -> tuple[Theta, ...]:
        """Return the empty history of parameters."""
        return ()

    def step(
        self, state: tuple[Theta, ...], action: tuple[Units, UniversalQuery[T]], draw: Draw
    ) -> tuple[tuple[Theta, ...], T | None]:
        """Answer the query and record its parameters, or refuse it and record nothing spent."""
        units, query = action
        if self.go_on((*state, query.theta)):
            return (*state, query.theta), draw(query.answer(units))
        return (*state, NOTHING), None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndividuallyFilteredMechanism(Generic[T]):
    r"""Be the universal mechanism $\mathcal{M}^{\mathrm{ind}}_\phi$ with one account per unit.

    The state is the sequence $p_1, \dots, p_t$ of what each unit has consumed. A unit that is not
    in a map has consumed $\mathbf{0}$. The filter sees the zeros too, so that it may be any filter.

    Paper: Sec. 4.4; Lem. 4.11.
    """

    go_on: Filter

    @property
    def initial(self) -> tuple[Consumed, ...]:
        """Return that nothing was asked yet."""
        return ()

    def step(
        self, state: tuple[Consumed, ...], action: tuple[Units, IndividualQuery[T]], draw: Draw
    ) -> tuple[tuple[Consumed, ...], T]:
        """Answer the query on the units whose account allows it, and charge every such account."""
        units, query = action

        def allowed(unit: Unit) -> bool:
            spent = (consumed.get(unit, NOTHING) for consumed in state)
            return self.go_on((*spent, query.parameters.get(unit, NOTHING)))

        masked = frozenset(unit for unit in units if allowed(unit))
        paid = {unit: theta for unit, theta in query.parameters.items() if allowed(unit)}
        return (*state, Map(paid)), draw(query.answer(masked))


def without_unit(units: Units, unit: Unit) -> Units:
    r"""Return $U^{-x} = U \setminus \{x\}$."""
    return units - {unit}


def satisfies(
    query: UniversalQuery[T] | IndividualQuery[T], databases: Sequence[Units], base: Base = NATURAL
) -> bool:
    r"""Decide whether the query is $\theta$-DP, or $p$-IDP, on the given databases, as it claims.

    Paper: Def. 3.2; Def. 4.10; Sec. 4.4.
    """

    def claimed(x: Unit) -> Theta:
        if isinstance(query, UniversalQuery):
            return query.theta
        return query.parameters.get(x, NOTHING)

    return all(
        indistinguishable(
            query.answer(units),
            query.answer(without_unit(units, x)),
            Power(base, claimed(x).epsilon),
            claimed(x).delta,
        )
        for units in databases
        for x in units
    )


def stable(
    units: Units, ask: Callable[[tuple[T, ...]], Ask | None]
) -> Adversary[T, tuple[Units, Ask]]:
    """Return the adversary that asks adaptively and never changes the database.

    Paper: Remark 3.7; Lem. 4.9.
    """

    def act(responses: tuple[T, ...]) -> tuple[Units, Ask] | None:
        question = ask(responses)
        return None if question is None else (units, question)

    return act
