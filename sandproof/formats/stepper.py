"""An attack as HTML: its moves to step through, with both worlds side by side.

The report and the site show it; each brings the style and the script once per page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from html import escape
from typing import cast

from properties.numerals import beside
from sandproof.claim_result import AttackRecord, Json
from sandproof.formats.svg import attack_curve, noise_curve

STYLE = """
.timeline { border: 1px solid var(--line); border-radius: 6px; padding: .75rem; }
.timeline:focus-visible { outline: 3px solid var(--open); }
.timeline ol { padding-left: 1.5rem; margin: .75rem 0 0; }
.timeline li { border-left: 3px solid var(--line); padding: .25rem .75rem; }
.stepping li { opacity: .55; } .stepping li[aria-current] { opacity: 1; }
.timeline li[aria-current] { border-color: var(--bad); background: var(--panel); }
.worlds { display: grid; grid-template-columns: 1fr 1fr; gap: .25rem 1rem; margin: .25rem 0; }
.worlds > div { border-top: 2px solid var(--line); padding-top: .15rem; }
.worlds.differ > div { border-color: var(--bad); }
.worlds b { color: var(--faint); font-weight: 400; font-size: .85rem; display: block; }
.worlds small { display: block; color: var(--faint); }
.bar { height: .4rem; background: var(--line); } .bar span { display: block; height: 100%;
  background: var(--bad); }
.curve { margin: 1rem 0; } .curve svg { max-width: 100%; height: auto; }
.timeline button { font: inherit; padding: .3rem .8rem; }
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


def stepper(attack: AttackRecord, name: str) -> str:
    """Return an attack as steps in two worlds, and the curve of what it shows."""
    if not attack.steps:
        return curve_of(attack) + noise_of(attack)
    steps = "\n".join(f"<li>{step_of(step)}</li>" for step in attack.steps)
    return f"""<section class="timeline" tabindex="0" aria-label="The attack on {escape(name)}">
<button type="button" class="back">Previous step</button>
<button type="button" class="next">Next step</button>
<span aria-live="polite">{len(attack.steps)} steps; the arrow keys step, too.</span>
<ol>
{steps}
</ol>
</section>
{curve_of(attack)}
{noise_of(attack)}"""


def step_of(step: Json) -> str:
    """Return one step: the move, and what there is in each world."""
    seen = str(step.get("seen") or "")
    likely = step.get("probability_with"), step.get("probability_without")
    if likely == ("1", "1"):
        likely = None, None
    worlds = [
        world("with x", seen, likely[0], step.get("ledger_with")),
        world(
            "without x",
            str(step.get("seen_without", seen) or ""),
            likely[1],
            step.get("ledger_without"),
        ),
    ]
    differ = worlds[0].replace("with x", "without x", 1) != worlds[1]
    marked = "worlds differ" if differ else "worlds"
    times = step.get("times", 1)
    again = f" ({times} times)" if times != 1 else ""
    move = escape(f"{step.get('move', '')}{again}")
    elsewhere = "".join(
        f"<small>If something else is seen, next: {escape(str(each))}</small>"
        for each in cast(list[str], step.get("otherwise") or [])
    )
    return f'<strong>{move}</strong><div class="{marked}">{"".join(worlds)}</div>{elsewhere}'


def world(name: str, seen: str, probability: object, ledger: object) -> str:
    """Return what is seen in one world, how likely that is so far, and what the ledgers hold."""
    likely = ""
    if probability not in (None, ""):
        share = Fraction(str(probability))
        width = round(100 * min(max(share, Fraction(0)), Fraction(1)))
        likely = (
            f"<small>probability so far of what tells most: {escape(beside(share))}</small>"
            f'<div class="bar" aria-hidden="true"><span style="width: {width}%"></span></div>'
        )
    kept = f"<small>ledgers: {escape(str(ledger))}</small>" if ledger else ""
    return f"<div><b>{name}</b>{escape(seen) or 'nothing is seen'}{likely}{kept}</div>"


def noise_of(attack: AttackRecord) -> str:
    """Return the noise that an attack is up against, and the threshold, if it meets noise."""
    noise = attack.data.get("noise")
    if not isinstance(noise, Mapping):
        return ""
    worlds = (("true sum with x", "with_x"), ("true sum without x", "without_x"))
    sums = [(name, noise[key]) for name, key in worlds if noise[key] is not None]
    base = 1.0 if noise["base"] == "e" else math.log(Fraction(noise["base"]))
    scale = 1 / (float(Fraction(noise["rate"])) * base)
    threshold = noise["threshold"]
    marked = [] if threshold is None else [("⌊τ⌋", threshold)]
    reach = math.inf if threshold is None else threshold
    drawn = noise_curve(sums, scale, marked, reach)
    return f'<figure class="curve">{drawn}</figure>'


def curve_of(attack: AttackRecord) -> str:
    """Return the curve of what an attack shows against the promise, if it has probabilities."""
    data = attack.data
    names = ("probability", "other_probability", "power", "allowed_delta")
    if any(data.get(name) in (None, "") for name in names):
        return ""
    probability, other, power, allowed = (Fraction(str(data[name])) for name in names)
    if probability <= 0 or power <= 0:
        return ""
    exact = bool(data.get("exact", True))
    worst = [
        (Fraction(times), Fraction(delta))
        for times, delta in cast(list[tuple[str, str]], data.get("curve", []))
    ]
    epsilon = str(data.get("epsilon", ""))
    drawn = attack_curve(probability, other, power, allowed, epsilon, exact, worst)
    return f'<figure class="curve">{drawn}</figure>'
