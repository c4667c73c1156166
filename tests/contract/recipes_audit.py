"""Calls for the audit log."""

from __future__ import annotations

from tests.cast import Cast
from tests.contract.faces import Call
from tests.contract.recipes_content import space


def _events(cast: Cast) -> Call:
    made = space(cast)
    query = {"actor": cast.ada.id, "action": "createSpace", "target": made, "since": "2026-01-01T00:00:00Z"}
    return Call({"organizationId": cast.organization}, query)


def _event(cast: Cast) -> Call:
    space(cast)
    return Call({"organizationId": cast.organization, "auditEventId": "1"})


AUDIT = {"listAuditEvents": _events, "getAuditEvent": _event}
