r"""Cut the loops of a rule: one round is run for all of them, from any state before it.

A `for` loop over something of unknown length cannot be run to its end. It is *cut* at its head:

    assert what is claimed of the variables that rounds change
    let them be anything of which that is true
    for one round, or for none:
        the body, as it is written
        assert the same again, and end here
    go on after the loop

What holds on every way through this holds of the loop itself, by induction on its rounds. Who cuts
says what a round is given, and what is claimed; this module only puts the questions in.

It works on the source of the rule, if that is what the rule was made of: compiled anew it must give
the same code. A variable that a round sets is either carried from round to round, and then anything
that the claims allow, or it is unset at the head, so that a round which reads it before it has set
it ends in an error. Everything else about a rule that is not on the lists below is refused, by name
and line.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from types import CodeType, FunctionType
from typing import NoReturn

from proofs._labels import NotFollowed
from proofs._rewritten import _same_code

CUT = "<cut>"
"""The name of who cuts; no code can have it, nor one of those below."""

REPLACED = {name: f"<{name}>" for name in ("tuple", "filter", "sorted", "reversed", "list")}
"""Built-in functions in whose place others stand, and the new list."""

STATEMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.If, ast.For, ast.Continue)
EXPRESSIONS = (
    *(ast.Name, ast.Constant, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare),
    *(ast.IfExp, ast.Call, ast.keyword, ast.Tuple, ast.List, ast.Subscript, ast.Slice),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context),
)


def cut(function: object) -> FunctionType:
    """Return a function of two arguments with its loops cut; `CUT` and others are to be named."""
    if type(function) is not FunctionType:
        raise NotFollowed("a rule that is not a plain function")
    definition = _definition(function)
    _Cutting(function, definition).whole()
    made = _compiled(definition, function)
    return FunctionType(made, dict(function.__globals__), function.__name__)


def _definition(function: FunctionType) -> ast.FunctionDef:
    """Return the source of a function that takes two arguments, if it is what the code is of."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError) as error:
        raise NotFollowed(f"{function.__name__}, whose source is not there") from error
    ast.increment_lineno(tree, max(first, 1) - 1)
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        raise NotFollowed(f"{function.__name__}, which is no plain definition")
    definition, given = tree.body[0], tree.body[0].args
    definition.decorator_list = []
    others = (given.posonlyargs, given.kwonlyargs, given.defaults, given.vararg, given.kwarg)
    if any(others) or len(given.args) != 2 or function.__closure__ or function.__defaults__:
        raise NotFollowed(f"other arguments than two of {function.__name__}")
    if not _same_code(_compiled(definition, function), function.__code__):
        raise NotFollowed(f"{function.__name__}, whose source is another")
    return definition


def _compiled(definition: ast.FunctionDef, function: FunctionType) -> CodeType:
    """Compile a definition by itself."""
    module = ast.fix_missing_locations(ast.Module(body=[definition], type_ignores=[]))
    made = compile(module, function.__code__.co_filename, "exec", dont_inherit=True)
    return next(each for each in made.co_consts if isinstance(each, CodeType))


class _Cutting:
    """Cut the loops of one definition, in place."""

    def __init__(self, function: FunctionType, definition: ast.FunctionDef) -> None:
        self.name, self.definition = function.__name__, definition
        self.given = [each.arg for each in definition.args.args]
        stored = (n.id for n in ast.walk(definition) if _is_stored(n))  # type: ignore[attr-defined]
        self.own = {*self.given, *stored, *function.__globals__}
        self.bound: list[str] = []
        self.loops = 0

    def whole(self) -> None:
        """Check the shape: statements, one loop over what is given, statements, one return."""
        body = self.definition.body
        loops = [each for each in body if isinstance(each, ast.For)]
        last = body[-1]
        if len(loops) != 1 or not isinstance(last, ast.Return) or last.value is None:
            self.refuse(self.definition, "another shape than one loop and a return at the end")
        source = loops[0].iter
        if not isinstance(source, ast.Name) or source.id != self.given[1]:
            self.refuse(source, f"a loop over something else than {self.given[1]}")
        if self.given[1] in {n.id for n in ast.walk(self.definition) if _is_stored(n)}:  # type: ignore[attr-defined]
            self.refuse(source, f"{self.given[1]}, which is set,")
        last.value = self.expression(last.value)
        self.definition.body = [*self.block(body[:-1], None), last]

    def block(self, body: list[ast.stmt], loop: ast.For | None) -> list[ast.stmt]:
        """Return statements with their loops cut; they are those of a loop, or of none."""
        return [made for each in body for made in self.statement(each, loop)]

    def statement(self, node: ast.stmt, loop: ast.For | None) -> list[ast.stmt]:
        """Return what stands for a statement."""
        if isinstance(node, ast.Continue) and loop is not None:
            return [self.tail(loop, node)]
        if isinstance(node, ast.Break) and loop is not None and self.depth(loop) > 1:
            return [_asked("leave", node, ast.Constant(self.number(loop))), node]
        if isinstance(node, ast.For):
            return self.cut(node, loop)
        if isinstance(node, ast.If):
            node.test = self.expression(node.test)
            node.body = self.block(node.body, loop)
            node.orelse = self.block(node.orelse, loop)
            return [node]
        if isinstance(node, ast.Pass):
            return [node]
        if not isinstance(node, STATEMENTS) or isinstance(node, ast.Continue):
            self.refuse(node, type(node).__name__.lower())
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            self.targets(node)
        if node.value is not None:  # type: ignore[union-attr]
            node.value = self.expression(node.value)  # type: ignore[union-attr]
        return [node]

    def targets(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        """Note which variables are set; nothing else may be."""
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            each = target.elts if isinstance(target, ast.Tuple) else [target]
            if not all(isinstance(name, ast.Name) for name in each):
                self.refuse(node, "something else than a variable that is set")
            self.bound += [name.id for name in each]  # type: ignore[attr-defined]

    def cut(self, node: ast.For, outer: ast.For | None) -> list[ast.stmt]:
        """Cut a loop at its head."""
        if not isinstance(node.target, ast.Name) or node.type_comment:
            self.refuse(node, "a loop with something else than one variable")
        if outer is not None and self.depth(outer) > 1:
            self.refuse(node, "a loop in a loop over contributions")
        if outer is None and node.orelse:
            self.refuse(node, "else after the loop over credits")
        setting = [node.target, *node.body]
        names = [n.id for each in setting for n in ast.walk(each) if _is_stored(n)]  # type: ignore[attr-defined]
        names += [name for each in node.body for name in _appended(each) if name in self.bound]
        names = list(dict.fromkeys(names))
        carried = [each for each in names if each in self.bound and each != node.target.id]
        self.loops += 1
        node_number = ast.Constant(self.loops)
        vars(node).update(number=self.loops, carried=carried, depth=1 if outer is None else 2)
        source = f"<source {self.loops}>"
        begun = ast.Assign([ast.Name(source, ast.Store())], self.expression(node.iter))
        unset = [made for each in names if each not in carried for made in _unset(each)]
        values = _loaded(carried)
        told = ast.Tuple([ast.Constant(each) for each in carried], ast.Load())
        asked = _call("head", node_number, told, values)
        head: ast.stmt = ast.Expr(asked)
        if carried:
            places: list[ast.expr] = [ast.Name(each, ast.Store()) for each in carried]
            head = ast.Assign([ast.Tuple(places, ast.Store())], asked)
        node.iter = _call("rounds", node_number, ast.Name(source, ast.Load()))
        bound = [*self.bound]
        node.body = [*self.block(node.body, node), self.tail(node, node)]
        self.bound = bound
        node.orelse = self.block(node.orelse, outer)
        first: list[ast.stmt] = [begun, *unset, head]
        return [*(ast.copy_location(each, node) for each in first), node]

    def tail(self, loop: ast.For, where: ast.stmt) -> ast.stmt:
        """Return the end of a round."""
        carried = _loaded(vars(loop)["carried"])
        return _asked("tail", where, ast.Constant(self.number(loop)), carried)

    def number(self, loop: ast.For) -> int:
        """Return which loop it is."""
        return int(vars(loop)["number"])

    def depth(self, loop: ast.For) -> int:
        """Return how deep the loop is."""
        return int(vars(loop)["depth"])

    def expression(self, node: ast.expr) -> ast.expr:
        """Return what stands for an expression."""
        keys = {id(each) for call in ast.walk(node) for each in _sorted_by(call)}
        for each in ast.walk(node):
            if not isinstance(each, EXPRESSIONS) and id(each) not in keys:
                self.refuse(node, type(each).__name__.lower())
            if isinstance(each, ast.keyword) and each.arg is None:
                self.refuse(node, "arguments by **")
            if isinstance(each, ast.List) and each.elts:
                self.refuse(node, "a list that is not empty")
        made: ast.expr = _Replacing(self.own).visit(node)
        return made

    def refuse(self, node: ast.AST, what: str) -> NoReturn:
        """Say what is not followed, and where."""
        line = getattr(node, "lineno", self.definition.lineno)
        raise NotFollowed(f"{what} in {self.name}, line {line}")


class _Replacing(ast.NodeTransformer):
    """Put other functions in the place of some that are built in, and of `is`."""

    def __init__(self, own: set[str]) -> None:
        self.own = own

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a built-in function, if nothing else has its name."""
        if node.id in REPLACED and node.id not in self.own:
            return ast.copy_location(ast.Name(REPLACED[node.id], ast.Load()), node)
        return node

    def visit_List(self, node: ast.List) -> ast.expr:
        """Replace a new list."""
        made = ast.Call(ast.Name(REPLACED["list"], ast.Load()), [], [])
        return ast.copy_location(made, node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Ask whether two values are one, unless one of them is None."""
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.Is | ast.IsNot):
            return node
        other = node.comparators[0]
        if isinstance(other, ast.Constant) and other.value is None:
            return node
        asked: ast.expr = _call("same", node.left, other)
        if isinstance(node.ops[0], ast.IsNot):
            asked = ast.UnaryOp(ast.Not(), asked)
        return ast.copy_location(asked, node)


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)


def _appended(node: ast.AST) -> list[str]:
    """List the variables that something is appended to."""
    found = (each for each in ast.walk(node) if isinstance(each, ast.Attribute))
    return [
        each.value.id
        for each in found
        if each.attr == "append" and isinstance(each.value, ast.Name)
    ]


def _sorted_by(node: ast.AST) -> list[ast.AST]:
    """List a function without a name by which something is sorted, and its argument."""
    if not isinstance(node, ast.keyword) or node.arg != "key":
        return []
    made = node.value
    if not isinstance(made, ast.Lambda) or len(made.args.args) != 1 or made.args.defaults:
        return []
    others = (made.args.posonlyargs, made.args.kwonlyargs, made.args.vararg, made.args.kwarg)
    return [] if any(others) else [made, made.args, *made.args.args]


def _unset(name: str) -> list[ast.stmt]:
    """Return statements after which a variable is unset, whatever it was."""
    return [
        ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)),
        ast.Delete([ast.Name(name, ast.Del())]),
    ]


def _loaded(names: list[str]) -> ast.Tuple:
    return ast.Tuple([ast.Name(each, ast.Load()) for each in names], ast.Load())


def _call(asked: str, *given: ast.expr) -> ast.Call:
    target = ast.Attribute(ast.Name(CUT, ast.Load()), asked, ast.Load())
    return ast.Call(target, list(given), [])


def _asked(asked: str, where: ast.stmt, *given: ast.expr) -> ast.stmt:
    return ast.copy_location(ast.Expr(_call(asked, *given)), where)
