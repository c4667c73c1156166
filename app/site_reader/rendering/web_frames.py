"""Web frames of integrations: pages in a page, each at the origin of its integration where it has one.

The reader's script shows them at the height that they tell and passes messages: to a page of the integration
itself alone, whose origin it compares.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import orjson

from app.formats.markdown.safe_html import followed
from app.site_reader.rendering.markup import NOTHING, Html, el, is_elsewhere
from app.site_reader.rendering.ui_controls import Element, ElementContext

MAY = (
    "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads"
)
"""All but what would reach beyond the frame; it is never at the origin of the page around it."""
FLATTEST, WIDEST = 0.02, 50


def web_frame(element: Element, ui: ElementContext, buttons: Html) -> Html:
    """Render a page in the page, with what the script needs to know of it."""
    url = ui.frames.moved(str(ui.value(element["source"]["url"])))
    href, origin = followed(url), ui.frames.origin(url)
    if href is None or not is_elsewhere(href):
        return NOTHING
    told = {name: ui.value(given) for name, given in (element.get("data") or {}).items()}
    frame = {
        "src": href,
        "title": urlsplit(href).hostname,
        "loading": "lazy",
        "sandbox": MAY,
        "allow": "clipboard-write; fullscreen",
        "referrerpolicy": "no-referrer",
    }
    about = {
        "class": "web-frame",
        "data-origin": origin or None,
        "data-ratio": ratio_of(ui.value(element.get("aspectRatio"))) or None,
        "data-state": orjson.dumps(told).decode() if told and origin else None,
    }
    return el("div", about, el("iframe", frame), buttons)


def ratio_of(given: object) -> float:
    """Return the ratio of width to height that a frame asks for; 0 for none that can be shown."""
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    return round(float(given), 4) if is_number and FLATTEST <= given <= WIDEST else 0  # type: ignore[operator,arg-type]
