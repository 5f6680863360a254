"""What may be granted and sent of a single contribution, in whatever way a proposal writes it.

Where the paper decides, a trigger or an event credits at most one unit, with at most one
contribution. So it is enough to run `contribute` on no credit, and on one with no contribution or
one, for any numbers: no induction is needed. It may look at the budget of that unit alone. What it
grants must be counted there, within the limits, and be contributions that a report can hold.

Then it does what the paper does for a trigger or an event of another value or key, or of none: one
that the database could have held, and which depends on the unit's own past alone.

In the same way `send` is run on nothing and on one contribution, side by side. What it puts beside
what is granted must be zeros: they change no sum, and a key whose sum is zero is never discovered,
as is shown elsewhere for the rules that release.
"""

from __future__ import annotations

from typing import cast

from immutables import Map

from proofs._opaque import Opaque
from proofs._proof import assume
from proofs._subjects import (
    _real_type,
    any_event,
    any_trigger,
    budget,
    contribution,
    for_all_rules,
    name,
    on_device,
    plain,
    unchecked,
    with_limits,
    without_client,
)
from proofs._symbolic import MACHINERY, refuse
from spec import Rules
from spec.attribution_client import AttributionClient
from spec.contributions import Budget, Credit
from spec.private_aggregation_client import AggregationClient
from spec.reports import KEY_BITS, Contribution, Report, Sent
from spec.rules import Limits

MACHINERY.add(__file__)

X = name(str, "unit x")


class OwnBudgets(Opaque):
    """Be the budgets on a device, of which one unit's may be read and set, and nothing else."""

    __slots__ = ("held",)

    _stands_for = Map
    held: Budget | None

    def get(self, unit: object, default: object = None) -> object:
        """Return the unit's budget, or the default if it has none yet."""
        _only_x(unit)
        return default if self.held is None else self.held

    def set(self, unit: object, after: Budget) -> OwnBudgets:
        """Return the budgets after a change of the unit's."""
        _only_x(unit)
        return own_budgets(after)

    def __contains__(self, unit: object) -> bool:
        _only_x(unit)
        return self.held is not None

    def __getitem__(self, unit: object) -> Budget:
        _only_x(unit)
        return refuse("a budget that may not be there") if self.held is None else self.held


def _only_x(unit: object) -> None:
    if unit is not X:
        refuse("the budget of another unit")


def own_budgets(held: Budget | None) -> OwnBudgets:
    """Return the budgets on a device, of which the unit's own is known."""
    made = OwnBudgets("the budgets of all units")
    made.held = held
    return made


def within(spent: Budget, limits: Limits) -> bool:
    """Tell whether a budget holds natural numbers within the limits."""
    whole = _real_type(spent.value) is int and _real_type(spent.count) is int
    value = (0 <= spent.value) & (spent.value <= limits.contribution_budget)
    return whole and value & (0 <= spent.count) & (spent.count <= limits.sparsity_budget)


def is_kept(part: Contribution) -> bool:
    """Tell whether a report can hold a contribution."""
    plain(part, Contribution)
    whole = _real_type(part.value) is int and _real_type(part.key) is int
    return whole and (0 <= part.value) & (0 <= part.key) & (part.key < 2**KEY_BITS)


@for_all_rules("what is granted of one contribution is counted, within the unit's own budget")
def one_is_counted(
    rules: Rules,
    value_limit: int,
    count_limit: int,
    value: int,
    count: int,
    new: int,
    key: int,
    has_contributed: bool,
    has_part: bool,
    a_trigger: bool,
) -> bool:
    """Run `contribute` on one credit, of a trigger or of an event."""
    assume(value_limit >= 1, count_limit >= 1, new >= 1, 0 <= key, key < 2**KEY_BITS)
    limits = {"contribution_budget": value_limit, "sparsity_budget": count_limit}
    rules = without_client(with_limits(rules, **limits))
    before = budget(value, count) if has_contributed else Budget()
    assume(within(before, rules.limits))
    cause = any_trigger(key, new) if a_trigger else any_event()
    budgets = own_budgets(before if has_contributed else None)
    parts = (contribution(new, "key of the contribution"),) if has_part else ()
    credit = unchecked(Credit, unit=X, contributions=parts)
    keeper = AttributionClient if a_trigger else AggregationClient
    at = on_device(rules, unchecked(keeper, budgets=budgets), cause)
    found, granted = cast(tuple[object, object], rules.contribute(at, (credit,)))
    if type(found) is not OwnBudgets or type(granted) is not tuple:
        return False
    held = found.held
    after = Budget() if held is None else plain(held, Budget)
    counts = within(after, rules.limits)
    total = number = 0
    for each in granted:
        if plain(each, Credit).unit is not X or type(each.contributions) is not tuple:
            return False
        for part in each.contributions:
            counts = counts & is_kept(part)
            total, number = total + part.value, number + 1
    return counts & (total <= after.value - before.value) & (number <= after.count - before.count)


@for_all_rules("nothing is granted where nobody is credited, and no budget changes")
def none_is_granted(
    rules: Rules, value_limit: int, count_limit: int, new: int, key: int, a_trigger: bool
) -> bool:
    """Run `contribute` on no credit; whose budgets there are may not be looked at."""
    assume(value_limit >= 1, count_limit >= 1, new >= 0, 0 <= key, key < 2**KEY_BITS)
    limits = {"contribution_budget": value_limit, "sparsity_budget": count_limit}
    cause = any_trigger(key, new) if a_trigger else any_event()
    budgets = Opaque("the budgets of all units")
    keeper = AttributionClient if a_trigger else AggregationClient
    at = on_device(with_limits(rules, **limits), unchecked(keeper, budgets=budgets), cause)
    found, granted = cast(tuple[object, object], rules.contribute(at, ()))
    return found is budgets and type(granted) is tuple and not granted


GRANTED_ALONE = (one_is_counted, none_is_granted)
"""What has to be shown of `contribute` where there is at most one contribution."""


@for_all_rules("a report leaves alike, and holds what is granted and zeros, at the rules' limits")
def one_is_sent(rules: Rules, new: int, key: int, a_trigger: bool) -> bool:
    """Run `send` on nothing that is granted, and on one contribution, side by side."""
    assume(new >= 1, 0 <= key, key < 2**KEY_BITS)
    cause = any_trigger(key, new) if a_trigger else any_event()
    at = on_device(rules, Opaque("the client"), cause)
    part = contribution(new, "key of the contribution")
    credit = unchecked(Credit, unit=X, contributions=(part,))
    empty, full = (cast(object, rules.send(at, granted)) for granted in ((), (credit,)))
    if type(empty) is not tuple or type(full) is not tuple or len(empty) != len(full):
        return False
    if len(full) != 1:
        return not full
    (one,), (other,) = (plain(empty[0], Sent),), (plain(full[0], Sent),)
    reports = [plain(each.report, Report) for each in (one, other)]
    alike = _same(one.shown, other.shown) and _same(one.arrival, other.arrival)
    named = all(bool(each.report_id == cause.report_id) for each in reports)
    if not alike or not named or not all(type(x.contributions) is tuple for x in reports):
        return False
    if not all(bool(is_kept(each)) for report in reports for each in report.contributions):
        return False
    none, counted = ([x for x in r.contributions if bool(x.value != 0)] for r in reports)
    if none or len(counted) != 1:
        return False
    return (counted[0].key == part.key) & (counted[0].value == part.value)


def _same(first: object, second: object) -> bool:
    """Tell whether two values are equal, and of the same types."""
    if type(first) is tuple and type(second) is tuple:
        pairs = zip(first, second, strict=False)
        return len(first) == len(second) and all(_same(a, b) for a, b in pairs)
    return _real_type(first) is _real_type(second) and bool(first == second)


SENT_ALONE = (one_is_sent,)
"""What has to be shown of `send` where there is at most one contribution."""
