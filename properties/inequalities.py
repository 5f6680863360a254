r"""The inequality that a list of moves breaks: what a test that replays an attack asks for."""

from __future__ import annotations

from collections.abc import Sequence

from properties.play import Promise, attack_by
from properties.searches.event_runs import event_attack
from properties.worlds import CannotPlay
from spec.contributions import Unit
from spec.event_client import EventSource
from spec.neighbours import Relation, RelationUndefined
from spec.numbers import SpecError
from spec.rules import Rules
from spec.system import Move


def inequality_of(
    rules: Rules, relation: Relation, unit: Unit, moves: Sequence[Move], promised: Promise
) -> str:
    """Return the inequality that moves break, or nothing; moves that are refused break none."""
    responding = any(isinstance(move, EventSource) for move in moves)
    try:
        attack = (event_attack if responding else attack_by)(rules, relation, unit, moves, promised)
    except (CannotPlay, RelationUndefined):
        raise
    except SpecError:
        return ""
    return "" if attack is None else attack.inequality()
