"""What is asked about a proposal and what there is to say of it, as plain data."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from sandproof.exact_numbers import Settings
from sandproof.families import WHOSE, Rules, family_of
from sandproof.problems import brief
from sandproof.settings import shown

LABELS = ("Origin", "Expected", "Neighbours")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Name what is to be checked: a file, or a version of a family, with some parameters set.

    Without a file or a version it is the first version. A file may name rules of any family, and
    of that one only where one is `wanted`.
    """

    path: Path | None = None
    settings: Settings = ()
    family: str = "paper"
    wanted: bool = False
    version: str = ""

    @property
    def name(self) -> str:
        """Return the name that messages use."""
        named = published(self.family, self.version) if self.path is None else str(self.path)
        if not self.settings:
            return named
        return named + " with " + ", ".join(f"{x} = {shown(y)}" for x, y in self.settings)


def published(family: str, version: str) -> str:
    """Return how messages call published rules."""
    if not version:
        return f"{WHOSE[family]} own rules"
    return f"{WHOSE[family]} version {version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Hold one difference from published rules; `source` is that of a changed function."""

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
    family: str = "paper"
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
    def whose(self) -> str:
        """Say to whom the rules belong that it changes, as in "the paper's"."""
        return WHOSE[self.family]

    @property
    def lost_proof(self) -> str:
        """Say that the proof of what was published is lost, as the heading of what was instead."""
        return f"{self.whose[0].upper()}{self.whose[1:]} proof no longer applies here"

    @property
    def changed(self) -> frozenset[str]:
        """Name the rules that differ from those of the family."""
        return frozenset(change.field.split(".")[0] for change in self.changes)

    @property
    def own(self) -> bool:
        """Tell whether these are the family's own rules, and nothing else is asked for."""
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
    """Return what differs from the version of the family that is nearest."""
    family = family_of(rules)
    assert family is not None
    own = family.nearest(rules)
    values = [
        Change(field=f"{part}.{each.name}", before=told(before), after=told(after))
        for part, told, differ in (
            ("limits", shown, operator.ne),
            *((part, brief, operator.is_not) for part in family.parts),
        )
        for each in fields(getattr(own, part))
        if differ(
            before := getattr(getattr(own, part), each.name),
            after := getattr(getattr(rules, part), each.name),
        )
    ]
    functions = [
        changed_function(name, getattr(own, name), getattr(rules, name))
        for name in family.rule_names()
        if getattr(own, name) is not getattr(rules, name)
    ]
    return (*values, *functions)


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
