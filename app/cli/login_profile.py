"""The server that somebody has logged in to: where, with which tokens, and calls of its API.

The tokens are in a file of the person's configuration that nobody else may read. A command works against that
server unless its database is named, by `--database` or by the environment.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import httpx

from app.cli.command_settings import CommandRefused
from app.cli.output import say
from app.kit.database.paging import MAX_LIMIT
from app.kit.environment import variable

CLIENT_ID = "docyard-cli"
AGAIN = "Log in again: docyard login URL"
PATIENCE = 60.0  # seconds
LEEWAY = 30  # seconds before its end in which a token is not sent any more
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_NO_LOGIN = f"You are not logged in to a server. {AGAIN}"


@dataclass(frozen=True, slots=True)
class Profile:
    """A server, and the tokens of whoever logged in; `expires_at` are seconds since 1970."""

    url: str
    access: str
    refresh: str
    expires_at: float
    token_endpoint: str
    revocation_endpoint: str


def file() -> Path:
    """Return the file of the profile."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "docyard" / "login.json"


def load() -> Profile:
    """Return the profile; raises CommandRefused where nobody is logged in."""
    try:
        return Profile(**json.loads(file().read_text()))
    except FileNotFoundError:
        raise CommandRefused(_NO_LOGIN) from None
    except (ValueError, TypeError, OSError):
        raise CommandRefused(f"{file()} cannot be read. {AGAIN}") from None


def chosen(database: str | None) -> Profile | None:
    """Return the profile that a command works with; None where it works with a database."""
    if database is not None or variable("database") in os.environ or not file().exists():
        return None
    found = load()
    say(f"At {found.url} (docyard login; --database names a database instead).")
    return found


def save(profile: Profile) -> None:
    """Keep the profile where only its person reads it."""
    place = file()
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    written = place.with_suffix(f".{os.getpid()}")
    written.unlink(missing_ok=True)
    with os.fdopen(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
        json.dump(asdict(profile), opened)
    written.replace(place)


def forget() -> None:
    """Remove the profile."""
    file().unlink(missing_ok=True)


def checked_address(url: str) -> str:
    """Return the address of a server without a slash at its end; raises CommandRefused for an unsafe one."""
    found = urlsplit(url)
    if found.scheme == "https" or (found.scheme == "http" and found.hostname in _LOOPBACK):
        return url.rstrip("/")
    raise CommandRefused("Give the https:// URL of the server; http:// is accepted for this machine only.")


class RemoteServer:
    """Calls of the API as the person who logged in; tokens are refreshed when their time is over."""

    def __init__(self, profile: Profile, http: httpx.AsyncClient) -> None:
        self.profile, self._http = profile, http

    async def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """Return the answer of an operation; raises CommandRefused with what the server says."""
        if self.profile.expires_at - LEEWAY < time.time():
            await self._refresh()
        answer = await self._http.request(
            method,
            f"{self.profile.url}/v1{path}",
            json=body,
            params=query,
            headers={"Authorization": f"Bearer {self.profile.access}"},
        )
        if answer.status_code == 401:
            raise CommandRefused(f"The server has ended this login. {AGAIN}")
        if answer.is_error:
            raise CommandRefused(_said(answer))
        return answer.json() if answer.content else None

    async def items(self, path: str, **filters: str) -> AsyncIterator[Any]:
        """Yield the items of all pages of a list."""
        query: dict[str, Any] = {"limit": MAX_LIMIT, **filters}
        while True:
            page = await self.call("GET", path, **query)
            for item in page["items"]:
                yield item
            if "next" not in page:
                return
            query["page"] = page["next"]["page"]

    async def send(self, upload: Any, content: bytes) -> None:
        """Send the bytes of an upload; raises CommandRefused."""
        headers = {each["name"]: each["value"] for each in upload["headers"]}
        answer = await self._http.request(
            upload["method"], upload["uploadURL"], content=content, headers=headers
        )
        if answer.is_error:
            raise CommandRefused(_said(answer))

    async def fetch(self, address: str, target: IO[bytes]) -> None:
        """Write what is at a signed address to a file; raises CommandRefused."""
        async with self._http.stream("GET", address) as answer:
            if answer.is_error:
                await answer.aread()
                raise CommandRefused(_said(answer))
            async for chunk in answer.aiter_bytes():
                target.write(chunk)

    async def _refresh(self) -> None:
        sent = {"grant_type": "refresh_token", "refresh_token": self.profile.refresh, "client_id": CLIENT_ID}
        answer = await self._http.post(self.profile.token_endpoint, data=sent)
        if answer.status_code == 400:
            raise CommandRefused(f"The login has ended. {AGAIN}")
        if answer.is_error:
            raise CommandRefused(_said(answer))
        self.profile = with_tokens(self.profile, answer.json())
        save(self.profile)


def with_tokens(profile: Profile, got: dict[str, Any]) -> Profile:
    """Return the profile with the tokens that the server gave."""
    until = time.time() + float(got["expires_in"])
    return replace(profile, access=got["access_token"], refresh=got["refresh_token"], expires_at=until)


@asynccontextmanager
async def connected(profile: Profile) -> AsyncIterator[RemoteServer]:
    """Connect to the API of the server until the block ends."""
    async with calling() as http:
        yield RemoteServer(profile, http)


@asynccontextmanager
async def calling() -> AsyncIterator[httpx.AsyncClient]:
    """Make calls, and say in a sentence what keeps a server from being reached."""
    try:
        async with httpx.AsyncClient(timeout=PATIENCE) as http:
            yield http
    except httpx.HTTPError as error:
        raise CommandRefused(f"The server cannot be reached: {error or type(error).__name__}.") from error


def _said(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return f"The server answered with status {answer.status_code}."
