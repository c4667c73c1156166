"""The links of a place as they are kept, and as they come out when every text is read from scratch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from app.domain.content.views import SPACES, View, Where, reading
from app.domain.revisions.documents import anchors_of
from app.domain.revisions.link_targets import LinkTargets, ResolvedLink, ref_of, resolved_links
from app.formats.markdown.hrefs import has_anchor
from app.formats.markdown.passages import Include, conditions_of, included
from app.formats.markdown.scanner import scan
from app.kit.database.interface import Reader
from app.kit.database.sql import nested
from app.kit.database.statements import table
from app.models.files import FileVersion
from app.models.links import Link
from app.models.pages import Document, PageVersion
from app.models.revisions import ReusableVersion
from app.models.searches import SearchInclusion

_p, _l, _f, _u, _d = (table(model) for model in (PageVersion, Link, FileVersion, ReusableVersion, Document))
SEARCH_INCLUSIONS = table(SearchInclusion)
Links = Mapping[str, tuple[ResolvedLink, ...]]


@dataclass(frozen=True)
class Held:
    """Something with a text, or a file, by where it is kept."""

    id: str
    kind: str
    source: str | None
    title: str
    path: str
    body: str | None = None


@dataclass(frozen=True)
class Place:
    """What a place holds, and its links as they are kept, by what they stand in; `shown` is what the search
    of the main content keeps of what pages include."""

    revision: str
    held: Mapping[str, Held]
    kept: Links
    shown: Set[tuple[str, str, str | None]]

    def of(self, *kinds: str) -> list[Held]:
        """Return the objects of these kinds, in a stable order."""
        return sorted((each for each in self.held.values() if each.kind in kinds), key=lambda each: each.id)

    def shown_from_scratch(self) -> Set[tuple[str, str, str | None]]:
        """The reusable contents that each page shows, with the conditions, as its links tell."""
        includes = {
            key: [
                Include(link.target_id, link.shown_if)
                for link in links
                if link.shown_if is not None and link.target_id and link.target_kind == "reusable-content"
            ]
            for key, links in self.kept.items()
        }
        return {
            (page.id, each.target_id, each.condition or None)
            for page in self.of("page")
            for each in included(page.id, includes)
        }

    def from_scratch(self, space: str, own: tuple[str, ...]) -> Links:
        """The links as reading every text anew gives them."""
        targets = LinkTargets(space=space, own=own)
        known = {"page": targets.pages, "file": targets.files, "reusable-content": targets.reusable}
        for each in self.held.values():
            targets.named[each.id] = each.kind
            if each.source:
                known[each.kind][each.source] = each.id
        scans = {each.id: scan(each.body) for each in self.held.values() if each.body is not None}
        found = {
            key: resolved_links(body, scans[key], conditions_of(body), each.source or "", targets)
            for key, each in self.held.items()
            if (body := each.body) is not None
        }
        anchors = {key: anchors_of(each) for key, each in scans.items()}
        return {
            key: tuple(_entered(link, anchors, found) for link in links)
            for key, links in found.items()
            if links
        }


def _entered(
    link: ResolvedLink, anchors: Mapping[str, str], links: Mapping[str, list[ResolvedLink]]
) -> ResolvedLink:
    """A link that enters a page is broken where neither the page nor what it includes has such a place."""
    if link.target_kind != "anchor" or link.target_id is None or link.target_path is None:
        return link
    shown, waiting = set(), [link.target_id]
    while waiting:
        key = waiting.pop()
        if key not in shown:
            shown.add(key)
            included = [each for each in links.get(key, ()) if each.target_kind == "reusable-content"]
            waiting += [each.target_id for each in included if each.target_id]
    is_there = any(has_anchor(anchors.get(key, ""), link.target_anchor or "") for key in shown)
    return link._replace(status="ok" if is_there else "broken")


def led(links: tuple[ResolvedLink, ...]) -> list[Any]:
    """Return the targets of links, in their order."""
    return [ref_of(link) for link in links]


def _columns(view: View) -> list[Any]:
    pages = select(_p.c.page_id, _p.c.source, _p.c.title, _p.c.path, _d.c.markdown, _p.c.kind)
    blocks = select(_u.c.reusable_id, _u.c.source, _u.c.title, _d.c.markdown)
    links = select(_l.c.holder_id, *(_l.c[name] for name in ResolvedLink._fields))
    return [
        nested(pages.outerjoin(_d, _d.c.id == _p.c.document_id).where(view.valid(_p)), "pages"),
        nested(blocks.join(_d, _d.c.id == _u.c.document_id).where(view.valid(_u)), "blocks"),
        nested(select(_f.c.file_id, _f.c.source, _f.c.name).where(view.valid(_f)), "files"),
        nested(links.where(view.valid(_l)).order_by(_l.c.holder_id, _l.c.position), "links"),
        nested(
            select(
                SEARCH_INCLUSIONS.c.page_id, SEARCH_INCLUSIONS.c.reusable_id, SEARCH_INCLUSIONS.c.condition
            ).where(SEARCH_INCLUSIONS.c.space_id == SPACES.c.id),
            "shown",
        ),
        view.revision().label("seen_revision"),
    ]


_SEEN = reading(_columns)


async def seen(db: Reader, where: Where) -> Place:
    """Return the content of a place."""
    row: Any = await db.first(_SEEN[where.view], id=where.space, **where.values)
    kept: defaultdict[str, list[ResolvedLink]] = defaultdict(list)
    for holder, *link in row.links:
        kept[holder].append(ResolvedLink(*link))
    pages = [Held(key, "page", source, title, path, body) for key, source, title, path, body, _ in row.pages]
    blocks = [
        Held(key, "reusable-content", source, title, "", body) for key, source, title, body in row.blocks
    ]
    files = [Held(key, "file", source, name, "") for key, source, name in row.files]
    held = {each.id: each for each in [*pages, *blocks, *files]}
    assert len(held) == len(pages) + len(blocks) + len(files), "something is there twice"
    return Place(
        row.seen_revision,
        held,
        {key: tuple(links) for key, links in kept.items()},
        set(map(tuple, row.shown)),
    )
