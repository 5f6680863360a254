r"""What a proposal may make of `keys` and `totals`: some of the paper's, key by key.

A rule may keep some of the keys that the paper's `keys` answers, put them into another order, and
keep some of the sums of the paper's `totals`. Whether a key is kept, and where it stands, may
depend on this key, on the query, the time and the limits, and on nothing else: not on its sum, on
other keys, on how many there are or on what was kept so far. This is read off its code, for all
lengths: the keys are gone through once, in one loop or in comprehensions, nothing outlives a round
but the keys that are kept, each once, and whatever is asked about a key only calculates.

Which keys there are is not public, since with key discovery they are those of the batch. But who
talks to the paper's rules sees all that is released, and can leave out keys and put the others in
order by itself. A sum that is left out is nothing, to which a unit adds nothing: less than in the
paper. That a rule answers for every key, and in any place, is seen in a symbolic run of it on a
batch of two contributions.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from fractions import Fraction
from types import CodeType, FunctionType
from unittest.mock import patch

from proofs._chosen import collected, image_of, is_lazy, pairs_of
from proofs._flow import unguarded
from proofs._followed import _ours
from proofs._labels import (
    PUBLIC,
    Call,
    Change,
    Inside,
    Label,
    NotFollowed,
    Pack,
    Public,
    Several,
    is_public,
    unchanged,
)
from proofs._proof import Statement, assume
from proofs._served import AT, BATCH
from proofs._service import asked_for
from proofs._subjects import any_key, any_reports, bare, for_all_rules
from proofs._symbolic import Number
from proofs._totals import (
    CALCULATING,
    LOOPING,
    STRAIGHT,
    AroundTotals,
    kinds_of,
    of_kind,
    straight,
)
from spec import PAPER, Rules
from spec.aggregation_service import Query
from spec.reports import Contribution, Report

KEY = Public("the key of this round")
ONE = Public("the key of this round of a comprehension")
TOTAL = Label("the sum of this key")
ITEM = Pack("a key with its sum", (KEY, TOTAL))
KEYS = Label("some of the keys, in a public order")
KEYS_IN_TURN = Label("some of the keys, which come in a public order")
KEPT = Label("a key that is kept")
SUMS = Label("the sums of some keys")
KEPT_SUMS = Label("the sums of the keys that are kept")
ITEMS_OF = Label("the look-up of all sums")
ITEMS = Label("the keys with their sums")
SOME_KEYS = (KEYS, Several("a tuple", KEPT))
SOME_SUMS = (SUMS, KEPT_SUMS)

_MADE = """
    MAKE_FUNCTION MAKE_CELL LOAD_CLOSURE LOAD_DEREF STORE_DEREF BUILD_LIST UNPACK_SEQUENCE
"""
SHAPE = LOOPING | frozenset(_MADE.split())
"""What a rule may do that keeps some keys."""

WITHIN = STRAIGHT | {"LOAD_DEREF", "COPY_FREE_VARS"}
"""What a function inside of it may do."""

COMPREHENDING = WITHIN | {
    *("FOR_ITER", "LIST_APPEND", "YIELD_VALUE", "MAP_ADD", "BUILD_LIST", "BUILD_MAP"),
    *("RETURN_GENERATOR", "UNPACK_SEQUENCE", "JUMP_BACKWARD", "POP_JUMP_BACKWARD_IF_FALSE"),
    *("POP_JUMP_BACKWARD_IF_TRUE", "POP_JUMP_BACKWARD_IF_NONE", "POP_JUMP_BACKWARD_IF_NOT_NONE"),
}
"""What a comprehension inside of it may do."""


def one_loop(code: CodeType) -> None:
    """Refuse code that does more than to go through something once and to calculate."""
    steps = list(dis.get_instructions(code))
    heads = [step.offset for step in steps if step.opname == "FOR_ITER"]
    for step in steps:
        if step.opname not in SHAPE:
            raise NotFollowed(f"{step.opname.replace('_', ' ').lower()} in {code.co_qualname}")
        if "BACKWARD" in step.opname and step.argval not in heads:
            raise NotFollowed(f"a loop of another kind in {code.co_qualname}")
    if len(heads) > 1 or sum(step.opname == "BUILD_MAP" for step in steps) > 1:
        raise NotFollowed(f"other loops or sums in {code.co_qualname}")


def _only(code: CodeType, allowed: frozenset[str]) -> None:
    for step in dis.get_instructions(code):
        if step.opname not in allowed:
            raise NotFollowed(f"{step.opname.replace('_', ' ').lower()} in {code.co_qualname}")


class Filtering(AroundTotals):
    """Let a rule keep keys, and sums of keys, each by itself."""

    kept_apart = KEY

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open the sums, key by key; the query, the time and the limits."""
        if label == SUMS and name == "items":
            return ITEMS_OF
        if label == AT and name == "now":
            return PUBLIC
        return super().attribute(label, name)

    def call(self, call: Call) -> Label | None:
        """Ask the paper; keep some of it, in a public order; calculate."""
        target, given = call.target, call.positional
        if isinstance(target, Inside):
            return self._gone_through(target, given)
        if (target is PAPER.keys or target is PAPER.totals) and not call.keywords:
            if given != (AT, BATCH):
                raise NotFollowed("the keys or sums of something else than the batch")
            return KEYS if target is PAPER.keys else SUMS
        if target == ITEMS_OF and not given and not call.keywords:
            return ITEMS
        ordered = self._ordered(call)
        if ordered is not None:
            return ordered
        function = unguarded(target)
        if type(function) is FunctionType and not _ours(function):
            straight(function.__code__)
            return None
        if target is isinstance or any(target is each for each in CALCULATING):
            return super().call(call)
        raise NotFollowed("a call of what does not only calculate with numbers")

    def _ordered(self, call: Call) -> Label | None:
        """Put keys into an order that is public, or choose some of them by a function."""
        target, given, keywords = call.target, call.positional, call.keywords
        if target is filter and not keywords and len(given) == 2 and self._is_known(given[1]):
            self._asked_of_a_key(given[0])
            return KEYS_IN_TURN
        if len(given) != 1 or not self._is_known(given[0]):
            return None
        if target in (tuple, list) and not keywords:
            return KEYS
        if target is reversed and given == (KEYS,) and not keywords:
            return KEYS_IN_TURN
        if target is not sorted or not is_public(keywords.get("reverse", PUBLIC)):
            return None
        if "key" in keywords:
            self._asked_of_a_key(keywords["key"])
        return KEYS

    def _is_known(self, label: Label) -> bool:
        return label in (KEYS, KEYS_IN_TURN)

    def _asked_of_a_key(self, function: Label) -> None:
        """Refuse a function that does more than to calculate something from a key."""
        if not isinstance(function, Inside):
            raise NotFollowed("a function that is not written where it is used")
        _only(function.code, WITHIN)
        found = image_of(function, ONE, self)
        if not found or not all(map(is_public, found)):
            raise NotFollowed("a function of something else than a key")

    def _gone_through(self, inside: Inside, given: tuple[Label, ...]) -> Label | None:
        """Keep keys, or sums, in a comprehension."""
        _only(inside.code, COMPREHENDING)
        if len(given) == 1 and self._is_known(given[0]) and collected(inside, ONE, self) == ONE:
            return KEYS_IN_TURN if is_lazy(inside) else KEYS
        if given == (ITEMS,):
            pair = pairs_of(inside, Several("items", Pack("an item", (ONE, TOTAL))), self)
            if pair is not None and pair.members == (ONE, TOTAL):
                return SUMS
        raise NotFollowed(f"another comprehension in {inside.code.co_qualname}")

    def is_handed_on(self, label: Label) -> bool:
        """Hand on keys and items to what goes through them."""
        return label in (KEYS, KEYS_IN_TURN, ITEMS)

    def member_apart(self, label: Label) -> Label | None:
        """Go through keys and items, each by itself."""
        return KEY if self._is_known(label) else ITEM if label == ITEMS else None

    def put_in(self, label: Label) -> tuple[Label, Change | None]:
        """Keep a key, once."""
        if label != KEY:
            raise NotFollowed(f"{label.what} is put into a list")
        return KEPT, lambda each: PUBLIC if each == KEY else each

    def made_dictionary(self, _: int, __: int) -> tuple[Label, Change | None] | None:
        """Begin the sums that are kept."""
        return KEPT_SUMS, None

    def stored(self, into: Label, key: Label, value: Label) -> Change | None:
        """Keep the sum of a key."""
        if (into, key, value) != (KEPT_SUMS, KEY, TOTAL):
            raise NotFollowed(f"{value.what} is stored in {into.what}")
        return unchanged

    def operated(self, operator: str, first: Label, _: Label) -> Label | None:
        """Calculate; nothing may be changed in its place."""
        if operator.endswith("="):
            raise NotFollowed(f"{operator} of {first.what}")
        return None


def keeps_some_of_two(query_kind: type[Query]) -> Statement[Rules]:
    """State that a rule answers for some of two keys that are discovered, for none twice."""

    @for_all_rules("of two keys some are answered, whatever they are, and each at most once")
    def statement(
        rules: Rules,
        contribution_budget: int,
        sparsity_budget: int,
        epsilon: Fraction,
        delta: Fraction,
    ) -> bool:
        assume(contribution_budget >= 1, sparsity_budget >= 1, epsilon > 0, 0 < delta, delta <= 1)
        at = asked_for(rules, contribution_budget, sparsity_budget, epsilon, delta)
        at = of_kind(at, query_kind)
        two = any_key("first"), any_key("second")
        parts = tuple(bare(Contribution, key=key, value=1) for key in two)
        report = bare(Report, report_id=any_reports(1)[0], contributions=parts)
        with patch.object(Number, "__hash__", lambda _: 0):
            found = tuple(rules.keys(at, (report,)))
        if len(found) > 2:
            return False
        known = all((key == two[0]) | (key == two[1]) for key in found)
        return known and (len(found) < 2 or bool(found[0] != found[1]))

    return statement


def statements_on_keys(asked: list[type]) -> Iterator[Statement[Rules]]:
    """List what has to be shown, for every kind of query that is asked for."""
    for kind in kinds_of(Query, asked):
        yield keeps_some_of_two(kind)
