"""A result as one self-contained HTML page, with the attack as a timeline to step through."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from html import escape

from sandproof.claim_result import AttackRecord, ClaimResult, Json, told_alarm
from sandproof.promise import Strength
from sandproof.result import Result
from sandproof.why import opening, why
from spec.verdicts import Kind, Verdict

STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --back: #ffffff; --faint: #59636e;
  --line: #d1d9e0; --good: #1a7f37; --bad: #cf222e; --open: #9a6700; --panel: #f6f8fa; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --back: #0d1117; --faint: #9198a1;
  --line: #3d444d; --good: #3fb950; --bad: #ff7b72; --open: #d29922; --panel: #151b23; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--back);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px;
  padding: .75rem; overflow-x: auto; }
code, pre { font-family: ui-monospace, monospace; font-size: .9rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .5rem;
  border-bottom: 1px solid var(--line); }
td small { color: var(--faint); white-space: pre-line; }
.verdict { border-left: .4rem solid var(--open); background: var(--panel); padding: .75rem; }
.verdict.proved { border-color: var(--good); } .verdict.refuted { border-color: var(--bad); }
.proved { color: var(--good); } .refuted { color: var(--bad); }
.unknown, .searched { color: var(--open); } .unaffected { color: var(--faint); }
.alarm { color: var(--bad); font-weight: 600; }
p.verdict { color: var(--text); font-weight: 600; }
.timeline { border: 1px solid var(--line); border-radius: 6px; padding: .75rem; }
.timeline:focus-visible { outline: 3px solid var(--open); }
.timeline ol { padding-left: 1.5rem; margin: .75rem 0 0; }
.timeline li { border-left: 3px solid var(--line); padding: .25rem .75rem; }
.stepping li { opacity: .55; } .stepping li[aria-current] { opacity: 1; }
.timeline li[aria-current] { border-color: var(--bad); background: var(--panel); }
.timeline dl { margin: .25rem 0 0; } .timeline dt { color: var(--faint); font-size: .85rem; }
.timeline dd { margin: 0 0 .35rem; }
.bar { height: .4rem; background: var(--line); } .bar span { display: block; height: 100%;
  background: var(--bad); }
button { font: inherit; padding: .3rem .8rem; }
@media (max-width: 40rem) { table, tbody, tr, td { display: block; } thead { display: none; }
  td { border: 0; padding: .1rem 0; } tr { border-bottom: 1px solid var(--line);
  padding: .5rem 0; display: block; } }
"""

SCRIPT = """
for (const box of document.querySelectorAll(".timeline")) {
  const steps = [...box.querySelectorAll("li")];
  const said = box.querySelector("[aria-live]");
  let now = -1;
  const show = (next) => {
    now = Math.max(0, Math.min(steps.length - 1, next));
    box.classList.add("stepping");
    steps.forEach((step, at) => at === now
      ? step.setAttribute("aria-current", "step") : step.removeAttribute("aria-current"));
    steps[now].scrollIntoView({ block: "nearest" });
    said.textContent = `Step ${now + 1} of ${steps.length}`;
  };
  box.querySelector(".back").addEventListener("click", () => show(now - 1));
  box.querySelector(".next").addEventListener("click", () => show(now + 1));
  const single = document.querySelectorAll(".timeline").length === 1;
  document.addEventListener("keydown", (event) => {
    const inside = box.contains(document.activeElement);
    if (!inside && !single || event.altKey || event.ctrlKey || event.metaKey) return;
    const forward = { ArrowRight: 1, ArrowLeft: -1 };
    if (inside) Object.assign(forward, { ArrowDown: 1, ArrowUp: -1 });
    if (!(event.key in forward)) return;
    event.preventDefault();
    show(now + forward[event.key]);
  });
}
"""


def as_html(results: Sequence[Result]) -> str:
    """Return results as one page that asks for nothing from outside."""
    title = escape(", ".join(f"{result.about.name}: {result.verdict.value}" for result in results))
    body = "\n".join(section(result) for result in results)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
{body}
</main>
<script>{SCRIPT}</script>
</body>
</html>"""


def section(result: Result) -> str:
    """Return one result."""
    about = result.about
    parts = [
        f"<h1>{escape(about.name)}</h1>",
        f'<p class="verdict {result.verdict.value}">{escape(result.headline)}</p>',
    ]
    found, sentence = why(result), opening(result)
    if sentence:
        said = "" if found is None else f"<br>{escape(found.claim.statement)}"
        opened = escape(sentence[0].upper() + sentence[1:])
        parts.insert(1, f"<p><strong>{opened}.</strong>{said}</p>")
    if about.text:
        parts.append(f"<pre>{escape(about.text)}</pre>")
    if about.relation:
        parts.append(
            f"<p>Neighbours: {escape(about.relation)}: {escape(about.relation_meaning)}.</p>"
        )
    for row in result.guarantees(Verdict.REFUTED):
        parts.append(f"<h2>How <code>{row.claim.id}</code> is broken</h2>")
        if row.attack is not None:
            parts.append(timeline(row.attack, row.claim.id))
        numbers = "".join(f"<li>{escape(f'{x} = {y}')}</li>" for x, y in row.counterexample.items())
        parts.append(f"<ul>{numbers}</ul>" if numbers else "")
    parts += [
        f"<p>With the paper's <code>{escape(repair.field)}</code> put back, "
        f"<code>{escape(repair.claim)}</code> is kept ({escape(repair.how)}).</p>"
        for repair in result.repairs
    ]
    parts += [changes(result), instead(result)]
    for kind in (Kind.GUARANTEE, Kind.ASSUMPTION, Kind.LEMMA):
        parts.append(table(kind, [row for row in result.of_kind(kind) if row.affected]))
    parts.append(unaffected(result))
    notes = [*result.misbehaved, *result.exhausted, *result.notes]
    parts.append("".join(f"<p>{escape(note)}</p>" for note in notes))
    alarms = [f"ALARM: {each.claim}: {told_alarm(each)}" for each in result.alarms]
    parts.append("".join(f'<p class="alarm">{escape(alarm)}</p>' for alarm in alarms))
    parts.append(
        f"<p><small>Effort {escape(result.effort)}, seed {result.seed}, "
        f"{result.seconds:.1f} s.</small></p>"
    )
    return "\n".join(filter(None, parts))


def timeline(attack: AttackRecord, name: str) -> str:
    """Return an attack as a list of steps, and its story in words."""
    if not attack.steps:
        return f"<pre>{escape(attack.story)}</pre>"
    steps = "\n".join(f"<li>{step_of(step)}</li>" for step in attack.steps)
    return f"""<section class="timeline" tabindex="0" aria-label="The attack on {escape(name)}">
<button type="button" class="back">Previous step</button>
<button type="button" class="next">Next step</button>
<span aria-live="polite">{len(attack.steps)} steps; the arrow keys step, too.</span>
<ol>
{steps}
</ol>
</section>
<details open><summary>The attack in words</summary><pre>{escape(attack.story)}</pre></details>"""


LABELS = {
    "seen": "The ad-tech sees",
    "probability_with": "Probability with x",
    "probability_without": "Probability without x",
    "ledger_with": "Ledgers with x",
    "ledger_without": "Ledgers without x",
}


def step_of(step: Json) -> str:
    """Return one step of an attack: its move, then whatever else is known of it."""
    rest = "".join(
        f"<dt>{escape(LABELS.get(name, name))}</dt><dd>{escape(str(value))}{bar(name, value)}</dd>"
        for name, value in step.items()
        if name != "move" and value not in (None, "")
    )
    return f"<strong>{escape(str(step.get('move', '')))}</strong><dl>{rest}</dl>"


def bar(name: str, value: object) -> str:
    """Return a bar for a probability."""
    if not name.startswith("probability"):
        return ""
    try:
        share = Fraction(str(value))
    except ValueError:
        return ""
    width = round(100 * min(max(share, Fraction(0)), Fraction(1)))
    return f'<div class="bar" aria-hidden="true"><span style="width: {width}%"></span></div>'


def changes(result: Result) -> str:
    """Return what changed against the paper's rules."""
    parts = []
    for change in result.about.changes:
        parts.append(
            f"<p><code>{escape(change.field)}</code>: <code>{escape(change.before)}</code> becomes "
            f"<code>{escape(change.after)}</code></p>"
        )
        if change.source:
            parts.append(f"<pre><code>{escape(change.source)}</code></pre>")
    return "<h2>Changed against the paper's rules</h2>" + "".join(parts) if parts else ""


def instead(result: Result) -> str:
    """Return which parts of the paper's proof fall, if guarantees hold without them."""
    if not result.decided_instead:
        return ""
    names = ", ".join(f"<code>{row.claim.id}</code>" for row in result.fallen)
    listed = "".join(
        f"<li><code>{row.claim.id}</code>: {escape(row.reason)}</li>"
        for row in result.decided_instead
    )
    return (
        f"<h2>The paper's proof no longer applies here</h2><p>Because of {names}. "
        f"The guarantees were decided instead:</p><ul>{listed}</ul>"
    )


def table(kind: Kind, rows: list[ClaimResult]) -> str:
    """Return the claims of a kind as a table."""
    if not rows:
        return ""
    listed = "\n".join(
        f'<tr><td class="{row.verdict.value}">{row.verdict.value}</td>'
        f"<td><code>{row.claim.id}</code><br>{escape(row.claim.statement)}<br>"
        f"{promised(row)}<small>{escape(row.reason)}</small></td>"
        f"<td>{row.seconds:.1f} s</td></tr>"
        for row in rows
    )
    return (
        f"<h2>{kind.value.capitalize()}s</h2>\n<table><thead><tr><th>verdict</th><th>claim</th>"
        f"<th>time</th></tr></thead><tbody>\n{listed}\n</tbody></table>"
    )


def promised(row: ClaimResult) -> str:
    """Return what a guarantee promises, and what its verdict takes for granted."""
    if not row.told_promise:
        return ""
    weaker = ' class="alarm"' if row.strength in (Strength.WEAKER, Strength.OTHER) else ""
    assumes = f"<small>Assumes: {escape(row.assumes)}</small><br>" if row.assumes else ""
    return f"<span{weaker}>Promise: {escape(row.told_promise)}</span><br>{assumes}"


def unaffected(result: Result) -> str:
    """Return which claims are unaffected, folded away."""
    rows = [row for row in result.claims if not row.affected]
    if not rows:
        return ""
    listed = "".join(
        f"<li><code>{row.claim.id}</code>: {escape(row.why)} {promised(row)}</li>" for row in rows
    )
    return f"<details><summary>{len(rows)} unaffected</summary><ul>{listed}</ul></details>"
