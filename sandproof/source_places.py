"""What there is to reach in a proposal's source: its parts, and the ways of its conditions.

Places are read off the syntax tree, so that they are the same under every version of Python, and
found again in the code that runs by where its instructions stand in the source. Which instructions
there are depends on the version: a name that is only loaded may have none of its own. So a place is
one of these:

- a `PART`: a call, an attribute, an operation, that is, what has an instruction of its own;
- an `ENTRY`: a statement, or the head of one, of which any instruction is run;
- a way that a condition may go, which the jump after it tells;
- an `ARM`: an expression that is evaluated only if conditions before it go a certain way.

Comprehensions that are no generators belong to the function they stand in, as they do since 3.12.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from sandproof.source_parts import (
    OWNERS,
    Condition,
    Owner,
    Place,
    Span,
    begin_of,
    body_of,
    is_constant,
    is_note,
    lines_of,
    lines_that_raise,
    name_of,
    never,
    span_of,
    within,
)

Said: TypeAlias = tuple[tuple[int, str], ...]
"""In which lines something is missing if a place is not reached, and how it is told."""

INLINED = ("<listcomp>", "<setcomp>", "<dictcomp>")
"""Comprehensions, which are functions of their own before Python 3.12."""

PART, ENTRY, ARM = "part", "entry", "arm"
PARTS = (ast.Call, ast.BinOp, ast.Compare, ast.JoinedStr, ast.Yield, ast.YieldFrom, ast.Await)
SILENT = (ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal, ast.Try, ast.TryStar)
"""Statements that do nothing themselves."""


@dataclass(eq=False)
class Function:
    """Hold what there is to reach in a function, and what is said if it is not.

    Conditions are found by where they stand.
    """

    node: Owner
    places: dict[Place, Said] = field(default_factory=dict)
    conditions: dict[Span, list[Condition]] = field(default_factory=dict)
    lines: dict[int, list[Span]] = field(default_factory=dict)

    @functools.cached_property
    def listed(self) -> list[Condition]:
        """Return all conditions, in their order in the source."""
        found = [each for listed in self.conditions.values() for each in listed]
        return sorted(found, key=lambda each: span_of(each.node))

    def entries(self, line: int) -> list[Span]:
        """Return the statements, or heads of such, that a line is part of."""
        if not self.lines:
            for span, what in self.places:
                if what == ENTRY:
                    for each in range(span[0], span[2] + 1):
                        self.lines.setdefault(each, []).append(span)
        return self.lines.get(line, [])


class Source:
    """Hold the functions of a file, and which lines of it raise."""

    def __init__(self, text: bytes) -> None:
        tree = ast.parse(text)
        self.lines = tuple(text.decode(errors="replace").splitlines())
        self.raising = lines_that_raise(tree)
        self.functions = [
            Reader(node, self).function for node in ast.walk(tree) if isinstance(node, OWNERS)
        ]

    def function(self, name: str, spans: Iterable[Span]) -> Function | None:
        """Return the function of a name that holds most of these spans, the innermost of such."""
        listed = list(spans)
        named = [x for x in self.functions if name in INLINED or name_of(x.node) == name]
        held = {x: sum(within(span, body_of(x.node)) for span in listed) for x in named}
        found = max(named, key=lambda x: (held[x], span_of(x.node)[:2]), default=None)
        return found if found is not None and held[found] else None


@functools.cache
def source_of(path: str) -> Source:
    """Read a file of a proposal."""
    return Source(Path(path).read_bytes())


class Reader:
    """Read what there is to reach in one function."""

    def __init__(self, node: Owner, source: Source) -> None:
        self.source = source
        self.function = Function(node)
        match node:
            case ast.Lambda():
                self.value(node.body)
            case ast.GeneratorExp():
                self.comprehension(node.generators, (node.elt,), outermost=True)
            case _:
                self.block(node.body)

    def place(self, span: Span, what: str, said: Iterable[tuple[int, str]]) -> Place:
        """Note a place, unless all of it is in lines that raise."""
        told = tuple(each for each in said if each[0] not in self.source.raising)
        if told:
            self.function.places[span, what] = told
        return span, what

    def part(self, node: ast.AST) -> None:
        """Note what has an instruction of its own."""
        self.place(span_of(node), PART, [(span_of(node)[0], "")])

    def entry(self, node: ast.AST) -> None:
        """Note what is to be begun."""
        self.place(span_of(node), ENTRY, [(line, "") for line in lines_of(node)])

    def arm(self, *nodes: ast.AST) -> Place:
        """Note what is evaluated only after a condition."""
        lines = {line for node in nodes for line in lines_of(node)}
        return self.place(span_of(nodes[0]), ARM, [(line, "") for line in sorted(lines)])

    def condition(
        self,
        node: ast.AST,
        on_true: tuple[Place, ...] = (),
        on_false: tuple[Place, ...] = (),
        jump: Span | None = None,
        number: int = 0,
    ) -> None:
        """Note a condition and both of its ways."""
        found = Condition(node, jump or span_of(node), number, on_true, on_false)
        self.function.conditions.setdefault(span_of(node), []).append(found)
        for true in (False, True):
            span, what = found.way(true)
            self.place(span, what, [(span[0], never(span, true, self.source.lines))])

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Note what there is to reach in statements."""
        for each in statements:
            self.statement(each)

    def statement(self, node: ast.stmt) -> None:
        """Note what there is to reach in a statement."""
        match node:
            case ast.If(test, body, orelse):
                self.head(test)
                self.decided(test)
                self.block([*body, *orelse])
            case ast.While(test, body, orelse):
                self.head(test)
                # It is evaluated once more after the body.
                again = () if is_constant(test) else (self.arm(test),)
                self.decided(test, again)
                self.block([*body, *orelse])
            case ast.For(target, over, body, orelse) | ast.AsyncFor(target, over, body, orelse):
                self.head(over)
                self.value(over)
                self.head(target)
                self.value(target)
                self.block([*body, *orelse])
            case ast.With(items, body) | ast.AsyncWith(items, body):
                for item in items:
                    self.head(item.context_expr)
                    self.values(item)
                self.block(body)
            case ast.Match(subject, cases):
                self.head(subject)
                self.value(subject)
                for case in cases:
                    self.case(case)
            case ast.Try() | ast.TryStar():
                self.tried(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.place(span_of(node), ENTRY, [(begin_of(node), "")])
                self.outer(node)
            case ast.Assert() | ast.Raise():
                pass
            case _ if isinstance(node, SILENT) or is_note(node):
                pass
            case _:
                self.entry(node)
                if isinstance(node, ast.Return | ast.AugAssign | ast.Delete):
                    self.part(node)
                self.values(node)

    def head(self, node: ast.expr) -> None:
        """Note what a statement evaluates first, unless it is known without."""
        if not is_constant(node):
            self.entry(node)

    def tried(self, node: ast.Try | ast.TryStar) -> None:
        """Note a statement that handles exceptions; the last handler need not pass one on."""
        self.block(node.body)
        for number, handler in enumerate(node.handlers):
            if handler.type is not None:
                self.entry(handler.type)
                self.value(handler.type)
                self.condition(handler, jump=span_of(handler))
                if number == len(node.handlers) - 1:
                    self.function.places.pop((span_of(handler), "0 false"), None)
            self.block(handler.body)
        self.block([*node.orelse, *node.finalbody])

    def case(self, case: ast.match_case) -> None:
        """Note a case: whether its pattern fails is told by jumps that stand in it."""
        self.values(case.pattern)
        last = case.pattern
        while isinstance(last, ast.MatchOr):
            last = last.patterns[-1]
        for node in ast.walk(last):
            if isinstance(node, ast.pattern):
                self.condition(node)
                way = (span_of(node), "0 true")
                if node is not case.pattern:
                    self.function.places.pop(way, None)
        if case.guard is not None:
            self.head(case.guard)
            self.decided(case.guard)
        self.block(case.body)

    def decided(
        self,
        node: ast.expr,
        on_true: tuple[Place, ...] = (),
        on_false: tuple[Place, ...] = (),
        jump: Span | None = None,
    ) -> None:
        """Note the conditions in an expression that decides where to go on.

        A `jump` is given where the expression is a part of another one, whose value it may be: then
        jumps stand where the other one does.
        """
        match node:
            case ast.Constant():
                pass
            case ast.UnaryOp(ast.Not(), operand) if jump is None:
                self.decided(operand, on_false, on_true)
            case ast.BoolOp(op, values):
                both = isinstance(op, ast.And)
                for first, then in pairwise(values):
                    goes_on = (self.arm(then),)
                    ways = (goes_on, on_false) if both else (on_true, goes_on)
                    self.decided(first, ways[0], ways[1], jump and span_of(node))
                self.decided(values[-1], on_true, on_false, jump)
            case ast.IfExp(test, body, orelse) if jump is None:
                self.decided(test, (self.arm(body),), (self.arm(orelse),))
                self.decided(body, on_true, on_false)
                self.decided(orelse, on_true, on_false)
            case ast.Compare(comparators=[_, _, *_]) if jump is None:
                self.chain(node, on_true, on_false, whole=True)
            case _:
                self.condition(node, on_true, on_false, jump)
                self.value(node)

    def chain(
        self,
        node: ast.Compare,
        on_true: tuple[Place, ...] = (),
        on_false: tuple[Place, ...] = (),
        whole: bool = False,
    ) -> None:
        """Note a chain of comparisons; only where it is a condition as a whole the last decides."""
        self.part(node)
        last = len(node.ops) - 1
        for number in range(len(node.ops) if whole else last):
            then = on_true if number == last else (self.arm(node.comparators[number + 1]),)
            self.condition(node, then, on_false, number=number)
        self.values(node)

    def value(self, node: ast.AST) -> None:
        """Note what there is to reach in an expression that is evaluated."""
        match node:
            case ast.BoolOp(op, values):
                for first, then in pairwise(values):
                    goes_on = (self.arm(then),)
                    ways = (goes_on, ()) if isinstance(op, ast.And) else ((), goes_on)
                    self.decided(first, ways[0], ways[1], span_of(node))
                self.value(values[-1])
            case ast.IfExp(test, body, orelse):
                self.decided(test, (self.arm(body),), (self.arm(orelse),))
                self.value(body)
                self.value(orelse)
            case ast.Compare(comparators=[_, _, *_]):
                self.chain(node)
            case ast.ListComp(elt, generators) | ast.SetComp(elt, generators):
                self.comprehension(generators, (elt,))
            case ast.DictComp(key, value, generators):
                self.comprehension(generators, (key, value))
            case ast.GeneratorExp(_, generators):
                self.value(generators[0].iter)
            case ast.Lambda():
                self.outer(node)
            case _:
                loaded = isinstance(getattr(node, "ctx", None), ast.Load)
                attribute = isinstance(node, ast.Attribute | ast.Subscript) and loaded
                if attribute or (isinstance(node, PARTS) and not is_constant(node)):
                    self.part(node)
                self.values(node)

    def values(self, node: ast.AST) -> None:
        """Note what there is to reach in the parts of something that is evaluated."""
        for each in ast.iter_child_nodes(node):
            self.value(each)

    def outer(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
    ) -> None:
        """Note what is evaluated where a function or a class is made: all but its body."""
        for name, given in ast.iter_fields(node):
            if name != "body":
                for each in given if isinstance(given, list) else [given]:
                    if isinstance(each, ast.arguments):
                        for default in (*each.defaults, *each.kw_defaults):
                            if default is not None:
                                self.value(default)
                    elif isinstance(each, ast.expr) and name != "returns":
                        self.value(each)

    def comprehension(
        self,
        generators: Sequence[ast.comprehension],
        made: Sequence[ast.expr],
        outermost: bool = False,
    ) -> None:
        """Note what there is to reach in a comprehension, in the order in which it is evaluated.

        What a generator goes through first is evaluated where it is made.
        """
        for place, each in enumerate(generators):
            if place or not outermost:
                self.value(each.iter)
            self.head(each.target)
            self.value(each.target)
            later = [node for more in generators[place + 1 :] for node in (more.iter, *more.ifs)]
            for number, test in enumerate(each.ifs):
                self.decided(test, (self.arm(*each.ifs[number + 1 :], *later, *made),))
        for node in made:
            self.value(node)
