r"""An attack as a test file: it fails on the changed rules and passes on the paper's.

The file holds the strategy as Python values and replays it through the specification. Types and
programs of a proposal's own are looked up in the proposal.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from types import FunctionType
from typing import TYPE_CHECKING

from immutables import Map

from properties.game import Branch, Plan

if TYPE_CHECKING:
    from properties.attack import Attack
    from properties.script_attack import ScriptAttack

HEAD = '''"""Replay the smallest attack on {proposal}.

{story}
"""

from fractions import Fraction
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
'''
TAIL = """

def test_the_changed_rules_withstand_the_attack():
    assert broken(proposal.RULES) == ""


def test_the_papers_rules_withstand_the_attack():
    assert broken(PAPER) == ""
"""
LOAD = '''

def load(path):
    made = spec_from_file_location("proposal", path)
    module = module_from_spec(made)
    made.loader.exec_module(module)
    return module


proposal = load(RULES_FILE)


def broken(rules):
    """Return the inequality that the attack breaks, or nothing."""
'''
TEMPLATE = f"""{HEAD}
from immutables import Map

{{imports}}
from properties.attack import replayed
from spec import PAPER, replace

RULES_FILE = Path(__file__).parent / {{proposal!r}}
LIMITS = {{limits}}
UNIT = {{unit}}
WINDOW = {{window}}
POWER = {{power}}
DELTA = {{allowed}}
STRATEGY = {{strategy}}
{LOAD}    probability, other = replayed(
        replace(rules, limits=LIMITS), {{relation}}, UNIT, STRATEGY, WINDOW, {{world!r}}, POWER
    )
    if probability > POWER * other + DELTA:
        return f"{{{{probability}}}} > {{{{POWER}}}} * {{{{other}}}} + {{{{DELTA}}}}"
    return ""
{TAIL}"""
SCRIPT = f"""{HEAD}
{{imports}}
from properties.play import attack_by
from spec import PAPER
from spec.neighbours import RELATIONS_BY_NAME

RULES_FILE = Path(__file__).parent / {{proposal!r}}
RELATION = RELATIONS_BY_NAME[{{relation!r}}]
UNIT = {{unit}}
PROMISED = {{promised}}
MOVES = (
{{moves}})
{LOAD}    attack = attack_by(rules, RELATION, UNIT, MOVES, PROMISED)
    return "" if attack is None else attack.inequality()
{TAIL}"""


class Writer:
    """Write values as Python code and note what has to be imported."""

    def __init__(self) -> None:
        self.names: dict[str, set[str]] = {}

    def code(self, value: object) -> str:
        """Return an expression that makes the value."""
        match value:
            case Fraction():
                whole = value.denominator == 1
                return f"Fraction({value.numerator}{'' if whole else f', {value.denominator}'})"
            case Enum():
                return f"{self.name(type(value))}.{value.name}"
            case Map():
                items = ", ".join(f"{self.code(k)}: {self.code(v)}" for k, v in value.items())
                return f"Map({{{items}}})"
            case frozenset():
                return f"frozenset({{{', '.join(sorted(map(self.code, value)))}}})"
            case tuple():
                inner = ", ".join(map(self.code, value))
                return f"({inner},)" if len(value) == 1 else f"({inner})"
            case FunctionType() | type():
                return self.name(value)
        if is_dataclass(value) and not isinstance(value, type):
            parts = [
                f"{field.name}={self.code(getattr(value, field.name))}"
                for field in fields(value)
                if field.init
            ]
            return f"{self.name(type(value))}({', '.join(parts)})"
        return repr(value)

    def name(self, value: type | FunctionType) -> str:
        """Return the name under which the file can use a class or a function."""
        if value.__module__.partition(".")[0] in ("spec", "properties"):
            self.names.setdefault(value.__module__, set()).add(value.__qualname__)
            return value.__qualname__
        return f"proposal.{value.__qualname__}"

    def imports(self) -> str:
        """Return the import lines."""
        return "\n".join(
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self.names.items())
        )


def telling(plan: Plan) -> Plan:
    """Leave out the branches after which nothing is done; the replay needs no list of them."""
    kept = tuple(
        Branch(
            response=branch.response,
            with_unit=branch.with_unit,
            without_unit=branch.without_unit,
            then=telling(branch.then),
        )
        for branch in plan.branches
        if branch.then is not None
    )
    return Plan(action=plan.action, branches=kept)


def attack_test(attack: Attack, proposal: str) -> str:
    """Return the test file for an attack on a proposal."""
    writer = Writer()
    strategy = writer.code(telling(attack.strategy))
    unit = writer.code(attack.unit_value)
    window = writer.code(attack.window)
    limits = writer.code(attack.limits)
    relation = f"RELATIONS_BY_NAME[{attack.relation!r}]"
    if attack.relation_is_own:
        relation = "proposal.NEIGHBOURS"
    else:
        writer.names.setdefault("spec.neighbours", set()).add("RELATIONS_BY_NAME")
    return TEMPLATE.format(
        proposal=proposal,
        story=attack.story(),
        imports=writer.imports(),
        limits=limits,
        unit=unit,
        window=window,
        strategy=strategy,
        relation=relation,
        world=attack.world,
        power=writer.code(attack.power),
        allowed=writer.code(attack.allowed),
    )


def script_test(attack: ScriptAttack, proposal: str) -> str:
    """Return the test file for a script that is an attack on a proposal."""
    writer = Writer()
    unit = writer.code(attack.unit_value)
    moves = "".join(f"    {writer.code(move)},\n" for move in attack.made)
    return SCRIPT.format(
        proposal=proposal,
        story=attack.story(),
        imports=writer.imports(),
        relation=attack.relation,
        unit=unit,
        moves=moves,
        promised=writer.code((attack.epsilon, attack.allowed)),
    )
