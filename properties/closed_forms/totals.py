r"""Batches whose totals lie too far apart.

Where nothing of the service but the totals is changed, concrete batches are tried as well. Without
key discovery every listed key gets the paper's noise, so that totals which differ by $d$ in $L_1$
between the worlds have outcomes that are exactly $e^{\varepsilon d / \Lambda_1}$ times as likely
with $x$ as without. With $d > \Lambda_1$ that is more than $(\varepsilon, 0)$ allows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from fractions import Fraction

from properties.closed_forms.replay import answered, noise_text
from properties.closed_forms.service import OTHERS, asking, nulled, tried_backgrounds
from properties.closed_forms.unit import LARGE_KEY, contributor
from spec.aggregation_service import Query
from spec.paper import PAPER
from spec.reports import Contribution, Key, Report
from spec.rules import Limits, Rules
from spec.verdicts import Evidence, Finding, Reason

ASKED_OF_RULES = {"limits", "admit", "contribute", "totals"}
MOST_LISTED = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """Hold a batch, and the sums of the listed keys with the unit and without it."""

    mine: tuple[tuple[Key, int], ...]
    others: tuple[int, ...]
    keys: int
    there: tuple[int, ...]
    gone: tuple[int, ...]

    @property
    def distance(self) -> int:
        """Return by how much the sums differ over all keys."""
        return sum(abs(mine - other) for mine, other in zip(self.there, self.gone, strict=True))

    def text(self) -> str:
        """Say what stands in the batch."""
        times = Counter(self.mine)
        alike = Counter((value, count) for (_, value), count in times.items())
        reports = ", ".join(
            f"{f'{count} times ' if count > 1 else ''}{value} to "
            f"{'one key' if keys == 1 else f'each of {keys} keys'}"
            for (value, count), keys in alike.items()
        )
        if not self.others:
            return f"x contributes {reports}; others contribute nothing"
        listed = " and ".join(map(str, self.others))
        return f"x contributes {reports}; others contribute {listed} to each of {self.keys} keys"


def only_totals_changed(rules: Rules) -> bool:
    """Tell whether the totals are changed and nothing else that the argument is about."""
    names = {
        field.name
        for field in fields(rules)
        if not field.name.startswith(("event_", "register_event_"))
    }
    names -= ASKED_OF_RULES | {"output_set", "truth_probability", "pass_windows"}
    same = all(getattr(rules, name) is getattr(PAPER, name) for name in names)
    return same and rules.totals is not PAPER.totals and rules.limits.epsilon > 0


def totals_apart(rules: Rules, claim: str) -> Apart | None:
    """Return the batch with the greatest distance, if that is more than the noise hides."""
    limits = replace(rules.limits, delta=Fraction(0))
    asked = replace(rules, limits=limits)
    keys = min(limits.sparsity_budget, limits.contribution_budget, MOST_LISTED)
    found = [
        apart(asked, values, others, keys, mine)
        for values in tried_spendings(limits, keys)
        if (mine := sent(asked, claim, values)) is not None
        for others in tried_others(asked)
    ]
    worst = max(found, key=lambda batch: batch.distance, default=None)
    if worst is None or worst.distance <= limits.contribution_budget:
        return None
    return worst


def tried_spendings(limits: Limits, keys: int) -> list[tuple[tuple[Key, int], ...]]:
    """Return ways to spend a unit's budget, one contribution after the other."""
    most = limits.contribution_budget
    ways = (
        ((LARGE_KEY, most),),
        ((LARGE_KEY, 1),),
        ((LARGE_KEY, most - keys + 1), *((key, 1) for key in range(1, keys))),
        tuple((key, most // keys) for key in range(keys)),
        tuple((key, 1) for key in range(keys)),
        ((LARGE_KEY, most // keys),) * keys,
        ((LARGE_KEY, 1),) * keys,
    )
    return list(dict.fromkeys(ways))


def tried_others(rules: Rules) -> list[tuple[int, ...]]:
    """Return what other units contribute to every key, each value in a report of its own."""
    most = rules.limits.contribution_budget
    single = [(value,) for value in tried_backgrounds(rules) if value]
    several = [(1, 1), (1, most), (most, most), (1, 1, 1), (1, 1, most), (most, most, most)]
    return [(), *single, *several]


def sent(
    rules: Rules, claim: str, values: tuple[tuple[Key, int], ...]
) -> tuple[Report, ...] | None:
    """Return the unit's reports, or None if the rules do not admit them all as they are."""
    unit = contributor(rules, claim)
    system = unit.start
    reports: list[Report] = []
    for key, value in values:
        added = unit.add(system, len(reports), key, value)
        if added is None or added[1].contributions != (Contribution(key=key, value=value),):
            return None
        system = added[0]
        reports.append(added[1])
    return tuple(reports)


def apart(
    rules: Rules,
    values: tuple[tuple[Key, int], ...],
    others: tuple[int, ...],
    keys: int,
    mine: tuple[Report, ...],
) -> Apart:
    """Ask for the sums of one batch in both worlds."""
    query, background = asked_for(rules, others, keys)

    def sums(reports: tuple[Report, ...]) -> tuple[int, ...]:
        totals = rules.totals(asking(rules, query), (*background, *reports))
        return tuple(totals.get(key, 0) for key in query.keys)

    return Apart(mine=values, others=others, keys=keys, there=sums(mine), gone=sums(nulled(mine)))


def asked_for(rules: Rules, others: tuple[int, ...], keys: int) -> tuple[Query, tuple[Report, ...]]:
    """Return the query that lists all keys, and the reports of others."""
    parts = [Contribution(key=key, value=value) for value in others for key in range(keys)]
    background = tuple(
        Report(report_id=OTHERS - number, contributions=(part,))
        for number, part in enumerate(parts)
    )
    return Query(epsilon=rules.limits.epsilon, keys=tuple(range(keys))), background


def refuted_by_totals(rules: Rules, claim: str, found: Finding, worst: Apart) -> Finding:
    """Run the batch through the service itself and write down what tells the worlds apart."""
    asked = replace(rules, limits=replace(rules.limits, delta=Fraction(0)))
    limits = asked.limits
    query, background = asked_for(asked, worst.others, worst.keys)
    mine = sent(asked, claim, worst.mine)
    assert mine is not None
    noise = PAPER.noise(asking(asked, query), (), None)
    for reports, sums in ((mine, worst.there), (nulled(mine), worst.gone)):
        laws = answered(asked, query, (*background, *reports))
        if [laws[key] for key in query.keys] != [noise.around(total) for total in sums]:
            return replace(found, detail=f"ALARM: a violation does not replay: {worst.text()}")
    most, distance = limits.contribution_budget, worst.distance
    base = "e" if limits.base.value is None else str(limits.base.value)
    ratio = f"{base}^({limits.epsilon * distance / most})"
    counterexample = {
        "epsilon": str(limits.epsilon),
        "delta asked": "0",
        "batch": worst.text(),
        "sums with x": sums_text(worst.there),
        "sums without x": sums_text(worst.gone),
        "distance": str(distance),
        "contribution budget": str(most),
        "noise": noise_text(noise),
        "event": "the noisy sums are exactly the sums with x",
        "likelihood ratio": f"{ratio}, allowed is {base}^({limits.epsilon})",
    }
    return replace(
        found,
        evidence=Evidence.ATTACK,
        reason=Reason.NONE,
        bound=f"one query with epsilon {limits.epsilon} and delta 0 that lists {worst.keys} keys",
        detail=f"one unit moves the sums by {distance}, the noise hides {most}: an answer is "
        f"{ratio} times as likely with x as without",
        counterexample=counterexample,
    )


def sums_text(sums: tuple[int, ...]) -> str:
    """List the sums of the keys, equal ones together."""
    return ", ".join(
        f"{total} for {count} key{'s' if count > 1 else ''}"
        for total, count in Counter(sums).items()
    )
