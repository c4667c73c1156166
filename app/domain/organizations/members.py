"""Members of an organization: listed, changed, disabled, removed.

An organization always has an active administrator, and while it has one who needs no single sign-on, it keeps
one of those: neither removing, demoting, disabling nor single sign-on may take the last.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, and_, delete, false, func, or_, select, update

from app.access.context import Context
from app.access.fetch import organization_level, permit_in
from app.access.rights import Level, level
from app.domain.organizations import grants, sso_requirements
from app.domain.organizations.member_rows import sight, with_numbers
from app.domain.organizations.users import name_key
from app.kit.database.paging import Listing, Page
from app.kit.database.statements import command, given, query, rows, table
from app.kit.errors import Conflict, Forbidden, NotFound
from app.models.access import Token
from app.models.members import MembersQuery, MemberUpdate
from app.models.organizations import Member, Organization
from app.models.queries import Order
from app.models.teams import Team, TeamMember
from app.models.users import User

MEMBERS, ORGANIZATIONS, USERS = table(Member), table(Organization), table(User)
TEAMS, TEAM_MEMBERS, TOKENS = table(Team), table(TeamMember), table(Token)
_KEY = MEMBERS.c.organization_id == given("organization"), MEMBERS.c.user_id == given("user")


def _matching() -> Select[Any]:
    """Return all filters at once; one that is not given is empty and asks for nothing."""
    role, pattern = given("role"), given("pattern")
    return (
        select(*MEMBERS.c)
        .join(USERS, USERS.c.id == MEMBERS.c.user_id)
        .where(
            MEMBERS.c.organization_id == given("organization"),
            or_(role == "", func.coalesce(MEMBERS.c.role, "guest") == role),
            or_(
                pattern == "",
                USERS.c.name_key.like(pattern, escape="\\"),
                USERS.c.email.like(pattern, escape="\\"),
            ),
        )
    )


_KEYS: dict[str, Any] = {
    "joinedAt": MEMBERS.c.joined_at,
    "lastSeenAt": MEMBERS.c.last_seen_at,
    "name": USERS.c.name_key,
}


def _listing(sort: str, order: Order) -> Listing[Any]:
    def found() -> Select[Any]:
        matching = _matching()
        if sort != "lastSeenAt":
            return matching
        return matching.where(MEMBERS.c.last_seen_at.is_not(None), MEMBERS.c.disabled == false())

    return Listing(
        f"members by {sort} {order}",
        Member,
        found,
        order=lambda: [_KEYS[sort], MEMBERS.c.user_id],
        descending=order == "desc",
        completed=with_numbers,
    )


_ORDERS: tuple[Order, ...] = ("asc", "desc")
_LISTS = {(sort, order): _listing(sort, order) for sort in _KEYS for order in _ORDERS}
_GET: Any = query(Member, lambda: with_numbers(select(*MEMBERS.c).where(*_KEY).cte("found")))
_FIND = query(Member, lambda: select(*MEMBERS.c).where(*_KEY))
_MEMBERSHIPS = rows(
    lambda: (
        select(*MEMBERS.c, ORGANIZATIONS.c.title.label("organization_title"))
        .join(ORGANIZATIONS, ORGANIZATIONS.c.id == MEMBERS.c.organization_id)
        .where(MEMBERS.c.user_id == given("user"))
        .order_by(MEMBERS.c.organization_id)
    )
)
# Where everybody is asked for single sign-on, nobody is tied more than the others.
_OTHER_ADMINISTRATORS = rows(
    lambda: (
        select(and_(MEMBERS.c.sso, ORGANIZATIONS.c.sso == false()).label("tied"))
        .join(ORGANIZATIONS, ORGANIZATIONS.c.id == MEMBERS.c.organization_id)
        .where(
            MEMBERS.c.organization_id == given("organization"),
            MEMBERS.c.role == "admin",
            MEMBERS.c.disabled == false(),
            MEMBERS.c.user_id != given("user"),
        )
        .order_by(MEMBERS.c.sso)
        .limit(1)
    )
)
_IN_TEAMS = TEAM_MEMBERS.c.organization_id == given("organization"), TEAM_MEMBERS.c.user_id == given("user")
_COUNT_OUT = command(
    lambda: (
        update(TEAMS)
        .values(member_count=TEAMS.c.member_count - 1)
        .where(TEAMS.c.id.in_(select(TEAM_MEMBERS.c.team_id).where(*_IN_TEAMS)))
    )
)
_DISOWN_TEAMS = command(
    lambda: update(TEAM_MEMBERS).values(role="member").where(*_IN_TEAMS, TEAM_MEMBERS.c.role == "owner")
)
_LEAVE_TEAMS = command(lambda: delete(TEAM_MEMBERS).where(*_IN_TEAMS))
_END_SESSIONS = command(
    lambda: delete(TOKENS).where(
        TOKENS.c.kind == "session",
        TOKENS.c.user_id == given("user"),
        TOKENS.c.organization_id == given("organization"),
    )
)
_CLOSE_TOKENS = command(
    lambda: delete(TOKENS).where(
        TOKENS.c.user_id == given("user"),
        or_(
            TOKENS.c.organization_id == given("organization"),
            TOKENS.c.sso_organization_id == given("organization"),
        ),
    )
)


async def list_in_organization(cx: Context, organization_id: str, query: MembersQuery) -> Page[Any]:
    """List the members of an organization, who joined last first.

    Guests of the organization may not. `search` looks at names and e-mail addresses.
    """
    permit_in(cx, organization_id, can="listMembers")
    listing = _LISTS[query.sort, query.order]
    return await listing.page(
        cx.db,
        query.paging,
        cx.tokens,
        sight=sight(cx),
        organization=organization_id,
        role=query.role or "",
        pattern=containing(query.search),
    )


async def get(cx: Context, organization_id: str, user_id: str) -> Any:
    """Get a member of an organization; everybody may get themselves."""
    permit_seeing(cx, organization_id, user_id)
    return await _shown(cx, organization_id, user_id)


async def update_member(cx: Context, organization_id: str, user_id: str, change: MemberUpdate) -> Any:
    """Change a member's role, disable them, or let them back in.

    Who is disabled is signed out where an identity provider of the organization signed them in.
    Who becomes a guest owns no teams any more. Raises Conflict where nobody would be left to administrate the
    organization.
    """
    permit_in(cx, organization_id, can="admin")
    member = await find(cx, organization_id, user_id)
    values = change.sent()
    permit_giving(cx, organization_id, values.get("role"))
    if values.get("sso"):
        await sso_requirements.require_provider(cx, organization_id)
        await _require_domain(cx, organization_id, user_id)
    await _refuse_taking_the_last(cx, member, member._replace(**values))
    if values:
        await cx.tx.put(Member, values, organization_id=organization_id, user_id=user_id)
    if values.get("disabled"):
        await cx.tx.run(_END_SESSIONS, organization=organization_id, user=user_id)
    if values.get("role", member.role) is None:
        await cx.tx.run(_DISOWN_TEAMS, organization=organization_id, user=user_id)
    return await _shown(cx, organization_id, user_id)


async def set_sso(cx: Context, organization_id: str, user_id: str) -> Any:
    """Let a member in by single sign-on only; other tokens of theirs stop at once.

    Raises Conflict where the organization has no active identity provider, or has not proven the domain of
    their address: nobody could answer for them.
    """
    return await update_member(cx, organization_id, user_id, MemberUpdate(sso=True))


async def remove(cx: Context, organization_id: str, user_id: str) -> None:
    """Remove a member from an organization; everybody may remove themselves.

    Their places in teams, their grants and their tokens for the organization go with them.
    """
    leaving = user_id == cx.actor.user_id
    permit_in(cx, organization_id, can="view" if leaving else "admin")
    await _remove(cx, await find(cx, organization_id, user_id))


async def remove_everywhere(cx: Context, user_id: str) -> None:
    """Remove a person from all organizations, and note them for the audit log of each; asks for no right.

    Raises Conflict, naming the organization, where nobody would be left to administrate it.
    """
    for member in await cx.tx.all(_MEMBERSHIPS, user=user_id):
        try:
            await _remove(cx, member)
        except Conflict as refused:
            raise Conflict(f"{member.organization_title}: {refused}") from None
        cx.note("user", user_id, member.organization_id)


async def _remove(cx: Context, member: Any) -> None:
    await _refuse_taking_the_last(cx, member, None)
    here = {"organization": member.organization_id, "user": member.user_id}
    await cx.tx.remove(Member, organization_id=member.organization_id, user_id=member.user_id)
    for statement in (_COUNT_OUT, _LEAVE_TEAMS, _CLOSE_TOKENS):
        await cx.tx.run(statement, **here)
    await grants.withdraw_all(cx, member.organization_id, member.user_id)


async def find(cx: Context, organization_id: str, user_id: str) -> Any:
    """Return the membership of a person; raises NotFound for who does not belong."""
    member = await cx.db.first(_FIND, organization=organization_id, user=user_id)
    if member is None:
        raise NotFound("There is no such member.")
    return member


def permit_seeing(cx: Context, organization_id: str, user_id: str) -> None:
    """Refuse who may not see this person in the organization."""
    permit_in(cx, organization_id, can="view" if user_id == cx.actor.user_id else "listMembers")


def permit_giving(cx: Context, organization_id: str, role: str | None) -> None:
    """Refuse to let anybody give a role above their own."""
    if level(role) > organization_level(cx, organization_id):
        raise Forbidden("You cannot give a role above your own.")


def containing(text: str | None) -> str:
    """Return a pattern for LIKE that finds this text anywhere in what has no case; empty for no text."""
    key = name_key(text or "")
    for special in "\\%_":
        key = key.replace(special, f"\\{special}")
    return f"%{key}%" if key else ""


async def _require_domain(cx: Context, organization_id: str, user_id: str) -> None:
    (user,) = (await _shown(cx, organization_id, user_id)).user
    if await sso_requirements.outsiders(cx, organization_id, [user.email]):
        raise Conflict("The organization has not verified the domain of this member's e-mail address.")


async def _shown(cx: Context, organization_id: str, user_id: str) -> Any:
    member = await cx.db.first(_GET, organization=organization_id, user=user_id, **sight(cx))
    if member is None:
        raise NotFound("There is no such member.")
    return member


async def _refuse_taking_the_last(cx: Context, member: Any, after: Any | None) -> None:
    """Refuse what leaves no administrator, or none who could come in without single sign-on."""
    if not _administrates(member):
        return
    if after is not None and _administrates(after) and (member.sso or not after.sso):
        return
    other = await cx.tx.first(_OTHER_ADMINISTRATORS, organization=member.organization_id, user=member.user_id)
    if other is None:
        raise Conflict(
            "This is the organization's last administrator. Make somebody else an administrator first."
        )
    if other.tied and not member.sso:
        raise Conflict("This is the last administrator who can sign in without single sign-on.")


def _administrates(member: Any) -> bool:
    return level(member.role) == Level.ADMIN and not member.disabled
