"""Lists of integrations: everybody's, and those that an organization may install."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, or_, select

from app.access.context import Context
from app.access.fetch import permit_in
from app.domain.integrations.integration_rows import columns, i_, listed, looking, of_organization, searching
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import contains_one, has_item
from app.kit.database.statements import given
from app.models.integrations import Integration, IntegrationsQuery, SearchedQuery

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
    """The list by these filters: a statement for each set, so that none pays for the others."""
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
