"""Integrations as they are read and listed, and who sees, installs and manages one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Select, and_, or_, select

from app.access.context import Context
from app.access.fetch import permit_in
from app.access.rights import ORGANIZATION, Level
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among, contains_one, has_item, nested
from app.kit.database.statements import Statement, given, query, shown, table
from app.kit.errors import Forbidden, NotFound
from app.models.installations import Installation
from app.models.integrations import Integration, IntegrationsQuery, SearchedQuery
from app.models.organizations import Organization

i_, o_, n_ = table(Integration), table(Organization), table(Installation)
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
    owner = select(*o_.c).where(o_.c.id == i_.c.organization_id).correlate(i_)
    return [*shown(Integration, besides=INNER), nested(owner, "owner")]


def by_name() -> ColumnElement[bool]:
    """Return the integration of this name; one that is deleted has none."""
    return and_(i_.c.name == given("name", Key), i_.c.deleted_at.is_(None))


SHOWN: Statement[Any] = query(Integration, lambda: select(*columns()).where(by_name()))
WHOLE: Statement[Any] = query(Integration, lambda: select(*i_.c).where(by_name()))


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
    return or_(i_.c.visibility == "public", among(i_.c.organization_id, "mine"))


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
        i_.c.deleted_at.is_(None),
        or_(i_.c.visibility == "public", i_.c.organization_id == given("organization", Key)),
    )


_FILTERS: dict[str, Callable[[], ColumnElement[bool]]] = {
    "search": lambda: contains_one(i_.c.searched, "searches"),
    "category": lambda: has_item(i_.c.categories, "category"),
    "block_domain": lambda: has_item(i_.c.block_domains, "block_domain"),
    "scope": lambda: has_item(i_.c.scopes, "scope"),
    "blocks": lambda: i_.c.has_blocks == given("blocks"),
    "content_sources": lambda: i_.c.has_content_sources == given("content_sources"),
    "owner": lambda: i_.c.organization_id == given("owner", Key),
    "target": lambda: or_(i_.c.target == given("target", Key), i_.c.target == "all"),
}


@cache
def _listing(names: frozenset[str]) -> Listing[Any]:
    """Return the list by these filters: a statement for each set, so that none pays for the others."""
    return Listing(
        f"integrations by {' '.join(sorted(names))}",
        Integration,
        lambda: select(*columns()).where(
            i_.c.deleted_at.is_(None), listed(), *(_FILTERS[name]() for name in sorted(names))
        ),
        order=lambda: [i_.c.id],
    )


IN_ORGANIZATION = Listing(
    "integrations of an organization",
    Integration,
    lambda: of_organization().where(or_(given("search", Key) == "", contains_one(i_.c.searched, "searches"))),
    order=lambda: [i_.c.id],
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
