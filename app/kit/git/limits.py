"""Limits on repositories (size, time), accepted addresses, refs and file names, and the errors of Git.

No error message repeats an answer of the other server, an address or a credential.

Addresses are https, http only for hosts in the outbound allow list, or folders for callers who may read this
machine. Refs follow git's own rules. A repository is refused if git would refuse to check out one of its file
names on any system, since such names are not there by accident.
"""

from __future__ import annotations

import re
import threading
import time
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from app.kit.errors import Conflict, Invalid, Problem
from app.kit.http.outbound import DEFAULT_PORTS, Outbound


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
        """Stop the work: nobody waits for its result any more."""
        self._given_up.set()

    def check(self) -> None:
        """Raise Unreachable when time is up, or nobody waits."""
        if self._given_up.is_set() or time.monotonic() > self.deadline:
            raise Unreachable("The repository took too long.", outage=True)


def too_large(what: str, limit: int) -> RepositoryTooLarge:
    """Return the refusal of something that has more bytes than the limit."""
    return RepositoryTooLarge(f"{what} than {max(1, limit // MB):,} MB.")


def broken() -> GitRefused:
    """Return the refusal of data that no sound repository holds."""
    return GitRefused("The repository's data is damaged or not what git servers send.")


MOST_DEPTH = 64
MOST_PATH = 1024
MOST_PATH_BYTES = 2_000  # an index must hold it on every engine
BRANCHES, TAGS = "refs/heads/", "refs/tags/"

_ODD = re.compile(r"[\x00-\x20\x7f-\xa0\\\ud800-\udfff]")
_NOT_IN_REFS = re.compile(r"[\x00-\x20\x7f~^:?*\[\\\ud800-\udfff]|\.\.|@\{|//|/\.|\.lock(?:/|$)|\.(?:/|$)")
_COMMIT = re.compile(r"[0-9a-f]{40}")
# Characters that some file systems do not see in a name.
_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad]")


def checked_address(url: str, outbound: Outbound) -> str:
    """Return a repository's address, or GitRefused with the reason."""
    if url.startswith("-") or len(url) > 2048 or _ODD.search(url):
        raise GitRefused("The address is not a valid URL.", path="url")
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise GitRefused("The address is not a valid URL.", path="url") from None
    if parts.scheme not in DEFAULT_PORTS or not host:
        raise GitRefused("Only https addresses of repositories are supported.", path="url")
    if "@" in parts.netloc:
        raise GitRefused("The address may not contain a user name or password.", path="url")
    if parts.query or parts.fragment or ".." in unquote(parts.path).split("/"):
        raise GitRefused("The address may have no query, no fragment and no `..`.", path="url")
    if parts.scheme == "http" and (host, port or DEFAULT_PORTS["http"]) not in outbound.allow:
        raise GitRefused("Only https addresses of repositories are supported.", path="url")
    return url.rstrip("/")


def checked_folder(url: str) -> Path:
    """Return the folder that a path or a file:// address names, or GitRefused;
    Unreachable when it is not there.
    """
    path = unquote(urlsplit(url).path) if url.startswith("file:///") else url
    if path.startswith("-") or "\0" in path or "://" in path or "::" in path:
        raise GitRefused("The address is not a folder.", path="url")
    folder = Path(path)
    if not folder.is_dir():
        raise Unreachable("There is no such folder.", path="url")
    return folder.resolve()


def checked_source(url: str, outbound: Outbound, *, local: bool) -> str | Path:
    """Return an address, or where `local` allows it the folder it names; raises as the two above do."""
    return checked_folder(url) if local else checked_address(url, outbound)


def checked_ref(ref: str) -> str:
    """Return a branch, a tag, `HEAD` or a full commit id, or GitRefused."""
    if (
        not ref
        or len(ref) > 255
        or ref[0] in "-./"
        or ref[-1] == "/"
        or ref == "@"
        or _NOT_IN_REFS.search(ref)
    ):
        raise GitRefused("The ref is not a valid name of a branch, a tag or a commit.", path="ref")
    return ref


def is_commit(ref: str) -> bool:
    """Tell whether it is a full commit id."""
    return _COMMIT.fullmatch(ref) is not None


def candidates(ref: str) -> list[str]:
    """Return the full names a ref may stand for, the first that exists wins; none for a commit id."""
    if is_commit(ref):
        return []
    if ref == "HEAD" or ref.startswith("refs/"):
        return [ref]
    return [BRANCHES + ref, TAGS + ref]


def branch(ref: str) -> str:
    """Return the full name of a branch that can be pushed to, or GitRefused."""
    name = checked_ref(ref)
    if not name.startswith("refs/"):
        name = BRANCHES + name
    if not name.startswith(BRANCHES) or name == BRANCHES + "HEAD" or is_commit(ref):
        raise GitRefused("Only branches can be pushed to.", path="ref")
    return name


def checked_directory(directory: str) -> list[str]:
    """Return a project directory as its folders' names, none for the whole repository; or GitRefused."""
    names = [name for name in directory.strip("/").split("/") if name not in ("", ".")]
    if len(names) > MOST_DEPTH or any(hostile(name) or plain(name) for name in names):
        raise GitRefused("The project directory is not a folder's path.", path="repoProjectDirectory")
    return names


def checked_path(path: str) -> list[str]:
    """Return a file's path as its parts, or GitRefused."""
    parts = path.split("/")
    if (
        len(path) > MOST_PATH
        or len(parts) > MOST_DEPTH
        or any(hostile(name) or plain(name) for name in parts)
    ):
        raise GitRefused(f"A file cannot be written to a repository under this name: {path[:200]!r}.")
    return parts


def hostile(name: str) -> bool:
    """Tell whether a name in a tree leads outside, or into git's own folder, on some system."""
    if name in ("", ".", "..") or "/" in name or "\\" in name or "\0" in name:
        return True
    seen = unicodedata.normalize("NFC", _UNSEEN.sub("", name)).casefold().partition(":")[0].rstrip(" .")
    return seen in (".git", "git~1")


def plain(name: str) -> str | None:
    """Return why a harmless name is passed over, or None when it is not."""
    if name[1:2] == ":":
        return "its name is not a relative path"
    if not name.isprintable() and re.search("[\x00-\x1f\x7f\ud800-\udfff\u202a-\u202e\u2066-\u2069]", name):
        return "its name has characters that are not text, or hide how it reads"
    return None
