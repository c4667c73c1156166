"""What is printed: a book of pages in reading order, and how its links and pictures are found.

Nothing here knows where pages are stored. Hrefs are given to the callers' functions as they stand in a body,
together with the page they stand on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

from app.formats import links
from app.formats.conditional import Text

PageKind = Literal["document", "group", "link"]
Change = Literal["added", "edited", "deleted", "moved", "edited and moved"]
Body = str | Callable[[], Text]
"""Markdown that is the same for everybody, or what reads a body when its turn has come."""


@dataclass(slots=True, frozen=True)
class BookPage:
    """One page: `depth` 0 is a chapter of its own, its children follow it with greater depths.

    `path` is the source path its relative hrefs start from; `href` is where a page of kind `link` leads.
    A body that is conditional is evaluated in `scope`.
    """

    id: str
    title: str
    depth: int = 0
    description: str = ""
    body_markdown: Body = ""
    kind: PageKind = "document"
    changed: Change | None = None
    path: str = ""
    href: str = ""
    scope: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True, frozen=True)
class Picture:
    """A picture that can be had: equal keys are equal bytes; `size` is how many, known before they are read.

    `read` gives None where they are gone.
    """

    key: str
    size: int
    read: Callable[[], bytes | None]


PageOf = Callable[[BookPage, str], "str | None"]
"""The id of the page an href (without its fragment) on a page leads to, or None if it is none of them."""
PictureOf = Callable[[BookPage, str], "Picture | None"]
"""The picture an href on a page means, or None if there is none."""


@dataclass(slots=True, frozen=True)
class Book:
    """What is printed. `language` is a tag such as `en` or `pt-BR`; `page_of` defaults to pages' paths."""

    title: str
    pages: Sequence[BookPage]
    subtitle: str = ""
    language: str = "en"
    author: str = ""
    page_of: PageOf | None = None
    notes: Sequence[str] = field(default=())
    """Short lines for the title page: the revision, the day, the address."""
    included: Mapping[str, Body] = field(default_factory=dict)
    """Reusable contents by the paths that pages include them by."""


def by_path(pages: Sequence[BookPage]) -> PageOf:
    """Finds pages by their `path`, an href being read as in a repository of Markdown files."""
    ids = {page.path: page.id for page in pages if page.path}

    def page_of(page: BookPage, href: str) -> str | None:
        target = links.resolve(href, page.path)
        found = links.candidates(target.path) if target else []
        return next((ids[path] for path in found if path in ids), None)

    return page_of


def from_mapping(pictures: Mapping[str, bytes]) -> PictureOf:
    """Finds pictures by the href as it is written, else by the path it leads to from the page's."""

    def picture_of(page: BookPage, href: str) -> Picture | None:
        target = links.resolve(href, page.path)
        data = pictures.get(href) or (pictures.get(target.path) if target else None)
        return None if data is None else Picture(sha256(data).hexdigest(), len(data), lambda: data)

    return picture_of
