"""Reads the whole content of a place, and checks the invariants that always hold for it."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sqlalchemy import select

from app.domain.content.content import reusable_rows, variables
from app.domain.content.views import REVISION, View, Where, reading
from app.kit.database.interface import Reader
from app.kit.database.sql import nested
from app.kit.database.statements import table
from app.models.files import FileVersion
from app.models.links import Link
from app.models.pages import Document, PageVersion

PAGE_VERSIONS, LINKS, FILE_VERSIONS, DOCUMENTS = (
    table(PageVersion),
    table(Link),
    table(FileVersion),
    table(Document),
)
_HREF = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_SLOT = re.compile(r"(?m)^slot (\d): (.*)$")


@dataclass(frozen=True)
class Page:
    """A page as it stands; `links` are (href, status, target page, target file) in the order of its body."""

    id: str
    parent: str | None
    rank: str
    kind: str
    title: str
    slug: str
    path: str
    source: str | None
    description: str | None
    body: str | None
    links: tuple[tuple[str, str, str | None, str | None], ...] = ()

    @cached_property
    def slots(self) -> dict[int, str]:
        """The lines of the body that tests write, by their numbers."""
        return {int(number): text for number, text in _SLOT.findall(self.body or "")}

    def meant(self, line: str) -> tuple[str, ...]:
        """Return a line's text, or with links the ids that they lead to (empty where nowhere)."""
        target = {href: page or file or "" for href, _, page, file in self.links}
        hrefs = _HREF.findall(line)
        return ("to", *(target[href] for href in hrefs)) if hrefs else ("says", line)


@dataclass(frozen=True)
class State:
    """Everything that a place holds. `revision` is its id; files are (name, source, bytes' hash)."""

    revision: str
    pages: Mapping[str, Page]
    files: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    reusable: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    variables: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def families(self) -> dict[str | None, list[str]]:
        """The ids of the pages under each parent, in order."""
        found: defaultdict[str | None, list[str]] = defaultdict(list)
        for page in sorted(self.pages.values(), key=lambda page: (page.rank, page.id)):
            found[page.parent].append(page.id)
        return found

    def under(self, page_id: str) -> list[str]:
        """The ids of everything below a page."""
        below = self.families.get(page_id, [])
        return [*below, *(each for child in below for each in self.under(child))]


def _columns(view: View) -> list[Any]:
    names = (
        "page_id", "parent_id", "rank", "kind", "title", "slug", "path", "source", "description"
    )  # fmt: skip
    bodies = select(*(PAGE_VERSIONS.c[name] for name in names), DOCUMENTS.c.markdown).outerjoin(
        DOCUMENTS, DOCUMENTS.c.id == PAGE_VERSIONS.c.document_id
    )
    links = select(LINKS.c.holder_id, LINKS.c.href, LINKS.c.status, LINKS.c.target_kind, LINKS.c.target_id)
    files = select(
        FILE_VERSIONS.c.file_id, FILE_VERSIONS.c.name, FILE_VERSIONS.c.source, FILE_VERSIONS.c.blob_id
    )
    return [
        nested(bodies.where(view.valid(PAGE_VERSIONS)), "pages"),
        nested(links.where(view.valid(LINKS)).order_by(LINKS.c.holder_id, LINKS.c.position), "links"),
        nested(files.where(view.valid(FILE_VERSIONS)), "files"),
        nested(reusable_rows(view), "reusable"),
        variables(view),
        view.revision().label("seen_revision"),
    ]


_SEEN = reading(_columns)


async def seen(db: Reader, where: Where) -> State:
    """Return the content of a place."""
    row: Any = await db.first(_SEEN[where.view], id=where.space, **where.values)
    links: defaultdict[str, list[Any]] = defaultdict(list)
    for holder_id, href, status, kind, target in row.links:
        is_file = kind == "file"
        links[holder_id].append((href, status, None if is_file else target, target if is_file else None))
    ids = [page.page_id for page in row.pages]
    assert len(ids) == len(set(ids)), "a page is there twice"
    holders = {*ids, *(each.reusable_id for each in row.reusable)}
    assert links.keys() <= holders, "links without their page"
    pages = {page.page_id: Page(*[*page, tuple(links[page.page_id])]) for page in row.pages}
    files = {file.file_id: tuple(file[1:]) for file in row.files}
    reusable = {each.reusable_id: (each.title, each.source, each.document_id) for each in row.reusable}
    assert row.variables is not None, "a place says nothing as a whole"
    return State(row.seen_revision, pages, files, reusable, row.variables)


async def seen_at(db: Reader, space: str, revision: str) -> State:
    """Return the content of a revision."""
    where = Where(space, revision=revision)
    assert where.view is REVISION
    return await seen(db, where)


def check(state: State) -> None:
    """Check what is true of every place: a tree, paths of slugs, and links that lead where they say."""
    for page in state.pages.values():
        assert page.path == "/".join(_slugs(state, page)), "a path is not its slugs"
        if page.parent is not None:
            assert state.pages[page.parent].kind != "link", "a link holds pages"
        _check_links(state, page)
    for family in state.families.values():
        slugs = [state.pages[page_id].slug for page_id in family]
        assert len(slugs) == len(set(slugs)), f"siblings share a slug: {slugs}"
        ranks = [state.pages[page_id].rank for page_id in family]
        assert len(ranks) == len(set(ranks)), f"siblings share a rank: {ranks}"
    sources = [page.source for page in state.pages.values() if page.source]
    sources += [file[1] for file in state.files.values()]
    sources += [block[1] for block in state.reusable.values()]
    assert len(sources) == len(set(sources)), f"two things are kept in one file: {sorted(sources)}"
    assert all(page.source for page in state.pages.values() if page.kind == "document"), "no file"


def _slugs(state: State, page: Page) -> list[str]:
    slugs, seen = [page.slug], {page.id}
    while page.parent is not None:
        assert page.parent in state.pages, "a page without its parent"
        page = state.pages[page.parent]
        assert page.id not in seen, "a page below itself"
        seen.add(page.id)
        slugs.append(page.slug)
    return slugs[::-1]


def _check_links(state: State, page: Page) -> None:
    by_source = {other.source: other.id for other in state.pages.values() if other.source}
    by_source |= {file[1]: file_id for file_id, file in state.files.items()}
    hrefs = _HREF.findall(page.body or "")
    assert hrefs == [link[0] for link in page.links], f"{page.path} has {hrefs}, told are {page.links}"
    for href, status, to_page, to_file in page.links:
        address = href.partition("#")[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.source or ""), address))
        leads = by_source.get(path)
        assert (to_page or to_file) == leads, f"{href} of {page.source} leads to {leads}"
        assert status == ("ok" if leads else "broken"), f"{href} of {page.source} is told as {status}"
