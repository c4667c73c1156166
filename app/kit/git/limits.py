"""How large a repository may be and how long it may take."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from app.kit.git.errors import GitRefused, TooLarge, Unreachable

MB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
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
class Patience:
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


def too_large(what: str, limit: int) -> TooLarge:
    """The refusal of something that has more bytes than the limit."""
    return TooLarge(f"{what} than {max(1, limit // MB):,} MB.")


def broken() -> GitRefused:
    """The refusal of data that no sound repository holds."""
    return GitRefused("The repository's data is damaged or not what git servers send.")
