"""`docyard user`: people of this installation."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter
from sqlalchemy import select

from app.access.context import Context
from app.cli.session import DatabaseOption, change, read
from app.cli.words import advice, give, say, table
from app.domain.organizations import users as people
from app.kit.database import statements
from app.kit.database.statements import query
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
        user = await change(database, lambda cx: people.create(cx, email, name))
    give(user.id)
    say(f"{user.display_name} is there. Next: docyard token create --user {user.email}")


@app.command(name="list")
async def list_(*, database: DatabaseOption = None) -> None:
    """List everybody, in the order in which they were added."""

    async def everyone(cx: Context) -> list[User]:
        return await cx.db.all(_EVERYONE)

    users = await read(database, everyone)
    table(
        ("id", "email", "name", "created"),
        ((u.id, u.email, u.display_name, f"{u.created_at:%Y-%m-%d}") for u in users),
    )
