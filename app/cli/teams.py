"""`docyard team` and `docyard grant`: teams, and roles on spaces and collections."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import App, Parameter

from app.access.context import Context
from app.access.fetch import fetch
from app.cli.session import DatabaseOption, acting_in, change, read
from app.cli.words import advice, give, say, table
from app.domain.organizations import grants, team_members, teams
from app.domain.organizations import users as people
from app.kit.database.paging import MAX_LIMIT
from app.kit.errors import Invalid
from app.models.base import Role, checked
from app.models.grants import GrantsCreate
from app.models.organizations import Organization
from app.models.teams import TeamCreate, TeamMembersUpdate, TeamsQuery

app = App(name="team")
WHICH = "`docyard team list` shows the teams."
OrganizationOption = Annotated[str, Parameter(name="--org", help="the organization's id (docyard org list)")]
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

    async def everything(cx: Context) -> list[Any]:
        inside = await _inside(cx, org)
        found: list[Any] = []
        page = None
        while True:
            query = checked(TeamsQuery, {"title": title, "limit": MAX_LIMIT, "page": page}, strict=False)
            listed = await teams.list_in_organization(inside, org, query)
            found += listed.items
            page = listed.next
            if page is None:
                return found

    found = await read(database, everything)
    table(
        ("id", "title", "members", "spaces"),
        ((team.id, team.title, str(team.member_count), str(team.spaces)) for team in found),
    )


@app.command
async def create(
    title: Annotated[str, Parameter(help="title of 1 to 64 characters")],
    /,
    *,
    org: OrganizationOption,
    database: DatabaseOption = None,
) -> None:
    """Make a team and print its id."""

    async def make(cx: Context) -> Any:
        new = checked(TeamCreate, {"title": title}, strict=True)
        return await teams.create(await _inside(cx, org), org, new)

    made = await change(database, make)
    give(made.id)
    say(f"{made.title} is there. Next: docyard team add {made.id} EMAIL --org {org}")


@app.command
async def add(
    team: TeamId,
    emails: Emails,
    /,
    *,
    org: OrganizationOption,
    owner: Annotated[bool, Parameter(help="let them manage the team", negative="")] = False,
    database: DatabaseOption = None,
) -> None:
    """Let members of the organization into a team; other addresses are invited as guests."""

    async def join(cx: Context) -> None:
        inside = await _inside(cx, org)
        await team_members.update_members(inside, org, team, TeamMembersUpdate(add=emails))
        if owner:
            owners = [(await people.by_email(cx, email)).id for email in emails]
            roles = {"memberships": {user: {"role": "owner"} for user in owners}}
            asked = checked(TeamMembersUpdate, roles, strict=True)
            await team_members.update_members(inside, org, team, asked)

    with advice(WHICH):
        await change(database, join)
    say("They are in the team, or invited to it.")


@app.command
async def remove(
    team: TeamId, emails: Emails, /, *, org: OrganizationOption, database: DatabaseOption = None
) -> None:
    """Remove people from a team."""

    async def leave(cx: Context) -> None:
        inside = await _inside(cx, org)
        await team_members.update_members(inside, org, team, TeamMembersUpdate(remove=emails))

    with advice(WHICH):
        await change(database, leave)
    say("They are no longer in the team.")


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
        raise Invalid("Name either --space or --collection.")
    if not user and not team:
        raise Invalid("Name somebody with --user, or a team with --team.")

    async def give_role(cx: Context) -> None:
        inside = await _inside(cx, org)
        users = [(await people.by_email(cx, email)).id for email in user or ()]
        asked = checked(GrantsCreate, {"role": role, "users": users, "teams": team or []}, strict=True)
        if space is not None:
            await grants.SPACES.grant(inside, space, asked)
        elif collection is not None:
            await grants.COLLECTIONS.grant(inside, collection, asked)

    await change(database, give_role)
    say(f"They have the role {role} there now.")


async def _inside(cx: Context, organization_id: str) -> Context:
    inside = acting_in(cx, organization_id)
    await fetch(inside, Organization, organization_id)
    return inside
