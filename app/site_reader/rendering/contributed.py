"""Where a block of an integration stands on a page: what is read there before, or without, its script.

The reader's own script asks for the block and puts it in this place; without it a link leads there.
"""

from __future__ import annotations

from collections.abc import Callable

from app.formats.dialect.nodes import Node
from app.site_reader.rendering.icons import icon
from app.site_reader.rendering.markup import NOTHING, Html, el, text, words
from app.site_reader.rendering.render_context import Here

Maker = Callable[[Node, Here], Html]
MOST = 50  # on one page


def or_plain(make: Maker) -> Maker:
    """A maker of what a node is by itself, for nodes that may ask for a block of an integration."""

    def made(node: Node, here: Here) -> Html:
        asked = here.page.offer.asked_by(node)
        if asked is None or here.page.contributed >= MOST:
            return make(node, here)
        here.page.contributed += 1
        href = f"{here.page.asking}/{asked.key}"
        plain = NOTHING if node["type"] == "integration" else make(node, here)
        title = el("strong", None, text(words(asked.block.title)))
        way = el("a", {"class": "card-link", "href": href, "rel": "nofollow"}, icon("arrow-right"), title)
        return el("div", {"class": "contributed", "data-block": href}, plain, way)

    return made
