r"""Follow the code of a proposal: it sees symbolic values as it would see real ones, or is refused.

A rule of a proposal runs as it is, by its own code, but in surroundings that are made for it. Every
name that its code can reach, in its globals, closure and defaults and in those of the functions it
calls, in whichever file, is replaced by something that is understood:

- a function of the proposal by itself in such surroundings; one of spec or proofs stays;
- a table (set, dictionary, list, range, mapping) by a `Table` that can only be read, and that
  compares a symbolic value with its entries, so that membership and look-up fork;
- numbers, texts, classes of spec, plain frozen dataclasses and pure built-in functions by
  themselves; `isinstance`, `getattr` and `Fraction` by versions that answer as for the real type;
- anything else, such as the clock, randomness, files, `hash`, `id` or `type`, by an opaque value
  that refuses to be used, by name and line.

What surroundings cannot change is looked for in the instructions, and a function that holds it is
refused: `is` with anything but None, `try` and `with`, attributes that start with an underscore or
lead to frames, rules that are not asked at once where they are named, stores to globals, attributes
and cells that outlive a call, imports and classes inside of functions, `match`, and
every operation that is not on the list. So an error that only a symbolic value would raise cannot
be caught, and the rule can keep nothing from one call to the next. Sets and dictionaries that the
rule builds itself refuse symbolic keys, since a symbolic value has no hash there.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import inspect
import itertools
import math
import operator
import re
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from types import (
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    ModuleType,
)
from typing import TypeVar, cast

import z3
from immutables import Map

from proofs._instructions import Code, Instruction, NoSource, code_of
from proofs._opaque import Counted, Name, Opaque, Unknown
from proofs._symbolic import FOLLOWED, MACHINERY, Number, Text, Truth, fraction, hashed, refuse
from spec import PAPER, Rules
from spec.level1 import LEVEL_1_2026_05, Level1Rules

MACHINERY.add(__file__)

T = TypeVar("T")

LARGEST = 20_000
"""The most entries of a table that a symbolic value is compared with."""

ATOMS = (
    type(None),
    bool,
    int,
    str,
    bytes,
    Fraction,
    type(...),
    type(NotImplemented),
)
CACHED = type(functools.cache(len))
TABLES = (frozenset, set, dict, list, range, Map, MappingProxyType)
MAPPINGS = (dict, Map, MappingProxyType)
UNORDERED = (frozenset, set, Map)
"""Tables whose order is that of the hashes of their entries."""

NUMBERS = (int, bool, Fraction)

CLASSES: frozenset[type] = frozenset(
    {
        *(int, str, bool, bytes, tuple, list, dict, set, frozenset, range, slice, Fraction),
        *(enumerate, zip, map, filter, reversed, Map, Counter, OrderedDict, defaultdict, deque),
        *(each for each in vars(itertools).values() if isinstance(each, type)),
        *(operator.itemgetter, functools.partial),
        *(
            each
            for each in vars(builtins).values()
            if isinstance(each, type) and issubclass(each, Exception)
        ),
    }
)
FUNCTIONS: tuple[object, ...] = (
    *(abs, all, any, divmod, iter, len, max, min, next, pow, round, sorted, sum),
    *(math.floor, math.ceil, math.gcd, math.lcm, math.comb, math.isqrt, math.prod),
    *(operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.neg),
    *(operator.lt, operator.le, operator.eq, operator.ne, operator.ge, operator.gt),
    *(operator.and_, operator.or_, operator.truediv, operator.contains, operator.getitem),
    *(functools.reduce, dataclasses.replace),
)
MODULES = frozenset(
    {"math", "operator", "itertools", "functools", "fractions", "dataclasses", "immutables"}
)

_LISTED = """
    BINARY_OP BINARY_SUBSCR BUILD_CONST_KEY_MAP BUILD_LIST BUILD_MAP BUILD_SET BUILD_SLICE
    BUILD_STRING BUILD_TUPLE CACHE CALL CALL_FUNCTION_EX COMPARE_OP CONTAINS_OP COPY COPY_FREE_VARS
    DELETE_FAST DELETE_SUBSCR DICT_MERGE DICT_UPDATE EXTENDED_ARG FORMAT_VALUE FOR_ITER GET_ITER
    GET_LEN GET_YIELD_FROM_ITER IS_OP JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT JUMP_FORWARD
    JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE_OR_POP KW_NAMES LIST_APPEND LIST_EXTEND LIST_TO_TUPLE
    LOAD_ASSERTION_ERROR LOAD_ATTR LOAD_CLOSURE LOAD_CONST LOAD_DEREF LOAD_FAST LOAD_GLOBAL
    LOAD_METHOD MAKE_CELL MAKE_FUNCTION MAP_ADD NOP POP_JUMP_BACKWARD_IF_FALSE
    POP_JUMP_BACKWARD_IF_NONE POP_JUMP_BACKWARD_IF_NOT_NONE POP_JUMP_BACKWARD_IF_TRUE
    POP_JUMP_FORWARD_IF_FALSE POP_JUMP_FORWARD_IF_NONE POP_JUMP_FORWARD_IF_NOT_NONE
    POP_JUMP_FORWARD_IF_TRUE POP_TOP PRECALL PUSH_NULL RAISE_VARARGS RESUME RETURN_GENERATOR
    RETURN_VALUE SEND SET_ADD SET_UPDATE STORE_DEREF STORE_FAST STORE_SUBSCR SWAP UNARY_INVERT
    UNARY_NEGATIVE UNARY_NOT UNARY_POSITIVE UNPACK_EX UNPACK_SEQUENCE YIELD_VALUE
"""
OPERATIONS = frozenset(_LISTED.split())
"""The operations that are followed, others are refused."""

NAMED = {
    "PUSH_EXC_INFO": "try",
    "BEFORE_WITH": "with",
    "IMPORT_NAME": "an import",
    "LOAD_BUILD_CLASS": "a class",
    "STORE_GLOBAL": "a global that is set",
    "STORE_ATTR": "an attribute that is set",
    "MATCH": "match",
    "MANGLED_NAME": "a name that begins with two underscores",
    "COMPUTED_ANNOTATION": "an annotation that is computed",
    "AnnAssign": "an annotation of something that is no variable",
}
"""How an operation that is not followed is called where a reader would not know its name."""

LEADING_OUT = frozenset(
    {"gi_frame", "gi_code", "cr_frame", "ag_frame", "tb_frame", "format", "format_map", "mro"}
)
"""Attributes through which code reaches frames, classes and texts of what it is given."""


RULE_NAMES = frozenset(
    each.name
    for rules in (PAPER, LEVEL_1_2026_05)
    for each in dataclasses.fields(rules)
    if callable(getattr(rules, each.name))
) - {"contributions", "keys", "epoch_start", "last_clearing", "stated_budget"}
"""Rules that data has no attribute of the name of.

They may be asked and no more: compared with another function, a rule of a proof is told from the
one that it stands for.
"""


class Table:
    """Be a table that can be read: a symbolic value is compared with every entry."""

    __slots__ = ("_entries", "_table")

    def __init__(self, table: object, entries: dict[object, object] | None = None) -> None:
        self._table = table
        self._entries = entries

    def __contains__(self, value: object) -> bool:
        """Ask one question: whether the value equals one of the entries."""
        table = self._table
        if type(value) in ATOMS:
            return value in table  # type: ignore[operator]
        if type(table) is range and type(value) is Number and isinstance(value, int):
            low, high = min(table, default=1), max(table, default=0)
            inside = (low <= value) & (value <= high)
            return bool(inside & ((value - low) % abs(table.step) == 0))
        equal = [value == entry for entry in self._listed()]
        open_ = [each._term for each in cast(list[object], equal) if type(each) is Truth]
        known = any(each for each in cast(list[object], equal) if type(each) is not Truth)
        return known or bool(open_ and Truth(z3.Or(*open_)))

    def __getitem__(self, place: object) -> object:
        """Look up a known place, or fork on the entry that a symbolic one equals."""
        table = cast(dict[object, object], self._table)
        if type(place) in ATOMS or type(place) is slice:
            found = table[place]
            return found if self._entries is None else self._entries[place]
        if self._entries is None:
            refuse("a symbolic place of a list")
        for entry, value in self._entries.items():
            if place == entry:
                return value
        raise KeyError("a symbolic value")

    def get(self, place: object, default: object = None) -> object:
        """Look up an entry, or return the default."""
        if type(self._table) not in MAPPINGS:
            refuse("get of a table without values")
        if place not in self:
            return default
        return self[place]

    def keys(self) -> View:
        """Return the entries."""
        self._pairs()
        return View(self)

    def values(self) -> View:
        """Return what stands beside the entries."""
        pairs = self._pairs()
        return View(pairs[entry] for entry in self)

    def items(self) -> View:
        """Return the entries, each with what stands beside it."""
        pairs = self._pairs()
        return View((entry, pairs[entry]) for entry in self)

    def _pairs(self) -> dict[object, object]:
        """Return the entries with what stands beside them; what is no mapping has none."""
        if self._entries is None or type(self._table) not in MAPPINGS:
            refuse("values of a table without values")
        return self._entries

    def __iter__(self) -> Iterator[object]:
        if type(self._table) in UNORDERED and not all(type(x) in NUMBERS for x in self._listed()):
            refuse("the order of a set of texts, which is another in every process,")
        return self._listed()

    def _listed(self) -> Iterator[object]:
        if len(self) > LARGEST:
            refuse(f"a table of more than {LARGEST} entries")
        return iter(self._table)  # type: ignore[call-overload,no-any-return]

    def __len__(self) -> int:
        return len(self._table)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> object:
        refuse(f".{name} of a table")


class View:
    """Be what a mapping lists: it can be gone through, and be asked what it holds."""

    __slots__ = ("_listed",)

    def __init__(self, listed: Iterable[object]) -> None:
        self._listed = tuple(listed)

    def __iter__(self) -> Iterator[object]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)

    def __contains__(self, value: object) -> bool:
        return value in self._listed

    def __getattr__(self, name: str) -> object:
        refuse(f".{name} of what a table lists")


def _refused_by_tables(operation: str) -> Callable[..., object]:
    def refused(*_: object) -> object:
        refuse(f"{operation} of a table")

    return refused


for _operation in (
    *("eq", "ne", "hash", "lt", "le", "gt", "ge", "add", "radd", "iadd", "mul", "rmul", "sub"),
    *("rsub", "and", "rand", "or", "ror", "ior", "xor", "rxor", "reversed", "str", "repr"),
    *("format", "setitem", "delitem"),
):
    for _class in (Table, View):
        setattr(_class, f"__{_operation}__", _refused_by_tables(_operation))
del _class, _operation


class Place:
    """Be an entry of the ledger: all have one hash, so that every two of them are compared.

    A proposal may compare an entry with other entries only, and keep none as a key: beside another
    value, which has a hash of its own, it would seem to be different whatever it is.
    """

    __slots__ = ("_entry",)

    def __init__(self, entry: object) -> None:
        self._entry = entry

    def __eq__(self, other: object) -> bool:
        if type(other) is not Place:
            refuse("comparison of an entry of the ledger with a value")
        return bool(self._entry == other._entry)

    def __hash__(self) -> int:
        return hashed("an entry of the ledger")


class SeenRules(Rules):
    """Be rules that a rule sees: they may be asked, and not be compared.

    A proof puts limits, and rules, of its own in the place of those that there are. Whoever
    compares the rules as a whole would be told something else there than where they are used.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        refuse("comparison of the rules")

    def __hash__(self) -> int:
        refuse("hash of the rules")

    def __repr__(self) -> str:
        refuse("text of the rules")


class SeenLevel1Rules(Level1Rules):
    """Be rules of Attribution Level 1 that a rule sees: they may be asked, and not be compared."""

    __slots__ = ()
    __eq__ = SeenRules.__eq__
    __hash__ = SeenRules.__hash__
    __repr__ = SeenRules.__repr__


UNCOMPARED: dict[type, type] = {Rules: SeenRules, Level1Rules: SeenLevel1Rules}


class Fractions:
    """Be the class of fractions where it is called, also with symbolic numbers."""

    __slots__ = ()

    def __call__(self, *given: object, **named: object) -> Fraction:
        """Make a fraction."""
        return fraction(*given, **named)

    def __getattr__(self, name: str) -> object:
        refuse(f".{name} of the class Fraction")


class Module:
    """Be a module of which only what is understood can be used."""

    __slots__ = ("_follower", "_module")

    def __init__(self, module: ModuleType, follower: Follower) -> None:
        self._module = module
        self._follower = follower

    def __getattr__(self, name: str) -> object:
        if not hasattr(self._module, name):
            refuse(f".{name} of the module {self._module.__name__}")
        return self._follower.value(getattr(self._module, name), name)


def followed(subject: T) -> T:
    """Return the subject of a proof with every function that is not ours in its surroundings."""
    if type(subject) is FunctionType or dataclasses.is_dataclass(subject):
        return cast(T, Follower().value(subject, "the subject"))
    return subject


class Follower:
    """Make the surroundings of functions, each once."""

    def __init__(self) -> None:
        self.made: dict[int, tuple[object, object]] = {}
        self.scopes: dict[int, dict[str, object]] = {}

    def value(self, value: object, name: str) -> object:
        """Return what a name stands for in the surroundings."""
        if id(value) not in self.made:
            made = self._value(value, name)
            self.made.setdefault(id(value), (value, made))
        return self.made[id(value)][1]

    def _value(self, value: object, name: str) -> object:
        kind = type(value)
        if value is len:
            return _len  # As under its own name: functions can be compared.
        if kind in ATOMS or any(value is each for each in FUNCTIONS) or kind in (Number, Text):
            return value
        if value is Fraction:
            return Fractions()
        if kind is FunctionType:
            return self._rule(cast(FunctionType, value), name)
        if kind is CACHED:
            return value if _is_in_spec(value) else Unknown(f"{name}, a cache,")
        if kind is functools.partial:
            return self._partial(cast("functools.partial[object]", value), name)
        if isinstance(value, type):
            return value if _known(value) else Unknown(_class_name(value))
        if kind is ModuleType:
            return self._module(cast(ModuleType, value))
        if kind is tuple:
            parts = tuple(self.value(each, name) for each in cast(tuple[object, ...], value))
            same = all(a is b for a, b in zip(parts, cast(tuple[object, ...], value), strict=True))
            return value if same else parts
        if kind in TABLES:
            return self._table(value, name)
        if dataclasses.is_dataclass(kind) and _known(kind):
            return self._instance(value)
        return value if _part_of(kind, "proofs") else Unknown(f"{name}, a {kind.__name__},")

    def _rule(self, function: FunctionType, name: str) -> object:
        """Follow a function; a guard around it is put around what is followed."""
        guard = sys.modules.get("sandproof.guard")
        if guard is not None and function.__globals__ is vars(guard):
            inner = self.value(function.__wrapped__, name)  # type: ignore[attr-defined]
            return cast(object, function.guarding(inner))  # type: ignore[attr-defined]
        return function if _ours(function) else self._function(function)

    def _table(self, table: object, name: str) -> object:
        """Make a table of what can be compared: an entry with code of its own is not followed."""
        if type(table) is not range and not all(map(_immutable, cast(list[object], table))):
            return Unknown(f"{name}, a table of other things than data,")
        if type(table) in (dict, Map, MappingProxyType):
            pairs = cast(dict[object, object], table).items()
            return Table(table, {key: self.value(each, name) for key, each in pairs})
        if type(table) is list and any(type(each) not in ATOMS for each in table):
            return Unknown(f"{name}, a list of other things than numbers and texts,")
        return Table(table)

    def _partial(self, value: functools.partial[object], name: str) -> object:
        call = cast(Callable[..., object], self.value(value.func, name))
        keywords = {key: self.value(each, key) for key, each in value.keywords.items()}
        return functools.partial(call, *(self.value(e, name) for e in value.args), **keywords)

    def _module(self, module: ModuleType) -> object:
        if _is_followed_module(module):
            return Module(module, self)
        return Unknown(f"the module {module.__name__}")

    def _instance(self, value: object) -> object:
        """Replace the functions that a frozen dataclass holds, and what can be changed."""
        fields = [f.name for f in dataclasses.fields(value) if hasattr(value, f.name)]  # type: ignore[arg-type]
        held = {field: getattr(value, field) for field in fields}
        trusted = _part_of(type(value), "proofs")
        made = {field: self._held(each, field, trusted) for field, each in held.items()}
        if isinstance(value, Rules):
            made |= self._rules(value)
        if all(each is held[field] for field, each in made.items()):
            return value
        copy: object = object.__new__(UNCOMPARED.get(type(value), type(value)))
        for field, each in (held | made).items():
            object.__setattr__(copy, field, each)
        return copy

    def _held(self, value: object, name: str, trusted: bool) -> object:
        """Return what a field of a frozen dataclass stands for; what a proof holds is trusted."""
        if type(value) in (FunctionType, functools.partial, tuple):
            return self.value(value, name)
        if dataclasses.is_dataclass(value):
            return self.value(value, name)
        return value if trusted or _immutable(value) else Unknown(f"{name}, which can be changed,")

    def _rules(self, rules: Rules) -> dict[str, object]:
        """Let entries of the ledger be compared where they are keys."""
        entries = cast(Callable[..., tuple[object, ...]], rules.budget_entries)
        if type(entries) is FunctionType and _ours(entries):
            return {}
        made = cast(Callable[..., tuple[object, ...]], self.value(entries, "budget_entries"))
        return {"budget_entries": lambda *given: tuple(map(Place, made(*given)))}

    def _function(self, function: FunctionType) -> object:
        refused = refused_in(function)
        if refused:
            return _refusing(refused)
        given = function.__globals__
        scope = self.scopes.setdefault(
            id(given),
            {FOLLOWED: given, "__builtins__": BUILTINS, "__name__": given.get("__name__")},
        )
        cells = tuple(CellType() for _ in function.__code__.co_freevars)
        made = FunctionType(_code(function.__code__), scope, function.__name__, None, cells)
        made.__qualname__ = function.__qualname__
        self.made[id(function)] = (function, made)
        for name in _names(function.__code__):
            if name in given and name not in scope:
                scope[name] = self.value(given[name], name)
        names = function.__code__.co_freevars
        for name, cell, old in zip(names, cells, function.__closure__ or (), strict=True):
            if old != CellType():
                cell.cell_contents = self.value(old.cell_contents, name)
        if function.__defaults__ is not None:
            made.__defaults__ = tuple(self.value(e, "a default") for e in function.__defaults__)
        if function.__kwdefaults__ is not None:
            pairs = function.__kwdefaults__.items()
            made.__kwdefaults__ = {name: self.value(each, name) for name, each in pairs}
        return made


def _home(name: object, *packages: str) -> ModuleType | None:
    """Return the module that is registered under a name of one of these packages.

    What a module or a function says of itself, anybody can write. Under which name a module is
    registered nobody can change: for the names of our packages that is watched.
    """
    if type(name) is not str or name.partition(".")[0] not in packages:
        return None
    return sys.modules.get(name)


def _ours(function: FunctionType) -> bool:
    """Tell whether a function belongs to spec or proofs, by where its globals are kept."""
    module = _home(getattr(function, "__module__", None), "spec", "proofs")
    return module is not None and getattr(function, "__globals__", None) is vars(module)


def _own_class(kind: type) -> bool:
    """Tell whether a class is one of spec or proofs."""
    return _part_of(kind, "spec", "proofs")


def _part_of(kind: type, *packages: str) -> bool:
    """Tell whether a class is defined in one of these packages."""
    module = _home(kind.__module__, *packages)
    return module is not None and getattr(module, kind.__name__, None) is kind


def _is_in_spec(value: object) -> bool:
    """Tell whether a value is what a module of spec or proofs holds under the value's name."""
    module = _home(getattr(value, "__module__", None), "spec", "proofs")
    return module is not None and getattr(module, getattr(value, "__name__", ""), None) is value


def _is_followed_module(module: ModuleType) -> bool:
    """Tell whether a module is one of spec, or one whose functions compute and are known."""
    name = module.__name__
    known = name in MODULES or name.partition(".")[0] == "spec"
    return known and sys.modules.get(name) is module


def _class_name(kind: type) -> str:
    return f"the class {kind.__module__}.{kind.__qualname__}".replace("builtins.", "")


def _known(kind: type) -> bool:
    """Tell whether a class has no code but what spec, proofs and dataclasses wrote.

    Its instances are found in a table by what they compare: all fields take part in both. What it
    is made with is what it holds: every field that a class before has is one that is kept.
    """
    if kind in CLASSES or kind is object or _own_class(kind):
        return True
    if type(kind) is not type or not dataclasses.is_dataclass(kind):
        return False
    if not kind.__dataclass_params__.frozen or not kind.__dataclass_params__.eq:  # type: ignore[attr-defined]
        return False
    fields = dataclasses.fields(kind)
    factories = (dataclasses.MISSING, Map, tuple, frozenset)
    if any(all(f.default_factory is not each for each in factories) for f in fields):
        return False
    if not all(f.default is dataclasses.MISSING or _fits(f) for f in fields):
        return False
    if not all(f.compare and f.hash is None for f in fields):
        return False
    if any(map(CHANGEABLE.search, _said_of(kind))):
        return False
    names = {f.name for f in fields}
    if set(kind.__dataclass_fields__) != names or _hides(kind, names):
        return False
    return all(_generated(a, v, names) for a, v in vars(kind).items()) and all(
        map(_known, kind.__bases__)
    )


def _fits(field: dataclasses.Field[object]) -> bool:
    """Tell whether a default is data, and what its field is said to be if that is an atom."""
    written = field.type if isinstance(field.type, str) else field.type.__name__
    declared = {each.__name__: each for each in (int, str, bool, Fraction)}.get(written)
    return _immutable(field.default) and (declared is None or type(field.default) is declared)


def _said_of(kind: type) -> list[str]:
    """Return what the fields of a class are said to be, as it is written and by what it means.

    What classes of spec and proofs say of theirs is known.
    """
    brought = [each for each in kind.__mro__ if each is not object and not _own_class(each)]
    written = [str(each) for base in brought for each in inspect.get_annotations(base).values()]
    try:
        meant = [inspect.get_annotations(base, eval_str=True).values() for base in brought]
    except (NameError, TypeError, AttributeError):
        return [*written, "object"]
    flat = itertools.chain.from_iterable(meant)
    return [*written, *(str(getattr(each, "__supertype__", each)) for each in flat)]


CHANGEABLE = re.compile(
    r"\b(list|dict|set|bytearray|object|Any|List|Dict|Set|Mutable\w+|deque|Counter|\w*[dD]efault\w*"
    r"|OrderedDict|Iterator|Iterable|Generator)\b"
)
"""What a field may not be said to be: rules could write on it, and so tell each other."""


def _hides(kind: type, fields: set[str]) -> bool:
    """Tell whether an attribute that is no field stands in the way of one of a class before."""
    own = {name for name in vars(kind) if not name.startswith("__")} - fields
    return any(hasattr(base, name) for base in kind.__bases__ for name in own)


WRITTEN = frozenset(
    {
        *("__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__"),
        *("__lt__", "__le__", "__gt__", "__ge__", "__getstate__", "__setstate__"),
    }
)


def _generated(attribute: str, value: object, fields: set[str]) -> bool:
    """Tell whether an attribute of a class is data, or a method that a dataclass has made."""
    if isinstance(value, MemberDescriptorType):
        return value.__name__ == attribute and attribute in fields
    if isinstance(value, GetSetDescriptorType):
        # Python before 3.11.5 leaves that of the class without slots behind.
        return value.__name__ == attribute == "__weakref__"
    if attribute in ("__annotations__", "__doc__"):
        return True
    if attribute == "__replace__":
        # Python 3.13 gives every dataclass the function that `replace` calls.
        return value is getattr(dataclasses, "_replace", None)
    if attribute in ("__dataclass_fields__", "__dataclass_params__", "__match_args__"):
        return True
    if isinstance(value, FunctionType):
        code = getattr(value, "__wrapped__", value).__code__
        made_here = code.co_filename in ("<string>", dataclasses.__file__)
        known = fields | {"__class__", "__qualname__", "hash", "object", "__setattr__", "type"}
        known |= {"__delattr__"}
        known |= {"NotImplemented", "FrozenInstanceError", "super", "repr", "setattr", "getattr"}
        known |= {"fields", "name", "append", "zip", "_set_fields", "__dataclass_builtins_object__"}
        return (
            attribute in WRITTEN and made_here and set(code.co_names) <= known | {"__post_init__"}
        )
    return _immutable(value)


def _immutable(value: object) -> bool:
    """Tell whether a value is data that nobody can change, and that holds no code."""
    kind = type(value)
    if kind is Fraction:
        parts = (cast(Fraction, value)._numerator, cast(Fraction, value)._denominator)  # type: ignore[attr-defined]
        return all(type(each) is int for each in parts)
    if kind in ATOMS or kind is range:
        return True
    if kind in (tuple, frozenset):
        return all(map(_immutable, cast(tuple[object, ...], value)))
    if kind is Map:
        pairs = cast(Map[object, object], value).items()
        return all(_immutable(key) and _immutable(each) for key, each in pairs)
    if not dataclasses.is_dataclass(kind) or not _known(kind):
        return False
    return all(_immutable(getattr(value, f.name, None)) for f in dataclasses.fields(kind))


def _names(code: CodeType) -> set[str]:
    inner = (_names(each) for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*inner)


def _code(code: CodeType) -> CodeType:
    """Return the code with tables in the place of constant sets."""

    def constant(value: object) -> object:
        if isinstance(value, CodeType):
            return _code(value)
        return Table(value) if isinstance(value, frozenset) else value

    return code.replace(co_consts=tuple(map(constant, code.co_consts)))


def refused_in(function: FunctionType) -> str:
    """Name the first thing in a function that cannot be followed, and its line; else nothing."""
    try:
        code = code_of(function.__code__)
    except NoSource as error:
        return str(error)
    return _refused(code, code.co_freevars)


def _refused(code: Code, outer: tuple[str, ...]) -> str:
    before: Instruction | None = None
    for step in code.steps:
        where = f"in {code.co_qualname}, line {step.line} of {code.co_filename.rpartition('/')[2]}"
        if step.opname not in OPERATIONS:
            return f"{NAMED.get(step.opname, step.opname)} {where}"
        if step.opname == "IS_OP":
            with_none = (
                before is not None and before.opname == "LOAD_CONST" and before.argval is None
            )
            if not with_none or step.is_jump_target:
                return f"is {where}"
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and _leads_out(str(step.argval)):
            return f".{step.argval} {where}"
        taken = step.opname == "LOAD_ATTR" and step.argval in RULE_NAMES
        if taken and (before is None or before.opname != "LOAD_GLOBAL"):
            return f"the rule {step.argval}, which is not asked, {where}"
        if step.opname in ("STORE_DEREF", "DELETE_DEREF") and step.argval in code.co_freevars:
            what = "kept for the next call" if step.argval in outer else "set inside a function"
            return f"{step.argval}, which is {what}, {where}"
        before = step
    inner = (_refused(each, outer) for each in code.co_consts if isinstance(each, Code))
    return next(filter(None, inner), "")


def _leads_out(attribute: str) -> bool:
    return attribute.startswith("_") or attribute in LEADING_OUT


def _refusing(reason: str) -> Callable[..., object]:
    def refusing(*_: object, **__: object) -> object:
        refuse(reason)

    return refusing


def _isinstance(value: object, kinds: object) -> bool:
    """Answer as for the real type, and refuse where it is not settled or is a type of numbers."""
    if isinstance(kinds, tuple):
        return any(_isinstance(value, each) for each in kinds)
    if type(kinds) is not type and not issubclass(type(kinds), type):
        refuse("isinstance with something that is no known class")
    kind = cast(type, kinds)
    if kind in NUMBERS:
        refuse(f"isinstance with {kind.__name__}")
    if type(value) in (Table, Place):
        refuse("isinstance")
    if type(value) in (Opaque, Unknown, Name):
        return isinstance(value, kind)
    if type(value) in (Number, Truth, Text):
        return kind is object or (type(value) is Text and kind is str)
    stands_for = getattr(type(value), "_stands_for", None)
    if stands_for is None:
        if type(value).__module__.startswith("proofs."):
            refuse("isinstance of what stands for another value")
        return isinstance(value, kind)
    if issubclass(stands_for, kind):
        return True
    if issubclass(kind, stands_for) or not (_own_class(kind) or kind in CLASSES):
        refuse(f"type of a {stands_for.__name__}")
    return False


def _len(value: object) -> int:
    """Count, also the members of what may not be looked at but for its length."""
    counted = issubclass(type(value), Counted)
    return cast(Counted, value).number() if counted else len(cast(list[object], value))


def _getattr(value: object, name: str, *default: object) -> object:
    """Refuse to say which attributes a symbolic value has: they are not those of the real one."""
    if type(value) in (Number, Text, Truth, Table, Module, Place):
        refuse("getattr of a symbolic value")
    if isinstance(value, Rules | Level1Rules):
        refuse("getattr of the rules")
    if type(name) is not str or _leads_out(name):
        refuse("getattr with a name that is not followed")
    return getattr(value, name, *default)


def _hasattr(value: object, name: str) -> bool:
    nothing = object()
    return _getattr(value, name, nothing) is not nothing


def _builtins() -> dict[str, object]:
    """Return the built-in names: what is pure as it is, and the rest so that it refuses."""
    guarded = {"isinstance": _isinstance, "getattr": _getattr, "hasattr": _hasattr, "len": _len}
    found: dict[str, object] = {}
    for name, value in vars(builtins).items():
        known = any(value is each for each in FUNCTIONS) or (
            value in CLASSES if isinstance(value, type) else type(value) in ATOMS
        )
        found[name] = value if known else Unknown(name)
    return found | guarded


BUILTINS = _builtins()
