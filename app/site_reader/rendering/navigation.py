"""Navigation of a page: the tree, breadcrumbs, outline, previous and next page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.formats.markdown.safe_html import followed
from app.site_reader.page_tree import MorePages, PageTree, TreeItem
from app.site_reader.rendering.images import icon, pictogram
from app.site_reader.rendering.layout import links
from app.site_reader.rendering.markup import NOTHING, Html, el, is_elsewhere, joined, text, words
from app.site_reader.rendering.reference_page import verb_of
from app.site_reader.rendering.render_context import NavigationItem, OutlineHeading, SiteView, fragment
from app.site_reader.texts import say

LONGEST_OUTLINE = 100


def side(site: SiteView, tree: PageTree, page_id: str | None, tree_href: str = "") -> Html:
    """Render the pages of the space, with its variants above them; a drawer on small screens.

    Branches open in place where a script may ask for what is below them at `tree_href`.
    """
    said = {"aria-label": say("pages"), "data-tree": tree_href or None}
    pages = el("nav", said, branches(tree.open_at(page_id)))
    header = site.looks.get("header")
    also = links(header) if isinstance(header, dict) else NOTHING
    close = {"class": "tool close", "href": "#", "aria-label": say("close"), "data-menu": True}
    inside = [el("a", close, icon("xmark", 22)), variants(site), pages, also]
    said = {"class": "side", "id": "~menu", "role": "region", "aria-label": say("pages")}
    return el("div", said, *inside)


def variants(site: SiteView) -> Html:
    """Render the menu of the space's variants; languages have a switch of their own."""
    if len(site.variants) < 2 or len(site.variants) == len(site.languages):
        return NOTHING
    current = next((each for each in site.variants if each.current), site.variants[0])
    items = []
    for each in site.variants:
        said = {"href": followed(each.href), "aria-current": "true" if each.current else None}
        items.append(el("li", None, el("a", said, text(words(each.title, 128)))))
    summary = el("summary", None, text(words(current.title, 128)), icon("chevron-down", 16))
    return el("details", {"class": "menu variants"}, summary, el("ul", None, *items))


def branches(pages: Sequence[TreeItem | MorePages]) -> Html:
    """Render one level of the tree with what is open below it."""
    if not pages:
        return NOTHING
    return el("ul", None, *(_more(each) if isinstance(each, MorePages) else _branch(each) for each in pages))


def _more(more: MorePages) -> Html:
    said = text(say("more-pages", count=more.count))
    return el("li", None, el("a", {"class": "more", "href": followed(more.href)}, said))


def _branch(branch: TreeItem) -> Html:
    row = branch.row
    verb, is_old = verb_of(row)
    named = el("span", {"class": "gone" if is_old else None}, text(words(row.link_title or row.title)))
    said = el("span", {"class": "unseen"}, text(f" ({say('api.deprecated')})")) if is_old else NOTHING
    title = joined([pictogram(row.emoji, row.icon), verb, named, said])
    inside = branches(branch.inside) if branch.inside else NOTHING
    if row.kind == "group" and inside:
        return el("li", {"class": "group"}, el("p", None, title), inside)
    href = followed(branch.href or None)
    away = href is not None and is_elsewhere(href)
    more = icon("chevron-right", 14) if branch.inside is None else NOTHING
    if inside:
        more = icon("chevron-down", 14)
    elif away:
        more = icon("arrow-up-right", 14)
    link = {
        "href": href,
        "aria-current": "page" if branch.current else None,
        "rel": "noopener" if away else None,
    }
    is_branch = bool(inside) or branch.inside is None
    return el("li", {"data-branch": row.page_id if is_branch else None}, el("a", link, title, more), inside)


def breadcrumbs(site: SiteView, tree: PageTree, page: Any) -> Html:
    """Render what a page is inside of, the outermost first."""
    made = [_crumb(item.title, item.href) for item in _path(site.navigation)]
    made += [_crumb(row.link_title or row.title, tree.href(row)) for row in tree.above(page.page_id)]
    if not made:
        return NOTHING
    items = (el("li", None, crumb) for crumb in made)
    return el("nav", {"class": "crumbs", "aria-label": say("breadcrumb")}, el("ol", None, *items))


def _path(items: Sequence[NavigationItem]) -> list[NavigationItem]:
    """Return the group and the section that are current, where there are several to choose from."""
    if len(items) < 2 and not any(item.children for item in items):
        return []
    for item in items:
        if item.current:
            return [item, *(child for child in item.children if child.current)]
    return []


def _crumb(title: str, href: str) -> Html:
    shown, where = text(words(title, 100)), followed(href or None)
    return el("a", {"href": where}, shown) if where else el("span", None, shown)


def outline(headings: Sequence[OutlineHeading]) -> Html:
    """Render the headings of a page, two levels of them."""
    shown = [heading for heading in headings if heading.level <= 3][:LONGEST_OUTLINE]
    if len(shown) < 2:
        return NOTHING
    items = (
        el(
            "li",
            {"class": "deep" if each.level == 3 else None},
            el("a", {"href": fragment(each.anchor)}, each.title),
        )
        for each in shown
    )
    title = el("summary", None, text(say("outline")), el("span", {"class": "now"}), icon("chevron-down", 16))
    listed = el("details", {"open": True}, title, el("ul", None, *items))
    return el("nav", {"class": "outline", "aria-label": say("outline")}, listed)


def before_and_after(tree: PageTree, page: Any) -> Html:
    """Render links to the pages read before and after this one."""
    before, after = tree.around(page.page_id)
    made = []
    for row, words_, sign, kind in (
        (before, "previous", "arrow-left", "prev"),
        (after, "next", "arrow-right", "next"),
    ):
        if row is not None:
            said = el("small", None, text(say(words_)))
            title = el("span", None, text(words(row.link_title or row.title, 120)))
            made.append(
                el("a", {"class": kind, "rel": kind, "href": tree.href(row)}, icon(sign), said, title)
            )
    return el("nav", {"class": "turn", "aria-label": say("turn")}, *made) if made else NOTHING


def contents(tree: PageTree, page: Any) -> Html:
    """Render the pages below one that says nothing itself, as cards."""
    made = []
    for row in tree.below(page.page_id)[:200]:
        href = followed(tree.href(row))
        title = el("strong", None, text(words(row.link_title or row.title)))
        about = el("span", {"class": "address"}, text(words(row.description))) if row.description else NOTHING
        mark = pictogram(row.emoji, row.icon) or icon("file")
        made.append(el("a" if href else "div", {"class": "card-link", "href": href}, mark, title, about))
    return joined(made)
