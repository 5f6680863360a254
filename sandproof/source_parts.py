"""Parts of a proposal's source: where they stand, what they are, and how they are told."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Span: TypeAlias = tuple[int, int, int, int]
"""First line and column, last line and column."""

Place: TypeAlias = tuple[Span, str]
"""Where something stands, and what about it: a part, an entry, an arm or a way."""

Owner: TypeAlias = (
    ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.GeneratorExp | ast.ClassDef
)
OWNERS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp, ast.ClassDef)
NAMES = {ast.Lambda: "<lambda>", ast.GeneratorExp: "<genexpr>"}
CONSTANT = (ast.Constant, ast.Tuple, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Load)
JOINED = re.compile(r"\s(?:and|or|not)(?:[\s(]|$)")
"""What stands between the conditions of a line."""


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """Hold what decides, which jump tells how, and what is evaluated in consequence.

    An instruction that asks for the truth of `node` may stand where `jump` says.
    """

    node: ast.AST
    jump: Span
    number: int
    on_true: tuple[Place, ...]
    on_false: tuple[Place, ...]

    @property
    def is_true_of_none(self) -> bool:
        """Tell whether None, which some jumps look for, makes it true."""
        if isinstance(self.node, ast.Compare):
            return isinstance(self.node.ops[self.number], ast.Is)
        return self.of_pattern

    @property
    def of_pattern(self) -> bool:
        """Tell whether it is that something has a pattern."""
        return isinstance(self.node, ast.pattern)

    def asks_for_none_of(self, name: str) -> bool:
        """Tell whether it compares a variable with None."""
        match self.node:
            case ast.Compare(ast.Name(found), [ast.Is() | ast.IsNot()], [ast.Constant(None)]):
                return found == name
        return False

    def way(self, true: bool) -> Place:
        """Name one of the two ways."""
        return span_of(self.node), f"{self.number} {'true' if true else 'false'}"

    def after(self, true: bool) -> tuple[Place, ...]:
        """Name what is reached when it goes this way."""
        return self.way(true), *(self.on_true if true else self.on_false)


def operands_of(condition: Condition) -> list[ast.expr] | list[ast.AST]:
    """Return what is evaluated for a condition alone: of a chain, what is compared there."""
    node, number = condition.node, condition.number
    if isinstance(node, ast.Compare) and condition.jump == span_of(node):
        compared = [node.left, *node.comparators]
        return compared[number + 1 : number + 2] if number else compared[:2]
    return [node]


def span_of(node: ast.AST) -> Span:
    """Return where a part of the source stands."""
    found = [
        getattr(node, each) for each in ("lineno", "col_offset", "end_lineno", "end_col_offset")
    ]
    return found[0], found[1], found[2], found[3]


def within(inner: Span, outer: Span) -> bool:
    """Tell whether one part of the source lies in another."""
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def body_of(node: Owner) -> Span:
    """Return where the code of a function stands."""
    match node:
        case ast.Lambda(body=body):
            return span_of(body)
        case ast.GeneratorExp():
            return span_of(node)
        case _:
            return *span_of(node.body[0])[:2], *span_of(node.body[-1])[2:]


def name_of(node: Owner) -> str:
    """Return how Python calls a function."""
    return NAMES.get(type(node)) or str(getattr(node, "name", ""))


def begin_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    """Return the first line of a definition."""
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def is_constant(node: ast.AST) -> bool:
    """Tell whether an expression is evaluated before a function is run."""
    return all(isinstance(each, CONSTANT) for each in ast.walk(node))


def is_note(node: ast.stmt) -> bool:
    """Tell whether a statement is a docstring, or says of a name what it is to be."""
    if isinstance(node, ast.AnnAssign):
        return node.value is None
    return isinstance(node, ast.Expr) and is_constant(node.value)


def lines_of(node: ast.AST) -> list[int]:
    """Return the lines in which something of an expression or a statement begins.

    Functions inside are told for themselves.
    """
    found = {span_of(node)[0]} if isinstance(node, ast.expr | ast.stmt) else set[int]()
    if not isinstance(node, OWNERS) and not is_constant(node):
        for each in ast.iter_child_nodes(node):
            found.update(lines_of(each))
    return sorted(found)


def never(span: Span, true: bool, lines: Sequence[str]) -> str:
    """Say which way a condition did not go, and which one it is of several in a line."""
    told = f"never {'true' if true else 'false'}"
    line = lines[span[0] - 1]
    if not JOINED.search(line):
        return told
    until = span[3] if span[0] == span[2] else None
    return f"`{line.encode()[span[1] : until].decode(errors='replace').strip()}` {told}"


def lines_that_raise(tree: ast.AST) -> frozenset[int]:
    """Return the lines of all statements that raise or assert."""
    return frozenset(
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise | ast.Assert)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    )
