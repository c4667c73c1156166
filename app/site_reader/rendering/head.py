"""The `head` of a page: metadata for browsers, search engines and link previews."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from app.formats.markdown.safe_html import followed
from app.site_reader.rendering import theme
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text, void, words
from app.site_reader.rendering.render_context import PageView, SiteView

_THEMES = ("clean", "muted", "bold", "gradient")
_PRESETS = ("default", "bold", "contrast", "custom", "none")


def head(site: SiteView | None, title: str, *more: Html) -> Html:
    """Render the head of any page of a site."""
    whole = " · ".join(dict.fromkeys(filter(None, (words(title), words(site.title) if site else ""))))
    base = site.base if site else ""
    made = [
        void("meta", {"charset": "utf-8"}),
        void("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        el("title", None, text(whole or "Documentation")),
        *more,
    ]
    if site is not None:
        key = theme.key(site.looks)
        made += [
            *_icons(site, key),
            _style(asset_address(base, "reader.css")),
            _style(theme_address(base, site.looks_key, f"{key}.css")),
            el("script", {"src": asset_address(base, "theme.js")}),
            el("script", {"src": asset_address(base, "reader.js"), "defer": True}),
            *(el("script", {"src": followed(each), "defer": True}) for each in site.scripts),
        ]
    return el("head", None, *made)


def described(view: PageView, title: str, description: str) -> list[Html]:
    """Render what a page is about, where it belongs, and who may find it."""
    image = followed(_of(view.site.looks, "socialPreview").get("url"))
    said = {
        "og:title": title,
        "og:description": description,
        "og:type": "article",
        "og:site_name": view.site.title,
        "og:url": view.canonical,
        "og:image": image,
    }
    made = [_property(name, value) for name, value in said.items() if value]
    made.append(_meta("description", description))
    made.append(_meta("twitter:card", "summary_large_image" if image else "summary"))
    if view.noindex:
        made.append(_meta("robots", "noindex"))
    if view.canonical and not view.noindex:
        made.append(void("link", {"rel": "canonical", "href": followed(view.canonical)}))
    if view.markdown_href:
        alternate = {"rel": "alternate", "type": "text/markdown", "href": followed(view.markdown_href)}
        made.append(void("link", alternate))
    for language, href in view.alternates:
        made.append(void("link", {"rel": "alternate", "hreflang": language, "href": followed(href)}))
    return made


def root(site: SiteView | None, language: str, *inside: Html) -> Html:
    """Render the whole page."""
    given: dict[str, Any] = {"lang": language}
    if site is not None:
        styling, themes = _of(site.looks, "styling"), _of(site.looks, "themes")
        preset = _of(site.looks, "header").get("preset")
        given["class"] = f"is-{_known(styling.get('theme'), _THEMES)} head-{_known(preset, _PRESETS)}"
        given["data-theme"] = _known(themes.get("default"), ("system", "light", "dark"))
        given["data-fixed"] = themes.get("toggleable") is False
    return joined([Html("<!doctype html>\n"), el("html", given, *inside)])


def _icons(site: SiteView, key: str) -> list[Html]:
    pictures = _of(site.looks, "favicon").get("icon") or (
        site.icon or {} if isinstance(site.icon, dict) else {}
    ).get("icon")
    if isinstance(pictures, dict) and followed(pictures.get("light")):
        light, dark = followed(pictures.get("light")), followed(pictures.get("dark"))
        made = [void("link", {"rel": "icon", "href": light})]
        if dark and dark != light:
            media = "(prefers-color-scheme: dark)"
            made.append(void("link", {"rel": "icon", "href": dark, "media": media}))
        return made
    made_here = theme_address(site.base, site.looks_key, f"{key}.svg")
    return [void("link", {"rel": "icon", "type": "image/svg+xml", "href": made_here})]


def _style(href: str) -> Html:
    return void("link", {"rel": "stylesheet", "href": href})


def _meta(name: str, content: str) -> Html:
    return void("meta", {"name": name, "content": content}) if content else NOTHING


def _property(name: str, content: str) -> Html:
    return void("meta", {"property": name, "content": content})


def _of(looks_: dict[str, Any], name: str) -> dict[str, Any]:
    found = looks_.get(name)
    return found if isinstance(found, dict) else {}


def _known(value: Any, names: tuple[str, ...]) -> str:
    return value if value in names else names[0]


TYPES = {
    "reader.css": "text/css; charset=utf-8",
    "theme.js": "text/javascript; charset=utf-8",
    "reader.js": "text/javascript; charset=utf-8",
}


@dataclass(slots=True, frozen=True)
class Asset:
    """A file with its type and the key in its address."""

    content: bytes
    content_type: str
    key: str


@cache
def asset(name: str) -> Asset | None:
    """Return the file of this name; None for any other."""
    if name not in TYPES:
        return None
    content = (files("app.site_reader") / "static" / name).read_bytes()
    return Asset(content, TYPES[name], hashlib.blake2b(content, digest_size=8).hexdigest())


def asset_address(base: str, name: str) -> str:
    """Return where a page finds the file."""
    found = asset(name)
    return f"{base}/~/static/{found.key if found else '-'}/{name}"


def theme_address(base: str, looks_key: str, name: str) -> str:
    """Return where a page finds what is made of its site's theme: its stylesheet and icon."""
    return f"{base}/~/looks/{looks_key or 'site'}/{name}"
