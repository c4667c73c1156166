"""Diagrams: pictures for light and dark pages, with the text that they were made of below."""

from __future__ import annotations

from typing import Any

from app.formats.diagrams import drawing
from app.formats.markdown.nodes import Node
from app.site_reader.rendering import leaf_blocks
from app.site_reader.rendering.markup import Html, el, text, void, words
from app.site_reader.rendering.render_context import PageContext
from app.site_reader.texts import say

MOST = 50  # on one page
THEMES = ("light", "dark")


def code(node: Node, ctx: PageContext) -> Html:
    """Render code, or the diagram that it is; what is beyond the limit stays code."""
    source = drawing.source_in(node) if ctx.page.diagrams else None
    if source is None or ctx.page.drawn >= MOST:
        return leaf_blocks.code(node, ctx)
    ctx.page.drawn += 1
    name = drawing.key(source)
    at = f"{ctx.page.diagrams}/{name}"
    width, height = ctx.page.diagram_sizes.get(name, (None, None))
    size = {"width": width, "height": height}
    alt = words(drawing.title(source)) or say("diagram")
    shown: dict[str, Any] = {"alt": alt, **size, "loading": "lazy", "decoding": "async"}
    pictures = (
        void("img", {"src": f"{at}-{theme}.svg", "class": f"on-{theme}", **shown}) for theme in THEMES
    )
    summary = el("summary", None, text(say("diagram.source")))
    below = el("details", None, summary, leaf_blocks.code(node, ctx))
    return el("figure", {"class": "diagram"}, *pictures, below)
