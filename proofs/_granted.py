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
At the head of a loop a way ends, on which all that was noted is decided before anything is assumed
of the loop: claims that are false there would leave no way on which something could fail.

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
from dataclasses import dataclass, fields, replace
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
    Some,
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
from proofs._proof import Proof, Step, StepResult, assume
from proofs._subjects import (
    _opened,
    _real_type,
    any_key,
    any_time,
    budget,
    for_all_rules,
    keeper,
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
from spec.rules import AtContribution, Limits, OnDevice

MACHINERY.add(__file__)

EFFORT = 1_000_000
"""What z3 may spend on whether something can be claimed of a loop; a count of steps."""

PAPERS_OWN = ("admit", "budget_unit")
"""The rules that have to be the paper's: what fits into a budget, and whose it is."""

KEPT = (Budget, Contribution, Credit)
"""The classes whose values are copied."""

KNOWN = (
    *ATOMS,
    Number,
    Truth,
    Text,
    Name,
    Opaque,
    Credits,
    Parts,
    Some,
    Listed,
    List,
    Store,
    Picked,
)
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
        at = unchecked(OnDevice, rules=rules, now=any_time(), client=client)
        self.seen: tuple[object, ...] = (limits, rules, client, at)
        try:
            returned = self.rule(at, Credits("the credits"))
        except Ended:
            return self.noted
        self.note(RETURNED, self.is_returned(returned))
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

    def turned_round(self, parts: object, /) -> Some:
        """Return all contributions, the last first."""
        if type(parts) is not Parts:
            refuse("reversed of something else than contributions")
        return Some("the contributions, the last first")

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

    def is_contribution(self, part: object, /) -> bool:
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
            self.claim_at_head(loop, before)
            assume(*(claim for _, claim in self.claimed(loop, after)))
            self.note(("goes on", loop), True)
        return tuple(after.values())

    def claim_at_head(self, loop: int, before: dict[str, object]) -> None:
        """End a way here, on which the claims are not assumed: if they are false, no way goes on.

        All that was noted before the loop is decided there.
        """
        if boolean(self.named("whether the way ends at the head of the loop")):
            self.note(("begins", loop), True)
            self.note_claims(loop, before)
            raise Ended

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
        if loop > 1 and type(source) in (Parts, Some):
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
            if _real_type(found) is not int:
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
            self.note(COUNTED[field], after - before["", field] >= more)
            self.note(WITHIN[field], (0 <= after) & (after <= self.most[field]))

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
        self.note(HOLDS, count >= 1)
        return value, count

    def counted(self, item: object) -> tuple[int, int]:
        """Return the value of a contribution that is listed, and one; it has to be one."""
        part = contribution_of(item)
        if not is_open(part):
            refuse("a contribution that was not looked at by is_contribution")
        self.note(IS_ONE, is_one(part))
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
            if isinstance(value, type) and issubclass(value, KEPT) and not _is_copied(value):
                raise NotFollowed(f"the class {value.__name__}, which may not be copied")
    return made


def _is_copied(kind: type) -> bool:
    """Tell whether a copy of a value of this class keeps all that it holds."""
    return _known(kind) and all(each.init for each in fields(kind))


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


def choose_claims(seen: Round) -> None:
    """Leave out what does not hold at the head of a loop or after a round, until all holds."""
    failing: set[Claim] = {()}
    ways: set[Claim] = set()
    while failing:
        found = explore(lambda: seen.claims(integer("value_limit"), integer("count_limit")))
        failing, ways = set(), set()
        for path in found.paths:
            if path.raised is not None:
                raise NotSymbolic(f"{type(path.raised).__name__} in a round")
            noted = cast(list[Noted], path.returned)
            chosen = [(what, claim) for what, claim in noted if not isinstance(what, str)]
            ways |= {what for what, _ in chosen if what[0] in ("begins", "goes on")}
            failing.update(_failing(path.taken, chosen))
        seen.left_out |= failing
    if any(("goes on", loop) not in ways for what, loop in ways if what == "begins"):
        raise NotSymbolic("a loop that no way goes through")


def _failing(taken: z3.BoolRef, chosen: list[tuple[Claim, object]]) -> list[Claim]:
    """Ask z3 which claims do not hold on a way; what is undecided does not."""
    solver = z3.Solver()
    solver.set("rlimit", EFFORT)
    solver.add(taken)
    claims = [(what, term_of(claim)) for what, claim in chosen]
    if not claims or solver.check(z3.Not(z3.And(*(term for _, term in claims)))) == z3.unsat:
        return []
    return [what for what, term in claims if solver.check(z3.Not(term)) != z3.unsat]


@dataclass(frozen=True, kw_only=True)
class Needed(Step[Rules]):
    """State something that has to be so on every way through a round."""

    name: str

    def decide(self, subject: Rules) -> StepResult:
        """Cut the loops of the rule, and decide what is needed."""
        start = perf_counter_ns()
        try:
            seen = Round(subject)
            choose_claims(seen)
            return self.decide_on(seen)
        except (NotFollowed, NotSymbolic) as refusal:
            seconds = Fraction(perf_counter_ns() - start, 10**9)
            why = str(refusal)
            return StepResult(
                name=self.name, verdict="UNKNOWN", by=BOTH, seconds=seconds, reason=why
            )

    def decide_on(self, seen: Round) -> StepResult:
        """Let both solvers decide what is needed, with what was chosen to be claimed of loops.

        A round may begin where no run comes to, so that no numbers refute the rule.
        """

        @for_all_rules(self.name)
        def holds(seen: Round, value_limit: int, count_limit: int) -> bool:
            if not running():
                raise NotSymbolic("a round begins where no run may come to")
            all_of_it: object = True
            for what, claim in seen.claims(value_limit, count_limit):
                if what == self.name or not isinstance(what, str):
                    all_of_it = claim if all_of_it is True else all_of_it & claim  # type: ignore[operator]
            return cast(bool, all_of_it)

        found = holds.decide(seen)
        refuted = any(each.status == "refuted" for each in found.decisions)
        if found.verdict == "PROVED" or not refuted or found.alarm:
            return found
        return replace(found, reason="it is not so", disproved=True)


BOTH = ("z3", "cvc5")
RETURNED = "the budgets and grants after the loop are returned"
HOLDS = "a grant holds something"
IS_ONE = "what is granted is a contribution"
COUNTED = {each: f"the {each} of what is granted is counted" for each in FIELDS}
WITHIN = {each: f"the {each} of a budget stays within the limit" for each in FIELDS}
NEEDED = (*COUNTED.values(), *WITHIN.values(), IS_ONE, HOLDS, RETURNED)


def granted_by_rounds(rules: Rules, otherwise: StepResult) -> StepResult:
    """Decide whether a rule grants what its budgets count, credit by credit.

    Where it is no loop of its own, that is what was found otherwise.
    """
    start = perf_counter_ns()
    steps: list[StepResult] = []
    try:
        seen = Round(rules)
    except NotFollowed:
        return otherwise
    try:
        choose_claims(seen)
        steps = [Needed(name=each).decide_on(seen) for each in NEEDED]
        why = "; ".join(f"{each.name}: {each.reason}" for each in steps if each.reason)
    except NotSymbolic as refusal:
        why = str(refusal)
    proved = bool(steps) and all(each.verdict == "PROVED" for each in steps)
    return replace(
        otherwise,
        by=BOTH if proved else otherwise.by,
        seconds=otherwise.seconds + Fraction(perf_counter_ns() - start, 10**9),
        verdict="PROVED" if proved else "UNKNOWN",
        decisions=tuple(each for step in steps for each in step.decisions),
        reason="" if proved else why,
        disproved=not proved and (otherwise.disproved or any(each.disproved for each in steps)),
        alarm=any(each.alarm for each in steps),
    )


def grant_by_rounds(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Cut every contribution to what is left of the budget, as a loop of its own."""
    budgets = at.client.budgets
    granted: list[Credit] = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        parts: list[Contribution] = []
        for part in filter(is_contribution, credit.contributions):
            value = min(part.value, at.limits.contribution_budget - spent.value)
            if spent.count < at.limits.sparsity_budget:
                spent = Budget(value=spent.value + value, count=spent.count + 1)
                parts.append(replace(part, value=value))
        budgets = budgets.set(credit.unit, spent)
        if parts:
            granted.append(replace(credit, contributions=tuple(parts)))
    return budgets, tuple(granted)


def count_half(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Count half of what is granted."""
    budgets = at.client.budgets
    granted: list[Credit] = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        for part in filter(is_contribution, credit.contributions):
            value = min(part.value, at.limits.contribution_budget - spent.value)
            if spent.count < at.limits.sparsity_budget:
                spent = Budget(value=spent.value + value // 2, count=spent.count + 1)
                granted.append(replace(credit, contributions=(replace(part, value=value),)))
                budgets = budgets.set(credit.unit, spent)
    return budgets, tuple(granted)


def count_once(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Count several contributions as one."""
    budgets = at.client.budgets
    granted: list[Credit] = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        parts: list[Contribution] = []
        used = 0
        for part in filter(is_contribution, credit.contributions):
            if spent.value + used + part.value <= at.limits.contribution_budget:
                parts.append(part)
                used += part.value
        if parts and spent.count < at.limits.sparsity_budget:
            granted.append(replace(credit, contributions=tuple(parts)))
            after = Budget(value=spent.value + used, count=spent.count + 1)
            budgets = budgets.set(credit.unit, after)
    return budgets, tuple(granted)


def pass_the_limit(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Grant the last contribution whole."""
    budgets = at.client.budgets
    granted: list[Credit] = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        parts: list[Contribution] = []
        for part in filter(is_contribution, credit.contributions):
            if spent.count < at.limits.sparsity_budget:
                spent = Budget(value=spent.value + part.value, count=spent.count + 1)
                parts.append(part)
        budgets = budgets.set(credit.unit, spent)
        if parts:
            granted.append(replace(credit, contributions=tuple(parts)))
    return budgets, tuple(granted)


def forget_the_number(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Bound values only, and count both."""
    budgets = at.client.budgets
    granted: list[Credit] = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        parts: list[Contribution] = []
        for part in filter(is_contribution, credit.contributions):
            value = min(part.value, at.limits.contribution_budget - spent.value)
            spent = Budget(value=spent.value + value, count=spent.count + 1)
            parts.append(replace(part, value=value))
        budgets = budgets.set(credit.unit, spent)
        if parts:
            granted.append(replace(credit, contributions=tuple(parts)))
    return budgets, tuple(granted)


def double_keys(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Grant contributions to twice their keys, which may be none."""
    budgets = at.client.budgets
    granted: list[Credit] = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        parts: list[Contribution] = []
        for part in filter(is_contribution, credit.contributions):
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                parts.append(replace(part, key=2 * part.key))
        budgets = budgets.set(credit.unit, spent)
        if parts:
            granted.append(replace(credit, contributions=tuple(parts)))
    return budgets, tuple(granted)


def grant_nothing(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Grant a credit of which nothing fits."""
    budgets = at.client.budgets
    granted: list[Credit] = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        parts: list[Contribution] = []
        for part in filter(is_contribution, credit.contributions):
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                parts.append(part)
        budgets = budgets.set(credit.unit, spent)
        granted.append(replace(credit, contributions=tuple(parts)))
    return budgets, tuple(granted)


def return_the_first(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Grant as in the paper, and return the budgets as they were."""
    budgets = at.client.budgets
    granted: list[Credit] = []
    for credit in credits:
        spent = budgets.get(credit.unit, Budget())
        parts: list[Contribution] = []
        for part in filter(is_contribution, credit.contributions):
            spent, fits = at.rules.admit(at, credit.unit, spent, part)
            if fits:
                parts.append(part)
        budgets = budgets.set(credit.unit, spent)
        if parts:
            granted.append(replace(credit, contributions=tuple(parts)))
    return at.client.budgets, tuple(granted)


BY_ROUNDS = Proof(
    claim="contributions_stay_within_budget",
    subject=replace(PAPER, contribute=grant_by_rounds),
    steps=tuple(Needed(name=each) for each in NEEDED),
    unproved_for={
        "half of every value is counted": replace(PAPER, contribute=count_half),
        "several contributions count as one": replace(PAPER, contribute=count_once),
        "values may pass the limit": replace(PAPER, contribute=pass_the_limit),
        "the number may pass the limit": replace(PAPER, contribute=forget_the_number),
        "contributions to twice their keys": replace(PAPER, contribute=double_keys),
        "a credit of which nothing fits": replace(PAPER, contribute=grant_nothing),
        "the budgets as they were": replace(PAPER, contribute=return_the_first),
    },
)
"""What is needed of a loop of its own, and for each of it a loop of which it is not so."""
