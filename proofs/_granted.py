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
from dataclasses import fields, replace
from fractions import Fraction
from time import perf_counter_ns
from types import FunctionType
from typing import NoReturn, TypeAlias, cast

import z3

from proofs._accounts import (
    Credits,
    List,
    Listed,
    Part,
    Parts,
    Picked,
    Store,
    contribution_of,
    held_by,
    is_one,
    is_open,
    new_part,
)
from proofs._flow import _scopes, unclean, unguarded
from proofs._followed import ATOMS, Follower, _known
from proofs._labels import NotFollowed
from proofs._loops import CUT, REPLACED, cut
from proofs._opaque import Name, Opaque
from proofs._opaque import name as new_name
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
from spec.rules import Limits

MACHINERY.add(__file__)

EFFORT = 1_000_000
"""What z3 may spend on whether something can be claimed of a loop; a count of steps."""

PAPERS_OWN = ("admit", "budget_unit")
"""The rules that have to be the paper's: what fits into a budget, and whose it is."""

KEPT = (Budget, Contribution, Credit)
"""The classes whose values are copied."""

KNOWN = (*ATOMS, Number, Truth, Text, Name, Opaque, Credits, Parts, Listed, List, Store, Picked)
"""What a variable may be where a loop begins: nothing that could be changed, but for lists."""

HOLDING = (*KEPT, Part, _opened(Budget), _opened(Credit))
"""What a variable may be if that is true of all that it holds."""

FIELDS = ("value", "count")

Claim: TypeAlias = tuple[object, ...]
Noted: TypeAlias = tuple[Claim | str, object]
"""What is claimed on a way: a text says what is needed, other claims are chosen for a loop."""


class Ended(BaseException):
    """Leave a way at the end of a round, where all that is claimed has been noted."""


class Round:
    """Run a rule whose loops are cut, way by way: give it what it may see, and note the claims."""

    inside: list[int]

    def __init__(self, rules: Rules) -> None:
        made = _cut(rules)
        standing = {
            "tuple": self.as_tuple,
            "filter": self.picked_by,
            "sorted": self.ordered_by,
            "reversed": self.turned_round,
            "list": self.new_list,
        }
        given = {CUT: self, **{REPLACED[each]: stands for each, stands in standing.items()}}
        made.__globals__.update(given)
        surroundings = Surroundings(self, tuple(given.values()))
        self.rule = cast(Callable[..., object], surroundings.value(made, "contribute"))
        self.left_out: set[Claim] = set()

    def claims(self, value_limit: int, count_limit: int) -> list[Noted]:
        """Follow one way through the rule, and return all that has to be true on it."""
        assume(value_limit >= 1, count_limit >= 1)
        self.most = {"value": value_limit, "count": count_limit}
        self.noted: list[Noted] = []
        self.inside = []
        self.begun: dict[int, dict[str, tuple[object, object]]] = {}
        self.lists: list[List] = []
        self.made = 0
        self.unit: object = new_name(str, "the unit of the credit")
        self.given = Store(None, budget(0, 0), known=False)
        limits = unchecked(Limits, contribution_budget=value_limit, sparsity_budget=count_limit)
        rules = unchecked(Rules, limits=limits, admit=PAPER.admit)
        client = keeper(cast(Budgets, self.given))
        at = on_device(rules, client, Opaque("the cause"))
        self.seen: tuple[object, ...] = (limits, rules, client, at)
        try:
            returned = self.rule(at, Credits("the credits"))
        except Ended:
            return self.noted
        self.note("the budgets and grants after the loop are returned", self.is_returned(returned))
        return self.noted

    def note(self, what: Claim | str, claim: object) -> None:
        """Note what has to be true on this way."""
        self.noted.append((what, claim))

    def is_returned(self, returned: object) -> bool:
        """Tell whether the budgets and grants after the loop are returned, as they are."""
        if type(returned) is not tuple or len(returned) != 2 or self.inside:
            return False
        budgets, granted = returned
        whole = type(granted) is Listed and granted._of is self.grants
        return budgets is self.before and whole and not self.grants._appended

    # What stands in the place of built-in functions, and of `is`.

    def new_list(self) -> List:
        """Return a new list; the one that is made before the loop is for grants."""
        made = List(self, grants=not self.begun)
        self.lists.append(made)
        return made

    def as_tuple(self, given: object, /) -> object:
        """Return what is in a list."""
        if type(given) is List:
            if given._old:
                refuse("a list as it was before a loop")
            return Listed(given)
        return given if type(given) in (Listed, Parts) else refuse("tuple of no list")

    def picked_by(self, picks: object, parts: object, /) -> Picked:
        """Return what a function picks."""
        self.only_looks(picks)
        return Picked(picks, parts)

    def ordered_by(self, parts: object, /, *, key: object, reverse: object = False) -> Picked:
        """Return all contributions in the order of a number."""
        self.only_looks(key)
        if type(reverse) is not bool:
            refuse("an order that is not known")
        return Picked(key, parts, sorts=True)

    def turned_round(self, parts: object, /) -> object:
        """Return all contributions, the last first."""
        return parts if type(parts) in (Parts, Listed) else refuse("reversed of something else")

    def only_looks(self, function: object) -> None:
        """Refuse a function that could do more than to look at what it is given.

        It is asked when it pleases Python, and not where it is asked here.
        """
        plain_one = type(function) is FunctionType and not function.__closure__
        if not plain_one and function != self.is_contribution:
            refuse("filter or sorted by something else than a plain function")

    def copied(self, value: object, /, **given: object) -> object:
        """Copy a value, if it is no contribution of which nothing is known."""
        if type(value) is Part and not is_open(value):
            refuse("a contribution that was not looked at by is_contribution")
        return replace(value, **given)  # type: ignore[type-var]

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
        if is_open(part):
            return bool(is_one(contribution_of(part)))
        if not boolean(self.named("whether it is a contribution")):
            return False
        self.open(contribution_of(part))
        return True

    def open(self, part: Contribution) -> Contribution:
        """Let key and value of a contribution be seen: any that there are."""
        object.__setattr__(part, "key", any_key(self.named("key")))
        object.__setattr__(part, "value", self.natural("value"))
        return part

    # The parts of a loop.

    def head(self, loop: int, names: tuple[str, ...], values: tuple[object, ...]) -> object:
        """Begin a loop: let what is carried be anything that is claimed of it."""
        for each in sys._getframe(1).f_locals.values():
            self.check(each)
        before = dict(zip(names, values, strict=True))
        after = self.first_head(before) if loop == 1 else self.inner_head(before)
        self.inside.append(loop)
        for each in after.values():
            if type(each) is List:
                each._depth = len(self.inside)
        self.begun[loop] = {key: (before[key], after[key]) for key in before}
        if loop > 1:
            self.note_claims(loop, before)
            assume(*(claim for _, claim in self.claimed(loop, after)))
        return tuple(after.values())

    def first_head(self, before: dict[str, object]) -> dict[str, object]:
        """Let the budget of a unit be any, and forget what was granted."""
        for key, each in before.items():
            if type(each) not in (Store, List):
                refuse(f"{key}, which is kept from credit to credit,")
        if kinds_in(before) != ["List", "Store"]:
            refuse("something else than budgets and grants that is kept from credit to credit")
        (store,) = (each for each in before.values() if type(each) is Store)
        if store is not self.given or len(self.lists) != 1 or self.lists[0]._appended:
            refuse("other budgets or grants than none")
        self.given._old = self.lists[0]._old = True
        value, count = self.natural("value before"), self.natural("count before")
        assume(value <= self.most["value"], count <= self.most["count"])
        self.before, self.grants = self.any_store(value, count), List(self, grants=True)
        kept = {Store: self.before, List: self.grants}
        return {key: kept[type(each)] for key, each in before.items()}

    def inner_head(self, before: dict[str, object]) -> dict[str, object]:
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
            return self.any_list(key, value)
        if type(value) is Store:
            if value._old:
                refuse("the budgets as they were before the loop")
            return self.any_store(self.whole(f"value in {key}"), self.whole(f"count in {key}"))
        if _real_type(value) is Budget:
            return budget(self.whole(f"value of {key}"), self.whole(f"count of {key}"))
        if _real_type(value) is bool:
            return boolean(self.named(key))
        if _real_type(value) is int:
            return self.whole(key)
        return refuse(f"{key}, which is kept from contribution to contribution,")

    def any_list(self, key: str, before: List) -> List:
        """Return a list with more in it: values that are listed are natural numbers."""
        if before._old or before._depth != len(self.inside):
            refuse(f"{key}, a list that is not followed in this loop,")
        value = before._value + self.natural(f"values in {key}")
        count = before._count + self.natural(f"number in {key}")
        made = List(self, value, count, before._grants)
        if before is self.grants:
            self.grants = made
        return made

    def any_store(self, value: int, count: int) -> Store:
        """Return budgets of which that of the unit is this one, or there is none."""
        known = bool(boolean(self.named("whether there is a budget")))
        if not known:
            assume(value == 0, count == 0)
        return Store(self.unit, budget(value, count), known)

    def rounds(self, loop: int, source: object) -> Iterator[object]:
        """Go through one round, or through none."""
        member = self.member(loop, source)
        if boolean(self.named("whether there is another round")):
            yield member()
            refuse("a round after the last")
        self.leave(loop)

    def leave(self, loop: int) -> None:
        """End a loop."""
        if not self.inside or self.inside.pop() != loop:
            refuse("another loop than the one that is left")
        for _, after in self.begun[loop].values():
            if type(after) is List:
                after._depth = len(self.inside)

    def member(self, loop: int, source: object) -> Callable[[], object]:
        """Return what gives any member of what is gone through."""
        if loop == 1 and type(source) is Credits:
            parts = Parts("the contributions of the credit")
            return lambda: unchecked(Credit, unit=self.unit, contributions=parts)
        if loop > 1 and type(source) is Parts:
            return new_part
        if loop > 1 and type(source) is Listed and not source._of._grants:
            return lambda: self.open(new_part())
        if loop > 1 and type(source) is Picked:
            inner = self.member(loop, source._parts)
            return lambda: self.picked(source, inner())
        return refuse("a loop over something else than credits and contributions")

    def picked(self, source: Picked, part: object) -> object:
        """Return a contribution that a function picks; a round for another one does nothing."""
        found = cast(Callable[[object], object], source._by)(part)
        if source._sorts:
            numbers = found if type(found) is tuple else (found,)
            if not numbers or not all(_real_type(each) is int for each in numbers):
                refuse("an order by something else than numbers")
        elif not found:
            raise Ended
        return part

    def tail(self, loop: int, values: tuple[object, ...]) -> NoReturn:
        """End a round: note what is claimed after it."""
        if not self.inside or self.inside[-1] != loop:
            refuse("the end of another round")
        now = dict(zip(self.begun[loop], values, strict=True))
        for key, (_, after) in self.begun[loop].items():
            moved = type(after) is List and now[key] is not self.followed(after)
            if moved or kind_of(now[key]) is not kind_of(after):
                refuse(f"{key}, which becomes something else,")
        if loop == 1:
            self.note_grants(now)
        else:
            self.note_claims(loop, now)
        raise Ended

    def followed(self, listed: List) -> List:
        """Return what a list is now: that of the grants is another one after an inner loop."""
        return self.grants if listed._grants else listed

    def note_grants(self, now: dict[str, object]) -> None:
        """Claim that what was granted is counted, within the limits."""
        (store,) = (each for each in now.values() if type(each) is Store)
        before, granted = numbers_of({"": self.before}), self.grants
        for field, more in zip(FIELDS, (granted._value, granted._count), strict=True):
            after = numbers_of({"": store})["", field]
            self.note(f"the {field} of a grant is counted", after - before["", field] >= more)
            within = (0 <= after) & (after <= self.most[field])
            self.note(f"the {field} of a budget stays within the limit", within)

    def note_claims(self, loop: int, values: dict[str, object]) -> None:
        """Claim what was chosen."""
        for named, claim in self.claimed(loop, values):
            self.note(named, claim)

    def claimed(self, loop: int, values: dict[str, object]) -> list[tuple[Claim, bool]]:
        """List what is claimed of a loop: that numbers stay in range and move with the lists."""
        first = {key: before for key, (before, _) in self.begun[loop].items()}
        held, began = numbers_of({"": self.before}), numbers_of(first)
        lists = {key: each for key, each in first.items() if type(each) is List}
        found: dict[Claim, bool] = {}
        now = numbers_of(values)
        for place, number in now.items():
            moved = number - began[place]
            found[loop, place, "natural"] = 0 <= number
            for most, limit in self.most.items():
                found[loop, place, "within", most] = number <= limit
                found[loop, place, "fits", most] = moved <= limit - held["", most]
            for other in (each for each in now if each > place):
                found[loop, place, "shares", other] = moved + now[other] - began[other] <= 0
            for key, was in lists.items():
                for field, grown in zip(FIELDS, grown_by(was, values[key]), strict=True):
                    found[loop, place, "counts", key, field] = moved >= grown
                    found[loop, place, "leaves", key, field] = -moved >= grown
        for key, was in lists.items():
            for field, grown in zip(FIELDS, grown_by(was, values[key]), strict=True):
                for most, limit in self.most.items():
                    found[loop, key, field, "fits", most] = grown <= limit - held["", most]
        return [(named, claim) for named, claim in found.items() if named not in self.left_out]

    # What is listed and granted, and what a variable may be.

    def measured(self, item: object) -> tuple[int, int]:
        """Return the sum and the number of what is in a credit of this unit, which is granted."""
        credit = plain(item, Credit)
        if type(credit.unit) is not Name or cast(object, credit.unit) is not self.unit:
            refuse("a grant to another unit")
        parts: object = credit.contributions
        value, count = 0, 0
        if type(parts) is Listed and not parts._of._grants:
            value, count = parts._value, parts._count
        elif type(parts) is tuple:
            for part in parts:
                more, further = self.counted(part)
                value, count = value + more, count + further
        else:
            refuse("a grant of what was not listed")
        self.note("a grant holds something", count >= 1)
        return value, count

    def counted(self, item: object) -> tuple[int, int]:
        """Return the value of a contribution that is listed, and one; it has to be one."""
        part = contribution_of(item)
        if not is_open(part):
            refuse("a contribution that was not looked at by is_contribution")
        self.note("what is granted is a contribution", is_one(part))
        return part.value if _real_type(part.value) is int else 0, 1

    def check(self, value: object) -> None:
        """Refuse a variable with a value that could change, or that is not known."""
        if type(value) is tuple or type(value) in HOLDING:
            for each in value if type(value) is tuple else held_by(value):
                self.check(each)
        elif type(value) not in KNOWN and not any(value is each for each in self.seen):
            refuse(f"a variable that is a {type(value).__name__}")

    # Any values.

    def named(self, what: str) -> str:
        """Return a name that no other value of this way has, the same when it is run again."""
        self.made += 1
        return f"{what}, {self.made}"

    def whole(self, what: str) -> int:
        """Return any whole number."""
        return integer(self.named(what))

    def natural(self, what: str) -> int:
        """Return any natural number."""
        found = self.whole(what)
        assume(0 <= found)
        return found


class Surroundings(Follower):
    """Make the surroundings of a rule whose loops are cut."""

    def __init__(self, seen: Round, given: tuple[object, ...]) -> None:
        super().__init__()
        self.given, self.seen = given, seen

    def _value(self, value: object, name: str) -> object:
        """Leave who cuts as it is, and let contributions be asked about and copied."""
        if any(value is each for each in self.given):
            return value
        if value is is_contribution:
            return self.seen.is_contribution
        return self.seen.copied if value is replace else super()._value(value, name)


def _cut(rules: Rules) -> FunctionType:
    """Return the rule with its loops cut, if all that could take part in it is known."""
    if any(getattr(rules, each) is not getattr(PAPER, each) for each in PAPERS_OWN):
        raise NotFollowed(f"another {' or '.join(PAPERS_OWN)} than the paper's")
    made, function = cut(unguarded(rules.contribute)), unguarded(rules.contribute)
    if getattr(function, "__builtins__", None) is not vars(builtins):
        raise NotFollowed(f"built-in names of its own in the file of {made.__name__}")
    changed = (unguarded(getattr(rules, each.name)) for each in fields(Rules))
    for rule in (each for each in changed if type(each) is FunctionType):
        if why := unclean(rule):
            raise NotFollowed(why)
        for value in (value for scope in _scopes(rule) for value in scope.values()):
            if isinstance(value, type) and issubclass(value, KEPT) and not _known(value):
                raise NotFollowed(f"the class {value.__name__}, which may not be copied")
    return made


def kinds_in(values: dict[str, object]) -> list[str]:
    """Return the names of the types of values, in order."""
    return sorted(type(each).__name__ for each in values.values())


def kind_of(value: object) -> type:
    """Return of which kind a value is that is carried."""
    kind = _real_type(value)
    return kind if kind in (bool, int, Budget, List, Store) else object


def grown_by(before: List, now: object) -> tuple[int, int]:
    """Return what was appended to a list: the sum of values, and their number."""
    listed = cast(List, now)
    return listed._value - before._value, listed._count - before._count


def numbers_of(values: dict[str, object]) -> dict[tuple[str, str], int]:
    """Return the numbers among carried values: budgets hold two, which must be whole."""
    found: dict[tuple[str, str], int] = {}
    for key, value in values.items():
        held = value._held if type(value) is Store else value
        if _real_type(held) is Budget:
            counts = plain(held, Budget)
            found |= {(key, each): getattr(counts, each) for each in FIELDS}
        elif _real_type(held) is int:
            found[key, ""] = cast(int, held)
    if not all(_real_type(each) is int for each in found.values()):
        refuse("a budget of something else than whole numbers")
    return found


def choose_claims(seen: Round) -> str:
    """Leave out what does not hold at the head of a loop or after a round, until all holds.

    Return what is needed and does not hold either, if anything.
    """
    while True:
        found = explore(lambda: seen.claims(integer("value_limit"), integer("count_limit")))
        failing: dict[Claim | str, None] = {}
        for path in found.paths:
            if path.raised is not None:
                raise NotSymbolic(f"{type(path.raised).__name__} in a round")
            noted = cast(list[Noted], path.returned)
            failing |= dict.fromkeys(_failing(path.taken, noted))
        chosen = {each for each in failing if not isinstance(each, str)}
        if not chosen:
            return next((str(each) for each in failing), "")
        seen.left_out |= chosen


def _failing(taken: z3.BoolRef, noted: list[Noted]) -> list[Claim | str]:
    """Ask z3 which claims do not hold on a way; what is undecided does not."""
    solver = z3.Solver()
    solver.set("rlimit", EFFORT)
    solver.add(taken)
    claims = [(what, term_of(claim)) for what, claim in noted]
    if not claims or solver.check(z3.Not(z3.And(*(term for _, term in claims)))) == z3.unsat:
        return []
    return [what for what, term in claims if solver.check(z3.Not(term)) != z3.unsat]


@for_all_rules("a round grants its unit what the budget counts, within the limits")
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

    Where it is no loop of its own, that is what was found otherwise.
    """
    start = perf_counter_ns()
    try:
        seen = Round(rules)
    except NotFollowed:
        return otherwise
    found, failing, why = otherwise, "", ""
    try:
        failing = choose_claims(seen)
        found = otherwise if failing else rounds_are_counted.decide(seen)
        why = f"it is not so that {failing}" if failing else found.reason
    except NotSymbolic as refusal:
        why = str(refusal)
    proved = found is not otherwise and found.verdict == "PROVED"
    return replace(
        found,
        name=otherwise.name,
        seconds=otherwise.seconds + Fraction(perf_counter_ns() - start, 10**9),
        verdict="PROVED" if proved else "UNKNOWN",
        reason=why,
        example=None,
        disproved=not proved and (bool(failing) or otherwise.disproved),
    )
