"""Instructions while they are written: in their order, and jumps to places that come later."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import cast

from proofs._scopes import Function, Scope, Scopes


class NoSource(Exception):
    """Say of which function there is no source, or another one than that which runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """Hold one instruction; a jump leads to the place `argval` of the list it stands in."""

    opname: str
    arg: int
    argval: object
    argrepr: str
    line: int
    offset: int
    is_jump_target: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Code:
    """Hold the code of a function, with the names that `types.CodeType` has for its parts."""

    co_name: str
    co_qualname: str
    co_filename: str
    co_firstlineno: int
    co_flags: int
    co_argcount: int
    co_posonlyargcount: int
    co_kwonlyargcount: int
    co_varnames: tuple[str, ...]
    co_cellvars: tuple[str, ...]
    co_freevars: tuple[str, ...]
    co_consts: tuple[object, ...]
    steps: tuple[Instruction, ...]


@dataclass(slots=True, eq=False)
class Place:
    """Be a place in the code that is not known yet."""

    place: int = -1


@dataclass(slots=True, kw_only=True)
class _Step:
    opname: str
    arg: int = 0
    argval: object = None
    argrepr: str = ""
    line: int = 0
    label: Place | None = None
    labels: list[Place] = field(default_factory=list)


class Emitter:
    """Write down the instructions of one function."""

    def __init__(self, scope: Scope, scopes: Scopes, filename: str, qualname: str) -> None:
        self.scope, self.scopes, self.filename, self.qualname = scope, scopes, filename, qualname
        self.steps: list[_Step] = []
        self.waiting: list[Place] = []
        self.constants: list[object] = []
        self.unclear = False
        self.line = cast(Function, scope.node).lineno

    def emit(
        self,
        opname: str,
        arg: int = 0,
        argval: object = None,
        argrepr: str = "",
        to: Place | None = None,
    ) -> None:
        called = bool(self.steps) and self.steps[-1].opname == "PUSH_NULL" and not self.waiting
        if opname == "LOAD_GLOBAL" and called:
            self.waiting = self.steps.pop().labels
            arg |= 1
        step = _Step(opname=opname, arg=arg, argval=argval, argrepr=argrepr, line=self.line)
        step.label, step.labels, self.waiting = to, self.waiting, []
        self.steps.append(step)

    def here(self, label: Place) -> None:
        """Let a label stand for the place of the next instruction."""
        self.waiting.append(label)

    def counted(self, opname: str, count: int) -> None:
        self.emit(opname, count, count)

    def constant(self, value: object) -> None:
        self.emit("LOAD_CONST", self.kept(value), value)

    def kept(self, value: object) -> int:
        self.constants.append(value)
        return len(self.constants) - 1

    def finished(self) -> tuple[Instruction, ...]:
        """Resolve where jumps lead, and leave out what is never reached."""
        for place, step in enumerate(self.steps):
            for label in step.labels:
                label.place = place
        if any(step.label is not None and step.label.place < 0 for step in self.steps):
            raise NoSource(f"{self.qualname} has a jump that leads nowhere")
        # Where something is not followed, nobody goes along the code, but it is looked through.
        alive = set(range(len(self.steps))) if self.unclear else set()
        pending = [0]
        while pending:
            place = pending.pop()
            if place in alive:
                continue
            alive.add(place)
            step = self.steps[place]
            pending += [] if step.label is None else [step.label.place]
            pending += [] if step.opname in ENDING else [place + 1]
        new = {old: place for place, old in enumerate(sorted(alive))}
        kept = [self.steps[old] for old in new]
        targets = [None if step.label is None else new[step.label.place] for step in kept]
        return tuple(
            self._instruction(step, place, targets[place], place in targets)
            for place, step in enumerate(kept)
        )

    def unknown(self, opname: str) -> None:
        """Name something that no proof follows."""
        self.unclear = True
        self.emit(opname)

    def _instruction(
        self, step: _Step, place: int, target: int | None, is_jump_target: bool
    ) -> Instruction:
        opname, arg, argval = step.opname, step.arg, step.argval
        if target is not None:
            arg, argval, backward = target, target, target <= place
            if opname == "JUMP":
                opname = "JUMP_BACKWARD" if backward else "JUMP_FORWARD"
            elif opname.startswith("POP_JUMP_IF"):
                way = "BACKWARD" if backward else "FORWARD"
                opname = opname.replace("POP_JUMP", f"POP_JUMP_{way}")
        return Instruction(
            opname=opname,
            arg=arg,
            argval=argval,
            argrepr=step.argrepr,
            line=step.line,
            offset=place,
            is_jump_target=is_jump_target,
        )

    def load(self, name: str) -> None:
        self.named_as_written(name)
        kind = self.scope.kind_of(name)
        opname = {"global": "LOAD_GLOBAL", "local": "LOAD_FAST"}.get(kind, "LOAD_DEREF")
        self.emit(opname, argval=name)

    def store(self, name: str) -> None:
        self.named_as_written(name)
        kind = self.scope.kind_of(name)
        opname = {"global": "STORE_GLOBAL", "local": "STORE_FAST"}.get(kind, "STORE_DEREF")
        self.emit(opname, argval=name)

    def named_as_written(self, name: str) -> None:
        """Name a variable that is called differently inside of a class."""
        if name.startswith("__") and not name.endswith("__"):
            self.unknown("MANGLED_NAME")

    def delete(self, name: str) -> None:
        kind = self.scope.kind_of(name)
        opname = {"global": "DELETE_GLOBAL", "local": "DELETE_FAST"}.get(kind, "DELETE_DEREF")
        self.emit(opname, argval=name)


ENDING = ("RETURN_VALUE", "RAISE_VARARGS", "JUMP")
"""What is followed by nothing."""


def begin_of(node: Function) -> tuple[str, int]:
    """Return the name of a function and the line in which it begins."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        lines = [node.lineno, *(each.lineno for each in node.decorator_list)]
        return node.name, min(lines)
    return NAMES[type(node)], node.lineno


NAMES: dict[type[ast.AST], str] = {
    ast.Lambda: "<lambda>",
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}
