"""What changed, as callers see it (decisions, Revision semantic changes), and how a page's text differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.access.context import Context
from app.domain.content.changes import REUSABLE_TOLD, TOLD, Changes, Item
from app.domain.content.diffs import PageDiff
from app.models.changes import DocumentOut, PageDiffOut, SemanticChangesOut
from app.present import links
from app.present.pages import LAYOUT
from app.present.shape import shows

if TYPE_CHECKING:
    from app.formats.differing import Hunk

Shown = dict[str, Any]


@shows(SemanticChangesOut)
def changes(cx: Context, found: Changes) -> Shown:
    """Every change that is told; `more` only where some are not."""
    out: Shown = {"changes": [_change(cx, found, item) for item in found.items]}
    if found.more:
        out["more"] = found.more
    if found.merged_from:
        out["mergedFrom"] = found.merged_from
    return out


@shows(PageDiffOut)
def page_diff(cx: Context, diff: PageDiff) -> Shown:
    """A diff to show and to apply."""
    out: Shown = {"unified": diff.unified, "hunks": [_hunk(hunk) for hunk in diff.hunks]}
    sides = (("before", diff.before), ("after", diff.after))
    return {**out, **{name: value for name, value in sides if value}}


@shows(DocumentOut)
def document(cx: Context, found: Shown) -> Shown:
    """A document is shown as it is."""
    return found


def _hunk(hunk: Hunk) -> Shown:
    return {
        "oldStart": hunk.old_start,
        "oldLines": hunk.old_count,
        "newStart": hunk.new_start,
        "newLines": hunk.new_count,
        "lines": [{"type": kind, "text": text} for kind, text in hunk.lines],
    }


def _change(cx: Context, found: Changes, item: Item) -> Shown:
    kind = item.type.rpartition("_")[0]
    out: Shown = {"type": item.type}
    if kind == "page":
        out["page"] = _page(item.row)
    elif kind == "file":
        out["file"] = _file(cx, found, item.row)
    elif kind == "reusable_content":
        out["reusableContent"] = {"id": item.row.id, "title": item.row.title}
    if item.type == "page_moved":
        out["parent"] = _sides(*(row and _page(row) for row in item.parents))
    elif item.type.endswith("_edited"):
        was, now = (_attributes(cx, found, kind, row) for row in (item.before, item.after))
        names = dict.fromkeys([*was, *now])
        pairs = {name: (was.get(name), now.get(name)) for name in names}
        out["attributes"] = {name: _sides(*pair) for name, pair in pairs.items() if pair[0] != pair[1]}
    return out


def _page(row: Any) -> Shown:
    out = {"id": row.id, "type": row.kind, "title": row.title}
    return out if row.kind == "link" else {**out, "path": row.path}


def _file(cx: Context, found: Changes, row: Any) -> Shown:
    return {
        "id": row.id,
        "name": row.name,
        "contentType": row.content_type,
        "downloadURL": links.download(cx, found.space.id, row.id, row.name, row.blob_id),
    }


def _attributes(cx: Context, found: Changes, kind: str, row: Any) -> Shown:
    """What is told of a thing under the wire's names."""
    if kind == "file":
        _, *told = _file(cx, found, row).items()
        pixels = {"width": row.width, "height": row.height} if row.width and row.height else None
        return {**dict(told), "size": row.size, "dimensions": pixels}
    if kind == "variables":
        return {"variables": row}
    names = TOLD if kind == "page" else REUSABLE_TOLD
    out = {name.removesuffix("_id"): getattr(row, name) or None for name in names}
    if kind == "page":
        out["layout"] = {**LAYOUT, **(row.layout or {})}
    return out


def _sides(before: Any, after: Any) -> Shown:
    sides = (("before", before), ("after", after))
    return {name: value for name, value in sides if value is not None}
