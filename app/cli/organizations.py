"""`docyard org`: the organizations of this installation."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import App, Parameter
from sqlalchemy import func, select

from app.access.context import Context
from app.cli.session import DatabaseOption, change, read
from app.cli.words import advice, give, say, table
from app.domain.people import organizations, people
from app.kit import statements
from app.kit.statements import rows
from app.models.base import checked
from app.models.organizations import Member, Organization, OrganizationCreate

app = App(name="org")
_o, _m = statements.table(Organization), statements.table(Member)
_ALL = rows(
    lambda: (
        select(_o.c.id, _o.c.title, _o.c.created_at, func.count(_m.c.user_id).label("members"))
        .outerjoin(_m, _m.c.organization_id == _o.c.id)
        .group_by(_o.c.id, _o.c.title, _o.c.created_at)
        .order_by(_o.c.id)
    )
)


@app.command
async def create(
    title: Annotated[str, Parameter(help="title of 2 to 255 characters")],
    /,
    *,
    owner: Annotated[str, Parameter(help="e-mail address of the person who becomes its administrator")],
    database: DatabaseOption = None,
) -> None:
    """Make an organization and print its id."""

    async def make(cx: Context) -> Organization:
        new = checked(OrganizationCreate, {"title": title}, strict=True)
        with advice(f"Add them first: docyard user create {owner} --name NAME"):
            user = await people.by_email(cx, owner)
        return await organizations.found(cx, user.id, new)

    made = await change(database, make)
    give(made.id)
    say(f"{made.title} is there, and {owner} administrates it.")


@app.command(name="list")
async def list_(*, database: DatabaseOption = None) -> None:
    """List every organization, in the order in which they were made."""

    async def everything(cx: Context) -> list[Any]:
        return await cx.db.all(_ALL)

    found = await read(database, everything)
    table(
        ("id", "title", "members", "created"),
        ((o.id, o.title, str(o.members), f"{o.created_at:%Y-%m-%d}") for o in found),
    )
