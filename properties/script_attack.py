r"""An attack by a script: moves that do not look at the answers, and an event that tells.

The event has a certified probability of at least $p$ in one world and at most $q$ in the other, and
$p - e^{\varepsilon} q$ is more than the promised $\delta$.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from properties.attack_test import script_test
from properties.noise_told import Told
from properties.numerals import SHORT, beside, bound, shown
from properties.telling import epsilon_text, folded
from spec.contributions import Unit
from spec.numbers import Base
from spec.system import Move

MOST_TOLD = 100
"""How many moves of an attack are told one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptAttack:
    r"""Hold a script that tells the worlds apart, with certified probabilities of its event.

    `probability` is a lower bound of the event's probability in the world it points at, `other` an
    upper bound of that in the other world, `power` an upper bound of $e^{\varepsilon}$. Where
    `exact`, the two probabilities are the numbers themselves. The last move is
    made so many `times`.
    """

    relation: str
    unit: str
    moves: tuple[str, ...]
    seen_with: tuple[str, ...]
    seen_without: tuple[str, ...]
    event: str
    world: str
    epsilon: Fraction
    base: Base
    probability: Fraction
    other: Fraction
    power: Fraction
    allowed: Fraction
    exact: bool
    times: int
    noise: Told | None
    made: tuple[Move, ...]
    unit_value: Unit

    @property
    def gained(self) -> Fraction:
        """Return the delta that the attack attains at least."""
        return self.probability - self.power * self.other

    def inequality(self) -> str:
        """Return the broken inequality."""
        right = self.power * self.other + self.allowed
        most = "" if self.told_exactly else "at most "
        return (
            f"{self.likely} > e^ε * {self.unlikely} + {shown(self.allowed, SHORT)} = "
            f"{most}{bound(right, up=True)}"
        )

    @property
    def told_exactly(self) -> bool:
        """Tell whether the probabilities are exact: bounds of 1 and 0 can only be attained."""
        return self.exact or (self.probability == 1 and self.other == 0)

    @property
    def likely(self) -> str:
        """Write the probability in the world that the event points at; a bound is called one."""
        if self.told_exactly:
            return beside(self.probability)
        return f"at least {bound(self.probability)}"

    @property
    def unlikely(self) -> str:
        """Write the probability in the other world; a bound is called one."""
        return beside(self.other) if self.told_exactly else f"at most {bound(self.other, up=True)}"

    @property
    def steps(self) -> list[tuple[tuple[str, ...], int]]:
        """Return each move with what is seen of it in both worlds, like ones folded, counted."""
        rows = folded(list(zip(self.moves, self.seen_with, self.seen_without, strict=True)))
        (last, count), again = rows[-1], self.times - 1
        return [*rows[:-1], (last, count + again)]

    def story(self) -> str:
        """Tell the attack in a few lines that can be pasted into an issue."""
        lines = [f"The unit x is {self.unit}; neighbours: {self.relation}.", ""]
        for number, (row, times) in enumerate(self.steps, 1):
            if MOST_TOLD // 2 < number <= len(self.steps) - MOST_TOLD // 2:
                if number == MOST_TOLD // 2 + 1:
                    lines.append(f"... and {len(self.steps) - MOST_TOLD} moves like these ...")
                continue
            move, mine, theirs = row
            lines.append(f"{number}. {move}" + (f" ({times} times)" if times > 1 else ""))
            if mine == theirs:
                lines += [f"   The ad-tech sees: {mine}."] if mine else []
            else:
                lines.append(f"   The ad-tech sees with x: {mine or 'nothing'}.")
                lines.append(f"   The ad-tech sees without x: {theirs or 'nothing'}.")
        elsewhere = "without x" if self.world == "with x" else "with x"
        lines += [
            "",
            f"{self.event} this has probability {self.likely} {self.world} and {self.unlikely} "
            f"{elsewhere}.",
            f"At {epsilon_text(self.epsilon, self.base)} and δ = {shown(self.allowed, SHORT)}: "
            f"{self.inequality()}.",
        ]
        return "\n".join(lines)

    def to_pytest(self, proposal: str) -> str:
        """Return a test file that fails on the proposal's rules and passes on the paper's."""
        return script_test(self, proposal)

    def to_json(self) -> dict[str, object]:
        """Return the attack as plain data."""
        return {
            "universe": "scripts with holes",
            "relation": self.relation,
            "unit": self.unit,
            "world": self.world,
            "epsilon": str(self.epsilon),
            "power": str(self.power),
            "allowed_delta": str(self.allowed),
            "probability": str(self.probability),
            "other_probability": str(self.other),
            "gained_delta": str(self.gained),
            "exact": self.exact,
            "inequality": self.inequality(),
            "noise": self.noise,
            "searched": "scripts of moves at the rules' own limits",
            "steps": [
                {"move": move, "seen": mine, "seen_without": theirs, "times": times}
                for (move, mine, theirs), times in self.steps
            ],
        }
