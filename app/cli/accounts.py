"""`docyard session`, `docyard passkey`, `docyard notification`: what belongs to one person's account."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, TypeVar

from cyclopts import App, Parameter

from app.access import memberships
from app.access.context import Context
from app.cli.command_settings import DatabaseOption
from app.cli.output import advice, say, table
from app.cli.session import OPERATOR, change, every_item, read
from app.domain import notifications
from app.domain.accounts import passkeys, session_lists
from app.domain.organizations import users
from app.models.accounts import SessionsEnd
from app.models.checks import checked
from app.models.notifications import (
    Delivery,
    InvitationDelivery,
    NotificationPreferences,
    NotificationPreferencesUpdate,
)
from app.models.queries import PageQuery

T = TypeVar("T")
app = App(name="session")
passkey_app = App(name="passkey")
notification_app = App(name="notification")
Email = Annotated[str, Parameter(help="e-mail address of the person")]
UserOption = Annotated[str, Parameter(name="--user", help="e-mail address of the person")]


def _on_behalf_of(email: str, call: Callable[[Context], Awaitable[T]]) -> Callable[[Context], Awaitable[T]]:
    """Return `call` for the account of a person, as the operator."""

    async def run(cx: Context) -> T:
        with advice("`docyard user list` lists all people."):
            person = await users.by_email(cx, email)
        held = await memberships.of_person_everywhere(cx.db, person.id)
        known = {each.organization_id: each for each in held}
        return await call(replace(cx, actor=replace(OPERATOR, user_id=person.id, memberships=known)))

    return run


@app.command(name="list")
async def list_sessions(email: Email, /, *, database: DatabaseOption = None) -> None:
    """List a person's browser sessions."""

    async def all_of(cx: Context) -> list[Any]:
        return await every_item(PageQuery, lambda query: session_lists.list_mine(cx, query))

    found = await read(database, _on_behalf_of(email, all_of))
    table(
        ("id", "browser", "address", "began", "used", "ends"),
        (
            (
                row.id,
                row.user_agent or "",
                row.address or "",
                _minute(row.created_at),
                _minute(row.last_used_at),
                _minute(row.expires_at),
            )
            for row in found
        ),
    )


@app.command(name="end")
async def end_sessions(
    email: Email,
    /,
    *,
    id: Annotated[str | None, Parameter(help="end only the session with this id (default: all)")] = None,
    database: DatabaseOption = None,
) -> None:
    """Sign a person out of all browsers, or of one; their tokens stay valid."""

    async def run(cx: Context) -> None:
        if id is None:
            await session_lists.end_all(cx, SessionsEnd(keep_current=False))
            return
        with advice(f"`docyard session list {email}` shows the ids."):
            await session_lists.end(cx, id)

    await change(database, _on_behalf_of(email, run))
    say(f"{email} is signed out{'' if id else ' everywhere'}.")


@passkey_app.command(name="list")
async def list_passkeys(email: Email, /, *, database: DatabaseOption = None) -> None:
    """List the passkeys of a person."""

    async def all_of(cx: Context) -> list[Any]:
        return await every_item(PageQuery, lambda query: passkeys.list_mine(cx, query))

    found = await read(database, _on_behalf_of(email, all_of))
    table(
        ("id", "name", "created", "used"),
        ((row.id, row.name, _minute(row.created_at), _minute(row.last_used_at)) for row in found),
    )


@passkey_app.command(name="delete")
async def delete_passkey(
    id: Annotated[str, Parameter(help="the passkey's id (docyard passkey list)")],
    /,
    *,
    user: UserOption,
    database: DatabaseOption = None,
) -> None:
    """Delete a passkey, for example of a lost device; sessions started with it stay open."""
    with advice(f"`docyard passkey list {user}` shows the ids."):
        await change(database, _on_behalf_of(user, lambda cx: passkeys.remove(cx, id)))
    say(f"Passkey {id} is deleted. To sign {user} out as well: docyard session end {user}")


@notification_app.command
async def show(email: Email, /, *, database: DatabaseOption = None) -> None:
    """Show which e-mail notifications a person gets, and when."""
    _print(await read(database, _on_behalf_of(email, notifications.get_preferences)))


@notification_app.command(name="set")
async def set_(
    email: Email,
    /,
    *,
    mentions: Annotated[Delivery | None, Parameter(help="when to send mentions")] = None,
    review_requests: Annotated[Delivery | None, Parameter(help="when to send review requests")] = None,
    invitations: Annotated[
        InvitationDelivery | None, Parameter(help="whether to send invitations to organizations")
    ] = None,
    database: DatabaseOption = None,
) -> None:
    """Change a person's e-mail notifications, and show them all."""
    wanted = {"mentions": mentions, "reviewRequests": review_requests, "invitations": invitations}
    sent = {name: value for name, value in wanted.items() if value is not None}

    async def run(cx: Context) -> NotificationPreferences:
        return await notifications.update_preferences(
            cx, checked(NotificationPreferencesUpdate, sent, strict=True)
        )

    _print(await change(database, _on_behalf_of(email, run)))


def _print(found: NotificationPreferences) -> None:
    table(
        ("kind", "told"),
        (
            ("mentions", found.mentions),
            ("review requests", found.review_requests),
            ("invitations", found.invitations),
        ),
    )


def _minute(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M}" if at else "never"
