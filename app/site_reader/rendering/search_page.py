"""The results of a search as a page of its own, for those who have no script."""

from __future__ import annotations

from collections.abc import Sequence

from app.formats.markdown.safe_html import followed
from app.site_reader.rendering import feedback, navigation
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text, words
from app.site_reader.rendering.page import search_form, whole
from app.site_reader.rendering.render_context import SearchHit, SearchView
from app.site_reader.texts import say


def search_html(searched: SearchView) -> str:
    """Render what a search has found, as a page for those who have no script."""
    site, found = searched.site, searched.found
    hits = el("ol", {"class": "hits"}, *map(_hit, found.hits)) if found.hits else NOTHING
    said = el("p", {"role": "status"}, text(found_text(searched))) if searched.query else NOTHING
    query = words(searched.query, 100)
    title = say("search.title", query=query) if query else say("search")
    form = search_form(site, searched.query)
    missing = (
        NOTHING if searched.found.count else feedback.missing(searched.missing_href, query=searched.query)
    )
    main = el(
        "main",
        {"id": "~content", "tabindex": -1},
        el("article", None, el("h1", None, text(say("search"))), form, said, hits, _turns(searched), missing),
    )
    side = navigation.side(site, searched.tree, None) if searched.tree is not None else NOTHING
    return whole(site, title, main, side)


def found_text(searched: SearchView) -> str:
    """Return how many pages a search has found, and which of them are shown."""
    query, found, count = words(searched.query, 100), searched.found, searched.found.count
    if not count:
        return say("search.nothing", query=query)
    name = "search.found.more" if found.is_partial and count > 1 else "search.found"
    number = say(name, count=count, query=query)
    if count == len(found.hits):
        return number
    first, last = searched.start + 1, searched.start + len(found.hits)
    shown = say("search.these", first=first, last=last) if found.hits else say("search.beyond")
    return f"{number} {shown}"


def _turns(searched: SearchView) -> Html:
    """Render the links to what comes before and after the hits that are shown."""
    made = [
        el("a", {"class": "button", "href": followed(href), "rel": rel}, text(say(name)))
        for href, rel, name in (
            (searched.before, "prev", "search.before"),
            (searched.after, "next", "search.after"),
        )
        if href
    ]
    return el("nav", {"class": "buttons", "aria-label": say("search.more")}, *made) if made else NOTHING


def _hit(hit: SearchHit) -> Html:
    link = el("a", {"href": followed(hit.href)}, _marked(hit.title_parts))
    place = el("small", None, text(words(hit.place, 128))) if hit.place else NOTHING
    about = el("p", None, _marked(hit.excerpt_parts)) if hit.excerpt else NOTHING
    below = [
        el(
            "li",
            None,
            el("a", {"href": followed(each.href)}, _marked(each.heading_parts)),
            el("p", None, _marked(each.excerpt_parts)) if each.excerpt else NOTHING,
        )
        for each in hit.sections
    ]
    return el("li", None, link, place, about, el("ul", None, *below) if below else NOTHING)


def _marked(parts: Sequence[str]) -> Html:
    """Render a text in which every second part is marked."""
    return joined(el("mark", None, text(part)) if n % 2 else text(part) for n, part in enumerate(parts))
