"""Invites by link: whoever has one may accept it, as long as the organization allows links.

A link gives a role in the organization, which its administrators hand out, or a level on one space or
collection, which whoever administrates that hands out: to members as a grant, to others as guests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, func, select

from app.access.context import Context
from app.access.fetch import fetch, fetch_named, permit_in
from app.access.rights import Level, level
from app.domain.organizations.invites import new_invite
from app.domain.organizations.members import permit_giving
from app.kit.database.paging import Listing, Page
from app.kit.database.statements import given, query, table
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound
from app.models.collections import Collection
from app.models.invites import Invite, LinkInviteCreate, LinkInviteUpdate
from app.models.organizations import Organization
from app.models.queries import PageQuery
from app.models.spaces import Space

INVITES, COLLECTIONS, SPACES = table(Invite), table(Collection), table(Space)
_LINKS = INVITES.c.organization_id == given("organization"), INVITES.c.email.is_(None)
_ALL = Listing(
    "invite links", Invite, lambda: select(*INVITES.c).where(*_LINKS), order=lambda: [INVITES.c.id]
)


def _with_object() -> Any:
    """Return a link with what its object's default level comes to."""
    on = [
        and_(t.c.id == INVITES.c.object_id, t.c.organization_id == INVITES.c.organization_id)
        for t in (SPACES, COLLECTIONS)
    ]
    return (
        select(
            *INVITES.c,
            func.coalesce(SPACES.c.base_level, COLLECTIONS.c.base_level, int(Level.NONE)).label("base_level"),
            func.coalesce(SPACES.c.lineage, COLLECTIONS.c.lineage, "").label("lineage"),
        )
        .outerjoin(SPACES, on[0])
        .outerjoin(COLLECTIONS, on[1])
        .where(*_LINKS, INVITES.c.id == given("id"))
    )


_ONE: Any = query(Invite, _with_object)


@dataclass(slots=True, frozen=True)
class _Object:
    """The content that a link leads to, as far as its levels go."""

    id: str
    base_level: int
    lineage: str


async def list_links(cx: Context, organization_id: str, query: PageQuery) -> Page[Invite]:
    """List the invite links of an organization, oldest first."""
    permit_in(cx, organization_id, can="admin")
    return await _ALL.page(cx.db, query.paging, cx.tokens, organization=organization_id)


async def create(cx: Context, organization_id: str, new: LinkInviteCreate) -> Invite:
    """Create an invite link: with a role, or with a level on one space or collection.

    Raises Conflict where the organization's `inviteLinks` is off.
    """
    organization = await fetch(cx, Organization, organization_id)
    values = await _target(cx, organization_id, new)
    if not organization.invite_links:
        raise Conflict("Invite links are disabled in this organization.")
    return await cx.tx.add(Invite, **new_invite(cx, organization_id, **values))


async def get(cx: Context, organization_id: str, invite_id: str) -> Any:
    """Get an invite link."""
    return await _find(cx, organization_id, invite_id)


async def update(cx: Context, organization_id: str, invite_id: str, change: LinkInviteUpdate) -> Invite:
    """Change the role or the level that an invite link gives from now on."""
    link: Invite = await _find(cx, organization_id, invite_id)
    values = change.sent()
    wrong = "level" if link.object_id is None else "role"
    if wrong in values:
        raise Conflict(f"This link gives no {wrong}.")
    permit_giving(cx, organization_id, values.get("role"))
    return await cx.tx.change(Invite, values, id=link.id) if values else link


async def delete(cx: Context, organization_id: str, invite_id: str) -> None:
    """Delete an invite link; who accepted it stays."""
    link = await _find(cx, organization_id, invite_id)
    await cx.tx.remove(Invite, id=link.id)


async def _target(cx: Context, organization_id: str, new: LinkInviteCreate) -> dict[str, Any]:
    """Return what a link gives, where the caller may give it."""
    sent = new.model_fields_set
    model: type[Space | Collection]
    if sent == {"role"}:
        permit_in(cx, organization_id, can="admin")
        permit_giving(cx, organization_id, new.role)
        return {"role": new.role}
    if sent == {"level", "space"}:
        kind, model, id_ = "space", Space, new.space
    elif sent == {"level", "collection"}:
        kind, model, id_ = "collection", Collection, new.collection
    else:
        raise Invalid("Send either a role, or a level with one space or one collection.", path="role")
    found: Any = await fetch_named(cx, model, id_, path=kind, can="admin")
    if found.organization_id != organization_id:
        raise Invalid(f"There is no such {kind}.", path=kind)
    return {"level": new.level, "object_kind": kind, "object_id": id_}


async def _find(cx: Context, organization_id: str, invite_id: str) -> Any:
    """Return the link, if the caller administrates what it leads to; raises NotFound or Forbidden."""
    permit_in(cx, organization_id)
    link = await cx.db.first(_ONE, organization=organization_id, id=invite_id)
    if link is None:
        raise NotFound("There is no such invite.")
    membership = cx.actor.memberships[organization_id]
    if membership.level == Level.ADMIN:
        return link
    if link.object_id is None:
        raise Forbidden("This needs the level 'admin' in the organization.")
    if membership.on(_Object(link.object_id, link.base_level, link.lineage)) < level("admin"):
        raise Forbidden(f"This needs the level 'admin' on the {link.object_kind}.")
    return link
