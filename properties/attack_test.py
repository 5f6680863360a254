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
from spec.neighbours import RELATIONS_BY_NAME

if TYPE_CHECKING:
    from properties.attack import Attack
    from properties.script_attack import ScriptAttack

WIDTH = 88
"""How long the lines of code are, at most, where they can be shorter."""

HEAD = '''"""Replay the smallest attack on {proposal}.

{story}
"""

from fractions import Fraction
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

{imports}

RULES_FILE = Path(__file__).parent / "{proposal}"


def load(path):
    made = spec_from_file_location("proposal", path)
    module = module_from_spec(made)
    made.loader.exec_module(module)
    return module


proposal = load(RULES_FILE)
{values}

def broken(rules):
    """Return the inequality that the attack breaks, or nothing."""
'''
TAIL = """

def test_the_changed_rules_withstand_the_attack():
    assert broken(proposal.RULES) == ""


def test_the_papers_rules_withstand_the_attack():
    assert broken(PAPER) == ""
"""
STRATEGY = f"""{HEAD}    scaled = replace(rules, limits=LIMITS)
    probability, other = replayed(
        scaled, RELATION, UNIT, STRATEGY, WINDOW, {{world}}, POWER
    )
    if probability > POWER * other + DELTA:
        return f"{{{{probability}}}} > {{{{POWER}}}} * {{{{other}}}} + {{{{DELTA}}}}"
    return ""
{TAIL}"""
SCRIPT = f"""{HEAD}    return inequality_of(rules, RELATION, UNIT, MOVES, PROMISED)
{TAIL}"""


class Writer:
    """Write values as Python code and note what has to be imported."""

    def __init__(self) -> None:
        self.names: dict[str, set[str]] = {}

    def code(self, value: object, indent: int = 0, used: int = 0) -> str:
        """Return an expression that makes the value, folded if it is long.

        The lines after the first are indented; so much of the first is `used` already.
        """
        one_line = self.line(value)
        if indent + used + len(one_line) < WIDTH:
            return one_line
        start, parts, end = self.parts(value)
        if not end:
            return one_line
        space = " " * (indent + 4)
        inner = [name + self.code(part, indent + 4, len(name) + 1) for name, part in parts]
        return "\n".join([start, *(f"{space}{each}," for each in inner), " " * indent + end])

    def line(self, value: object) -> str:
        """Return an expression on one line that makes the value."""
        match value:
            case str():
                return quoted(value)
            case Fraction():
                whole = value.denominator == 1
                return f"Fraction({value.numerator}{'' if whole else f', {value.denominator}'})"
            case Enum():
                return f"{self.name(type(value))}.{value.name}"
            case FunctionType() | type():
                return self.name(value)
        start, parts, end = self.parts(value)
        inner = [name + self.line(part) for name, part in parts]
        return start + ", ".join(inner) + ("," * (start == "(" and len(inner) == 1)) + end

    def parts(self, value: object) -> tuple[str, list[tuple[str, object]], str]:
        """Return how a value begins, its parts with their names, and how it ends."""
        match value:
            case Map():
                items = [(f"{self.line(key)}: ", held) for key, held in value.items()]
                self.names.setdefault("immutables", set()).add("Map")
                return "Map({", items, "})"
            case frozenset():
                return "frozenset({", [("", each) for each in sorted(value, key=self.line)], "})"
            case tuple():
                return "(", [("", each) for each in value], ")"
        if not is_dataclass(value) or isinstance(value, type):
            return repr(value), [], ""
        given = [
            (f"{each.name}=", getattr(value, each.name))
            for each in fields(value)
            if each.init and getattr(value, each.name) != each.default
        ]
        return f"{self.name(type(value))}(", given, ")"

    def name(self, value: type | FunctionType) -> str:
        """Return the name under which the file can use a class or a function."""
        if value.__module__.partition(".")[0] in ("spec", "properties"):
            self.names.setdefault(value.__module__, set()).add(value.__qualname__)
            return value.__qualname__
        return f"proposal.{value.__qualname__}"

    def imports(self, **needed: str) -> str:
        """Return the import lines, with names that are needed from modules besides."""
        for name, module in needed.items():
            self.names.setdefault(module, set()).add(name)
        return "\n".join(
            f"from {module} import {', '.join(sorted(names, key=in_import_order))}"
            for module, names in sorted(self.names.items())
        )

    def values(self, **values: object) -> str:
        """Return lines that give values names."""
        return "\n".join(
            f"{name} = {self.code(value, used=len(name) + 3)}" for name, value in values.items()
        )


def in_import_order(name: str) -> tuple[bool, bool, str]:
    """Return where a name comes among imports: constants, then classes, then functions."""
    return not name.isupper(), not name[0].isupper(), name


def quoted(text: str) -> str:
    """Write a text in double quotes where it holds none."""
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain else plain


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


def relation_code(writer: Writer, attack: Attack | ScriptAttack, own: bool) -> str:
    """Return the line that names the neighbour relation, which may be the proposal's own."""
    if own:
        return "RELATION = proposal.NEIGHBOURS"
    writer.names.setdefault("spec.neighbours", set()).add("RELATIONS_BY_NAME")
    return f"RELATION = RELATIONS_BY_NAME[{quoted(attack.relation)}]"


def attack_test(attack: Attack, proposal: str) -> str:
    """Return the test file for an attack on a proposal."""
    writer = Writer()
    lines = [
        relation_code(writer, attack, attack.relation_is_own),
        writer.values(
            LIMITS=attack.limits,
            UNIT=attack.unit_value,
            WINDOW=attack.window,
            POWER=attack.power,
            DELTA=attack.allowed,
        ),
    ]
    needed = {"replayed": "properties.replay", "PAPER": "spec", "replace": "spec"}
    if attack.made is None:
        lines.append(writer.values(STRATEGY=telling(attack.strategy)))
    else:
        lines += [writer.values(MOVES=attack.made), "STRATEGY = in_order(MOVES)"]
        needed["in_order"] = "properties.replay"
    return STRATEGY.format(
        proposal=proposal,
        story=attack.story(),
        imports=writer.imports(**needed),
        values="\n".join(lines) + "\n",
        world=quoted(attack.world),
    )


def script_test(attack: ScriptAttack, proposal: str) -> str:
    """Return the test file for a script that is an attack on a proposal."""
    writer = Writer()
    lines = [
        relation_code(writer, attack, attack.relation not in RELATIONS_BY_NAME),
        writer.values(
            UNIT=attack.unit_value, PROMISED=(attack.epsilon, attack.allowed), MOVES=attack.made
        ),
    ]
    return SCRIPT.format(
        proposal=proposal,
        story=attack.story(),
        imports=writer.imports(inequality_of="properties.inequalities", PAPER="spec"),
        values="\n".join(lines) + "\n",
    )
