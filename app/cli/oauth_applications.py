"""`docyard oauth-application`: programs that sign people in with OAuth.

A secret is shown when it is made and never again.
"""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import App, Parameter

from app.access.context import Context
from app.cli.output import advice, give, say, table
from app.cli.session import DatabaseOption, change, read
from app.domain.accounts.oauth import applications
from app.domain.accounts.oauth.applications import WithSecret
from app.domain.organizations import users
from app.kit.errors import NotFound
from app.models.checks import checked
from app.models.oauth import OAuthApplicationCreate, OAuthScope

app = App(name="oauth-application")
Id = Annotated[str, Parameter(help="the application's id (docyard oauth-application list)")]


@app.command
async def create(
    name: Annotated[str, Parameter(help="name that people see when they are asked")],
    /,
    *,
    owner: Annotated[str, Parameter(help="e-mail address of the person who manages it")],
    redirect: Annotated[list[str] | None, Parameter(help="address that people may be sent back to")] = None,
    confidential: Annotated[bool, Parameter(negative="", help="it keeps a secret, and gets one")] = False,
    scope: Annotated[
        list[OAuthScope] | None, Parameter(help="a scope that it may ask for; all if none")
    ] = None,
    device_flow: Annotated[bool, Parameter(negative="", help="devices may sign people in by code")] = False,
    database: DatabaseOption = None,
) -> None:
    """Register an application and print its id, and then its secret if it has one."""
    sent = {
        "name": name,
        "redirectURIs": redirect or [],
        "kind": "confidential" if confidential else "public",
        "scopes": scope,
        "deviceFlow": device_flow,
    }

    async def make(cx: Context) -> WithSecret:
        new = checked(OAuthApplicationCreate, sent, strict=True)
        with advice(f"Add them first: docyard user create {owner} --name NAME"):
            person = await users.by_email(cx, owner)
        return await applications.create_for(cx, person.id, new)

    made = await change(database, make)
    give(made.application.id)
    _show(made)


@app.command(name="list")
async def list_(*, database: DatabaseOption = None) -> None:
    """List the applications that somebody registered."""
    found = await read(database, applications.every)
    table(
        ("id", "name", "owner", "kind", "redirects"),
        (
            (
                row.id,
                row.name,
                row.owner_email or "",
                "public" if row.secret_hash is None else "confidential",
                " ".join(row.redirect_uris),
            )
            for row in found
        ),
    )


@app.command
async def rotate_secret(id: Id, /, *, database: DatabaseOption = None) -> None:
    """Give a confidential application a new secret and print it; the old one stops working at once."""

    async def rotate(cx: Context) -> WithSecret:
        return await applications.new_secret_of(cx, await _find(cx, id))

    _show(await change(database, rotate))


@app.command
async def delete(id: Id, /, *, database: DatabaseOption = None) -> None:
    """Delete an application; all its tokens end."""

    async def run(cx: Context) -> None:
        await applications.remove(cx, (await _find(cx, id)).id)

    await change(database, run)
    say(f"The application {id} is gone, and its tokens open nothing any more.")


def _show(made: WithSecret) -> None:
    if made.secret is not None:
        give(made.secret)
        say("This is the only time that the secret is shown.")


async def _find(cx: Context, id: str) -> Any:
    found = await applications.find(cx, id)
    if found is None or found.owner_id is None:
        raise NotFound(f"There is no application {id} that somebody registered.")
    return found
