"""A body as Markdown for programs: evaluated, whole, and leading to addresses that work anywhere."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from app.formats.conditional import Text
from app.formats.dialect.parse import split_front_matter
from app.formats.evaluate import markdown_of
from app.formats.links import replace_hrefs
from app.formats.scan import scan
from app.site_reader.link_resolution import BodyLinks

MOST_INCLUDED = 200_000  # characters of all that a page includes
LONGEST_TAG = 2000


def written_out(text: Text, scope: dict[str, Any], links: BodyLinks, origin: str) -> str:
    """The text for a visitor: reusable contents in their places, links to the site as whole addresses."""
    return _Writing(origin).text(text, scope, links)


class _Writing:
    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.room = MOST_INCLUDED

    def text(self, text: Text, scope: dict[str, Any], links: BodyLinks) -> str:
        """One text, evaluated, without its front matter."""
        _, body = split_front_matter(markdown_of(text, scope))
        edits: list[tuple[int, int, str]] = []
        done = 0
        for found in scan(body).links:
            if found.start < done:
                continue
            edit = self._included(body, found, links) if found.kind == "include" else self._href(found, links)
            if edit is not None and edit[0] >= done:
                edits.append(edit)
                done = edit[1]
        return replace_hrefs(body, edits).strip()

    def _href(self, found: Any, links: BodyLinks) -> tuple[int, int, str] | None:
        target = links.target(found.href)
        if target.kind not in ("page", "file") or not target.href:
            return None
        href = target.href if urlsplit(target.href).scheme else self.origin + target.href
        return found.start, found.end, href

    def _included(self, body: str, found: Any, links: BodyLinks) -> tuple[int, int, str] | None:
        begin = body.rfind("{%", max(0, found.start - LONGEST_TAG), found.start)
        end = body.find("%}", found.end, found.end + LONGEST_TAG) + 2
        if begin < 0 or end < 2:
            return None
        inside = links.text_of(found.href)
        if inside is None or len(inside[0].body) > self.room:
            return begin, end, ""
        self.room -= len(inside[0].body)
        return begin, end, self.text(inside[0], links.stock.scope, inside[1])
