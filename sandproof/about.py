"""What is asked about a proposal and what there is to say of it, as plain data."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from sandproof.problems import brief
from sandproof.settings import Settings, shown
from sandproof.surface import surface
from spec import PAPER, Initial, Limits, Rules

PAPERS_OWN = "the paper's own rules"
LABELS = ("Origin", "Expected", "Neighbours")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Name what is to be checked: a file, or the paper's rules, with some parameters set."""

    path: Path | None = None
    settings: Settings = ()

    @property
    def name(self) -> str:
        """Return the name that messages use."""
        named = PAPERS_OWN if self.path is None else str(self.path)
        if not self.settings:
            return named
        return named + " with " + ", ".join(f"{x} = {shown(y)}" for x, y in self.settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Hold one difference from the paper's rules; `source` is that of a changed function."""

    field: str
    before: str
    after: str
    source: str = ""
    line: int = 0
    file: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Hold what there is to say about a proposal."""

    name: str
    text: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    relation: str = ""
    relation_meaning: str = ""
    universes: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def title(self) -> str:
        """Return the first line of the docstring."""
        return self.text.split("\n", 1)[0]

    @property
    def changed(self) -> frozenset[str]:
        """Name the rules that differ from the paper's."""
        return frozenset(change.field.split(".")[0] for change in self.changes)

    @property
    def own(self) -> bool:
        """Tell whether these are the paper's own rules, and nothing else is asked for."""
        return not (self.changes or self.relation or self.universes)


def labels_of(text: str) -> dict[str, str]:
    """Read the lines `Origin: …`, `Expected: …` and `Neighbours: …` of a docstring."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        label, colon, value = line.partition(":")
        if colon and label.strip() in LABELS:
            found[label.strip()] = value.strip().rstrip(".")
    return found


def changes_of(rules: Rules) -> tuple[Change, ...]:
    """Return what differs from the paper's rules."""
    limits = [
        Change(field=f"limits.{each.name}", before=shown(before), after=shown(after))
        for each in fields(Limits)
        if (before := getattr(PAPER.limits, each.name))
        != (after := getattr(rules.limits, each.name))
    ]
    functions = [
        changed_function(name, getattr(PAPER, name), getattr(rules, name))
        for name in rule_names()
        if getattr(PAPER, name) is not getattr(rules, name)
    ]
    states = [
        Change(field=f"initial.{each.name}", before=brief(before), after=brief(after))
        for each in fields(Initial)
        if (before := getattr(PAPER.initial, each.name))
        is not (after := getattr(rules.initial, each.name))
    ]
    return (*limits, *states, *functions)


def changed_function(name: str, before: object, after: object) -> Change:
    """Describe a rule that is another function."""
    try:
        lines, line = inspect.getsourcelines(after if inspect.isroutine(after) else type(after))
        source = inspect.cleandoc("\n" + "".join(lines)).rstrip()
        file = inspect.getsourcefile(after if inspect.isroutine(after) else type(after)) or ""
    except (OSError, TypeError):
        source, line, file = "", 0, ""
    return Change(
        field=name,
        before=called(before),
        after=called(after),
        source=source,
        line=line,
        file=file,
    )


def called(value: object) -> str:
    """Name a function the way a reader would look for it."""
    name = getattr(value, "__qualname__", None) or type(value).__qualname__
    module = getattr(value, "__module__", "") or ""
    return f"{module}.{name}" if module.startswith("spec.") else name


def rule_names() -> tuple[str, ...]:
    """Name the rules that are functions."""
    return tuple(rule.name for rule in surface() if rule.arguments)
