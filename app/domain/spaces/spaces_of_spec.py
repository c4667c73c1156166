"""The spaces that show the pages of an OpenAPI specification."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, or_, select

from app.access.context import Context
from app.access.fetch import fetch_page, permit_in, seeing_inside, visible
from app.domain.openapi.openapi_specs import NONE, OPENAPI_SPECS
from app.domain.spaces.parents import SPACE_UNSEEN
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import nested
from app.kit.database.statements import given, shown, table
from app.kit.errors import NotFound
from app.models.organizations import Organization
from app.models.pages import PageVersion
from app.models.queries import PageQuery
from app.models.spaces import Space

SPACES, PAGE_VERSIONS = table(Space), table(PageVersion)


def _meant() -> Select[Any]:
    named = or_(OPENAPI_SPECS.c.slug == given("spec"), OPENAPI_SPECS.c.id == given("spec"))
    return select(OPENAPI_SPECS.c.id).where(OPENAPI_SPECS.c.organization_id == given("inside"), named)


def _showing() -> Select[Any]:
    showing = select(PAGE_VERSIONS.c.line_id).where(
        PAGE_VERSIONS.c.computed_seed.in_(_meant()),
        PAGE_VERSIONS.c.valid_to.is_(None),
        ~PAGE_VERSIONS.c.deleted,
    )
    found = select(*shown(Space, besides=SPACE_UNSEEN)).where(SPACES.c.id.in_(showing))
    here = SPACES.c.organization_id == given("inside")
    return found.where(
        here, SPACES.c.deleted_at.is_(None), visible(Space, organization=SPACES.c.organization_id)
    )


_LIST: Listing[Space] = Listing(
    "spaces that show an OpenAPI specification",
    Space,
    _showing,
    order=lambda: [SPACES.c.id],
    inside=Organization,
    beside=lambda: [nested(_meant(), "specs")],
)


async def list_spaces(cx: Context, organization_id: str, spec_slug: str, query: PageQuery) -> Page[Space]:
    """List the spaces that show pages of an OpenAPI specification, as far as the caller sees them.

    A space whose pages are only in a change request is not among them.
    """
    permit_in(cx, organization_id, can="listTeams")
    owner: Any
    owner, page = await fetch_page(
        cx, Organization, organization_id, _LIST, query.paging, sight=seeing_inside(cx), spec=spec_slug
    )
    if not owner.specs:
        raise NotFound(NONE)
    return page
