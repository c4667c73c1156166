"""Pages of a site as HTML: those of a space, and those of none (errors, blocks of integrations).

A page of a site as HTML: what stands around it, and its body block by block.

Pages that are none of a space: what is not there or not for this visitor.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

from app.formats.markdown import nodes
from app.formats.markdown.nodes import Node
from app.formats.markdown.safe_html import followed
from app.present.html_links import HtmlSource, LinkResolver
from app.site_reader import texts
from app.site_reader.page_tree import spec_of
from app.site_reader.rendering import (
    assets,
    blocks,
    covers,
    feedback,
    head,
    layout,
    navigation,
    reference_page,
    theme,
    ui_elements,
)
from app.site_reader.rendering.images import icon, pictogram
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text, void, words
from app.site_reader.rendering.render_context import (
    ErrorView,
    FeedbackView,
    IntegrationBlockView,
    PageContext,
    PageState,
    PageView,
    SiteView,
)
from app.site_reader.texts import say

MOST_BEFORE = 30  # blocks before the first paragraph
LONG = 150_000  # characters of a body of which browsers lay out only what is near
SHORTEST = 20  # characters of a paragraph that says what a page is about
_SHOWN = ("cover", "title", "description", "tableOfContents", "outline", "pagination")


def page_html(view: PageView) -> str:
    """Render the whole page."""
    with texts.spoken(view.site.language):
        return _PageWriter(view).html()


def body_html(view: PageView) -> tuple[Html, PageState]:
    """Render the blocks of a page with its notes; also returns what was found on the way."""
    computed = getattr(view.page, "computed", None) is not None
    page = PageState(
        apis=view.apis,
        is_computed=computed,
        offer=view.offer,
        ratio=view.ratio,
        asking=view.asking,
        diagrams=view.diagrams,
        diagram_sizes=view.diagram_sizes,
    )
    page.base = view.site.base
    page.try_href = assets.address(page.base, assets.REQUESTS) if view.tries else ""
    page.is_own_api = view.is_own_api
    page.beside = [] if reference_page.is_one(view.page) else None
    page.model_href = partial(view.tree.model_href, spec_id=spec_of(view.page))
    if view.document is None:
        return NOTHING, page
    return _document(nodes.without_title(view.document["nodes"], view.page.title), view.links, page), page


def text_html(source: HtmlSource) -> str:
    """Render a text by itself."""
    page = PageState(
        apis=source.apis, is_computed=source.is_computed, offer=source.offer, frames=source.frames
    )
    return str(_document(nodes.without_title(source.nodes, source.title), source.links, page))


def first_words(document: Node | None) -> str:
    """Return what the first paragraph of a page says, as what the page is about."""
    for node in (document or {}).get("nodes", ())[:MOST_BEFORE]:
        said = nodes.plain_text(node["nodes"]).strip() if node.get("type") == "paragraph" else ""
        if len(said) >= SHORTEST:
            return words(said, 200)
    return ""


def _document(inside: list[Node], links: LinkResolver, page: PageState) -> Html:
    """Render blocks and their notes."""
    made = [blocks.blocks(inside, PageContext(page, links)), _notes(page)]
    if page.is_cut:
        made.append(el("p", {"class": "cut"}, text(say("cut"))))
    return joined(made)


def _notes(page: PageState) -> Html:
    """Render the notes, each with the way back; a note may hold the first reference to another."""
    made: dict[int, Html] = {}
    waiting, page.notes = page.notes, []
    while waiting:
        for number, body, links in waiting:
            inside = blocks.blocks(body, PageContext(page, links, depth=1, outlined=False))
            back = {"href": f"#~ref-{number}", "class": "back", "aria-label": say("back-to-text")}
            made[number] = el(
                "li", {"id": f"~note-{number}", "value": number}, inside, el("a", back, text("↩"))
            )
        waiting, page.notes = page.notes, []
    if not made:
        return NOTHING
    ordered = (made[number] for number in sorted(made))
    return el("section", {"class": "notes", "aria-label": say("notes")}, el("ol", None, *ordered))


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
        listed = reference_page.index(self.view.tree, self.row)
        if listed:
            page.besides.update(assets.API)
        body = joined([body, listed])
        if not body:
            body = navigation.contents(self.view.tree, self.row)
        title, about = words(self.row.title), words(self.row.description or first_words(self.view.document))
        has_tree = bool(self.layout["tableOfContents"]) and len(self.view.tree) > 0
        parts = [
            layout.skip(),
            layout.header(self.site, has_menu=has_tree),
            el(
                "div",
                {"class": "frame"},
                self._side() if has_tree else NOTHING,
                self._outline(page),
                el("main", {"id": "~content", "tabindex": -1}, *self._main(body, page.beside)),
            ),
            layout.footer(self.site),
            layout.search_dialog(self.site) if self.site.searchable else NOTHING,
        ]
        kind = "wide" if self.layout.get("width") == "wide" else "reference" if page.beside else ""
        kinds = f"{kind} long".strip() if len(body) > LONG else kind
        described = head.described(self.view, title, about)
        top = head.head(self.site, title, *described, besides=page.besides)
        return str(head.root(self.site, top, head.body(kinds or None, *parts)))

    def _side(self) -> Html:
        view = self.view
        return navigation.side(self.site, view.tree, self.row.page_id, view.tree_href)

    def _main(self, body: Html, beside: list[Html] | None) -> list[Html]:
        large = self.layout.get("coverSize") in covers.LARGE
        cover = covers.cover(self.row, self.layout, self.view.links)
        article = el(
            "article",
            None,
            navigation.breadcrumbs(self.site, self.view.tree, self.row),
            NOTHING if large else cover,
            self._heading(),
            reference_page.body(body, beside),
        )
        return [cover if large else NOTHING, article, *self._end()]

    def _heading(self) -> Html:
        title = joined([pictogram(self.row.emoji, self.row.icon), text(words(self.row.title))])
        about = self.row.description if self.layout["description"] else None
        made = [
            el("h1", {"class": None if self.layout["title"] else "unseen"}, title),
            el("p", {"class": "about"}, text(" ".join(about.split()))) if about else NOTHING,
        ]
        signs = reference_page.signs(self.row)
        return el("header", {"class": "heading"}, signs, *made, self._actions())

    def _actions(self) -> Html:
        """Render links to the page in other forms."""
        if not self.layout["actions"] or not theme.is_on(self.site.looks, "pageActions"):
            return NOTHING
        made = []
        markdown, pdf = followed(self.view.markdown_href), followed(self.view.pdf_href)
        if markdown:
            made.append(
                el("a", {"href": markdown, "rel": "nofollow"}, icon("code", 16), text(say("markdown")))
            )
        if markdown:
            copy = {"type": "button", "data-copy": markdown, "hidden": True}
            made.append(el("button", copy, icon("clipboard-check", 16), text(say("copy-page"))))
        if pdf:
            made.append(el("a", {"href": pdf, "rel": "nofollow"}, icon("file-pdf", 16), text(say("pdf"))))
        if edit := followed(self.view.edit_href):
            made.append(
                el("a", {"href": edit, "rel": "nofollow"}, icon("pencil", 16), text(say("edit-page")))
            )
        made.append(self._assistants())
        return el("div", {"class": "actions"}, *made) if any(made) else NOTHING

    def _assistants(self) -> Html:
        """Render a menu of the assistants that open with the page."""
        given = [(title, followed(href)) for title, href in self.view.assistants]
        if not given:
            return NOTHING
        links = (
            el("li", None, el("a", {"href": href, "rel": "nofollow noopener"}, text(words(title, 100))))
            for title, href in given
        )
        summary = el("summary", None, text(say("open-in")), icon("chevron-down", 14))
        return el("details", {"class": "menu"}, summary, el("ul", None, *links))

    def _outline(self, page: PageState) -> Html:
        """Render the outline, or its room, so that pages with and without one begin at the same place."""
        made = navigation.outline(page.headings) if self.layout["outline"] else NOTHING
        return made or (NOTHING if self.layout.get("width") == "wide" else el("div", {"class": "outline"}))

    def _end(self) -> list[Html]:
        shows = self.layout["pagination"] and theme.is_on(self.site.looks, "pagination")
        made = [navigation.before_and_after(self.view.tree, self.row) if shows else NOTHING]
        day = self.row.updated_at
        if day is not None and self.row.kind != "group":
            when = el("time", {"datetime": day.date().isoformat()}, text(texts.current().day(day)))
            before, _, after = say("updated", date="\n").partition("\n")
            made.append(el("p", {"class": "updated"}, text(before), when, text(after)))
        if self.row.kind == "document" and theme.is_on(self.site.looks, "feedback"):
            made.append(feedback.question(self.view.feedback_href))
        return made


def error_html(refusal: ErrorView) -> str:
    """Render a page that says why there is none, with the way on where there is one."""
    site = refusal.site
    href = followed(refusal.action[1]) if refusal.action else None
    away = (
        el("p", None, el("a", {"class": "button primary", "href": href}, text(refusal.action[0])))
        if refusal.action and href
        else NOTHING
    )
    searching = search_form(site, refusal.query) if site and site.searchable else NOTHING
    links = (el("li", None, el("a", {"href": followed(to)}, text(words(t)))) for t, to in refusal.nearby)
    nearby = el("ul", {"class": "nearby", "aria-label": say("nearby")}, *links) if refusal.nearby else NOTHING
    home = (
        el("p", None, el("a", {"href": site.home}, text(say("to-start", title=words(site.title, 80)))))
        if site
        else NOTHING
    )
    inside = [
        el("p", {"class": "status"}, text(refusal.status)),
        el("h1", None, text(words(refusal.title))),
        el("p", {"class": "about"}, text(refusal.message)),
        away,
        el("p", None, text(say("nearby"))) if nearby else NOTHING,
        nearby,
        searching,
        feedback.missing(refusal.missing_href, path=refusal.missing_path),
        home,
    ]
    main = el("main", {"id": "~content", "class": "refusal", "tabindex": -1}, *inside)
    side = NOTHING
    if site is not None and refusal.tree is not None and len(refusal.tree) > 0:
        side = navigation.side(site, refusal.tree, None, refusal.tree_href)
    return whole(site, refusal.title, main, side)


def offline_html(site: SiteView) -> str:
    """Render what is shown without a network, where a page was not kept."""
    to_start = text(say("to-start", title=words(site.title, 80)))
    home = el("a", {"class": "button primary", "href": site.home}, to_start)
    title = say("offline")
    inside = [
        el("h1", None, text(title)),
        el("p", {"class": "about"}, text(say("offline.text"))),
        el("p", None, home),
    ]
    main = el("main", {"id": "~content", "class": "refusal", "tabindex": -1}, *inside)
    return whole(site, title, main)


def integration_block_html(shown: IntegrationBlockView) -> str:
    """Render a block of an integration as a page, for those who have no script."""
    back = el(
        "a", {"href": followed(shown.page_href)}, text(say("to-page", title=words(shown.page_title, 80)))
    )
    title = el("h1", None, text(words(shown.title)))
    inside = [title, el("div", {"class": "body"}, ui_elements.block_form(shown)), el("p", None, back)]
    main = el("main", {"id": "~content", "tabindex": -1}, el("article", None, *inside))
    return whole(shown.site, shown.title, main, besides=assets.BLOCKS)


def feedback_html(given: FeedbackView) -> str:
    """Render the thanks for a rating or a report as a page, for those who have no script."""
    back = el(
        "a", {"href": followed(given.page_href)}, text(say("to-page", title=words(given.page_title, 80)))
    )
    form = feedback.thanks(given.href, given.rating, has_comment=given.has_comment)
    inside = [el("h1", None, text(say("feedback"))), form, el("p", None, back)]
    main = el("main", {"id": "~content", "tabindex": -1}, el("article", None, *inside))
    return whole(given.site, say("feedback"), main)


def search_form(site: SiteView, query: str) -> Html:
    """Render a field to search the site with."""
    field = {
        "type": "search",
        "name": "q",
        "value": query,
        "aria-label": say("search.field"),
        "maxlength": 512,
    }
    button = el("button", {"class": "button primary"}, text(say("search")))
    form = {"action": f"{site.base}/~/search", "role": "search", "class": "search-form"}
    return el("form", form, void("input", field), layout.variant_field(site), button, layout.only_here(site))


def whole(
    site: SiteView | None, title: str, main: Html, side: Html = NOTHING, besides: Collection[str] = ()
) -> str:
    """Return a page that is none of a space, as part of its site where it has one."""
    robots = void("meta", {"name": "robots", "content": "noindex"})
    if site is None:  # nothing of it is said; our own files are found below any address
        sheet = void("link", {"rel": "stylesheet", "href": assets.address("", "reader.css").lstrip("/")})
        return str(head.root(None, head.head(None, title, robots, sheet), el("body", None, main)))
    parts = [
        layout.skip(),
        layout.header(site, has_menu=bool(side)),
        el("div", {"class": "frame"}, side, main),
        layout.footer(site),
        layout.search_dialog(site) if site.searchable else NOTHING,
    ]
    return str(head.root(site, head.head(site, title, robots, besides=besides), head.body(None, *parts)))
