"""A page of a site as HTML: what stands around it, and its body block by block."""

from __future__ import annotations

from typing import Any

from app.formats.markdown import nodes
from app.formats.markdown.nodes import Node
from app.formats.markdown.safe_html import followed
from app.site_reader.rendering import blocks, head, layout, navigation, theme
from app.site_reader.rendering.images import icon, pictogram, picture
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text, words
from app.site_reader.rendering.render_context import PageState, RenderContext
from app.site_reader.rendering.view_models import LinkTarget, PageView

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
    return _Writing(view).html()


def body_html(view: PageView) -> tuple[Html, PageState]:
    """Render the blocks of a page with its notes; also returns what was found on the way."""
    computed = getattr(view.page, "computed", None) is not None
    page = PageState(apis=view.apis, is_computed=computed, offer=view.offer, asking=view.asking)
    ctx = RenderContext(page, view.links)
    if view.document is None:
        return NOTHING, page
    inside = without_title(view.document["nodes"], view.page.title)
    made = [blocks.blocks(inside, ctx), _notes(page)]
    if page.is_cut:
        made.append(el("p", {"class": "cut"}, text(CUT)))
    return joined(made), page


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
            inside = blocks.blocks(body, RenderContext(page, links, depth=1, outlined=False))
            back = {"href": f"#~ref-{number}", "class": "back", "aria-label": "Back to the text"}
            made[number] = el(
                "li", {"id": f"~note-{number}", "value": number}, inside, el("a", back, text("↩"))
            )
        waiting, page.notes = page.notes, []
    if not made:
        return NOTHING
    ordered = (made[number] for number in sorted(made))
    return el("section", {"class": "notes", "aria-label": "Notes"}, el("ol", None, *ordered))


class _Writing:
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
        ctx = RenderContext(PageState(), self.view.links)
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
