"""What writing one page needs to know at every depth, and what it finds out on its way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.domain.openapi.openapi_blocks import BlockReference, Shown
from app.domain.sites.site_blocks import NOTHING, OfferedBlocks
from app.formats.markdown.nodes import Node
from app.formats.markdown.safe_html import followed
from app.kit.deadlines import check
from app.site_reader.rendering.markup import Html
from app.site_reader.rendering.view_models import LinkResolver, LinkTarget

MOST_NODES = 150_000  # of one page with all that it includes
DEEPEST = 60
MOST_HIGHLIGHTED = 60_000  # characters of code on one page


def fragment(anchor: str) -> str:
    """Return the link to an anchor on the page itself; a browser decodes what follows %."""
    return "#" + anchor.replace("%", "%25")


@dataclass(slots=True)
class Heading:
    """A heading as the outline of a page shows it."""

    level: int
    anchor: str
    title: Html


@dataclass(slots=True)
class PageState:
    """What the whole page shares: what is left to spend, its headings, its notes, its numbers."""

    room: int = MOST_NODES
    highlighted: int = MOST_HIGHLIGHTED
    levels: list[int] = field(default_factory=list)  # of the headings that the next one may be below
    anchors: set[str] = field(default_factory=set)
    headings: list[Heading] = field(default_factory=list)
    notes: list[tuple[int, list[Node], LinkResolver]] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    tabs: int = 0
    pictures: int = 0
    contributed: int = 0  # blocks of integrations
    described: int = 0  # characters of what specifications say
    apis: Mapping[BlockReference, Shown] = field(default_factory=dict)
    offer: OfferedBlocks = NOTHING
    asking: str = ""  # where blocks of integrations are asked for, by their keys
    is_computed: bool = False
    is_cut: bool = False

    def nest(self, level: int) -> int:
        """Return the level of a heading on the page: one below the one it is under."""
        while self.levels and self.levels[-1] >= level:
            self.levels.pop()
        self.levels.append(level)
        return min(1 + len(self.levels), 6)

    def is_free(self, anchor: str) -> bool:
        """Take an anchor; returns whether nothing before has it."""
        if anchor in self.anchors or anchor.startswith("~"):
            return False
        self.anchors.add(anchor)
        return True


@dataclass(slots=True, frozen=True)
class RenderContext:
    """A place on the page: whose addresses are read, how deep it is, what it is inside of."""

    page: PageState
    links: LinkResolver
    depth: int = 0
    included: int = 0
    in_link: bool = False
    outlined: bool = True

    def inside(self, *, outlined: bool = True) -> RenderContext:
        """Return the context of what is one container deeper."""
        return replace(self, depth=self.depth + 1, outlined=self.outlined and outlined)

    def take(self) -> bool:
        """Spend one node; false where the page is as long as a page may be."""
        check()
        self.page.room -= 1
        self.page.is_cut = self.page.is_cut or self.page.room < 0
        return self.page.room >= 0

    def target(self, href: str) -> LinkTarget:
        """Return what an address leads to, if a browser may follow it."""
        found = self.links.target(href)
        if found.href is not None and found.href.startswith("//"):
            found = replace(found, href=f"https:{found.href}")
        if found.href is None or followed(found.href) is not None:
            return found
        return LinkTarget("broken")
