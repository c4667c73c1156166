"""Pages written without a server: Markdown in, HTML out, read again as a browser's parser would."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any
from xml.etree.ElementTree import Element as Parsed

import tinyhtml5

from app.formats.markdown.nodes import Node
from app.formats.markdown.parser import to_document
from app.models.publishing import CustomizationSettings
from app.present.html_links import IncludedContent, LinkTarget
from app.site_reader.page_tree import PageTree
from app.site_reader.rendering.page import page_html
from app.site_reader.rendering.render_context import PageView, SiteView

BASE = "/acme/guide"
VOID = {"meta", "link", "img", "br", "hr", "input", "wbr", "col"}


def row(number: int = 0, **fields: Any) -> Any:
    """A page of a space, as the database gives it."""
    return SimpleNamespace(
        **{
            "page_id": f"p{number}",
            "parent_id": None,
            "rank": f"{number:06}",
            "kind": "document",
            "title": f"Page {number}",
            "link_title": None,
            "path": f"page-{number}",
            "emoji": None,
            "icon": None,
            "href": None,
            "hidden": False,
            "layout": None,
            "cover": None,
            "description": None,
            "updated_at": datetime(2026, 11, 3, tzinfo=UTC),
            **fields,
        }
    )


@dataclass(slots=True, frozen=True)
class Written:
    """Links of a body in a space of one folder: `NAME.md` is a page, what has another ending a file."""

    included_bodies: dict[str, str] = field(default_factory=dict)
    inside: tuple[str, ...] = ()

    def target(self, href: str) -> LinkTarget:
        """Pages and files of the folder, anything else as it was written."""
        if href.endswith(".md"):
            return LinkTarget(
                "page", f"{BASE}/{href.removesuffix('.md')}", title=href.removesuffix(".md").title()
            )
        if re.fullmatch(r"[\w./-]+\.\w+", href):
            return LinkTarget("file", f"{BASE}/~/files/{href}", title=href, size=2048, width=640, height=480)
        return LinkTarget("fragment" if href.startswith("#") else "external", href)

    def included(self, href: str) -> IncludedContent | None:
        """A body of this name, unless it would include itself."""
        if href not in self.included_bodies or href in self.inside:
            return None
        return IncludedContent(
            to_document(self.included_bodies[href])["nodes"], replace(self, inside=(*self.inside, href))
        )


def looks(**settings: Any) -> dict[str, Any]:
    """The looks of a site."""
    return CustomizationSettings.model_validate(settings).model_dump(by_alias=True, exclude_none=True)


def reading(markdown: str | Node = "", **given: Any) -> PageView:
    """A page as it is handed to the reader; `page`, `rows`, `site`, `links` say what differs."""
    page = given.pop("page", row(title="The page"))
    rows = given.pop("rows", [page, row(1), row(2)])
    site = SiteView(**{"title": "Guide", "base": BASE, "looks": looks(), **given.pop("site", {})})
    document = to_document(markdown) if isinstance(markdown, str) else markdown
    links = given.pop("links", Written())
    return PageView(site, PageTree(rows, BASE), page, document, links, **given)


def whole(markdown: str | Node = "", **given: Any) -> str:
    """The whole page."""
    return page_html(reading(markdown, **given))


def body(markdown: str | Node, **given: Any) -> str:
    """Only what its body became."""
    return (
        whole(markdown, **given)
        .partition('<div class="body" dir="auto">')[2]
        .rpartition("</div></article>")[0]
    )


@dataclass(slots=True)
class Element:
    """An element with its attributes and the text directly in it."""

    name: str
    attributes: dict[str, str | None]
    text: str = ""
    inside: list[Element] = field(default_factory=list)

    def every(self, name: str = "") -> Iterator[Element]:
        """This element and all below it, or those of a name."""
        if not name or self.name == name:
            yield self
        for child in self.inside:
            yield from child.every(name)

    @property
    def all_text(self) -> str:
        """The text in it at any depth."""
        return self.text + "".join(child.all_text for child in self.inside)


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self.open = [self.root]
        self.astray: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if len({name for name, _ in attrs}) != len(attrs):
            self.astray.append(f"{tag}: an attribute twice")
        made = Element(tag, dict(attrs))
        self.open[-1].inside.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1].name != tag:
            self.astray.append(tag)
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].text += data


def parsed(html: str) -> Element:
    """The elements of a page; fails where they are not closed one inside the other."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    assert parser.astray == []
    assert [element.name for element in parser.open] == [""]
    return parser.root


def browsed(html: str) -> Element:
    """The elements of a page as a browser finds them, by the parsing rules of the HTML standard."""
    return _element(tinyhtml5.parse(html))


def _element(found: Parsed) -> Element:
    inside = [_element(child) for child in found if isinstance(child.tag, str)]
    texts = [found.text or "", *(child.tail or "" for child in found)]
    return Element(_local(found.tag), {_local(k): v for k, v in found.items()}, "".join(texts), inside)


def _local(name: str) -> str:
    """A name without its namespace; browsers treat `href` alike in all of them."""
    return name.rpartition("}")[2]
