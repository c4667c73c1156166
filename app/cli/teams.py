"""`docyard team` and `docyard grant`: teams, and roles on spaces and collections."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import App, Parameter

from app.access.context import Context
from app.cli import login_profile, remote_people
from app.cli.command_settings import DatabaseOption
from app.cli.output import advice, give, say, table
from app.cli.session import OrganizationOption, change, every_item, inside, read
from app.domain.organizations import grants, teams
from app.domain.organizations import users as people
from app.kit.errors import Invalid
from app.models.base import Role
from app.models.checks import checked
from app.models.grants import GrantsCreate
from app.models.teams import TeamCreate, TeamMembersUpdate, TeamsQuery

app = App(name="team")
WHICH = "`docyard team list` shows the teams."
TeamId = Annotated[str, Parameter(help="the team's id (docyard team list)")]
Emails = Annotated[list[str], Parameter(help="e-mail addresses of people")]


@app.command(name="list")
async def list_(
    *,
    org: OrganizationOption,
    title: Annotated[str | None, Parameter(help="part of the title")] = None,
    database: DatabaseOption = None,
) -> None:
    """List the teams of an organization, oldest first."""
    if (profile := login_profile.chosen(database)) is not None:
        await remote_people.list_teams(profile, org, title)
        return

    async def everything(cx: Context) -> list[Any]:
        administrator = await inside(cx, org)
        return await every_item(
            TeamsQuery, lambda query: teams.list_in_organization(administrator, org, query), title=title
        )

    found = await read(database, everything)
    table(
        ("id", "title", "members", "spaces"),
        ((team.id, team.title, str(team.member_count), str(team.spaces)) for team in found),
    )


@app.command
async def create(
    title: Annotated[str, Parameter(help="title, 1 to 64 characters")],
    /,
    *,
    org: OrganizationOption,
    database: DatabaseOption = None,
) -> None:
    """Create a team and print its id."""
    if (profile := login_profile.chosen(database)) is not None:
        await remote_people.create_team(profile, org, title)
        return

    async def make(cx: Context) -> Any:
        new = checked(TeamCreate, {"title": title}, strict=True)
        return await teams.create(await inside(cx, org), org, new)

    made = await change(database, make)
    give(made.id)
    say(f"{made.title} is created. Next: docyard team add {made.id} EMAIL --org {org}")


@app.command
async def add(
    team: TeamId,
    emails: Emails,
    /,
    *,
    org: OrganizationOption,
    owner: Annotated[bool, Parameter(help="make them owners of the team", negative="")] = False,
    database: DatabaseOption = None,
) -> None:
    """Add people to a team; addresses outside the organization are invited as guests."""

    async def join(cx: Context) -> None:
        administrator = await inside(cx, org)
        await teams.update_members(administrator, org, team, TeamMembersUpdate(add=emails))
        if owner:
            owners = [(await people.by_email(cx, email)).id for email in emails]
            roles = {"memberships": {user: {"role": "owner"} for user in owners}}
            asked = checked(TeamMembersUpdate, roles, strict=True)
            await teams.update_members(administrator, org, team, asked)

    if (profile := login_profile.chosen(database)) is not None:
        await remote_people.add_to_team(profile, org, team, emails, owner=owner)
    else:
        with advice(WHICH):
            await change(database, join)
    say("Added to the team. Addresses outside the organization are invited.")


@app.command
async def remove(
    team: TeamId, emails: Emails, /, *, org: OrganizationOption, database: DatabaseOption = None
) -> None:
    """Remove people from a team."""

    async def leave(cx: Context) -> None:
        administrator = await inside(cx, org)
        await teams.update_members(administrator, org, team, TeamMembersUpdate(remove=emails))

    if (profile := login_profile.chosen(database)) is not None:
        await remote_people.remove_from_team(profile, org, team, emails)
    else:
        with advice(WHICH):
            await change(database, leave)
    say("Removed from the team.")


async def grant(
    role: Annotated[Role, Parameter(help="admin, create, review, edit, comment or read")],
    /,
    *,
    org: OrganizationOption,
    space: Annotated[str | None, Parameter(help="id of the space")] = None,
    collection: Annotated[str | None, Parameter(help="id of the collection")] = None,
    user: Annotated[list[str] | None, Parameter(help="e-mail address of a member", negative="")] = None,
    team: Annotated[list[str] | None, Parameter(help="id of a team", negative="")] = None,
    database: DatabaseOption = None,
) -> None:
    """Grant people and teams a role on a space or a collection."""
    if (space is None) == (collection is None):
        raise Invalid("Give either --space or --collection.")
    if not user and not team:
        raise Invalid("Give people with --user, or teams with --team.")

    async def give_role(cx: Context) -> None:
        administrator = await inside(cx, org)
        users = [(await people.by_email(cx, email)).id for email in user or ()]
        asked = checked(GrantsCreate, {"role": role, "users": users, "teams": team or []}, strict=True)
        if space is not None:
            await grants.SPACES.grant(administrator, space, asked)
        elif collection is not None:
            await grants.COLLECTIONS.grant(administrator, collection, asked)

    if (profile := login_profile.chosen(database)) is not None:
        place = f"/spaces/{space}" if space is not None else f"/collections/{collection}"
        await remote_people.grant(profile, org, place, role, user or (), team or ())
    else:
        await change(database, give_role)
    say(f"Granted the role {role}.")
