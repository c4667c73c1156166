"""Whom an event goes to, and the columns that say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select

from app.access.scopes import in_force
from app.domain.integrations.installations import PLACEMENTS
from app.domain.integrations.integration_rows import INSTALLATIONS, INTEGRATIONS, ORGANIZATIONS
from app.kit.database.columns import Key
from app.kit.database.sql import nested
from app.kit.database.statements import given

_INTEGRATION = (
    "id", "name", "organization_id", "version", "title", "description", "target", "visibility", "verified",
    "scopes", "categories", "manifest", "secrets", "tunnel_url", "tunnel_all",
)  # fmt: skip


@dataclass(slots=True, frozen=True)
class EventDestination:
    """Whom an event goes to: an integration, for an organization, as it is installed there."""

    integration: Any
    organization_id: str
    installation: Any = None
    placement: Any = None

    @property
    def scopes(self) -> list[str]:
        """Return what the integration may do there."""
        declared = self.integration.scopes
        if self.installation is None:
            return list(declared)
        return in_force(declared, self.installation.agreed)

    @property
    def tunnel(self) -> str | None:
        """Return where events of this organization go while the integration is developed."""
        row = self.integration
        ours = row.tunnel_all or row.organization_id == self.organization_id
        return row.tunnel_url if ours else None


def integration_columns() -> list[Any]:
    """Return what dispatching needs of an integration, with the organization that published it."""
    owner = select(*(ORGANIZATIONS.c[name] for name in ("id", "title", "hostname", "created_at"))).where(
        ORGANIZATIONS.c.id == INTEGRATIONS.c.organization_id
    )
    return [
        *(INTEGRATIONS.c[name] for name in _INTEGRATION),
        nested(owner.correlate(INTEGRATIONS), "owner"),
    ]


def installation_columns() -> list[Any]:
    """Return what dispatching needs of an installation, with the number of spaces that it is on."""
    on = select(func.count()).where(
        PLACEMENTS.c.installation_id == INSTALLATIONS.c.id, PLACEMENTS.c.kind == "space"
    )
    return [*INSTALLATIONS.c, on.correlate(INSTALLATIONS).scalar_subquery().label("spaces")]


def destination(object_id: Any) -> list[Any]:
    """Return the installation `installation` of an integration, and how it is on an object, as columns."""
    installed = select(*installation_columns()).where(
        INSTALLATIONS.c.id == given("installation", Key), INSTALLATIONS.c.integration_id == INTEGRATIONS.c.id
    )
    placed = select(*PLACEMENTS.c).where(
        PLACEMENTS.c.installation_id == given("installation", Key), PLACEMENTS.c.object_id == object_id
    )
    return [
        nested(installed.correlate(INTEGRATIONS), "installed"),
        nested(placed.correlate(INTEGRATIONS), "placed"),
    ]
