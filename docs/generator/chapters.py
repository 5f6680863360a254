"""Chapters from spec: prose, formulas and code of each module, in source order."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass, replace
from pathlib import Path

from docs.generator.names import ROOT, claim_label, found, label, linked, title
from docs.generator.paper import Citations
from spec.claims import CLAIMS

PARTS = {
    "The APIs": (
        "reports",
        "contributions",
        "aggregation_service",
        "attribution_client",
        "private_aggregation_client",
        "event_outputs",
        "event_client",
        "system",
    ),
    "Privacy against interactive adversaries": (
        "distributions",
        "noise",
        "interaction",
        "neighbours",
        "neighbours.relation",
        "neighbours.credits_deleted",
        "neighbours.nulled_after_admission",
        "neighbours.moved_to_dummy",
        "neighbours.empty_store",
        "neighbours.never_matches",
        "neighbours.never_registered",
    ),
    "Summary reports": ("summary_mechanism", "individual_privacy", "filters", "expiration"),
    "Event-level reports": ("randomized_response", "event_mechanism"),
    "Another notion of privacy": ("concentrated",),
    "Attribution Level 1": (
        "level1",
        "level1.rules",
        "level1.sites",
        "level1.impressions",
        "level1.epochs",
        "level1.budgets",
        "level1.credit",
        "level1.measurement",
        "level1.device",
        "level1.aggregation",
        "level1.system",
        "level1.neighbours",
        "level1.versions",
    ),
    "The change surface": ("rules", "paper", "universe", "claims", "lemmas"),
}
LAST = "Foundations"
"""The part that holds every module which no other part names."""


@dataclass(frozen=True, slots=True)
class Docstring:
    """Hold a docstring: its prose, where it comes from, and where it differs."""

    prose: str
    cites: str = ""
    deviates: str = ""


def read(docstring: str) -> Docstring:
    """Split a docstring at its last lines, which a test holds to one grammar."""
    matched = re.fullmatch(
        r"(?P<prose>.*?)\n*(^Deviates: (?P<deviates>.*?)\n)?^Paper: (?P<cites>.*)",
        docstring.strip(),
        re.DOTALL | re.MULTILINE,
    )
    if matched is None:
        return Docstring(prose=docstring.strip())
    cites, deviates = (" ".join((matched[name] or "").split()) for name in ("cites", "deviates"))
    return Docstring(prose=matched["prose"].strip(), cites=cites, deviates=deviates)


def files() -> dict[str, Path]:
    """Return the file of every module of spec; a package stands in its `__init__`."""
    listed = {}
    for path in (ROOT / "spec").rglob("*.py"):
        module = path.relative_to(ROOT / "spec").with_suffix("").parts
        name = ".".join(module[:-1] if module[-1] == "__init__" else module)
        if name:
            listed[name] = path
    return listed


def page(module: str) -> str:
    """Return the name of the page of a module."""
    return module.replace(".", "_")


def parts() -> dict[str, list[str]]:
    """Return the modules of spec by part, in the paper's order."""
    there = set(files())
    listed = {part: [name for name in names if name in there] for part, names in PARTS.items()}
    rest = there - {name for names in listed.values() for name in names}
    return {**listed, LAST: sorted(rest)}


def pages(cited: Citations) -> dict[str, str]:
    """Return the page of every module, and the contents."""
    written = {
        f"spec/{page(name)}.md": chapter(name, cited)
        for names in parts().values()
        for name in names
    }
    lines = [
        "# The specification",
        "",
        "Each module of `spec/` is a chapter: what it says, the formula, the code that runs, the",
        "place in the paper {cite}`ghazi2025` and the claims about it. There is no other listing",
        "of an algorithm; the solver, the proofs and the sampler all run this code.",
        "",
    ]
    for part, names in parts().items():
        lines += [
            f"## {part}",
            "",
            "```{toctree}",
            ":maxdepth: 1",
            "",
            *map(page, names),
            "```",
            "",
        ]
    written["spec/index.md"] = "\n".join(lines)
    return written


def chapter(module: str, cited: Citations) -> str:
    """Return the page of a module."""
    path = files()[module]
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    said = read(ast.get_docstring(tree) or "")
    heading, _, prose = said.prose.partition("\n")
    lines = [f"({label(f'spec.{module}')})=", f"# {heading.strip().rstrip('.')}", ""]
    lines += [f"`{path.relative_to(ROOT)}`", "", prose.strip(), ""]
    lines += footing(f"spec.{module}", said, cited, heading.strip())
    code: list[str] = []
    labels: list[str] = []
    for node in tree.body[1:]:
        if isinstance(node, ast.Import | ast.ImportFrom) or guard(node):
            continue
        public = [name for name in named(node) if not name.startswith("_")]
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and public:
            lines += labels + listing(code) + section(module, node, source, cited, said.cites)
            labels, code = [], []
            continue
        about = [
            each
            for name in public
            for full in full_names(module, name)
            for each in claims_about(full)
        ]
        if any(about):
            lines += labels + listing(code)
            labels, code = [], []
        labels += [f"({label(full)})=\n" for name in public for full in full_names(module, name)]
        code.append(segment(source, node))
        if any(about):
            lines += labels + listing(code) + about
            labels, code = [], []
    return "\n".join(lines + labels + listing(code))


def full_names(module: str, name: str) -> list[str]:
    """Return the names of an object: its own, and that in the package which hands it on."""
    package, _, inner = module.rpartition(".")
    own = [f"spec.{module}.{name}"]
    handed_on = bool(package) and bool(inner) and found(f"spec.{package}.{name}")
    return [*own, f"spec.{package}.{name}"] if handed_on else own


def guard(node: ast.stmt) -> bool:
    """Tell whether a statement only imports names for the type checker."""
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def named(node: ast.stmt) -> list[str]:
    """Return the names that a statement of a module defines."""
    match node:
        case ast.FunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.Assign():
            return [each.id for each in node.targets if isinstance(each, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []


def section(
    module: str, node: ast.FunctionDef | ast.ClassDef, source: str, cited: Citations, places: str
) -> list[str]:
    """Return the section of a public function or class: prose, links, code.

    What cites nothing comes from where its module comes from; an error is input that is refused.
    """
    name, *others = full_names(module, node.name)
    said = read(ast.get_docstring(node) or "")
    if not said.cites and "SpecError" not in map(ast.unparse, getattr(node, "bases", ())):
        said = replace(said, cites=places)
    lines = [f"({label(each)})=" for each in (*others, name)]
    lines += [f"## {node.name}", "", said.prose, ""]
    lines += footing(name, said, cited, said.prose.partition("\n")[0])
    return lines + listing([without_docstring(source, node)])


def footing(name: str, said: Docstring, cited: Citations, first: str) -> list[str]:
    """Return where an object comes from, where it differs, and what is claimed about it."""
    lines = []
    if said.cites and not said.cites.startswith("none"):
        cited.add(said.cites, name, first)
        lines.append(f"In the paper: {linked(said.cites)}")
    elif said.cites:
        lines.append(f"Not in the paper: {said.cites[len('none (') :].rstrip(').')}.")
    if said.deviates:
        lines.append(f"Differs: {linked(said.deviates)}")
    return [*("- " + line for line in lines), *claims_about(name), ""]


def claims_about(name: str) -> list[str]:
    """Return links to the claims about an object."""
    about = [claim.id for claim in CLAIMS.values() if name in claim.subjects]
    if not about:
        return [""]
    links = ", ".join(f"{{ref}}`{title(each)} <{claim_label(each)}>`" for each in about)
    return [f"- Claims and proofs: {links}", ""]


def listing(code: list[str]) -> list[str]:
    """Return a block of code."""
    return ["```python", *code, "```", ""] if code else []


def segment(source: str, node: ast.stmt) -> str:
    """Return the source of a statement with its decorators."""
    lines = source.splitlines()
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(each.lineno for each in decorators)])
    return inspect.cleandoc("\n" + "\n".join(lines[first - 1 : node.end_lineno]))


def without_docstring(source: str, node: ast.FunctionDef | ast.ClassDef) -> str:
    """Return the source of a definition; its docstring stands above it as prose."""
    lines = source.splitlines()
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    kept = lines[first - 1 : node.end_lineno]
    said = node.body[0]
    if ast.get_docstring(node) is not None and len(node.body) == 1:
        return "\n".join(kept[: said.lineno - first])
    if ast.get_docstring(node) is not None:
        assert said.end_lineno is not None
        after = said.end_lineno - first + 1
        while not kept[after].strip():
            after += 1
        kept[said.lineno - first : after] = []
    return "\n".join(kept)
