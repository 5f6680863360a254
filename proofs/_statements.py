"""The instructions of statements, and of whole functions, as Python 3.11 makes them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from typing import cast

from proofs._emitted import Code, Place, begin_of
from proofs._expressions import BINARY, Expressions
from proofs._scopes import Function, Scope, Scopes

NOT_FOLLOWED: dict[type[ast.AST], str] = {
    ast.Try: "PUSH_EXC_INFO",
    ast.TryStar: "PUSH_EXC_INFO",
    ast.With: "BEFORE_WITH",
    ast.AsyncWith: "BEFORE_ASYNC_WITH",
    ast.AsyncFor: "GET_AITER",
    ast.Import: "IMPORT_NAME",
    ast.ImportFrom: "IMPORT_NAME",
    ast.Await: "GET_AWAITABLE",
    ast.YieldFrom: "YIELD_FROM",
    ast.Match: "MATCH",
}
"""What no proof follows, and how Python 3.11 calls the instruction that tells it."""


@dataclass(slots=True)
class Loop:
    """Hold where a loop goes on and where it ends; one over values keeps them on the stack."""

    begin: Place
    end: Place
    keeps: bool


class Writer(Expressions):
    """Write a whole function."""

    def __init__(self, scope: Scope, scopes: Scopes, filename: str, qualname: str) -> None:
        super().__init__(scope, scopes, filename, qualname)
        self.loops: list[Loop] = []

    def written(self) -> Code:
        node = cast(Function, self.scope.node)
        arguments = node.args if isinstance(node, ast.Lambda | ast.FunctionDef) else None
        if isinstance(node, ast.AsyncFunctionDef):
            arguments = node.args
            self.unknown("RETURN_COROUTINE")
        if self.scope.free:
            self.emit("COPY_FREE_VARS", len(self.scope.free))
        for name in self.scope.cells:
            self.emit("MAKE_CELL", argval=name)
        if self.scope.is_generator:
            self.emit("RETURN_GENERATOR")
            self.emit("POP_TOP")
        self.emit("RESUME")
        if isinstance(node, ast.Lambda):
            self.visit(node.body)
            if self.scope.is_generator:
                self.emit("POP_TOP")
                self.constant(None)
            self.emit("RETURN_VALUE")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            documented = ast.get_docstring(node, clean=False) is not None
            self.body(node.body[1:] if documented else node.body)
            self.constant(None)
            self.emit("RETURN_VALUE")
        else:
            self.comprehension_body(node)
        flags = CO_GENERATOR if self.scope.is_generator else 0
        flags |= CO_VARARGS if arguments and arguments.vararg else 0
        flags |= CO_VARKEYWORDS if arguments and arguments.kwarg else 0
        only = len(arguments.posonlyargs) if arguments else 0
        return Code(
            co_name=begin_of(node)[0],
            co_qualname=self.qualname,
            co_filename=self.filename,
            co_firstlineno=begin_of(node)[1],
            co_flags=flags,
            co_argcount=only + len(arguments.args) if arguments else 1,
            co_posonlyargcount=only,
            co_kwonlyargcount=len(arguments.kwonlyargs) if arguments else 0,
            co_varnames=self.scope.locals,
            co_cellvars=self.scope.cells,
            co_freevars=self.scope.free,
            co_consts=tuple(self.constants),
            steps=self.finished(),
        )

    def inside(self, node: Function) -> Code:
        """Return the code of a function inside of this one."""
        within = f"{self.qualname}.<locals>.{begin_of(node)[0]}"
        return Writer(self.scopes.of(node), self.scopes, self.filename, within).written()

    def unfollowed(self, node: ast.AST) -> None:
        """Name what no proof follows, and write down its parts."""
        self.unknown(NOT_FOLLOWED.get(type(node), type(node).__name__))
        self._parts(node)

    def body(self, statements: Sequence[ast.stmt]) -> None:
        for each in statements:
            self.line = each.lineno
            self.statement(each)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Global() | ast.Nonlocal():
                pass
            case ast.Expr(value=value):
                self.visit(value)
                self.emit("POP_TOP")
            case ast.Assign(targets=targets, value=value):
                self._assignment(targets, value)
            case ast.AnnAssign(target=target, annotation=said, value=ast.expr() as value):
                # What a variable is said to be is not computed, but it is read.
                self.plain(said)
                self.visit(value)
                self.assign(target)
            case ast.AnnAssign(target=ast.Name(), annotation=said):
                self.plain(said)
            case ast.AugAssign():
                self._augmented(node)
            case ast.Return(value=value):
                self._return(value)
            case ast.If():
                self._if(node)
            case ast.For():
                self._for(node)
            case ast.While():
                self._while(node)
            case ast.Break() | ast.Continue():
                self._leave(isinstance(node, ast.Break))
            case ast.Assert(test=test, msg=message):
                self._assert(test, message)
            case ast.Raise(exc=raised, cause=cause):
                given = [each for each in (raised, cause) if each is not None]
                for part in given:
                    self.visit(part)
                self.counted("RAISE_VARARGS", len(given))
            case ast.Delete(targets=targets):
                for each in targets:
                    self._delete(each)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(node)
            case ast.ClassDef():
                self.unknown("LOAD_BUILD_CLASS")
                for part in (*node.decorator_list, *node.bases):
                    self.visit(part)
                    self.emit("POP_TOP")
            case _:
                self.unfollowed(node)

    def _parts(self, node: ast.AST) -> None:
        """Write down the parts of what is not followed: what they hold is looked for there."""
        for each in ast.iter_child_nodes(node):
            match each:
                case ast.stmt():
                    self.line = each.lineno
                    self.statement(each)
                case ast.expr(ctx=ast.Store()):  # type: ignore[misc]
                    self.constant(None)
                    self.assign(each)
                case ast.expr():
                    self.visit(each)
                    self.emit("POP_TOP")
                case ast.alias(asname=renamed, name=name):
                    self.constant(None)
                    self.store((renamed or name).partition(".")[0])
                case _:
                    self._parts(each)

    def _assignment(self, targets: list[ast.expr], value: ast.expr) -> None:
        pairwise = len(targets) == 1 and isinstance(targets[0], ast.Tuple | ast.List)
        if pairwise and isinstance(value, ast.Tuple | ast.List):
            into, given = cast(ast.Tuple, targets[0]).elts, value.elts
            starred = any(isinstance(each, ast.Starred) for each in (*into, *given))
            plain = self.folded(ast.Tuple(elts=given, ctx=ast.Load())) is not None
            if len(into) == len(given) in (2, 3) and not starred and not plain:
                self.each(given)
                self.counted("SWAP", len(given))
                for each in into:
                    self.assign(each)
                return
        self.visit(value)
        for each in targets[:-1]:
            self.counted("COPY", 1)
            self.assign(each)
        self.assign(targets[-1])

    def _augmented(self, node: ast.AugAssign) -> None:
        target, symbol = node.target, BINARY[type(node.op)] + "="
        match target:
            case ast.Name(id=name):
                self.load(name)
            case ast.Attribute(value=owner, attr=name):
                self.visit(owner)
                self.counted("COPY", 1)
                self.emit("LOAD_ATTR", argval=name)
            case ast.Subscript(value=owner, slice=place):
                self.visit(owner)
                self.visit(place)
                self.counted("COPY", 2)
                self.counted("COPY", 2)
                self.emit("BINARY_SUBSCR")
        self.visit(node.value)
        self.emit("BINARY_OP", argrepr=symbol)
        match target:
            case ast.Name(id=name):
                self.store(name)
            case ast.Attribute(attr=name):
                self.counted("SWAP", 2)
                self.emit("STORE_ATTR", argval=name)
            case _:
                self.counted("SWAP", 3)
                self.counted("SWAP", 2)
                self.emit("STORE_SUBSCR")

    def _return(self, value: ast.expr | None) -> None:
        keeping = sum(loop.keeps for loop in self.loops)
        plain = value is None or isinstance(value, ast.Constant)
        if not plain:
            self.visit(cast(ast.expr, value))
        for _ in range(keeping):
            if not plain:
                self.counted("SWAP", 2)
            self.emit("POP_TOP")
        if plain:
            self.constant(value.value if isinstance(value, ast.Constant) else None)
        self.emit("RETURN_VALUE")

    def _if(self, node: ast.If) -> None:
        otherwise, end = Place(), Place()
        self.jump_if(node.test, otherwise, False)
        self.body(node.body)
        if node.orelse:
            self.emit("JUMP", to=end)
        self.here(otherwise)
        self.body(node.orelse)
        self.here(end)

    def _for(self, node: ast.For) -> None:
        begin, done, end = Place(), Place(), Place()
        self.visit_gone_through(node.iter)
        self.line = node.iter.lineno
        self.emit("GET_ITER")
        self.here(begin)
        self.emit("FOR_ITER", to=done)
        self.assign(node.target)
        self.loops.append(Loop(begin, end, keeps=True))
        self.body(node.body)
        self.loops.pop()
        self.line = node.lineno
        self.emit("JUMP", to=begin)
        self.here(done)
        self.body(node.orelse)
        self.here(end)

    def _while(self, node: ast.While) -> None:
        begin, body, done, end = Place(), Place(), Place(), Place()
        self.here(begin)
        self.jump_if(node.test, done, False)
        self.here(body)
        self.loops.append(Loop(begin, end, keeps=False))
        self.body(node.body)
        self.loops.pop()
        self.line = node.lineno
        self.jump_if(node.test, body, True)
        self.here(done)
        self.body(node.orelse)
        self.here(end)

    def _leave(self, ends: bool) -> None:
        if not self.loops:
            self.unknown("BREAK_OUTSIDE")
            return
        loop = self.loops[-1]
        if ends and loop.keeps:
            self.emit("POP_TOP")
        self.emit("JUMP", to=loop.end if ends else loop.begin)

    def _assert(self, test: ast.expr, message: ast.expr | None) -> None:
        if sys.flags.optimize:
            return
        end = Place()
        self.jump_if(test, end, True)
        self.emit("LOAD_ASSERTION_ERROR")
        if message is not None:
            self.visit(message)
            self.call(0)
        self.counted("RAISE_VARARGS", 1)
        self.here(end)

    def _delete(self, target: ast.expr) -> None:
        match target:
            case ast.Name(id=name):
                self.delete(name)
            case ast.Attribute(value=owner, attr=name):
                self.visit(owner)
                self.emit("DELETE_ATTR", argval=name)
            case ast.Subscript(value=owner, slice=place):
                self.visit(owner)
                self.visit(place)
                self.emit("DELETE_SUBSCR")
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for each in parts:
                    self._delete(each)
