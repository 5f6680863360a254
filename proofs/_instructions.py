r"""The instructions of a function, made from its source: the same in every version of Python.

Proofs look at what the code of a proposal does, instruction by instruction. The instructions that
Python itself makes differ from version to version, and a verdict may not. So they are made here
from the syntax tree, in the words and the order of Python 3.11, for the whole language.
`_statements.py` and `_expressions.py` say how, `_scopes.py` which variables functions share.

That the source is that of the function is checked: the file is compiled once more, and the
function's own code must be among what comes out. The test of this module compares the instructions
with those of Python 3.11 where it runs.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType
from typing import TypeAlias, cast

from proofs._emitted import Code as Code
from proofs._emitted import Instruction as Instruction
from proofs._emitted import NoSource as NoSource
from proofs._emitted import begin_of
from proofs._scopes import Function, Scopes, is_function
from proofs._statements import Writer


def code_of(code: CodeType) -> Code:
    """Return the code of a function as it is followed, made from its source."""
    return _read(code.co_filename, code)


@lru_cache(maxsize=4096)
def _read(filename: str, code: CodeType) -> Code:
    """Read a function's file; equal functions of different files are different ones."""
    linecache.checkcache(filename)
    text = "".join(linecache.getlines(filename))
    try:
        tree, scopes, compiled = _parsed(text, filename)
    except (SyntaxError, ValueError, RecursionError):
        compiled = frozenset()
    if code not in compiled:
        where = f"line {code.co_firstlineno} of {filename.rpartition('/')[2]}"
        raise NoSource(f"{code.co_name}, {where}, has no source that is its own")
    return Writer(scopes.of(_node_of(tree, code)), scopes, filename, code.co_qualname).written()


@lru_cache(maxsize=64)
def _parsed(text: str, filename: str) -> tuple[ast.Module, Scopes, frozenset[CodeType]]:
    compiled = compile(text, filename, "exec", dont_inherit=True)
    tree = ast.parse(text, filename)
    return tree, Scopes(tree), frozenset(_codes_in(compiled))


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes_in(constant)


def _node_of(tree: ast.Module, code: CodeType) -> Function:
    """Return the function of a file that a code object was made of, by where its parts stand."""
    found = [
        each
        for each in ast.walk(tree)
        if is_function(each) and begin_of(each) == (code.co_name, code.co_firstlineno)
    ]
    places = [
        ((line, column), (end_line, end_column))
        for line, end_line, column, end_column in code.co_positions()
        if None not in (line, end_line, column, end_column) and (column or end_column)
    ]
    if len(found) > 1:
        found = [each for each in found if all(_holds(each, *cast(Span, p)) for p in places)]
        found.sort(key=lambda each: (each.lineno, each.col_offset), reverse=True)
    if not found:
        raise NoSource(f"{code.co_name} is not found in the file that it is from")
    return found[0]


Point: TypeAlias = tuple[int, int]
Span: TypeAlias = tuple[Point, Point]


def _holds(node: Function, begin: Point, end: Point) -> bool:
    """Tell whether the body of a function spans a part of a file."""
    body: list[ast.AST] = [*node.body] if isinstance(node, ast.FunctionDef) else [node]
    if isinstance(node, ast.Lambda):
        body = [node.body]
    first, last = cast(ast.expr, body[0]), cast(ast.expr, body[-1])
    until = (last.end_lineno or 0, last.end_col_offset or 0)
    return (first.lineno, first.col_offset) <= begin and end <= until


def steps_of(code: Code) -> Iterator[Instruction]:
    """List the instructions of a function, and of those inside of it."""
    yield from code.steps
    for constant in code.co_consts:
        if isinstance(constant, Code):
            yield from steps_of(constant)
