"""The statements that installations on spaces and sites are read by: alike, but for their tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, select
from sqlmodel import SQLModel

from app.access.fetch import visible
from app.domain.integrations.installations import PLACEMENTS
from app.domain.integrations.integration_rows import INSTALLATIONS, INTEGRATIONS, by_name, columns
from app.domain.site_addresses.site_rows import source, whole_site
from app.kit.database.columns import Key
from app.kit.database.paging import Listing
from app.kit.database.sql import among, contains_one, has_item, nested
from app.kit.database.statements import Statement, given, query, shown, table
from app.models.installations import Installation, Placement
from app.models.integrations import Integration
from app.models.sites import Site
from app.models.spaces import Space


class PlacementKind:
    """The differences between spaces and sites."""

    def __init__(self, name: str, model: type[SQLModel], objects: Callable[[], Select[Any]]) -> None:
        self.name, self.model, self._objects = name, model, objects
        t = self.t = table(model)
        self.one: Statement[Any] = query(
            Installation,
            lambda: _whole(
                self.object(t.c.id == given("object", Key)),
                nested(
                    select(*PLACEMENTS.c)
                    .where(
                        PLACEMENTS.c.installation_id == INSTALLATIONS.c.id,
                        PLACEMENTS.c.object_id == given("object", Key),
                    )
                    .correlate(INSTALLATIONS),
                    "placements",
                ),
            ),
        )
        self.of_installation = self._listing(
            "of an installation", INSTALLATIONS.c.id == given("installation", Key)
        )
        self.of_integration = self._listing("of an integration")
        self.of_integration_by_id = self._listing(
            "of an integration by external id", has_item(PLACEMENTS.c.external_ids, "external")
        )
        self.integrations: Listing[Any] = Listing(
            f"integrations of a {name}",
            Integration,
            self._active,
            order=lambda: [INTEGRATIONS.c.id],
            inside=model,
            source=source if model is Site else None,
        )

    def object(self, *conditions: ColumnElement[bool]) -> Any:
        """Return the space or site, whole, in a list of at most one."""
        found = self._objects().where(
            self.t.c.organization_id == INSTALLATIONS.c.organization_id, *conditions
        )
        return nested(found.correlate(INSTALLATIONS, PLACEMENTS), "objects")

    def _listing(self, name: str, *conditions: Any) -> Listing[Any]:
        def rows() -> Select[Any]:
            return (
                select(
                    *shown(Placement, besides=("script", "created_at", "updated_at")),
                    INSTALLATIONS.c.organization_id,
                    INTEGRATIONS.c.name.label("integration_name"),
                    self.object(self.t.c.id == PLACEMENTS.c.object_id),
                )
                .select_from(
                    PLACEMENTS.join(INSTALLATIONS, INSTALLATIONS.c.id == PLACEMENTS.c.installation_id)
                    .join(INTEGRATIONS, INTEGRATIONS.c.id == INSTALLATIONS.c.integration_id)
                    .join(self.t, self.t.c.id == PLACEMENTS.c.object_id)
                )
                .where(
                    by_name(),
                    PLACEMENTS.c.kind == self.name,
                    among(INSTALLATIONS.c.organization_id, "mine"),
                    visible(self.model, inside=self.model),
                    *self._alive(),
                    *conditions,
                )
            )

        return Listing(
            f"{self.name}s {name}",
            Placement,
            rows,
            order=lambda: [PLACEMENTS.c.installation_id, PLACEMENTS.c.object_id],
        )

    def _alive(self) -> list[ColumnElement[bool]]:
        return [self.t.c.deleted_at.is_(None)] if "deleted_at" in self.t.c else []

    def _active(self) -> Select[Any]:
        selection = INSTALLATIONS.c[f"{self.name}_selection"]
        on = and_(PLACEMENTS.c.installation_id == INSTALLATIONS.c.id, PLACEMENTS.c.object_id == self.t.c.id)
        there = (
            select(INSTALLATIONS.c.integration_id)
            .select_from(INSTALLATIONS.outerjoin(PLACEMENTS, on))
            .where(
                INSTALLATIONS.c.organization_id == self.t.c.organization_id,
                INSTALLATIONS.c.status == "active",
                (PLACEMENTS.c.status == "active") | ((selection == "all") & PLACEMENTS.c.object_id.is_(None)),
            )
            .correlate(self.t)
        )
        wanted = (given("search", Key) == "") | contains_one(INTEGRATIONS.c.searched, "searches")
        return select(*columns()).where(INTEGRATIONS.c.id.in_(there), wanted)


def _spaces() -> Select[Any]:
    return select(*shown(Space, besides=("rank", "revision_number", "comments_resolved")))


def _sites() -> Select[Any]:
    return whole_site()


def _whole(*more: Any) -> Select[Any]:
    return (
        select(
            *INSTALLATIONS.c,
            INTEGRATIONS.c.name.label("integration_name"),
            INTEGRATIONS.c.title,
            INTEGRATIONS.c.manifest,
            INTEGRATIONS.c.target,
            INTEGRATIONS.c.scopes,
            *more,
        )
        .select_from(INSTALLATIONS.join(INTEGRATIONS, INTEGRATIONS.c.id == INSTALLATIONS.c.integration_id))
        .where(INSTALLATIONS.c.id == given("id", Key), by_name())
    )


SPACES, SITES = PlacementKind("space", Space, _spaces), PlacementKind("site", Site, _sites)
