"""Git's protocol, by dulwich, over the guarded client; and folders of this machine for those who may.

The only module that imports dulwich. The library gets no sockets, no proxies, no configuration and no
credentials: it asks for one of three addresses below the repository's own, and reads what came. What a
hostile server makes it stumble over is one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from dulwich.client import AbstractHttpGitClient, GitClient, LocalGitClient
from dulwich.errors import GitProtocolError, HangupException, NotGitRepository, SendPackError
from dulwich.objects import ObjectID
from dulwich.pack import UnpackedObject
from dulwich.refs import Ref
from dulwich.repo import Repo

from app.kit.git.limits import GitRefused, RefMissing, Stale, Unreachable, broken, checked_address, too_large
from app.kit.git.transport import Transport

ZERO = b"0" * 40
_STUMBLED = (
    GitProtocolError, HangupException, SendPackError, AssertionError, AttributeError, IndexError, KeyError,
    NotImplementedError, TypeError, ValueError,
)  # fmt: skip

Choose = Callable[[dict[bytes, bytes]], list[bytes]]


@dataclass(slots=True)
class _Response:
    """The parts of a response that dulwich reads."""

    content_type: str
    redirect_location: str
    body: BinaryIO

    def close(self) -> None:
        self.body.close()


class _Http(AbstractHttpGitClient):
    """dulwich's protocol with our requests."""

    def __init__(self, url: str, line: Transport) -> None:
        super().__init__(url, thin_packs=False, quiet=True)
        self._home = url
        self._line = line

    def _http_request(
        self, url: str, headers: dict[str, str] | None = None, data: Any = None, raise_for_status: bool = True
    ) -> tuple[Any, Callable[[int], bytes]]:
        limits = self._line.limits
        bare, _, question = url.partition("?")
        service = (
            question.removeprefix("service=") if bare.endswith("/info/refs") else bare.rpartition("/")[2]
        )
        if service not in ("git-upload-pack", "git-receive-pack"):
            raise broken()
        checked_address(bare, self._line.outbound)
        content = data if data is None or isinstance(data, bytes) else b"".join(data)
        most = limits.refs if data is None else limits.pack
        fetched, body = self._line.exchange(url, self._home, dict(headers or {}), content, most)
        moved = fetched.url if fetched.url != url else ""
        if moved:
            checked_address(moved.partition("?")[0], self._line.outbound)
        if fetched.content_type != f"application/x-{service}-{'advertisement' if data is None else 'result'}":
            raise Unreachable("There is no repository at this address.", path="url")
        _refuse_error(body)
        return _Response(fetched.content_type, moved, body), body.read


class _NoHistory(Iterator[bytes | None]):
    """Tells the server that we have nothing."""

    def __next__(self) -> bytes | None:
        return None

    def ack(self, sha: bytes) -> None:
        """Do nothing: there is nothing to remember."""

    def nak(self) -> None:
        """Do nothing: there is nothing to remember."""


@dataclass(frozen=True, slots=True)
class GitConnection:
    """One repository: its client, and the path that the client wants to be given each time."""

    client: GitClient
    path: bytes
    line: Transport

    def fetch(self, choose: Choose, names: Sequence[str], into: Path, *, without_files: bool = False) -> None:
        """Write what `choose` wants of the refs, without its history, into a pack file.

        `names` are the full refs that matter. With `without_files` the server may leave out files' bytes.
        """
        limit = self.line.limits.pack
        with _understood(), into.open("wb") as file:

            def take(data: bytes) -> int:
                self.line.patience.check()
                if file.tell() + len(data) > limit:
                    raise too_large("The repository is larger", limit)
                return file.write(data)

            self.client.fetch_pack(
                self.path,
                lambda refs, depth=None: [ObjectID(oid) for oid in choose(_hexadecimal(refs))],
                _NoHistory(),  # type: ignore[arg-type]
                take,
                depth=1,
                ref_prefix=[name.encode() for name in names],
                filter_spec=b"blob:none" if without_files else None,
            )

    def push(self, name: str, old: bytes, new: bytes, objects: list[tuple[int, bytes, bytes]]) -> None:
        """Move a ref from `old` (zeros: it is new) to `new`, sending objects (kind, id, content).

        Raises Stale when the ref is elsewhere, GitRefused when the server will not move it.
        """
        ref = name.encode()

        def update(refs: dict[Ref, ObjectID]) -> dict[Ref, ObjectID]:
            if refs.get(Ref(ref), ZERO) != old:
                raise moved()
            return {Ref(ref): ObjectID(new)}

        def packed(have: Any, want: Any, **_options: Any) -> tuple[int, Iterator[UnpackedObject]]:
            units = (UnpackedObject(kind, sha=oid, decomp_chunks=[content]) for kind, oid, content in objects)
            return len(objects), units

        with _understood():
            result = self.client.send_pack(self.path, update, packed)
            if any((result.ref_status or {}).values()):
                raise self._why_not(ref, old)

    def _why_not(self, ref: bytes, old: bytes) -> Stale | GitRefused:
        refs = self.client.get_refs(self.path, ref_prefix=[ref]).refs
        if (refs.get(Ref(ref)) or ZERO) != old:
            return moved()
        return GitRefused("The repository did not accept the push; the branch may be protected.")


def connect(url: str, line: Transport) -> GitConnection:
    """Return a connection to a checked address. Nothing is asked yet."""
    return GitConnection(_Http(url, line), b"", line)


def connect_local(folder: Path, line: Transport, *, pushing_to: str | None = None) -> GitConnection:
    """Return a connection to a repository on this machine.
    Raises GitRefused to push to a checked out branch.
    """
    with _understood(), Repo(str(folder)) as repository:
        if pushing_to and not repository.bare:
            followed, _ = repository.refs.follow(Ref(b"HEAD"))
            if pushing_to.encode() in followed:
                raise GitRefused("The branch is checked out in that folder; push to a bare repository.")
    return GitConnection(LocalGitClient(), bytes(folder), line)


def moved() -> Stale:
    """Return the sentence for a branch that is not where it was."""
    return Stale("The branch changed meanwhile; fetch it again.")


def _refuse_error(body: BinaryIO) -> None:
    """Raise for a response that is one line of error, which dulwich would take for a broken connection."""
    line = body.read(200)
    body.seek(0)
    if line[4:8] == b"ERR ":
        raise RefMissing("The repository has no such commit.") if b"not our ref" in line else broken()


def _hexadecimal(refs: dict[Ref, ObjectID]) -> dict[bytes, bytes]:
    if any(len(oid) != 40 for oid in refs.values()):
        raise GitRefused("Repositories with SHA-256 ids are not supported.")
    return {bytes(name): bytes(oid) for name, oid in refs.items()}


@contextmanager
def _understood() -> Iterator[None]:
    """Raise errors of dulwich as our own, without the text of the other side."""
    try:
        yield
    except NotGitRepository:
        raise Unreachable("There is no repository at this address.", path="url") from None
    except _STUMBLED:
        raise broken() from None
