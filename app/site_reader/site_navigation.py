"""The position of a visitor on a site: which space the address leads into, what the site shows around it, and
where the same page is in other languages.

The tree comes without anything that the visitor may not see (`published_sites.shown_to`), so that all that is
made of it cannot show that either.

Where an address leads at which no page is: redirects of the site, pages that moved, the first space.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from app.domain.publishing import visits
from app.domain.site_addresses import addresses
from app.domain.sites import customizations, redirects, site_nodes, translations
from app.domain.sites.site_nodes import SiteNode, SiteTree
from app.domain.sites.translations import Translation
from app.kit import workers
from app.models.pages import PageVersion
from app.site_reader import counting, nearby_pages, offline, responses
from app.site_reader.counting import PageMissed
from app.site_reader.rendering.render_context import NavigationItem, SiteView, SpaceVariant
from app.site_reader.responses import SiteResponse
from app.site_reader.state import ReaderState
from app.site_reader.visit import PAGE, VisibleSpace, Visit

LANGUAGE_NAMES = {
    "en": "English", "fr": "Français", "de": "Deutsch", "es": "Español", "it": "Italiano",
    "pt": "Português", "pt-br": "Português (Brasil)", "ru": "Русский", "ja": "日本語", "zh": "简体中文",
    "zh-tw": "繁體中文", "yue": "粵語", "ko": "한국어", "ar": "العربية", "hi": "हिन्दी", "nl": "Nederlands",
    "pl": "Polski", "tr": "Türkçe", "sv": "Svenska", "no": "Norsk", "da": "Dansk", "fi": "Suomi",
    "el": "Ελληνικά", "cs": "Čeština", "hu": "Magyar", "ro": "Română", "th": "ไทย", "vi": "Tiếng Việt",
    "id": "Bahasa Indonesia", "ms": "Bahasa Melayu", "he": "עברית", "uk": "Українська", "sk": "Slovenčina",
    "bg": "Български", "hr": "Hrvatski", "lt": "Lietuvių", "lv": "Latviešu", "et": "Eesti",
    "sl": "Slovenščina",
}  # fmt: skip


@dataclass(slots=True, frozen=True)
class SiteLocation:
    """A space of a site, and what of the address is below it; `exact` where it was not just the first.

    `whole` is what is below the space's own address: with the name of what is the default, where that was
    given, which may also be the name of a page.
    """

    node: SiteNode
    section: SiteNode | None
    rest: list[str]
    exact: bool
    whole: list[str]


def locate(tree: SiteTree, parts: Sequence[str]) -> SiteLocation | None:
    """Find the space that the parts of a path lead into; None on a site that shows none."""
    rest = list(parts)
    sections = [node for node in site_nodes.every(tree.roots) if node.kind == "site-section"]
    sections = [node for node in sections if node.children]
    section = None
    spaces = [node for node in tree.roots if node.kind == "site-space"]
    if sections:
        section = _named(sections, rest)
        if section is not None:
            rest = rest[1:]
        named_section = section is not None
        section = section or _first(sections)
        spaces = section.children
        named = _named(spaces, rest) if named_section else None
    else:
        named = _named(spaces, rest)
    if not spaces:
        return None
    node = named or _first(spaces)
    is_default = node.row.is_default and (section is None or section.row.is_default)
    below = [part for part in visits.below(tree.site, node.row).split("/") if part] if not is_default else []
    given = list(parts)[: len(parts) - len(rest) + (1 if named else 0)]
    whole = list(parts)[min(len(below), len(given)) :]
    return SiteLocation(node, section, rest[1:] if named else rest, below == _quoted(given), whole)


def _quoted(parts: Sequence[str]) -> list[str]:
    return [quote(part, safe="") for part in parts]


def _named(nodes: Sequence[SiteNode], parts: Sequence[str]) -> SiteNode | None:
    return next((node for node in nodes if parts and node.row.path == parts[0]), None)


def _first(nodes: Sequence[SiteNode]) -> SiteNode:
    return next((node for node in nodes if node.row.is_default), nodes[0])


def spaces_of(tree: SiteTree) -> list[SiteNode]:
    """Return the spaces that a site shows, in its order."""
    return [node for node in site_nodes.every(tree.roots) if node.kind == "site-space"]


async def visible_spaces(state: ReaderState, visit: Visit) -> AsyncIterator[VisibleSpace]:
    """Yield the spaces that the visitor sees, each once, in the order of the site."""
    known: set[str] = set()
    for node in spaces_of(visit.tree):
        if node.row.space_id not in known and (space := await state.spaces.at(visit, node)) is not None:
            known.add(node.row.space_id)
            yield space


async def visible_space(state: ReaderState, visit: Visit, item: str) -> VisibleSpace | None:
    """Return a space of the site as the visitor sees it; None where they see none with this id there."""
    node = space_by_id(visit.tree, item)
    return await state.spaces.at(visit, node) if node else None


def space_by_id(tree: SiteTree, item: str) -> SiteNode | None:
    """Return one of the spaces that a site shows."""
    return next((node for node in spaces_of(tree) if node.row.id == item), None)


def beside(tree: SiteTree, item: str) -> list[SiteNode]:
    """Return the spaces that are variants of each other, this among them; none where it is not shown."""
    spaces = spaces_of(tree)
    section = next((node.row.parent_id for node in spaces if node.row.id == item), item)
    return [node for node in spaces if node.row.parent_id == section]


def site_view(visit: Visit, location: SiteLocation | None) -> SiteView:
    """Return the site as it stands around a page of a place, with a way into each language."""
    site, tree = visit.site, visit.tree
    item = location.node.row.id if location else ""
    differs = any(row.item_id == item for row in site.looks) and item != customizations.SITE_ITSELF
    return SiteView(
        title=site.title,
        base=visit.base,
        looks=customizations.of_space(site, item) if differs else customizations.of_site(site),
        icon=site.icon,
        navigation=[made for node in tree.roots if (made := _navigated(node, visit.base, location))],
        variants=_variants(tree, visit.base, location),
        variant=item if len(spaces_of(tree)) > 1 else "",
        languages=_languages(visit, location) if location else (),
        looks_key=item if differs else "",
        signed_in=visit.visitor.kind == "signed-in",
        language=language_of(tree, item),
        works_offline=visit.preview is None and offline.is_offered(site),
    )


def language_of(tree: SiteTree, item: str = "") -> str:
    """Return the language of a space of a site, or of the one that the site begins with."""
    spaces = spaces_of(tree)
    begins = [node for node in spaces if node.row.is_default and node.row.section_default is not False]
    here = next((node for node in spaces if node.row.id == item), None)
    found = (here or next(iter(begins or spaces), None)) if spaces else None
    return (found.row.language if found else None) or "en"


def _navigated(node: SiteNode, base: str, location: SiteLocation | None) -> NavigationItem | None:
    row = node.row
    icon, about = row.icon or "", row.description or ""
    if node.kind == "site-external-link":
        return NavigationItem("link", row.title, row.url, icon, about)
    if node.kind == "site-section":
        href = base + visits.below(node.site, _first(node.children).row) if node.children else ""
        is_current = location is not None and location.section is node
        return NavigationItem("section", row.title, href or "/", icon, about, is_current)
    if node.kind == "site-section-group":
        inside = [made for child in node.children if (made := _navigated(child, base, location))]
        is_current = any(child.current for child in inside)
        return NavigationItem("group", row.title, "", icon, about, is_current, inside)
    return None


def _spaces_beside(tree: SiteTree, location: SiteLocation) -> list[SiteNode]:
    """Return the space that is read and those beside it, which are its variants and translations."""
    beside = location.section.children if location.section else tree.roots
    return [node for node in beside if node.kind == "site-space"]


def _variants(tree: SiteTree, base: str, location: SiteLocation | None) -> list[SpaceVariant]:
    if location is None:
        return []
    spaces = _spaces_beside(tree, location)
    if len(spaces) < 2:
        return []
    return [
        SpaceVariant(title_of(node), (base + visits.below(tree.site, node.row)) or "/", node is location.node)
        for node in spaces
    ]


def title_of(node: SiteNode) -> str:
    """Return what a space of a site is called there."""
    return str(node.row.title or node.row.space_title)


def space_translations(visit: Visit, node: SiteNode) -> list[Translation]:
    """Return the translations that a space of the site is one of, as far as the visitor sees them."""
    rows = [each.row for each in spaces_of(visit.tree)]
    return translations.translations(rows).get(node.row.id, [])


def _languages(visit: Visit, location: SiteLocation) -> list[SpaceVariant]:
    """Return a way into each language: to where its space begins."""
    return [_variant(visit, location.node, each, "") for each in space_translations(visit, location.node)]


@dataclass(slots=True, frozen=True)
class PageElsewhere:
    """A page in the other spaces beside its own: ways to it, or to where they begin, as `variants` and as
    `languages`; `alternates` are its whole addresses in each language that has it."""

    variants: Sequence[SpaceVariant]
    languages: Sequence[SpaceVariant]
    alternates: Sequence[tuple[str, str]]


async def page_elsewhere(
    state: ReaderState, visit: Visit, location: SiteLocation, space: VisibleSpace, row: PageVersion
) -> PageElsewhere:
    """Find the page of the same path in the variants and translations of its space, in one statement."""
    nodes = _spaces_beside(visit.tree, location)
    if len(nodes) < 2:
        return PageElsewhere((), (), ())
    found = [translations.placed_space(node.row) for node in nodes]
    is_home = row is space.tree.home
    if not is_home:
        found = await translations.translations_of_page(visit.cx, found, row.path)
    family = {each.item_id for each in space_translations(visit, location.node)}
    variants, languages, alternates = [], [], []
    for each in found:
        there = is_home or await _is_there(state, visit, each)
        made = _variant(visit, location.node, each, row.path if there and not is_home else "")
        variants.append(replace(made, title=each.title))
        if each.item_id in family:
            languages.append(made)
            if there:
                alternates.append((each.language, visit.origin + made.href))
    return PageElsewhere(variants, languages, alternates if len(alternates) > 1 else ())


async def _is_there(state: ReaderState, visit: Visit, each: Translation) -> bool:
    """Return whether the visitor may see the page of a variant or translation."""
    if each.page_id is None or not each.conditional:
        return each.page_id is not None
    space = await visible_space(state, visit, each.item_id)
    return space is not None and space.tree.get(each.page_id) is not None


def _variant(visit: Visit, is_current: SiteNode, each: Translation, path: str) -> SpaceVariant:
    row = next(node.row for node in spaces_of(visit.tree) if node.row.id == each.item_id)
    base = visit.base + visits.below(visit.site, row)
    href = f"{base}/{quote(path)}" if path else base or "/"
    name = LANGUAGE_NAMES.get(each.language, each.language)
    return SpaceVariant(name, href, each.item_id == is_current.row.id, each.language)


PERMANENT, FOR_NOW = 308, 307


async def redirected(
    state: ReaderState, visit: Visit, location: SiteLocation | None, space: VisibleSpace | None
) -> SiteResponse:
    """Redirect to where the visited address leads now, or answer that it leads nowhere."""
    found = await _redirect(state, visit)
    if found is not None:
        return found
    if space is not None and location is not None:
        moved = _moved(visit, space, location.whole) or _moved(visit, space, location.rest)
        if moved is not None:
            return responses.redirect(space.tree.href(moved), status=PERMANENT)
        if not location.rest and not location.exact:
            return responses.redirect(visit.base + visits.below(visit.site, location.node.row))
    return await _not_found(state, visit, location, space)


async def _not_found(
    state: ReaderState, visit: Visit, location: SiteLocation | None, space: VisibleSpace | None
) -> SiteResponse:
    """Answer that there is no page, with those that may be meant and the pages around."""
    more: dict[str, Any] = {}
    path = "/" + "/".join(visit.parts)
    if space is not None and location is not None and visit.parts:
        size = len(space.tree) * PAGE
        found = await workers.run(size, nearby_pages.find, space.tree.in_order(), location.rest)
        more["nearby"] = [(row.title, space.tree.href(row)) for row in found]
        more["query"] = nearby_pages.words_of(location.rest)
        more["tree"], more["tree_href"] = space.tree, f"{visit.base}/~/tree?space={space.node.row.id}"
    made = responses.error_page(
        state.runtime.settings,
        404,
        "no-page" if visit.parts else "nothing-yet",
        site_view(visit, location),
        missing_href=visit.missing_href if visit.parts else None,
        missing_path=path,
        is_framed=visit.preview is not None,
        **more,
    )
    if visit.parts and counting.is_counted(visit):
        made.counted = PageMissed(visit.site.id, path)
    return made


async def _redirect(state: ReaderState, visit: Visit) -> SiteResponse | None:
    """Follow the site's redirects, unless they lead to what this visitor may not see."""
    found = redirects.target_of(visit.site, "/" + "/".join(visit.parts))
    if found is None:
        return None
    row, target = found
    if row.item_id is not None and not await _is_seen(state, visit, row):
        return None
    address = addresses.whole(visit.cx.settings, target)
    return responses.redirect(
        visit.inside(address) or address, status=PERMANENT if row.permanent else FOR_NOW
    )


async def _is_seen(state: ReaderState, visit: Visit, redirect: Any) -> bool:
    nodes = {node.row.id: node for node in site_nodes.every(visit.tree.roots)}
    node = nodes.get(redirect.item_id)
    if node is None or redirect.page_id is None:
        return node is not None
    space = await state.spaces.at(visit, node)
    return space is not None and space.tree.get(redirect.page_id) is not None


def _moved(visit: Visit, space: VisibleSpace, parts: list[str]) -> Any | None:
    """Return the page that had this path before, in the space or in the repository it came from."""
    if not parts:
        return None
    path = "/".join(parts)
    place = (space.snapshot.space_id, path)
    were = [
        row for row in visit.site.moved if (row.line_id, row.path) == place and space.tree.get(row.page_id)
    ]
    if were:
        return space.tree.get(max(were, key=lambda row: row.until).page_id)
    target = space.snapshot.moved.get(path) or space.snapshot.moved.get(f"{path}.md")
    if not target:
        return None
    row = space.snapshot.indexes.page_sources.get(str(target).strip("/").removeprefix("./"))
    return space.tree.get(row.page_id) if row is not None else None
