"""The exact worst adversary: what it sees, the worlds it plays against, and what it gains.

Each file imports those before it: `counting`, `masses`, `window`, `responses`, `world`, then
`answers`, `undrawn` and `system_parts`, by which steps of the whole system are run once and draws
wait, `tree` and `solver`.
"""

from properties.game.answers import with_answers_remembered
from properties.game.counting import OutOfRoom, OutOfSteps, Steps
from properties.game.responses import bare, observed
from properties.game.solver import Game
from properties.game.tree import Branch, Comparison, Menu, Node, Plan
from properties.game.window import Window, rational
from properties.game.world import World

__all__ = [
    "Branch",
    "Comparison",
    "Game",
    "Menu",
    "Node",
    "OutOfRoom",
    "OutOfSteps",
    "Plan",
    "Steps",
    "Window",
    "World",
    "bare",
    "observed",
    "rational",
    "with_answers_remembered",
]
