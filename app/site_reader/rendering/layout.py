"""The frame of every page of a site: header with logo, links and search; sections; footer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from app.formats.markdown.safe_html import followed
from app.site_reader.rendering.images import icon, pictogram
from app.site_reader.rendering.markup import (
    NOTHING,
    Html,
    el,
    is_elsewhere,
    joined,
    text,
    void,
    words,
)
from app.site_reader.rendering.render_context import NavigationItem, SiteView
from app.site_reader.texts import say

THEMES = ("system", "light", "dark")


def header(site: SiteView, *, has_menu: bool) -> Html:
    """Render the header of a page."""
    given = _of(site.looks, "header")
    parts = [menu_button() if has_menu else NOTHING, logo(site, given)]
    parts.append(search_button(site) if site.searchable else NOTHING)
    parts += [links(given), tools(site)]
    return joined(
        [
            announcement(site),
            el("header", {"class": "top"}, el("div", {"class": "row"}, *parts), sections(site)),
        ]
    )


def menu_button() -> Html:
    """Render what opens the pages of a space on a small screen; without a script it links to them."""
    return el(
        "a",
        {"class": "tool menu-button", "href": "#~menu", "aria-label": say("pages"), "data-menu": True},
        icon("menu", 22),
    )


def logo(site: SiteView, given: dict[str, Any]) -> Html:
    """Render the logo and name of a site, which link to its start."""
    pictures = given.get("logo")
    title = el("span", None, text(words(site.title, 80)))
    if isinstance(pictures, dict) and followed(pictures.get("light")):
        shown = _themed(pictures, site.title)
    else:
        own = site.icon if isinstance(site.icon, dict) else {}
        pictures = own.get("icon")
        if isinstance(pictures, dict) and followed(pictures.get("light")):
            shown = joined([_themed(pictures, ""), title])
        else:
            named = site.icon if isinstance(site.icon, str) else None
            mark = _of(site.looks, "favicon").get("emoji") or own.get("emoji")
            shown = joined([pictogram(mark, named), title])
    return el("a", {"class": "logo", "href": site.home}, shown)


def _themed(pictures: dict[str, Any], label: str) -> Html:
    light, dark = followed(pictures.get("light")), followed(pictures.get("dark"))
    if not dark or dark == light:
        return void("img", {"src": light, "alt": label, "height": 32})
    return joined(
        [
            void("img", {"src": light, "alt": label, "height": 32, "class": "on-light"}),
            void("img", {"src": dark, "alt": label, "height": 32, "class": "on-dark"}),
        ]
    )


def search_button(site: SiteView) -> Html:
    """Render the button that opens the search; without a script it links to the page of it."""
    keys = el("kbd", {"aria-hidden": "true"}, text("/"))
    said = {
        "class": "search-button",
        "href": f"{site.base}/~/search" + (f"?space={site.variant}" if site.variant else ""),
        "data-search": True,
        "aria-label": say("search"),
    }
    return el("a", said, icon("search"), el("span", None, text(say("search"))), keys)


def links(given: dict[str, Any]) -> Html:
    """Render the links of the header."""
    made = [_header_link(link) for link in _list(given, "links")]
    primary = given.get("primaryLink")
    if isinstance(primary, dict):
        made.append(_header_link({**primary, "style": "button-primary"}))
    return el("nav", {"class": "links", "aria-label": say("links")}, *made) if any(made) else NOTHING


def _header_link(link: dict[str, Any]) -> Html:
    inside = _list(link, "links")
    title = text(words(str(link.get("title", "")), 100))
    if inside:
        return menu(title, [_link(each) for each in inside])
    style = {"button-primary": "button primary", "button-secondary": "button"}.get(str(link.get("style")))
    return _link(link, style)


def _link(link: dict[str, Any], style: str | None = None) -> Html:
    href = followed(link.get("url"))
    title = text(words(str(link.get("title", "")), 100))
    if href is None:
        return NOTHING
    rel = "noopener" if is_elsewhere(href) else None
    return el("a", {"href": href, "class": style, "rel": rel}, title)


def menu(title: Html, inside: Sequence[Html], *, current: bool = False) -> Html:
    """Render a list that opens below its title."""
    items = (el("li", None, item) for item in inside if item)
    kind = "menu current" if current else "menu"
    return el(
        "details",
        {"class": kind},
        el("summary", None, title, icon("chevron-down", 14)),
        el("ul", None, *items),
    )


def tools(site: SiteView) -> Html:
    """Render the languages, the choice of a theme, and the sign-out of visitors who have signed in."""
    made = [languages(site)] if len(site.languages) > 1 else []
    if _of(site.looks, "themes").get("toggleable") is not False:
        said = {
            "class": "tool",
            "type": "button",
            "data-switch": json.dumps({name: say(f"theme.{name}") for name in THEMES}, ensure_ascii=False),
            "aria-label": say("theme"),
            "hidden": True,
        }
        made.append(el("button", said, icon("sun", 20), icon("moon", 20), icon("circle-half", 20)))
    if site.signed_in:
        made.append(el("a", {"class": "tool wide", "href": f"{site.base}/~/sign-out"}, text(say("sign-out"))))
    return el("div", {"class": "tools"}, *made) if made else NOTHING


def languages(site: SiteView) -> Html:
    """Render the menu of languages, each by its own name."""
    items = []
    for each in site.languages:
        said = {
            "href": followed(each.href),
            "lang": each.language,
            "hreflang": each.language,
            "aria-current": "true" if each.current else None,
        }
        items.append(el("li", None, el("a", said, text(words(each.title, 60)))))
    sign = {"class": "tool", "aria-label": say("language")}
    summary = el("summary", sign, icon("globe", 20))
    return el("details", {"class": "menu languages"}, summary, el("ul", None, *items))


def announcement(site: SiteView) -> Html:
    """Render the message above every page."""
    given = _of(site.looks, "announcement")
    if not given.get("message") or given.get("enabled") is False:
        return NOTHING
    link = given.get("link")
    away = _link(link) if isinstance(link, dict) else NOTHING
    style = given.get("style") if given.get("style") in ("success", "warning", "danger") else "info"
    inside = [text(words(str(given["message"]), 500)), Html(" ") if away else NOTHING, away]
    return el(
        "div",
        {"class": f"announcement {style}", "role": "region", "aria-label": say("announcement")},
        *inside,
    )


def sections(site: SiteView) -> Html:
    """Render the sections of a site beside each other, groups of them as lists that open."""
    if len(site.navigation) < 2 and not any(item.children for item in site.navigation):
        return NOTHING
    items = (el("li", None, _section(item)) for item in site.navigation)
    return el("nav", {"class": "sections", "aria-label": say("sections")}, el("ul", None, *items))


def _section(item: NavigationItem) -> Html:
    title = joined([pictogram(None, item.icon), text(words(item.title, 128))])
    if item.kind == "group":
        return menu(title, [_section_link(child) for child in item.children], current=item.current)
    return _section_link(item)


def _section_link(item: NavigationItem) -> Html:
    href = followed(item.href)
    if href is None:
        return NOTHING
    title = joined([pictogram(None, item.icon), el("span", None, text(words(item.title, 128)))])
    about = el("small", None, text(words(item.description, 256))) if item.description else NOTHING
    said = {"href": href, "aria-current": "true" if item.current else None}
    return el("a", {**said, "rel": "noopener" if is_elsewhere(href) else None}, title, about)


def footer(site: SiteView) -> Html:
    """Render the footer of every page."""
    given = _of(site.looks, "footer")
    made = []
    pictures = given.get("logo")
    if isinstance(pictures, dict) and followed(pictures.get("light")):
        made.append(el("div", {"class": "logo"}, _themed(pictures, site.title)))
    for group in _list(given, "groups"):
        items = (el("li", None, link) for each in _list(group, "links") if (link := _link(each)))
        title = el("h2", None, text(words(str(group.get("title", "")), 100)))
        made.append(el("div", None, title, el("ul", None, *items)))
    last = [el("p", None, text(words(str(given["copyright"]), 500)))] if given.get("copyright") else []
    privacy = followed(_of(site.looks, "privacyPolicy").get("url"))
    if privacy:
        last.append(el("p", None, el("a", {"href": privacy}, text(say("privacy-policy")))))
    if not made and not last:
        return NOTHING
    groups = el("nav", {"class": "groups", "aria-label": say("footer")}, *made) if made else NOTHING
    small = el("div", {"class": "small"}, *last) if last else NOTHING
    return el("footer", {"class": "foot"}, el("div", {"class": "row"}, groups, small))


def search_dialog(site: SiteView) -> Html:
    """Render the search that opens over a page; a script fills it as somebody types."""
    field = {
        "type": "search", "name": "q", "aria-label": say("search"), "placeholder": say("search.placeholder"),
        "autocomplete": "off", "spellcheck": "false", "maxlength": 512, "role": "combobox",
        "aria-expanded": "false", "aria-controls": "~hits", "aria-autocomplete": "list",
    }  # fmt: skip
    close = {"type": "button", "class": "tool", "aria-label": say("close"), "data-close": True}
    form = el(
        "form",
        {"action": f"{site.base}/~/search", "role": "search"},
        icon("search", 20),
        void("input", field),
        variant_field(site),
        only_here(site),
        el("button", close, icon("xmark", 20)),
    )
    hits = el("div", {"id": "~hits", "role": "listbox", "aria-label": say("search.results")})
    said = el("p", {"role": "status", "class": "said"})
    return el("dialog", {"class": "search", "aria-label": say("search")}, form, hits, said)


def only_here(site: SiteView) -> Html:
    """Render the box that keeps a search inside of what is read."""
    if not site.variant:
        return NOTHING
    box = {"type": "checkbox", "name": "only", "value": "here", "checked": site.only}
    return el("label", {"class": "only"}, void("input", box), text(f" {say('search.here')}"))


def variant_field(site: SiteView) -> Html:
    """Render the hidden field that tells a search which variant is read."""
    if not site.variant:
        return NOTHING
    return void("input", {"type": "hidden", "name": "space", "value": site.variant})


def skip() -> Html:
    """Render the link that skips what is the same on every page."""
    return el("a", {"class": "skip", "href": "#~content"}, text(say("skip")))


def _of(looks: dict[str, Any], name: str) -> dict[str, Any]:
    found = looks.get(name)
    return found if isinstance(found, dict) else {}


def _list(holder: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = holder.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
