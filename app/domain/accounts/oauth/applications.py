"""OAuth applications: people register their own, and some register themselves (RFC 7591)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, exists, false, func, null, select, true

from app.access import scopes
from app.access.context import Context
from app.kit.database.columns import Instant
from app.kit.database.paging import Listing, Page
from app.kit.database.statements import command, given, query, rows, table
from app.kit.errors import Forbidden, Invalid, NotFound, TooManyRequests
from app.kit.ids import new_id
from app.kit.signing import new_secret, token_hash
from app.models.oauth import (
    OAuthApplication,
    OAuthApplicationCreate,
    OAuthApplicationUpdate,
    OAuthDevice,
    OAuthGrant,
)
from app.models.queries import PageQuery
from app.models.users import User

MOST_OWN = 100
MOST_UNUSED = 1000  # applications that registered themselves and that nobody has allowed anything yet
UNUSED_DAYS = 2
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
OAUTH_APPLICATIONS, OAUTH_GRANTS, OAUTH_DEVICES, USERS = (
    table(OAuthApplication),
    table(OAuthGrant),
    table(OAuthDevice),
    table(User),
)


LIST: Listing[OAuthApplication] = Listing(
    "oauth-applications",
    OAuthApplication,
    lambda: select(*OAUTH_APPLICATIONS.c).where(OAUTH_APPLICATIONS.c.owner_id == given("owner")),
    order=lambda: [OAUTH_APPLICATIONS.c.id],
)
_OWN = query(
    OAuthApplication,
    lambda: select(*OAUTH_APPLICATIONS.c).where(
        OAUTH_APPLICATIONS.c.id == given("id"), OAUTH_APPLICATIONS.c.owner_id == given("owner")
    ),
)
_COUNT = rows(
    lambda: select(func.count().label("number")).where(OAUTH_APPLICATIONS.c.owner_id == given("owner"))
)
_BY_ID = rows(
    lambda: (
        select(
            *OAUTH_APPLICATIONS.c,
            USERS.c.display_name.label("owner_name"),
            USERS.c.email.label("owner_email"),
        )
        .outerjoin(USERS, USERS.c.id == OAUTH_APPLICATIONS.c.owner_id)
        .where(OAUTH_APPLICATIONS.c.id == given("id"))
    )
)
_BY_DOCUMENT = rows(
    lambda: select(*OAUTH_APPLICATIONS.c, null().label("owner_name"), null().label("owner_email")).where(
        OAUTH_APPLICATIONS.c.document_url == given("url")
    )
)


def _is_unused() -> Any:
    used = exists().where(OAUTH_GRANTS.c.application_id == OAUTH_APPLICATIONS.c.id)
    waiting = exists().where(OAUTH_DEVICES.c.application_id == OAUTH_APPLICATIONS.c.id)
    return (OAUTH_APPLICATIONS.c.is_dynamic == true()) & ~used & ~waiting


_FORGET = command(
    lambda: delete(OAUTH_APPLICATIONS).where(
        _is_unused(), OAUTH_APPLICATIONS.c.created_at < given("before", Instant())
    )
)
_UNUSED = rows(
    lambda: select(func.count().label("number")).select_from(OAUTH_APPLICATIONS).where(_is_unused())
)
_EVERY = rows(
    lambda: (
        select(*OAUTH_APPLICATIONS.c, USERS.c.email.label("owner_email"))
        .outerjoin(USERS, USERS.c.id == OAUTH_APPLICATIONS.c.owner_id)
        .where(OAUTH_APPLICATIONS.c.is_dynamic == false())
        .order_by(OAUTH_APPLICATIONS.c.id)
    )
)


@dataclass(frozen=True, slots=True)
class WithSecret:
    """An application and the secret that it just got, if it has one."""

    application: Any
    secret: str | None


async def list_own(cx: Context, query: PageQuery) -> Page[OAuthApplication]:
    """List the OAuth applications that the caller registered, oldest first."""
    return await LIST.page(cx.db, query.paging, cx.tokens, owner=_person(cx))


async def get_own(cx: Context, application_id: str) -> OAuthApplication:
    """Get an OAuth application that the caller registered."""
    found = await cx.db.first(_OWN, id=application_id, owner=_person(cx))
    if found is None:
        raise NotFound("There is no such application.")
    return found


async def create(cx: Context, new: OAuthApplicationCreate) -> WithSecret:
    """Register an OAuth application.

    The answer has the secret of a confidential one, which is not shown again. Takes a token without scopes.
    """
    return await create_for(cx, _owner(cx), new)


async def create_for(cx: Context, owner_id: str, new: OAuthApplicationCreate) -> WithSecret:
    """Register an application of a person; raises Invalid and Forbidden."""
    (count,) = await cx.db.all(_COUNT, owner=owner_id)
    if count.number >= MOST_OWN:
        raise Forbidden(f"One person may have {MOST_OWN} applications. Delete one first.")
    return await _add(cx, owner_id, new, secret=new_secret("c") if new.kind == "confidential" else None)


async def update(cx: Context, application_id: str, change: OAuthApplicationUpdate) -> OAuthApplication:
    """Change an OAuth application. Tokens that it has keep their scopes. Takes a token without scopes."""
    _owner(cx)
    held = await get_own(cx, application_id)
    return await cx.tx.change(OAuthApplication, {**change.sent(), "updated_at": cx.now}, id=held.id)


async def delete_own(cx: Context, application_id: str) -> None:
    """Delete an OAuth application. All its tokens end. Takes a token without scopes."""
    _owner(cx)
    await remove(cx, (await get_own(cx, application_id)).id)


async def remove(cx: Context, application_id: str) -> None:
    """Delete an application, and with it all that people allowed it."""
    await cx.tx.remove(OAuthApplication, id=application_id)


async def rotate_secret(cx: Context, application_id: str) -> WithSecret:
    """Give a confidential OAuth application a new secret. The old one stops working at once.

    Takes a token without scopes.
    """
    _owner(cx)
    return await new_secret_of(cx, await get_own(cx, application_id))


async def new_secret_of(cx: Context, held: Any) -> WithSecret:
    """Replace the secret of an application; raises Invalid where it has none."""
    if held.secret_hash is None:
        raise Invalid("A public application has no secret.")
    secret = new_secret("c")
    changed = {"secret_hash": token_hash(secret), "updated_at": cx.now}
    return WithSecret(await cx.tx.change(OAuthApplication, changed, id=held.id), secret)


def is_address(client_id: str) -> bool:
    """Tell whether a `client_id` is an address at which the application describes itself."""
    return client_id.startswith(("https://", "http://"))


async def find(cx: Context, client_id: str) -> Any | None:
    """Return an application, with `owner_name` and `owner_email`, as programs name it."""
    if is_address(client_id):
        return await cx.db.first(_BY_DOCUMENT, url=client_id) if cx.settings.oauth_client_documents else None
    if not _ID.fullmatch(client_id):
        return None
    return await cx.db.first(_BY_ID, id=client_id)


async def every(cx: Context) -> Sequence[Any]:
    """Return all applications that somebody registered, with the address of their owner."""
    return await cx.db.all(_EVERY)


async def register_itself(
    cx: Context, new: OAuthApplicationCreate, document: tuple[str, datetime] | None = None
) -> WithSecret:
    """Register an application that asks for it itself, or that has a document: its address, good until then.

    Raises TooManyRequests where many did that nobody has used.
    """
    await cx.tx.run(_FORGET, before=cx.now - timedelta(days=UNUSED_DAYS))
    (unused,) = await cx.db.all(_UNUSED)
    if unused.number >= MOST_UNUSED:
        raise TooManyRequests("Too many applications registered themselves lately.", 3600)
    secret = new_secret("c") if new.kind == "confidential" else None
    return await _add(cx, None, new, secret=secret, document=document)


async def _add(
    cx: Context,
    owner_id: str | None,
    new: OAuthApplicationCreate,
    *,
    secret: str | None,
    document: tuple[str, datetime] | None = None,
) -> WithSecret:
    made = await cx.tx.add(
        OAuthApplication,
        id=new_id(),
        owner_id=owner_id,
        name=new.name,
        homepage=new.homepage,
        redirect_uris=new.redirect_uris,
        secret_hash=secret and token_hash(secret),
        scopes=new.scopes,
        device_flow=new.device_flow,
        is_dynamic=owner_id is None,
        document_url=document and document[0],
        document_until=document and document[1],
        created_at=cx.now,
        updated_at=cx.now,
    )
    return WithSecret(made, secret)


def _person(cx: Context) -> str:
    return cx.actor.user_id


def _owner(cx: Context) -> str:
    """Return the caller, who may change applications; raises Forbidden."""
    scopes.refuse_narrowed(cx.actor)
    return cx.actor.user_id
