"""Consents of people to OAuth applications: grant, list and revoke them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import delete, false, func, or_, select

from app.access import scopes
from app.access.context import Context
from app.domain.accounts import sign_in_links
from app.kit.database.paging import Listing, Page
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import NotFound
from app.kit.ids import new_id
from app.models.access import Token
from app.models.oauth import OAuthApplication, OAuthAuthorization, OAuthGrant
from app.models.organizations import Member, Organization
from app.models.queries import PageQuery

OAUTH_GRANTS, OAUTH_APPLICATIONS, OAUTH_AUTHORIZATIONS = (
    table(OAuthGrant),
    table(OAuthApplication),
    table(OAuthAuthorization),
)
TOKENS, MEMBERS, ORGANIZATIONS = table(Token), table(Member), table(Organization)


def _shown() -> Any:
    used = (
        select(func.max(TOKENS.c.last_used_at))
        .join(OAUTH_AUTHORIZATIONS, OAUTH_AUTHORIZATIONS.c.id == TOKENS.c.authorization_id)
        .where(OAUTH_AUTHORIZATIONS.c.grant_id == OAUTH_GRANTS.c.id)
        .scalar_subquery()
    )
    return (
        select(
            *(column for column in OAUTH_GRANTS.c if column.name != "application_id"),
            func.coalesce(OAUTH_APPLICATIONS.c.document_url, OAUTH_APPLICATIONS.c.id).label("application_id"),
            OAUTH_APPLICATIONS.c.name.label("application"),
            OAUTH_APPLICATIONS.c.homepage,
            used.label("last_used_at"),
        )
        .join(OAUTH_APPLICATIONS, OAUTH_APPLICATIONS.c.id == OAUTH_GRANTS.c.application_id)
        .where(OAUTH_GRANTS.c.user_id == given("user"))
    )


LIST: Listing[Any] = Listing("oauth-grants", OAuthGrant, _shown, order=lambda: [OAUTH_GRANTS.c.id])
_ONE = rows(lambda: _shown().where(OAUTH_GRANTS.c.id == given("id")))
_REVOKE = rows(
    lambda: (
        delete(OAUTH_GRANTS)
        .where(OAUTH_GRANTS.c.id == given("id"), OAUTH_GRANTS.c.user_id == given("user"))
        .returning(OAUTH_GRANTS.c.id)
    )
)
_OF_APPLICATION = query(
    OAuthGrant,
    lambda: (
        select(*OAUTH_GRANTS.c)
        .where(OAUTH_GRANTS.c.user_id == given("user"), OAUTH_GRANTS.c.application_id == given("application"))
        .order_by(OAUTH_GRANTS.c.id)
    ),
)
_ORGANIZATIONS = rows(
    lambda: (
        select(ORGANIZATIONS.c.id, ORGANIZATIONS.c.title)
        .join(MEMBERS, MEMBERS.c.organization_id == ORGANIZATIONS.c.id)
        .where(
            MEMBERS.c.user_id == given("user"),
            MEMBERS.c.disabled == false(),
            or_(given("only") == "", ORGANIZATIONS.c.id == given("only")),
        )
        .order_by(ORGANIZATIONS.c.title, ORGANIZATIONS.c.id)
    )
)


async def list_own(cx: Context, query: PageQuery) -> Page[Any]:
    """List what the caller allowed OAuth applications, oldest first."""
    return await LIST.page(cx.db, query.paging, cx.tokens, user=cx.actor.user_id)


async def get_own(cx: Context, grant_id: str) -> Any:
    """Get what the caller allowed an OAuth application."""
    found = await cx.db.first(_ONE, id=grant_id, user=cx.actor.user_id)
    if found is None:
        raise NotFound("There is no such grant.")
    return found


async def revoke(cx: Context, grant_id: str) -> None:
    """Take back what the caller allowed an OAuth application. All its tokens end.

    Takes a token without scopes.
    """
    scopes.refuse_narrowed(cx.actor)
    grant = await get_own(cx, grant_id)
    if not await cx.tx.all(_REVOKE, id=grant_id, user=cx.actor.user_id):
        raise NotFound("There is no such grant.")
    await _note(cx, grant)


async def organizations_of(cx: Context, user_id: str, only: str | None) -> Sequence[Any]:
    """Return the organizations (`id`, `title`) that a person can open to an application."""
    return await cx.db.all(_ORGANIZATIONS, user=user_id, only=only or "")


async def remembered(
    cx: Context, user_id: str, application_id: str, asked: Collection[str], only: str | None
) -> OAuthGrant | None:
    """Return what a person allowed before and covers what is asked for now; None where they must be asked.

    They are asked where they allowed it in several places: nobody knows which one is meant.
    """
    held = await cx.db.all(_OF_APPLICATION, user=user_id, application=application_id)
    if len(held) != 1 or not set(asked) <= set(held[0].scopes):
        return None
    return held[0] if only in (None, held[0].organization_id) else None


async def give(
    cx: Context, user_id: str, application_id: str, asked: Sequence[str], organization_id: str | None
) -> str:
    """Record that a person allows an application these scopes, beside those of before; return the id.

    The audit log of each organization that this opens tells it.
    """
    grant_id = await _keep(cx, user_id, application_id, asked, organization_id)
    await _note(cx, await cx.db.first(_ONE, id=grant_id, user=user_id))
    return grant_id


async def _keep(
    cx: Context, user_id: str, application_id: str, asked: Sequence[str], organization_id: str | None
) -> str:
    for held in await cx.db.all(_OF_APPLICATION, user=user_id, application=application_id):
        if held.organization_id == organization_id:
            together = sorted({*held.scopes, *asked})
            await cx.tx.put(OAuthGrant, {"scopes": together, "updated_at": cx.now}, id=held.id)
            return held.id
    made = await cx.tx.add(
        OAuthGrant,
        id=new_id(),
        application_id=application_id,
        user_id=user_id,
        organization_id=organization_id,
        scopes=sorted(asked),
        created_at=cx.now,
        updated_at=cx.now,
    )
    return made.id


async def _note(cx: Context, grant: Any) -> None:
    """Note for the audit logs of the organizations that a grant opens what the call is about."""
    opening = await organizations_of(cx, grant.user_id, grant.organization_id)
    for opened in opening[: sign_in_links.MOST_TOLD]:
        cx.note("oauth-grant", grant.id, opened.id, grant.application)
