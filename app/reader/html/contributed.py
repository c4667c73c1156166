"""Where a block of an integration stands on a page: what is read there before, or without, its script.

The reader's own script asks for the block and puts it in this place; without it a link leads there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from app.content.dialect.nodes import Node
from app.reader.html import controls
from app.reader.html.icons import icon
from app.reader.html.markup import NOTHING, Html, el, text, void, words
from app.reader.html.setting import Here
from app.reader.reading import Contributed

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


def filled(shown: Contributed) -> Html:
    """A block as its script rendered it: a form that hands back what the script said."""
    from app.reader.html.elements import element_html

    state, element = shown.output.get("state") or {}, shown.output.get("element")
    props = shown.output.get("props") or {}
    said = shown.seal(controls.SHOWN, {"component": shown.component, "state": state, "props": props})
    inside = element_html(element, state, partial(shown.seal, controls.DO)) if element else NOTHING
    form = {"method": "post", "action": shown.href, "class": "contributed filled"}
    hidden = void("input", {"type": "hidden", "name": controls.SHOWN, "value": said})
    return el("form", form, hidden, inside, _way_back(shown))


def _way_back(shown: Contributed) -> Html:
    """What is in place of the block, a modal, can be left for it."""
    if (shown.output.get("element") or {}).get("type") != "modal":
        return NOTHING
    return el("p", None, el("a", {"href": shown.href, "data-back": True}, text("Close")))
