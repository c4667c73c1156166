"""Links and backlinks as callers see them (specification, Content reference lists; decisions, Location)."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.content.linking import Linked
from app.models.links import LinkOut, Reference
from app.present.files import bare_file
from app.present.organizations import organization
from app.present.pages import bare_page
from app.present.shape import shows
from app.present.spaces import space


@shows(LinkOut)
def link(cx: Context, linked: Linked) -> dict[str, Any]:
    """A link: what it leads to, and where it stands."""
    out: dict[str, Any] = {
        "status": linked.link.status,
        "relation": linked.link.relation,
        "locationReferences": [backlink(cx, linked)],
    }
    target = _target(cx, linked)
    return {**out, "targetReference": target} if target else out


@shows(Reference)
def backlink(cx: Context, linked: Linked) -> dict[str, Any]:
    """The place where a link stands: a page, with the line of its body."""
    return {
        "kind": "page",
        **_surroundings(cx, linked),
        "page": bare_page(cx, linked, linked.location),
        "internalLocation": {"type": "node", "node": f"line-{linked.link.line}"},
    }


def _target(cx: Context, linked: Linked) -> dict[str, Any] | None:
    row = linked.link
    if row.target_kind == "url":
        return {"kind": "url", "url": row.href}
    if linked.page is not None:
        target = {
            "kind": row.target_kind,
            **_surroundings(cx, linked),
            "page": bare_page(cx, linked, linked.page),
        }
        return {**target, "anchor": row.target_anchor} if row.target_anchor else target
    if linked.file is not None:
        file = bare_file(cx, linked, linked.file)
        return {"kind": "file", **_surroundings(cx, linked), "file": file}
    if row.target_kind == "reusable-content" and row.target_id:
        return {"kind": "reusable-content", **_surroundings(cx, linked)}
    return None


def _surroundings(cx: Context, linked: Linked) -> dict[str, Any]:
    return {
        "organization": organization(cx, linked.organization),
        "space": space(cx, linked.space),
        "versionContext": _version(linked),
    }


def _version(linked: Linked) -> dict[str, Any]:
    if linked.at is None:
        return {"type": "revision", "revision": linked.space.revision_id}
    return {"type": linked.at.kind, linked.at.kind: linked.at.id}
