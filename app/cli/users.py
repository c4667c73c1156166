"""`docyard user`, `docyard token`, `docyard sign-in-link`: people, and how they sign in and call the API.

A token is shown when it is created and never again.
"""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import App, Parameter
from cyclopts.validators import Number
from sqlalchemy import select

from app.access import memberships
from app.access.context import Context
from app.cli.command_settings import CommandRefused, DatabaseOption
from app.cli.output import advice, give, say, table
from app.cli.session import change, read
from app.domain.accounts import personal_tokens, sign_in_links, tokens
from app.domain.organizations import users
from app.domain.privacy import account_deletion, personal_data
from app.kit.clock import to_json
from app.kit.database import statements
from app.kit.database.statements import given, query, rows
from app.kit.errors import NotFound
from app.kit.http.urls import canonical_email
from app.models.accounts import TokenScope
from app.models.organizations import Member
from app.models.users import User
from app.present.accounts import user_export

app = App(name="user")
USERS = statements.table(User)
_EVERYONE = query(User, lambda: select(*USERS.c).order_by(USERS.c.id))


@app.command
async def create(
    email: Annotated[str, Parameter(help="e-mail address; it must be unique")],
    /,
    *,
    name: Annotated[str, Parameter(help="display name")],
    database: DatabaseOption = None,
) -> None:
    """Create an account for a person and print their id."""
    with advice("`docyard user list` lists all people."):
        user = await change(database, lambda cx: users.create(cx, email, name))
    give(user.id)
    say(f"{user.display_name} is created. Next: docyard token create --user {user.email}")


@app.command(name="list")
async def list_(*, database: DatabaseOption = None) -> None:
    """List all people, oldest account first."""

    async def everyone(cx: Context) -> list[User]:
        return await cx.db.all(_EVERYONE)

    found = await read(database, everyone)
    table(
        ("id", "email", "name", "created"),
        ((u.id, u.email, u.display_name, f"{u.created_at:%Y-%m-%d}") for u in found),
    )


@app.command
async def export(
    email: Annotated[str, Parameter(help="e-mail address of the person")],
    /,
    *,
    database: DatabaseOption = None,
) -> None:
    """Print all data stored about a person, as JSON."""

    async def shown(cx: Context) -> dict[str, Any]:
        return user_export(cx, await personal_data.export_of(cx, await users.by_email(cx, email)))

    with advice("`docyard user list` lists all people."):
        give(to_json(await read(database, shown)).decode())


@app.command
async def delete(
    email: Annotated[str, Parameter(help="e-mail address of the person")],
    /,
    *,
    database: DatabaseOption = None,
) -> None:
    """Delete a person's account; what they wrote stays, with "Deleted user" as its author."""

    async def erase(cx: Context) -> None:
        await account_deletion.delete_account(cx, await users.by_email(cx, email))

    with advice("`docyard user list` lists all people."):
        await change(database, erase)
    say(f"The account {email} is deleted. Its address can be used for a new one.")


token_app = App(name="token")
MEMBERS = statements.table(Member)
_BELONGS = rows(
    lambda: select(MEMBERS.c.user_id).where(
        MEMBERS.c.user_id == given("user"), MEMBERS.c.organization_id == given("organization")
    )
)
A_CENTURY = 36_500


@token_app.command(name="create")
async def create_token(
    *,
    user: Annotated[str, Parameter(help="e-mail address of the person")],
    name: Annotated[str, Parameter(help="what the token is for")] = "",
    read_only: Annotated[bool, Parameter(negative="", help="read-only")] = False,
    org: Annotated[str | None, Parameter(help="limit the token to the organization with this id")] = None,
    space: Annotated[
        list[str] | None, Parameter(help="limit the token to the space with this id (repeatable)")
    ] = None,
    scope: Annotated[
        list[TokenScope] | None,
        Parameter(help="limit the token to the operations of this scope (repeatable)"),
    ] = None,
    operation: Annotated[
        list[str] | None,
        Parameter(help="also allow the operation with this operationId (repeatable)"),
    ] = None,
    agent: Annotated[
        bool,
        Parameter(
            negative="", help="the token is for an agent, which can propose changes but not approve them"
        ),
    ] = False,
    expires: Annotated[
        int | None, Parameter(validator=Number(gte=1, lte=A_CENTURY), help="days until it expires")
    ] = None,
    database: DatabaseOption = None,
) -> None:
    """Create an access token for a person and print it."""

    async def make(cx: Context) -> str:
        with advice(f"Create the account first: docyard user create {user} --name NAME"):
            owner = await users.by_email(cx, user)
        organization = org
        if org is not None:
            await _refuse_stranger(cx, owner, org)
        if space:
            held = await memberships.of_person_everywhere(cx.db, owner.id)
            with advice("The id of a space is the last part of its URL."):
                organization = await personal_tokens.check_spaces(cx, held, space, org)
        return await tokens.create(
            cx,
            owner,
            name=name,
            read_only=read_only,
            organization_id=organization,
            spaces=space or None,
            scopes=personal_tokens.scopes_of(scope, operation, is_agent=agent),
            is_agent=agent,
            days=expires,
        )

    give(await change(database, make))
    say("The token is shown only once. Send it as: Authorization: Bearer TOKEN")


async def _refuse_stranger(cx: Context, user: User, organization_id: str) -> None:
    if not await cx.db.first(_BELONGS, user=user.id, organization=organization_id):
        raise NotFound(
            f"{user.email} is not a member of organization {organization_id}. `docyard org list` shows ids."
        )


@token_app.command(name="list")
async def list_tokens(*, database: DatabaseOption = None) -> None:
    """List all tokens; the tokens themselves are not stored and cannot be shown."""
    found: list[Any] = await read(database, tokens.every)
    table(
        ("id", "user", "type", "name", "may", "opens", "created", "used", "expires"),
        (
            (
                token.id,
                token.email,
                "agent" if token.is_agent else token.kind,
                token.name,
                "read" if token.read_only else ", ".join(token.scopes or ("read", "write")),
                ", ".join(token.spaces or [token.organization_id or "all"]),
                f"{token.created_at:%Y-%m-%d}",
                f"{token.last_used_at:%Y-%m-%d %H:%M}" if token.last_used_at else "never",
                f"{token.expires_at:%Y-%m-%d}" if token.expires_at else "never",
            )
            for token in found
        ),
    )


@token_app.command
async def revoke(
    id: Annotated[str, Parameter(help="the token's id, not the token")],
    /,
    *,
    database: DatabaseOption = None,
) -> None:
    """Revoke a token, with immediate effect in running servers too."""
    with advice("`docyard token list` shows the ids."):
        await change(database, lambda cx: tokens.revoke(cx, id))
    say(f"Token {id} is revoked.")


async def sign_in_link(
    email: Annotated[str, Parameter(help="e-mail address of a person who has an account or an invite")],
    /,
    *,
    database: DatabaseOption = None,
) -> None:
    """Print a link that signs a person in. It works once, within ten minutes, in any browser."""

    async def make(cx: Context) -> str:
        if not cx.settings.base_url:
            raise CommandRefused("Set DOCYARD_BASE_URL, the URL of the server that the link leads to.")
        if not await sign_in_links.may_sign_in(cx, canonical_email(email)):
            with advice(f"Create the account first: docyard user create {email} --name NAME"):
                raise NotFound(f"There is no user {email}, and nobody has invited them.")
        return await sign_in_links.create(cx, email)

    give(await change(database, make))
    say("Whoever opens this link is signed in as this person. Give it to nobody else.")
