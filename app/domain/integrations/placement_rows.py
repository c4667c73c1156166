"""The statements that installations on spaces and sites are read by: alike, but for their tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, select
from sqlmodel import SQLModel

from app.access.fetch import visible
from app.domain.integrations.installations import p_
from app.domain.integrations.integration_rows import by_name, columns, i_, n_
from app.domain.site_addresses.site_rows import site_columns, source
from app.kit.database.columns import Key
from app.kit.database.paging import Listing
from app.kit.database.sql import among, contains_one, has_item, nested
from app.kit.database.statements import Statement, given, query, shown, table
from app.models.installations import Installation, Placement
from app.models.integrations import Integration
from app.models.sites import Site
from app.models.spaces import Space


class PlacementKind:
    """What differs between spaces and sites."""

    def __init__(self, name: str, model: type[SQLModel], objects: Callable[[], Select[Any]]) -> None:
        self.name, self.model, self._objects = name, model, objects
        t = self.t = table(model)
        self.one: Statement[Any] = query(
            Installation,
            lambda: _whole(
                self.object(t.c.id == given("object", Key)),
                nested(
                    select(*p_.c)
                    .where(p_.c.installation_id == n_.c.id, p_.c.object_id == given("object", Key))
                    .correlate(n_),
                    "placements",
                ),
            ),
        )
        self.of_installation = self._listing("of an installation", n_.c.id == given("installation", Key))
        self.of_integration = self._listing("of an integration")
        self.of_integration_by_id = self._listing(
            "of an integration by external id", has_item(p_.c.external_ids, "external")
        )
        self.integrations: Listing[Any] = Listing(
            f"integrations of a {name}",
            Integration,
            self._active,
            order=lambda: [i_.c.id],
            inside=model,
            source=source if model is Site else None,
        )

    def object(self, *conditions: ColumnElement[bool]) -> Any:
        """Return the space or site, whole, in a list of at most one."""
        found = self._objects().where(self.t.c.organization_id == n_.c.organization_id, *conditions)
        return nested(found.correlate(n_, p_), "objects")

    def _listing(self, name: str, *conditions: Any) -> Listing[Any]:
        def rows() -> Select[Any]:
            return (
                select(
                    *shown(Placement, besides=("script", "created_at", "updated_at")),
                    n_.c.organization_id,
                    i_.c.name.label("integration_name"),
                    self.object(self.t.c.id == p_.c.object_id),
                )
                .select_from(
                    p_.join(n_, n_.c.id == p_.c.installation_id)
                    .join(i_, i_.c.id == n_.c.integration_id)
                    .join(self.t, self.t.c.id == p_.c.object_id)
                )
                .where(
                    by_name(),
                    p_.c.kind == self.name,
                    among(n_.c.organization_id, "mine"),
                    visible(self.model, inside=self.model),
                    *self._alive(),
                    *conditions,
                )
            )

        return Listing(
            f"{self.name}s {name}", Placement, rows, order=lambda: [p_.c.installation_id, p_.c.object_id]
        )

    def _alive(self) -> list[ColumnElement[bool]]:
        return [self.t.c.deleted_at.is_(None)] if "deleted_at" in self.t.c else []

    def _active(self) -> Select[Any]:
        selection = n_.c[f"{self.name}_selection"]
        on = and_(p_.c.installation_id == n_.c.id, p_.c.object_id == self.t.c.id)
        there = (
            select(n_.c.integration_id)
            .select_from(n_.outerjoin(p_, on))
            .where(
                n_.c.organization_id == self.t.c.organization_id,
                n_.c.status == "active",
                (p_.c.status == "active") | ((selection == "all") & p_.c.object_id.is_(None)),
            )
            .correlate(self.t)
        )
        wanted = (given("search", Key) == "") | contains_one(i_.c.searched, "searches")
        return select(*columns()).where(i_.c.id.in_(there), wanted)


def _spaces() -> Select[Any]:
    return select(*shown(Space, besides=("rank", "revision_number", "comments_resolved")))


def _sites() -> Select[Any]:
    return select(*site_columns()).select_from(source())


def _whole(*more: Any) -> Select[Any]:
    return (
        select(
            *n_.c,
            i_.c.name.label("integration_name"),
            i_.c.title,
            i_.c.manifest,
            i_.c.target,
            i_.c.scopes,
            *more,
        )
        .select_from(n_.join(i_, i_.c.id == n_.c.integration_id))
        .where(n_.c.id == given("id", Key), by_name())
    )


SPACES, SITES = PlacementKind("space", Space, _spaces), PlacementKind("site", Site, _sites)
