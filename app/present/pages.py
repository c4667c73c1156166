"""Pages as callers see them (specification, Page): one page, or a tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from app.access.context import Context
from app.domain.content.content import Content
from app.domain.content.pages import PageRead
from app.models.pages import PageOut, PageVersion
from app.models.revisions import PagesOut
from app.present import links
from app.present.shape import shows

LAYOUT = {
    "cover": True,
    "title": True,
    "description": True,
    "tableOfContents": True,
    "outline": True,
    "pagination": True,
}


@shows(PageOut)
def page(cx: Context, read: PageRead) -> dict[str, Any]:
    """One page with its body and the tree under it."""
    out = bare_page(cx, read, read.page, metadata=read.metadata)
    if read.page.kind != "link":
        out["pages"] = tree(cx, read, read.below, read.page.page_id, metadata=read.metadata)
    return {**out, **read.body}


@shows(PagesOut)
def pages(cx: Context, content: Content) -> dict[str, Any]:
    """The page tree of a space."""
    return {"pages": tree(cx, content, content.pages, metadata=content.metadata)}


def tree(
    cx: Context, place: links.Place, rows: Sequence[PageVersion], root: str | None = None, *, metadata: bool
) -> list[dict[str, Any]]:
    """The pages below `root` in order, each with its own; rows may come in any order."""
    children: defaultdict[str | None, list[PageVersion]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row.rank, row.page_id)):
        children[row.parent_id].append(row)
    shown: dict[str, dict[str, Any]] = {}
    for row in rows:
        shown[row.page_id] = bare_page(cx, place, row, metadata=metadata)
    for row in rows:
        if row.kind != "link":
            shown[row.page_id]["pages"] = [shown[child.page_id] for child in children[row.page_id]]
    return [shown[row.page_id] for row in children[root]]


def bare_page(cx: Context, place: links.Place, row: PageVersion, *, metadata: bool = True) -> dict[str, Any]:
    """A page without what is under it."""
    out: dict[str, Any] = {
        "id": row.page_id,
        "title": row.title,
        "type": row.kind,
        "createdAt": row.created_at,
        "updatedAt": row.updated_at,
        "urls": links.page(cx, place, row.path),
    }
    for name, value in (
        ("linkTitle", row.link_title),
        ("emoji", row.emoji),
        ("icon", row.icon),
        ("condition", row.condition),
    ):
        if value:
            out[name] = value
    if row.kind == "link":
        out |= {"target": {"kind": "url", "url": row.href}, "href": row.href}
        return out
    out |= {"slug": row.slug, "path": row.path}
    if row.kind == "document":
        _add_document(out, row, metadata=metadata)
    return out


def _add_document(out: dict[str, Any], row: PageVersion, *, metadata: bool) -> None:
    out |= {
        "layout": {**LAYOUT, **(row.layout or {})},
        "hidden": row.hidden,
        "noIndex": row.no_index,
        "noRobotsIndex": row.no_robots_index,
        "documentId": row.document_id,
    }
    for name, value in (("description", row.description), ("cover", row.cover), ("variables", row.variables)):
        if value:
            out[name] = value
    if metadata and row.git_oid:
        out["git"] = {"oid": row.git_oid, "path": row.source}
    if row.computed:
        out |= {"computed": row.computed, "computedSeed": row.computed_seed}
