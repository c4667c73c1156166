"""Resolution of the addresses written in a body, on a published site and for one visitor.

Only pages that the visitor may see have an address; a link to any other is broken, as if it were not there.
Addresses elsewhere are followed where a browser does nothing but go there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, urlsplit

from app.domain.content.pages import document_for
from app.domain.content.snapshots import SpaceSnapshot
from app.formats.markdown import hrefs
from app.formats.markdown.passages import DEEPEST_INCLUDED, BodyText
from app.present.html_links import IncludedContent, LinkTarget
from app.site_reader.page_tree import PageTree
from app.site_reader.visit import VisibleSpace

FOLLOWED = ("http", "https", "mailto", "tel")
BLOCK = 200  # characters that a block of a document counts for
BROKEN = LinkTarget("broken")
_STABLE = re.compile(r"(?:spaces/(?P<space>\w+)/?)?(?:(?P<kind>pages|files)/(?P<id>[\w-]+))?", re.ASCII)


@dataclass(slots=True, frozen=True)
class LinkContext:
    """Targets of the links of a space: its snapshot, the pages the visitor may see, and addresses of files.

    `scope` is what expressions in reusable contents may refer to, `texts` are the bodies of those by their
    documents, `spaces` the addresses of the site's spaces by id, `others` those spaces that are linked to.
    """

    snapshot: SpaceSnapshot
    tree: PageTree
    file_href: Callable[[str, Any], str]
    scope: dict[str, Any]
    spaces: Mapping[str, str]
    texts: Mapping[str, BodyText]
    others: Mapping[str, VisibleSpace] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """Return how many characters all have that may be included."""
        return sum(len(text.body) for text in self.texts.values())

    def size(self, document: Any) -> int:
        """Estimate how many characters are read for this document, with all that it may include."""
        return (len(document["nodes"]) if document else 0) * BLOCK + self.length

    def evaluated(self, text: BodyText) -> Any:
        """Return the blocks of a reusable content."""
        return document_for(text, self.scope)["nodes"]


@dataclass(slots=True, frozen=True)
class BodyLinkResolver:
    """The links of one body: a page's, or that of a reusable content `inside` others."""

    context: LinkContext
    source: str
    inside: tuple[str, ...] = ()

    def target(self, href: str) -> LinkTarget:
        """Return what a link, a picture or a file leads to."""
        kind, found = hrefs.follow(href, self.source)
        if kind == "external":
            return LinkTarget("external", href.strip()) if is_followed(href) else BROKEN
        if kind == "broken" or found is None:
            return BROKEN
        if kind == "fragment":
            return LinkTarget("fragment", f"#{quote(found.anchor or '')}")
        return self._of_repository(found.path, found.anchor)

    def included(self, href: str) -> IncludedContent | None:
        """Return the reusable content of this address; None if there is none or it would include itself."""
        found = self.text_of(href)
        return IncludedContent(self.context.evaluated(found[0]), found[1]) if found else None

    def text_of(self, href: str) -> tuple[BodyText, BodyLinkResolver] | None:
        """Return the text of that reusable content, and how the addresses in it are read."""
        row = self._reusable(href)
        if row is None or row.source in self.inside or len(self.inside) >= DEEPEST_INCLUDED:
            return None
        text = self.context.texts.get(row.document_id)
        if text is None:
            return None
        return text, replace(self, source=row.source, inside=(*self.inside, row.source))

    def _reusable(self, href: str) -> Any:
        known = self.context.snapshot.indexes.reusable
        found = hrefs.resolve(href, self.source)
        if found is None:
            return None
        by_id = found.path.rpartition("reusable-contents/")[2]
        for place in hrefs.candidates(found.path):
            if place in known:
                return known[place]
        return next((row for row in known.values() if row.reusable_id == by_id), None)

    def _of_repository(self, path: str, anchor: str | None) -> LinkTarget:
        indexes = self.context.snapshot.indexes
        for place in hrefs.candidates(path):
            if place in indexes.page_sources:
                return self.page(indexes.page_sources[place], anchor)
            if place in indexes.file_sources:
                return self.file(indexes.file_sources[place])
        return self._stable(path, anchor)

    def _stable(self, path: str, anchor: str | None) -> LinkTarget:
        said = _STABLE.fullmatch(path)
        if said is None or not path:
            return BROKEN
        indexes = self.context.snapshot.indexes
        if said["space"] and said["space"] != self.context.snapshot.space_id:
            return self._elsewhere(said["space"], said["kind"], said["id"], anchor)
        if said["kind"] == "pages" and said["id"] in indexes.pages:
            return self.page(indexes.pages[said["id"]], anchor)
        if said["kind"] == "files" and said["id"] in indexes.files:
            return self.file(indexes.files[said["id"]])
        return BROKEN

    def _elsewhere(self, space: str, kind: str | None, id: str, anchor: str | None) -> LinkTarget:
        """Return the target in another space of the site, or that space."""
        href = self.context.spaces.get(space)
        if kind is None:
            return LinkTarget("page", href) if href is not None else BROKEN
        other = self.context.others.get(space)
        row = other.tree.get(id) if other and kind == "pages" else None
        return _shown(other.tree, row, anchor) if other and row is not None else BROKEN

    def page(self, row: Any, anchor: str | None = None) -> LinkTarget:
        """Return a page as a target, if the visitor may see it."""
        seen = self.context.tree.get(row.page_id)
        if seen is None:
            return BROKEN
        return _shown(self.context.tree, seen, anchor)

    def file(self, row: Any) -> LinkTarget:
        """Return a file of the space as a target."""
        return LinkTarget(
            "file",
            self.context.file_href(self.context.snapshot.space_id, row),
            title=row.name,
            size=row.size,
            content_type=row.content_type,
            width=row.width,
            height=row.height,
        )


def _shown(tree: PageTree, row: Any, anchor: str | None) -> LinkTarget:
    href = tree.href(row) + (f"#{quote(anchor)}" if anchor else "")
    about, emoji, icon = row.description or "", row.emoji or "", row.icon or ""
    return LinkTarget("page", href, title=row.title, description=about, emoji=emoji, icon=icon)


def is_followed(href: str) -> bool:
    """Return whether an address elsewhere is one that a browser only goes to."""
    text = href.strip()
    if any(ord(c) < 32 or ord(c) == 127 or c in "\\" for c in text):
        return False
    try:
        return urlsplit(text).scheme.lower() in FOLLOWED or text.startswith("//")
    except ValueError:
        return False
