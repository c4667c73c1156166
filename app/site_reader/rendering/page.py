"""Pages of a site as HTML: those of a space, and those of none (errors, search, blocks of integrations).

A page of a site as HTML: what stands around it, and its body block by block.

Pages that are none of a space: what is not there or not for this visitor, and what a search has found.
"""

from __future__ import annotations

from typing import Any

from app.formats.markdown import nodes
from app.formats.markdown.nodes import Node
from app.formats.markdown.safe_html import followed
from app.present.html_links import HtmlSource, LinkResolver, LinkTarget
from app.site_reader.rendering import blocks, feedback, head, layout, navigation, theme, ui_elements
from app.site_reader.rendering.images import icon, pictogram, picture
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text, void, words
from app.site_reader.rendering.render_context import (
    ErrorView,
    FeedbackView,
    IntegrationBlockView,
    PageContext,
    PageState,
    PageView,
    SearchHit,
    SearchView,
    SiteView,
)

CUT = "This page is too long to be shown as a whole."
_HEIGHT, _HIDDEN = 320, 240  # pixels of a cover that are shown, and that are not, unless more is known
_LARGE = ("hero", "full", "background")  # sizes of a cover that stands above the article
_SHOWN = ("cover", "title", "description", "tableOfContents", "outline", "pagination")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def page_html(view: PageView) -> str:
    """Render the whole page."""
    return _PageWriter(view).html()


def body_html(view: PageView) -> tuple[Html, PageState]:
    """Render the blocks of a page with its notes; also returns what was found on the way."""
    computed = getattr(view.page, "computed", None) is not None
    page = PageState(apis=view.apis, is_computed=computed, offer=view.offer, asking=view.asking)
    if view.document is None:
        return NOTHING, page
    return _document(without_title(view.document["nodes"], view.page.title), view.links, page), page


def text_html(source: HtmlSource) -> str:
    """Render a text by itself."""
    page = PageState(apis=source.apis, is_computed=source.is_computed)
    return str(_document(without_title(source.nodes, source.title), source.links, page))


def _document(inside: list[Node], links: LinkResolver, page: PageState) -> Html:
    """Render blocks and their notes."""
    made = [blocks.blocks(inside, PageContext(page, links)), _notes(page)]
    if page.is_cut:
        made.append(el("p", {"class": "cut"}, text(CUT)))
    return joined(made)


def without_title(inside: list[Node], title: str) -> list[Node]:
    """Return the blocks without a first heading that only says the page's title again."""
    first = inside[0] if inside else None
    if (
        first
        and first.get("type") == "heading-1"
        and nodes.plain_text(first["nodes"]).strip() == title.strip()
    ):
        return inside[1:]
    return inside


def _notes(page: PageState) -> Html:
    """Render the notes, each with the way back; a note may hold the first reference to another."""
    made: dict[int, Html] = {}
    waiting, page.notes = page.notes, []
    while waiting:
        for number, body, links in waiting:
            inside = blocks.blocks(body, PageContext(page, links, depth=1, outlined=False))
            back = {"href": f"#~ref-{number}", "class": "back", "aria-label": "Back to the text"}
            made[number] = el(
                "li", {"id": f"~note-{number}", "value": number}, inside, el("a", back, text("↩"))
            )
        waiting, page.notes = page.notes, []
    if not made:
        return NOTHING
    ordered = (made[number] for number in sorted(made))
    return el("section", {"class": "notes", "aria-label": "Notes"}, el("ol", None, *ordered))


class _PageWriter:
    """One page being written."""

    def __init__(self, view: PageView) -> None:
        self.view = view
        self.site = view.site
        self.row = view.page
        given = self.row.layout if isinstance(self.row.layout, dict) else {}
        self.layout: dict[str, Any] = {**dict.fromkeys(_SHOWN, True), "actions": True, **given}

    def html(self) -> str:
        body, page = body_html(self.view)
        if not body:
            body = navigation.contents(self.view.tree, self.row)
        title, about = words(self.row.title), words(self.row.description or "")
        has_tree = bool(self.layout["tableOfContents"]) and len(self.view.tree) > 0
        parts = [
            layout.skip(),
            layout.header(self.site, has_menu=has_tree),
            el(
                "div",
                {"class": "frame"},
                navigation.side(self.site, self.view.tree, self.row.page_id) if has_tree else NOTHING,
                el("main", {"id": "~content", "tabindex": -1}, *self._main(body)),
                self._outline(page),
            ),
            layout.footer(self.site),
            layout.search_dialog(self.site) if self.site.searchable else NOTHING,
        ]
        kind = "wide" if self.layout.get("width") == "wide" else None
        described = head.described(self.view, title, about)
        whole = head.root(
            self.site,
            self.view.language,
            head.head(self.site, title, *described),
            el("body", {"class": kind}, *parts),
        )
        return str(whole)

    def _main(self, body: Html) -> list[Html]:
        large = self.layout.get("coverSize") in _LARGE
        cover = self._cover()
        article = el(
            "article",
            None,
            navigation.breadcrumbs(self.site, self.view.tree, self.row),
            NOTHING if large else cover,
            self._heading(),
            el("div", {"class": "body", "dir": "auto"}, body),
        )
        return [cover if large else NOTHING, article, *self._end()]

    def _cover(self) -> Html:
        cover = self.row.cover
        if not self.layout["cover"] or not isinstance(cover, dict) or not isinstance(cover.get("ref"), dict):
            return NOTHING
        ctx = PageContext(PageState(), self.view.links)
        light, dark = _addressed(cover["ref"]), _addressed(cover.get("refDark"))
        height, size = cover.get("height"), self.layout.get("coverSize")
        shown = picture({"ref": light, "refDark": dark, "alt": "", "height": height}, ctx)
        kind = ["page-cover", f"is-{size}" if size in _LARGE else "", "sized" if height else ""]
        if cover.get("yPos"):
            kind.append(f"at-{_part_shown(cover['yPos'], height, ctx.target(str(light.get('url') or '')))}")
        return (
            el("div", {"class": " ".join(filter(None, kind))}, shown) if shown.startswith("<img") else NOTHING
        )

    def _heading(self) -> Html:
        title = joined([pictogram(self.row.emoji, self.row.icon), text(words(self.row.title))])
        about = self.row.description if self.layout["description"] else None
        made = [
            el("h1", {"class": None if self.layout["title"] else "unseen"}, title),
            el("p", {"class": "about"}, text(" ".join(about.split()))) if about else NOTHING,
        ]
        return el("header", {"class": "heading"}, *made, self._actions())

    def _actions(self) -> Html:
        """Render links to the page in other forms."""
        if not self.layout["actions"] or not theme.is_on(self.site.looks, "pageActions"):
            return NOTHING
        made = []
        markdown, pdf = followed(self.view.markdown_href), followed(self.view.pdf_href)
        if markdown:
            made.append(el("a", {"href": markdown, "rel": "nofollow"}, icon("code", 16), text("Markdown")))
        if pdf:
            made.append(el("a", {"href": pdf, "rel": "nofollow"}, icon("file-pdf", 16), text("PDF")))
        return el("p", {"class": "actions"}, *made) if made else NOTHING

    def _outline(self, page: PageState) -> Html:
        """Render the outline, or its room, so that pages with and without one begin at the same place."""
        made = navigation.outline(page.headings) if self.layout["outline"] else NOTHING
        return made or (NOTHING if self.layout.get("width") == "wide" else el("div", {"class": "outline"}))

    def _end(self) -> list[Html]:
        shows = self.layout["pagination"] and theme.is_on(self.site.looks, "pagination")
        made = [navigation.before_and_after(self.view.tree, self.row) if shows else NOTHING]
        day = self.row.updated_at
        if day is not None and self.row.kind != "group":
            said = f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
            when = el("time", {"datetime": day.date().isoformat()}, text(said))
            made.append(el("p", {"class": "updated"}, text("Last updated "), when))
        if self.row.kind == "document" and theme.is_on(self.site.looks, "feedback"):
            made.append(feedback.question(self.view.feedback_href))
        return made


def _part_shown(y_pos: float, height: int | None, target: LinkTarget) -> int:
    """Return which part of a cover is shown, in steps of 5 %: 0 is its top, 100 its bottom, 50 its middle.

    `y_pos` is how many pixels the picture is moved down where the cover is 1000 pixels wide.
    """
    hidden = 0.0
    if target.width and target.height:
        hidden = 1000 * target.height / target.width - (height or _HEIGHT)
    part = 50 - 100 * y_pos / (hidden if hidden > 0 else _HIDDEN)
    return 5 * round(min(max(part, 0), 100) / 5)


def _addressed(reference: Any) -> Any:
    """Return a reference as blocks have it: to a file of the space by the href that always leads to it."""
    if isinstance(reference, dict) and reference.get("kind") == "file":
        return {"url": f"/files/{reference.get('file')}"}
    return reference


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


def feedback_html(given: FeedbackView) -> str:
    """Render the thanks for feedback as a page, for those who have no script."""
    back = el("a", {"href": followed(given.page_href)}, text(f"To “{words(given.page_title, 80)}”"))
    form = feedback.thanks(given.href, given.rating, has_comment=given.has_comment)
    inside = [el("h1", None, text("Feedback")), form, el("p", None, back)]
    main = el("main", {"id": "~content", "tabindex": -1}, el("article", None, *inside))
    return _whole(given.site, "Feedback", main)


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
