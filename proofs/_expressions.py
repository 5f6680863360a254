"""The instructions of expressions and conditions, as Python 3.11 makes them.

What no proof follows is named by an instruction that none knows, and its parts are written down
after it: what they hold is looked for there.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from proofs._emitted import Code, Emitter, NoSource, Place
from proofs._scopes import Comprehension, Function, annotations_of

Pair: TypeAlias = tuple[ast.expr | None, ast.expr]

BINARY: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.MatMult: "@",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.BitAnd: "&",
}
UNARY: dict[type[ast.AST], str] = {
    ast.Not: "UNARY_NOT",
    ast.USub: "UNARY_NEGATIVE",
    ast.UAdd: "UNARY_POSITIVE",
    ast.Invert: "UNARY_INVERT",
}
COMPARED: dict[type[ast.AST], tuple[str, int, str]] = {
    ast.Lt: ("COMPARE_OP", 0, "<"),
    ast.LtE: ("COMPARE_OP", 1, "<="),
    ast.Eq: ("COMPARE_OP", 2, "=="),
    ast.NotEq: ("COMPARE_OP", 3, "!="),
    ast.Gt: ("COMPARE_OP", 4, ">"),
    ast.GtE: ("COMPARE_OP", 5, ">="),
    ast.Is: ("IS_OP", 0, ""),
    ast.IsNot: ("IS_OP", 1, ""),
    ast.In: ("CONTAINS_OP", 0, ""),
    ast.NotIn: ("CONTAINS_OP", 1, ""),
}
NEGATED: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Is: ast.IsNot(),
    ast.IsNot: ast.Is(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
}
COLLECTING: dict[type[ast.AST], tuple[str, str]] = {
    ast.ListComp: ("BUILD_LIST", "LIST_APPEND"),
    ast.SetComp: ("BUILD_SET", "SET_ADD"),
    ast.DictComp: ("BUILD_MAP", "MAP_ADD"),
}
FOLDED: dict[type[ast.AST], Callable[[object, object], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.BitAnd: operator.and_,
}
SIGNS: dict[type[ast.AST], Callable[[int], object]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.inv,
    ast.Not: operator.not_,
}
LARGEST = 1 << 128
"""Beyond this, numbers are not computed when the code is read."""


class Expressions(Emitter):
    """Write expressions: each leaves its value on the stack."""

    def inside(self, node: Function) -> Code:
        """Return the code of a function inside of this one."""
        raise NotImplementedError

    def plain(self, said: ast.expr) -> None:
        """Name an annotation that does more than to name types."""
        if not all(isinstance(part, PLAIN) for part in ast.walk(said)):
            self.unknown("COMPUTED_ANNOTATION")

    def unfollowed(self, node: ast.AST) -> None:
        """Name what no proof follows, and write down its parts."""
        raise NotImplementedError

    def assign(self, target: ast.expr) -> None:
        """Store what is on the stack."""
        match target:
            case ast.Name(id=name):
                self.store(name)
            case ast.Attribute(value=owner, attr=name):
                self.visit(owner)
                self.emit("STORE_ATTR", argval=name)
            case ast.Subscript(value=owner, slice=place):
                self.visit(owner)
                self.visit(place)
                self.emit("STORE_SUBSCR")
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                self._unpack(parts)
            case ast.Starred(value=inner):
                self.assign(inner)
            case _:
                raise NoSource(f"{type(target).__name__} in an assignment")

    def _unpack(self, parts: list[ast.expr]) -> None:
        starred = [place for place, each in enumerate(parts) if isinstance(each, ast.Starred)]
        if starred:
            after = len(parts) - starred[0] - 1
            self.counted("UNPACK_EX", starred[0] + (after << 8))
        else:
            self.counted("UNPACK_SEQUENCE", len(parts))
        for each in parts:
            self.assign(each)

    # Conditions.

    def jump_if(self, node: ast.expr, target: Place, truth: bool) -> None:
        """Jump if a condition is true, or if it is not."""
        self.line = node.lineno
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.jump_if(operand, target, not truth)
                return
            case ast.BoolOp(op=op, values=values):
                ends_if = isinstance(op, ast.Or)
                end = Place()
                for each in values[:-1]:
                    self.jump_if(each, target if ends_if == truth else end, ends_if)
                self.jump_if(values[-1], target, truth)
                self.here(end)
                return
            case ast.IfExp(test=test, body=body, orelse=orelse):
                end, otherwise = Place(), Place()
                self.jump_if(test, otherwise, False)
                self.jump_if(body, target, truth)
                self.emit("JUMP", to=end)
                self.here(otherwise)
                self.jump_if(orelse, target, truth)
                self.here(end)
                return
            case ast.Compare(ops=[_, _, *_]):
                self._jump_if_all(node, target, truth)
                return
            case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[other]):
                if isinstance(other, ast.Constant) and other.value is None:
                    self.visit(left)
                    none = isinstance(op, ast.Is) == truth
                    jump = "POP_JUMP_IF_NONE" if none else "POP_JUMP_IF_NOT_NONE"
                    self.emit(jump, to=target)
                    return
        folded = self.folded(node)
        if folded is not None:
            if bool(folded.value) == truth:
                self.emit("JUMP", to=target)
            return
        self.visit(node)
        self.emit("POP_JUMP_IF_TRUE" if truth else "POP_JUMP_IF_FALSE", to=target)

    def _jump_if_all(self, node: ast.Compare, target: Place, truth: bool) -> None:
        cleanup, end = Place(), Place()
        self._chained(node, "POP_JUMP_IF_FALSE", cleanup)
        self.emit("POP_JUMP_IF_TRUE" if truth else "POP_JUMP_IF_FALSE", to=target)
        self.emit("JUMP", to=end)
        self.here(cleanup)
        self.emit("POP_TOP")
        if not truth:
            self.emit("JUMP", to=target)
        self.here(end)

    def _chained(self, node: ast.Compare, jump: str, cleanup: Place) -> None:
        self.visit(node.left)
        for op, other in zip(node.ops[:-1], node.comparators[:-1], strict=True):
            self.visit(other)
            self.counted("SWAP", 2)
            self.counted("COPY", 2)
            self.compare(op)
            self.emit(jump, to=cleanup)
        self._visit_compared(node.comparators[-1], node.ops[-1])
        self.compare(node.ops[-1])

    def compare(self, op: ast.cmpop) -> None:
        opname, arg, shown = COMPARED[type(op)]
        self.emit(opname, arg, shown or arg, shown)

    def _visit_compared(self, node: ast.expr, op: ast.cmpop) -> None:
        if isinstance(op, ast.In | ast.NotIn):
            self.visit_gone_through(node)
        else:
            self.visit(node)

    def visit_gone_through(self, node: ast.expr) -> None:
        """Visit what a loop goes through; a list of constants is a tuple there."""
        if isinstance(node, ast.List | ast.Set):
            folded = self.folded(ast.Tuple(elts=node.elts, ctx=ast.Load()))
            if folded is not None:
                whole = frozenset if isinstance(node, ast.Set) else tuple
                self.constant(whole(cast(tuple[object, ...], folded.value)))
                return
            if isinstance(node, ast.List) and not _has_starred(node.elts):
                node = ast.copy_location(ast.Tuple(elts=node.elts, ctx=ast.Load()), node)
        self.visit(node)

    # Expressions.

    def folded(self, node: ast.expr) -> ast.Constant | None:
        """Return the constant that an expression of constants is, if it is small."""
        found: object
        match node:
            case ast.Constant():
                return node
            case ast.Tuple(elts=parts, ctx=ast.Load()):
                folded = [self.folded(each) for each in parts]
                if None in folded:
                    return None
                found = tuple(cast(ast.Constant, each).value for each in folded)
            case ast.UnaryOp(op=op, operand=operand):
                inner = self.folded(operand)
                if inner is None or type(inner.value) not in (int, bool):
                    return None
                value = cast(int, inner.value)
                found = SIGNS[type(op)](value)
            case ast.BinOp(left=left, op=op, right=right):
                first, second = self.folded(left), self.folded(right)
                if first is None or second is None or type(op) not in FOLDED:
                    return None
                if {type(first.value), type(second.value)} - {int}:
                    return None
                if not _is_small(type(op), cast(int, first.value), cast(int, second.value)):
                    return None
                found = FOLDED[type(op)](first.value, second.value)
            case _:
                return None
        return ast.copy_location(ast.Constant(value=cast(int, found)), node)

    def visit(self, node: ast.expr) -> None:
        """Leave the value of an expression on the stack."""
        self.line = node.lineno
        folded = self.folded(node)
        if folded is not None:
            self.constant(folded.value)
            return
        match node:
            case ast.Name(id=name):
                self.load(name)
            case ast.Attribute(value=owner, attr=name):
                self.visit(owner)
                self.line = node.end_lineno or self.line
                self.emit("LOAD_ATTR", argval=name)
            case ast.Subscript(value=owner, slice=place):
                self.visit(owner)
                self.visit(place)
                self.line = node.lineno
                self.emit("BINARY_SUBSCR")
            case ast.Slice(lower=lower, upper=upper, step=step):
                for each in (lower, upper, *([step] if step else [])):
                    self.constant(None) if each is None else self.visit(each)
                self.counted("BUILD_SLICE", 3 if step else 2)
            case ast.BinOp(left=left, op=op, right=right):
                self.visit(left)
                self.visit(right)
                self.line = node.lineno
                self.emit("BINARY_OP", argrepr=BINARY[type(op)])
            case ast.UnaryOp(op=ast.Not(), operand=ast.Compare(ops=[op]) as compared) if (
                type(op) in NEGATED
            ):
                turned = ast.Compare(compared.left, [NEGATED[type(op)]], compared.comparators)
                self.visit(ast.copy_location(turned, node))
            case ast.UnaryOp(op=op, operand=operand):
                self.visit(operand)
                self.emit(UNARY[type(op)])
            case ast.BoolOp(op=op, values=values):
                end = Place()
                jump = "JUMP_IF_FALSE_OR_POP"
                if isinstance(op, ast.Or):
                    jump = "JUMP_IF_TRUE_OR_POP"
                for part in values[:-1]:
                    self.visit(part)
                    self.emit(jump, to=end)
                self.visit(values[-1])
                self.here(end)
            case ast.Compare(ops=[op]):
                self.visit(node.left)
                self._visit_compared(node.comparators[0], op)
                self.line = node.lineno
                self.compare(op)
            case ast.Compare():
                cleanup, end = Place(), Place()
                self._chained(node, "JUMP_IF_FALSE_OR_POP", cleanup)
                self.emit("JUMP", to=end)
                self.here(cleanup)
                self.counted("SWAP", 2)
                self.emit("POP_TOP")
                self.here(end)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                otherwise, end = Place(), Place()
                self.jump_if(test, otherwise, False)
                self.visit(body)
                self.emit("JUMP", to=end)
                self.here(otherwise)
                self.visit(orelse)
                self.here(end)
            case ast.Call():
                self._call(node)
            case ast.Lambda():
                self.function(node)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self._comprehension(node)
            case ast.Tuple(elts=parts):
                if _has_starred(parts):
                    self._gathered(parts, "LIST")
                    self.emit("LIST_TO_TUPLE")
                else:
                    self.each(parts)
                    self.counted("BUILD_TUPLE", len(parts))
            case ast.List(elts=parts):
                self._gathered(parts, "LIST")
            case ast.Set(elts=parts):
                self._gathered(parts, "SET")
            case ast.Dict():
                self._dictionary(list(zip(node.keys, node.values, strict=True)), "DICT_UPDATE")
            case ast.NamedExpr(target=target, value=value):
                self.visit(value)
                self.counted("COPY", 1)
                self.assign(target)
            case ast.JoinedStr(values=parts):
                self.each(parts)
                if len(parts) != 1:
                    self.counted("BUILD_STRING", len(parts))
            case ast.FormattedValue(value=value, conversion=how, format_spec=shape):
                self.visit(value)
                flags = {-1: 0, 115: 1, 114: 2, 97: 3}[how]
                if shape is not None:
                    self.visit(shape)
                    flags |= 4
                self.emit("FORMAT_VALUE", flags, flags)
            case ast.Yield(value=given):
                self.constant(None) if given is None else self.visit(given)
                self.emit("YIELD_VALUE")
                self.emit("RESUME", 1)
            case _:
                self.unfollowed(node)
                self.constant(None)

    def each(self, nodes: Sequence[ast.expr]) -> None:
        for node in nodes:
            self.visit(node)

    def _gathered(self, parts: list[ast.expr], kind: str) -> None:
        """Write a list or a set."""
        add, extend = ("APPEND", "EXTEND") if kind == "LIST" else ("ADD", "UPDATE")
        folded = self.folded(ast.Tuple(elts=parts, ctx=ast.Load()))
        if len(parts) > 2 and folded is not None:
            self.counted(f"BUILD_{kind}", 0)
            whole = cast(tuple[object, ...], folded.value)
            self.constant(frozenset(whole) if kind == "SET" else whole)
            self.counted(f"{kind}_{extend}", 1)
            return
        begun = False
        for place, each in enumerate(parts):
            if isinstance(each, ast.Starred):
                if not begun:
                    self.counted(f"BUILD_{kind}", place)
                    begun = True
                self.visit(each.value)
                self.counted(f"{kind}_{extend}", 1)
            else:
                self.visit(each)
                if begun:
                    self.counted(f"{kind}_{add}", 1)
        if not begun:
            self.counted(f"BUILD_{kind}", len(parts))

    def _dictionary(self, given: Sequence[Pair], adds: str) -> None:
        """Write a dictionary; what has no key is a dictionary that is added."""
        pairs, begun = list(given), False
        while pairs or not begun:
            plain = 0
            while plain < len(pairs) and pairs[plain][0] is not None:
                plain += 1
            if plain or not begun:
                self._plain_dictionary(cast(list[tuple[ast.expr, ast.expr]], pairs[:plain]))
                if begun:
                    self.counted(adds, 1)
                begun = True
            pairs = pairs[plain:]
            if pairs:
                self.visit(pairs.pop(0)[1])
                self.counted(adds, 1)

    def _plain_dictionary(self, pairs: list[tuple[ast.expr, ast.expr]]) -> None:
        names = [self.folded(key) for key, _ in pairs]
        if len(pairs) > 1 and None not in names:
            self.each([value for _, value in pairs])
            self.constant(tuple(cast(ast.Constant, each).value for each in names))
            self.counted("BUILD_CONST_KEY_MAP", len(pairs))
            return
        for pair in pairs:
            self.each(pair)
        self.counted("BUILD_MAP", len(pairs))

    def call(self, count: int) -> None:
        self.counted("PRECALL", count)
        self.counted("CALL", count)

    def _call(self, node: ast.Call) -> None:
        spread = _has_starred(node.args) or any(each.arg is None for each in node.keywords)
        called = node.func
        if isinstance(called, ast.Attribute) and not spread:
            self.visit(called.value)
            self.line = called.end_lineno or self.line
            self.emit("LOAD_METHOD", argval=called.attr)
        else:
            # A name of the module that comes next takes this empty place with it.
            self.emit("PUSH_NULL")
            self.visit(called)
        if spread:
            self._spread(node)
            return
        self.each(node.args)
        self.each([each.value for each in node.keywords])
        self.line = node.lineno
        if node.keywords:
            names = tuple(cast(str, each.arg) for each in node.keywords)
            for each in names:
                self.named_as_written(each)
            self.emit("KW_NAMES", self.kept(names), names)
        self.call(len(node.args) + len(node.keywords))

    def _spread(self, node: ast.Call) -> None:
        """Call with arguments that are spread out of something."""
        if len(node.args) == 1 and isinstance(node.args[0], ast.Starred):
            self.visit(node.args[0].value)
        elif _has_starred(node.args):
            self._gathered(node.args, "LIST")
            self.emit("LIST_TO_TUPLE")
        else:
            self.visit(ast.copy_location(ast.Tuple(node.args, ast.Load()), node))
        if node.keywords:
            pairs = [(_constant(each.arg, node), each.value) for each in node.keywords]
            self._dictionary(pairs, "DICT_MERGE")
        self.line = node.lineno
        self.counted("CALL_FUNCTION_EX", int(bool(node.keywords)))

    # Functions inside.

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
        self.each(decorators)
        arguments, flags = node.args, 0
        if arguments.defaults:
            flags |= 1
            self.visit(ast.copy_location(ast.Tuple(arguments.defaults, ast.Load()), node))
        named = [
            (name.arg, value)
            for name, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if value is not None
        ]
        if named:
            flags |= 2
            self.each([value for _, value in named])
            self.constant(tuple(name for name, _ in named))
            self.counted("BUILD_CONST_KEY_MAP", len(named))
        if not isinstance(node, ast.Lambda) and annotations_of(node):
            flags |= 4
            for each in annotations_of(node):
                self.plain(each)
                if not self.scopes.names_types_later:
                    self.visit(each)
                    self.emit("POP_TOP")
            self.constant(("annotations",))
        self._made(node, flags)
        for _ in decorators:
            self.call(0)
        if not isinstance(node, ast.Lambda):
            self.store(node.name)

    def _made(self, node: Function, flags: int) -> None:
        inner = self.scopes.of(node)
        if inner.free:
            for name in inner.free:
                self.emit("LOAD_CLOSURE", argval=name)
            self.counted("BUILD_TUPLE", len(inner.free))
            flags |= 8
        self.constant(self.inside(node))
        self.counted("MAKE_FUNCTION", flags)

    def _comprehension(self, node: Comprehension) -> None:
        self._made(node, 0)
        self.visit_gone_through(node.generators[0].iter)
        self.line = node.lineno
        self.emit("GET_ITER")
        self.call(0)

    def comprehension_body(self, node: Function) -> None:
        assert isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
        if not isinstance(node, ast.GeneratorExp):
            self.counted(COLLECTING[type(node)][0], 0)
        self._generators(node, 0, 0)
        if isinstance(node, ast.GeneratorExp):
            self.constant(None)
        self.emit("RETURN_VALUE")

    def _generators(
        self,
        node: Comprehension,
        place: int,
        depth: int,
    ) -> None:
        loop = node.generators[place]
        begin, again, done = Place(), Place(), Place()
        gone_through = loop.iter
        single = place > 0 and isinstance(gone_through, ast.List | ast.Tuple)
        parts = cast(ast.List, gone_through).elts if single else []
        single = single and len(parts) == 1 and not _has_starred(parts)
        if loop.is_async:
            self.unknown("GET_AITER")
        if place == 0:
            self.emit("LOAD_FAST", argval=".0")
        elif single:
            self.visit(parts[0])
        else:
            self.visit_gone_through(gone_through)
            self.emit("GET_ITER")
        if not single:
            depth += 1
            self.here(begin)
            self.emit("FOR_ITER", to=done)
        self.assign(loop.target)
        for each in loop.ifs:
            self.jump_if(each, again, False)
        if place + 1 < len(node.generators):
            self._generators(node, place + 1, depth)
        else:
            self._element(node, depth)
        self.here(again)
        if not single:
            self.emit("JUMP", to=begin)
            self.here(done)

    def _element(self, node: Comprehension, depth: int) -> None:
        if isinstance(node, ast.DictComp):
            self.visit(node.key)
            self.visit(node.value)
            self.counted("MAP_ADD", depth + 1)
            return
        self.visit(node.elt)
        if isinstance(node, ast.GeneratorExp):
            self.emit("YIELD_VALUE")
            self.emit("RESUME", 1)
            self.emit("POP_TOP")
        else:
            self.counted(COLLECTING[type(node)][1], depth + 1)


def _is_small(op: type[ast.AST], first: int, second: int) -> bool:
    """Tell whether a number may be computed when the code is read."""
    if op in (ast.FloorDiv, ast.Mod):
        return second != 0
    if op in (ast.LShift, ast.RShift):
        return 0 <= second <= 128 and abs(first) < LARGEST
    if op is ast.Pow:
        return 0 <= second and abs(first).bit_length() * second <= 128
    return abs(first) < LARGEST and abs(second) < LARGEST


def _has_starred(parts: Sequence[ast.expr]) -> bool:
    return any(isinstance(each, ast.Starred) for each in parts)


PLAIN = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List, ast.BinOp),
    *(ast.BitOr, ast.Load),
)
"""What an annotation may be made of: nothing that does more than to name types."""


def _constant(name: str | None, node: ast.expr) -> ast.expr | None:
    return None if name is None else ast.copy_location(ast.Constant(name), node)
