"""Access of commands to the data: a migrated database, one transaction.

No token is needed: anyone who can run the command administers the installation.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Annotated, Any, TypeVar

from cyclopts import Parameter
from sqlalchemy import select

from app import migrations
from app.access.audit_actions import AuditAction
from app.access.context import Actor, Context, Membership
from app.access.fetch import fetch
from app.access.rights import Level
from app.cli.command_settings import opening, settings_for
from app.cli.output import RUNNING, advice
from app.domain.infrastructure import service
from app.kit.database.engines import open_database
from app.kit.database.interface import Database
from app.kit.database.paging import MAX_LIMIT, Page
from app.kit.database.statements import given, rows, table
from app.kit.database_timeouts import unhurried
from app.kit.errors import NotFound
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.models.base import Shape
from app.models.checks import checked
from app.models.organizations import Organization
from app.models.spaces import Space
from app.runtime import Runtime

T = TypeVar("T")
Q = TypeVar("Q", bound=Shape)
OPERATOR = Actor("", is_operator=True)
OrganizationOption = Annotated[str, Parameter(name="--org", help="the organization's id (docyard org list)")]


async def bring_up(db: Database, settings: Settings) -> None:
    """Migrate where the database is older; raises CommandRefused or NewerDatabase."""
    with opening(settings):
        if not await migrations.is_current(db):
            await asyncio.to_thread(migrations.upgrade, settings.database, settings)
        await migrations.check_full_text(db, settings)


@asynccontextmanager
async def opened(database: str | None, *, checked: bool = True) -> AsyncIterator[Runtime]:
    """Open the database, migrated, until the block ends; `checked` for its keys, which may be lost."""
    settings = settings_for(database)
    db = open_database(
        settings.database,
        journal=settings.journal,
        synchronous=settings.synchronous,
        busy_timeout=settings.busy_timeout,
    )
    try:
        await bring_up(db, settings)
        signer = Signer(b"")
        if checked:
            signer = await service.signer(db, settings)
            await service.check_audit_key(db, settings)
        with unhurried():
            yield Runtime(db, settings, signer)
    finally:
        await db.close()


async def change(database: str | None, call: Callable[[Context], Awaitable[T]]) -> T:
    """Run `call` in one transaction, committed when it returns."""
    async with opened(database) as runtime:
        return await runtime.write(OPERATOR, call, action())


def action() -> AuditAction:
    """Return what the command that runs is called in the audit log."""
    return AuditAction("command", RUNNING.get())


async def read(database: str | None, call: Callable[[Context], Awaitable[T]]) -> T:
    """Run `call` on what is stored now."""
    async with opened(database) as runtime:
        return await call(runtime.context(OPERATOR))


def acting_in(cx: Context, organization_id: str) -> Context:
    """Return the Context with an administrator's rights in one organization."""
    membership = Membership(organization_id, Level.ADMIN, Level.ADMIN)
    return replace(cx, actor=replace(OPERATOR, memberships={organization_id: membership}))


async def inside(cx: Context, organization_id: str) -> Context:
    """Return the Context of an administrator of an organization; raises NotFound where there is none."""
    there = acting_in(cx, organization_id)
    with advice("`docyard org list` shows the ids."):
        await fetch(there, Organization, organization_id)
    return there


async def every_item(shape: type[Q], page_of: Callable[[Q], Awaitable[Page[Any]]], **asked: Any) -> list[Any]:
    """Return the items of all pages of a list; `page_of` reads the page that a query of `shape` asks for."""
    found: list[Any] = []
    page: str | None = None
    while True:
        listed = await page_of(checked(shape, {**asked, "limit": MAX_LIMIT, "page": page}, strict=False))
        found += listed.items
        page = listed.next
        if page is None:
            return found


async def organization_of(cx: Context, space_id: str) -> str:
    """Return the organization that owns a space; raises NotFound."""
    found = await cx.db.first(_OWNER, id=space_id)
    if found is None:
        raise NotFound(f"There is no space {space_id}. The id of a space is the last part of its URL.")
    owner: str = found.organization_id
    return owner


SPACES = table(Space)
_OWNER = rows(lambda: select(SPACES.c.organization_id).where(SPACES.c.id == given("id")))
