"""The commands `docyard member`, `team` and `grant` against the server one is logged in to."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from app.cli.command_settings import CommandRefused
from app.cli.login_profile import Profile, RemoteServer, connected
from app.cli.output import give, say, table


async def list_members(profile: Profile, org: str, role: str | None, search: str | None) -> None:
    """List the members of an organization by name."""
    asked = {name: value for name, value in (("role", role), ("search", search)) if value}
    async with connected(profile) as server:
        path = f"/orgs/{org}/members"
        found = [each async for each in server.items(path, sort="name", order="asc", **asked)]
    table(("email", "name", "role", "state", "joined"), (_member(each) for each in found))


def _member(member: Any) -> tuple[str, ...]:
    user = member["user"]
    state = "disabled" if member["disabled"] else "single sign-on" if member["sso"] else "active"
    joined = datetime.fromisoformat(member["joinedAt"])
    return user.get("email", ""), user["displayName"], member["role"] or "guest", state, f"{joined:%Y-%m-%d}"


async def invite(profile: Profile, org: str, email: str, role: str | None) -> None:
    """Invite somebody and print the address where they accept."""
    async with connected(profile) as server:
        asked = {"emails": [email], **({"role": role} if role else {})}
        made = await server.call("POST", f"/orgs/{org}/invites", asked)
    if not made["invited"]:
        raise CommandRefused(f"{email} is already a member. `docyard member list` lists the members.")
    give(f"/orgs/{org}/invites/{made['invited'][0]['id']}")


async def update_member(profile: Profile, org: str, email: str, **change: Any) -> None:
    """Change a member's role, or disable or enable them."""
    async with connected(profile) as server:
        await server.call("PATCH", f"/orgs/{org}/members/{await _user(server, org, email)}", change)


async def remove_member(profile: Profile, org: str, email: str) -> None:
    """Remove a member."""
    async with connected(profile) as server:
        await server.call("DELETE", f"/orgs/{org}/members/{await _user(server, org, email)}")


async def _user(server: RemoteServer, org: str, email: str) -> str:
    """Return the id of the member with an address; raises CommandRefused where there is none."""
    async for member in server.items(f"/orgs/{org}/members", search=email):
        if member["user"].get("email", "").lower() == email.lower():
            return str(member["id"])
    raise CommandRefused(f"No member has the address {email}. `docyard member list` lists the members.")


async def list_teams(profile: Profile, org: str, title: str | None) -> None:
    """List the teams of an organization, oldest first."""
    async with connected(profile) as server:
        asked = {"title": title} if title else {}
        found = [each async for each in server.items(f"/orgs/{org}/teams", **asked)]
    rows = ((each["id"], each["title"], str(each["members"]), str(each["spaces"])) for each in found)
    table(("id", "title", "members", "spaces"), rows)


async def create_team(profile: Profile, org: str, title: str) -> None:
    """Create a team and print its id."""
    async with connected(profile) as server:
        made = await server.call("PUT", f"/orgs/{org}/teams", {"title": title})
    give(made["id"])
    say(f"{made['title']} is created. Next: docyard team add {made['id']} EMAIL --org {org}")


async def add_to_team(profile: Profile, org: str, team: str, emails: Sequence[str], *, owner: bool) -> None:
    """Let people into a team, as its owners if wanted."""
    async with connected(profile) as server:
        path = f"/orgs/{org}/teams/{team}/members"
        await server.call("PUT", path, {"add": list(emails)})
        if owner:
            people = [await _user(server, org, email) for email in emails]
            await server.call("PUT", path, {"memberships": {each: {"role": "owner"} for each in people}})


async def remove_from_team(profile: Profile, org: str, team: str, emails: Sequence[str]) -> None:
    """Remove people from a team."""
    async with connected(profile) as server:
        await server.call("PUT", f"/orgs/{org}/teams/{team}/members", {"remove": list(emails)})


async def grant(
    profile: Profile, org: str, place: str, role: str, emails: Sequence[str], teams: Sequence[str]
) -> None:
    """Grant people and teams a role on the space or collection of a path."""
    async with connected(profile) as server:
        users = [await _user(server, org, email) for email in emails]
        await server.call(
            "POST", f"{place}/permissions", {"role": role, "users": users, "teams": list(teams)}
        )
