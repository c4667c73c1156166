"""What the reader knows when it writes a page: the site and how it looks, where the visitor is, and the page.

Addresses in here are ready to be followed: paths below the host (`/acme/docs/start`) or whole addresses.
Texts are as people wrote them; whatever writes HTML escapes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from app.domain.openapi.openapi_blocks import BlockReference, Shown
from app.domain.sites import site_blocks
from app.formats.markdown.nodes import Node
from app.site_reader.page_tree import PageTree

TargetKind = Literal["page", "file", "external", "fragment", "broken"]
NavigationKind = Literal["section", "group", "link"]


@dataclass(slots=True, frozen=True)
class LinkTarget:
    """What an address in a body leads to. `href` is None where nothing is to be followed or shown."""

    kind: TargetKind
    href: str | None = None
    title: str = ""
    description: str = ""
    emoji: str = ""
    icon: str = ""
    size: int | None = None  # bytes, of a file
    content_type: str = ""
    width: int | None = None  # of a picture whose size is known, so that nothing moves when it loads
    height: int | None = None


@dataclass(slots=True, frozen=True)
class IncludedContent:
    """A reusable content as it stands on a page: its blocks, evaluated, and how its addresses are read."""

    nodes: list[Node]
    links: LinkResolver


class LinkResolver(Protocol):
    """How the addresses written in one body are read."""

    def target(self, href: str) -> LinkTarget:
        """Return what a link, a picture or a file leads to."""

    def included(self, href: str) -> IncludedContent | None:
        """Return the reusable content of this address; None if there is none or it would include itself."""


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
    languages: Sequence[SpaceVariant] = ()  # the same in each language, where there are several
    looks_key: str = ""  # whose looks these are: the id of a space of the site that looks different
    signed_in: bool = False  # as a visitor, so that there is something to sign out of
    searchable: bool = True
    scripts: Sequence[str] = ()  # of integrations, by their addresses

    @property
    def home(self) -> str:
        """Return where the site begins."""
        return self.base or "/"


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
    language: str = "en"
    alternates: Sequence[tuple[str, str]] = field(default=())  # language and address
    apis: Mapping[BlockReference, Shown] = field(default_factory=dict)  # what its blocks about APIs show
    offer: site_blocks.OfferedBlocks = site_blocks.NOTHING  # blocks of integrations that it may hold
    asking: str = ""  # where those are asked for, by their keys


@dataclass(slots=True, frozen=True)
class SearchHit:
    """A place on a page that a search has found; `excerpt` is plain text around the words."""

    title: str
    href: str
    heading: str = ""
    excerpt: str = ""
    place: str = ""  # the section or variant it is in, where there are several


@dataclass(slots=True, frozen=True)
class SearchView:
    """A search that a visitor without JavaScript sees as a page."""

    site: SiteView
    query: str
    hits: Sequence[SearchHit]
    tree: PageTree | None = None


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


@dataclass(slots=True, frozen=True)
class ErrorView:
    """Why there is no page: shown with the site around it as far as the visitor may know of it."""

    status: int
    title: str
    message: str
    site: SiteView | None = None
    action: tuple[str, str] | None = None  # words and address, such as "Sign in"
