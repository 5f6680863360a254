"""The theorem index: every claim with what running its checks found, and its proof."""

from __future__ import annotations

import ast

from sphinx.errors import ExtensionError

from docs.generator.names import ROOT, claim_label, label, linked, title
from docs.generator.paper import Citations
from docs.generator.symbols import defined
from proofs._check import header_of
from sandproof.claim_result import ClaimResult
from sandproof.result import Result
from spec.verdicts import Claim, Finding, Kind, Verdict

HEADINGS = {
    Kind.GUARANTEE: ("Guarantees", "What users are promised."),
    Kind.ASSUMPTION: (
        "Assumptions",
        "What the paper's proof takes for granted. A changed API can break each of them.",
    ),
    Kind.LEMMA: ("Lemmas", "What proofs use, and statements that are false as written."),
}
DIRECTIVES = {Kind.GUARANTEE: "theorem", Kind.ASSUMPTION: "assumption", Kind.LEMMA: "lemma"}


def pages(result: Result, cited: Citations) -> dict[str, str]:
    """Return the index and a page for each claim."""
    rows = {row.claim.id: row for row in result.claims}
    refuted = [name for name, row in rows.items() if row.verdict is Verdict.REFUTED]
    if refuted:
        raise ExtensionError(f"refuted for the paper's own rules: {', '.join(refuted)}")
    written = {"theorems/index.md": index(result)}
    for name, row in rows.items():
        cited.add_claim(row.claim.paper, name, title(name))
        written[f"theorems/{name}.md"] = page(row)
    return written


def verdict(row: ClaimResult | str) -> str:
    """Return a verdict with a frame that can be told apart without colour."""
    word = row if isinstance(row, str) else row.verdict.value
    return f'<span class="verdict {word}">{word}</span>'


def index(result: Result) -> str:
    """Return the index of theorems."""
    counts = {each: sum(row.verdict is each for row in result.claims) for each in Verdict}
    told = ", ".join(f"{count} {each.value}" for each, count in counts.items() if count)
    lines = [
        "# Theorem index",
        "",
        f"{len(result.claims)} claims about the paper's own rules: {told}. Every verdict comes",
        f"from running the checks while this site was built, at effort {result.effort} with seed",
        f"{result.seed}. *Proved* is for all values or in the range that is stated, *searched*",
        "means that no attack was found up to the bound that is stated;",
        "[limits and trust](/limits.md) says what a verdict does not say.",
        "",
    ]
    for kind, (heading, meaning) in HEADINGS.items():
        rows = result.of_kind(kind)
        lines += [f"## {heading}", "", meaning, ""]
        lines += ["| verdict | claim | paper | seconds |", "| --- | --- | --- | ---: |"]
        for row in rows:
            link = f"{{ref}}`{title(row.claim.id)} <{claim_label(row.claim.id)}>`"
            said = f"{link}<br>{row.claim.statement}"
            cells = (verdict(row), said, place(row.claim), f"{row.seconds:.1f}")
            lines.append("| " + " | ".join(cells) + " |")
        names = [row.claim.id for row in rows]
        lines += ["", "```{toctree}", ":hidden:", "", *names, "```", ""]
    return "\n".join(lines)


def place(claim: Claim) -> str:
    """Return links to a claim's places in the paper."""
    if claim.paper.startswith("none"):
        note = claim.paper.partition("(")[2].rstrip(")")
        beyond = linked(note) if note[:1] in "AB" else f"[{note}](/beyond.md)" if note else ""
        return f"beyond it {beyond}".strip()
    return linked(claim.paper)


def page(row: ClaimResult) -> str:
    """Return the page of a claim."""
    claim = row.claim
    subjects = ", ".join(f"{{ref}}`{name} <{label(name)}>`" for name in claim.subjects)
    facts = [
        ("Verdict", f"{verdict(row)} in {row.seconds:.2f} s"),
        ("Kind", claim.kind.value),
        ("Name", f"`{claim.id}`"),
        ("Paper", place(claim)),
        ("Neighbours", "" if claim.relation is None else claim.relation.name),
        ("About", subjects),
        ("Depends on the rules", ", ".join(f"`{name}`" for name in claim.rules) or "none"),
        ("Not covered", claim.not_covered or "nothing beyond [the limits of all](/limits.md)"),
    ]
    lines = [
        f"({claim_label(claim.id)})=",
        f"# {title(claim.id)}",
        "",
        f":::{{prf:{DIRECTIVES[claim.kind]}}} {title(claim.id)}",
        f":label: {claim.id.replace('_', '-')}",
        ":nonumber:",
        "",
        claim.statement,
        "",
        "$$",
        claim.formula,
        "$$",
        "",
        *where(claim),
        ":::",
        "",
        *(f"- **{name}**: {value}" for name, value in facts if value),
        "",
    ]
    if row.verdict is Verdict.UNKNOWN:
        lines += [f"Not decided: {escaped(row.reason)}", ""]
    if row.findings:
        lines += ["## What the checks found", ""]
    for finding in row.findings:
        lines += found(finding)
    return "\n".join(lines + proof(claim))


def where(claim: Claim) -> list[str]:
    """Return what the symbols of a claim's formula mean; one that nobody defines is an error."""
    symbols, undefined = defined(claim.formula)
    if undefined:
        raise ExtensionError(f"claim {claim.id}: its formula does not define {undefined}")
    return ["In the formula:", "", *(f"- ${sign}$: {meaning}" for sign, meaning in symbols)]


def found(finding: Finding) -> list[str]:
    """Return what a check found, step by step; each step leads to the function that states it."""
    functions = functions_of(finding.claim)
    facts = (
        ("Method", finding.method),
        ("Bound", finding.bound),
        ("Assumes", finding.assumes),
        ("Found", finding.detail),
    )
    lines = [f"### {finding.check[:1].upper()}{finding.check[1:]}", ""]
    lines += [f"- {verdict(finding.verdict.value)} in {finding.seconds or 0} s"]
    lines += [f"- **{name}**: {prose(value)}" for name, value in facts if value]
    lines += [""]
    if finding.steps:
        lines += ["| step | verdict | by |", "| --- | --- | --- |"]
        for step in finding.steps:
            detail = f"<br>{cell(step.detail)}" if step.detail else ""
            name = functions.get(step.name)
            link = f" ({{ref}}`{name} <{step_label(finding.claim, name)}>`)" if name else ""
            shown = f"{cell(step.name)}{link}{detail}"
            lines.append(f"| {shown} | {verdict(step.verdict.value)} | {cell(step.by)} |")
        lines += [""]
    return lines


def steps_in(claim: str) -> list[tuple[str, str, int]]:
    """Return each step that a function of a proof states: its name, the function and its line."""
    path = ROOT / "proofs" / f"{claim}.py"
    if not path.exists():
        return []
    listed = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            given = decorator.args[:1] if isinstance(decorator, ast.Call) else []
            if given and isinstance(given[0], ast.Constant) and isinstance(given[0].value, str):
                listed.append((given[0].value, node.name, decorator.lineno))
    return listed


def functions_of(claim: str) -> dict[str, str]:
    """Return the function that states each step of a proof, by the name of the step."""
    return {name: function for name, function, _ in steps_in(claim)}


def step_label(claim: str, function: str) -> str:
    """Return the label of a function of a proof."""
    return f"step-{claim}-{function}".replace("_", "-")


def proof(claim: Claim) -> list[str]:
    """Return the proof: its header as prose, its source as code."""
    path = ROOT / "proofs" / f"{claim.id}.py"
    if not path.exists():
        return []
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    said = ast.get_docstring(tree) or ""
    header = header_of(said)
    lines = ["## The proof", "", f"`proofs/{claim.id}.py`", "", said.partition("\n")[0], ""]
    for name, text in header.items():
        lines += [f"- **{name}**: {linked(text) if name == 'Paper' else text}."]
    listed, start = source.splitlines(), (tree.body[0].end_lineno or 0) + 1
    for _, function, line in steps_in(claim.id):
        lines += ["", "```python", *listed[start : line - 1], "```", ""]
        lines += [f"({step_label(claim.id, function)})="]
        start = line - 1
    return [*lines, "", "```python", *listed[start:], "```", ""]


def prose(text: str) -> str:
    """Return text of a finding; formulas stay formulas."""
    return text if "$" in text or "`" in text else escaped(text)


def cell(text: str) -> str:
    """Return text for a cell of a table."""
    return " ".join(prose(text).replace("|", "\\|").split())


def escaped(text: str) -> str:
    """Return text that Markdown leaves alone."""
    for character in "\\`*_|<>[]#$":
        text = text.replace(character, "\\" + character)
    return text.replace("\n", " ")
