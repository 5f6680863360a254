"""The part of the site that is generated: chapters, claims, catalogue, pictures, reference.

Pages are written to `docs/_generated` before Sphinx reads its sources. Whatever a page refers to
is looked up first, and what is not there fails the build.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the generator and the directives to Sphinx."""
    from sphinx.errors import ExtensionError

    from docs.generator.names import faults

    missing = faults()
    if missing:
        raise ExtensionError("\n".join(missing))
    from docs.generator import blocks, pages, summaries

    app.add_config_value("catalogue_only", "", "env", str)
    app.add_config_value("generated", "yes", "env", str)
    app.add_directive("run", blocks.Run)
    app.add_directive("drawing", blocks.Drawing)
    app.add_role("claim", blocks.claim)
    app.add_role("chapter", blocks.chapter)
    app.add_role("place", blocks.place)
    app.connect("html-page-context", summaries.load)
    app.connect("build-finished", summaries.write)
    if app.config.generated == "yes":
        app.connect("builder-inited", pages.generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
