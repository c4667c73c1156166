"""How large a repository may be, how long it may take, and the errors that end a fetch or a push.

No error's sentence repeats what the other server said, an address or a credential.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from app.kit.errors import Conflict, Invalid, Problem


class GitProblem(Problem):
    """Anything that ends a fetch or a push; nothing was written then."""


class GitRefused(GitProblem, Invalid):
    """An address, a name, an object or an answer that is not accepted; or the server accepts no push."""


class Unreachable(GitProblem, Invalid):
    """Nobody answers, nobody answers in time, or there is no repository. `outage`: the server fails."""

    def __init__(self, message: str, *, path: str | None = None, outage: bool = False) -> None:
        super().__init__(message, path=path)
        self.outage = outage


class AuthFailed(GitProblem, Invalid):
    """The repository wants a user and token, others than those given, or gives them too few rights."""


class RepositoryTooLarge(GitProblem, Invalid):
    """The repository passes one of the limits."""


class RefMissing(GitProblem, Invalid):
    """The repository has no such branch, tag or commit. `empty`: it has no commit to start from at all."""

    def __init__(self, message: str, *, empty: bool = False) -> None:
        super().__init__(message, path="ref")
        self.empty = empty


class Stale(GitProblem, Conflict):
    """The branch is not where the caller saw it: somebody pushed meanwhile."""


MB = 1 << 20


@dataclass(frozen=True, slots=True)
class GitLimits:
    """Bytes, counts and seconds of one fetch or push.

    `refs` bounds the list of branches, `pack` what is sent in one answer, `blob` one object, `expanded` all
    objects once unpacked (on disk), `files` the files of the project directory.
    """

    seconds: float = 120.0
    refs: int = 20 * MB
    pack: int = 200 * MB
    objects: int = 200_000
    blob: int = 50 * MB
    expanded: int = 1024 * MB
    files: int = 100_000


@dataclass(slots=True)
class TimeBudget:
    """The time one piece of work has left. Work in a thread asks it often, as a thread cannot be ended."""

    seconds: float
    deadline: float = field(init=False)
    _given_up: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.deadline = time.monotonic() + self.seconds

    def give_up(self) -> None:
        """Nobody waits for the result any more."""
        self._given_up.set()

    def check(self) -> None:
        """Raises Unreachable when time is up, or nobody waits."""
        if self._given_up.is_set() or time.monotonic() > self.deadline:
            raise Unreachable("The repository took too long.", outage=True)


def too_large(what: str, limit: int) -> RepositoryTooLarge:
    """Return the refusal of something that has more bytes than the limit."""
    return RepositoryTooLarge(f"{what} than {max(1, limit // MB):,} MB.")


def broken() -> GitRefused:
    """Return the refusal of data that no sound repository holds."""
    return GitRefused("The repository's data is damaged or not what git servers send.")
