"""Installations on spaces and sites: twins, each with a configuration of its own.

Whoever may install on the space or site does so there; it must be of the installation's organization.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import select

from app.access.context import Context
from app.access.fetch import fetch_page, named, permit, refusal, seeing_inside
from app.domain import jobs
from app.domain.integrations import integration_rows, outbox
from app.domain.integrations.installations import PLACEMENTS, find_one, judge, looking_at, unknown
from app.domain.integrations.integration_rows import INSTALLATIONS, find, searching
from app.domain.integrations.placement_rows import SITES, SPACES, PlacementKind
from app.domain.site_addresses.site_rows import page_of
from app.kit.database.paging import Page
from app.kit.database.sql import among
from app.kit.database.statements import Statement, query
from app.kit.errors import Conflict, NotFound
from app.models.installations import (
    AllPlacementsQuery,
    Placement,
    PlacementsQuery,
    PlacementUpdate,
    SitePlacementCreate,
    SpacePlacementCreate,
)
from app.models.integrations import SearchedQuery
from app.models.spaces import Space


class PlacementRow(Protocol):
    """An installation on a space or site, which is in a list of one."""

    integration_name: str
    installation_id: str
    organization_id: str
    kind: str
    object_id: str
    status: str
    external_ids: list[str]
    configuration: dict[str, Any]
    objects: Sequence[Any]


@dataclass(slots=True, frozen=True)
class ShownPlacement:
    """An installation on a space or site as it is shown: whole, where that was asked for."""

    row: PlacementRow
    extended: bool = False


@dataclass(slots=True, frozen=True)
class _PlacedIntegration:
    id: str


async def list_spaces(
    cx: Context, integration_name: str, installation_id: str, query: PlacementsQuery
) -> Page[ShownPlacement]:
    """List the spaces that an installation is on."""
    return await _list_of_installation(cx, SPACES, integration_name, installation_id, query)


async def list_sites(
    cx: Context, integration_name: str, installation_id: str, query: PlacementsQuery
) -> Page[ShownPlacement]:
    """List the sites that an installation is on."""
    return await _list_of_installation(cx, SITES, integration_name, installation_id, query)


async def list_all_spaces(
    cx: Context, integration_name: str, query: AllPlacementsQuery
) -> Page[ShownPlacement]:
    """List the spaces that an integration is installed on, in the caller's organizations."""
    return await _list_of_integration(cx, SPACES, integration_name, query)


async def list_all_sites(
    cx: Context, integration_name: str, query: AllPlacementsQuery
) -> Page[ShownPlacement]:
    """List the sites that an integration is installed on, in the caller's organizations."""
    return await _list_of_integration(cx, SITES, integration_name, query)


async def list_in_space(cx: Context, space_id: str, query: SearchedQuery) -> Page[Any]:
    """List the integrations that are active in a space."""
    values = searching(query.search)
    _, page = await fetch_page(cx, Space, space_id, SPACES.integrations, query.paging, **values)
    return page


async def list_in_site(cx: Context, organization_id: str, site_id: str, query: SearchedQuery) -> Page[Any]:
    """List the integrations that are active on a site."""
    values = searching(query.search)
    _, page = await page_of(cx, organization_id, site_id, SITES.integrations, query.paging, **values)
    return page


async def get_on_space(
    cx: Context, integration_name: str, installation_id: str, space_id: str
) -> ShownPlacement:
    """Get an installation on a space."""
    return ShownPlacement(_row(*await _found(cx, SPACES, integration_name, installation_id, space_id)))


async def get_on_site(
    cx: Context, integration_name: str, installation_id: str, site_id: str
) -> ShownPlacement:
    """Get an installation on a site."""
    return ShownPlacement(_row(*await _found(cx, SITES, integration_name, installation_id, site_id)))


async def install_on_space(
    cx: Context, integration_name: str, installation_id: str, new: SpacePlacementCreate
) -> ShownPlacement:
    """Install on a space. Raises Conflict where it is there already, or is not for spaces."""
    return await _install(cx, SPACES, integration_name, installation_id, new.space, "space")


async def install_on_site(
    cx: Context, integration_name: str, installation_id: str, new: SitePlacementCreate
) -> ShownPlacement:
    """Install on a site. Raises Conflict where it is there already, or is not for sites."""
    return await _install(cx, SITES, integration_name, installation_id, new.site_id, "siteId")


async def update_on_space(
    cx: Context, integration_name: str, installation_id: str, space_id: str, change: PlacementUpdate
) -> ShownPlacement:
    """Change the configuration or external ids of an installation on a space."""
    return await _update(cx, SPACES, integration_name, installation_id, space_id, change)


async def update_on_site(
    cx: Context, integration_name: str, installation_id: str, site_id: str, change: PlacementUpdate
) -> ShownPlacement:
    """Change the configuration or external ids of an installation on a site."""
    return await _update(cx, SITES, integration_name, installation_id, site_id, change)


async def uninstall_from_space(
    cx: Context, integration_name: str, installation_id: str, space_id: str
) -> None:
    """Uninstall from a space."""
    await _uninstall(cx, SPACES, integration_name, installation_id, space_id)


async def uninstall_from_site(cx: Context, integration_name: str, installation_id: str, site_id: str) -> None:
    """Uninstall from a site."""
    await _uninstall(cx, SITES, integration_name, installation_id, site_id)


_ON: Statement[Any] = query(
    Placement,
    lambda: (
        select(*PLACEMENTS.c, INSTALLATIONS.c.organization_id, INSTALLATIONS.c.integration_id)
        .join(INSTALLATIONS, INSTALLATIONS.c.id == PLACEMENTS.c.installation_id)
        .where(among(PLACEMENTS.c.object_id, "objects"))
    ),
)


async def withdraw_on(cx: Context, *object_ids: str) -> None:
    """End every installation on objects that go, or go to another organization."""
    found = await cx.db.all(_ON, objects=object_ids)
    for row in found:
        await cx.tx.remove(Placement, installation_id=row.installation_id, object_id=row.object_id)
    told = [
        outbox.deleted(_PlacedIntegration(row.integration_id), row.organization_id, row.installation_id, row)
        for row in found
    ]
    await outbox.tell(cx, told)


async def _list_of_installation(
    cx: Context, kind: PlacementKind, name: str, installation_id: str, query: PlacementsQuery
) -> Page[ShownPlacement]:
    values = {"name": name, "installation": installation_id}
    mine = await looking_at(cx, name)
    caller = cx.actor.installation
    if caller is not None and caller.installation_id not in (None, installation_id):
        raise unknown()
    sight = {"mine": mine, **seeing_inside(cx)}
    page = await kind.of_installation.page(cx.db, query.paging, cx.tokens, sight=sight, **values)
    if not page.count:
        await find_one(cx, name, installation_id)
    return page.map(lambda row: ShownPlacement(row, query.extended))


async def _list_of_integration(
    cx: Context, kind: PlacementKind, name: str, query: AllPlacementsQuery
) -> Page[ShownPlacement]:
    listing, values = kind.of_integration, {"name": name}
    if query.external_id is not None:
        listing, values["external"] = kind.of_integration_by_id, query.external_id
    sight = {"mine": await looking_at(cx, name), **seeing_inside(cx)}
    page = await listing.page(cx.db, query.paging, cx.tokens, sight=sight, **values)
    if not page.count:
        await find(cx, name)
    return page.map(lambda row: ShownPlacement(row, query.extended))


async def _found(
    cx: Context, kind: PlacementKind, name: str, installation_id: str, object_id: str, *, can: str = "view"
) -> tuple[Any, Any, Any]:
    """Return an installation, the space or site, and how the one is on the other."""
    found, here = await _at(cx, kind, name, installation_id, object_id, can=can)
    if not found.placements:
        raise NotFound(f"It is not installed on this {kind.name}.")
    return found, here, found.placements[0]


async def _at(
    cx: Context,
    kind: PlacementKind,
    name: str,
    installation_id: str,
    object_id: str,
    *,
    can: str,
    path: str | None = None,
) -> tuple[Any, Any]:
    """Return an installation and the space or site, which a body names at `path`, or the address."""
    asked = {"name": name, "id": installation_id, "object": object_id, **seeing_inside(cx)}
    found = await cx.db.first(kind.one, **asked)
    if found is None:
        raise unknown()
    judge(cx, found, can="listInstallations")
    with named(path) if path else nullcontext():
        return found, _permitted(cx, kind, found, can)


def _permitted(cx: Context, kind: PlacementKind, found: Any, can: str) -> Any:
    if not found.objects:
        raise NotFound(f"There is no such {kind.name}.")
    here = found.objects[0]
    if cx.actor.installation is None:
        permit(cx, kind.model, here, can=can)
    else:
        refused = refusal(cx.actor.memberships.get(here.organization_id), kind.model, here, can="view")
        if refused is not None:
            raise refused
    return here


def _row(found: Any, here: Any, placement: Any) -> Any:
    return _Placed(placement, found.organization_id, found.integration_name, [here])


class _Placed:
    """A placement with the columns that lists have."""

    def __init__(
        self, row: Placement, organization_id: str, integration_name: str, objects: list[Any]
    ) -> None:
        self._row = row
        self.organization_id, self.integration_name, self.objects = organization_id, integration_name, objects

    def __getattr__(self, name: str) -> Any:
        return getattr(self._row, name)


async def _install(
    cx: Context, kind: PlacementKind, name: str, installation_id: str, object_id: str, path: str
) -> ShownPlacement:
    found, here = await _at(cx, kind, name, installation_id, object_id, can="installIntegration", path=path)
    if found.target not in ("all", kind.name):
        raise Conflict(f"The integration is not for {kind.name}s.")
    if found.placements:
        raise Conflict(f"It is already installed on the {kind.name}.")
    asked = found.manifest["configurations"].get(kind.name)
    configuration = integration_rows.initial_configuration(asked)
    made = await cx.tx.add(
        Placement,
        installation_id=found.id,
        object_id=here.id,
        kind=kind.name,
        status=integration_rows.status_of(asked, configuration),
        configuration=configuration,
        external_ids=[],
        script=None,
        script_hash=None,
        created_at=cx.now,
        updated_at=cx.now,
    )
    await _tell(cx, found, made)
    return ShownPlacement(_row(found, here, made))


async def _update(
    cx: Context, kind: PlacementKind, name: str, installation_id: str, object_id: str, change: PlacementUpdate
) -> ShownPlacement:
    found, here, before = await _found(cx, kind, name, installation_id, object_id, can="installIntegration")
    values = change.sent()
    if "configuration" in values:
        asked = found.manifest["configurations"].get(kind.name)
        integration_rows.check_configuration(asked, values["configuration"])
        values["status"] = integration_rows.status_of(asked, values["configuration"], before.status)
    keys = {"installation_id": found.id, "object_id": object_id}
    now = await cx.tx.change(Placement, {**values, "updated_at": cx.now}, **keys)
    if integration_rows.was_configured(now, before):
        await _tell(cx, found, now, before)
    return ShownPlacement(_row(found, here, now))


async def _uninstall(
    cx: Context, kind: PlacementKind, name: str, installation_id: str, object_id: str
) -> None:
    found, _, before = await _found(cx, kind, name, installation_id, object_id, can="installIntegration")
    await cx.tx.remove(Placement, installation_id=found.id, object_id=object_id)
    gone = outbox.deleted(_PlacedIntegration(found.integration_id), found.organization_id, found.id, before)
    await outbox.tell(cx, [gone])


async def _tell(cx: Context, found: Any, now: Any, before: Any = None) -> None:
    integration = _PlacedIntegration(found.integration_id)
    await outbox.tell(cx, [outbox.setup(integration, found.organization_id, found.id, now, before)])
    if now.kind == "site" and "site:script:inject" in found.scopes:
        payload = {"installation": found.id, "site": now.object_id}
        await jobs.enqueue(
            cx,
            outbox.FETCH_SCRIPTS,
            found.integration_id,
            found.organization_id,
            due_at=cx.now,
            payload=payload,
        )
