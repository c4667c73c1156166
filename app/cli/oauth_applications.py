"""`docyard oauth-application`: programs that sign people in with OAuth.

A secret is shown when it is made and never again.
"""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import App, Parameter

from app.access.context import Context
from app.cli.command_settings import DatabaseOption
from app.cli.output import advice, give, say, table
from app.cli.session import change, read
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
    name: Annotated[str, Parameter(help="name shown to people who are asked for access")],
    /,
    *,
    owner: Annotated[str, Parameter(help="e-mail address of the person who manages it")],
    redirect: Annotated[list[str] | None, Parameter(help="allowed redirect URI (repeatable)")] = None,
    confidential: Annotated[
        bool, Parameter(negative="", help="confidential: it can keep a secret, and gets one")
    ] = False,
    scope: Annotated[
        list[OAuthScope] | None, Parameter(help="a scope that it may request (repeatable; default: all)")
    ] = None,
    device_flow: Annotated[bool, Parameter(negative="", help="allow the device code flow")] = False,
    database: DatabaseOption = None,
) -> None:
    """Register an application and print its id, followed by its secret if it has one."""
    sent = {
        "name": name,
        "redirectURIs": redirect or [],
        "kind": "confidential" if confidential else "public",
        "scopes": scope,
        "deviceFlow": device_flow,
    }

    async def make(cx: Context) -> WithSecret:
        new = checked(OAuthApplicationCreate, sent, strict=True)
        with advice(f"Create the account first: docyard user create {owner} --name NAME"):
            person = await users.by_email(cx, owner)
        return await applications.create_for(cx, person.id, new)

    made = await change(database, make)
    give(made.application.id)
    _show(made)


@app.command(name="list")
async def list_(*, database: DatabaseOption = None) -> None:
    """List the registered applications."""
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
    """Replace the secret of a confidential application and print the new one."""

    async def rotate(cx: Context) -> WithSecret:
        return await applications.new_secret_of(cx, await _find(cx, id))

    _show(await change(database, rotate))


@app.command
async def delete(id: Id, /, *, database: DatabaseOption = None) -> None:
    """Delete an application and revoke all its tokens."""

    async def run(cx: Context) -> None:
        await applications.remove(cx, (await _find(cx, id)).id)

    await change(database, run)
    say(f"Application {id} is deleted and its tokens are revoked.")


def _show(made: WithSecret) -> None:
    if made.secret is not None:
        give(made.secret)
        say("The secret is shown only once.")


async def _find(cx: Context, id: str) -> Any:
    found = await applications.find(cx, id)
    if found is None or found.owner_id is None:
        raise NotFound(f"There is no registered application {id}.")
    return found
