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
from inspect import (
    CO_ASYNC_GENERATOR,
    CO_COROUTINE,
    CO_GENERATOR,
    CO_VARARGS,
    CO_VARKEYWORDS,
)
from types import CodeType

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
    made = Writer(scopes.of(_node_of(tree, code)), scopes, filename, code.co_qualname).written()
    if _outline(code) != _outline(made) or not set(code.co_cellvars) <= set(made.co_cellvars):
        raise NoSource(f"{code.co_name} has other parts than its source tells")
    return made


def _outline(code: CodeType | Code) -> tuple[object, frozenset[object]]:
    """Return what is known of a function whichever way it is made, and of those inside of it."""
    own = (
        *(code.co_name, code.co_firstlineno, code.co_argcount, code.co_posonlyargcount),
        *(code.co_kwonlyargcount, code.co_flags & FLAGS, frozenset(code.co_freevars)),
    )
    pending, inside = [code], set[object]()
    while pending:
        inner = [each for each in pending.pop().co_consts if isinstance(each, CodeType | Code)]
        pending += inner
        inside.update(
            (each.co_name, each.co_firstlineno, each.co_argcount, each.co_flags & FLAGS)
            for each in inner
            if each.co_name not in INLINED
        )
    return own, frozenset(inside)


FLAGS = CO_GENERATOR | CO_VARARGS | CO_VARKEYWORDS | CO_COROUTINE | CO_ASYNC_GENERATOR
INLINED = ("<listcomp>", "<setcomp>", "<dictcomp>")
"""What is a function of its own in some versions only."""


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
    """Return the function of a file that a code object was made of, if it is alone in its line."""
    found = [
        each
        for each in ast.walk(tree)
        if is_function(each) and begin_of(each) == (code.co_name, code.co_firstlineno)
    ]
    if len(found) > 1:
        raise NoSource(f"{code.co_name}, one of several functions in line {code.co_firstlineno}")
    if not found:
        raise NoSource(f"{code.co_name} is not found in the file that it is from")
    return found[0]


def steps_of(code: Code) -> Iterator[Instruction]:
    """List the instructions of a function, and of those inside of it."""
    yield from code.steps
    for constant in code.co_consts:
        if isinstance(constant, Code):
            yield from steps_of(constant)
