"""`docyard member`: who belongs to an organization. The operator has the rights of an administrator."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import App, Parameter

from app.access.context import Context
from app.cli import login_profile, remote_people
from app.cli.command_settings import CommandRefused, DatabaseOption
from app.cli.output import advice, give, say, table
from app.cli.session import OrganizationOption, change, every_item, inside, read
from app.domain.accounts import invitations
from app.domain.organizations import members, organizations, users
from app.kit.errors import Conflict
from app.models.checks import checked
from app.models.invites import InvitesCreate
from app.models.members import MembersQuery, MemberUpdate, RoleOrGuest

app = App(name="member")
WHO = "`docyard member list` lists the members."
Email = Annotated[str, Parameter(help="e-mail address of the person")]
RoleOption = Annotated[RoleOrGuest, Parameter(help="admin, create, review, edit, comment, read or guest")]


@app.command(name="list")
async def list_(
    *,
    org: OrganizationOption,
    role: Annotated[RoleOrGuest | None, Parameter(help="only these")] = None,
    search: Annotated[str | None, Parameter(help="part of a name or e-mail address")] = None,
    database: DatabaseOption = None,
) -> None:
    """List the members of an organization by name."""
    if (profile := login_profile.chosen(database)) is not None:
        await remote_people.list_members(profile, org, role, search)
        return

    async def everybody(cx: Context) -> list[Any]:
        administrator = await inside(cx, org)
        return await every_item(
            MembersQuery,
            lambda query: members.list_in_organization(administrator, org, query),
            sort="name",
            order="asc",
            role=role,
            search=search,
        )

    found = await read(database, everybody)
    table(("email", "name", "role", "state", "joined"), (_row(member) for member in found))


@app.command
async def add(
    email: Email, /, *, org: OrganizationOption, role: RoleOption = "read", database: DatabaseOption = None
) -> None:
    """Add a person who has an account to an organization, without an invite."""
    if login_profile.chosen(database) is not None:
        raise CommandRefused("When logged in to a server, invite people instead: docyard member invite.")

    async def belong(cx: Context) -> None:
        await inside(cx, org)
        with advice(f"Create the account with docyard user create {email} --name NAME, or send an invite."):
            user = await users.by_email(cx, email)
        await organizations.add_member(cx, org, user.id, _role(role))

    with advice(WHO):
        await change(database, belong)
    say(f"{email} is now a member.")


@app.command
async def role(
    email: Email, role: RoleOption, /, *, org: OrganizationOption, database: DatabaseOption = None
) -> None:
    """Change a member's role."""
    await _update(database, org, email, MemberUpdate(role=_role(role)))
    say(f"{email} now has the role {role}.")


@app.command
async def disable(email: Email, /, *, org: OrganizationOption, database: DatabaseOption = None) -> None:
    """Disable a member without removing them; their tokens stop working at once."""
    await _update(database, org, email, MemberUpdate(disabled=True))
    say(f"{email} is disabled.")


@app.command
async def enable(email: Email, /, *, org: OrganizationOption, database: DatabaseOption = None) -> None:
    """Enable a disabled member again."""
    await _update(database, org, email, MemberUpdate(disabled=False))
    say(f"{email} is enabled.")


@app.command
async def remove(email: Email, /, *, org: OrganizationOption, database: DatabaseOption = None) -> None:
    """Remove a member, including their team memberships and grants."""

    async def leave(cx: Context) -> None:
        administrator = await inside(cx, org)
        await members.remove(administrator, org, (await users.by_email(cx, email)).id)

    if (profile := login_profile.chosen(database)) is not None:
        await remote_people.remove_member(profile, org, email)
    else:
        with advice(WHO):
            await change(database, leave)
    say(f"{email} is no longer a member.")


@app.command
async def invite(
    email: Email, /, *, org: OrganizationOption, role: RoleOption = "read", database: DatabaseOption = None
) -> None:
    """Invite a person and print where the invite is accepted; only a server also sends mail."""
    if (profile := login_profile.chosen(database)) is not None:
        await remote_people.invite(profile, org, email, _role(role))
        return

    async def ask(cx: Context) -> Any:
        administrator = await inside(cx, org)
        new = checked(InvitesCreate, {"emails": [email], "role": _role(role)}, strict=True)
        made = await invitations.invite(administrator, org, new)
        if not made.invites:
            raise Conflict(f"{email} is already a member. `docyard member list` lists the members.")
        return made.invites[0]

    made = await change(database, ask)
    give(f"/orgs/{org}/invites/{made.id}")
    say(f"{email} accepts the invite by a POST to this path of the API.")


async def _update(database: str | None, org: str, email: str, asked: MemberUpdate) -> None:
    if (profile := login_profile.chosen(database)) is not None:
        await remote_people.update_member(profile, org, email, **asked.model_dump(exclude_unset=True))
        return

    async def update(cx: Context) -> None:
        administrator = await inside(cx, org)
        await members.update_member(administrator, org, (await users.by_email(cx, email)).id, asked)

    with advice(WHO):
        await change(database, update)


def _role(role: str) -> Any:
    return None if role == "guest" else role


def _row(member: Any) -> tuple[str, ...]:
    (user,) = member.user
    state = "disabled" if member.disabled else "single sign-on" if member.sso else "active"
    return user.email, user.display_name, member.role or "guest", state, f"{member.joined_at:%Y-%m-%d}"
