"""The device flow (RFC 8628): a program shows a short code, which somebody enters in a browser."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from sqlalchemy import delete, select

from app.access.context import Context
from app.access.rate_limits import Rate
from app.domain.accounts.oauth.authorizations import Asked
from app.kit.database.columns import Instant
from app.kit.database.statements import command, given, rows, table
from app.kit.errors import NotFound
from app.kit.signing import new_secret, token_hash
from app.models.oauth import OAuthDevice

LASTS = timedelta(minutes=10)
INTERVAL = timedelta(seconds=5)
GUESSES = Rate(10, "You have entered many codes; wait some minutes before the next one.", 600)
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
OAUTH_DEVICES = table(OAuthDevice)
_BY_HASH = rows(lambda: select(*OAUTH_DEVICES.c).where(OAUTH_DEVICES.c.hash == given("hash")))
_BY_USER_CODE = rows(lambda: select(*OAUTH_DEVICES.c).where(OAUTH_DEVICES.c.user_code == given("code")))
_TAKE = rows(
    lambda: delete(OAUTH_DEVICES).where(OAUTH_DEVICES.c.hash == given("hash")).returning(OAUTH_DEVICES.c.hash)
)
_FORGET = command(
    lambda: delete(OAUTH_DEVICES).where(OAUTH_DEVICES.c.expires_at < given("before", Instant()))
)
State = Literal["approved", "denied", "expired", "pending", "hasty"]


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes that a device gets: the code that it asks with, and the one that it shows."""

    device: str
    user: str


async def begin(cx: Context, application_id: str, asked: Asked, address: str | None) -> Codes:
    """Let a device wait; `address` is where it calls from."""
    await cx.tx.run(_FORGET, before=cx.now - LASTS)
    letters = "".join(secrets.choice(LETTERS) for _ in range(8))
    codes = Codes(new_secret("d"), f"{letters[:4]}-{letters[4:]}")
    row = {
        "hash": token_hash(codes.device),
        "user_code": _key(cx, codes.user),
        "application_id": application_id,
        "scopes": list(asked.scopes),
        "audience": asked.audience,
        "address": address,
        "denied": False,
        "created_at": cx.now,
        "expires_at": cx.now + LASTS,
    }
    await cx.tx.add_many(OAuthDevice, [row])
    return codes


async def find(cx: Context, user_code: str) -> Any:
    """Return the device that shows this code and still waits; raises NotFound."""
    found = await cx.db.first(_BY_USER_CODE, code=_key(cx, user_code))
    if found is None or found.expires_at <= cx.now or found.denied or found.authorization_id:
        raise NotFound("No device is waiting with this code. Check the code, or start again on the device.")
    return found


async def approve(cx: Context, device: Any, authorization_id: str) -> None:
    """Let a device have the tokens of an authorization."""
    await cx.tx.put(OAuthDevice, {"authorization_id": authorization_id}, hash=device.hash)


async def deny(cx: Context, device: Any) -> None:
    """Refuse a device."""
    await cx.tx.put(OAuthDevice, {"denied": True}, hash=device.hash)


async def get(cx: Context, device_code: str) -> Any | None:
    """Return the device that has this code."""
    return await cx.db.first(_BY_HASH, hash=token_hash(device_code))


async def poll(cx: Context, device: Any) -> State:
    """Return how it stands with a device that asks, and note when it did."""
    if device.expires_at <= cx.now:
        return "expired"
    if device.denied:
        return "denied"
    if device.authorization_id:
        return "approved"
    hasty = device.polled_at is not None and cx.now - device.polled_at < INTERVAL
    await cx.tx.put(OAuthDevice, {"polled_at": cx.now}, hash=device.hash)
    return "hasty" if hasty else "pending"


async def take(cx: Context, device: Any) -> bool:
    """Let a device wait no more; tell whether it still did."""
    return bool(await cx.tx.all(_TAKE, hash=device.hash))


def _key(cx: Context, user_code: str) -> str:
    """Return by what a code is found, however it was typed."""
    return cx.signer.fingerprint("oauth device", re.sub(r"[^A-Z]", "", user_code.upper()[:40]))
