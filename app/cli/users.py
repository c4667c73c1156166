"""`docyard user` and `docyard token`: people, and what they call the API with.

A token is shown when it is made and never again.
"""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import App, Parameter
from cyclopts.validators import Number
from sqlalchemy import select

from app.access.context import Context
from app.cli.output import advice, give, say, table
from app.cli.session import DatabaseOption, change, read
from app.domain.organizations import users
from app.kit.database import statements
from app.kit.database.statements import given, query, rows
from app.kit.errors import NotFound
from app.models.organizations import Member
from app.models.users import User

app = App(name="user")
_u = statements.table(User)
_EVERYONE = query(User, lambda: select(*_u.c).order_by(_u.c.id))


@app.command
async def create(
    email: Annotated[str, Parameter(help="e-mail address, which nobody else may have")],
    /,
    *,
    name: Annotated[str, Parameter(help="the name that others see")],
    database: DatabaseOption = None,
) -> None:
    """Add a person and print their id."""
    with advice("`docyard user list` shows who is there."):
        user = await change(database, lambda cx: users.create(cx, email, name))
    give(user.id)
    say(f"{user.display_name} is there. Next: docyard token create --user {user.email}")


@app.command(name="list")
async def list_(*, database: DatabaseOption = None) -> None:
    """List everybody, in the order in which they were added."""

    async def everyone(cx: Context) -> list[User]:
        return await cx.db.all(_EVERYONE)

    found = await read(database, everyone)
    table(
        ("id", "email", "name", "created"),
        ((u.id, u.email, u.display_name, f"{u.created_at:%Y-%m-%d}") for u in found),
    )


token_app = App(name="token")
_m = statements.table(Member)
_BELONGS = rows(
    lambda: select(_m.c.user_id).where(
        _m.c.user_id == given("user"), _m.c.organization_id == given("organization")
    )
)
A_CENTURY = 36_500


@token_app.command(name="create")
async def create_token(
    *,
    user: Annotated[str, Parameter(help="e-mail address of the person")],
    name: Annotated[str, Parameter(help="what the token is for")] = "",
    read_only: Annotated[bool, Parameter(negative="", help="refuse every change")] = False,
    org: Annotated[str | None, Parameter(help="id of the only organization that it opens")] = None,
    expires: Annotated[
        int | None, Parameter(validator=Number(gte=1, lte=A_CENTURY), help="days until it ends")
    ] = None,
    database: DatabaseOption = None,
) -> None:
    """Give a person a token, narrowed as asked, and print it."""

    async def make(cx: Context) -> str:
        with advice(f"Add them first: docyard user create {user} --name NAME"):
            owner = await users.by_email(cx, user)
        if org is not None:
            await _refuse_stranger(cx, owner, org)
        return await users.create_token(
            cx, owner, name=name, read_only=read_only, organization_id=org, days=expires
        )

    give(await change(database, make))
    say("This is the only time that the token is shown. Send it as: Authorization: Bearer TOKEN")


async def _refuse_stranger(cx: Context, user: User, organization_id: str) -> None:
    if not await cx.db.first(_BELONGS, user=user.id, organization=organization_id):
        raise NotFound(
            f"{user.email} belongs to no organization {organization_id}. `docyard org list` shows the ids."
        )


@token_app.command(name="list")
async def list_tokens(*, database: DatabaseOption = None) -> None:
    """List all tokens by their ids; the tokens themselves are stored nowhere."""
    found: list[Any] = await read(database, users.tokens)
    table(
        ("id", "user", "name", "may", "organization", "created", "used", "expires"),
        (
            (
                token.id,
                token.email,
                token.name,
                "read" if token.read_only else "read, write",
                token.organization_id or "all",
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
    """Make a token worthless, at once and also in running servers."""
    with advice("`docyard token list` shows the ids."):
        await change(database, lambda cx: users.revoke_token(cx, id))
    say(f"The token {id} opens nothing any more.")
