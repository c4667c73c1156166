"""The rows that an import writes, built from what was planned and prepared."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from app.content.images import content_type, dimensions
from app.content.links import classify, resolve
from app.content.repository.inventory import PlannedFile
from app.content.repository.metadata import Metadata
from app.content.repository.plan import Plan
from app.domain.writing.line import Line
from app.domain.writing.placing import Carried, Host, Placed
from app.domain.writing.preparing import Prepared, Resolved, Targets, git_oid
from app.models.revisions import LineProperties

_VALIDITY = {"line_id", "valid_from", "valid_to"}
# The columns of a page that hold what YAML or a table of contents says, in their own spelling of characters.
_SAID = (
    "title", "link_title", "description", "emoji", "icon", "layout", "cover", "variables", "condition",
    "href",
)  # fmt: skip


def differs(held: Any, row: dict[str, Any]) -> bool:
    """Whether a row says anything that the held one does not."""
    different = [name for name, value in row.items() if getattr(held, name) != value]
    return any(name not in _VALIDITY for name in different)


def storable(value: Any) -> Any:
    """The value with no NUL in its texts: YAML can spell it, PostgreSQL cannot store it."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")
    if isinstance(value, dict):
        return {storable(name): storable(item) for name, item in value.items()}
    return [storable(item) for item in value] if isinstance(value, list) else value


def page_row(
    line_id: str, number: int, page: Placed, prepared: Prepared | None, targets: Targets
) -> dict[str, Any]:
    """A version of a page, without its times."""
    said = prepared.metadata if prepared else Metadata()
    planned = page.planned
    row = {
        "line_id": line_id,
        "page_id": page.page_id,
        "valid_from": number,
        "valid_to": None,
        "parent_id": page.parent_id,
        "rank": page.rank,
        "kind": planned.kind,
        "title": planned.title,
        "link_title": planned.link_title,
        "slug": page.slug,
        "path": page.path,
        "source": page.source,
        "front_matter": prepared.front_matter if prepared else "",
        "document_id": prepared.document_id if prepared else None,
        "description": said.description,
        "emoji": said.emoji,
        "icon": said.icon,
        "hidden": said.hidden or not planned.listed,
        "no_index": said.no_index,
        "no_robots_index": said.no_robots_index,
        "layout": said.layout,
        "cover": _cover(said, page.source or "", targets),
        "variables": said.variables or None,
        "condition": said.condition,
        "href": planned.href,
        "computed": None,
        "computed_seed": None,
        "git_oid": prepared.git_oid if prepared else None,
    }
    for name in _SAID:
        if row[name] is not None:
            row[name] = storable(row[name])
    return row


def carried_row(page: Carried, on: Line) -> dict[str, Any]:
    """A version of a page that only has another path."""
    held: Any = page.held
    here = {"line_id": on.id, "valid_from": on.number, "slug": page.slug, "path": page.path}
    return {**held._asdict(), **here}


def _cover(said: Metadata, source: str, targets: Targets) -> dict[str, Any] | None:
    if not said.cover and not said.cover_dark:
        return None
    cover: dict[str, Any] = {"yPos": said.cover_y or 0}
    if said.cover:
        cover["ref"] = _picture(said.cover, source, targets)
    if said.cover_dark:
        cover["refDark"] = _picture(said.cover_dark, source, targets)
    if said.cover_height is not None:
        cover["height"] = said.cover_height
    return cover


def _picture(href: str, source: str, targets: Targets) -> dict[str, Any]:
    target = resolve(href, source) if classify(href) == "repository" else None
    found = targets.find(target.path) if target else None
    return (
        {"kind": "file", "file": found[1]} if found and found[0] == "file" else {"kind": "url", "url": href}
    )


def link_rows(line_id: str, number: int, page_id: str, links: Sequence[Resolved]) -> list[dict[str, Any]]:
    """The links of a page's body."""
    return [
        {
            "line_id": line_id,
            "page_id": page_id,
            "valid_from": number,
            "valid_to": None,
            "position": position,
            "href": link.href,
            "line": link.line,
            "status": link.status,
            "relation": link.relation,
            "target_kind": link.target_kind,
            "target_page": link.target_page,
            "target_file": link.target_file,
            "target_reusable": link.target_reusable,
            "target_anchor": link.target_anchor,
        }
        for position, link in enumerate(links)
    ]


def file_row(
    line_id: str, number: int, file_id: str, planned: PlannedFile, source: str, data: bytes
) -> dict[str, Any]:
    """A version of a file."""
    kind = content_type(planned.name)
    size = dimensions(kind, data)
    return {
        "line_id": line_id,
        "file_id": file_id,
        "valid_from": number,
        "valid_to": None,
        "name": planned.name,
        "source": source,
        "content_type": kind,
        "size": len(data),
        "width": size[0] if size else None,
        "height": size[1] if size else None,
        "blob_id": sha256(data).hexdigest(),
        "git_oid": git_oid(data),
    }


def reusable_row(
    line_id: str, number: int, reusable_id: str, title: str, prepared: Prepared
) -> dict[str, Any]:
    """A version of a reusable block."""
    return {
        "line_id": line_id,
        "reusable_id": reusable_id,
        "valid_from": number,
        "valid_to": None,
        "title": title,
        "source": prepared.source,
        "front_matter": prepared.front_matter,
        "document_id": prepared.document_id,
    }


def properties_row(
    line_id: str, number: int, plan: Plan, before: LineProperties, host: Host, *, mirror: bool
) -> dict[str, Any]:
    """A version of what a line says as a whole; only a whole tree has a table of contents and settings."""
    row: dict[str, Any] = {
        "line_id": line_id,
        "valid_from": number,
        "valid_to": None,
        "variables": plan.variables if mirror else {**before.variables, **plan.variables},
        "redirects": plan.redirects if mirror else {**before.redirects, **plan.redirects},
        "summary_source": plan.summary_raw if host.whole else before.summary_source,
        "settings_source": plan.settings_raw if host.whole else before.settings_source,
        "variables_source": plan.variables_raw if host.whole else before.variables_source,
    }
    stored: dict[str, Any] = storable(row)
    return stored
