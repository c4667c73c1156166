"""Tabs that need no script."""

from __future__ import annotations

from collections.abc import Iterable

from app.site_reader.rendering.markup import Html, el, void
from app.site_reader.rendering.render_context import Page


def tabs(page: Page, items: Iterable[tuple[Html, Html]], label: str = "Tabs") -> Html:
    """Titles with what they show: radio buttons show their panel. On paper all panels are there."""
    page.tabs += 1
    number, made = page.tabs, []
    for place, (title, inside) in enumerate(items):
        name = f"~tab-{number}-{place}"
        chosen = {"type": "radio", "name": f"~tabs-{number}", "id": name, "checked": place == 0}
        made += [
            void("input", chosen),
            el("label", {"for": name}, title),
            el("div", {"class": "panel"}, inside),
        ]
    return el("div", {"class": "tabs", "role": "group", "aria-label": label}, *made)
