"""Directives and roles: code that the build runs, drawings, links to claims and chapters."""

from __future__ import annotations

import contextlib
import io
import traceback
from typing import TYPE_CHECKING, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from docs.generator import drawings
from docs.generator.names import CLAIMS, PLACE, claim_label, found, label, place_label, title

if TYPE_CHECKING:
    from docutils.parsers.rst.states import Inliner

Roles = tuple[list[nodes.Node], list[nodes.system_message]]


class Run(SphinxDirective):
    """Run Python while the site is built; show the code and what it prints.

    The blocks of a page share their names. An exception fails the build. Every build reads a page
    with such a block anew, because what it shows depends on the code of the specification.
    """

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the code and its output."""
        self.env.note_reread()
        code = "\n".join(self.content)
        spaces: dict[str, dict[str, object]] = self.env.temp_data.setdefault("run", {})
        space = spaces.setdefault(self.env.docname, {"__name__": self.env.docname})
        printed = io.StringIO()
        filename = f"<{self.env.docname}, line {self.lineno}>"
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(code, filename, "exec", dont_inherit=True), space)
        except Exception:
            raise self.error(f"the code of {filename} failed:\n{traceback.format_exc()}") from None
        shown = nodes.literal_block(code, code, language="python")
        told = printed.getvalue().rstrip("\n")
        if not told:
            return [shown]
        output = nodes.literal_block(told, told, language="text")
        return [shown, nodes.container("", output, classes=["output"])]


class Drawing(SphinxDirective):
    """Draw a picture by name, with a caption; every build draws it anew."""

    required_arguments = 1
    final_argument_whitespace = False
    has_content = True
    option_spec: ClassVar = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Return the picture as a part of the page, so that it takes over the page's colours."""
        self.env.note_reread()
        svg = drawings.draw(self.arguments[0])
        start = nodes.raw("", f'<figure class="drawing">{svg}<figcaption>', format="html")
        caption = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, caption)
        end = nodes.raw("", "</figcaption></figure>", format="html")
        return [start, *caption.children, end]


def claim(
    name: str,
    rawtext: str,
    text: str,
    lineno: int,
    inliner: Inliner,
    options: dict[str, object] | None = None,
    content: list[str] | None = None,
) -> Roles:
    """Link to a claim by its name; a name that is none fails the build."""
    del name, options, content
    if text not in CLAIMS:
        message = inliner.reporter.error(f"there is no claim {text}", line=lineno)
        return [inliner.problematic(rawtext, rawtext, message)], [message]
    return [reference(inliner, claim_label(text), title(text))], []


def chapter(
    name: str,
    rawtext: str,
    text: str,
    lineno: int,
    inliner: Inliner,
    options: dict[str, object] | None = None,
    content: list[str] | None = None,
) -> Roles:
    """Link to an object of spec by its dotted name; one that does not exist fails the build."""
    del name, options, content
    if not found(text):
        message = inliner.reporter.error(f"there is no {text}", line=lineno)
        return [inliner.problematic(rawtext, rawtext, message)], [message]
    return [reference(inliner, label(text), text)], []


def place(
    name: str,
    rawtext: str,
    text: str,
    lineno: int,
    inliner: Inliner,
    options: dict[str, object] | None = None,
    content: list[str] | None = None,
) -> Roles:
    """Link to a place of the paper; one that nothing comes from fails the build."""
    del name, options, content
    named = PLACE.fullmatch(text)
    if named is None:
        message = inliner.reporter.error(f"{text} is no place of the paper", line=lineno)
        return [inliner.problematic(rawtext, rawtext, message)], [message]
    return [reference(inliner, place_label(named[1], named[2]), text)], []


def reference(inliner: Inliner, target: str, text: str) -> nodes.Node:
    """Return a link to a label."""
    link = addnodes.pending_xref(
        "",
        nodes.inline(text, text),
        refdomain="std",
        reftype="ref",
        reftarget=target,
        refexplicit=True,
        refwarn=True,
    )
    link["refdoc"] = inliner.document.settings.env.docname
    return link
