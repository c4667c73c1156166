"""The context in which a page is written: the site and how it looks, where the visitor is, and the page.

Addresses in here are ready to be followed: paths below the host (`/acme/docs/start`) or whole addresses.
Texts are as people wrote them; whatever writes HTML escapes them.

What writing one page needs to know at every depth, and what it finds out on its way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from urllib.parse import urlsplit

from app.domain.openapi.openapi_versions import BlockReference, Shown
from app.domain.sites import site_integrations
from app.domain.sites.site_integrations import NOTHING, Block, OfferedBlocks
from app.formats.markdown.nodes import Node
from app.formats.markdown.safe_html import followed
from app.kit.deadlines import check
from app.models.page_feedback import FeedbackRating
from app.present.html_links import LinkResolver, LinkTarget
from app.site_reader.page_tree import PageTree
from app.site_reader.rendering.markup import Html

NavigationKind = Literal["section", "group", "link"]


@dataclass(slots=True, frozen=True)
class NavigationItem:
    """An item of a site's own navigation: a section, a group of them, or a link elsewhere."""

    kind: NavigationKind
    title: str
    href: str = ""
    icon: str = ""
    description: str = ""
    current: bool = False
    children: Sequence[NavigationItem] = ()


@dataclass(slots=True, frozen=True)
class SpaceVariant:
    """One of the spaces that stand beside each other where the visitor is."""

    title: str
    href: str
    current: bool = False
    language: str = ""


@dataclass(slots=True, frozen=True)
class SiteView:
    """The site around a page.

    `base` is the path that all its addresses begin with, without a slash at the end ("" at a host of its
    own); what is no page is below `{base}/~/`. `looks` are its settings as they are kept (see
    `domain.sites.customizations`).
    """

    title: str
    base: str
    looks: dict[str, Any]
    icon: Any = None
    navigation: Sequence[NavigationItem] = ()
    variants: Sequence[SpaceVariant] = ()
    variant: str = ""  # the one that is read, by its id, so that a search begins there
    only: bool = False  # whether nothing but that is searched
    languages: Sequence[SpaceVariant] = ()  # the same in each language, where there are several
    looks_key: str = ""  # whose looks these are: the id of a space of the site that looks different
    signed_in: bool = False  # as a visitor, so that there is something to sign out of
    searchable: bool = True
    scripts: Sequence[str] = ()  # of integrations, by their addresses
    language: str = "en"  # of what is read, or of where the site begins
    works_offline: bool = False  # whether what is read is kept for when there is no network

    @property
    def home(self) -> str:
        """Return where the site begins."""
        return self.base or "/"


def no_room(_block: Block) -> float:
    """Leave no room for a block of an integration."""
    return 0


@dataclass(slots=True, frozen=True)
class PageView:
    """One page as one visitor reads it.

    `page` is a row of a page (or of a group, then without `document`), `tree` the pages of its space that the
    visitor may see. `updated` is shown as the day of the last change, `noindex` keeps search engines away.
    """

    site: SiteView
    tree: PageTree
    page: Any
    document: Node | None
    links: LinkResolver
    canonical: str | None = None  # whole address
    markdown_href: str | None = None
    pdf_href: str | None = None
    noindex: bool = False
    alternates: Sequence[tuple[str, str]] = field(default=())  # language and address
    apis: Mapping[BlockReference, Shown] = field(default_factory=dict)  # what its blocks about APIs show
    offer: site_integrations.OfferedBlocks = (
        site_integrations.NOTHING
    )  # blocks of integrations that it may hold
    ratio: Callable[[Block], float] = no_room
    asking: str = ""  # where those are asked for, by their keys
    diagrams: str = ""  # where diagrams are, by their names; nowhere, where none can be drawn
    diagram_sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # of those that are known
    feedback_href: str | None = None  # where feedback is sent to; None in a preview
    tree_href: str = ""  # where what is below a page of the tree is asked for
    feed_href: str = ""  # of what changed on the site
    card_href: str | None = None  # of the picture that links to it are shown with, a whole address
    tries: bool = False  # whether requests to APIs are tried on it
    is_own_api: bool = False  # whether the API is at the origin of the page
    edit_href: str | None = None  # where a change to it is suggested; None where nobody is asked to
    assistants: Sequence[tuple[str, str]] = ()  # titles, and addresses that open them with the page


@dataclass(slots=True, frozen=True)
class SectionHit:
    """A heading of a page that a search has found; `excerpt` is plain text around the words. The `parts` of a
    text are in turns what was not asked for and what was."""

    heading: str
    href: str
    excerpt: str
    heading_parts: Sequence[str] = ()
    excerpt_parts: Sequence[str] = ()


@dataclass(slots=True, frozen=True)
class SearchHit:
    """A page that a search has found, with its best sections below their headings."""

    title: str
    href: str
    title_parts: Sequence[str] = ()
    excerpt: str = ""
    excerpt_parts: Sequence[str] = ()
    place: str = ""  # the section or variant it is in, where there are several
    sections: Sequence[SectionHit] = ()


@dataclass(slots=True, frozen=True)
class FoundPages:
    """Some of the pages that match, and how many there are: with `is_partial`, at least so many."""

    hits: Sequence[SearchHit] = ()
    count: int = 0
    is_partial: bool = False


@dataclass(slots=True, frozen=True)
class SearchView:
    """A search that a visitor without JavaScript sees as a page: some of what was found, with the addresses
    of what comes before and after it."""

    site: SiteView
    query: str
    found: FoundPages
    tree: PageTree | None = None
    start: int = 0
    before: str = ""
    after: str = ""
    missing_href: str | None = None  # where is sent what is missing; None where the site does not ask


@dataclass(slots=True, frozen=True)
class FramePlaces:
    """Base addresses of an integration's answers: at the origin of sites, and at its own, if it has one."""

    beside: str = ""
    own: str = ""

    def moved(self, url: str) -> str:
        """Return an address of the integration at its own origin; any other as it is."""
        is_ours = self.beside and url.startswith(f"{self.beside}/")
        return self.own + url.removeprefix(self.beside) if is_ours else url

    def origin(self, url: str) -> str:
        """Return the origin that messages go to, "null" in a sandbox; "" for a stranger's page."""
        if not self.own or not url.startswith(f"{self.own}/"):
            return ""
        place = urlsplit(self.own)
        return "null" if self.own == self.beside else f"{place.scheme}://{place.netloc}"


@dataclass(slots=True, frozen=True)
class IntegrationBlockView:
    """A block of an integration as its script rendered it, on a page by itself."""

    site: SiteView
    page_title: str
    page_href: str
    href: str  # its own
    title: str
    output: Mapping[str, Any]  # checked (see `content.ui_elements`)
    component: str  # what the script is asked for when something is pressed
    seal: Callable[[str, Any], str]  # a value for what comes back then, by its field
    frames: FramePlaces  # where its web frames are


@dataclass(slots=True, frozen=True)
class FeedbackView:
    """The answer to a visitor's rating of a page or report of what is missing, on a page by itself."""

    site: SiteView
    page_title: str
    page_href: str
    href: str  # where a comment is sent to
    rating: FeedbackRating | None = None
    has_comment: bool = False


@dataclass(slots=True, frozen=True)
class ErrorView:
    """Why there is no page: shown with the site around it as far as the visitor may know of it."""

    status: int
    title: str
    message: str
    site: SiteView | None = None
    action: tuple[str, str] | None = None  # words and address, such as "Sign in"
    nearby: Sequence[tuple[str, str]] = ()  # titles and addresses of pages that may be meant
    query: str = ""  # what may be searched for
    tree: PageTree | None = None  # of the space that the address leads into
    tree_href: str = ""
    missing_href: str | None = None  # where is sent what is missing; None where the site does not ask
    missing_path: str = ""  # path below the site at which there is no page


MOST_NODES = 150_000  # of one page with all that it includes
DEEPEST = 60
MOST_HIGHLIGHTED = 60_000  # characters of code on one page


def fragment(anchor: str) -> str:
    """Return the link to an anchor on the page itself; a browser decodes what follows %."""
    return "#" + anchor.replace("%", "%25")


@dataclass(slots=True)
class OutlineHeading:
    """A heading as the outline of a page shows it."""

    level: int
    anchor: str
    title: Html


def _no_page(_name: str) -> str:
    return ""


@dataclass(slots=True)
class PageState:
    """The state that the whole page shares: what is left to spend, its headings, its notes, its numbers."""

    room: int = MOST_NODES
    highlighted: int = MOST_HIGHLIGHTED
    levels: list[int] = field(default_factory=list)  # of the headings that the next one may be below
    anchors: set[str] = field(default_factory=set)
    headings: list[OutlineHeading] = field(default_factory=list)
    notes: list[tuple[int, list[Node], LinkResolver]] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    tabs: int = 0
    pictures: int = 0
    contributed: int = 0  # blocks of integrations
    described: int = 0  # characters of what specifications say
    apis: Mapping[BlockReference, Shown] = field(default_factory=dict)
    offer: OfferedBlocks = NOTHING
    ratio: Callable[[Block], float] = no_room
    asking: str = ""  # where blocks of integrations are asked for, by their keys
    diagrams: str = ""  # where diagrams are, by their names
    diagram_sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    drawn: int = 0  # diagrams
    frames: Callable[[str], str] = str  # where what an integration answers is, if nothing is asked for here
    is_computed: bool = False
    beside: list[Html] | None = None  # what stands beside the text, on pages that have room for it
    try_href: str = ""  # of the script that sends requests; none are tried on pages without it
    base: str = ""  # of the site
    is_own_api: bool = False
    besides: set[str] = field(default_factory=set)  # files of ours that only some pages need, by their names
    model_href: Callable[[str], str] = _no_page  # of a named schema; "" where none is read
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
class PageContext:
    """A place on the page: whose addresses are read, how deep it is, what it is inside of."""

    page: PageState
    links: LinkResolver
    depth: int = 0
    included: int = 0
    in_link: bool = False
    outlined: bool = True

    def inside(self, *, outlined: bool = True) -> PageContext:
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
