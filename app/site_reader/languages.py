"""The same page in other languages: where spaces of a site are translations of each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import quote

from app.domain.publishing import visits
from app.domain.sites import site_languages
from app.domain.sites.site_languages import Translation
from app.domain.sites.site_nodes import Node
from app.site_reader import site_navigation
from app.site_reader.rendering.view_models import SiteView, Variant
from app.site_reader.site_navigation import Place
from app.site_reader.state import State
from app.site_reader.visit import Desk, Visit

NAMES = {
    "en": "English", "fr": "Français", "de": "Deutsch", "es": "Español", "it": "Italiano",
    "pt": "Português", "pt-br": "Português (Brasil)", "ru": "Русский", "ja": "日本語", "zh": "简体中文",
    "zh-tw": "繁體中文", "yue": "粵語", "ko": "한국어", "ar": "العربية", "hi": "हिन्दी", "nl": "Nederlands",
    "pl": "Polski", "tr": "Türkçe", "sv": "Svenska", "no": "Norsk", "da": "Dansk", "fi": "Suomi",
    "el": "Ελληνικά", "cs": "Čeština", "hu": "Magyar", "ro": "Română", "th": "ไทย", "vi": "Tiếng Việt",
    "id": "Bahasa Indonesia", "ms": "Bahasa Melayu", "he": "עברית", "uk": "Українська", "sk": "Slovenčina",
    "bg": "Български", "hr": "Hrvatski", "lt": "Lietuvių", "lv": "Latviešu", "et": "Eesti",
    "sl": "Slovenščina",
}  # fmt: skip


def beside(visit: Visit, node: Node) -> list[Translation]:
    """The translations that a space of the site is one of, as far as the visitor sees them."""
    rows = [each.row for each in site_navigation.spaces_of(visit.tree)]
    return site_languages.translations(rows).get(node.row.id, [])


def switch(visit: Visit, place: Place) -> list[Variant]:
    """A way into each language: to where its space begins."""
    return [_variant(visit, place.node, each, "") for each in beside(visit, place.node)]


def view_of(visit: Visit, place: Place | None) -> SiteView:
    """The site around a place, with a way into each language."""
    private = visit.site.visibility not in ("public", "unlisted")
    signed_in = visit.visitor.kind == "signed-in"
    view = site_navigation.view_of(visit.tree, visit.base, place, private=private, signed_in=signed_in)
    return replace(view, languages=switch(visit, place)) if place else view


async def of_page(
    state: State, visit: Visit, place: Place, desk: Desk, row: Any
) -> tuple[list[Variant], list[tuple[str, str]]]:
    """A way to the page in each language, or to where that begins; and whole addresses of the same page."""
    family = beside(visit, place.node)
    if not family:
        return [], []
    is_home = row is desk.tree.home
    found = family if is_home else await site_languages.of_page(visit.cx, family, row.path)
    switched, alternates = [], []
    for each in found:
        there = is_home or await _is_there(state, visit, each)
        made = _variant(visit, place.node, each, row.path if there and not is_home else "")
        switched.append(made)
        if there:
            alternates.append((each.language, visit.origin + made.href))
    return switched, alternates if len(alternates) > 1 else []


async def _is_there(state: State, visit: Visit, each: Translation) -> bool:
    """Whether the visitor may see the page of a translation."""
    if each.page_id is None or not each.conditional:
        return each.page_id is not None
    node = next(node for node in site_navigation.spaces_of(visit.tree) if node.row.id == each.item_id)
    desk = await state.desks.at(visit, node)
    return desk is not None and desk.tree.get(each.page_id) is not None


def _variant(visit: Visit, here: Node, each: Translation, path: str) -> Variant:
    row = next(node.row for node in site_navigation.spaces_of(visit.tree) if node.row.id == each.item_id)
    base = visit.base + visits.below(visit.site, row)
    href = f"{base}/{quote(path)}" if path else base or "/"
    name = NAMES.get(each.language, each.language)
    return Variant(name, href, each.item_id == here.row.id, each.language)
