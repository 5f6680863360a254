r"""An attack by a script: moves that do not look at the answers, and an event that tells.

The event has a certified probability of at least $p$ in one world and at most $q$ in the other, and
$p - e^{\varepsilon} q$ is more than the promised $\delta$.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from properties.attack import decimal, shown
from properties.attack_test import script_test
from spec.contributions import Unit
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
    probability: Fraction
    other: Fraction
    power: Fraction
    allowed: Fraction
    exact: bool
    times: int
    made: tuple[Move, ...]
    unit_value: Unit

    @property
    def gained(self) -> Fraction:
        """Return the delta that the attack attains at least."""
        return self.probability - self.power * self.other

    def inequality(self) -> str:
        """Return the broken inequality."""
        right = self.power * self.other + self.allowed
        least, most = ("", "") if self.exact else ("at least ", "at most ")
        return (
            f"{least}{shown(self.probability)} > e^epsilon * {most}{shown(self.other)} + "
            f"{shown(self.allowed)} = {most}{decimal(right, 9)}"
        )

    def story(self) -> str:
        """Tell the attack in a few lines that can be pasted into an issue."""
        lines = [f"The unit x is {self.unit}; neighbours: {self.relation}.", ""]
        told = groupby(zip(self.moves, self.seen_with, self.seen_without, strict=True))
        kinds = [(move, len(list(same))) for move, same in told]
        for number, ((move, mine, theirs), count) in enumerate(kinds, 1):
            if MOST_TOLD // 2 < number <= len(kinds) - MOST_TOLD // 2:
                if number == MOST_TOLD // 2 + 1:
                    lines.append(f"... and {len(kinds) - MOST_TOLD} moves like these ...")
                continue
            times = count + (self.times - 1 if number == len(kinds) else 0)
            lines.append(f"{number}. {move}" + (f" ({times} times)" if times > 1 else ""))
            if mine == theirs:
                lines += [f"   The ad-tech sees: {mine}."] if mine else []
            else:
                lines.append(f"   The ad-tech sees with x: {mine or 'nothing'}.")
                lines.append(f"   The ad-tech sees without x: {theirs or 'nothing'}.")
        lines += ["", f"{self.event} {self.inequality()}."]
        lines.append(f"This is {self.world}, at epsilon = {self.epsilon}.")
        return "\n".join(lines)

    def to_pytest(self, proposal: str) -> str:
        """Return a test file that fails on the proposal's rules and passes on the paper's."""
        return script_test(self, proposal)

    def to_json(self) -> dict[str, object]:
        """Return the attack as plain data."""
        seen = zip(self.moves, self.seen_with, self.seen_without, strict=True)
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
            "searched": "scripts of moves at the rules' own limits",
            "steps": [
                {"move": move, "seen": mine, "seen_without": theirs} for move, mine, theirs in seen
            ],
        }
