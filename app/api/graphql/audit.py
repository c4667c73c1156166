"""GraphQL face of the audit log."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, pages, read, reads
from app.api.graphql.shapes import DateTime, output
from app.domain.audit import audit_events as audit
from app.models.audit import AuditEventOut, AuditQuery
from app.present.access import audit_event as show_event


@output(AuditEventOut)
class AuditEvent:
    """A change that was made in an organization."""


@strawberry.type
class Audited:
    """What was changed in an organization."""

    @reads(audit.list_events)
    async def audit_events(
        self: Any,
        info: Info,
        first: int = FIRST,
        after: str | None = None,
        actor: ID | None = None,
        action: str | None = None,
        target: ID | None = None,
        since: DateTime | None = None,
        until: DateTime | None = None,
    ) -> Connection[AuditEvent]:
        return await pages(
            info,
            audit.list_events,
            self["id"],
            first=first,
            after=after,
            show=show_event,
            shape=AuditQuery,
            actor=actor,
            action=action,
            target=target,
            since=since,
            until=until,
        )

    @reads(audit.get)
    async def audit_event(self: Any, info: Info, id: ID) -> AuditEvent | None:
        return await read(info, audit.get, self["id"], id, show=show_event)
