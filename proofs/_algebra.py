"""Identities by sympy: equal for all values of the symbols, or different at a point.

Few claims ask it, and it takes long to import: so that is done when the first symbol is made.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sympy import Expr


class Undecided(Exception):
    """Report two expressions that algebra did not show equal and a point did not show different."""


def identical(left: Expr, right: Expr | int) -> bool:
    """Decide whether two expressions are equal for all values of their symbols.

    Different means different at a point with exact coordinates, which was evaluated.
    """
    from sympy import Rational, simplify

    difference = simplify(left - right)
    if difference.is_zero:
        return True
    symbols = sorted(difference.free_symbols, key=str)
    point = {
        symbol: Rational(number) if symbol.is_integer else Rational(1, number)
        for symbol, number in zip(symbols, count(2), strict=False)
    }
    if difference.subs(point).is_zero is not False:
        raise Undecided(f"{left} and {right}")
    return False


def symbol(name: str, **assumptions: bool) -> Expr:
    """Return a symbol that stands for all numbers of which the assumptions are true."""
    from sympy import Symbol

    return Symbol(name, **assumptions)
