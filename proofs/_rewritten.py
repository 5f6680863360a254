"""The paper's own functions, written down again: known by their code.

Two functions do the same if they have the same instructions, constants and names, and if every name
that they take from their modules stands for the same value. How local variables are called does not
matter, nor a docstring.
"""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from types import FunctionType

from proofs._flow import unclean, unguarded
from proofs._instructions import Code, Instruction, NoSource, code_of, steps_of
from spec import PAPER, Rules


def rewritten(rules: Rules) -> Rules:
    """Return the rules with the paper's functions in the place of those that have their code."""
    same = {
        field.name: getattr(PAPER, field.name)
        for field in dataclasses.fields(Rules)
        if _same_function(unguarded(getattr(rules, field.name)), getattr(PAPER, field.name))
    }
    return replace(rules, **same) if same else rules


def _same_function(first: object, second: object) -> bool:
    """Tell whether two functions do the same, as far as their code and its names tell."""
    if first is second or type(first) is not FunctionType or type(second) is not FunctionType:
        return False
    plain = (first.__closure__, first.__defaults__, first.__kwdefaults__)
    if any(plain) or second.__closure__ or second.__defaults__ or second.__kwdefaults__:
        return False
    try:
        code, other = code_of(first.__code__), code_of(second.__code__)
    except NoSource:
        return False
    if not _same_code(code, other) or unclean(first):
        return False
    missing = object()
    return all(
        first.__globals__.get(name, missing) is second.__globals__.get(name, missing)
        for name in global_names(code)
    )


def _same_code(first: Code, second: Code) -> bool:
    alike = (
        *("co_argcount", "co_kwonlyargcount", "co_posonlyargcount", "co_flags"),
        *("co_freevars", "co_cellvars"),
    )
    if any(getattr(first, name) != getattr(second, name) for name in alike):
        return False
    if first.co_varnames[: first.co_argcount] != second.co_varnames[: second.co_argcount]:
        return False
    steps = zip(first.steps, second.steps, strict=False)
    same = len(first.steps) == len(second.steps)
    return same and all(_same_step(a, first, b, second) for a, b in steps)


def _same_step(step: Instruction, code: Code, other: Instruction, beside: Code) -> bool:
    if (step.opname, step.argrepr) != (other.opname, other.argrepr):
        return False
    a, b = step.argval, other.argval
    if step.opname in LOCAL:
        return code.co_varnames.index(str(a)) == beside.co_varnames.index(str(b))
    if isinstance(a, Code) and isinstance(b, Code):
        return _same_code(a, b)
    # How a constant and the constants in it are written tells their types, too.
    return type(a) is type(b) and a == b and repr(a) == repr(b) and _flag(step) == _flag(other)


def _flag(step: Instruction) -> int:
    """Return the number of an instruction; that of a constant is its place, which may differ."""
    return 0 if step.opname in ("LOAD_CONST", "KW_NAMES") else step.arg


LOCAL = frozenset({"LOAD_FAST", "STORE_FAST", "DELETE_FAST"})


def global_names(code: Code) -> set[str]:
    """Return the names that a function, and those inside of it, take from their module."""
    return {str(step.argval) for step in steps_of(code) if step.opname == "LOAD_GLOBAL"}
