"""Grants on sites, who has access to one, and why: as on content, by a site of an organization."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.access.fetch import permit_in
from app.access.rights import level
from app.domain.organizations import member_rows
from app.domain.organizations.effective_access import Audience, Explanation, ExplanationQuery
from app.domain.organizations.grants import GrantStatements
from app.domain.site_addresses.site_rows import find, page_of
from app.kit.database.paging import Page
from app.models.grants import AccessQuery, GrantsCreate, GrantUpdate, SiteExplainQuery
from app.models.queries import PageQuery
from app.models.sites import Site

_GRANTING, _AUDIENCE, _EXPLAINING = GrantStatements(Site), Audience(Site), ExplanationQuery(Site)


async def grant(cx: Context, organization_id: str, site_id: str, new: GrantsCreate) -> None:
    """Grant people, teams or both a role on a site."""
    await find(cx, organization_id, site_id, can="admin")
    await _GRANTING.grant(cx, site_id, new)


async def list_users(cx: Context, organization_id: str, site_id: str, query: PageQuery) -> Page[Any]:
    """List the people who were granted a role on a site themselves."""
    return (await page_of(cx, organization_id, site_id, _GRANTING.users, query.paging, can="admin"))[1]


async def list_teams(cx: Context, organization_id: str, site_id: str, query: PageQuery) -> Page[Any]:
    """List the teams that were granted a role on a site."""
    found, sight = _GRANTING.teams, member_rows.sight(cx)
    return (await page_of(cx, organization_id, site_id, found, query.paging, can="admin", sight=sight))[1]


async def list_everybody(cx: Context, organization_id: str, site_id: str, query: AccessQuery) -> Page[Any]:
    """List everybody who has access to a site, and what they may do at most."""
    wanted = int(level(query.role))
    found = _AUDIENCE.listing
    _, page = await page_of(cx, organization_id, site_id, found, query.paging, can="admin", wanted=wanted)
    permit_in(cx, organization_id, can="listMembers")
    return page


async def change_user(
    cx: Context, organization_id: str, site_id: str, user_id: str, change: GrantUpdate
) -> None:
    """Change the role that a person was granted on a site."""
    await find(cx, organization_id, site_id, can="admin")
    await _GRANTING.change_user(cx, site_id, user_id, change)


async def change_team(
    cx: Context, organization_id: str, site_id: str, team_id: str, change: GrantUpdate
) -> None:
    """Change the role that a team was granted on a site."""
    await find(cx, organization_id, site_id, can="admin")
    await _GRANTING.change_team(cx, site_id, team_id, change)


async def withdraw_user(cx: Context, organization_id: str, site_id: str, user_id: str) -> None:
    """Withdraw the role that a person was granted on a site."""
    await find(cx, organization_id, site_id, can="admin")
    await _GRANTING.withdraw_user(cx, site_id, user_id)


async def withdraw_team(cx: Context, organization_id: str, site_id: str, team_id: str) -> None:
    """Withdraw the role that a team was granted on a site."""
    await find(cx, organization_id, site_id, can="admin")
    await _GRANTING.withdraw_team(cx, site_id, team_id)


async def explain(cx: Context, organization_id: str, site_id: str, query: SiteExplainQuery) -> Explanation:
    """Explain why somebody may do something to a site, or may not.

    Everybody may ask about themselves, and those who administrate the site about others too.
    """
    return await _EXPLAINING.explain_inside(cx, organization_id, site_id, query)
