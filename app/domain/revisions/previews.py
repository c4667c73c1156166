"""Reads what a text that is not saved would show: where its links lead, and the page that it is for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from sqlalchemy import select

from app.access.context import Context
from app.access.fetch import seeing_inside
from app.domain.content.bodies import read_conditions
from app.domain.content.content import FILE_VERSIONS, PAGE_VERSIONS, variables
from app.domain.content.link_columns import LINKS, target_columns
from app.domain.content.page_links import PageLinks
from app.domain.content.pages import LARGEST, document_for, scope_of
from app.domain.content.views import CHANGE_REQUESTS, REVISIONS, SPACES, View, Where, at, find, reading
from app.domain.revisions.link_targets import LinkTargets, ResolvedLink, resolved_links
from app.domain.revisions.links import SCANNED
from app.formats.markdown.hrefs import candidates, follow, meant, named
from app.formats.markdown.nodes import Node
from app.formats.markdown.passages import BodyText
from app.formats.markdown.scanner import Scan, scan
from app.kit import workers
from app.kit.database.sql import among, nested
from app.kit.database.statements import given, table
from app.kit.errors import Invalid, NotFound, OverBudget
from app.models.revisions import ReusableVersion

ROOT = "README.md"  # the file from which links of a page lead that is not there yet
MOST_LINKS = 1_000  # of one text that are looked up
REUSABLE_VERSIONS = table(ReusableVersion)


@dataclass(slots=True, frozen=True)
class TextPreview:
    """A text as the page `page_id` would have it: its blocks, evaluated, and where its links lead."""

    page_id: str
    title: str
    nodes: Sequence[Node]
    links: PageLinks


def _page(view: View) -> Any:
    links = select(*target_columns(view)).where(
        view.valid(LINKS, keyed=True), LINKS.c.holder_id == PAGE_VERSIONS.c.page_id
    )
    told = (
        PAGE_VERSIONS.c.page_id,
        PAGE_VERSIONS.c.title,
        PAGE_VERSIONS.c.variables,
        PAGE_VERSIONS.c.source,
        PAGE_VERSIONS.c.kind,
    )
    columns = (*told, nested(links.correlate(SPACES, CHANGE_REQUESTS, REVISIONS, PAGE_VERSIONS), "links"))
    return select(*columns).where(
        view.valid(PAGE_VERSIONS, keyed=True), PAGE_VERSIONS.c.page_id == given("page")
    )


def _targets(view: View) -> list[Any]:
    """Return what is kept in files or has an id, as columns."""
    found = {
        "pages": (PAGE_VERSIONS, "page_id", ("path", "title", "description", "emoji", "icon")),
        "files": (FILE_VERSIONS, "file_id", ("name", "blob_id", "size", "content_type", "width", "height")),
        "reusable": (REUSABLE_VERSIONS, "reusable_id", ()),
    }
    return [
        nested(
            select(t.c[key], t.c.source, *(t.c[column] for column in told)).where(
                view.valid(t), among(t.c.source, "sources") | among(t.c[key], "ids")
            ),
            name,
        )
        for name, (t, key, told) in found.items()
    ]


_PAGE = reading(lambda view: [nested(_page(view), "page"), variables(view)])
_TARGETS = reading(_targets)


async def read(cx: Context, where: Where, page_id: str, text: str) -> TextPreview:
    """Read what a text would show on a page; an empty `page_id` is a page that is not there yet.

    Raises NotFound where there is no such page, Forbidden for who may not write there, and Invalid where the
    text is too large.
    """
    space: Any = await find(cx, where, _PAGE, can="edit", page=page_id, **seeing_inside(cx))
    if page_id and not space.page:
        raise NotFound("There is no such page.", path="page")
    new = SimpleNamespace(page_id="", title="", variables=None, source=ROOT, links=())
    page = space.page[0] if space.page else new
    if len(text) > LARGEST:
        raise Invalid("This text is too large to be previewed.", path="markdown")
    found = await workers.run(len(text) // SCANNED, scan, text)
    known = {meant(row.href): row for row in page.links}
    links = await _looked_up(cx, where, page, known, text, found)
    conditions = await read_conditions(text)
    scope = scope_of(page, space.variables or {})
    try:
        document = await workers.run(len(text), document_for, BodyText(text, conditions is not None), scope)
    except OverBudget:
        raise Invalid("This text is too large to be previewed.", path="markdown") from None
    rows = {page_id: [*page.links, *links]}
    return TextPreview(page_id, page.title, document["nodes"], PageLinks(space, at(space), rows))


async def _looked_up(
    cx: Context, where: Where, page: Any, known: dict[str, Any], text: str, found: Scan
) -> list[Any]:
    """Return rows for the links of a text that its page does not have as it is saved."""
    source = page.source or ROOT
    new = tuple(link for link in found.links if meant(link.href) not in known)[:MOST_LINKS]
    ends = [(named(link.href), follow(link.href, source)[1]) for link in new]
    sources = {path for _, target in ends if target for path in (target.path, *candidates(target.path))}
    ids = {name.id for name, _ in ends if name}
    if not sources and not ids:
        return []
    there: Any = await find(cx, where, _TARGETS, sources=sorted(sources), ids=sorted(ids))
    pages = {row.page_id: row for row in there.pages}
    files = {row.file_id: row for row in there.files}
    blocks = {row.reusable_id: row for row in there.reusable}
    targets = LinkTargets(
        {row.source: row.page_id for row in there.pages if row.source},
        {row.source: row.file_id for row in there.files if row.source},
        {row.source: row.reusable_id for row in there.reusable if row.source},
        {**dict.fromkeys(pages, "page"), **dict.fromkeys(files, "file")}
        | dict.fromkeys(blocks, "reusable-content"),
        where.space,
    )
    links = resolved_links(text, found._replace(links=new), None, source, targets)
    return [_row(page.page_id, link, pages, files) for link in links]


def _row(holder: str, link: ResolvedLink, pages: dict[str, Any], files: dict[str, Any]) -> Any:
    """Return a link as the row that it would be."""
    page, file = pages.get(link.target_id or ""), files.get(link.target_id or "")
    return SimpleNamespace(
        holder_id=holder,
        href=link.href,
        status=link.status,
        target_kind=link.target_kind,
        target_id=link.target_id,
        target_anchor=link.target_anchor,
        target_space=link.target_space,
        to_page=[page] if page else [],
        to_file=[file] if file else [],
        far_space=[],
        far_page=[],
        far_file=[],
    )
