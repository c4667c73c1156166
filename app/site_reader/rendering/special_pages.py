"""Pages that are none of a space: what is not there or not for this visitor, and what a search has found."""

from __future__ import annotations

from app.formats.markdown.safe_html import followed
from app.site_reader.rendering import head, layout, navigation, ui_elements
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text, void, words
from app.site_reader.rendering.view_models import (
    ErrorView,
    IntegrationBlockView,
    SearchHit,
    SearchView,
    SiteView,
)


def error_html(refusal: ErrorView) -> str:
    """Render a page that says why there is none, with the way on where there is one."""
    site = refusal.site
    href = followed(refusal.action[1]) if refusal.action else None
    away = (
        el("p", None, el("a", {"class": "button primary", "href": href}, text(refusal.action[0])))
        if refusal.action and href
        else NOTHING
    )
    searching = search_form(site, "") if site and site.searchable else NOTHING
    home = (
        el("p", None, el("a", {"href": site.home}, text(f"To the start of {words(site.title, 80)}")))
        if site
        else NOTHING
    )
    inside = [
        el("p", {"class": "status"}, text(refusal.status)),
        el("h1", None, text(words(refusal.title))),
        el("p", {"class": "about"}, text(refusal.message)),
        away,
        searching,
        home,
    ]
    main = el("main", {"id": "~content", "class": "refusal", "tabindex": -1}, *inside)
    return _whole(site, refusal.title, main)


def search_html(searched: SearchView) -> str:
    """Render what a search has found, as a page for those who have no script."""
    site = searched.site
    found = el("ol", {"class": "hits"}, *(_hit(hit) for hit in searched.hits)) if searched.hits else NOTHING
    said = NOTHING
    if searched.query:
        count = len(searched.hits)
        number = (
            "Nothing was found"
            if not count
            else "One place was found"
            if count == 1
            else f"{count} places were found"
        )
        said = el("p", {"role": "status"}, text(f"{number} for “{words(searched.query, 100)}”."))
    title = f"Search: {words(searched.query, 100)}" if searched.query else "Search"
    form = search_form(site, searched.query)
    main = el(
        "main",
        {"id": "~content", "tabindex": -1},
        el("article", None, el("h1", None, text("Search")), form, said, found),
    )
    side = navigation.side(site, searched.tree, None) if searched.tree is not None else NOTHING
    return _whole(site, title, main, side)


def integration_block_html(shown: IntegrationBlockView) -> str:
    """Render a block of an integration as a page, for those who have no script."""
    back = el("a", {"href": followed(shown.page_href)}, text(f"To “{words(shown.page_title, 80)}”"))
    title = el("h1", None, text(words(shown.title)))
    inside = [title, el("div", {"class": "body"}, ui_elements.block_form(shown)), el("p", None, back)]
    main = el("main", {"id": "~content", "tabindex": -1}, el("article", None, *inside))
    return _whole(shown.site, shown.title, main)


def search_form(site: SiteView, query: str) -> Html:
    """Render a field to search the site with."""
    field = {
        "type": "search",
        "name": "q",
        "value": query,
        "aria-label": "Search this site",
        "maxlength": 512,
    }
    button = el("button", {"class": "button primary"}, text("Search"))
    form = {"action": f"{site.base}/~/search", "role": "search", "class": "search-form"}
    return el("form", form, void("input", field), layout.variant_field(site), button)


def _hit(hit: SearchHit) -> Html:
    title = text(words(hit.title))
    if hit.heading and hit.heading != hit.title:
        title = joined([title, text(" › "), text(words(hit.heading))])
    place = el("small", None, text(words(hit.place, 128))) if hit.place else NOTHING
    link = el("a", {"href": followed(hit.href)}, title)
    return el("li", None, link, place, el("p", None, text(words(hit.excerpt))) if hit.excerpt else NOTHING)


def _whole(site: SiteView | None, title: str, main: Html, side: Html = NOTHING) -> str:
    robots = void("meta", {"name": "robots", "content": "noindex"})
    if site is None:  # nothing of it is said; our own files are found below any address
        sheet = void("link", {"rel": "stylesheet", "href": head.asset_address("", "reader.css").lstrip("/")})
        return str(head.root(None, "en", head.head(None, title, robots, sheet), el("body", None, main)))
    parts = [
        layout.skip(),
        layout.header(site, has_menu=bool(side)),
        el("div", {"class": "frame"}, side, main),
        layout.footer(site),
        layout.search_dialog(site) if site.searchable else NOTHING,
    ]
    return str(head.root(site, "en", head.head(site, title, robots), el("body", None, *parts)))
