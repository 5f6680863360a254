r"""Follow what a function of a proposal computes from what: by its bytecode, for all values.

Two runs of a function that agree on everything *public* must return the same. So every value that
the code of the function handles gets a *label*, which says what may be known of it. What is
computed from public values is public. A value with another label, such as a batch of reports, can
be used in the few ways that are listed for it, and is refused in any other, by name and line. So no
branch, no length and no exception depends on what is not public. Labels say nothing of values:
loops are followed until their labels no longer change, and what is found is true for all lengths.

A function is called with labels and answers with a label. Functions that the proposal defines are
followed where they are called, those of spec and the pure built-in ones are listed. *Inner* calls,
of the rule that a proposal has put something around, are those that a subject of this module makes
its own answers for; they may only stand in the rule itself and not in functions inside of it, which
could be called any number of times.
"""

from __future__ import annotations

import dataclasses
import dis
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from inspect import CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from types import CodeType, FunctionType, ModuleType
from typing import TypeVar, cast

from immutables import Map

from proofs._followed import (
    ATOMS,
    CLASSES,
    FUNCTIONS,
    MODULES,
    _immutable,
    _known,
    _ours,
    _own_class,
    _refused,
)
from proofs._labels import (
    DRAW,
    MIXED,
    NO_MEMBER,
    NONE,
    NULL,
    PUBLIC,
    Call,
    Inside,
    Known,
    Label,
    Method,
    NotFollowed,
    NotPublic,
    OneOf,
    Pack,
    Policy,
    Several,
    changed_by,
    is_public,
    ways_of,
)
from spec import Rules

T = TypeVar("T")

VERSION = (3, 11)
"""The version of Python whose instructions are followed."""

DEPTH = 12
"""How deep functions of a proposal may call each other."""

STEPS = 10_000
"""How many instructions of one function are followed before it is given up."""

WAYS = 4
"""How many labels one value may have."""


def returned(function: object, arguments: tuple[Label, ...], policy: Policy) -> tuple[Label, ...]:
    """Follow a rule on arguments with labels; return the labels of what it may return.

    What instructions do differs between versions of Python; only those of one are known here.
    """
    if sys.version_info[:2] != VERSION:
        raise NotFollowed(f"the code of Python {sys.version_info[0]}.{sys.version_info[1]}")
    if type(function) is not FunctionType or function.__code__.co_flags & CO_GENERATOR:
        raise NotFollowed("a rule that is not a plain function")
    frame = _Frame.of_function(function, policy, depth=0)
    frame.run(arguments, {})
    return tuple(dict.fromkeys(way for each in frame.results for way in ways_of(each)))


@dataclass(frozen=True, slots=True)
class _State:
    stack: tuple[Label, ...]
    names: Mapping[str, Label]


class _Frame:
    """Follow the code of one function, called with labels."""

    def __init__(
        self,
        code: CodeType,
        scope: Mapping[str, object],
        taken: Mapping[str, Label],
        defaults: tuple[Label, ...],
        policy: Policy,
        depth: int,
    ) -> None:
        self.code, self.scope, self.taken = code, scope, taken
        self.defaults, self.policy, self.depth = defaults, policy, depth
        self.line = code.co_firstlineno
        self.results: list[Label] = []
        self.steps = [s for s in dis.get_instructions(code) if s.opname != "CACHE"]
        self.at_offset = {step.offset: place for place, step in enumerate(self.steps)}

    @classmethod
    def of_function(cls, function: FunctionType, policy: Policy, depth: int) -> _Frame:
        for name, value in function.__globals__.items():
            own = isinstance(value, type) and value.__module__ == function.__module__
            if own and not _known(cast(type, value)):
                raise NotFollowed(f"the class {name}, which has code of its own")
        code, names = function.__code__, function.__code__.co_freevars
        cells = zip(names, function.__closure__ or (), strict=True)
        taken = {name: _label_of(cell.cell_contents, name) for name, cell in cells}
        given = function.__defaults__ or ()
        if function.__kwdefaults__:
            raise NotFollowed(f"defaults of keywords of {function.__qualname__}")
        defaults = tuple(_label_of(each, "a default") for each in given)
        return cls(code, function.__globals__, taken, defaults, policy, depth)

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
            for after, state in self._step(place, seen[place]):
                known = seen.get(after)
                joined = state if known is None else self._joined(known, state)
                if joined != known:
                    seen[after] = joined
                    pending.append(after)
        if pending:
            raise self.unknown(f"more than {STEPS} steps")
        found = self.results[0] if self.results else NONE
        for other in self.results[1:]:
            found = self.join(found, other)
        if self.code.co_flags & CO_GENERATOR:
            return Several("what a generator yields", found)
        return found

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
        return bound

    def join(self, first: Label, second: Label) -> Label:
        """Return the label of a value that is one or the other."""
        if first == second or second == NO_MEMBER:
            return first
        if first == NO_MEMBER:
            return second
        if is_public(first) and is_public(second):
            return PUBLIC
        if isinstance(first, Several) and isinstance(second, Several):
            return Several("a sequence", self.join(first.member, second.member))
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
        if isinstance(label, Inside):
            label = self._inside(label).run((PUBLIC,) * label.code.co_argcount, {})
        elif isinstance(label, Known) and _brought(label.value):
            function = cast(FunctionType, unguarded(label.value))
            frame = _Frame.of_function(function, self.policy, self.depth + 1)
            label = frame.run((PUBLIC,) * frame.code.co_argcount, {})
        if isinstance(label, Known | Method):
            target = label.value if isinstance(label, Known) else label
            if not self._pure(label, target):
                raise self.unknown(f"{use} of {label.what}")
        elif not is_public(label):
            raise self.refuse(f"{use} of {label.what}")

    def _inside(self, label: Inside) -> _Frame:
        taken = dict(label.taken)
        return _Frame(label.code, label.scope, taken, label.defaults, self.policy, self.depth + 1)

    def _step(self, place: int, state: _State) -> Iterator[tuple[int, _State]]:
        """Follow one instruction; list where it may lead to, with the labels there."""
        step = self.steps[place]
        self.line = step.starts_line or self._line_before(place)
        stack, names = list(state.stack), dict(state.names)
        operation = step.opname
        if operation == "RETURN_VALUE":
            if not self.code.co_flags & CO_GENERATOR:
                self.results.append(stack[-1])
            return
        if operation == "FOR_ITER":
            yield self.at_offset[step.argval], _State(tuple(stack[:-1]), names)
            yield place + 1, _State((*stack, self._member(stack[-1])), names)
            return
        if operation.startswith("POP_JUMP"):
            self._asked(stack.pop(), operation)
            yield self.at_offset[step.argval], _State(tuple(stack), names)
        elif operation.startswith("JUMP_IF"):
            self._asked(stack[-1], operation)
            yield self.at_offset[step.argval], _State(tuple(stack), names)
            stack.pop()
        elif operation.startswith("JUMP"):
            yield self.at_offset[step.argval], _State(tuple(stack), names)
            return
        else:
            stack, names = self._changed(place, step, stack, names)
        yield place + 1, _State(tuple(stack), names)

    def _line_before(self, place: int) -> int:
        lines = (step.starts_line for step in reversed(self.steps[:place]))
        return next((line for line in lines if line), self.code.co_firstlineno)

    def _asked(self, label: Label, operation: str) -> None:
        """Allow a branch on what is public; whether there are members is, like their number."""
        if not isinstance(label, Several) and not operation.endswith("NONE"):
            self.public(label, "a branch on the value")
        elif operation.endswith("NONE") and not self.policy.may_be_none(label):
            raise self.refuse(f"a branch on {label.what}")

    def _member(self, label: Label) -> Label:
        if isinstance(label, Several) and not is_public(label):
            return label.member
        self.public(label, "a loop")
        return PUBLIC

    def _changed(
        self, place: int, step: dis.Instruction, stack: list[Label], names: dict[str, Label]
    ) -> tuple[list[Label], dict[str, Label]]:
        operation, given = step.opname, step.argval
        if operation in SILENT:
            pass
        elif operation in ("LOAD_FAST", "LOAD_DEREF"):
            if given not in names:
                raise self.unknown(f"{given}, which may not be set,")
            stack.append(names[given])
        elif operation in ("STORE_FAST", "STORE_DEREF"):
            names[given] = stack.pop()
        elif operation == "DELETE_FAST":
            names.pop(given, None)
        elif operation == "LOAD_CLOSURE":
            stack.append(Label(given))
        elif operation == "LOAD_CONST":
            known = isinstance(given, CodeType)
            stack.append(Known("code", given) if known else NONE if given is None else PUBLIC)
        elif operation == "LOAD_GLOBAL":
            stack += ([NULL] if cast(int, step.arg) & 1 else []) + [self._global(given)]
        elif operation == "PUSH_NULL":
            stack.append(NULL)
        elif operation == "RETURN_GENERATOR":
            stack.append(NONE)
        elif operation == "BUILD_LIST" and not given and self.code.co_name == "<listcomp>":
            stack.append(Several("a list", NO_MEMBER))
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
        elif operation in ("LIST_APPEND", "SET_ADD", "YIELD_VALUE"):
            self._collected(operation, given, stack)
        elif operation == "GET_ITER":
            self._member(stack[-1])
        elif operation == "IS_OP":
            other, label = stack.pop(), stack.pop()
            if not (other == NONE and self.policy.may_be_none(label)):
                raise self.refuse(f"is of {label.what}")
            stack.append(PUBLIC)
        elif operation in EFFECTS:
            pops, pushes = EFFECTS[operation](step.arg or 0)
            for _ in range(pops):
                label = stack.pop()
                self.public(label, operation.replace("_", " ").lower())
            stack += [PUBLIC] * pushes
        else:
            raise self.unknown(operation)
        return stack, names

    def _packed(self, operation: str, count: int, stack: list[Label]) -> None:
        if operation == "BUILD_TUPLE":
            members = tuple(stack[len(stack) - count :])
            del stack[len(stack) - count :]
            stack.append(Pack("a tuple", members))
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
            self.results.append(stack.pop())
            stack.append(NONE)
            return
        label = stack.pop()
        place = -cast(int, given)
        into = stack[place]
        if operation == "LIST_APPEND" and isinstance(into, Several):
            stack[place] = Several(into.what, self.join(into.member, label))
        else:
            self.public(label, "a member")
            self.public(into, "members")

    def _global(self, name: str) -> Label:
        if name in self.scope:
            return _label_of(self.scope[name], name)
        builtin = BUILTINS.get(name)
        if builtin is None:
            raise self.unknown(name)
        return Known(name, builtin)

    def attribute(self, label: Label, name: str) -> Label:
        """Return the label of an attribute."""
        found = self.policy.attribute(label, name)
        if found is not None:
            return found
        if isinstance(label, Known):
            return self._attribute_of(label, name)
        self.public(label, f".{name}")
        return PUBLIC

    def _attribute_of(self, label: Known, name: str) -> Label:
        value = label.value
        known = isinstance(value, ModuleType) and (
            value.__name__ in MODULES or value.__name__.split(".")[0] == "spec"
        )
        if (known or isinstance(value, Rules)) and hasattr(value, name):
            return _label_of(getattr(value, name), name)
        if isinstance(value, type) and (value in CLASSES or _own_class(value)):
            return Method(f"{label.what}.{name}", label, name)
        raise self.unknown(f".{name} of {label.what}")

    def _method(self, label: Label, name: str) -> Label:
        if self.policy.attribute(label, name) is not None or isinstance(label, Known):
            return self.attribute(label, name)
        self.public(label, f".{name}")
        return Method(f".{name}", label, name)

    def _made(self, flags: int, stack: list[Label], names: Mapping[str, Label]) -> None:
        code = cast(CodeType, cast(Known, stack.pop()).value)
        taken: tuple[tuple[str, Label], ...] = ()
        if flags & 8:
            cells = cast(Pack, stack.pop()).members
            missing = [cell.what for cell in cells if cell.what not in names]
            if missing:
                raise self.unknown(f"{missing[0]}, which may not be set,")
            self._only_set_once(cells)
            taken = tuple((cell.what, names[cell.what]) for cell in cells)
        if flags & 6:
            raise self.unknown("a function with annotations or defaults of keywords")
        defaults = stack.pop() if flags & 1 else Pack("defaults", ())
        parts = defaults.members if isinstance(defaults, Pack) else (MIXED,)
        stack.append(Inside(f"the function {code.co_name}", code, self.scope, taken, parts))

    def _only_set_once(self, cells: tuple[Label, ...]) -> None:
        """Refuse a variable that a function inside takes and that is set again later."""
        for cell in cells:
            stores = [s for s in self.steps if s.opname == "STORE_DEREF" and s.argval == cell.what]
            given = cell.what in self.code.co_varnames[: self.code.co_argcount]
            if len(stores) + given > 1:
                raise self.unknown(f"{cell.what}, which is set again and used inside a function,")

    def _called(
        self, place: int, count: int, stack: list[Label], names: dict[str, Label]
    ) -> dict[str, Label]:
        named, prepared = self.steps[place - 2], self.steps[place - 1]
        keys: tuple[str, ...] = ()
        if prepared.opname != "PRECALL":
            raise self.unknown("a call that is not prepared")
        if named.opname == "KW_NAMES":
            keys = cast(tuple[str, ...], self.code.co_consts[cast(int, named.arg)])
        passed = tuple(stack[len(stack) - count :])
        del stack[len(stack) - count :]
        callee, below = stack.pop(), stack.pop()
        positional = passed[: count - len(keys)]
        if below != NULL:
            callee, positional = below, (callee, *positional)
        keywords = dict(zip(keys, passed[count - len(keys) :], strict=True))
        target = callee.value if isinstance(callee, Known) else callee
        call = Call(target=target, positional=positional, keywords=keywords)
        found = self.policy.inner(call) if self.depth == 0 else None
        if found is not None:
            change = self.policy.after_inner
            stack[:] = [changed_by(each, change) for each in stack]
            names = {name: changed_by(each, change) for name, each in names.items()}
        stack.append(self._result(callee, call) if found is None else found)
        return names

    def _result(self, callee: Label, call: Call) -> Label:
        target, positional, keywords = call.target, call.positional, call.keywords
        found = self.policy.call(call)
        if found is not None:
            return found
        if isinstance(callee, Inside):
            return self._inside(callee).run(positional, keywords)
        if _brought(target):
            function = cast(FunctionType, unguarded(target))
            frame = _Frame.of_function(function, self.policy, self.depth + 1)
            return frame.run(positional, keywords)
        if target is len and len(positional) == 1 and isinstance(positional[0], Several):
            return PUBLIC
        single = positional[0] if len(positional) == 1 and not keywords else PUBLIC
        if (target is tuple or target is list) and isinstance(single, Several):
            return Several(f"a {target.__name__}", single.member)
        if callee == DRAW:
            self._all_public(positional, keywords, "a draw")
            return PUBLIC
        if not self._pure(callee, target):
            known = isinstance(callee, Known | Method)
            raise (self.unknown if known else self.refuse)(f"a call of {callee.what}")
        self._all_public(positional, keywords, f"a call of {callee.what} with the value")
        return PUBLIC

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


def _label_of(value: object, name: str) -> Label:
    """Return the label of what a name of a module, or a variable around a function, stands for."""
    if value is None:
        return NONE
    if type(value) in ATOMS:
        return PUBLIC
    if callable(value) or isinstance(value, ModuleType | Rules):
        return Known(name, value)
    lasting = type(value) in (tuple, frozenset, range, Map) or dataclasses.is_dataclass(value)
    if lasting and _immutable(value):
        return PUBLIC
    return Label(f"{name}, a {type(value).__name__},")


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

SILENT = (
    *("RESUME", "NOP", "EXTENDED_ARG", "PRECALL", "KW_NAMES", "MAKE_CELL", "COPY_FREE_VARS"),
    "LIST_TO_TUPLE",
)
"""What leaves all labels as they are."""

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
