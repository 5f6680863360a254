r"""Aggregatable reports: what a client sends and what the aggregation service sums.

The paper's report is $(r, k, v)$ with an identifier $r$, a key $k \in \{0, 1\}^{128}$ and a value
$v$; its null report is $(r, \bot, \bot)$. Here a report holds a tuple of contributions $(k, v)$.
The paper's reports hold one, null reports hold none, and the APIs as shipped may hold several. Only
the aggregation service sees contributions; the ad-tech sees what the rule `send` shows.

Paper: Sec. 2.1.
"""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import TypeAlias

from spec.numbers import SpecError, whole

KEY_BITS = REPORT_ID_BITS = 128

Key: TypeAlias = int
ReportId: TypeAlias = int


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """Hold one key $k$ and the value $v$ contributed to it."""

    key: Key
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Hold an aggregatable report $(r, k, v)$; without contributions it is a null report."""

    report_id: ReportId
    contributions: tuple[Contribution, ...] = ()

    @property
    def is_null(self) -> bool:
        """Say whether this is a null report."""
        return not self.contributions


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """Hold a report that leaves a device, what the ad-tech sees of it, and when it arrives.

    Paper: Alg. 2; Alg. 3.
    """

    report: Report
    shown: Hashable
    arrival: int


def checked_report(report: Report) -> None:
    """Refuse a report whose identifier, keys or values are out of range."""
    checked_report_id(report.report_id, "report_id")
    for contribution in report.contributions:
        checked_contribution(contribution)


def is_contribution(contribution: Contribution) -> bool:
    """Tell whether a contribution has a key, a value, and in further fields what they hold."""
    with suppress(SpecError):
        checked_contribution(contribution)
        return True
    return False


def checked_contribution(contribution: Contribution) -> None:
    """Refuse a key that is none, a negative value, and in further fields what they do not hold."""
    checked_key(contribution.key, "key")
    checked_value(contribution.value, "value")
    if type(contribution) is not Contribution:
        checked_further_fields(contribution)


def checked_further_fields(value: object) -> None:
    """Refuse something else in a field that a class of a proposal declares an int or a str."""
    for each in fields(value):  # type: ignore[arg-type]
        if each.type in (int, "int"):
            whole(getattr(value, each.name), each.name)
        elif each.type in (str, "str"):
            checked_names(**{each.name: getattr(value, each.name)})


def checked_report_id(value: object, name: str) -> ReportId:
    """Return the value if it is an identifier of 128 bits, otherwise refuse it."""
    identifier = whole(value, name)
    if not 0 <= identifier < 2**REPORT_ID_BITS:
        raise BadReportId(f"{name} must fit into {REPORT_ID_BITS} bits, not {identifier}")
    return identifier


def checked_report_ids(values: tuple[ReportId, ...], name: str) -> None:
    """Refuse values that are not all identifiers; plain numbers are looked at together."""
    plain = bool(values) and set(map(type, values)) == {int}
    if not plain or min(values) < 0 or max(values) >= 2**REPORT_ID_BITS:
        for value in values:
            checked_report_id(value, name)


def checked_key(value: object, name: str) -> Key:
    """Return the value if it is a key of 128 bits, otherwise refuse it."""
    key = whole(value, name)
    if not 0 <= key < 2**KEY_BITS:
        raise BadKey(f"{name} must fit into {KEY_BITS} bits, not {key}")
    return key


def checked_value(value: object, name: str) -> int:
    """Return the value if it is a natural number, otherwise refuse it."""
    amount = whole(value, name)
    if amount < 0:
        raise BadValue(f"{name} must not be negative, not {amount}")
    return amount


def checked_names(**names: object) -> None:
    """Refuse a name that is not a string."""
    for name, value in names.items():
        if not isinstance(value, str):
            raise BadName(f"{name} must be a string, not {value!r}")


def checked_filters(filters: object) -> None:
    """Refuse filters that are not a frozenset of strings."""
    if not isinstance(filters, frozenset) or not all(isinstance(each, str) for each in filters):
        raise BadName(f"filters must be a frozenset of strings, not {filters!r}")


class BadKey(SpecError):
    """Report a key that does not fit into 128 bits."""


class BadReportId(SpecError):
    """Report an identifier of a report that does not fit into 128 bits."""


class BadValue(SpecError):
    """Report a value that is not a natural number."""


class BadName(SpecError):
    """Report a name that is not a string, or filters that are no set of names."""
