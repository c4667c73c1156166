"""Data for rendering a text as HTML: the targets of its links and the contents that it includes.

The site reader has its own `LinkResolver` for visitors of a site. Those here are for callers of the API:
pages lead into the application, files to their signed URLs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from app.access.context import Context
from app.domain.content.page_links import PageLinks
from app.domain.content.pages import document_for
from app.domain.openapi.openapi_versions import BlockReference, Shown, reference_of
from app.domain.sites.site_integrations import ASKING, NOTHING, OfferedBlocks
from app.formats.markdown import hrefs
from app.formats.markdown.nodes import Node
from app.formats.markdown.passages import DEEPEST_INCLUDED, BodyText
from app.kit.deadlines import check
from app.present.link_targets import as_written, follower, rows_by_href
from app.present.runs import address

TargetKind = Literal["page", "file", "external", "fragment", "broken"]
MOST_APIS = 100  # blocks of one text that show something of a specification
_KINDS: dict[str, TargetKind] = {"url": "external", "anchor": "page", "space": "page", "file": "file"}


@dataclass(slots=True, frozen=True)
class LinkTarget:
    """The target of an address in a body. `href` is None where nothing is to be followed or shown."""

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
    """Resolves the addresses written in one body."""

    def target(self, href: str) -> LinkTarget:
        """Return what a link, a picture or a file leads to."""

    def included(self, href: str) -> IncludedContent | None:
        """Return the reusable content of this address; None if there is none or it would include itself."""


@dataclass(slots=True, frozen=True)
class HtmlSource:
    """A text to be rendered by itself, without a first heading that only says its `title`.

    `apis` are what its blocks about APIs show; `is_computed` tells whether the page was made of a
    specification; `offer` has the blocks of integrations that it may hold, `frames`
    tells where what one of these answers is.
    """

    nodes: list[Node]
    links: LinkResolver
    title: str = ""
    is_computed: bool = False
    apis: Mapping[BlockReference, Shown] = field(default_factory=dict)
    offer: OfferedBlocks = NOTHING
    frames: Callable[[str], str] = str


HtmlRenderer: TypeAlias = Callable[[HtmlSource], str]
"""Renders a text as sanitized HTML."""


@dataclass(slots=True, frozen=True)
class Inclusions:
    """The reusable contents that texts of a place may include: their texts and links, by their ids.

    `variables` are those of the space, for expressions.
    """

    texts: Mapping[str, BodyText]
    links: PageLinks
    variables: Mapping[str, Any]

    @property
    def length(self) -> int:
        """Return how many characters all of them have."""
        return sum(len(text.body) for text in self.texts.values())

    def nodes(self, reusable_id: str) -> list[Node]:
        """Return the blocks of a reusable content, for a reader who is not known."""
        scope = {"space": {"vars": dict(self.variables)}, "page": {"vars": {}}, "visitor": {"claims": {}}}
        found: list[Node] = document_for(self.texts[reusable_id], scope)["nodes"]
        return found


class ContentLinks:
    """The links of a page or of a reusable content, the `holder`, which may stand `inside` others."""

    def __init__(
        self,
        cx: Context,
        links: PageLinks,
        holder: str,
        inclusions: Inclusions,
        inside: tuple[str, ...] = (),
    ) -> None:
        self._cx, self._inclusions, self._inside = cx, inclusions, inside
        self._rows = rows_by_href(links, holder)
        self._follow = follower(cx, links, holder)

    def target(self, href: str) -> LinkTarget:
        """Return what a link, a picture or a file leads to."""
        row = self._rows.get(hrefs.meant(href))
        return shown_target(self._follow(href), None if row is None else _end(row))

    def included(self, href: str) -> IncludedContent | None:
        """Return the reusable content of this address; None if there is none or it would include itself."""
        named = self._follow(href).get("reusableContent")
        there = self._inclusions
        if named is None or named not in there.texts or named in self._inside:
            return None
        inside = (*self._inside, named)
        if len(inside) > DEEPEST_INCLUDED:
            return None
        return IncludedContent(there.nodes(named), ContentLinks(self._cx, there.links, named, there, inside))


def _end(row: Any) -> Any:
    """Return the page, file or space that a link leads to; None where the caller sees none."""
    ends = (row.to_page, row.to_file, row.far_page, row.far_file, row.far_space)
    return next((found[0] for found in ends if found), None)


class KnownLinks:
    """Links of a text that says of itself where they lead: addresses by what is known of them."""

    def __init__(self, targets: Mapping[str, LinkTarget]) -> None:
        self._targets = targets

    def target(self, href: str) -> LinkTarget:
        """Return what a link, a picture or a file leads to."""
        found = self._targets.get(hrefs.meant(href))
        return shown_target(as_written(href)) if found is None else found

    def included(self, href: str) -> IncludedContent | None:
        """Return None: such texts include nothing."""
        return None


def shown_target(found: Mapping[str, Any], end: Any = None) -> LinkTarget:
    """Return a target, as `Follow` tells of it, as it is shown, with what is known of its `end`."""
    href = found.get("url")
    if href is None:
        return LinkTarget("broken")
    if href.startswith("#"):
        return LinkTarget("fragment", href)
    kind = _KINDS.get(found["kind"], "page")
    if kind == "file":
        if end is None:
            return LinkTarget(kind, href)
        return LinkTarget(kind, href, end.name, size=end.size, width=end.width, height=end.height)
    title, about, emoji, icon = (
        getattr(end, name, None) or "" for name in ("title", "description", "emoji", "icon")
    )
    return LinkTarget(kind, href, title, about, emoji, icon)


def addresses_in(document: Node) -> list[str]:
    """Return the addresses in a document, as they are meant, each once."""
    found: dict[str, None] = {}
    waiting: list[Any] = [document]
    while waiting:
        check()
        for name, value in _items(waiting.pop()):
            if name in ("ref", "refDark") and (href := address({"ref": value})):
                found[hrefs.meant(href)] = None
            elif isinstance(value, dict | list):
                waiting.append(value)
    return list(found)


def _items(value: dict[str, Any] | list[Any]) -> Iterable[tuple[str, Any]]:
    return value.items() if isinstance(value, dict) else (("", each) for each in value)


def blocks_of(inside: Sequence[Node], links: LinkResolver, included: int = 0) -> Iterator[Node]:
    """Yield blocks in their order, each before what is in it; those of a reusable content in its place."""
    waiting = list(reversed(inside))
    while waiting:
        check()
        node = waiting.pop()
        if node.get("object") != "block":
            continue
        if node.get("type") == "reusable-content" and included < DEEPEST_INCLUDED:
            found = links.included(address(node["data"]))
            if found is not None:
                yield from blocks_of(found.nodes, found.links, included + 1)
            continue
        yield node
        waiting += reversed(node.get("nodes") or [])


def apis_asked(inside: Sequence[Node], links: LinkResolver) -> list[BlockReference]:
    """Return what the blocks of a text show of specifications, each once."""
    found = map(reference_of, blocks_of(inside, links))
    return list(dict.fromkeys(each for each in found if each is not None))[:MOST_APIS]


def may_hold_blocks(inside: Sequence[Node], links: LinkResolver) -> bool:
    """Tell whether a text has anything that a block of an integration could stand for."""
    return any(node.get("type") in ASKING for node in blocks_of(inside, links))
