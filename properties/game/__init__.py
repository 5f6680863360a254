"""The exact worst adversary: what it sees, the worlds it plays against, and what it gains.

Each file imports those before it: `counting`, `masses`, `window`, `responses`, `world`, then
`answers`, by which the service's part of a world is computed once, and `solver`.
"""

from properties.game.answers import with_answers_remembered
from properties.game.counting import OutOfSteps, Steps
from properties.game.responses import bare, observed
from properties.game.solver import Branch, Comparison, Game, Menu, Node, Plan
from properties.game.window import Window, rational
from properties.game.world import World

__all__ = [
    "Branch",
    "Comparison",
    "Game",
    "Menu",
    "Node",
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
