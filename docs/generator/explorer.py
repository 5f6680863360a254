"""The explorer: sliders for epsilon, delta and the sparsity budget over figures that are certified.

Nothing is computed in the page: every figure stands in `docs/tightness.csv`, or was enclosed while
the site was built.
"""

from __future__ import annotations

import csv
import json
from fractions import Fraction

from docs.generator.names import ROOT
from sandproof.parameters_told import query
from spec import PAPER

COLUMNS = ("epsilon", "delta", "sparsity", "threshold", "ratio", "smallest", "lower")

PAGE = """# Explore τ, noise and δ

Choose ε and δ of a query and the sparsity budget Λ0. Every figure is certified and was computed
before: those of [the tightness table](/tightness.md), at Λ1 = {budget}, and the noise as
`sandproof params` prints it.

```{{raw}} html
<form id="explorer">
<p><label><span>ε</span> <input type="range" name="epsilon"></label>
<output name="epsilon-is"></output></p>
<p><label><span>δ</span> <input type="range" name="delta"></label>
<output name="delta-is"></output></p>
<p><label><span>Λ0</span> <input type="range" name="sparsity"></label>
<output name="sparsity-is"></output></p>
</form>
<table class="docutils explored"><tbody>
<tr><td>⌊τ⌋ of the paper</td><td id="threshold"></td></tr>
<tr><td>the smallest sound ⌊τ⌋</td><td id="smallest"></td></tr>
<tr><td>standard deviation of the noise</td><td id="deviation"></td></tr>
<tr><td>exact worst δ at the paper's ⌊τ⌋, as a share of δ</td><td id="ratio"></td></tr>
</tbody></table>
<figure class="drawing"><svg id="curve" viewBox="0 0 400 250" width="400" height="250" role="img"
 aria-label="The exact worst delta by epsilon" font-size="13" fill="currentColor"></svg>
<figcaption>The exact worst δ of a query, as a share of the δ that is asked for, by ε, at the chosen
δ and Λ0. The promise is 1: the curve stays below it, and the circle is the chosen ε.</figcaption>
</figure>
<noscript><p>The sliders need a script; the table of all figures does not.</p></noscript>
<script>
const DATA = {data};
{script}
</script>
```
"""

SCRIPT = """
const form = document.getElementById("explorer");
const names = ["epsilon", "delta", "sparsity"];
for (const name of names) {
  const slider = form.elements[name];
  slider.min = 0; slider.max = DATA[name].length - 1; slider.step = 1;
  slider.value = DATA.start[name];
}
const number = (text) => text.includes("/")
  ? text.split("/").reduce((top, under) => top / under) : Number(text);
const row = (...chosen) => DATA.rows[chosen.join(" ")];
function show() {
  const [epsilon, delta, sparsity] = names.map((name) => {
    const value = DATA[name][form.elements[name].value];
    form.elements[name + "-is"].value = value;
    form.elements[name].setAttribute("aria-valuetext", value);
    return value;
  });
  const found = row(epsilon, delta, sparsity);
  document.getElementById("threshold").textContent = found.threshold;
  document.getElementById("smallest").textContent = `${found.smallest} (lower by ${found.lower})`;
  document.getElementById("deviation").textContent = DATA.deviation[epsilon];
  document.getElementById("ratio").textContent = found.ratio;
  const left = 56, foot = 205, wide = 320, high = 180, lowest = DATA.lowest;
  const first = Math.log(number(DATA.epsilon[0]));
  const last = Math.log(number(DATA.epsilon.at(-1)));
  const x = (each) => left + wide * (Math.log(number(each)) - first) / (last - first);
  const y = (each) => foot - high * (1 - Math.max(Math.log10(number(each)), lowest) / lowest);
  const points = DATA.epsilon.map((each) => `${x(each)},${y(row(each, delta, sparsity).ratio)}`);
  const ticks = [];
  for (let power = 0; power >= lowest; power -= 2)
    ticks.push(`<text x="${left - 6}" y="${y(`1e${power}`) + 4}" text-anchor="end">` +
      `${power ? `1e${power}` : 1}</text>`);
  for (const each of ["1/100", "1/10", "1", "10"])
    ticks.push(`<text x="${x(each)}" y="${foot + 18}" text-anchor="middle">${each}</text>`);
  document.getElementById("curve").innerHTML =
    `<path d="M${left} ${foot - high}V${foot}H${left + wide}" fill="none" stroke="currentColor"/>` +
    `<path d="M${left} ${foot - high}h${wide}" stroke="currentColor" stroke-dasharray="5 4"/>` +
    `<text x="${left + wide}" y="${foot - high - 6}" text-anchor="end">promised</text>` +
    `<text x="${left + wide}" y="${foot + 36}" text-anchor="end">ε</text>` + ticks.join("") +
    `<polyline points="${points.join(" ")}" fill="none" stroke="currentColor" stroke-width="2"/>` +
    `<circle cx="${x(epsilon)}" cy="${y(found.ratio)}" r="6"/>`;
}
form.addEventListener("input", show);
show();
"""


def rows() -> list[dict[str, str]]:
    """Read the figures of the tightness table."""
    with (ROOT / "docs" / "tightness.csv").open(encoding="utf-8", newline="") as file:
        _, *lines = csv.reader(file)
    return [dict(zip(COLUMNS, line, strict=False)) for line in lines]


def deviation(epsilon: str) -> str:
    """Return the certified standard deviation of the noise of a query."""
    entries = query(PAPER.limits, Fraction(epsilon), Fraction(0))
    return next(each.text for each in entries if each.name == "noise_deviation")


def data() -> dict[str, object]:
    """Return all figures, by the values of the sliders."""
    table = rows()
    values = {
        name: sorted({row[name] for row in table}, key=Fraction)
        for name in ("epsilon", "delta", "sparsity")
    }
    limits = PAPER.limits
    papers = {"epsilon": limits.epsilon, "delta": limits.delta, "sparsity": limits.sparsity_budget}
    lowest = min(Fraction(row["ratio"]) for row in table)
    exponent = 0
    while Fraction(10) ** exponent > lowest:
        exponent -= 1
    return {
        **values,
        "start": {
            name: [Fraction(each) for each in values[name]].index(Fraction(papers[name]))
            for name in values
        },
        "deviation": {each: deviation(each) for each in values["epsilon"]},
        "lowest": exponent,
        "rows": {f"{row['epsilon']} {row['delta']} {row['sparsity']}": row for row in table},
    }


def pages() -> dict[str, str]:
    """Return the page of the explorer."""
    found = json.dumps(data(), ensure_ascii=False)
    text = PAGE.format(budget=PAPER.limits.contribution_budget, data=found, script=SCRIPT)
    return {"explorer.md": text}
