"""Installations of integrations in organizations (decisions, States: Installation).

Members may know what is installed; administrators install, configure and uninstall. The integration itself,
with the token of an installation, may configure that one installation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Select, func, or_, select
from sqlmodel import SQLModel

from app.access.context import Context
from app.access.fetch import named, permit_in, refusal, seeing_inside, visible
from app.domain.integrations import integration_rows, outbox
from app.domain.integrations.integration_rows import (
    INSTALLATIONS,
    INTEGRATIONS,
    by_name,
    find,
    looking,
    note,
    searching,
)
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among, contains_one, has_item
from app.kit.database.statements import Statement, given, query, rows, shown, table
from app.kit.errors import Conflict, Forbidden, NotFound
from app.kit.ids import new_id
from app.models.installations import (
    Installation,
    InstallationCreate,
    InstallationsQuery,
    InstallationUpdate,
    Placement,
)
from app.models.integrations import SearchedQuery
from app.models.spaces import Space

PLACEMENTS, SPACES = table(Placement), table(Space)
OF_INTEGRATION = ("name", "title", "manifest", "target")


class InstallationRow(Protocol):
    """An installation with the name of its integration and the number of its spaces (see `_shown`)."""

    id: str
    integration_id: str
    organization_id: str
    integration_name: str
    configuration: dict[str, Any]
    spaces: int


def counted() -> Any:
    """On how many spaces that the caller sees an installation is; needs the values of `seeing_inside`."""
    seen = SPACES.c.deleted_at.is_(None), visible(SPACES, organization=INSTALLATIONS.c.organization_id)
    on = select(func.count()).select_from(PLACEMENTS.join(SPACES, SPACES.c.id == PLACEMENTS.c.object_id))
    there = on.where(PLACEMENTS.c.installation_id == INSTALLATIONS.c.id, PLACEMENTS.c.kind == "space", *seen)
    return there.correlate(INSTALLATIONS).scalar_subquery().label("spaces")


def _shown(*more: ColumnElement[Any]) -> Select[Any]:
    named = INTEGRATIONS.c.name.label("integration_name")
    return (
        select(*shown(Installation), counted(), named, *more)
        .select_from(INSTALLATIONS.join(INTEGRATIONS, INTEGRATIONS.c.id == INSTALLATIONS.c.integration_id))
        .where(INTEGRATIONS.c.deleted_at.is_(None))
    )


def _whole() -> Select[Any]:
    return select(
        *INSTALLATIONS.c,
        INTEGRATIONS.c.name.label("integration_name"),
        INTEGRATIONS.c.title,
        INTEGRATIONS.c.manifest,
        INTEGRATIONS.c.target,
        INTEGRATIONS.c.scopes,
    ).select_from(INSTALLATIONS.join(INTEGRATIONS, INTEGRATIONS.c.id == INSTALLATIONS.c.integration_id))


def _here() -> ColumnElement[bool]:
    return (INSTALLATIONS.c.id == given("id", Key)) & by_name()


WHOLE: Statement[Any] = query(Installation, lambda: _whole().where(_here()))
_SHOWN: Statement[Any] = query(Installation, lambda: _shown().where(_here()))
_INSTALLED = rows(
    lambda: select(INSTALLATIONS.c.id).where(
        INSTALLATIONS.c.integration_id == given("integration"),
        INSTALLATIONS.c.organization_id == given("organization"),
    )
)
_PLACEMENTS = query(
    Placement, lambda: select(*PLACEMENTS.c).where(PLACEMENTS.c.installation_id == given("installation"))
)


def _of_integration(name: str, *conditions: Callable[[], ColumnElement[bool]]) -> Listing[Any]:
    return Listing(
        name,
        Installation,
        lambda: _shown().where(
            by_name(),
            among(INSTALLATIONS.c.organization_id, "mine"),
            *(condition() for condition in conditions),
        ),
        order=lambda: [INSTALLATIONS.c.id],
    )


def with_external_id() -> ColumnElement[bool]:
    """Return the installations with the external id that is asked for."""
    return has_item(INSTALLATIONS.c.external_ids, "external")


_ALL = _of_integration("installations")
_WITH_ID = _of_integration("installations by external id", with_external_id)
IN_ORGANIZATION = Listing(
    "installations of an organization",
    Installation,
    lambda: _shown().where(
        INSTALLATIONS.c.organization_id == given("organization", Key),
        or_(given("search", Key) == "", contains_one(INTEGRATIONS.c.searched, "searches")),
    ),
    order=lambda: [INSTALLATIONS.c.id],
)


async def list_of_integration(cx: Context, integration_name: str, query: InstallationsQuery) -> Page[Any]:
    """List the installations of an integration in the caller's organizations, oldest first."""
    listing, values = _ALL, {"name": integration_name}
    if query.external_id is not None:
        listing, values["external"] = _WITH_ID, query.external_id
    sight = {**seeing_inside(cx), "mine": await looking_at(cx, integration_name)}
    found = await listing.page(cx.db, query.paging, cx.tokens, sight=sight, **values)
    if not found.count:
        await find(cx, integration_name)
    return found


async def looking_at(cx: Context, integration_name: str) -> list[str]:
    """Return the organizations in which the caller sees where an integration is installed.

    Raises NotFound where another integration asks.
    """
    caller = cx.actor.installation
    if caller is None:
        return looking(cx, "listInstallations")
    if (await find(cx, integration_name)).id != caller.integration_id:
        raise integration_rows.unknown()
    return [m.organization_id for m in cx.actor.memberships.values() if not m.closed]


async def list_in_organization(cx: Context, organization_id: str, query: SearchedQuery) -> Page[Any]:
    """List what is installed in an organization, oldest first."""
    permit_in(cx, organization_id, can="listInstallations")
    values = {"organization": organization_id, **searching(query.search)}
    return await IN_ORGANIZATION.page(cx.db, query.paging, cx.tokens, sight=seeing_inside(cx), **values)


async def get(cx: Context, integration_name: str, installation_id: str) -> Any:
    """Get an installation."""
    return await find_one(cx, integration_name, installation_id, using=_SHOWN)


async def install(cx: Context, integration_name: str, new: InstallationCreate) -> Any:
    """Install an integration in an organization.

    It is active at once where nothing has to be configured. Raises Conflict where it is installed already.
    """
    integration = await find(cx, integration_name)
    with named("organization"):
        permit_in(cx, new.organization, can="installIntegration")
    if integration.visibility == "private" and integration.organization_id != new.organization:
        raise Forbidden("A private integration can be installed only by the organization that published it.")
    note(cx, integration, new.organization)
    if await cx.db.all(_INSTALLED, integration=integration.id, organization=new.organization):
        raise Conflict("The integration is already installed in the organization.")
    asked = integration.manifest["configurations"].get("account")
    configuration = integration_rows.initial_configuration(asked)
    selection = "all" if integration.target == "organization" else "selected"
    made = await cx.tx.add(
        Installation,
        id=new_id(),
        integration_id=integration.id,
        organization_id=new.organization,
        status=integration_rows.status_of(asked, configuration),
        space_selection=selection,
        site_selection=selection,
        configuration=configuration,
        external_ids=[],
        agreed=integration.scopes,
        created_at=cx.now,
        updated_at=cx.now,
    )
    await outbox.tell(cx, [outbox.setup(integration, new.organization, made.id, made)])
    return await find_one(cx, integration_name, made.id, using=_SHOWN)


async def update(cx: Context, integration_name: str, installation_id: str, change: InstallationUpdate) -> Any:
    """Change an installation's configuration, external ids or selections.

    A person who does so agrees to the scopes that the integration declares now.
    """
    before = await find_one(cx, integration_name, installation_id, can="installIntegration")
    values = change.sent()
    caller = cx.actor.installation
    if caller is not None and {"space_selection", "site_selection"} & values.keys():
        raise Forbidden("Only people can select what an integration may see.")
    if caller is None:
        values["agreed"] = before.scopes
    if "configuration" in values:
        asked = before.manifest["configurations"].get("account")
        integration_rows.check_configuration(asked, values["configuration"])
        values["status"] = integration_rows.status_of(asked, values["configuration"], before.status)
    now = await cx.tx.change(Installation, {**values, "updated_at": cx.now}, id=before.id)
    if integration_rows.was_configured(now, before):
        told = outbox.setup(_integration(before), before.organization_id, before.id, now, before)
        await outbox.tell(cx, [told])
    return await find_one(cx, integration_name, installation_id, using=_SHOWN)


async def uninstall(cx: Context, integration_name: str, installation_id: str) -> None:
    """Uninstall an integration; its tokens end at once."""
    before = await find_one(cx, integration_name, installation_id, can="installIntegration")
    integration = _integration(before)
    told = [
        outbox.deleted(integration, before.organization_id, before.id, placement)
        for placement in await cx.db.all(_PLACEMENTS, installation=before.id)
    ]
    told.append(outbox.deleted(integration, before.organization_id, before.id, before))
    await cx.tx.remove(Installation, id=before.id)
    await outbox.tell(cx, told)


async def find_one(
    cx: Context,
    integration_name: str,
    installation_id: str,
    *,
    can: str = "listInstallations",
    using: Statement[Any] = WHOLE,
    **values: Any,
) -> Any:
    """Return an installation, if the caller may do this with it.

    Raises NotFound for what does not exist or is in an organization that the caller does not belong to.
    """
    asked = {"name": integration_name, "id": installation_id, **seeing_inside(cx), **values}
    found = await cx.db.first(using, **asked)
    if found is None:
        raise unknown()
    judge(cx, found, can=can)
    return found


def judge(cx: Context, row: InstallationRow, *, can: str) -> None:
    """Refuse unless the caller may do this with an installation."""
    caller = cx.actor.installation
    is_foreign = caller is not None and not caller.is_of(row.integration_id, row.id)
    if row.organization_id not in cx.actor.memberships or is_foreign:
        raise unknown()
    cx.note("integration", row.integration_name, row.organization_id, getattr(row, "title", None))
    if caller is not None:
        closed = cx.actor.memberships[row.organization_id].closed
        if closed:
            raise Forbidden(closed)
        return
    permit_in(cx, row.organization_id, can=can)


def unknown() -> NotFound:
    """Return what is said of an installation that nobody may know of."""
    return NotFound("There is no such installation.")


def configures(cx: Context, organization_id: str) -> bool:
    """Return whether the caller may see what an installation is configured with: it may hold somebody's
    keys."""
    return cx.actor.installation is not None or organization_id in looking(cx, "installIntegration")


def configures_on(cx: Context, organization_id: str, model: type[SQLModel], here: Any) -> bool:
    """Return whether the caller may see the configuration on a space or site, which whoever runs that
    configures too."""
    membership = cx.actor.memberships.get(organization_id)
    installs = refusal(membership, model, here, can="installIntegration") is None
    return installs or configures(cx, organization_id)


@dataclass(slots=True, frozen=True)
class _IntegrationId:
    id: str


def _integration(installation: Any) -> _IntegrationId:
    return _IntegrationId(installation.integration_id)
