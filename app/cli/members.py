"""`docyard member`: who belongs to an organization. The operator may do there what an administrator may."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import App, Parameter

from app.access.context import Context
from app.access.fetch import fetch
from app.cli.session import DatabaseOption, acting_in, change, read
from app.cli.words import advice, give, say, table
from app.domain.organizations import invites, members, organizations, users
from app.kit.database.paging import MAX_LIMIT
from app.kit.errors import Conflict
from app.models.base import checked
from app.models.members import InvitesCreate, MembersQuery, MemberUpdate, RoleOrGuest
from app.models.organizations import Organization

app = App(name="member")
WHO = "`docyard member list` shows who belongs."
OrganizationOption = Annotated[str, Parameter(name="--org", help="the organization's id (docyard org list)")]
Email = Annotated[str, Parameter(help="e-mail address of the person")]
RoleOption = Annotated[RoleOrGuest, Parameter(help="admin, create, review, edit, comment, read or guest")]


@app.command(name="list")
async def list_(
    *,
    org: OrganizationOption,
    role: Annotated[RoleOrGuest | None, Parameter(help="only these")] = None,
    search: Annotated[str | None, Parameter(help="part of a name or an address")] = None,
    database: DatabaseOption = None,
) -> None:
    """List the members of an organization by name."""

    async def everybody(cx: Context) -> list[Any]:
        inside = await _inside(cx, org)
        asked = {"sort": "name", "order": "asc", "limit": MAX_LIMIT, "role": role, "search": search}
        found: list[Any] = []
        page = None
        while True:
            query = checked(MembersQuery, {**asked, "page": page}, strict=False)
            listed = await members.list_in_organization(inside, org, query)
            found += listed.items
            page = listed.next
            if page is None:
                return found

    found = await read(database, everybody)
    table(("email", "name", "role", "state", "joined"), (_row(member) for member in found))


@app.command
async def add(
    email: Email, /, *, org: OrganizationOption, role: RoleOption = "read", database: DatabaseOption = None
) -> None:
    """Let somebody who has an account belong to an organization, without an invite."""

    async def belong(cx: Context) -> None:
        await _inside(cx, org)
        with advice(f"docyard user create {email} --name NAME adds them, docyard member invite asks them."):
            user = await users.by_email(cx, email)
        await organizations.add_member(cx, org, user.id, _role(role))

    with advice(WHO):
        await change(database, belong)
    say(f"{email} belongs to the organization now.")


@app.command
async def role(
    email: Email, role: RoleOption, /, *, org: OrganizationOption, database: DatabaseOption = None
) -> None:
    """Change a member's role; a guest has none."""
    await _update(database, org, email, MemberUpdate(role=_role(role)))
    say(f"{email} is {role} now.")


@app.command
async def disable(email: Email, /, *, org: OrganizationOption, database: DatabaseOption = None) -> None:
    """Shut a member out without removing them; their tokens stop at once."""
    await _update(database, org, email, MemberUpdate(disabled=True))
    say(f"{email} is shut out.")


@app.command
async def enable(email: Email, /, *, org: OrganizationOption, database: DatabaseOption = None) -> None:
    """Let a disabled member in again."""
    await _update(database, org, email, MemberUpdate(disabled=False))
    say(f"{email} may come in again.")


@app.command
async def remove(email: Email, /, *, org: OrganizationOption, database: DatabaseOption = None) -> None:
    """Remove a member, with their places in teams and what they were granted."""

    async def leave(cx: Context) -> None:
        inside = await _inside(cx, org)
        await members.remove(inside, org, (await users.by_email(cx, email)).id)

    with advice(WHO):
        await change(database, leave)
    say(f"{email} belongs to the organization no more.")


@app.command
async def invite(
    email: Email, /, *, org: OrganizationOption, role: RoleOption = "read", database: DatabaseOption = None
) -> None:
    """Invite somebody and print the address where they accept; no mail is sent."""

    async def ask(cx: Context) -> Any:
        inside = await _inside(cx, org)
        new = checked(InvitesCreate, {"emails": [email], "role": _role(role)}, strict=True)
        made = await invites.invite(inside, org, new)
        if not made.invites:
            raise Conflict(f"{email} belongs to the organization. `docyard member list` shows who does.")
        return made.invites[0]

    made = await change(database, ask)
    give(f"/orgs/{org}/invites/{made.id}")
    say(f"{email} accepts by a POST to that address, after the base of the API.")


async def _update(database: str | None, org: str, email: str, asked: MemberUpdate) -> None:
    async def update(cx: Context) -> None:
        inside = await _inside(cx, org)
        await members.update_member(inside, org, (await users.by_email(cx, email)).id, asked)

    with advice(WHO):
        await change(database, update)


async def _inside(cx: Context, org: str) -> Context:
    """The Context of an administrator of this organization; raises NotFound where there is none."""
    inside = acting_in(cx, org)
    with advice("`docyard org list` shows the ids."):
        await fetch(inside, Organization, org)
    return inside


def _role(role: str) -> Any:
    return None if role == "guest" else role


def _row(member: Any) -> tuple[str, ...]:
    (user,) = member.user
    state = "disabled" if member.disabled else "single sign-on" if member.sso else "active"
    return user.email, user.display_name, member.role or "guest", state, f"{member.joined_at:%Y-%m-%d}"
