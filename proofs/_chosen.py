"""Comprehensions that go through a sequence once and take each of its members at most once.

`tuple(report for report in batch if can_pay(at, report))` holds some of the batch, none of them
twice. That is read off the code of the comprehension: it has one loop, over what it is given, and
one place that collects, which every round passes at most once. What is collected there must be the
member of the round itself. A caller shows that by following the code with a label that nothing else
has.
"""

from __future__ import annotations

import dis
from types import CodeType

from proofs._flow import _Frame
from proofs._labels import (
    MIXED,
    Inside,
    Label,
    Listing,
    Pack,
    Policy,
    Several,
    changed_by,
    ways_of,
)

COLLECTING = {
    "<listcomp>": "LIST_APPEND",
    "<genexpr>": "YIELD_VALUE",
}
"""The kinds of comprehensions that are known, and what collects there."""

SET_AROUND = frozenset({"STORE_GLOBAL", "STORE_NAME", "DELETE_GLOBAL", "DELETE_DEREF", "SEND"})
"""What a comprehension with an effect around it would do, or one that passes on another."""


def is_lazy(inside: Inside) -> bool:
    """Tell whether a comprehension is a generator, which can be gone through once."""
    return inside.code.co_name == "<genexpr>"


def goes_through_once(code: CodeType) -> bool:
    """Tell whether code is a comprehension with one loop that collects at most once in a round."""
    collecting = COLLECTING.get(code.co_name)
    if collecting is None or code.co_varnames[:1] != (".0",) or code.co_argcount != 1:
        return False
    steps = [step for step in dis.get_instructions(code) if step.opname != "CACHE"]
    loops = [place for place, step in enumerate(steps) if step.opname == "FOR_ITER"]
    given = [p for p, s in enumerate(steps) if s.argval == ".0" and s.opname == "LOAD_FAST"]
    if len(loops) != 1 or given != [loops[0] - 1] or steps[loops[0]].is_jump_target is False:
        return False
    head = steps[loops[0]].offset
    back = all(each.argval == head for each in steps if "JUMP_BACKWARD" in each.opname)
    set_around = (s.opname in SET_AROUND or _is_set_around(code, s) for s in steps)
    return back and not any(set_around) and [s.opname for s in steps].count(collecting) == 1


def _is_set_around(code: CodeType, step: dis.Instruction) -> bool:
    return step.opname == "STORE_DEREF" and step.argval in code.co_freevars


def _mentions(label: Label, member: Label) -> bool:
    """Tell whether a value may be, or hold, what has a label."""
    return changed_by(label, lambda each: MIXED if each == member else each) != label


def collected(inside: Inside, member: Label, policy: Policy) -> Label | None:
    """Return the label of what a comprehension collects from members with a label, if it is known.

    The member of a round is known by its label, which must be that of nothing else. None stands for
    a comprehension of another kind.
    """
    if not goes_through_once(inside.code) or inside.defaults:
        return None
    if any(_mentions(label, member) for _, label in inside.taken):
        return None
    frame = _Frame(inside.code, inside.scope, dict(inside.taken), (), policy, 1)
    found = frame.run((Several("what is gone through", member),), {})
    return found.member if isinstance(found, Several | Listing) else None


def pairs_of(inside: Inside, given: Label, policy: Policy) -> Pack | None:
    """Return the labels of key and value of a dictionary that a comprehension makes.

    None stands for another comprehension, or for one that collects pairs of several kinds.
    """
    if inside.code.co_name != "<dictcomp>" or inside.defaults:
        return None
    frame = _Frame(inside.code, inside.scope, dict(inside.taken), (), policy, 1)
    pairs: set[Pack] = set()
    frame.entered = pairs
    frame.run((given,), {})
    return pairs.pop() if len(pairs) == 1 else None


def image_of(function: Label, given: Label, policy: Policy) -> tuple[Label, ...]:
    """Return the labels of what a function inside of a rule may make of a value."""
    if not isinstance(function, Inside) or function.defaults or function.code.co_argcount != 1:
        return ()
    frame = _Frame(function.code, function.scope, dict(function.taken), (), policy, 1)
    return ways_of(frame.run((given,), {}))
