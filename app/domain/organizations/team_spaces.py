"""The spaces that a team was granted, as far as the caller sees them too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from sqlalchemy import ColumnElement, Label, Select, exists, func, or_, select

from app.access.context import Context
from app.access.fetch import fetch_page, permit_in, seeing, visible
from app.access.rights import Level
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import holds, nested
from app.kit.database.statements import given, shown, table
from app.kit.errors import NotFound
from app.models.access import Grant
from app.models.organizations import Organization
from app.models.queries import Order
from app.models.spaces import Space
from app.models.teams import Team, TeamSpacesQuery

ORGANIZATIONS, TEAMS, SPACES, GRANTS = table(Organization), table(Team), table(Space), table(Grant)


@dataclass(slots=True, frozen=True)
class TeamSpace:
    """A space and a team's level there."""

    space: Any
    level: Level


def _grants() -> tuple[ColumnElement[bool], ...]:
    """Return the grants of the team on a space and on the collections above it."""
    reaching = or_(GRANTS.c.object_id == SPACES.c.id, holds(SPACES.c.lineage, GRANTS.c.object_id))
    return (
        GRANTS.c.organization_id == SPACES.c.organization_id,
        GRANTS.c.grantee_id == given("team"),
        reaching,
    )


def _spaces() -> Select[Any]:
    highest = select(func.max(GRANTS.c.level)).where(*_grants()).correlate(SPACES).scalar_subquery()
    return select(*shown(Space, besides=("rank", "revision_number")), highest.label("granted_level")).where(
        SPACES.c.organization_id == ORGANIZATIONS.c.id,
        SPACES.c.deleted_at.is_(None),
        visible(Space),
        exists().where(*_grants()).correlate(SPACES),
    )


def _team() -> Select[Any]:
    return select(TEAMS.c.id).where(
        TEAMS.c.id == given("team"), TEAMS.c.organization_id == ORGANIZATIONS.c.id
    )


def by_change(
    name: str, spaces: Callable[[], Select[Any]], holder: Callable[[], Label[Any]]
) -> dict[Order, Listing[Any]]:
    """Return the lists of spaces in an organization by when they changed, in both orders.

    Beside each list stands its `holder`, whose spaces these are: empty where there is none.
    """
    return {
        order: Listing(
            f"{name} {order}",
            Space,
            spaces,
            order=lambda: [SPACES.c.updated_at, SPACES.c.id],
            descending=order == "desc",
            inside=Organization,
            beside=lambda: [holder()],
        )
        for order in get_args(Order)
    }


_LISTS = by_change("spaces of a team", _spaces, lambda: nested(_team(), "team"))


async def list_spaces(
    cx: Context, organization_id: str, team_id: str, query: TeamSpacesQuery
) -> Page[TeamSpace]:
    """List the spaces that a team was granted a role on and that the caller sees, what changed last first.

    `permission` is the highest role that the team was granted, on the space or on a collection above.
    """
    permit_in(cx, organization_id, can="listTeams")
    listing, sight = _LISTS[query.order], seeing(cx, organization_id)
    found = await fetch_page(
        cx, Organization, organization_id, listing, query.paging, sight=sight, team=team_id
    )
    organization: Any = found[0]
    if not organization.team:
        raise NotFound("There is no such team.")
    return found[1].map(lambda row: TeamSpace(row, Level(row.granted_level)))
