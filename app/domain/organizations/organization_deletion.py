"""Deleted organizations: closed at once, restored by their administrators, or removed for good later.

While an organization is deleted its administrators read it and nobody changes it; everybody else, its
integrations and the visitors of its sites find it closed. `organization_removal` removes it in the end.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import false, select, true, update

from app.access.context import Context
from app.access.fetch import fetch, permit_in
from app.access.scopes import refuse_narrowed
from app.domain import jobs, mail
from app.domain.mail import Letter
from app.domain.site_addresses import publication
from app.kit.database.columns import Instant
from app.kit.database.statements import command, given, query, rows, table
from app.kit.errors import Conflict, Invalid, NotFound
from app.kit.settings import Settings
from app.models.organizations import Member, Organization, OrganizationDelete
from app.models.sites import Site
from app.models.users import User

REMOVE = "remove_organization"
ORGANIZATIONS, MEMBERS = table(Organization), table(Member)
USERS, SITES = table(User), table(Site)
_HERE = SITES.c.organization_id == given("organization")
_SUSPEND = command(
    lambda: (
        update(SITES)
        .values(suspended=true(), published=false(), updated_at=given("now", Instant()))
        .where(_HERE, SITES.c.published == true())
    )
)
_RESUME = command(
    lambda: (
        update(SITES)
        .values(suspended=false(), published=true(), updated_at=given("now", Instant()))
        .where(_HERE, SITES.c.suspended == true())
    )
)
_ORGANIZATION = query(Organization, lambda: select(*ORGANIZATIONS.c).where(ORGANIZATIONS.c.id == given("id")))
_NAME = rows(lambda: select(USERS.c.display_name).where(USERS.c.id == given("id")))
_ADMINISTRATORS = rows(
    lambda: (
        select(USERS.c.email)
        .join(MEMBERS, MEMBERS.c.user_id == USERS.c.id)
        .where(
            MEMBERS.c.organization_id == given("organization"),
            MEMBERS.c.role == "admin",
            MEMBERS.c.disabled == false(),
        )
        .order_by(USERS.c.id)
    )
)


def restorable_until(settings: Settings, organization: Organization) -> datetime | None:
    """Return until when a deleted organization can be restored; None for one that is not deleted."""
    if organization.deleted_at is None:
        return None
    return organization.deleted_at + timedelta(days=settings.remove_organizations_after_days)


async def delete(cx: Context, organization_id: str, confirmed: OrganizationDelete) -> Organization:
    """Delete an organization. It is closed at once, and removed for good after 30 days.

    Until then its administrators can restore it. They still read it, and nobody changes anything in it;
    everybody else is refused, and its sites are offline. Its administrators are told by e-mail. A token that
    is limited to scopes or spaces, or an agent's, may not do this.
    """
    organization = await fetch(cx, Organization, organization_id, can="delete")
    refuse_narrowed(cx.actor)
    if confirmed.title != organization.title:
        raise Invalid("This is not the title of the organization.", path="title")
    return await close(cx, organization)


async def restore(cx: Context, organization_id: str) -> Organization:
    """Restore a deleted organization as it was: its people, tokens, sites and integrations work again."""
    permit_in(cx, organization_id, can="restore")
    refuse_narrowed(cx.actor)
    organization = await cx.tx.first(_ORGANIZATION, id=organization_id)
    if organization is None:
        raise NotFound("There is no such organization.")
    return await reopen(cx, organization)


async def close(cx: Context, organization: Organization) -> Organization:
    """Delete an organization; asks for no right."""
    if organization.deleted_at is not None:
        raise Conflict("The organization is deleted already.")
    cx.note("organization", organization.id, organization.id, organization.title)
    deleted = await cx.tx.change(Organization, {"deleted_at": cx.now}, id=organization.id)
    until = restorable_until(cx.settings, deleted)
    assert until is not None
    published = await publication.spaces_of_organization(cx, organization.id)
    await cx.tx.run(_SUSPEND, organization=organization.id, now=cx.now)
    await publication.refresh(cx, published)
    await jobs.enqueue(cx, REMOVE, organization.id, jobs.INSTALLATION, due_at=until)
    await _tell(cx, organization.id, await _deleted(cx, deleted, until))
    _stands(cx, organization.id, deleted=True)
    return deleted


async def reopen(cx: Context, organization: Organization) -> Organization:
    """Restore an organization; asks for no right.

    Raises Conflict for one that is not deleted, NotFound where it is being removed.
    """
    until = restorable_until(cx.settings, organization)
    if until is None:
        raise Conflict("The organization is not deleted.")
    if until <= cx.now:
        raise NotFound("The organization was deleted too long ago.")
    cx.note("organization", organization.id, organization.id, organization.title)
    await jobs.cancel(cx, REMOVE, organization.id)
    values = {"deleted_at": None, "updated_at": cx.now}
    restored = await cx.tx.change(Organization, values, id=organization.id)
    await cx.tx.run(_RESUME, organization=organization.id, now=cx.now)
    await publication.refresh_organization(cx, organization.id)
    await _tell(cx, organization.id, await _restored(cx, restored))
    _stands(cx, organization.id, deleted=False)
    return restored


def _stands(cx: Context, organization_id: str, *, deleted: bool) -> None:
    """Have the answer tell what the caller may do there now: the actor was read before."""
    membership = cx.actor.memberships.get(organization_id)
    if membership is not None:
        now = replace(membership, deleted=deleted)
        cx.actor = replace(cx.actor, memberships={**cx.actor.memberships, organization_id: now})


async def _tell(cx: Context, organization_id: str, letter: Letter) -> None:
    """Send a letter to everybody who administrates an organization."""
    for row in await cx.db.all(_ADMINISTRATORS, organization=organization_id):
        await mail.post(cx, row.email, letter)


async def _deleted(cx: Context, organization: Organization, until: datetime) -> Letter:
    return Letter(
        subject=f"{organization.title} was deleted",
        paragraphs=(
            f"{await _who(cx)} deleted the organization {organization.title}.",
            "It is closed: its sites are offline, and only its administrators can still read it. It will be"
            f" removed for good on {until:%Y-%m-%d} at {until:%H:%M} UTC, with all its content.",
            "You can restore it until then, in its settings.",
        ),
        link=("Open the settings", f"{cx.settings.app_base}/o/{organization.id}/settings"),
        closing=("You get this because you administrate the organization.",),
    )


async def _restored(cx: Context, organization: Organization) -> Letter:
    return Letter(
        subject=f"{organization.title} was restored",
        paragraphs=(
            f"{await _who(cx)} restored the organization {organization.title}, which had been deleted.",
            "Its people, tokens, sites and integrations work as before.",
        ),
        link=("Open it", f"{cx.settings.app_base}/o/{organization.id}"),
        closing=("You get this because you administrate the organization.",),
    )


async def _who(cx: Context) -> str:
    person = None if cx.actor.is_operator else await cx.db.first(_NAME, id=cx.actor.user_id)
    return str(person.display_name) if person else "The operator of the server"
