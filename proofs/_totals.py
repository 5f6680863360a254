r"""What a proposal may make of `totals`: sums to which every contribution adds by itself.

A rule goes through the batch once, and through the contributions of every report once. In each
round it may add something to the sum of this contribution's own key: `sums[part.key] =
sums.get(part.key, 0) + more`. What it adds may depend on this contribution, on its report's
identifier, on the query and on the limits, and on nothing else: not on the sums so far, on other
contributions or on how many there are. This is read off its code, for all lengths. So what a
contribution adds is what the rule makes of a batch that holds nothing else. By a symbolic run of
the rule on such a batch it is a whole number between nothing and the value of the contribution.

So, whoever asks for what, a unit moves the sums by at most what it contributed, and at no keys but
its own: by no more than in the paper, whose noise hides that much.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from types import FunctionType, NoneType, UnionType
from typing import Literal, Union, get_args, get_origin, get_type_hints
from unittest.mock import patch

from proofs._flow import read, unguarded
from proofs._followed import _known, _ours
from proofs._instructions import Code
from proofs._labels import (
    PUBLIC,
    Call,
    Change,
    Known,
    Label,
    NotFollowed,
    Policy,
    Public,
    Rounds,
    Several,
    is_public,
)
from proofs._opaque import Opaque
from proofs._proof import Statement, assume
from proofs._served import AT, BATCH, PARAMETERS, QUERY, REPORT, RULES
from proofs._service import asked_for
from proofs._subjects import _real_type, any_key, any_reports, any_text, bare, for_all_rules
from proofs._symbolic import NotSymbolic, Number, free
from spec import Rules
from spec.aggregation_service import Query
from spec.reports import Contribution, Report
from spec.rules import Limits

THIS = Label("the report of this round")
GONE_THROUGH = Several("the batch, which is gone through", REPORT)
PART = Label("a contribution")
KEY = Public("the key of this contribution")
ZERO = Public("0")
SUMS = Label("the sums")
LOOK_UP = Label("the look-up of a sum")
HELD = Label("the sum so far")
MORE = Label("the sum with this contribution")

_LISTED = """
    RESUME CACHE NOP EXTENDED_ARG PRECALL KW_NAMES PUSH_NULL POP_TOP COPY SWAP LOAD_FAST STORE_FAST
    LOAD_CONST LOAD_GLOBAL LOAD_ATTR LOAD_METHOD CALL BUILD_TUPLE BINARY_OP COMPARE_OP CONTAINS_OP
    IS_OP UNARY_NOT UNARY_NEGATIVE JUMP_FORWARD JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE_OR_POP
    POP_JUMP_FORWARD_IF_FALSE POP_JUMP_FORWARD_IF_TRUE POP_JUMP_FORWARD_IF_NONE
    POP_JUMP_FORWARD_IF_NOT_NONE RETURN_VALUE
"""
STRAIGHT = frozenset(_LISTED.split())
"""What a function may do that `totals` asks about a contribution."""

LOOPING = STRAIGHT | {
    *("GET_ITER", "FOR_ITER", "BUILD_MAP", "STORE_SUBSCR", "JUMP_BACKWARD"),
    *("POP_JUMP_BACKWARD_IF_FALSE", "POP_JUMP_BACKWARD_IF_TRUE"),
    *("POP_JUMP_BACKWARD_IF_NONE", "POP_JUMP_BACKWARD_IF_NOT_NONE"),
}
"""What `totals` itself may do."""


class AroundTotals(Policy):
    """Let a rule add to the sum of each contribution's key, each by itself.

    In the round of a contribution everything may depend on it. So nothing that outlives the round
    may be changed but the sums.
    """

    kept_apart: Label | None = PART

    def __init__(self) -> None:
        self.asked: list[type] = []

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open a contribution, what is written on its report, the query and the limits."""
        if label == PART:
            return KEY if name == "key" else PUBLIC
        if label == THIS and name in ("report_id", "contributions"):
            return PUBLIC if name == "report_id" else Several("the contributions", PART)
        if label == AT and name in ("query", "limits", "rules"):
            return {"query": QUERY, "limits": PARAMETERS, "rules": RULES}[name]
        if label == RULES and name == "limits":
            return PARAMETERS
        if label == QUERY or (label == PARAMETERS and name in LIMITS):
            return PUBLIC
        if label == SUMS and name == "get":
            return LOOK_UP
        if is_public(label):
            raise NotFollowed(f".{name} of {label.what}")
        return None

    def call(self, call: Call) -> Label | None:
        """Look up the sum so far; ask which kind of contribution or query it is."""
        if call.target == LOOK_UP:
            return HELD if call.positional == (KEY, ZERO) and not call.keywords else None
        if call.target is isinstance and call.positional[:1] in ((PART,), (QUERY,)):
            return self._asked(*call.positional[1:])
        function = unguarded(call.target)
        if type(function) is FunctionType and not _ours(function):
            straight(read(function))
        elif not any(call.target is each for each in CALCULATING):
            raise NotFollowed("a call of what does not only calculate with numbers")
        return None

    def _asked(self, *kinds: Label) -> Label:
        for kind in kinds:
            value = kind.value if isinstance(kind, Known) else None
            if not isinstance(value, type) or not issubclass(value, KINDS) or not _known(value):
                raise NotFollowed(f"isinstance with {kind.what}")
            self.asked.append(value)
        return PUBLIC

    def constant(self, value: object) -> Label | None:
        """Tell zero from other numbers."""
        return ZERO if type(value) is int and value == 0 else None

    def made_dictionary(self) -> Label | None:
        """Begin the sums."""
        return SUMS

    def operated(self, operator: str, first: Label, second: Label) -> Label | None:
        """Add to a sum; nothing may be changed in its place."""
        if operator.endswith("="):
            raise NotFollowed(f"{operator} in the totals")
        sums = (HELD, MORE)
        if operator in ("+", "-") and first in sums and is_public(second):
            return MORE
        return MORE if operator == "+" and second in sums and is_public(first) else None

    def stored(self, into: Label, key: Label, value: Label) -> Literal[True] | None:
        """Keep the sum with this contribution under its key."""
        if (into, key, value) != (SUMS, KEY, MORE):
            raise NotFollowed(f"{value.what} is stored in {into.what}")
        return True

    def gone_through(self, label: Label) -> tuple[Rounds, Change | None] | None:
        """Begin to go through the batch."""
        if label != BATCH:
            return None
        return Rounds("the rounds", REPORT), lambda each: GONE_THROUGH if each == BATCH else each

    def next_round(self, _: Rounds) -> tuple[Label, Change]:
        """Take the next report."""
        return THIS, lambda each: REPORT if each == THIS else each


KINDS = (Contribution, Query)
LIMITS = frozenset(each.name for each in dataclasses.fields(Limits))
CALCULATING: tuple[object, ...] = (
    *(abs, all, any, bool, divmod, int, max, min, pow, round, sum, tuple, range, Fraction),
    *(math.floor, math.ceil, math.gcd, math.lcm, math.comb, math.isqrt, math.prod),
    *(operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.neg),
)
"""What a rule may call: nothing that makes a set or a dictionary.

In the symbolic run all numbers have one hash, so that the key is found among the sums. A number is
not found so among numbers that are no symbols: a set of them would seem not to hold the key.
"""


def straight(code: Code) -> None:
    """Refuse code that does more than to compute something from what it is given."""
    for step in code.steps:
        if step.opname not in STRAIGHT:
            raise NotFollowed(f"{step.opname.replace('_', ' ').lower()} in {code.co_qualname}")


def two_loops(code: Code) -> None:
    """Refuse code other than sums that are begun once, before two loops."""
    steps = code.steps
    heads = [step.offset for step in steps if step.opname == "FOR_ITER"]
    begun = [step.offset for step in steps if step.opname == "BUILD_MAP"]
    for step in steps:
        if step.opname not in LOOPING:
            raise NotFollowed(f"{step.opname.replace('_', ' ').lower()} in {code.co_qualname}")
        if "BACKWARD" in step.opname and step.argval not in heads:
            raise NotFollowed(f"a loop of another kind in {code.co_qualname}")
    if len(heads) != 2 or len(begun) != 1 or begun[0] > heads[0]:
        raise NotFollowed(f"other loops or sums in {code.co_qualname}")


def kinds_of(base: type, asked: Iterable[type]) -> tuple[type, ...]:
    """List the kinds that a rule can tell apart by what it asks; each must be one of the next."""
    kinds = sorted({base, *asked}, key=lambda each: len(each.__mro__))
    if not all(issubclass(other, one) for one, other in pairwise(kinds)):
        raise NotFollowed(f"kinds of a {base.__name__} side by side")
    return tuple(kinds)


def own_fields(kind: type, base: type) -> dict[str, object]:
    """Return any values for the fields that a class adds."""
    known = {each.name for each in dataclasses.fields(base)}
    declared = get_type_hints(kind)
    added = (each.name for each in dataclasses.fields(kind) if each.name not in known)
    return {name: _any_of(declared[name], name) for name in added}


def _any_of(declared: object, name: str) -> object:
    """Return what stands for any value of a type: None is a value of its own.

    What is neither a number nor a text is opaque, and must never be None, as which an opaque value
    does not show.
    """
    if declared is int:
        return free(f"own_{name}", int)
    if declared is str:
        return any_text(f"own_{name}")
    others = [each for each in get_args(declared) if each is not NoneType]
    if get_origin(declared) in (Union, UnionType) and len(others) == 1:
        is_none = free(f"own_{name} is None", bool)
        return None if bool(is_none) else _any_of(others[0], name)
    kind = get_origin(declared) or declared
    if not isinstance(kind, type) or issubclass(NoneType, kind):
        raise NotSymbolic(f"the field {name}, which may be of several types")
    return Opaque(f".{name}")


def adds_at_most_its_value(
    part_kind: type[Contribution], query_kind: type[Query]
) -> Statement[Rules]:
    """State what a contribution of one kind adds to the totals that a query of one kind gets."""

    @for_all_rules("a contribution adds a whole number, from nothing to its value")
    def statement(
        rules: Rules,
        value: int,
        contribution_budget: int,
        sparsity_budget: int,
        epsilon: Fraction,
        delta: Fraction,
        lists_keys: bool,
    ) -> bool:
        assume(value >= 0, contribution_budget >= 1, sparsity_budget >= 1)
        assume(epsilon > 0, 0 <= delta, delta <= 1)
        given = (contribution_budget, sparsity_budget, epsilon, delta)
        at = asked_for(rules, *given, lists_keys=bool(lists_keys))
        named = {each.name: getattr(at.query, each.name) for each in dataclasses.fields(Query)}
        at = replace(at, query=bare(query_kind, **named, **own_fields(query_kind, Query)))
        key = any_key("key")
        own = own_fields(part_kind, Contribution)
        part: Contribution = bare(part_kind, key=key, value=value, **own)
        report = bare(Report, report_id=any_reports(1)[0], contributions=(part,))
        with patch.object(Number, "__hash__", lambda _: 0):
            found = list(rules.totals(at, (report,)).items())
        if not found:
            return True
        ((where, added),) = found
        return _real_type(added) is int and (where == key) & (0 <= added) & (added <= value)

    return statement


def statements_on(asked: Iterable[type]) -> Iterator[Statement[Rules]]:
    """List what has to be shown, for every kind of contribution and of query that is asked for."""
    kinds = {base: [each for each in asked if issubclass(each, base)] for base in KINDS}
    for part_kind in kinds_of(Contribution, kinds[Contribution]):
        for query_kind in kinds_of(Query, kinds[Query]):
            yield adds_at_most_its_value(part_kind, query_kind)
