"""Operations on the audit log."""

from __future__ import annotations

from app.api.operation import family, get, listing
from app.domain.audit import audit_events
from app.models.audit import AuditQuery
from app.present.access import audit_event

E = "/orgs/{organizationId}/audit-events"

OPERATIONS = family(
    "Audit log",
    listing(
        "listAuditEvents",
        E,
        audit_events.list_events,
        query=AuditQuery,
        show=audit_event,
        field="Organization.auditEvents",
        permission="organization:admin",
    ),
    get(
        "getAuditEvent",
        f"{E}/{{auditEventId}}",
        audit_events.get,
        show=audit_event,
        field="Organization.auditEvent",
        permission="organization:admin",
    ),
)
