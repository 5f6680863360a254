r"""What a proposal may make of `contribute`: a loop of its own over the credits, by induction.

A `contribute` that is one loop over the credits is run on symbolic values with its loops cut, as
`proofs/_loops.py` says: one round for any credit, and in it one round for any contribution, each
from any state in which it could begin. What a round is given lets it do no more than it may:

- Of all budgets it can look up and store that of the credit's own unit, any budget within the
  limits, or none yet. Those that the rule was given are out of reach once the loop has begun.
- Of what was granted before it sees nothing, not even how much there is. It can append a credit of
  this unit, with contributions in it.
- Of `at` it sees the time, the limits and the rule `admit`, which is run as it is.
- Of a contribution it sees nothing until `is_contribution` has said that it is one. Then key and
  value are any that there are.
- No other variable is carried from credit to credit. Within a credit numbers, truth values, the
  unit's budget and lists of contributions are carried, and any other mutable value is refused.

Both solvers decide for every way through a round, with $S$ what the unit's budget counts before it
and $S'$ after it, in values and in numbers, and $g$ what is appended in it: $S' \ge S + g$, and
$0 \le S' \le (\Lambda_1, \Lambda_0)$ in whole numbers; every contribution that is listed is one, by
`is_contribution`; nothing raises. What is returned are the budgets and the grants after the loop.
What is claimed of a loop over contributions is chosen among a few inequalities, by leaving out
whichever does not hold at the head or after a round: those that are left are shown like all else.

So what is granted to a unit depends on its own credits, on its own budget and on what is public.
Without $x$ the other units are granted the same: the loop passes over one credit after the other,
and a round changes nothing that a round of another unit can see. Deleting the credits of $x$ before
this rule grants them, or deleting what it has granted of them, is thus the same.

And the rule comes to this: to decide credits, those that it grants, and to let the paper's
`contribute` grant these. Let $P$ be what the paper's budget of a unit counts after the same grants.
Then $P \le S$ in both numbers, by induction: $P' = P + g \le S + g \le S' \le (\Lambda_1,
\Lambda_0)$. No value is negative, so that whatever is granted on the way fits as well, and the
paper's rules grant all of it unchanged. To decide is done once, on the database, by everything that
is on the device, a rule's own budgets among it; who decides is free in what is proved of the
paper's rules. This needs that a credit's unit is the privacy unit, and an `admit` by which the
grants fit: so `budget_unit` and `admit` have to be the paper's.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from time import perf_counter_ns
from types import CodeType, FunctionType
from typing import NoReturn, cast

import z3

from proofs._flow import unclean, unguarded
from proofs._followed import ATOMS, Follower, _len
from proofs._labels import NotFollowed
from proofs._loops import CUT, REPLACED, cut
from proofs._opaque import Counted, Name, Opaque, name
from proofs._proof import StepResult, assume
from proofs._subjects import (
    _opened,
    _real_type,
    any_key,
    budget,
    for_all_rules,
    keeper,
    on_device,
    plain,
    unchecked,
)
from proofs._symbolic import (
    MACHINERY,
    NotSymbolic,
    Number,
    Text,
    Truth,
    boolean,
    explore,
    integer,
    refuse,
    running,
    term_of,
)
from spec import PAPER, Rules
from spec.contributions import Budget, Budgets, Credit
from spec.reports import Contribution, is_contribution
from spec.rules import Limits, OnDevice

MACHINERY.add(__file__)

EFFORT = 1_000_000
"""What z3 may spend on whether something can be claimed of a loop; a count of steps."""

PAPERS_OWN = ("admit", "budget_unit")
"""The rules that have to be the paper's: whose a budget is, and what fits into it."""

NAME = "a round grants the credit's own unit what its budget counts, within the limits"


class Ended(BaseException):
    """Leave a way at the end of a round, where all that is claimed has been noted."""


class Credits(Opaque):
    """Be the credits: they can be gone through, once, and not be counted."""

    __slots__ = ()


class Parts(Counted):
    """Be contributions of the credit, any number of them, or those of them that were picked."""

    __slots__ = ("_checked", "_picked")

    def __init__(self, what: str, picked: object = None, checked: bool = False) -> None:
        super().__init__(what)
        self._picked, self._checked = picked, checked

    def number(self) -> int:
        """Tell `len` how many there are; a tuple has no such method."""
        if sys._getframe(1).f_code not in (_len.__code__, Counted.__bool__.__code__):
            refuse(f".number of {self._what}")
        return super().number()

    def __getitem__(self, place: object) -> Parts:
        """Return some of the contributions, by known places."""
        if type(place) is not slice:
            refuse(f"a single one of {self._what}")
        for each in (place.start, place.stop, place.step):
            if type(each) not in (int, type(None)) or (each == 0 and place.step == 0):
                refuse(f"places that are not known of {self._what}")
        return Parts(f"some of {self._what}", self._picked, self._checked)


class Listed(Counted):
    """Be contributions in a tuple: what they sum to, and how many there are."""

    __slots__ = ("_count", "_of", "_value")

    def __init__(self, of: List) -> None:
        super().__init__("what was listed")
        self._value, self._count, self._of = of._value, of._count, of

    def number(self) -> int:
        """Tell `len` how many there are, if they are contributions of one credit."""
        return _told(self, self._of, sys._getframe(1).f_code)

    def __bool__(self) -> bool:
        return bool(_told(self, self._of) > 0)


class List(Counted):
    """Be a list that can be appended to: what is in it, as a sum of values and as a number.

    The list of all grants takes credits, and does not tell whether it is empty. It is `old` once a
    loop has begun in which it may change: what it was then is another value.
    """

    __slots__ = ("_appended", "_count", "_depth", "_grants", "_old", "_round", "_value")

    def __init__(self, seen: Round, value: int = 0, count: int = 0, grants: bool = False) -> None:
        super().__init__("a list")
        self._round, self._value, self._count, self._grants = seen, value, count, grants
        self._depth, self._old, self._appended = len(seen.inside), False, 0

    def number(self) -> int:
        """Tell `len` how many there are, if they are contributions of one credit."""
        return _told(self, self, sys._getframe(1).f_code)

    def __bool__(self) -> bool:
        return bool(_told(self, self) > 0)

    def append(self, item: object) -> None:
        """Append a contribution, or a credit to the grants, in the loop in which it is followed."""
        if self._old or self._depth != len(self._round.inside):
            refuse("append to a list that is not followed in this loop")
        value, count = self._round.measured(item) if self._grants else self._round.counted(item)
        self._value, self._count = self._value + value, self._count + count
        self._appended += 1


def _told(asked: List | Listed, of: List, by: CodeType = _len.__code__) -> int:
    """Return how many contributions there are, to who may know; a list has no such method."""
    if of._grants or (of._old and asked is of):
        refuse(f"what is known of {asked._what}")
    if by is not _len.__code__:
        refuse(f".number of {asked._what}")
    return asked._count


class Store(Opaque):
    """Be the budgets of all units, of which one unit's may be looked up and stored.

    `_held` is what is held for it, all zeros if there is none yet.
    """

    __slots__ = ("_held", "_known", "_old", "_unit")

    def __init__(self, unit: object, held: Budget, known: object) -> None:
        super().__init__("the budgets")
        self._unit, self._held, self._known, self._old = unit, held, known, False

    def _of(self, unit: object) -> bool:
        """Tell whether there is a budget of the unit, which must be that of the credit."""
        if self._old:
            refuse("the budgets as they were before the loop")
        if type(unit) is not Name or unit is not self._unit:
            refuse("the budget of another unit")
        return bool(self._known)

    def get(self, unit: object, default: object = None) -> object:
        """Look up the budget of the credit's unit."""
        return self._held if self._of(unit) else default

    def __getitem__(self, unit: object) -> Budget:
        """Look up the budget of the credit's unit, which must be there."""
        if not self._of(unit):
            raise KeyError("the credit's unit")
        return self._held

    def __contains__(self, unit: object) -> bool:
        """Tell whether there is a budget of the credit's unit."""
        return self._of(unit)

    def set(self, unit: object, held: object) -> Store:
        """Return the budgets with another one for the credit's unit."""
        self._of(unit)
        return Store(self._unit, plain(held, Budget), True)


class Filtered(Opaque):
    """Be those of several contributions that a function picks."""

    __slots__ = ("_parts", "_picks")

    def __init__(self, picks: object, parts: object) -> None:
        super().__init__("what is picked")
        self._picks, self._parts = picks, parts


Claim = tuple[object, ...]
Noted = tuple[Claim | None, object]
"""What is claimed on a way: with a name if it was chosen, and could be left out."""


class Round:
    """Run a rule whose loops are cut, way by way: give it what it may see, and note the claims."""

    def __init__(self, rules: Rules) -> None:
        if any(getattr(rules, each) is not getattr(PAPER, each) for each in PAPERS_OWN):
            raise NotFollowed(f"another {' or '.join(PAPERS_OWN)} than the paper's")
        function = unguarded(rules.contribute)
        made = cut(function)
        if getattr(function, "__builtins__", None) is not vars(builtins):
            raise NotFollowed(f"built-in names of its own in the file of {made.__name__}")
        if why := unclean(cast(FunctionType, function)):
            raise NotFollowed(why)
        given = {CUT: self, **dict(zip(REPLACED.values(), self._replacing(), strict=True))}
        made.__globals__.update(given)
        surroundings = Surroundings((*given.values(),), self.is_contribution)
        self.rule = cast(Callable[..., object], surroundings.value(made, "contribute"))
        self.left_out: set[Claim] = set()

    def _replacing(self) -> tuple[Callable[..., object], ...]:
        return (self.tuple, self.filter, self.list)

    def claims(self, value_limit: int, count_limit: int) -> list[Noted]:
        """Follow one way through the rule, and return all that has to be true on it."""
        assume(value_limit >= 1, count_limit >= 1)
        self.most = {"value": value_limit, "count": count_limit}
        self.noted: list[Noted] = []
        self.inside: list[int] = []
        self.begun: dict[int, dict[str, tuple[object, object]]] = {}
        self.lists: list[List] = []
        self.fresh = 0
        self.unit = name(str, "the unit of the credit")
        self.given = Store(None, budget(0, 0), known=False)
        limits = unchecked(Limits, contribution_budget=value_limit, sparsity_budget=count_limit)
        rules = unchecked(Rules, limits=limits, admit=PAPER.admit)
        at = on_device(rules, keeper(cast(Budgets, self.given)), Opaque("the cause"))
        try:
            returned = self.rule(at, Credits("the credits"))
        except Ended:
            return self.noted
        self.note(self.is_returned(returned))
        return self.noted

    def note(self, claim: object, named: Claim | None = None) -> None:
        """Note what has to be true on this way."""
        self.noted.append((named, claim))

    def is_returned(self, returned: object) -> bool:
        """Tell whether the budgets and grants after the loop are returned, as they are."""
        if type(returned) is not tuple or len(returned) != 2 or self.inside:
            return False
        budgets, granted = returned
        return (
            budgets is self.before
            and type(granted) is Listed
            and granted._of is self.grants
            and not self.grants._appended
        )

    # What stands in the place of built-in functions, and of `is`.

    def list(self) -> List:
        """Return a new list; the one that is made before the loop is for grants."""
        made = List(self, grants=not self.begun)
        self.lists.append(made)
        return made

    def tuple(self, *given: object) -> object:
        """Return what is in a list."""
        if len(given) == 1 and type(given[0]) is List:
            if given[0]._old:
                refuse("a list as it was before the loop")
            return Listed(given[0])
        if len(given) == 1 and type(given[0]) in (Listed, Parts):
            return given[0]
        return refuse("tuple of something else than a list")

    def filter(self, picks: object, parts: object) -> object:
        """Return what a function picks."""
        return Filtered(picks, parts)

    def same(self, first: object, second: object) -> bool:
        """Tell whether two budgets are one: then they are equal, and otherwise they may be."""
        one, other = plain(first, Budget), plain(second, Budget)
        if one is other:
            return True
        if not boolean(self.named("whether two budgets are one")):
            return False
        assume(one.value == other.value, one.count == other.count)
        return True

    def is_contribution(self, part: object) -> bool:
        """Open a contribution that is one; ask the paper about those that were made of it."""
        if type(part) is not _opened(Contribution) or hasattr_of(part, "key"):
            return is_contribution(plain(part, Contribution))
        if not boolean(self.named("whether it is a contribution")):
            return False
        open_part(part, any_key(self.named("key")), self.natural("value"))
        return True

    # Loops.

    def head(self, loop: int, names: tuple[str, ...], values: tuple[object, ...]) -> object:
        """Begin a loop: let what is carried be anything that is claimed of it."""
        for known in sys._getframe(1).f_locals.values():
            self.check(known)
        before = dict(zip(names, values, strict=True))
        after = self.outer_head(before) if loop == 1 else self.inner_head(loop, before)
        self.inside.append(loop)
        for each in after.values():
            if type(each) is List:
                each._depth = len(self.inside)
        self.begun[loop] = {key: (before[key], after[key]) for key in before}
        if loop > 1:
            self.assert_claims(loop, before)
            for _, claim in self.claimed(loop, after):
                assume(claim)
        return tuple(after.values())

    def outer_head(self, before: dict[str, object]) -> dict[str, object]:
        """Let the budget of a unit be any, and forget what was granted."""
        for key, each in before.items():
            if type(each) not in (Store, List):
                refuse(f"{key}, which is kept from credit to credit,")
        if sorted(type(each).__name__ for each in before.values()) != ["List", "Store"]:
            refuse("something else than budgets and grants, which are kept from credit to credit,")
        given = any(each is self.given for each in before.values())
        if self.begun or len(self.lists) != 1 or not given:
            refuse("other budgets or grants than at the beginning")
        if self.lists[0]._appended:
            refuse("grants before the loop")
        self.given._old = self.lists[0]._old = True
        value, count = self.natural("value before"), self.natural("count before")
        assume(value <= self.most["value"], count <= self.most["count"])
        self.before = self.any_store(value, count)
        self.grants = List(self, grants=True)
        return {
            key: self.before if type(each) is Store else self.grants for key, each in before.items()
        }

    def inner_head(self, loop: int, before: dict[str, object]) -> dict[str, object]:
        """Let what is carried from contribution to contribution be anything of its kind."""
        lists = [each for each in before.values() if type(each) is List]
        if len(set(map(id, lists))) != len(lists):
            refuse("a list with two names")
        after = {key: self.anything(key, each) for key, each in before.items()}
        for each in lists:
            each._old = True
        return after

    def anything(self, key: str, value: object) -> object:
        """Return any value of the same kind."""
        if type(value) is List:
            if value._old or value._depth != len(self.inside):
                refuse("a list that is not followed in this loop")
            more, further = self.natural(f"more in {key}"), self.natural(f"further in {key}")
            return List(self, value._value + more, value._count + further, value._grants)
        if type(value) is Store:
            if value._old:
                refuse("the budgets as they were before the loop")
            return self.any_store(self.whole(f"value in {key}"), self.whole(f"count in {key}"))
        if type(value) in (Budget, _opened(Budget)):
            return budget(self.whole(f"value of {key}"), self.whole(f"count of {key}"))
        if _real_type(value) is bool:
            return boolean(self.named(key))
        if _real_type(value) is int:
            return self.whole(key)
        return refuse(f"{key}, which is kept from contribution to contribution,")

    def any_store(self, value: int, count: int) -> Store:
        """Return budgets of which that of the unit is this one, or there is none."""
        known = boolean(self.named("whether there is a budget"))
        if not known:
            assume(value == 0, count == 0)
        return Store(self.unit, budget(value, count), bool(known))

    def rounds(self, loop: int, source: object) -> Iterator[object]:
        """Go through one round, or through none."""
        given = self.element(loop, source)
        if boolean(self.named("whether there is another round")):
            yield given()
            refuse("a round after the last")
        self.leave(loop)

    def leave(self, loop: int) -> None:
        """End a loop."""
        if not self.inside or self.inside.pop() != loop:
            refuse("another loop than the one that is left")
        for _, after in self.begun[loop].values():
            if type(after) is List:
                after._depth = len(self.inside)

    def element(self, loop: int, source: object) -> Callable[[], object]:
        """Return what gives any member of what is gone through."""
        if loop == 1 and type(source) is Credits:
            parts = Parts("the contributions of the credit")
            return lambda: unchecked(Credit, unit=self.unit, contributions=parts)
        if loop > 1 and type(source) is Parts:
            return lambda: self.part(source)
        if loop > 1 and type(source) is Listed and not source._of._grants:
            return lambda: self.genuine()
        if loop > 1 and type(source) is Filtered:
            inner = self.element(loop, source._parts)
            return lambda: self.picked(source._picks, inner())
        return refuse("a loop over something else than credits and contributions")

    def part(self, _: Parts) -> Contribution:
        """Return any contribution, of which nothing is known."""
        return unchecked(Contribution)

    def genuine(self) -> Contribution:
        """Return any contribution that is one."""
        part = unchecked(Contribution)
        open_part(part, any_key(self.named("key")), self.natural("value"))
        return part

    def picked(self, picks: object, part: object) -> object:
        """Return a contribution that a function picks; a round for another one does nothing."""
        if picks is None:
            refuse("filter with None")
        if not cast(Callable[[object], object], picks)(part):
            raise Ended
        return part

    def tail(self, loop: int, values: tuple[object, ...]) -> NoReturn:
        """End a round: note what is claimed after it."""
        if not self.inside or self.inside[-1] != loop:
            refuse("the end of another round")
        now = dict(zip(self.begun[loop], values, strict=True))
        if loop == 1:
            self.outer_tail(now)
        else:
            self.assert_claims(loop, now)
        raise Ended

    def outer_tail(self, now: dict[str, object]) -> None:
        """Claim that what was granted is counted, within the limits."""
        if sorted(type(each).__name__ for each in now.values()) != ["List", "Store"]:
            refuse("something else than budgets and grants at the end of a round")
        (store,) = (each for each in now.values() if type(each) is Store)
        lists = [each for each in now.values() if type(each) is List]
        if lists[0] is not self.grants or store._old:
            refuse("other budgets or grants at the end of a round")
        held, before = plain(store._held, Budget), self.before._held
        for field, granted in (("value", self.grants._value), ("count", self.grants._count)):
            after = getattr(held, field)
            self.note(_real_type(after) is int)
            if _real_type(after) is int:
                self.note(after - getattr(before, field) >= granted)
                self.note((0 <= after) & (after <= self.most[field]))

    def assert_claims(self, loop: int, values: dict[str, object]) -> None:
        """Claim what was chosen, and that everything is of its kind."""
        for key, (_, after) in self.begun[loop].items():
            if kind_of(values[key]) is not kind_of(after):
                refuse(f"{key}, which becomes something else,")
            if type(after) is List and self.inside[-1:] == [loop] and values[key] is not after:
                if values[key] is not self.begun[loop][key][0]:
                    refuse(f"{key}, which becomes another list,")
        for named, claim in self.claimed(loop, values):
            self.note(claim, named)

    def claimed(self, loop: int, values: dict[str, object]) -> list[tuple[Claim, bool]]:
        """List what is claimed of a loop: that numbers stay in range and move with the lists."""
        began = self.begun[loop]
        first = {key: before for key, (before, _) in began.items()}
        found: dict[Claim, bool] = {}
        lists = [key for key, each in first.items() if type(each) is List]
        for (key, field), now in numbers_of(values).items():
            at_first = numbers_of(first)[key, field]
            found[loop, key, field, "natural"] = 0 <= now
            for most, limit in self.most.items():
                found[loop, key, field, "within", most] = now <= limit
            for each in lists:
                was, has = cast(List, first[each]), cast(List, values[each])
                for what, more in (
                    ("value", has._value - was._value),
                    ("count", has._count - was._count),
                ):
                    found[loop, key, field, "counts", each, what] = now - at_first >= more
                    found[loop, key, field, "leaves", each, what] = at_first - now >= more
        return [(named, claim) for named, claim in found.items() if named not in self.left_out]

    # Values.

    def measured(self, item: object) -> tuple[int, int]:
        """Return the sum and the number of what a credit of this unit holds, which is granted."""
        credit = plain(item, Credit)
        if type(credit.unit) is not Name or credit.unit is not self.unit:
            refuse("a grant to another unit")
        parts: object = credit.contributions
        if type(parts) is Listed and not parts._of._grants:
            self.note(parts._count >= 1)
            return parts._value, parts._count
        if type(parts) is not tuple:
            refuse("a grant of what was not listed")
        value, count = 0, 0
        for part in parts:
            more, further = self.counted(part)
            value, count = value + more, count + further
        self.note(count >= 1)
        return value, count

    def counted(self, item: object) -> tuple[int, int]:
        """Return the value of a contribution that is listed, and one; it has to be one."""
        part = plain(item, Contribution)
        if not hasattr_of(part, "key") or not hasattr_of(part, "value"):
            refuse("a contribution that was not looked at by is_contribution")
        if not is_contribution(part):
            self.note(False)
            return 0, 1
        return part.value, 1

    def check(self, value: object) -> None:
        """Refuse a variable with a value that could change, or that is not known."""
        kind = type(value)
        if kind is tuple:
            for each in cast(tuple[object, ...], value):
                self.check(each)
        elif kind in (Budget, Contribution, Credit):
            for field in kind.__dataclass_fields__:  # type: ignore[attr-defined]
                self.check(getattr(value, field))
        elif kind not in KNOWN and kind not in map(_opened, (Budget, Contribution, Credit)):
            if kind not in map(_opened, (OnDevice, Limits)):
                refuse(f"a variable that is a {kind.__name__}")

    def named(self, what: str) -> str:
        """Return a name that no other value of this way has, the same when it is run again."""
        self.fresh += 1
        return f"{what}, {self.fresh}"

    def whole(self, what: str) -> int:
        """Return any whole number."""
        return integer(self.named(what))

    def natural(self, what: str) -> int:
        """Return any natural number."""
        found = self.whole(what)
        assume(0 <= found)
        return found


KNOWN = (
    *ATOMS,
    *(Number, Truth, Text, Name, Credits, Parts, Listed, List, Store, Filtered),
)
"""What a variable may be where a loop begins: nothing that could be changed, but for lists."""


class Surroundings(Follower):
    """Make the surroundings of a rule whose loops are cut."""

    def __init__(self, given: tuple[object, ...], asked: Callable[[object], bool]) -> None:
        super().__init__()
        self.given, self.asked = given, asked

    def _value(self, value: object, name: str) -> object:
        """Leave who cuts as it is, and let contributions be asked about."""
        if any(value is each for each in self.given):
            return value
        return self.asked if value is is_contribution else super()._value(value, name)


def hasattr_of(part: object, field: str) -> bool:
    """Tell whether a contribution has a field that it was given."""
    try:
        object.__getattribute__(part, field)
    except AttributeError:
        return False
    return True


def open_part(part: object, key: int, value: int) -> None:
    """Let key and value of a contribution be seen."""
    object.__setattr__(part, "key", key)
    object.__setattr__(part, "value", value)


def kind_of(value: object) -> type:
    """Return of which kind a value is that is carried."""
    kind = _real_type(value)
    return kind if kind in (bool, int, Budget, List, Store) else object


def numbers_of(values: dict[str, object]) -> dict[tuple[str, str], int]:
    """Return the numbers among carried values: budgets hold two."""
    found: dict[tuple[str, str], int] = {}
    for key, value in values.items():
        held = value._held if type(value) is Store else value
        if _real_type(held) is Budget:
            found |= {(key, field): getattr(held, field) for field in ("value", "count")}
        elif _real_type(held) is int:
            found[key, ""] = cast(int, held)
    return found


def choose_claims(seen: Round) -> None:
    """Leave out what does not hold at the head of a loop or after a round, until all holds."""
    while True:
        found = explore(lambda: seen.claims(integer("value_limit"), integer("count_limit")))
        failing: set[Claim] = set()
        for path in found.paths:
            if path.raised is not None:
                raise NotSymbolic(f"{type(path.raised).__name__} in {seen.rule.__name__}")
            for named, claim in cast(list[Noted], path.returned):
                if named is not None and named not in failing and not _holds(path.taken, claim):
                    failing.add(named)
        if not failing:
            return
        seen.left_out |= failing


def _holds(taken: z3.BoolRef, claim: object) -> bool:
    """Ask z3 whether a claim holds on a way; what is undecided does not."""
    solver = z3.Solver()
    solver.set("rlimit", EFFORT)
    return bool(solver.check(taken, z3.Not(term_of(claim))) == z3.unsat)


@for_all_rules(NAME)
def rounds_are_counted(seen: Round, value_limit: int, count_limit: int) -> bool:
    """Follow the rule; a way on which something claimed does not hold is no counterexample."""
    if not running():
        raise NotSymbolic("a round begins where no run may come to")
    holds: object = True
    for _, claim in seen.claims(value_limit, count_limit):
        holds = claim if holds is True else holds & claim  # type: ignore[operator]
    return cast(bool, holds)


def granted_by_rounds(rules: Rules, otherwise: StepResult) -> StepResult:
    """Decide whether a rule grants what its budgets count, credit by credit.

    Where it is no loop of its own that is what was found otherwise.
    """
    start = perf_counter_ns()
    try:
        seen = Round(rules)
    except NotFollowed:
        return otherwise
    why, found = "", otherwise
    try:
        choose_claims(seen)
        found = rounds_are_counted.decide(seen)
        why = found.reason or ("" if found.verdict == "PROVED" else str(found))
    except NotSymbolic as refusal:
        why = str(refusal)
    return replace(
        found,
        name=otherwise.name,
        seconds=otherwise.seconds + Fraction(perf_counter_ns() - start, 10**9),
        verdict="UNKNOWN" if why else "PROVED",
        reason=why,
        disproved=bool(why) and otherwise.disproved,
    )
