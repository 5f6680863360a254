"""A result as one self-contained HTML page, with the attack as a timeline to step through."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sandproof.claim_result import AttackRecord, ClaimResult, told_alarm
from sandproof.formats import stepper
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
.story { white-space: pre-wrap; overflow-wrap: anywhere; }
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
@media (max-width: 40rem) { table, tbody, tr, td { display: block; } thead { display: none; }
  td { border: 0; padding: .1rem 0; } tr { border-bottom: 1px solid var(--line);
  padding: .5rem 0; display: block; } }
"""


def as_html(results: Sequence[Result]) -> str:
    """Return results as one page that asks for nothing from outside."""
    title = ", ".join(f"{result.about.name}: {result.verdict.value}" for result in results)
    return whole_page(title, "\n".join(section(result) for result in results))


def whole_page(title: str, body: str) -> str:
    """Return a page with a body, in the style of reports."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{escape(title)}</title>
<style>{STYLE}{stepper.STYLE}</style>
</head>
<body>
<main>
{body}
</main>
<script>{stepper.SCRIPT}</script>
</body>
</html>"""


def section(result: Result) -> str:
    """Return one result."""
    about = result.about
    parts = [
        f"<h1>{escape(about.name)}</h1>",
        f'<p class="verdict {result.verdict.value}">{breakable(result.headline)}</p>',
    ]
    found, sentence = why(result), opening(result)
    if sentence:
        said = "" if found is None else f"<br>{escape(found.claim.statement)}"
        opened = breakable(sentence[0].upper() + sentence[1:])
        parts.insert(1, f"<p><strong>{opened}.</strong>{said}</p>")
    if about.text:
        parts.append(f'<pre class="story">{escape(about.text)}</pre>')
    if about.relation:
        parts.append(
            f"<p>Neighbours: {escape(about.relation)}: {escape(about.relation_meaning)}.</p>"
        )
    for row in result.guarantees(Verdict.REFUTED):
        parts.append(f"<h2>How <code>{row.claim.id}</code> is broken</h2>")
        if row.attack is not None:
            parts.append(broken(row.attack, row.claim.id))
            continue
        parts += [f"<p>{escape(each)}</p>" for each in row.told_counterexample]
    parts += [
        f"<p>With {result.about.whose} <code>{escape(repair.field)}</code> put back, "
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


def breakable(text: str) -> str:
    """Return a text whose long names may be broken between their words."""
    return escape(text).replace("_", "_<wbr>")


def broken(attack: AttackRecord, name: str) -> str:
    """Return an attack to step through, and its story in words."""
    told = f'<pre class="story">{escape(attack.story)}</pre>'
    if attack.steps:
        told = f"<details open><summary>The attack in words</summary>{told}</details>"
    return stepper.stepper(attack, name) + told


def changes(result: Result) -> str:
    """Return what changed against published rules."""
    parts = []
    for change in result.about.changes:
        parts.append(
            f"<p><code>{escape(change.field)}</code>: <code>{escape(change.before)}</code> becomes "
            f"<code>{escape(change.after)}</code></p>"
        )
        if change.source:
            parts.append(f"<pre><code>{escape(change.source)}</code></pre>")
    heading = f"<h2>Changed against {result.about.whose} rules</h2>"
    return heading + "".join(parts) if parts else ""


def instead(result: Result) -> str:
    """Return which parts of the published proof fall, if guarantees hold without them."""
    if not result.decided_instead:
        return ""
    names = ", ".join(f"<code>{row.claim.id}</code>" for row in result.fallen)
    listed = "".join(
        f"<li><code>{row.claim.id}</code>: {row.verdict.value}</li>"
        for row in result.decided_instead
    )
    return (
        f"<h2>{escape(result.about.lost_proof)}</h2><p>Because of {names}. "
        f"The guarantees were decided instead, as the table tells:</p><ul>{listed}</ul>"
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
