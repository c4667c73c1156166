"""Integrations as they are read and listed, and who sees, installs and manages one.

Configurations of installations, and the status that follows: active, pending, or paused by an operator.

A paused installation's tokens open nothing, and its script is not run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

import orjson
from sqlalchemy import ColumnElement, Select, and_, or_, select

from app.access.context import Context
from app.access.fetch import permit_in
from app.access.rights import ORGANIZATION, Level
from app.domain.integrations import outbox
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among, contains_one, has_item, nested
from app.kit.database.statements import Statement, given, query, rows, shown, table
from app.kit.errors import Forbidden, Invalid, NotFound
from app.models.installations import Installation, Placement
from app.models.integration_configurations import fits
from app.models.integrations import Integration, IntegrationsQuery, SearchedQuery
from app.models.organizations import Organization

INTEGRATIONS, ORGANIZATIONS, INSTALLATIONS = table(Integration), table(Organization), table(Installation)
INNER = (
    "secrets", "searched", "block_domains", "has_blocks", "has_content_sources", "user_id", "deleted_at",
    "updated_at", "tunnel_url", "tunnel_all",
)  # fmt: skip


class IntegrationRow(Protocol):
    """An integration with the organization that published it, in a list of one (see `columns`)."""

    id: str
    organization_id: str
    name: str
    title: str
    visibility: str
    manifest: dict[str, Any]
    owner: Sequence[Organization]


def columns() -> list[ColumnElement[Any]]:
    """Return what is shown of an integration, with the organization that published it."""
    owner = (
        select(*ORGANIZATIONS.c)
        .where(ORGANIZATIONS.c.id == INTEGRATIONS.c.organization_id)
        .correlate(INTEGRATIONS)
    )
    return [*shown(Integration, besides=INNER), nested(owner, "owner")]


def by_name() -> ColumnElement[bool]:
    """Return the integration of this name; one that is deleted has none."""
    return and_(INTEGRATIONS.c.name == given("name", Key), INTEGRATIONS.c.deleted_at.is_(None))


SHOWN: Statement[Any] = query(Integration, lambda: select(*columns()).where(by_name()))
WHOLE: Statement[Any] = query(Integration, lambda: select(*INTEGRATIONS.c).where(by_name()))


async def find(
    cx: Context, name: str, *, can: str = "view", using: Statement[Any] = WHOLE, **values: Any
) -> Any:
    """Return an integration by its name, if the caller may `view` or `admin` it.

    Raises NotFound for what does not exist or must not be known to, Forbidden for what is not allowed.
    """
    found = await cx.db.first(using, name=name, **values)
    if found is None:
        raise unknown()
    see(cx, found)
    if can == "admin":
        if found.organization_id not in cx.actor.memberships:
            raise Forbidden("Only administrators of the organization that published it may do this.")
        permit_in(cx, found.organization_id, can="admin")
    return found


def see(cx: Context, row: IntegrationRow | Integration) -> None:
    """Refuse whoever may not know of an integration."""
    caller = cx.actor.installation
    if row.visibility != "private" or (caller is not None and caller.integration_id == row.id):
        return
    if row.organization_id not in cx.actor.memberships:
        raise unknown()
    permit_in(cx, row.organization_id, can="listIntegrations")


def unknown() -> NotFound:
    """Return what is said of an integration that nobody may know of."""
    return NotFound("There is no such integration.")


def note(cx: Context, row: IntegrationRow | Integration, organization_id: str) -> None:
    """Note for the audit log of an organization that this is about an integration."""
    cx.note("integration", row.name, organization_id, row.title)


def looking(cx: Context, right: str = "listIntegrations") -> list[str]:
    """Return the organizations in which the caller has a right."""
    least = ORGANIZATION[right]
    held = cx.actor.memberships.values()
    return sorted(m.organization_id for m in held if not m.closed and m.level >= least)


def listed() -> ColumnElement[bool]:
    """Return the integrations that the caller finds in lists; needs the value `mine`, see `looking`."""
    return or_(INTEGRATIONS.c.visibility == "public", among(INTEGRATIONS.c.organization_id, "mine"))


def permissions(cx: Context, row: IntegrationRow) -> dict[str, bool]:
    """Return what the caller may do with an integration."""
    administered = {
        m.organization_id for m in cx.actor.memberships.values() if not m.closed and m.level >= Level.ADMIN
    }
    if cx.actor.read_only:
        return {"admin": False, "install": False}
    is_admin = row.organization_id in administered
    return {"admin": is_admin, "install": is_admin if row.visibility == "private" else bool(administered)}


def searching(text: str | None) -> dict[str, Any]:
    """Return the values that a search by `searched` needs."""
    folded = (text or "").casefold()
    return {"search": folded, "searches": [folded]}


def of_organization() -> Select[Any]:
    """Return the integrations that an organization may install."""
    return select(*columns()).where(
        INTEGRATIONS.c.deleted_at.is_(None),
        or_(
            INTEGRATIONS.c.visibility == "public",
            INTEGRATIONS.c.organization_id == given("organization", Key),
        ),
    )


_FILTERS: dict[str, Callable[[], ColumnElement[bool]]] = {
    "search": lambda: contains_one(INTEGRATIONS.c.searched, "searches"),
    "category": lambda: has_item(INTEGRATIONS.c.categories, "category"),
    "block_domain": lambda: has_item(INTEGRATIONS.c.block_domains, "block_domain"),
    "scope": lambda: has_item(INTEGRATIONS.c.scopes, "scope"),
    "blocks": lambda: INTEGRATIONS.c.has_blocks == given("blocks"),
    "content_sources": lambda: INTEGRATIONS.c.has_content_sources == given("content_sources"),
    "owner": lambda: INTEGRATIONS.c.organization_id == given("owner", Key),
    "target": lambda: or_(INTEGRATIONS.c.target == given("target", Key), INTEGRATIONS.c.target == "all"),
}


@cache
def _listing(names: frozenset[str]) -> Listing[Any]:
    """Return the list by these filters: a statement for each set, so that none pays for the others."""
    return Listing(
        f"integrations by {' '.join(sorted(names))}",
        Integration,
        lambda: select(*columns()).where(
            INTEGRATIONS.c.deleted_at.is_(None), listed(), *(_FILTERS[name]() for name in sorted(names))
        ),
        order=lambda: [INTEGRATIONS.c.id],
    )


IN_ORGANIZATION = Listing(
    "integrations of an organization",
    Integration,
    lambda: of_organization().where(
        or_(given("search", Key) == "", contains_one(INTEGRATIONS.c.searched, "searches"))
    ),
    order=lambda: [INTEGRATIONS.c.id],
)


async def list_integrations(cx: Context, query: IntegrationsQuery) -> Page[Any]:
    """List the integrations that are public or the caller's own, oldest first."""
    asked = {name: getattr(query, name) for name in _FILTERS if getattr(query, name) is not None}
    names = frozenset(asked)
    if "search" in asked:
        asked["searches"] = [asked.pop("search").casefold()]
    if "block_domain" in asked:
        asked["block_domain"] = asked["block_domain"].lower()
    return await _listing(names).page(cx.db, query.paging, cx.tokens, sight={"mine": looking(cx)}, **asked)


async def list_in_organization(cx: Context, organization_id: str, query: SearchedQuery) -> Page[Any]:
    """List the integrations that an organization may install, oldest first."""
    permit_in(cx, organization_id, can="listIntegrations")
    values = {"organization": organization_id, **searching(query.search)}
    return await IN_ORGANIZATION.page(cx.db, query.paging, cx.tokens, **values)


PLACEMENTS = table(Placement)
INSTALLATIONS_OF_INTEGRATION = query(
    Installation,
    lambda: select(*INSTALLATIONS.c).where(INSTALLATIONS.c.integration_id == given("integration")),
)
PLACEMENTS_OF_INTEGRATION = rows(
    lambda: (
        select(*PLACEMENTS.c, INSTALLATIONS.c.organization_id)
        .join(INSTALLATIONS, INSTALLATIONS.c.id == PLACEMENTS.c.installation_id)
        .where(INSTALLATIONS.c.integration_id == given("integration"))
    ),
)


async def update_statuses(cx: Context, integration: Any, asked: Mapping[str, Any]) -> None:
    """Make installations active or pending by the configurations asked for now, and tell of each change."""
    told = []
    for row in await cx.db.all(INSTALLATIONS_OF_INTEGRATION, integration=integration.id):
        status = status_of(asked.get("account"), row.configuration, row.status)
        if status != row.status:
            now: Any = await cx.tx.change(Installation, {"status": status, "updated_at": cx.now}, id=row.id)
            told.append(outbox.setup(integration, row.organization_id, row.id, now, row))
    for row in await cx.db.all(PLACEMENTS_OF_INTEGRATION, integration=integration.id):
        status = status_of(asked.get(row.kind), row.configuration, row.status)
        if status != row.status:
            keys = {"installation_id": row.installation_id, "object_id": row.object_id}
            now = await cx.tx.change(Placement, {"status": status, "updated_at": cx.now}, **keys)
            told.append(outbox.setup(integration, row.organization_id, row.installation_id, now, row))
    await outbox.tell(cx, told)


async def pause(cx: Context, integration_name: str, organization_id: str | None = None) -> int:
    """Pause an integration in one organization, or wherever it is installed; how often it was.

    For operators: no right is asked for. Raises NotFound where it is not installed.
    """
    return await _stand(cx, integration_name, organization_id, paused=True)


async def resume(cx: Context, integration_name: str, organization_id: str | None = None) -> int:
    """End that: installations are active again, or pending, as their configurations are."""
    return await _stand(cx, integration_name, organization_id, paused=False)


async def _stand(cx: Context, name: str, organization_id: str | None, *, paused: bool) -> int:
    integration = await cx.db.first(WHOLE, name=name)
    if integration is None:
        raise unknown()
    installed = await cx.db.all(INSTALLATIONS_OF_INTEGRATION, integration=integration.id)
    concerned = [row for row in installed if organization_id in (None, row.organization_id)]
    if not concerned:
        raise NotFound("The integration is not installed there.")
    asked = integration.manifest["configurations"].get("account")
    changed = [row for row in concerned if (row.status == "paused") is not paused]
    for row in changed:
        note(cx, integration, row.organization_id)
        status = "paused" if paused else status_of(asked, row.configuration)
        await cx.tx.put(Installation, {"status": status, "updated_at": cx.now}, id=row.id)
    return len(changed)


LARGEST = 100_000  # bytes of one configuration


def check_configuration(asked: Mapping[str, Any] | None, values: Mapping[str, Any]) -> None:
    """Raise Invalid for a value that is not of its property's type; what no property names is kept."""
    if len(orjson.dumps(values)) > LARGEST:
        raise Invalid(f"A configuration may have at most {LARGEST} bytes.", path="configuration")
    for name, wanted in _properties(asked).items():
        value = values.get(name)
        if (
            value is not None
            and wanted["type"] != "button"
            and not fits(wanted["type"], value, wanted.get("enum"))
        ):
            raise Invalid(
                f"“{name}” is not a {wanted['type']} of the property.", path=f"configuration.{name}"
            )


def initial_configuration(asked: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what a configuration starts with: the defaults."""
    return {name: wanted["default"] for name, wanted in _properties(asked).items() if "default" in wanted}


def status_of(asked: Mapping[str, Any] | None, values: Mapping[str, Any], before: str = "pending") -> str:
    """`active` once all that is required is there, else `pending`; what was paused stays so."""
    if before == "paused":
        return before
    properties = _properties(asked)
    for name in (asked or {}).get("required", ()):
        wanted, value = properties[name], values.get(name)
        is_there = value is not None and value != ""
        if not is_there or (
            wanted["type"] != "button" and not fits(wanted["type"], value, wanted.get("enum"))
        ):
            return "pending"
    return "active"


def was_configured(now: Any, before: Any) -> bool:
    """Return whether an installation was configured: one that answers by writing what is there is told
    once."""
    return bool(now.configuration != before.configuration or now.status != before.status)


def _properties(asked: Mapping[str, Any] | None) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (asked or {}).get("properties", {})
    return found
