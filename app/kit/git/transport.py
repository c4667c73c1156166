"""The way out for work in a thread: every request is made by the guarded client, on the event loop.

The git library blocks, so it runs in a thread; the client is asynchronous and the only one there is. The
thread hands each request to the loop and waits; answers are written to a scratch file, not held.
"""

from __future__ import annotations

import asyncio
import base64
import concurrent.futures
import re
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import BinaryIO
from urllib.parse import urlsplit

from app.kit.git.limits import (
    AuthFailed,
    GitLimits,
    GitProblem,
    GitRefused,
    RepositoryTooLarge,
    TimeBudget,
    Unreachable,
    too_large,
)
from app.kit.http.outbound import Outbound, OutboundError, OutboundResponse, ResponseTooLarge

# Some hosts show their web pages to whoever does not say that it is git.
AGENT = "git/2.40 (Docyard)"


@dataclass(frozen=True, slots=True)
class GitCredentials:
    """A user and a token or password; they are sent to the repository's own server only."""

    user: str
    token: str = field(repr=False)

    def __post_init__(self) -> None:
        if ":" in self.user or re.search(r"[\x00-\x1f\x7f]", self.user + self.token):
            raise GitRefused("The user or token has characters that cannot be sent.")

    @property
    def header(self) -> str:
        """Return the value of `Authorization`."""
        return "Basic " + base64.b64encode(f"{self.user}:{self.token}".encode()).decode()


@dataclass(frozen=True, slots=True)
class Transport:
    """The connection of a thread to the outside: one origin's credentials, limits, and the time left.

    `bodies` closes what came back, when the work is done.
    """

    outbound: Outbound
    limits: GitLimits
    credentials: GitCredentials | None
    loop: asyncio.AbstractEventLoop
    patience: TimeBudget
    bodies: ExitStack

    def exchange(
        self, url: str, home: str, headers: dict[str, str], content: bytes | None, limit: int
    ) -> tuple[OutboundResponse, BinaryIO]:
        """Return one request; the answer and its body as an open file at its start.

        Credentials go along when `url` has the origin of `home`. Raises GitProblem.
        """
        headers = {**headers, "user-agent": AGENT}
        if self.credentials is not None and _origin(url) == _origin(home):
            headers["authorization"] = self.credentials.header
        body = tempfile.SpooledTemporaryFile(max_size=1 << 20)  # noqa: SIM115 (closed with the others)
        self.bodies.enter_context(body)
        fetched = self._wait(url, headers, content, limit, body.write)
        body.seek(0)
        return fetched, body  # type: ignore[return-value]

    def _wait(
        self,
        url: str,
        headers: dict[str, str],
        content: bytes | None,
        limit: int,
        into: Callable[[bytes], object],
    ) -> OutboundResponse:
        self.patience.check()
        asked = self.outbound.fetch(
            url,
            headers=headers,
            method="GET" if content is None else "POST",
            content=content,
            max_bytes=limit,
            deadline=self.patience.deadline,
            into=into,
        )
        waiting = asyncio.run_coroutine_threadsafe(asked, self.loop)
        try:
            # The client keeps to the deadline itself; the margin is for a loop that no longer runs.
            return waiting.result(max(0.0, self.patience.deadline - time.monotonic()) + 5)
        except ResponseTooLarge:
            raise too_large("The repository is larger", limit) from None
        except OutboundError as error:
            raise _told(error, self.credentials is not None) from None
        except (TimeoutError, concurrent.futures.CancelledError):
            waiting.cancel()
            raise Unreachable("The repository took too long.", outage=True) from None


def _told(error: OutboundError, had_credentials: bool) -> GitProblem:
    """Return what a failed request means to somebody who wanted a repository."""
    if error.status == 401 and not had_credentials:
        return AuthFailed("The repository asks for a user and a token.")
    if error.status == 401:
        return AuthFailed("The repository does not accept this user and token.")
    if error.status == 403:
        return AuthFailed("The repository does not allow this.")
    if error.status in (404, 410):
        return Unreachable("There is no repository at this address.", path="url")
    if error.status == 413:
        return RepositoryTooLarge("The repository's server accepts no push of this size.")
    return Unreachable(error.message, path="url", outage=error.outage)


def _origin(url: str) -> tuple[str, str | None, int]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
