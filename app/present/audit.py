"""Events of the audit log as administrators see them."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.models.audit import AuditEventOut
from app.present import links
from app.present.shape import shows
from app.present.users import user


@shows(AuditEventOut)
def audit_event(cx: Context, row: Any) -> dict[str, Any]:
    """An event; its `id` is its number as text, since the chain has no other name for it."""
    actor: dict[str, Any] = {"type": row.actor}
    if row.person:
        actor["user"] = user(cx, row.person[0])
    if row.token_id:
        actor["token"] = row.token_id
    subject = {"type": row.subject_kind, "id": row.subject_id}
    out: dict[str, Any] = {
        "object": "audit-event",
        "id": str(row.number),
        "number": row.number,
        "createdAt": row.created_at,
        "action": row.action,
        "actor": actor,
        "face": row.face,
        "subject": {**subject, "title": row.subject_title} if row.subject_title else subject,
        "hash": row.hash,
        "urls": links.audit_event(cx, row.organization_id, row.number),
    }
    if row.target_id:
        out["target"] = {"type": row.target_kind, "id": row.target_id}
    if row.address:
        out["address"] = row.address
    if row.request_id:
        out["request"] = row.request_id
    return out
