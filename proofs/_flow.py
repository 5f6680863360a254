r"""Follow what a function of a proposal computes from what: by its instructions, for all values.

Two runs of a function that agree on everything *public* must return the same. So every value that
the code of the function handles gets a *label*, which says what may be known of it. What is
computed from public values is public. A value with another label, such as a batch of reports, can
be used in the few ways that are listed for it, and is refused in any other, by name and line. So no
branch, no length and no exception depends on what is not public. Labels say nothing of values:
loops are followed until their labels no longer change, and what is found is true for all lengths.
An assertion that fails ends a way: a rule that raises is no rule.

A function is called with labels and answers with a label. Functions that the proposal defines are
followed where they are called, those of spec and the pure built-in ones are listed. *Inner* calls,
of the rule that a proposal has put something around, are those that a subject of this module makes
its own answers for; they may only stand in the rule itself and not in functions inside of it, which
could be called any number of times.

A list is what its label says only while one function knows it. Where it is handed to another
function, kept in something else or known by two labels, it holds public values and no more is
known, or the rule is refused.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import inspect
import itertools
import math
import sys
import sysconfig
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from inspect import CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from pathlib import Path
from types import FunctionType, ModuleType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

from immutables import Map

from proofs._followed import (
    ATOMS,
    CLASSES,
    FUNCTIONS,
    _generated,
    _immutable,
    _is_followed_module,
    _known,
    _ours,
    _own_class,
    _refused,
)
from proofs._instructions import Code, Instruction, NoSource, code_of
from proofs._labels import (
    A_PART,
    DRAW,
    FALSE,
    LIMITS,
    MADE,
    MIXED,
    NO_MEMBER,
    NONE,
    NULL,
    POSITIVE,
    PUBLIC,
    TRUE,
    Call,
    Change,
    Inside,
    Known,
    Label,
    Listing,
    Method,
    NotFollowed,
    NotPublic,
    OneOf,
    Pack,
    Policy,
    Public,
    Rounds,
    Several,
    Table,
    changed_by,
    is_lasting,
    is_plain,
    is_public,
    ways_of,
)
from spec import Rules
from spec.aggregation_service import Query
from spec.attribution_client import Source, Trigger
from spec.event_client import EventSource, EventTrigger
from spec.private_aggregation_client import Event
from spec.rules import Limits

T = TypeVar("T")

DEPTH = 12
"""How deep functions of a proposal may call each other."""

STEPS = 10_000
"""How many instructions of one function are followed before it is given up."""

SLICE = Public("some places of a sequence")
PAIRS = Several("pairs", Pack("a pair", (PUBLIC, PUBLIC)))
"""What a dictionary that is made here holds: unpacking a pair never raises."""

WHOLE_LIMITS = frozenset(each.name for each in dataclasses.fields(Limits) if each.type == "int")
"""The limits that are whole numbers, which are at least one."""

WAYS = 4
"""How many labels one value may have."""


def returned(function: object, arguments: tuple[Label, ...], policy: Policy) -> tuple[Label, ...]:
    """Follow a rule on arguments with labels; return the labels of what it may return."""
    if type(function) is not FunctionType or function.__code__.co_flags & CO_GENERATOR:
        raise NotFollowed("a rule that is not a plain function")
    frame = _Frame.of_function(function, policy, depth=0)
    frame.run(arguments, {})
    if not frame.results:
        raise NotFollowed("a rule that never returns")
    return tuple(dict.fromkeys(way for each in frame.results for way in ways_of(each)))


def read(function: FunctionType) -> Code:
    """Return the instructions of a function."""
    try:
        return code_of(function.__code__)
    except NoSource as error:
        raise NotFollowed(str(error)) from error


@dataclass(frozen=True, slots=True)
class _State:
    stack: tuple[Label, ...]
    names: Mapping[str, Label]


def _changed_by(
    stack: Iterable[Label], names: Mapping[str, Label], change: Change | None
) -> _State:
    """Change every label that is there."""
    if change is None:
        return _State(tuple(stack), names)
    return _State(
        tuple(changed_by(each, change) for each in stack),
        {name: changed_by(each, change) for name, each in names.items()},
    )


class _Frame:
    """Follow the code of one function, called with labels."""

    def __init__(
        self,
        code: Code,
        scope: Mapping[str, object],
        taken: Mapping[str, Label],
        defaults: tuple[Label, ...],
        policy: Policy,
        depth: int,
    ) -> None:
        self.code, self.scope, self.taken = code, scope, taken
        self.defaults, self.policy, self.depth = defaults, policy, depth
        self.line, self.place = code.co_firstlineno, 0
        self.results: list[Label] = []
        self.within = False
        self.rounds: dict[int, int] = {}
        self.holding: set[tuple[int, int]] = set()
        self.known_elsewhere: set[tuple[int, int]] = set()
        self.frozen: set[tuple[int, int]] = set()
        self.steps = code.steps

    @classmethod
    def of_function(cls, function: FunctionType, policy: Policy, depth: int) -> _Frame:
        reason = unclean(function)
        if reason or function.__closure__:
            raise NotFollowed(reason or f"variables around the function {function.__qualname__}")
        given = function.__defaults__ or ()
        if function.__kwdefaults__:
            raise NotFollowed(f"defaults of keywords of {function.__qualname__}")
        defaults = tuple(_label_of(each, "a default") for each in given)
        return cls(read(function), function.__globals__, {}, defaults, policy, depth)

    def refuse(self, what: str) -> NotPublic:
        return NotPublic(f"{what} in {self.code.co_qualname}, line {self.line}")

    def unknown(self, what: str) -> NotFollowed:
        return NotFollowed(f"{what} in {self.code.co_qualname}, line {self.line}")

    def run(self, arguments: tuple[Label, ...], keywords: Mapping[str, Label]) -> Label:
        """Follow every way through the code until no label changes; join what is returned."""
        refused = _refused(self.code, self.code.co_freevars)
        if refused:
            raise NotFollowed(refused)
        if self.depth > DEPTH:
            raise self.unknown("functions that call each other too deeply")
        begin = _State((), {**self.taken, **self._bound(arguments, keywords)})
        seen: dict[int, _State] = {0: begin}
        pending = [0]
        for _ in range(STEPS):
            if not pending:
                break
            place = pending.pop()
            for after, found in self._step(place, seen[place]):
                known, state = seen.get(after), self._known_still(found)
                joined = state if known is None else self._joined(known, state)
                if joined != known:
                    seen[after] = joined
                    pending.append(after)
        if pending:
            raise self.unknown(f"more than {STEPS} steps")
        result = self.results[0] if self.results else NONE
        for other in self.results[1:]:
            result = self.join(result, other)
        if self.code.co_flags & CO_GENERATOR:
            return Several("what a generator yields", result, once=True)
        return result

    def _bound(
        self, arguments: tuple[Label, ...], keywords: Mapping[str, Label]
    ) -> dict[str, Label]:
        code = self.code
        if code.co_flags & (CO_VARARGS | CO_VARKEYWORDS):
            raise self.unknown("any number of arguments")
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        bound = dict(zip(names, arguments, strict=False)) | dict(keywords)
        positional = names[: code.co_argcount]
        for name, label in zip(reversed(positional), reversed(self.defaults), strict=False):
            bound.setdefault(name, label)
        if len(arguments) > len(positional) or set(bound) != set(names):
            raise self.unknown("a call with other arguments")
        # What a comprehension goes through has a name that no code can write.
        return {x: label if x == ".0" else self._nameable(label) for x, label in bound.items()}

    def join(self, first: Label, second: Label) -> Label:
        """Return the label of a value that is one or the other."""
        if first == second or second == NO_MEMBER:
            return first
        if first == NO_MEMBER:
            return second
        known = self.policy.joined(first, second)
        if known is not None:
            return known
        if isinstance(first, Several) and isinstance(second, Several):
            member = self.join(first.member, second.member)
            if isinstance(first, Rounds) and replace(first, member=second.member) == second:
                return replace(first, member=member)
            if isinstance(first, Listing) and replace(first, member=second.member) == second:
                return replace(first, member=member)
            self._escaped(first, second)
            if isinstance(first, Listing) or isinstance(second, Listing):
                return PUBLIC if is_public(member) else Several("a sequence", member)
            return Several("a sequence", member, once=first.once or second.once)
        if isinstance(first, Method) and isinstance(second, Method) and first.name == second.name:
            return replace(first, owner=self.join(first.owner, second.owner))
        if is_public(first) and is_public(second):
            self._escaped(first, second)
            return PUBLIC
        labels = tuple(dict.fromkeys((*ways_of(first), *ways_of(second))))
        return MIXED if len(labels) > WAYS or MIXED in labels else OneOf(MIXED.what, labels)

    def _joined(self, first: _State, second: _State) -> _State:
        if len(first.stack) != len(second.stack):
            raise self.unknown("two ways that meet")
        pairs = zip(first.stack, second.stack, strict=True)
        names = {
            name: self.join(label, second.names[name])
            for name, label in first.names.items()
            if name in second.names
        }
        return _State(tuple(self.join(a, b) for a, b in pairs), names)

    def public(self, label: Label, use: str) -> None:
        """Refuse a label that is not public; a function must answer in public, and be pure."""
        self._escaped(label)
        if isinstance(label, Inside):
            for default in label.defaults:
                self.public(default, "a default")
            label = self._inside(label).run((PUBLIC,) * label.code.co_argcount, {})
        elif isinstance(label, Known) and _brought(label.value):
            frame = self._called_frame(label.value)
            for default in frame.defaults:
                self.public(default, "a default")
            label = frame.run((PUBLIC,) * frame.code.co_argcount, {})
        if isinstance(label, Known | Method):
            target = label.value if isinstance(label, Known) else label
            if not self._pure(label, target):
                raise self.unknown(f"{use} of {label.what}")
        elif not is_public(label):
            raise self.refuse(f"{use} of {label.what}")

    def _escaped(self, *labels: Label) -> None:
        """Note that lists may be known by other names: what they hold may not be watched."""
        for label in labels:
            if isinstance(label, Pack):
                self._escaped(*label.members)
            elif isinstance(label, Method):
                self._escaped(label.owner)
            elif isinstance(label, Listing):
                self.known_elsewhere.add(label.site)
                if not is_plain(label):
                    self.holding.add(label.site)
        if self.known_elsewhere & self.holding:
            raise self.refuse("another use of a list that is watched")

    def _known_still(self, state: _State) -> _State:
        """Forget that a list holds nothing once others know it."""
        if not self.known_elsewhere:
            return state
        names = {name: self._lent(label) for name, label in state.names.items()}
        return _State(tuple(map(self._lent, state.stack)), names)

    def _lent(self, label: Label) -> Label:
        if isinstance(label, Listing) and label.site in self.known_elsewhere:
            return replace(label, member=PUBLIC) if label.member == NO_MEMBER else label
        if isinstance(label, Pack):
            return replace(label, members=tuple(map(self._lent, label.members)))
        if isinstance(label, OneOf):
            return replace(label, labels=tuple(map(self._lent, label.labels)))
        return label

    def _handed(self, labels: Iterable[Label]) -> tuple[Label, ...]:
        """Return what another function knows of values: it may not watch lists of this one."""
        given = tuple(labels)
        self._escaped(*given)
        return tuple(map(_without_lists, given))

    def _answered(self, frame: _Frame, label: Label) -> Label:
        """Return what is known of what another function returns; its lists are begun here."""
        if isinstance(label, Listing):
            if label.site in frame.known_elsewhere:
                return _without_lists(label)
            return replace(label, site=(id(self.code), self.place))
        if isinstance(label, Pack):
            return replace(label, members=tuple(self._answered(frame, m) for m in label.members))
        return _without_lists(label)

    def _appended(
        self, owner: Listing, label: Label, stack: list[Label], names: dict[str, Label]
    ) -> dict[str, Label]:
        """Let a list that is being made hold one more; all that stand for it have the label."""
        if owner.site in self.frozen:
            raise self.refuse("a longer list than the one that is gone through")
        self._collects_apart(label, owner.site[1])
        if not is_plain(label) or not is_plain(owner):
            self.holding.add(owner.site)
        self._escaped(label)
        if not is_lasting(label):
            raise self.unknown(f"{label.what}, which is kept and can be gone through once,")
        held, change = self.policy.put_in(label) if self.depth == 0 else (label, None)
        state = _changed_by(stack, names, change)

        def longer(other: Label) -> Label:
            if isinstance(other, Listing) and other.site == owner.site:
                return replace(other, member=self.join(other.member, held))
            return other

        state = _changed_by(state.stack, state.names, longer)
        stack[:] = [*state.stack, NONE]
        return dict(state.names)

    def _inside(self, label: Inside) -> _Frame:
        taken = dict(label.taken)
        frame = _Frame(label.code, label.scope, taken, label.defaults, self.policy, self.depth + 1)
        frame.within = self.within or self._is_within(self.place)
        return frame

    def _called_frame(self, function: object) -> _Frame:
        plain = cast(FunctionType, unguarded(function))
        frame = _Frame.of_function(plain, self.policy, self.depth + 1)
        frame.within = self.within or self._is_within(self.place)
        return frame

    def _step(self, place: int, state: _State) -> Iterator[tuple[int, _State]]:
        """Follow one instruction; list where it may lead to, with the labels there."""
        step = self.steps[place]
        self.place = place
        self.line = step.line
        stack, names = list(state.stack), dict(state.names)
        operation = step.opname
        if operation == "RETURN_VALUE":
            if not self.code.co_flags & CO_GENERATOR:
                self.results.append(stack[-1])
            return
        if operation == "LOAD_ASSERTION_ERROR" and not self.policy.answers_always:
            return
        if operation == "FOR_ITER" and isinstance(stack[-1], Rounds):
            yield from self._round(step, place, stack, names)
            return
        if operation == "FOR_ITER":
            label = stack[-1]
            if isinstance(label, Several) and label.member == self.policy.kept_apart:
                names = self._apart(place, step, names)
            yield cast(int, step.argval), _State(tuple(stack[:-1]), names)
            yield place + 1, _State((*stack, self._member(label)), names)
            return
        if operation.startswith("POP_JUMP"):
            label = stack.pop()
            self._asked(label, operation)
            jumps, stays = self._found(label, operation)
            yield cast(int, step.argval), _changed_by(stack, names, jumps)
            yield place + 1, _changed_by(stack, names, stays)
            return
        elif operation.startswith("JUMP_IF"):
            self._asked(stack[-1], operation)
            yield cast(int, step.argval), _State(tuple(stack), names)
            stack.pop()
        elif operation.startswith("JUMP"):
            yield cast(int, step.argval), _State(tuple(stack), names)
            return
        else:
            stack, names = self._changed(place, step, stack, names)
        yield place + 1, _State(tuple(stack), names)

    def _round(
        self, step: Instruction, place: int, stack: list[Label], names: dict[str, Label]
    ) -> Iterator[tuple[int, _State]]:
        """Go through one more round of a loop that is watched, and through its end."""
        rounds = cast(Rounds, stack[-1])
        ended = _changed_by(stack[:-1], names, self.policy.ended(rounds))
        yield cast(int, step.argval), ended
        member, change = self.policy.next_round(rounds)
        within = _changed_by(stack[:-1], names, change)
        yield (
            place + 1,
            replace(within, stack=(*within.stack, replace(rounds, member=member), member)),
        )

    def _is_within(self, place: int) -> bool:
        return any(begin < place < end for begin, end in self.rounds.items())

    def _apart(self, place: int, step: Instruction, names: Mapping[str, Label]) -> dict[str, Label]:
        """Keep one round of a loop from telling the next: return what every round may know.

        What a round sets is forgotten, what was there before may not be something that can be
        changed, and no round may end the loop.
        """
        if self.within or self._is_within(place):
            raise self.refuse("a loop over several units inside of another")
        self.rounds[place] = end = cast(int, step.argval)
        body = [each for each in self.steps[place + 1 :] if each.offset < end]
        jumps = [each.argval for each in body if "JUMP" in each.opname or each.opname == "FOR_ITER"]
        if any(not step.offset <= cast(int, each) < end for each in jumps):
            raise self.refuse("a loop that one of several units could end")
        if any(each.opname == "RETURN_VALUE" for each in body):
            raise self.refuse("a loop that one of several units could end")
        stored = {each.argval for each in body if each.opname in ("STORE_FAST", "STORE_DEREF")}
        kept = {name: label for name, label in names.items() if name not in stored}
        for name, label in kept.items():
            if isinstance(label, Listing) and label.member in (NO_MEMBER, self.policy.kept_apart):
                self.holding.add(label.site)
                self._escaped()
            elif not _cannot_remember(label):
                raise self.refuse(f"{name}, which was set outside of a loop over several units,")
        return kept

    def _collects_apart(self, label: Label, begun: int = -1) -> None:
        """Refuse what a loop over several units would collect of them beside themselves.

        A list that was begun in the same round belongs to one unit.
        """
        rounds = [(a, b) for a, b in self.rounds.items() if a < self.place < b]
        if label != self.policy.kept_apart and any(not a < begun < b for a, b in rounds):
            raise self.refuse(f"{label.what}, collected from several units,")

    def _asked(self, label: Label, operation: str) -> None:
        """Allow a branch on what is public; whether there are members is, like their number."""
        counted = isinstance(label, Several) and self._is_counted(label.member)
        if not counted and not operation.endswith("NONE"):
            self.public(label, "a branch on the value")
        elif operation.endswith("NONE") and not self.policy.may_be_none(label):
            raise self.refuse(f"a branch on {label.what}")

    def _is_counted(self, member: Label) -> bool:
        """Tell whether it is public how many such members there are."""
        return self.policy.kept_apart is None or is_public(member)

    def _found(self, label: Label, operation: str) -> tuple[Change | None, Change | None]:
        """Return what becomes of labels where a branch is taken, and where it is not."""
        if operation.endswith("NONE"):
            none = operation.endswith("IF_NONE")
            return self.policy.found_none(label, none), self.policy.found_none(label, not none)
        true = operation.endswith("IF_TRUE")
        return self.policy.found_true(label, true), self.policy.found_true(label, not true)

    def _member(self, label: Label) -> Label:
        if isinstance(label, Table):
            return PUBLIC
        if isinstance(label, Several) and label.member != NO_MEMBER:
            return changed_by(label.member, self.policy.taken_out)
        if isinstance(label, Pack) and label.members:
            members = (changed_by(each, self.policy.taken_out) for each in label.members)
            return functools.reduce(self.join, members)
        self.public(label, "a loop")
        return PUBLIC

    def _changed(
        self, place: int, step: Instruction, stack: list[Label], names: dict[str, Label]
    ) -> tuple[list[Label], dict[str, Label]]:
        operation, given = step.opname, cast(Any, step.argval)
        if self.policy.answers_always:
            self._answers(place, step, stack)
        if operation in SILENT:
            pass
        elif operation in ("LOAD_FAST", "LOAD_DEREF"):
            if given not in names:
                raise self.unknown(f"{given}, which may not be set,")
            stack.append(names[given])
        elif operation in ("STORE_FAST", "STORE_DEREF"):
            if operation == "STORE_DEREF" and self._is_set_again(given):
                self._only_public(given, stack[-1])
            names[given] = self._nameable(stack.pop())
        elif operation == "DELETE_FAST":
            names.pop(given, None)
        elif operation == "LOAD_CLOSURE":
            stack.append(Label(given))
        elif operation == "LOAD_CONST":
            known = isinstance(given, Code)
            label = Known("code", given) if known else self.policy.constant(given)
            stack.append(label or _constant(given))
        elif operation == "LOAD_GLOBAL":
            stack += ([NULL] if step.arg & 1 else []) + [self._global(given)]
        elif operation == "PUSH_NULL":
            stack.append(NULL)
        elif operation == "RETURN_GENERATOR":
            stack.append(NONE)
        elif operation == "BUILD_LIST" and not given:
            stack.append(Listing("a list", NO_MEMBER, (id(self.code), place)))
        elif operation == "POP_TOP":
            stack.pop()
        elif operation == "COPY":
            stack.append(stack[-given])
        elif operation == "SWAP":
            stack[-given], stack[-1] = stack[-1], stack[-given]
        elif operation == "LOAD_ATTR":
            stack.append(self.attribute(stack.pop(), given))
        elif operation == "LOAD_METHOD":
            stack += [NULL, self._method(stack.pop(), given)]
        elif operation == "CALL":
            names = self._called(place, cast(int, given), stack, names)
        elif operation == "CALL_FUNCTION_EX":
            spread = [stack.pop() for _ in range(1 + (cast(int, given) & 1))]
            callee = stack.pop()
            if stack.pop() != NULL or not self._pure(callee, getattr(callee, "value", None)):
                raise self.unknown(f"a call of {callee.what}")
            for label in spread:
                self.public(label, f"a call of {callee.what} with the value")
            stack.append(PUBLIC)
        elif operation == "MAKE_FUNCTION":
            self._made(cast(int, given), stack, names)
        elif operation in ("BUILD_TUPLE", "UNPACK_SEQUENCE"):
            self._packed(operation, cast(int, given), stack)
        elif operation == "LIST_EXTEND" and isinstance(stack[-1 - cast(int, given)], Listing):
            label = stack.pop()
            self.public(label, "members")
            into = cast(Listing, stack[-cast(int, given)])
            if into.site in self.frozen:
                raise self.refuse("a longer list than the one that is gone through")
            member = self.join(into.member, self._member(label))
            stack[-cast(int, given)] = replace(into, member=member)
        elif operation in ("LIST_APPEND", "SET_ADD", "YIELD_VALUE"):
            self._collected(operation, given, stack)
        elif operation == "GET_ITER":
            self._member(stack[-1])
            looped = self.depth == 0 and self.steps[place + 1].opname == "FOR_ITER"
            watched = self.policy.gone_through(stack[-1]) if looped else None
            if watched is not None:
                rounds, change = watched
                state = _changed_by(stack[:-1], names, change)
                return [*state.stack, rounds], dict(state.names)
        elif operation == "IS_OP":
            other, label = stack.pop(), stack.pop()
            if not (other == NONE and self.policy.may_be_none(label)):
                raise self.refuse(f"is of {label.what}")
            stack.append(PUBLIC)
        elif operation == "BINARY_SUBSCR" and _is_generic(stack[-2]):
            stack.pop()
        elif operation == "BINARY_SUBSCR" and isinstance(stack[-2], Table):
            self.public(stack.pop(), "a place of a table")
            stack[-1] = PUBLIC
        elif operation == "CONTAINS_OP" and isinstance(stack[-1], Table):
            stack.pop()
            self.public(stack.pop(), "a look into a table")
            stack.append(MADE)
        elif operation == "BINARY_SUBSCR" and (found := self._picked(stack[-2], stack[-1])):
            stack[-2:] = [found]
        elif operation == "BUILD_MAP" and not given and (made := self._made_dictionary()):
            stack.append(made)
        elif operation == "BINARY_OP" and (
            found := self.policy.operated(step.argrepr, stack[-2], stack[-1])
        ):
            stack[-2:] = [found]
        elif operation == "STORE_SUBSCR" and self._stored(*stack[-3:]):
            del stack[-3:]
        elif operation in EFFECTS:
            if operation == "MAP_ADD":
                self._collects_apart(stack[-1])
            if operation in ("STORE_SUBSCR", "DELETE_SUBSCR"):
                self._changes(stack[-2], "a change of a member")
            elif operation == "BINARY_OP" and step.argrepr.endswith("="):
                self._changes(stack[-2], step.argrepr)
            pops, pushes = EFFECTS[operation](step.arg or 0)
            for _ in range(pops):
                label = stack.pop()
                self.public(label, operation.replace("_", " ").lower())
                if operation in HOLDING and not is_lasting(label):
                    raise self.unknown(f"{label.what}, which is kept and can be gone through once,")
            made = MADE if operation in MAKING else PUBLIC
            stack += [SLICE if operation == "BUILD_SLICE" else made] * pushes
        else:
            raise self.unknown(operation)
        return stack, names

    def _answers(self, place: int, step: Instruction, stack: list[Label]) -> None:
        """Refuse an operation that may raise, where that would tell one world from another."""
        operation = step.opname
        sign = step.argrepr.rstrip("=") if operation == "BINARY_OP" else ""
        raises = operation in RAISING or sign in PARTIAL
        if sign in ("//", "%"):
            raises = not (stack[-1] == POSITIVE or self._is_number(place - 1))
        elif sign == "*":
            known = POSITIVE in stack[-2:] or self._is_number(place - 1)
            raises = not (known or self._is_number(self._before(place - 1)))
        elif operation == "BINARY_SUBSCR":
            raises = stack[-1] != SLICE and not _is_generic(stack[-2])
        elif operation == "UNPACK_SEQUENCE":
            label = self.policy.members(stack[-1]) or stack[-1]
            raises = not isinstance(label, Pack) or len(label.members) != step.arg
        if raises:
            what = step.argrepr if operation == "BINARY_OP" else operation.replace("_", " ").lower()
            raise self.unknown(f"{what}, which may raise,")

    def _is_number(self, place: int) -> bool:
        """Tell whether an instruction does no more than to load a whole number of at least one."""
        step = self.steps[place]
        value = step.argval if step.opname == "LOAD_CONST" else None
        if step.opname == "LOAD_GLOBAL":
            value = self.scope.get(cast(str, step.argval))
        return type(value) is int and value > 0 and not self.steps[place + 1].is_jump_target

    def _before(self, place: int) -> int:
        """Return the instruction before those that calculate a value, or these if it is not so."""
        missing = 1
        for each in range(place, 0, -1):
            step = self.steps[each]
            if step.opname not in TAKEN:
                break
            missing += TAKEN[step.opname] - 1
            if not missing:
                return each - 1
            if step.is_jump_target:
                break
        return place

    def _picked(self, label: Label, place: Label) -> Label | None:
        """Return what stands at a place of a sequence, or several places, if all is public."""
        if not isinstance(label, Several) or not is_public(label) or label.member == NO_MEMBER:
            return None
        if place == SLICE and isinstance(label, Listing):
            return Listing("a list", label.member, (id(self.code), self.place))
        if place == SLICE:
            self._escaped(label)
            return Several("a part of a sequence", label.member)
        return self._member(label) if place in (MADE, PUBLIC) else None

    def _changes(self, label: Label, use: str) -> None:
        """Refuse to change what was not made here, where nothing that is given may be changed."""
        if self.policy.changes_nothing and label != MADE:
            raise self.unknown(f"{use} of {label.what}")

    def _made_dictionary(self) -> Label | None:
        return self.policy.made_dictionary() if self.depth == 0 else None

    def _stored(self, value: Label, into: Label, key: Label) -> bool:
        return self.depth == 0 and self.policy.stored(into, key, value) is True

    def _nameable(self, label: Label) -> Label:
        """Return a label, unless its value can be gone through once and is not public."""
        if any(each.once for each in ways_of(label)) and not is_public(label):
            raise self.refuse(f"a name for {label.what}, which can be gone through once,")
        return label

    def _packed(self, operation: str, count: int, stack: list[Label]) -> None:
        if operation == "BUILD_TUPLE":
            members = tuple(stack[len(stack) - count :])
            del stack[len(stack) - count :]
            stack.append(Pack("a tuple", tuple(map(self._nameable, members))))
            return
        label = stack.pop()
        label = self.policy.members(label) or label
        if isinstance(label, Pack) and len(label.members) == count:
            stack += reversed(label.members)
        else:
            self.public(label, "the members")
            stack += [PUBLIC] * count

    def _collected(self, operation: str, given: object, stack: list[Label]) -> None:
        if operation == "YIELD_VALUE":
            self._collects_apart(stack[-1])
            self.results.append(stack.pop())
            stack.append(NONE)
            return
        label = stack.pop()
        place = -cast(int, given)
        into = stack[place]
        if not is_lasting(label):
            raise self.unknown(f"{label.what}, which is kept and can be gone through once,")
        self._collects_apart(label)
        if operation == "LIST_APPEND" and isinstance(into, Listing):
            if not is_plain(label) or not is_plain(into):
                self.holding.add(into.site)
            stack[place] = replace(into, member=self.join(into.member, label))
            self._escaped(label)
        else:
            self.public(label, "a member")
            self.public(into, "members")

    def _global(self, name: str) -> Label:
        if name in self.scope:
            value = self.scope[name]
            known = self.policy.constant(value) if type(value) in ATOMS else None
            return known or _label_of(value, name)
        builtin = BUILTINS.get(name)
        if builtin is None:
            raise self.unknown(name)
        return Known(name, builtin)

    def attribute(self, label: Label, name: str) -> Label:
        """Return the label of an attribute."""
        found = self.policy.attribute(label, name)
        if found is not None:
            return found
        if label == LIMITS:
            return POSITIVE if name in WHOLE_LIMITS else PUBLIC
        if isinstance(label, Known):
            return self._attribute_of(label, name)
        self.public(label, f".{name}")
        return PUBLIC

    def _attribute_of(self, label: Known, name: str) -> Label:
        value = label.value
        known = isinstance(value, ModuleType) and _is_followed_module(value)
        if (known or isinstance(value, Rules)) and hasattr(value, name):
            return _label_of(getattr(value, name), name)
        if isinstance(value, type) and (value in CLASSES or _own_class(value)):
            if name in IN_PLACE:
                self._changes(label, f".{name}")
            return Method(f"{label.what}.{name}", label, name)
        raise self.unknown(f".{name} of {label.what}")

    def _method(self, label: Label, name: str) -> Label:
        if isinstance(label, Listing) and name == "append":
            return Method(".append", label, name)
        if isinstance(label, Table) and name in READING_METHODS:
            return Method(f".{name}", label, name)
        if self.policy.attribute(label, name) is not None or isinstance(label, Known):
            return self.attribute(label, name)
        if name in IN_PLACE:
            self._changes(label, f".{name}")
        self.public(label, f".{name}")
        return Method(f".{name}", label, name)

    def _made(self, flags: int, stack: list[Label], names: Mapping[str, Label]) -> None:
        code = cast(Code, cast(Known, stack.pop()).value)
        taken: tuple[tuple[str, Label], ...] = ()
        if flags & 8:
            cells = cast(Pack, stack.pop()).members
            missing = [cell.what for cell in cells if cell.what not in names]
            if missing:
                raise self.unknown(f"{missing[0]}, which may not be set,")
            for cell in cells:
                if self._is_set_again(cell.what):
                    self._only_public(cell.what, names[cell.what])
            labels = self._handed(names[cell.what] for cell in cells)
            taken = tuple(zip((cell.what for cell in cells), labels, strict=True))
        if flags & 4:
            stack.pop()
        if flags & 2:
            raise self.unknown("a function with defaults of keywords")
        defaults = stack.pop() if flags & 1 else Pack("defaults", ())
        parts = self._handed(defaults.members) if isinstance(defaults, Pack) else (MIXED,)
        stack.append(Inside(f"the function {code.co_name}", code, self.scope, taken, parts))

    def _is_set_again(self, name: str) -> bool:
        """Tell whether a variable that functions inside may take is set more than once."""
        stores = [s for s in self.steps if s.opname == "STORE_DEREF" and s.argval == name]
        given = name in self.code.co_varnames[: self.code.co_argcount + self.code.co_kwonlyargcount]
        return len(stores) + given > 1

    def _only_public(self, name: str, label: Label) -> None:
        """Refuse a variable that is set again and used inside a function, unless it is public.

        The function sees what was set last; one unit could tell the next by it.
        """
        if self.policy.kept_apart is not None or not is_plain(label):
            raise self.unknown(f"{name}, which is set again and used inside a function,")
        self._escaped(label)

    def _called(
        self, place: int, count: int, stack: list[Label], names: dict[str, Label]
    ) -> dict[str, Label]:
        named, prepared = self.steps[place - 2], self.steps[place - 1]
        keys: tuple[str, ...] = ()
        if prepared.opname != "PRECALL":
            raise self.unknown("a call that is not prepared")
        if named.opname == "KW_NAMES":
            keys = cast(tuple[str, ...], self.code.co_consts[named.arg])
        passed = tuple(stack[len(stack) - count :])
        del stack[len(stack) - count :]
        callee, below = stack.pop(), stack.pop()
        positional = passed[: count - len(keys)]
        if below != NULL:
            callee, positional = below, (callee, *positional)
        if isinstance(callee, Known) and any(callee.value is each for each in READING):
            one = callee.value not in (min, max) or count == 1
            positional = tuple(_read_of(each) if one else each for each in positional)
        keywords = dict(zip(keys, passed[count - len(keys) :], strict=True))
        longer = isinstance(callee, Method) and callee.name == "append" and not keywords
        owner = callee.owner if isinstance(callee, Method) and longer else NULL
        if isinstance(owner, Listing) and len(positional) == 1:
            return self._appended(owner, positional[0], stack, names)
        target = callee.value if isinstance(callee, Known) else callee
        call = Call(target=target, positional=positional, keywords=keywords)
        found = self.policy.inner(call) if self.depth == 0 else None
        if found is not None:
            state = _changed_by(stack, names, self.policy.after_inner)
            stack[:], names = state.stack, dict(state.names)
        stack.append(self._result(callee, call) if found is None else found)
        return names

    def _result(self, callee: Label, call: Call) -> Label:
        target, positional, keywords = call.target, call.positional, call.keywords
        found = self.policy.call(call)
        if found is not None:
            return found
        if isinstance(callee, Inside) or _brought(target):
            inside = self._inside(callee) if isinstance(callee, Inside) else None
            frame = inside or self._called_frame(target)
            named = dict(zip(keywords, self._handed(keywords.values()), strict=True))
            return self._answered(frame, frame.run(self._handed(positional), named))
        chosen = self.policy.answers_always and (target in (min, max) or "strict" in keywords)
        if chosen and not _always_answers(callee, call):
            raise self.unknown(f"a call of {callee.what}, which may raise,")
        if target is list and not positional and not keywords:
            return Listing("a list", NO_MEMBER, (id(self.code), self.place))
        if (paired := self._paired(call)) is not None:
            return paired
        ordered = target in (sorted, min, max) and set(keywords) <= {"key", "reverse"}
        single = positional[0] if len(positional) == 1 and (ordered or not keywords) else PUBLIC
        if isinstance(single, Several) and is_public(single.member):
            self._all_public((), keywords, f"a call of {callee.what} with the value")
        members = single.member if isinstance(single, Several) else None
        if target is len and members is not None and self._is_counted(members):
            return PUBLIC
        if ordered and members is not None and self._is_ordered_in_public(members, keywords):
            if target is sorted:
                return Listing("a list", members, (id(self.code), self.place))
            return changed_by(members, self.policy.taken_out)
        if target is tuple and members is not None:
            return Several("a tuple", members)
        public = members is not None and is_public(members)
        if members is not None and (target is list or (target is sorted and public)):
            return Listing("a list", members, (id(self.code), self.place))
        if members is not None and public:
            if target is reversed:
                self._escaped(single)
                return Several("a sequence", members, once=True)
            if target is min or target is max:
                return changed_by(members, self.policy.taken_out)
        if isinstance(callee, Method) and isinstance(callee.owner, Table):
            self._all_public(positional, keywords, f"a call of {callee.what} with the value")
            return PUBLIC
        if isinstance(callee, Method) and (callee.owner, callee.name) == (MADE, "items"):
            return PAIRS
        if callee == DRAW:
            self._all_public(positional, keywords, "a draw")
            return PUBLIC
        keeps = target is dataclasses.replace or dataclasses.is_dataclass(target)
        if keeps and not all(map(is_lasting, (*positional, *keywords.values()))):
            raise self.unknown(f"a call of {callee.what} that keeps what can be gone through once")
        if not self._pure(callee, target):
            known = isinstance(callee, Known | Method)
            raise (self.unknown if known else self.refuse)(f"a call of {callee.what}")
        self._all_public(positional, keywords, f"a call of {callee.what} with the value")
        if self.policy.answers_always and not _always_answers(callee, call):
            raise self.unknown(f"a call of {callee.what}, which may raise,")
        if any(target is each for each in GOING_THROUGH):
            return Several("what can be gone through once", PUBLIC, once=True)
        return MADE if any(target is each for each in COPYING) else PUBLIC

    def _is_ordered_in_public(self, member: Label, keywords: Mapping[str, Label]) -> bool:
        """Tell whether a function of the rule orders what is private by something public."""
        key = keywords.get("key")
        if not isinstance(key, Inside) or is_public(member) or not self._is_counted(member):
            return False
        compared = self._inside(key).run((changed_by(member, self.policy.taken_out),), {})
        return is_public(compared) and is_public(keywords.get("reverse", PUBLIC))

    def _paired(self, call: Call) -> Label | None:
        """Return the pairs that `enumerate` and `zip` make, if it is public how many there are."""
        given = call.positional
        held = [each.member if isinstance(each, Several) else each for each in given]
        counted = all(
            self._is_counted(member) if isinstance(each, Several) else is_plain(each)
            for each, member in zip(given, held, strict=True)
        )
        if not any(isinstance(each, Several) for each in given) or not counted:
            return None
        # What is added to an empty list later is seen by who goes through it then.
        members = tuple(PUBLIC if is_plain(each) else each for each in held)
        if call.target is enumerate and len(given) == 1 and not call.keywords:
            members = (PUBLIC, *members)
        elif call.target is not zip or set(call.keywords) - {"strict"}:
            return None
        self._all_public((), call.keywords, "a call of zip with the value")
        watched = [x for x in given if isinstance(x, Listing) and not is_plain(x)]
        self.frozen.update(each.site for each in watched)
        self._escaped(*(each for each in given if each not in watched))
        return Several("pairs", Pack("a pair", members), once=True)

    def _all_public(
        self, positional: tuple[Label, ...], keywords: Mapping[str, Label], use: str
    ) -> None:
        for label in (*positional, *keywords.values()):
            self.public(label, use)

    def _pure(self, callee: Label, target: object) -> bool:
        if isinstance(callee, Method):
            return isinstance(callee.owner, Known) or is_public(callee.owner)
        if callee == PUBLIC:
            return True
        if isinstance(target, type):
            return _known(target)
        listed = target is isinstance or any(target is each for each in FUNCTIONS)
        return listed or (type(target) is FunctionType and _ours(target))


def _read_of(label: Label) -> Label:
    """Return what a function that reads a table, and keeps no hold of it, is given."""
    return Several(label.what, PUBLIC) if isinstance(label, Table) else label


def _always_answers(callee: Label, call: Call) -> bool:
    """Tell whether a call raises nothing, whatever the values of the right type are."""
    target, given = call.target, len(call.positional)
    if isinstance(callee, Method):
        return callee.name in ANSWERING_METHODS
    if target in (min, max):
        return given > 1 or "default" in call.keywords
    if target is next:
        return given > 1
    if "strict" in call.keywords:
        return False
    if isinstance(target, type) and dataclasses.is_dataclass(target):
        return not hasattr(target, "__post_init__")
    if target is dataclasses.replace:
        return call.positional == (A_PART,)
    return any(target is each for each in ANSWERING)


def _without_lists(label: Label) -> Label:
    """Return what is known of a value if lists in it could be changed elsewhere."""
    if isinstance(label, Listing):
        return PUBLIC if is_plain(label) else MIXED
    if isinstance(label, Pack):
        return replace(label, members=tuple(map(_without_lists, label.members)))
    if isinstance(label, Several):
        return replace(label, member=_without_lists(label.member))
    if isinstance(label, OneOf):
        same = all(each == _without_lists(each) for each in label.labels)
        return label if same else MIXED
    return label


def _cannot_remember(label: Label) -> bool:
    """Tell whether a value, with all its parts, can neither be changed nor be asked what was.

    A public value may be a dictionary, and a function may hold one.
    """
    if isinstance(label, Pack):
        return all(map(_cannot_remember, label.members))
    if isinstance(label, OneOf):
        return all(map(_cannot_remember, label.labels))
    if isinstance(label, Several):
        return not isinstance(label, Listing) and _cannot_remember(label.member)
    if isinstance(label, Inside):
        return not label.taken and not label.defaults
    return not isinstance(label, Method | Public)


def _constant(value: object) -> Label:
    """Return the label of a constant."""
    if type(value) is tuple and not value:
        return Pack("()", ())
    return next((label for known, label in CONSTANTS if value is known), MADE)


def _label_of(value: object, name: str) -> Label:
    """Return the label of what a name of a module, or a variable around a function, stands for."""
    if value is None:
        return NONE
    if type(value) in ATOMS and _immutable(value):
        return PUBLIC
    if callable(value) or isinstance(value, ModuleType | Rules):
        return Known(name, value)
    lasting = type(value) in (tuple, frozenset, range, Map) or dataclasses.is_dataclass(value)
    if lasting and _immutable(value):
        return PUBLIC
    if type(value) in (list, dict, set):
        held = cast("Iterable[object]", value)
        members = itertools.chain(held, value.values() if isinstance(value, dict) else ())
        if all(map(_immutable, members)):
            return Table(f"{name}, a {type(value).__name__},")
    return Label(f"{name}, a {type(value).__name__},")


IN_PLACE = frozenset(
    name
    for kind in (list, dict, set)
    for name in vars(kind)
    if not name.startswith("_") and not any(hasattr(each, name) for each in (Map, frozenset, tuple))
) - {"fromkeys"} | {"update", "getattr"}
"""What code names that could change a list, a dictionary or a set."""


def unclean(function: FunctionType) -> str:
    """Say what in the files of a function could make values that are not what they compare as."""
    if getattr(function, "__builtins__", None) is not vars(builtins):
        return f"built-in names of its own in the file of {function.__qualname__}"
    for scope in _scopes(function):
        for name, value in scope.items():
            if isinstance(value, type) and not _is_installed(value) and (why := _odd(value)):
                return f"the class {name}, which {why}"
    return ""


def _scopes(function: FunctionType) -> list[dict[str, object]]:
    """List the names of a function's file, and of other files of the proposal that it reaches."""
    found: list[dict[str, object]] = []
    pending = [function.__globals__]
    while pending:
        scope = pending.pop()
        if any(scope is each for each in found):
            continue
        found.append(scope)
        for value in map(unguarded, scope.values()):
            other = vars(value) if isinstance(value, ModuleType) else None
            if type(value) is FunctionType:
                other = value.__globals__
            elif isinstance(value, type):
                module = sys.modules.get(value.__module__)
                other = None if module is None else vars(module)
            if other and not _is_file_of_python(str(other.get("__file__") or "")):
                pending.append(other)
    return found


@functools.cache
def _is_file_of_python(file: str) -> bool:
    """Tell whether a file belongs to Python, to an installed package or to this project.

    A module without a file is built into Python.
    """
    if not file:
        return True
    home = Path(__file__).resolve().parent.parent
    ours = (home / each for each in ("spec", "proofs", "properties", "sandproof"))
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = [*ours, *(Path(sysconfig.get_path(kind)).resolve() for kind in kinds)]
    return any(folder in Path(file).resolve().parents for folder in folders)


def _is_installed(kind: type) -> bool:
    """Tell whether a class is that of an installed module, where it is found under its name."""
    if _own_class(kind) or kind in CLASSES or not kind.__flags__ & WRITTEN_IN_PYTHON:
        return True
    module = sys.modules.get(kind.__module__)
    if module is None or not _is_file_of_python(str(getattr(module, "__file__", None) or "")):
        return False
    return getattr(module, kind.__name__, None) is kind


WRITTEN_IN_PYTHON = 1 << 9
"""The flag of classes that code in Python can make: they lie on the heap."""


def _odd(kind: type) -> str:
    """Say of a class of the proposal what its values could do that data does not, if anything.

    What stands for a value of spec is compared, hashed and told apart by all that it holds. A move
    is seen by rules that may know a unit and by rules that may not, so that it can be no place to
    write something down.
    """
    if not _codeless(kind):
        return "has code of its own"
    if not any(_own_class(base) for base in kind.__mro__ if base is not object):
        return ""
    told = kind.__dataclass_params__  # type: ignore[attr-defined]
    if not all(each.compare and each.hash is None for each in dataclasses.fields(kind)):
        return "compares less than it holds"
    if not (told.frozen and told.eq):
        return "is not compared as what it stands for"
    if issubclass(kind, MOVES) and not _lasts(kind):
        return "may hold what can be changed"
    return ""


MOVES = (Source, Trigger, Event, EventSource, EventTrigger, Query)


def _lasts(kind: type) -> bool:
    """Tell whether all that a class adds is said to be data; an event may bring programs."""
    brought = [each for each in kind.__mro__ if each is not object and not _own_class(each)]
    try:
        said = [inspect.get_annotations(each, eval_str=True).values() for each in brought]
    except (NameError, TypeError, AttributeError):
        return False
    return all(_is_data(each, issubclass(kind, Event)) for each in itertools.chain(*said))


def _is_data(said: object, programs: bool) -> bool:
    """Tell whether what a field is said to be is data that nobody can change."""
    said = getattr(said, "__supertype__", said)
    if said in ATOMS or said in (None, ...):
        return True
    origin = get_origin(said)
    if origin is None:
        return isinstance(said, type) and dataclasses.is_dataclass(said) and _known(said)
    if origin is Callable:
        return programs
    whole = origin in (tuple, frozenset, Map, Union, UnionType)
    return origin is Literal or (whole and all(_is_data(x, programs) for x in get_args(said)))


def _codeless(kind: type) -> bool:
    """Tell whether a class of the proposal has no code but what its dataclass has written."""
    if _known(kind):
        return True
    if type(kind) is not type or not dataclasses.is_dataclass(kind):
        return False
    names = {each.name for each in dataclasses.fields(kind)}
    written = all(_generated(name, value, names) for name, value in vars(kind).items())
    return written and all(map(_codeless, kind.__bases__))


def _is_generic(label: Label) -> bool:
    """Tell whether a label is that of a built-in class, to be written with types of members."""
    return isinstance(label, Known) and label.value in (list, tuple, dict, set, frozenset, Map)


def _brought(value: object) -> bool:
    """Tell whether a value is a function of the proposal."""
    listed = any(value is each for each in FUNCTIONS)
    return type(value) is FunctionType and not _ours(value) and not listed


def unguarded(function: T) -> T:
    """Return the function that a guard was put around, or the function itself."""
    guard = sys.modules.get("sandproof.guard")
    if guard is None or getattr(function, "__globals__", None) is not vars(guard):
        return function
    return cast(T, function.__wrapped__)  # type: ignore[attr-defined]


BUILTINS: dict[str, object] = {
    **{each.__name__: each for each in CLASSES if each.__module__ == "builtins"},
    **{cast(type, f).__name__: f for f in FUNCTIONS if cast(type, f).__module__ == "builtins"},
    "isinstance": isinstance,
}

CONSTANTS = ((None, NONE), (True, TRUE), (False, FALSE))

SILENT = (
    *("RESUME", "NOP", "EXTENDED_ARG", "PRECALL", "KW_NAMES", "MAKE_CELL", "COPY_FREE_VARS"),
    "LIST_TO_TUPLE",
)
"""What leaves all labels as they are."""

PARTIAL = frozenset({"/", "//", "%", "**", "<<", ">>", "@"})
"""Operators that raise for some numbers."""

TAKEN = {"LOAD_FAST": 0, "LOAD_CONST": 0, "LOAD_ATTR": 1, "BINARY_OP": 2, "UNARY_NEGATIVE": 1}
"""How many values instructions take that leave one."""

RAISING = ("UNPACK_EX", "DELETE_SUBSCR", "CALL_FUNCTION_EX", "FORMAT_VALUE")
"""What raises for some values: a number of many digits cannot be written."""

ANSWERING = (
    *(len, sum, sorted, abs, all, any, enumerate, zip, tuple, list, dict, set, frozenset, bool),
    *(reversed, map, filter, isinstance, math.floor, math.ceil, Map),
)
"""What raises nothing for values of the right type.

A copy does where its class checks its fields, and a range whose length is too large has none.
"""

ANSWERING_METHODS = frozenset(
    {
        *("get", "set", "items", "keys", "values", "count", "startswith", "endswith", "union"),
        *(
            "intersection",
            "difference",
            "issubset",
            "issuperset",
            "isdisjoint",
            "append",
            "add",
            "update",
        ),
    }
)

READING = (
    *(len, sum, sorted, min, max, any, all, enumerate, zip),
    *(tuple, list, dict, set, frozenset),
)
"""What reads a table and returns none: a copy, or what is in it."""

READING_METHODS = frozenset({"get", "items", "keys", "values", "index", "count"})

COPYING = (list, dict, set, sorted, Counter, OrderedDict, defaultdict, deque)
"""What makes something new that can be changed."""

GOING_THROUGH = (
    *(map, filter, zip, enumerate, reversed, iter),
    *(each for each in vars(itertools).values() if isinstance(each, type)),
)
"""What makes something that can be gone through once."""

HOLDING = frozenset(
    {
        *("BUILD_LIST", "BUILD_SET", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "MAP_ADD"),
        *("STORE_SUBSCR", "BUILD_SLICE"),
    }
)
"""What puts a value into another one."""

MAKING = frozenset(
    {
        *(
            "BINARY_OP",
            "COMPARE_OP",
            "CONTAINS_OP",
            "UNARY_NOT",
            "UNARY_NEGATIVE",
            "UNARY_POSITIVE",
        ),
        *("UNARY_INVERT", "BUILD_LIST", "BUILD_SET", "BUILD_STRING", "BUILD_MAP"),
        *("BUILD_CONST_KEY_MAP", "FORMAT_VALUE"),
    }
)
"""What leaves a value that nobody had before."""

EFFECTS: dict[str, Callable[[int], tuple[int, int]]] = {
    **dict.fromkeys(("BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP", "CONTAINS_OP"), lambda _: (2, 1)),
    **dict.fromkeys(
        ("UNARY_NOT", "UNARY_NEGATIVE", "UNARY_POSITIVE", "UNARY_INVERT"), lambda _: (1, 1)
    ),
    **dict.fromkeys(("BUILD_LIST", "BUILD_SET", "BUILD_STRING", "BUILD_SLICE"), lambda n: (n, 1)),
    "BUILD_MAP": lambda n: (2 * n, 1),
    "BUILD_CONST_KEY_MAP": lambda n: (n + 1, 1),
    **dict.fromkeys(("LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE"), lambda _: (1, 0)),
    "MAP_ADD": lambda _: (2, 0),
    "STORE_SUBSCR": lambda _: (3, 0),
    "DELETE_SUBSCR": lambda _: (2, 0),
    "FORMAT_VALUE": lambda flags: (2 if flags & 4 else 1, 1),
    "UNPACK_EX": lambda n: (1, (n & 0xFF) + 1 + (n >> 8)),
}
"""How many values an operation takes and leaves, if all are public."""
