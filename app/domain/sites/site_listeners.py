"""Which integrations are told of the views of a site, and which signs its visitors in."""

from __future__ import annotations

from typing import Any

from sqlalchemy import and_, or_, select

from app.access.scopes import in_force
from app.domain.integrations.installations import p_
from app.domain.integrations.integration_rows import i_, n_
from app.domain.integrations.outbox import NEEDS
from app.domain.site_addresses.site_rows import t_
from app.kit.database.sql import nested

VIEW = "site_view"


def of_site() -> Any:
    """The active installations that have the site `t_`, as a column of it."""
    placed = and_(p_.c.installation_id == n_.c.id, p_.c.object_id == t_.c.id)
    found = (
        select(n_.c.id, i_.c.name, i_.c.scopes, n_.c.agreed, p_.c.status)
        .select_from(n_.join(i_, i_.c.id == n_.c.integration_id).outerjoin(p_, placed))
        .where(
            n_.c.organization_id == t_.c.organization_id,
            n_.c.status == "active",
            or_(p_.c.status == "active", and_(p_.c.status.is_(None), n_.c.site_selection == "all")),
        )
        .order_by(n_.c.id)
        .correlate(t_)
    )
    return nested(found, "installed_")


def is_watched(site: Any) -> bool:
    """Whether anybody is told of the views of a site with that column."""
    return any(set(NEEDS[VIEW]) <= set(in_force(row.scopes, row.agreed)) for row in site.installed_)


def signs_in(site: Any) -> Any | None:
    """The installation that signs visitors in at a site with that column, where one does."""
    backend = site.visitor_backend or {}
    if backend.get("backend") != "integration":
        return None
    named = backend.get("integration")
    placed = (row for row in site.installed_ if row.status == "active" and row.name == named)
    return next(placed, None)
