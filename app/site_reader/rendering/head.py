"""The `head` of a page: metadata for browsers, search engines and link previews."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from app.formats.markdown.safe_html import followed
from app.site_reader import texts
from app.site_reader.rendering import assets, theme
from app.site_reader.rendering.markup import NOTHING, Html, data_block, el, joined, text, void, words
from app.site_reader.rendering.render_context import PageView, SiteView

_THEMES = ("clean", "muted", "bold", "gradient")
_PRESETS = ("default", "bold", "contrast", "custom", "none")


def head(site: SiteView | None, title: str, *more: Html, besides: Collection[str] = ()) -> Html:
    """Render the head of any page of a site, with the files that it needs `besides` those of every page."""
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
        styles, scripts = assets.of_page(besides, works_offline=site.works_offline)
        made += [
            *_icons(site, key),
            *(_style(assets.address(base, name)) for name in styles),
            _style(theme_address(base, site.looks_key, f"{key}.css")),
            el("script", {"src": assets.address(base, assets.FIRST)}),
            *(el("script", {"src": assets.address(base, name), "defer": True}) for name in scripts),
            *(el("script", {"src": followed(each), "defer": True}) for each in site.scripts),
        ]
    return el("head", None, *made)


def described(view: PageView, title: str, description: str) -> list[Html]:
    """Render what a page is about, where it belongs, and who may find it."""
    given = followed(_of(view.site.looks, "socialPreview").get("url"))
    image = given or followed(view.card_href)
    said = {
        "og:title": title,
        "og:description": description,
        "og:type": "article",
        "og:site_name": view.site.title,
        "og:url": view.canonical,
        "og:image": image,
        "og:image:width": None if given or not image else "1200",
        "og:image:height": None if given or not image else "630",
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
    if view.feed_href:
        feed = {"rel": "alternate", "type": "application/atom+xml", "href": view.feed_href}
        made.append(void("link", feed))
    if view.canonical and not view.noindex:
        made.append(data_block("application/ld+json", _structured(view, title, description)))
    for language, href in view.alternates:
        made.append(void("link", {"rel": "alternate", "hreflang": language, "href": followed(href)}))
    return made


SPOKEN = ("copy", "copied", "selected", "block-failed", "search.failed")
"""Texts that scripts show."""


def body(kind: str | None, *inside: Html) -> Html:
    """Render the body of a page of a site, with what scripts say in its language."""
    said = json.dumps({name: texts.say(name) for name in SPOKEN}, ensure_ascii=False)
    return el("body", {"class": kind, "data-texts": said}, *inside)


def _structured(view: PageView, title: str, description: str) -> dict[str, Any]:
    """Return what a page is in the words of schema.org."""
    at = view.canonical or ""
    origin = at[: -len(path)] if (path := view.tree.href(view.page)) and at.endswith(path) else at
    crumbs = [
        *((row.link_title or row.title, view.tree.href(row)) for row in view.tree.above(view.page.page_id))
    ]
    listed = [
        {"@type": "ListItem", "position": place, "name": words(name)}
        | ({"item": origin + href} if href.startswith("/") else {})
        for place, (name, href) in enumerate([*crumbs, (title, path)], 1)
    ]
    article: dict[str, Any] = {
        "@type": "TechArticle",
        "headline": title,
        "description": description,
        "url": at,
        "inLanguage": view.site.language,
        "dateModified": view.page.updated_at.isoformat() if view.page.updated_at else None,
        "isPartOf": {"@type": "WebSite", "name": words(view.site.title), "url": origin + view.site.home},
    }
    graph = [
        {name: value for name, value in article.items() if value},
        {"@type": "BreadcrumbList", "itemListElement": listed},
    ]
    return {"@context": "https://schema.org", "@graph": graph}


def root(site: SiteView | None, *inside: Html) -> Html:
    """Render the whole page, in the language that its site has there."""
    language = site.language if site is not None else texts.current().language
    given: dict[str, Any] = {"lang": language}
    if texts.direction(language) == "rtl":
        given["dir"] = "rtl"
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


def theme_address(base: str, looks_key: str, name: str) -> str:
    """Return where a page finds what is made of its site's theme: its stylesheet and icon."""
    return f"{base}/~/looks/{looks_key or 'site'}/{name}"
