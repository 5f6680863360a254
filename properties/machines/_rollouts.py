r"""The privacy rollout of every unit, by the corrected definition.

A rollout lists $(\varepsilon_t, \delta_t)$ such that the $t$-th answer after the history of $D$ and
the $t$-th answer after the history of $D^{-x}$ are indistinguishable. Three candidates are kept for
each unit: the paper's, which spends $\delta$ per contribution, the one that spends it per value,
and the one that spends exactly what the two laws need. A unit is safe as long as one candidate is a
rollout and stays within the caps.

Where none does, another rollout may: $\varepsilon$ could be split otherwise between the answers.
There is none at all if the answers together tell more than the caps, because what rollouts spend
adds up to a bound on that. Only then is there a complaint; otherwise the question is left open.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from proofs._summary_rollout import loss_by_count, loss_by_value
from properties.machines._answers import Served, Watch, part_between
from properties.machines._loss import Loss, loss_of
from spec.aggregation_service import Query
from spec.contributions import Unit
from spec.individual_privacy import RandomState, Theta, within
from spec.numbers import Power
from spec.reports import Contribution
from spec.rules import Rules
from spec.summary_mechanism import Record, SummaryQuery

BY_COUNT, BY_VALUE, MEASURED = "by count", "by value", "measured"
CANDIDATES = (BY_COUNT, BY_VALUE, MEASURED)


class Rollouts:
    """Keep the candidates of every unit, and which of them are rollouts."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.caps = Theta(epsilon=rules.limits.epsilon, delta=rules.limits.delta)
        self.thetas: dict[Unit, dict[str, list[Theta]]] = {}
        self.refuted: dict[Unit, set[str]] = {}
        self.losses: dict[Unit, Loss] = {}

    def add(
        self,
        unit: Unit,
        query: Query,
        laws: tuple[Served, Served],
        watch: Watch,
        without: Watch,
    ) -> bool:
        """Add what an answer tells of a unit; return whether it tells anything."""
        answer, answer_without = (law.map(lambda outcome: outcome[1]) for law in laws)
        if answer == answer_without:
            return False
        if any(len({state for state, _ in law}) > 1 for law in laws):
            raise RandomState("the service's next state depends on the noise it drew")
        part = part_between(watch, without)
        question = SummaryQuery(query=query, function=no_function)
        by_count = loss_by_count(self.rules.limits, question, part)
        by_value = loss_by_value(self.rules.limits, question, part)
        power = Power(self.rules.limits.base, by_value.epsilon).exact()
        least = loss_of(answer, answer_without).delta(power)
        spent = {
            BY_COUNT: by_count,
            BY_VALUE: by_value,
            MEASURED: Theta(epsilon=by_value.epsilon, delta=least),
        }
        self.losses[unit] = self.losses.get(unit, Loss()).then(answer, answer_without)
        for name, theta in spent.items():
            self.thetas.setdefault(unit, {}).setdefault(name, []).append(theta)
            if theta.delta < least:
                self.refuted.setdefault(unit, set()).add(name)
        return True

    def without_candidate(self) -> Iterator[Unit]:
        """List the units for which no candidate is a rollout within the caps."""
        for unit, thetas in self.thetas.items():
            left = [name for name in CANDIDATES if name not in self.refuted.get(unit, set())]
            if not any(within(thetas[name], self.caps) for name in left):
                yield unit

    def told_of(self, unit: Unit) -> Fraction:
        r"""Return the exact $\delta$ of all answers together at the cap $\varepsilon_*$."""
        power = Power(self.rules.limits.base, self.caps.epsilon).exact()
        return self.losses[unit].delta(power)

    @property
    def left_open(self) -> bool:
        """Tell whether a unit has no candidate, though there may be another rollout."""
        return any(self.told_of(unit) <= self.caps.delta for unit in self.without_candidate())

    def complaints(self) -> Iterator[str]:
        """Complain of every unit for which there is no rollout within the caps."""
        for unit in self.without_candidate():
            delta = self.told_of(unit)
            if delta > self.caps.delta:
                yield (
                    f"the answers together tell delta {delta} of {unit!r} at epsilon "
                    f"{self.caps.epsilon}, beyond {self.caps.delta}: there is no rollout within "
                    "the caps"
                )


def no_function(_: Record) -> Contribution:
    """Stand in for the function of a query whose records have been added already."""
    raise NotImplementedError
