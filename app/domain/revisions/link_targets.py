"""Targets of links: the one rule by which an href of a text becomes a link with a target.

Nothing here touches the database, so that large imports resolve in processes beside it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from app.formats.markdown.hrefs import ELSEWHERE, candidates, follow, named
from app.formats.markdown.passages import Passage, shown_if
from app.formats.markdown.scanner import Scan
from app.formats.markdown.scanner import ScannedLink as Found
from app.formats.repository.names import MAX_PATH_BYTES
from app.kit.deadlines import check

if TYPE_CHECKING:
    from app.formats.markdown.conditions import Conditions
    from app.kit.settings import Settings


DEPENDS = {"image", "file", "embed", "include", "openapi"}


class TargetRef(NamedTuple):
    """Something in a space that a link may lead to: a page, a file or a reusable content."""

    kind: str
    id: str


@dataclass(slots=True, frozen=True)
class LinkTargets:
    """The targets that hrefs may have: ids by repository path.

    `named` has the kinds of what may be named by its id, `space` is the space that all of this is in, and
    `own` are the addresses that are this product's own.
    """

    pages: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    reusable: dict[str, str] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)
    space: str = ""
    own: tuple[str, ...] = ()

    def find(self, path: str) -> TargetRef | None:
        """Return what a path means."""
        if path in self.pages:  # of its candidates a path itself comes first
            return TargetRef("page", self.pages[path])
        for candidate in candidates(path):
            if candidate in self.pages:
                return TargetRef("page", self.pages[candidate])
            if candidate in self.files:
                return TargetRef("file", self.files[candidate])
            if candidate in self.reusable:
                return TargetRef("reusable-content", self.reusable[candidate])
        return None

    def at(self, path: str) -> TargetRef | None:
        """Return what a link with this `target_path` leads to, be it a path or an id."""
        found = self.find(path)
        if found is None and (name := named(f"/{path}")) and self.named.get(name.id) == name.kind:
            return TargetRef(name.kind, name.id)
        return found


class LinkTargetRow(Protocol):
    """The target of a link, resolved or of a row."""

    @property
    def href(self) -> str: ...

    @property
    def target_kind(self) -> str: ...

    @property
    def target_id(self) -> str | None: ...

    @property
    def target_path(self) -> str | None: ...


class LinkRow(LinkTargetRow, Protocol):
    """A link as it is stored, with the page or reusable content that it stands in."""

    @property
    def holder_id(self) -> str: ...


class ResolvedLink(NamedTuple):  # a plain tuple, since large imports send many from process to process
    """A link of a body with what it leads to.

    `target_path` is the path of the repository that it asks for, whether there is anything or not; what is
    named by its id asks for `pages/ID`. `target_space` is the space that it names, `shown_if` are the
    conditions on which a text shows what it includes (see `passages.shown_if`).
    """

    href: str
    line: int
    status: str
    relation: str
    target_kind: str
    target_id: str | None = None
    target_anchor: str | None = None
    target_path: str | None = None
    target_space: str | None = None
    shown_if: str | None = None

    @property
    def ref(self) -> TargetRef | None:
        """Return what it leads to in its own space."""
        return ref_of(self)


@dataclass(slots=True)
class LinkedText:
    """A text as it shall be, with its links and what it is found by.

    `anchors` are the places in it, one to a line; `conditional`: what it says depends on who reads it. `raw`
    are the bytes of a body that is no text.
    """

    body: str
    anchors: str
    conditional: bool
    links: list[ResolvedLink]
    passages: Sequence[Passage]
    raw: bytes | None = None


@dataclass(slots=True)
class BranchLinks:
    """The links of a line as they shall be.

    `texts` have all links of pages and reusable contents whose text was read, `laid` those of others that a
    change request lays over the main content with all their links, `changed` single links of all others, as
    their rows and as they shall be. `passages` are what pages are found by whose links stay as they are.
    `broken_anchors` are links of what came from outside that enter pages at places which are not there.
    """

    texts: dict[str, LinkedText] = field(default_factory=dict)
    laid: dict[str, list[ResolvedLink]] = field(default_factory=dict)
    changed: list[tuple[Any, ResolvedLink]] = field(default_factory=list)
    passages: dict[str, Sequence[Passage]] = field(default_factory=dict)
    broken_anchors: list[tuple[str, ResolvedLink]] = field(default_factory=list)


def own_addresses(settings: Settings) -> tuple[str, ...]:
    """Return what the addresses of this product begin with."""
    return tuple(base + "/" for base in {settings.base_url, settings.app_url} if base)


def ref_of(link: LinkTargetRow) -> TargetRef | None:
    """Return what a link leads to in its own space; None for nothing there."""
    if link.target_id is None or link.target_path is None:
        return None
    return TargetRef("page" if link.target_kind == "anchor" else link.target_kind, link.target_id)


class Unknown(Enum):
    """The meaning of a link that nobody has read before."""

    UNKNOWN = "unknown"


TargetRefs = Mapping[str, TargetRef | None]
"""The targets of the hrefs of one text where it was kept, None for nothing."""


@dataclass(slots=True, frozen=True)
class LinkMeanings:
    """The targets of the links of a text where its lines come from.

    `sides` are the texts that it is made of; `starts` the lines, from 1, at which a run of lines begins that
    comes from the side at the same place of `origins`. Without any, all lines come from the first.
    """

    sides: Sequence[TargetRefs]
    starts: Sequence[int] = ()
    origins: Sequence[int] = ()

    def of(self, link: Found) -> TargetRef | Unknown | None:
        """Return what a link led to."""
        at = bisect_right(self.starts, link.line) - 1
        refs = self.sides[self.origins[at]] if at >= 0 else self.sides[0]
        return refs.get(link.href, Unknown.UNKNOWN)


def refs_of(links: Iterable[LinkTargetRow]) -> dict[str, TargetRef | None]:
    """Return what the hrefs of a text lead to in its own space."""
    return {link.href: ref_of(link) for link in links}


def resolved_links(
    body: str, found: Scan, conditions: Conditions | None, source: str, targets: LinkTargets
) -> list[ResolvedLink]:
    """Return what the links of a text that is kept in the file `source` lead to, as `resolved`."""
    links = []
    for link, condition in zip(found.links, shown_if(found.links, body, conditions), strict=True):
        check()
        made = resolved(link, source, targets)
        links.append(made if condition is None else made._replace(shown_if=condition))
    return links


def resolved(link: Found, source: str, targets: LinkTargets) -> ResolvedLink:
    """Return what a link of the file `source` leads to; whether its anchor is there is asked later."""
    href = link.href
    relation = "dependsOn" if link.kind in DEPENDS else "reference"
    kind, target = follow(href, source)
    if kind == "external":
        own = href.startswith(targets.own) if targets.own else False
        return ResolvedLink(href, link.line, "in-app" if own else "ok", relation, "url")
    name = named(href) if href.startswith("/") else None
    if name is not None and name.space not in (None, targets.space):
        anchor = _storable(name.anchor)
        told = "anchor" if anchor and name.kind == "page" else name.kind
        return ResolvedLink(href, link.line, ELSEWHERE, relation, told, name.id, anchor, None, name.space)
    if name is not None and name.kind == "space":
        return ResolvedLink(href, link.line, "ok", relation, "space", name.id, target_space=name.space)
    if target is None or is_too_long(target.path):
        return ResolvedLink(href, link.line, "broken", relation, "page")
    if kind == "fragment" and not source:  # a computed page, which is in no file
        return ResolvedLink(href, link.line, "ok", relation, "url")
    path, found = target.path, targets.find(target.path)
    if found is None and name is not None:
        path, found = name.path, targets.at(name.path)
    space = name.space if name else None
    plain = ResolvedLink(href, link.line, "", relation, "", None, _storable(target.anchor), path, space)
    return leading(plain, found)


def leading(link: ResolvedLink, found: TargetRef | None) -> ResolvedLink:
    """Return the link when this is what it leads to."""
    kind, target_id = found or ("page", None)
    told = "anchor" if link.target_anchor and kind == "page" else kind
    return link._replace(status="ok" if found else "broken", target_kind=told, target_id=target_id)


def is_too_long(path: str) -> bool:
    """Tell whether a path is longer than that of any file here can be."""
    return len(path) > MAX_PATH_BYTES or len(path.encode("utf-8", "surrogatepass")) > MAX_PATH_BYTES


def _storable(anchor: str | None) -> str | None:
    return anchor if anchor and "\0" not in anchor else None
