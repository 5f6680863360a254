"""The catalogue: each proposal with its change, its verdict and the attack that refutes it."""

from __future__ import annotations

import inspect
from difflib import unified_diff
from importlib import import_module
from pathlib import Path

from docs.generator.claims import escaped, verdict
from docs.generator.names import claim_label, label, title
from sandproof.about import Change
from sandproof.claim_result import ClaimResult
from sandproof.commands.catalogue import as_expected, expected
from sandproof.families.paper_surface import surface
from sandproof.formats import stepper
from sandproof.formats.text import Writer, write_story
from sandproof.result import Result
from sandproof.why import opening
from spec.verdicts import Verdict

FILTER = """<form class="filter" hidden>
<label>verdict <select name="0"><option value="">all</option></select></label>
<label>part of the API <select name="1"><option value="">all</option></select></label>
<output></output>
</form>"""

FILTERING = """
const filter = document.querySelector("form.filter");
const rows = [...document.querySelectorAll("article table tbody tr")];
const values = (row, column) => row.cells[column].textContent.split(",").map((x) => x.trim());
const selects = [...filter.querySelectorAll("select")];
for (const select of selects) {
  const found = new Set(rows.flatMap((row) => values(row, select.name)));
  for (const each of [...found].sort()) select.add(new Option(each, each));
}
function apply() {
  for (const row of rows)
    row.hidden = !selects.every((each) => !each.value
      || values(row, each.name).includes(each.value));
  const shown = rows.filter((row) => !row.hidden).length;
  filter.querySelector("output").textContent = `${shown} of ${rows.length} proposals`;
}
filter.addEventListener("input", apply);
filter.hidden = false;
apply();
"""


def parts(result: Result) -> list[str]:
    """Name the parts of the API that a proposal changes, as the rules name them."""
    decided = {rule.name: rule.decides for rule in surface()}
    found = []
    for change in result.about.changes:
        field = change.field.partition(".")[0]
        _, apart, who = decided[field].rstrip(".").rpartition("; ")
        known = {"limits": "parameters", "initial": "initial state"}
        usual = who.removeprefix("the ").replace("privacy budget", "budget")
        found.append(known.get(field, usual if apart else "event client"))
    return list(dict.fromkeys(found)) or ["neighbour relation"]


def pages(results: list[Result]) -> dict[str, str]:
    """Return the catalogue and a page for each proposal."""
    lines = [
        "# The catalogue of proposed changes",
        "",
        f"{len(results)} changes to the APIs, checked at effort quick while this site was built.",
        "The last column says whether the verdict is the one that the proposal's author expected.",
        "",
        "```{raw} html",
        FILTER,
        "```",
        "",
        "| verdict | part of the API | proposal | seconds | as expected |",
        "| --- | --- | --- | ---: | --- |",
    ]
    written = {}
    for result in results:
        name = Path(result.about.name).stem
        written[f"catalogue/{name}.md"] = page(name, result)
        said = f"[{title(name)}]({name}.md)<br>{result.about.title}"
        expectation = "yes" if as_expected(result) else f"no: {expected(result) or 'none stated'}"
        seconds = sum(row.seconds for row in result.claims)
        lines.append(
            f"| {verdict(result.verdict.value)} | {', '.join(parts(result))} | {said} "
            f"| {seconds:.1f} | {expectation} |"
        )
    names = [Path(result.about.name).stem for result in results]
    lines += ["", "```{raw} html", f"<script>{FILTERING}</script>", "```"]
    lines += ["", "```{toctree}", ":hidden:", "", *names, "```", ""]
    return {"catalogue/index.md": "\n".join(lines), **written}


def page(name: str, result: Result) -> str:
    """Return the page of a proposal."""
    about = result.about
    heading, _, prose = about.text.partition("\n")
    body = "\n".join(
        f"- **{line.partition(':')[0]}**:{line.partition(':')[2]}"
        if line.startswith(("Origin:", "Neighbours:", "Expected:", "Found:"))
        else line
        for line in prose.strip().splitlines()
    )
    lines = [f"# {title(name)}", "", heading, "", f"{verdict(result.verdict.value)} ", ""]
    if opening(result):
        lines += [f"**{escaped(capitalised(opening(result)))}.**", ""]
    lines += [escaped(result.headline), "", body, ""]
    if about.relation:
        lines += [f"Neighbours: *{about.relation}*: {about.relation_meaning}.", ""]
    if about.changes:
        lines += ["## The change", ""]
    for change in about.changes:
        lines += changed(change)
    for row in result.guarantees(Verdict.REFUTED):
        lines += broken(row)
    if result.guarantees(Verdict.REFUTED):
        shown = f"<style>{stepper.STYLE}</style><script>{stepper.SCRIPT}</script>"
        lines += ["```{raw} html", shown, "```", ""]
    for repair in result.repairs:
        lines += [f"With the paper's `{repair.field}` put back, `{repair.claim}` is kept.", ""]
    lines += ["## Every claim that the change touches", ""]
    lines += ["| verdict | claim | how |", "| --- | --- | --- |"]
    for row in result.claims:
        if row.affected:
            link = f"{{ref}}`{title(row.claim.id)} <{claim_label(row.claim.id)}>`"
            how = row.reason if "$" in row.reason else escaped(row.reason)
            how = " ".join(how.replace("|", "\\|").split())
            lines.append(f"| {verdict(row)} | {link} | {how} |")
    count = sum(not row.affected for row in result.claims)
    return "\n".join([*lines, "", f"{count} other claims are unaffected.", ""])


def capitalised(sentence: str) -> str:
    """Return a sentence that begins with a capital."""
    return sentence[0].upper() + sentence[1:]


def changed(change: Change) -> list[str]:
    """Return a change of one rule as a difference."""
    before = change.before
    if before.startswith("spec."):
        before = f"{{ref}}`{before} <{label(before)}>`"
    lines = [f"`{change.field}` was {before} and becomes `{change.after}`.", ""]
    if change.source:
        lines += ["```diff", *difference(change), "```", ""]
    return lines


def difference(change: Change) -> list[str]:
    """Return the lines that a changed function loses and gains."""
    module, _, name = change.before.rpartition(".")
    function = getattr(import_module(module), name, None) if module else None
    old = inspect.getsource(function).rstrip().splitlines() if function else []
    new = change.source.splitlines()
    every = len(old) + len(new)
    return list(unified_diff(old, new, change.before, change.after, lineterm="", n=every))


def broken(row: ClaimResult) -> list[str]:
    """Return how a guarantee is broken."""
    lines = [f"## How it breaks: {title(row.claim.id).lower()}", ""]
    told = Writer(colour=False)
    write_story(told, row.attack.story if row.attack else "\n".join(row.told_counterexample))
    if row.attack is not None:
        lines += ["```{raw} html", stepper.stepper(row.attack, row.claim.id), "```", ""]
    lines += ["```{code-block} text", ":class: story", "", *told.lines, "```", ""]
    if row.attack is not None and row.attack.factor:
        lines += [f"In the universe searched it holds with {row.attack.factor}ε*.", ""]
    return lines
