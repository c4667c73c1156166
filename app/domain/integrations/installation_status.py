"""What a new version asks of those who have it: installations are as their configurations now fit it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from app.access.context import Context
from app.domain.integrations import configurations, outbox
from app.domain.integrations.installations import p_
from app.domain.integrations.integration_rows import n_
from app.kit.database.statements import given, query, rows
from app.models.installations import Installation, Placement

INSTALLATIONS = query(Installation, lambda: select(*n_.c).where(n_.c.integration_id == given("integration")))
PLACEMENTS = rows(
    lambda: (
        select(*p_.c, n_.c.organization_id)
        .join(n_, n_.c.id == p_.c.installation_id)
        .where(n_.c.integration_id == given("integration"))
    ),
)


async def settle(cx: Context, integration: Any, asked: Mapping[str, Any]) -> None:
    """Make installations active or pending by the configurations asked for now, and tell of each change."""
    told = []
    for row in await cx.db.all(INSTALLATIONS, integration=integration.id):
        status = configurations.status(asked.get("account"), row.configuration, row.status)
        if status != row.status:
            now: Any = await cx.tx.change(Installation, {"status": status, "updated_at": cx.now}, id=row.id)
            told.append(outbox.setup(integration, row.organization_id, row.id, now, row))
    for row in await cx.db.all(PLACEMENTS, integration=integration.id):
        status = configurations.status(asked.get(row.kind), row.configuration, row.status)
        if status != row.status:
            keys = {"installation_id": row.installation_id, "object_id": row.object_id}
            now = await cx.tx.change(Placement, {"status": status, "updated_at": cx.now}, **keys)
            told.append(outbox.setup(integration, row.organization_id, row.installation_id, now, row))
    await outbox.tell(cx, told)
