"""Which variables the functions of a file share: read off its syntax tree.

A name belongs to the function that binds it, unless it is declared otherwise, and functions inside
of it see it. A comprehension is a function of its own, as Python 3.11 makes it. A name that no
function around binds is one of the module, or a built-in one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeGuard

Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | Comprehension
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef)
FUNCTIONS = (*DEFINED, ast.Lambda, *COMPREHENSIONS)
CLASS = "__class__"
"""What a method shares with the class around it if it asks for `super`."""


def is_function(node: ast.AST) -> TypeGuard[Function]:
    """Tell whether code of its own is made of a part of a file."""
    return isinstance(node, FUNCTIONS)


def annotations_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    """List what the parameters and the answer of a function are said to be."""
    given = node.args
    named = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
    said = [each.annotation for each in named if each is not None]
    return [each for each in (node.returns, *said) if each is not None]


@dataclass(slots=True, eq=False)
class Scope:
    """Hold the names of a module, a class or a function.

    `bound` are in the order in which they appear, the parameters first.
    """

    node: ast.AST
    around: Scope | None
    parameters: tuple[str, ...] = ()
    bound: dict[str, None] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    of_module: set[str] = field(default_factory=set)
    of_around: set[str] = field(default_factory=set)
    inside: list[Scope] = field(default_factory=list)
    is_generator: bool = False
    cells: tuple[str, ...] = ()
    free: tuple[str, ...] = ()

    @property
    def locals(self) -> tuple[str, ...]:
        """Return the names of the function's own variables, the parameters first."""
        return tuple(self.bound)

    def kind_of(self, name: str) -> Literal["global", "local", "shared"]:
        """Say whose a name is: the function's alone, shared with functions inside, or global."""
        if name in self.cells or name in self.free:
            return "shared"
        return "local" if name in self.bound else "global"


class Scopes:
    """Find out for every function of a file which variables it shares."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: dict[int, Scope] = {}
        self.names_types_later = any(
            isinstance(each, ast.ImportFrom)
            and each.module == "__future__"
            and any(name.name == "annotations" for name in each.names)
            for each in tree.body
        )
        top = Scope(tree, None)
        self._visit_all(ast.iter_child_nodes(tree), top)
        self._resolve(top, frozenset())

    def of(self, node: ast.AST) -> Scope:
        """Return the scope of a function."""
        return self.found[id(node)]

    def _visit_all(self, nodes: Iterator[ast.AST], scope: Scope) -> None:
        for node in nodes:
            self._visit(node, scope)

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._function(node, scope)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self._comprehension(node, scope)
            case ast.ClassDef(name=name):
                scope.bound[name] = None
                inner = self._begin(node, scope)
                self._visit_all(iter(node.body), inner)
                self._visit_all(iter((*node.decorator_list, *node.bases, *node.keywords)), scope)
            case ast.Name(id=name, ctx=context):
                if isinstance(context, ast.Load):
                    scope.used.update((name, CLASS) if name == "super" else (name,))
                else:
                    scope.bound[name] = None
            case ast.NamedExpr(target=target, value=value):
                self._visit(value, scope)
                owner = scope
                while isinstance(owner.node, COMPREHENSIONS) and owner.around is not None:
                    owner.of_around.add(target.id)
                    owner = owner.around
                owner.bound[target.id] = None
            case ast.Global(names=names):
                scope.of_module.update(names)
            case ast.Nonlocal(names=names):
                scope.of_around.update(names)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                for each in aliases:
                    scope.bound[(each.asname or each.name).partition(".")[0]] = None
            case ast.ExceptHandler(name=str(name)) | ast.MatchStar(name=str(name)):
                scope.bound[name] = None
                self._visit_all(ast.iter_child_nodes(node), scope)
            case ast.MatchAs(name=str(name)):
                scope.bound[name] = None
                self._visit_all(ast.iter_child_nodes(node), scope)
            case ast.MatchMapping(rest=str(name)):
                scope.bound[name] = None
                self._visit_all(ast.iter_child_nodes(node), scope)
            case ast.Yield() | ast.YieldFrom():
                scope.is_generator = True
                self._visit_all(ast.iter_child_nodes(node), scope)
            case _:
                self._visit_all(ast.iter_child_nodes(node), scope)

    def _begin(self, node: ast.AST, around: Scope) -> Scope:
        scope = self.found[id(node)] = Scope(node, around)
        around.inside.append(scope)
        return scope

    def _function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, around: Scope
    ) -> None:
        given = node.args
        outside = [*given.defaults, *(each for each in given.kw_defaults if each is not None)]
        if not isinstance(node, ast.Lambda):
            around.bound[node.name] = None
            outside += node.decorator_list
            outside += [] if self.names_types_later else annotations_of(node)
        self._visit_all(iter(outside), around)
        scope = self._begin(node, around)
        named = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
        scope.parameters = tuple(each.arg for each in named if each is not None)
        scope.bound = dict.fromkeys(scope.parameters)
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        self._visit_all(iter(body), scope)

    def _comprehension(self, node: Comprehension, around: Scope) -> None:
        first, *others = node.generators
        self._visit(first.iter, around)
        scope = self._begin(node, around)
        scope.bound[".0"] = None
        scope.is_generator = isinstance(node, ast.GeneratorExp)
        self._visit(first.target, scope)
        self._visit_all(iter((*first.ifs, *others)), scope)
        if isinstance(node, ast.DictComp):
            self._visit_all(iter((node.key, node.value)), scope)
        else:
            self._visit(node.elt, scope)

    def _resolve(self, scope: Scope, visible: frozenset[str]) -> set[str]:
        """Find what is shared; return the names that functions around have to lend."""
        for name in (*scope.of_module, *scope.of_around):
            scope.bound.pop(name, None)
        own = set(scope.bound) if is_function(scope.node) else set()
        class_around = {CLASS} if isinstance(scope.node, ast.ClassDef) else set()
        seen = (visible - scope.of_module) | own | class_around
        lent: set[str] = set()
        for inner in scope.inside:
            lent |= self._resolve(inner, frozenset(seen))
        lent -= class_around
        wanted = (scope.used | scope.of_around | lent) - scope.of_module
        shared = [name for name in scope.bound if name in lent and name in own]
        given = [name for name in shared if name in scope.parameters]
        scope.cells = (*given, *sorted(set(shared) - set(given)))
        scope.free = tuple(sorted((wanted - own) & visible))
        return set(scope.free)
