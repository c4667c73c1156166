"""Organizations: made, read, changed, listed for those who belong to them."""

from __future__ import annotations

from app.access.context import Context
from app.access.fetch import fetch
from app.kit.ids import new_id
from app.kit.statements import table
from app.models.organizations import Member, Organization, OrganizationCreate

_o, _m = table(Organization), table(Member)


async def get(cx: Context, organization_id: str) -> Organization:
    """Get an organization."""
    return await fetch(cx, Organization, organization_id)


async def found(cx: Context, owner_id: str, new: OrganizationCreate) -> Organization:
    """Make an organization whose administrator is `owner_id`."""
    organization = await cx.tx.add(
        Organization,
        id=new_id(),
        title=new.title,
        email_domains=[domain.lower() for domain in new.email_domains],
        hostname=None,
        type="business",
        use_case=None,
        community_type=None,
        default_role="read",
        default_content=None,
        sso=False,
        ai=True,
        invite_links=False,
        plan="free_2024",
        logo=None,
        created_at=cx.now,
        updated_at=cx.now,
    )
    await add_member(cx, organization.id, owner_id, "admin")
    return organization


async def add_member(cx: Context, organization_id: str, user_id: str, role: str | None) -> Member:
    """Let a person belong to an organization; without a role as a guest."""
    return await cx.tx.add(
        Member,
        user_id=user_id,
        organization_id=organization_id,
        role=role,
        disabled=False,
        sso=False,
        joined_at=cx.now,
        last_seen_at=None,
    )
