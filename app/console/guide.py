"""The guide that comes with the program, at `/docs/guide`: rendered from its files when it is read.

It says the same on every server, with the demo or without, and needs no database.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from app.console import assets
from app.domain.content.pages import document_for
from app.formats.markdown import hrefs
from app.formats.markdown.nodes import Node
from app.formats.markdown.parser import split_front_matter
from app.formats.markdown.passages import BodyText
from app.formats.repository.files import VARIABLES
from app.formats.repository.front_matter import load_yaml
from app.formats.repository.summary import Entry, parse_summary
from app.kit import workers
from app.kit.http.headers import page_policy
from app.kit.settings import Settings
from app.present.html_links import HtmlSource, IncludedContent, LinkTarget
from app.site_reader.rendering import page as rendering

GUIDE = Path(__file__).parents[1] / "demo" / "guide"
PICTURES = ".gitbook/assets"
_BROKEN = LinkTarget("broken")
_POLICY = {
    "default-src": "'none'",
    "style-src": "'self'",
    "img-src": "'self' data: https:",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
_PAGE = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>{title} · Docyard guide</title>
    <link rel="icon" href="{base}/static/-/icon.svg">
    <link rel="stylesheet" href="{static}/reader.css">
    <link rel="stylesheet" href="{static}/guide.css">
  </head>
  <body class="guide">
    <a class="guide-skip" href="#text">Skip to the text</a>
    <header><a href="{base}/">Docyard</a> <a href="{base}/docs/guide">Guide</a></header>
    <details class="guide-contents"><summary>Contents</summary>
      <nav aria-label="Contents">{contents}</nav></details>
    <main id="text" tabindex="-1"><article class="body"><h1>{title}</h1>
{body}
    {turn}</article></main>
  </body>
</html>
"""


async def guide_page(settings: Settings, request: Request) -> Response:
    """Return a page of the guide, or one of its files; raises HTTPException 404 for what it does not have."""
    path = str(request.path_params.get("path", "")).strip("/")
    if path.startswith(f"{PICTURES}/"):
        return _file(path)
    source = pages().get(path)
    if source is None:
        raise HTTPException(404)
    base = urlsplit(settings.base_url).path.rstrip("/")
    text = await workers.run(len(_text(source)), _rendered, base, path, source, assets.current().version)
    policy = page_policy(_POLICY, [f"{base}/console/", f"{base}/static/"])
    headers = {
        "Content-Security-Policy": policy,
        "Cache-Control": "no-cache",
        "Referrer-Policy": "same-origin",
    }
    return HTMLResponse(text, headers=headers)


def _file(path: str) -> Response:
    folder, file = GUIDE / PICTURES, GUIDE / path
    if file.parent != folder or not file.is_file():
        raise HTTPException(404)
    return FileResponse(
        file, headers={"Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'"}
    )


@cache
def pages() -> dict[str, str]:
    """Return the files of the pages by their paths, in the order of the table of contents."""
    return {_path(source): source for source in _titles()}


@cache
def _titles() -> dict[str, str]:
    """Return the titles of the pages by their files."""
    found = [entry for entry in _all(_contents()) if entry.kind == "page"]
    return {entry.target: entry.title for entry in found if entry.target}


def _path(source: str) -> str:
    """Return the path at which a file is read: that of its folder for the first page of one."""
    return re.sub(r"(^|/)README$", "", source.removesuffix(".md"))


@cache
def _contents() -> list[Entry]:
    return parse_summary((GUIDE / "SUMMARY.md").read_text(encoding="utf-8"))


def _all(entries: list[Entry]) -> Iterator[Entry]:
    for entry in entries:
        yield entry
        yield from _all(entry.children)


@cache
def _text(source: str) -> str:
    return (GUIDE / source).read_text(encoding="utf-8")


@cache
def _variables() -> dict[str, Any]:
    found: dict[str, Any] = load_yaml((GUIDE / VARIABLES).read_text(encoding="utf-8"))
    return found


def _nodes(source: str) -> list[Node]:
    scope = {"space": {"vars": _variables()}, "page": {"vars": {}}, "visitor": {"claims": {}}}
    body = split_front_matter(_text(source))[1]
    found: list[Node] = document_for(BodyText(body, conditional=True), scope)["nodes"]
    return found


@lru_cache(maxsize=256)
def _rendered(base: str, path: str, source: str, version: str) -> str:
    title = _titles()[source]
    found = HtmlSource(_nodes(source), _GuideLinks(base, source), title)
    return _PAGE.format(
        base=base,
        static=f"{base}/console/{version}",
        title=escape(title),
        contents=_list(base, _contents(), path),
        body=rendering.text_html(found),
        turn=_turn(base, source, _titles()),
    )


def _list(base: str, entries: list[Entry], current: str) -> str:
    items = []
    for entry in entries:
        inside = _list(base, entry.children, current) if entry.children else ""
        if entry.target is None:
            items.append(f"<li><strong>{escape(entry.title)}</strong>{inside}</li>")
            continue
        if entry.kind == "link":
            items.append(f'<li><a href="{escape(entry.target)}">{escape(entry.title)}</a></li>')
            continue
        path = _path(entry.target)
        here = ' aria-current="page"' if path == current else ""
        items.append(f'<li><a href="{_address(base, path)}"{here}>{escape(entry.title)}</a>{inside}</li>')
    return f"<ul>{''.join(items)}</ul>"


def _turn(base: str, source: str, titles: dict[str, str]) -> str:
    """Return the link to the page that follows."""
    order = list(titles)
    after = order[order.index(source) + 1 :][:1]
    links = [f'<a href="{_address(base, _path(each))}">Next: {escape(titles[each])}</a>' for each in after]
    return f"<p>{links[0]}</p>" if links else ""


def _address(base: str, path: str) -> str:
    return f"{base}/docs/guide/{quote(path)}".rstrip("/")


@dataclass(slots=True, frozen=True)
class _GuideLinks:
    """The links of one file of the guide, which may stand `inside` others."""

    base: str
    source: str
    inside: tuple[str, ...] = ()

    def target(self, href: str) -> LinkTarget:
        """Return what a link or a picture leads to."""
        kind, found = hrefs.follow(href, self.source)
        if kind == "external":
            return LinkTarget("external", href.strip())
        if found is None:
            return _BROKEN
        anchor = f"#{quote(found.anchor)}" if found.anchor else ""
        if kind == "fragment":
            return LinkTarget("fragment", anchor or "#")
        if found.path.startswith(f"{PICTURES}/"):
            return LinkTarget("file", _address(self.base, found.path), found.path.rpartition("/")[2])
        known = pages()
        for source in hrefs.candidates(found.path):
            path = _path(source)
            if known.get(path) == source:
                return LinkTarget("page", _address(self.base, path) + anchor)
        return _BROKEN

    def included(self, href: str) -> IncludedContent | None:
        """Return the text that a page includes; None where there is none or it would include itself."""
        found = hrefs.resolve(href, self.source)
        if found is None or found.path in self.inside or not found.path.startswith(".gitbook/includes/"):
            return None
        if not (GUIDE / found.path).is_file():
            return None
        links = replace(self, source=found.path, inside=(*self.inside, found.path))
        return IncludedContent(_nodes(found.path), links)
