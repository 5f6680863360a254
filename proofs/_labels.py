"""Labels: what may be known of the values that a function of a proposal handles.

A value that is *public* is the same in two runs that agree on everything public. Another label
stands for one kind of value that is not, or not as a whole. A policy says what can be done with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from proofs._instructions import Code


class NotPublic(Exception):
    """Say which line uses what is not public, and how."""


class NotFollowed(Exception):
    """Say which line does something that is not followed."""


@dataclass(frozen=True, slots=True)
class Label:
    """Say what may be known of a value; `what` names it where it is refused.

    What can be gone through `once`, such as a generator, holds less after that. So it may be used
    where it is made, and be given no name, unless it is public.
    """

    what: str
    once: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Public(Label):
    """Label a public value; some are told apart, so that a rule can return them as they are."""


@dataclass(frozen=True, slots=True)
class Known(Label):
    """Label a value that is known when the rule is loaded: a function, a class, a module."""

    value: object

    def __eq__(self, other: object) -> bool:
        return type(other) is Known and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


@dataclass(frozen=True, slots=True)
class Several(Label):
    """Label a sequence of any length whose members have a label."""

    member: Label


@dataclass(frozen=True, slots=True)
class Listing(Several):
    """Label a list that is being made; `site` says where it was begun."""

    site: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Rounds(Several):
    """Label what a loop goes through in rounds; `member` is what became of that of the last one."""


@dataclass(frozen=True, slots=True)
class Pack(Label):
    """Label a tuple whose members have labels of their own."""

    members: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class OneOf(Label):
    """Label a value that has one of several labels, which cannot be used but be returned."""

    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Inside(Label):
    """Label a function that is made inside of another, with what it takes from there."""

    code: Code
    scope: Mapping[str, object]
    taken: tuple[tuple[str, Label], ...]
    defaults: tuple[Label, ...]

    def __eq__(self, other: object) -> bool:
        if type(other) is not Inside or self.code is not other.code:
            return False
        return (self.taken, self.defaults) == (other.taken, other.defaults)

    def __hash__(self) -> int:
        return id(self.code)


@dataclass(frozen=True, slots=True)
class Table(Label):
    """Label a list, a dictionary or a set of the module that holds data: it may only be read."""


@dataclass(frozen=True, slots=True)
class Method(Label):
    """Label a method of a value that has not been called yet."""

    owner: Label
    name: str


PUBLIC = Public("a public value")
LIMITS = Public("the limits")
POSITIVE = Public("a whole number of at least one")
NONE = Public("None")
TRUE = Public("True")
FALSE = Public("False")
NO_MEMBER = Public("a member of an empty list")
MADE = Public("a value that is made here")
A_PART = Public("a contribution, whose class checks nothing")
NULL = Label("nothing")
DRAW = Label("draw")
MIXED = Label("a value of two kinds")
"""What two branches leave in one place, if it is not the same kind of value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Hold what is called and with which labels."""

    target: object
    positional: tuple[Label, ...]
    keywords: Mapping[str, Label]


Change = Callable[[Label], Label]
"""What becomes of every label that is there."""


class Policy:
    """Say what can be done with labels that are not public; None stands for nothing known."""

    def inner(self, call: Call) -> Label | None:
        """Answer a call that may stand in the rule itself only."""

    def after_inner(self, label: Label) -> Label:
        """Return what becomes of other labels by an inner call."""
        return label

    def call(self, call: Call) -> Label | None:
        """Answer a call that may stand anywhere."""

    def attribute(self, label: Label, name: str) -> Label | None:
        """Return the label of an attribute."""

    def members(self, label: Label) -> Pack | None:
        """Return the labels of the members of a tuple."""

    def constant(self, value: object) -> Label | None:
        """Return the label of a constant."""

    def made_dictionary(self) -> Label | None:
        """Return the label of an empty dictionary that the rule itself makes."""

    def operated(self, operator: str, first: Label, second: Label) -> Label | None:
        """Return the label of what an operator makes of two values."""

    def stored(self, into: Label, key: Label, value: Label) -> Literal[True] | None:
        """Return True if the rule itself may store a value under a key."""

    kept_apart: Label | None = None
    """Whose sequences have a length that is not public, and loops that handle each by itself."""

    changes_nothing = True
    """Whether what is given may not be changed: one unit could tell the next by it.

    Rules that are the same in both worlds, and know nothing but what is, may change what they are
    given: it changes in both.
    """

    answers_always = False
    """Whether the rule is run in each world on values of its own, so that an error would tell."""

    def may_be_none(self, label: Label) -> bool:
        """Tell whether it is public that a value is None."""
        return is_public(label)

    def found_none(self, label: Label, none: bool) -> Change | None:
        """Return what becomes of labels where a value turned out to be None, or not to be."""

    def joined(self, first: Label, second: Label) -> Label | None:
        """Return the label of a value that has one label on one way and another on the other."""

    def found_true(self, label: Label, true: bool) -> Change | None:
        """Return what becomes of labels where a value turned out to be true, or not to be."""

    def taken_out(self, label: Label) -> Label:
        """Return the label of a member that is taken out of a sequence."""
        return label

    def put_in(self, label: Label) -> tuple[Label, Change | None]:
        """Return the label of a member that is put into a list, and what becomes of others."""
        return label, None

    def gone_through(self, label: Label) -> tuple[Rounds, Change | None] | None:
        """Return what a loop in the rule itself goes through in rounds, if it is watched."""

    def next_round(self, rounds: Rounds) -> tuple[Label, Change]:
        """Return the member of the next round, and what becomes of other labels in it."""
        raise NotImplementedError

    def ended(self, rounds: Rounds) -> Change | None:
        """Return what becomes of labels when there is no further round."""


def is_public(label: Label) -> bool:
    """Tell whether a label is that of a public value."""
    if isinstance(label, Pack):
        return all(map(is_public, label.members))
    if isinstance(label, Several):
        return is_public(label.member)
    return isinstance(label, Public)


def is_lasting(label: Label) -> bool:
    """Tell whether a value holds nothing that can be gone through once."""
    if isinstance(label, Pack):
        return all(map(is_lasting, label.members))
    if isinstance(label, Several) and not is_lasting(label.member):
        return False
    return not any(each.once for each in ways_of(label))


def is_plain(label: Label) -> bool:
    """Tell whether a label says no more than that a value is public."""
    if isinstance(label, Pack):
        return all(map(is_plain, label.members))
    if isinstance(label, Several):
        return is_plain(label.member)
    return label in (PUBLIC, NONE, TRUE, FALSE, NO_MEMBER, MADE)


def changed_by(label: Label, change: Callable[[Label], Label]) -> Label:
    """Change a label and those of its parts; what a function inside has taken is given up."""
    if isinstance(label, Pack):
        return replace(label, members=tuple(changed_by(each, change) for each in label.members))
    if isinstance(label, Inside | OneOf):
        return MIXED
    if isinstance(label, Method):
        return replace(label, owner=changed_by(label.owner, change))
    changed = change(label)
    if isinstance(label, Several) and changed == label:
        return replace(label, member=changed_by(label.member, change))
    return changed


def ways_of(label: Label) -> tuple[Label, ...]:
    """Return the labels that a value may have."""
    return label.labels if isinstance(label, OneOf) else (label,)
