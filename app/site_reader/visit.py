"""One visit: a site at an address, the visitor who was let in, and the tree of what they may see.

Everything that a site answers, page or search, text or sitemap, is made from this; what a condition hides is
gone from `tree` and from every `VisibleSpace`, so that nobody else has to think of it (threats, 5, 17, 19 to
21).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any
from urllib.parse import quote, urlsplit

import orjson
from cachetools import LRUCache

from app.access.context import Context
from app.domain.content.snapshots import SnapshotCache, SpaceSnapshot
from app.domain.publishing import published_sites, visitors, visits
from app.domain.publishing.site_files import Signing
from app.domain.publishing.visitors import SiteVisitor
from app.domain.publishing.visits import SiteRequest
from app.domain.site_addresses import addresses
from app.domain.sites import customizations, previews, site_nodes
from app.domain.sites.site_nodes import SiteNode, SiteTree
from app.formats.expressions.conditions import holds
from app.kit import workers
from app.site_reader.page_tree import PageTree

MOST_TREES = 64
TREES_ROOM = 200_000  # pages, of all trees together; a larger tree is kept alone
PAGE = 50  # characters that a page of a tree counts for


@dataclass(slots=True, frozen=True)
class VisibleSpace:
    """A space of the site as this visitor reads it."""

    node: SiteNode
    snapshot: SpaceSnapshot
    tree: PageTree


@dataclass(slots=True, frozen=True)
class PreviewScope:
    """A preview as shown: all its addresses are `below` the site's, so that nobody leaves it by a link."""

    below: str
    drafts: bool
    without: Sequence[str]


@dataclass(slots=True)
class Visit:
    """A visitor at a published site. `parts` are what of the path is below the site's own address.

    `own_host` says that they came by a host of the site alone, not by the one that all sites share, and
    `markdown` that a program would rather have that than a page.
    """

    cx: Context
    site: Any
    parts: list[str]
    visitor: SiteVisitor
    claims: Mapping[str, Any]
    preview: PreviewScope | None = None
    own_host: bool = False
    markdown: bool = False
    tree: SiteTree = field(init=False)

    def __post_init__(self) -> None:
        drafts, without = (self.preview.drafts, self.preview.without) if self.preview else (False, ())
        planted = site_nodes.planted(self.site)
        self.tree = published_sites.shown_to(planted, self.claims, drafts=drafts, without=without)

    @property
    def is_private(self) -> bool:
        """Return whether answers are for this visitor alone."""
        return self.preview is not None or self.site.visibility not in visitors.OPEN or self.adapts

    @property
    def adapts(self) -> bool:
        """Return whether what is known of a visitor may decide what is shown."""
        return bool(self.site.adaptive_content)

    @property
    def is_indexed(self) -> bool:
        """Return whether search engines may know of the site at all."""
        return bool(self.site.visibility == "public") and self.preview is None

    @property
    def address(self) -> str:
        """Return the site's whole address; a preview's is below the default one."""
        if self.preview is not None:
            place = addresses.whole(self.cx.settings, addresses.default_of(self.site))
            return place + self.preview.below
        return visits.whole(self.cx.settings, self.site)

    @property
    def base(self) -> str:
        """Return the path that all addresses of the site begin with."""
        return urlsplit(self.address).path.rstrip("/")

    @property
    def origin(self) -> str:
        """Return what comes before that path in whole addresses."""
        return self.address.removesuffix(urlsplit(self.address).path)

    def asks_for_feedback(self, item: str = customizations.SITE_ITSELF) -> bool:
        """Return whether the site, or one of its spaces, asks visitors for feedback."""
        asked = customizations.of_space(self.site, item).get("feedback")
        return self.preview is None and isinstance(asked, dict) and asked.get("enabled") is True

    @property
    def missing_href(self) -> str | None:
        """Return the path that reports of what is missing are sent to; None where the site does not ask."""
        return f"{self.base}/~/feedback" if self.asks_for_feedback() else None

    def inside(self, address: str) -> str | None:
        """Return the path of a whole address of the site, as this visitor follows it, or None."""
        own = visits.whole(self.cx.settings, self.site)
        if address != own and not address.startswith((f"{own}/", f"{own}#")):
            return None
        return self.base + address.removeprefix(own) or "/"

    @property
    def signing(self) -> Signing:
        """Return what makes the addresses of files."""
        return Signing.for_visitor(self.cx, self.site, self.visitor, lasting=not self.adapts)

    @property
    def known(self) -> str:
        """Return what conditions may depend on, as a key."""
        return _digest(self.claims) if self.adapts else ""


def _digest(claims: Mapping[str, Any]) -> str:
    return blake2b(orjson.dumps(claims, option=orjson.OPT_SORT_KEYS), digest_size=12).hexdigest()


class VisibleSpaces:
    """Spaces as visitors read them: trees that were made for some of them serve all who see the same."""

    def __init__(self) -> None:
        self.snapshots = SnapshotCache()
        least = TREES_ROOM // MOST_TREES
        self._trees: LRUCache[tuple[str, ...], PageTree] = LRUCache(
            TREES_ROOM, getsizeof=lambda tree: min(max(len(tree), least), TREES_ROOM)
        )

    async def at(self, visit: Visit, node: SiteNode) -> VisibleSpace | None:
        """Return a space of the site; None where it is gone."""
        snapshot = await self.snapshots.of(visit.cx, node.row.space_id, node.row.revision_id)
        if snapshot is None:
            return None
        base = visit.base + visits.below(visit.site, node.row)
        known = visit.known if snapshot.indexes.conditional else ""
        key = (snapshot.space_id, snapshot.revision_id, base, known)
        tree = self._trees.get(key)
        if tree is None:
            size = len(snapshot.pages) * PAGE
            tree = self._trees[key] = await workers.run(size, _tree, snapshot, visit.claims, base)
        return VisibleSpace(node, snapshot, tree)


def _tree(snapshot: SpaceSnapshot, claims: Mapping[str, Any], base: str) -> PageTree:
    return PageTree(visible_pages(snapshot, claims), base)


def visible_pages(snapshot: SpaceSnapshot, claims: Mapping[str, Any]) -> list[Any]:
    """Return the pages seen with these claims: no condition on them, or on what they are in, fails."""
    if not snapshot.indexes.conditional:
        return list(snapshot.pages)
    known, rows = dict(claims), snapshot.indexes.pages
    verdicts: dict[str | None, bool] = {None: True}

    def seen(page_id: str) -> bool:
        chain: list[str] = []
        at: str | None = page_id
        while at not in verdicts and at in rows and at not in chain:
            chain.append(at)
            at = rows[at].parent_id
        verdict = verdicts.get(at, at not in rows)
        for each in reversed(chain):
            condition = rows[each].condition
            verdict = verdict and (not condition or holds(condition, known))
            verdicts[each] = verdict
        return verdict

    return [row for row in snapshot.pages if seen(row.page_id)]


def quoted(parts: list[str]) -> str:
    """Return parts as a path."""
    return "".join(f"/{quote(part, safe='')}" for part in parts)


_BELOW = ("~", "preview")


@dataclass(slots=True, frozen=True)
class PreviewRequest:
    """A preview as it was asked for: what it is written in, and the path below it; `begins` in the query."""

    names: Sequence[str]
    text: str
    parts: list[str]
    begins: bool


def preview_asked(parts: list[str], query: Mapping[str, str]) -> PreviewRequest | None:
    """Return the preview that an address names, if it names one."""
    if tuple(parts[2:4]) == _BELOW and len(parts) > 4:
        return PreviewRequest(parts[:2], parts[4], parts[5:], begins=False)
    if "preview" in query and len(parts) >= 2:
        return PreviewRequest(parts[:2], query["preview"], parts[2:], begins=True)
    return None


async def preview_visit(cx: Context, asked: PreviewRequest) -> Visit | None:
    """Return the visit of somebody with this preview; None where it is none, is over, or of another site."""
    shown = None
    if len(asked.text) <= previews.LONGEST and asked.text.isascii():
        shown = previews.read(cx.signer, asked.text, cx.now)
    if shown is None:
        return None
    found = await visits.find(cx, SiteRequest(asked.parts, *asked.names), preview=True)
    if found is None or found[0].id != shown.site:
        return None
    site, rest = found
    if shown.looks:
        site = site._replace(looks=customizations.with_tried(site.looks, shown.looks_of, shown.looks))
    visitor = SiteVisitor("preview", "", shown.claims, shown.until)
    unsigned = shown.claims.get("unsigned")
    claims = visitors.known_of(site, visitor, unsigned if isinstance(unsigned, dict) else {})
    below = f"/~/preview/{asked.text}"
    return Visit(cx, site, rest, visitor, claims, PreviewScope(below, shown.draft, shown.without))
