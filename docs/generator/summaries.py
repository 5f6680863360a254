"""A line of context for every search result, from texts that the build writes beside the index.

Sphinx would fetch the pages that it finds, which a browser refuses where the site is opened from
disk. So the texts are a script that only the search page loads.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

LONGEST = 4000
"""The most characters of a page that are kept."""

SCRIPT = """
const LINE = 160;
function context(text, words) {
  const lower = text.toLowerCase();
  const phrase = lower.indexOf(words.join(" "));
  const places = phrase >= 0 ? [phrase]
    : words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const from = Math.max(0, (places.length ? Math.min(...places) : 0) - LINE / 2);
  const cut = text.slice(from, from + LINE).trim();
  return (from ? "… " : "") + cut + (from + LINE < text.length ? " …" : "");
}
document.addEventListener("DOMContentLoaded", () => {
  const results = document.getElementById("search-results");
  const asked = new URLSearchParams(location.search).get("q") || "";
  const words = asked.toLowerCase().split(/\\s+/).filter(Boolean);
  if (!results) return;
  new MutationObserver(() => {
    for (const item of results.querySelectorAll("li:not(.told)")) {
      item.classList.add("told");
      const page = item.querySelector("a").getAttribute("href").replace(/\\.html.*/, "");
      if (!(page in SUMMARIES)) continue;
      const line = document.createElement("p");
      line.className = "context";
      line.textContent = context(SUMMARIES[page], words);
      item.append(line);
    }
  }).observe(results, { childList: true, subtree: true });
});
"""


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the texts of all pages, once they are built."""
    if error is not None or app.builder.name != "html":
        return
    found = {}
    for name in sorted(app.env.found_docs):
        shown = app.env.get_doctree(name).findall(nodes.paragraph)
        found[name] = " ".join(" ".join(map(words_of, shown)).split())[:LONGEST]
    told = json.dumps(found, ensure_ascii=False)
    path = Path(app.outdir) / "_static" / "summaries.js"
    path.write_text(f"const SUMMARIES = {told};\n{SCRIPT}", encoding="utf-8")


def words_of(paragraph: nodes.paragraph) -> str:
    """Return the words of a paragraph, without formulas and HTML."""
    left_out = (nodes.raw, nodes.math)
    return "".join(
        each.astext() if not isinstance(each.parent, left_out) else "…"
        for each in paragraph.findall(nodes.Text)
    )


def load(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, object], doctree: object
) -> None:
    """Let the search page load the texts."""
    del templatename, context, doctree
    if pagename == "search":
        app.add_js_file("summaries.js")
