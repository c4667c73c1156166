"""One piece of work on a repository: in a thread, within the limits, unpacking what a server sent.

Unpacking what a git server sent, without trusting a word it says.

Every size is checked against its limit before a byte is expanded; a delta reads only the ranges it copies,
from the scratch file, so that neither long chains nor many deltas of one large base cost more than what they
give; nothing recurses. The pack format is version 2, `gitformat-pack` in git's documentation.

One piece of work on a repository: in a thread, in a scratch folder of its own, within the limits.
"""

from __future__ import annotations

import asyncio
import hashlib
import mmap
import shutil
import tempfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from app.kit.git.limits import (
    GitLimits,
    GitRefused,
    RepositoryTooLarge,
    TimeBudget,
    Unreachable,
    broken,
    too_large,
)
from app.kit.git.objects import BLOB, COMMIT, TAG, TREE, Objects
from app.kit.git.transport import GitCredentials, Transport
from app.kit.http.outbound import Outbound

if TYPE_CHECKING:
    from app.kit.git.connection import GitConnection


_OFFSET_DELTA, _ID_DELTA = 6, 7
_STEP = 1 << 16
_MOST_BITS = 63


class _Delta(NamedTuple):
    """A delta seen but not yet applied: where its entry begins, where its data does, its expanded size."""

    offset: int
    data: int
    size: int


class _Pack:
    """One pack in memory-mapped bytes, unpacked in two passes: whole objects, then deltas."""

    def __init__(
        self, data: mmap.mmap, objects: Objects, limits: GitLimits, check: Callable[[], None]
    ) -> None:
        self._data = data
        self._objects = objects
        self._limits = limits
        self._check = check
        self._made = 0
        self._whole: list[tuple[int, bytes]] = []
        self._waiting: dict[int | bytes, list[_Delta]] = {}

    def scan(self) -> None:
        """Keep all whole objects, remember all deltas by their base."""
        count = int.from_bytes(self._data[8:12])
        if self._data[:8] != b"PACK\0\0\0\2":
            raise broken()
        if count > self._limits.objects:
            raise RepositoryTooLarge(f"The repository has more than {self._limits.objects:,} objects.")
        position = 12
        for _ in range(count):
            position = self._entry(position)
        end = len(self._data) - 20
        with memoryview(self._data) as view, view[:end] as body:
            digest = hashlib.sha1(body, usedforsecurity=False).digest()
        if position != end or digest != self._data[end:]:
            raise broken()

    def resolve(self) -> None:
        """Apply each delta once its base is known."""
        ready = self._whole
        while ready:
            offset, oid = ready.pop()
            for delta in (*self._waiting.pop(offset, ()), *self._waiting.pop(oid, ())):
                content = self._applied(oid, self._inflate(delta.data, delta.size)[0])
                ready.append((delta.offset, self._objects.add(self._objects.place(oid).kind, content)))
        if self._waiting:
            raise broken()

    def _entry(self, offset: int) -> int:
        """Take in the entry that begins here; gives where the next one does."""
        first = self._data[offset]
        kind, size, position = first >> 4 & 7, first & 15, offset + 1
        if first & 128:
            more, position = _number(self._data, position)
            size |= more << 4
        if size > self._limits.blob:
            raise too_large("A file in the repository is larger", self._limits.blob)
        base: int | bytes | None = None
        if kind == _OFFSET_DELTA:
            base, position = self._base_offset(offset, position)
        elif kind == _ID_DELTA:
            base, position = self._data[position : position + 20], position + 20
        elif kind not in (COMMIT, TREE, BLOB, TAG):
            raise broken()
        content, end = self._inflate(position, size)
        if base is None:
            self._whole.append((offset, self._objects.add(kind, content)))
        else:
            self._waiting.setdefault(base, []).append(_Delta(offset, position, size))
        return end

    def _base_offset(self, offset: int, position: int) -> tuple[int, int]:
        """Return how far back the base begins: seven bits a byte, each continuation adding one."""
        byte = self._data[position]
        back = byte & 127
        while byte & 128:
            position += 1
            byte = self._data[position]
            back = (back + 1) << 7 | byte & 127
            if back > offset:
                raise broken()
        return offset - back, position + 1

    def _inflate(self, position: int, size: int) -> tuple[bytes, int]:
        """Return the `size` bytes compressed here, and where the compressed data ends."""
        self._count(size)
        stream = zlib.decompressobj()
        step = min(_STEP, size + 64)
        parts = []
        left = size
        while not stream.eof:
            chunk = stream.unconsumed_tail
            if not chunk:
                chunk = self._data[position : position + step]
                position += len(chunk)
            content = stream.decompress(chunk, left + 1)
            left -= len(content)
            if left < 0 or not (chunk or content):
                raise broken()
            parts.append(content)
        if left:
            raise broken()
        return b"".join(parts), position - len(stream.unused_data)

    def _count(self, size: int) -> None:
        """Count everything made, also what is thrown away; each delta is expanded twice."""
        self._check()
        self._made += size
        if self._made > 3 * self._limits.expanded:
            raise too_large("The repository's files are larger", self._limits.expanded)

    def _applied(self, base: bytes, delta: bytes) -> bytearray:
        """Return what a delta makes of its base."""
        source = self._objects.place(base)
        source_size, position = _number(delta, 0)
        size, position = _number(delta, position)
        if source_size != source.size:
            raise broken()
        if size > self._limits.blob:
            raise too_large("A file in the repository is larger", self._limits.blob)
        self._count(size)
        made = bytearray()
        while position < len(delta):
            self._check()
            code = delta[position]
            if code & 128:
                start, length, position = _copy(delta, position)
                if start + length > source.size or len(made) + length > size:
                    raise broken()
                made += self._objects.read(source, start, length)
            else:
                made += delta[position + 1 : position + 1 + code]
                position += 1 + code
                if not code or position > len(delta) or len(made) > size:
                    raise broken()
        if len(made) != size:
            raise broken()
        return made


def unpack(pack: Path, objects: Objects, limits: GitLimits, check: Callable[[], None]) -> None:
    """Put all objects of a pack file into `objects`. `check` is called often and may raise to end the work.

    Raises GitRefused for a pack that is broken or refers to objects it does not hold, TooLarge for one that
    passes a limit.
    """
    if pack.stat().st_size < 32:
        raise broken()
    try:
        with pack.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            sent = _Pack(data, objects, limits, check)
            sent.scan()
            sent.resolve()
    except (zlib.error, IndexError):
        raise broken() from None


def _number(data: bytes | mmap.mmap, position: int) -> tuple[int, int]:
    """Return a number of seven bits a byte, lowest first, and where it ends."""
    number = shift = 0
    while True:
        byte = data[position]
        number |= (byte & 127) << shift
        shift += 7
        position += 1
        if not byte & 128:
            return number, position
        if shift > _MOST_BITS:
            raise broken()


def _copy(delta: bytes, position: int) -> tuple[int, int, int]:
    """Return a copy instruction: from where, how many bytes, and where the next instruction begins."""
    code = delta[position]
    position += 1
    values = []
    for bits in (code & 15, code >> 4 & 7):
        value = 0
        for shift in range(0, 32, 8):
            if bits & 1:
                value |= delta[position] << shift
                position += 1
            bits >>= 1
        values.append(value)
    return values[0], values[1] or 0x10000, position


Done = TypeVar("Done")
Choose = Callable[[dict[bytes, bytes]], bytes]


@dataclass(frozen=True, slots=True)
class Work:
    """A connected repository, and the scratch folder with what was received from it."""

    connection: GitConnection
    objects: Objects
    folder: Path
    limits: GitLimits
    patience: TimeBudget

    def receive(self, choose: Choose, names: Sequence[str], *, without_files: bool = False) -> bytes:
        """Fetch what `choose` picks of the server's refs, by full name; gives the id it picked (20 bytes)."""
        picked: list[bytes] = []

        def choose_once(refs: dict[bytes, bytes]) -> list[bytes]:
            picked.append(choose(refs))
            return picked

        pack = self.folder / "pack"
        self.connection.fetch(choose_once, names, pack, without_files=without_files)
        unpack(pack, self.objects, self.limits, self.patience.check)
        pack.unlink()
        return bytes.fromhex(picked[0].decode())

    def discard(self) -> None:
        """Remove what was received."""
        self.objects.close()
        shutil.rmtree(self.folder, ignore_errors=True)


async def run_in_thread(
    task: Callable[[Work], Done],
    source: str | Path,
    outbound: Outbound,
    limits: GitLimits | None,
    credentials: GitCredentials | None,
    *,
    pushing_to: str | None = None,
) -> Done:
    """Run a blocking task on a checked address or folder in a thread; it discards its work unless it fails.

    Raises GitProblem; a task whose caller is cancelled ends soon after.
    """
    bounds = limits or GitLimits()
    patience = TimeBudget(bounds.seconds)
    client = replace(outbound, timeout=bounds.seconds, max_bytes=max(bounds.pack, bounds.refs))
    loop = asyncio.get_running_loop()

    def run() -> Done:
        folder = Path(tempfile.mkdtemp(prefix="docyard-git-"))
        objects = Objects(folder, bounds)
        try:
            with ExitStack() as bodies:
                line = Transport(client, bounds, credentials, loop, patience, bodies)
                done = task(Work(_connected(source, line, pushing_to), objects, folder, bounds, patience))
            patience.check()
            return done
        except BaseException as error:
            objects.close()
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError):
                raise Unreachable("The repository cannot be read, or this machine's disk is full.") from None
            raise

    try:
        return await asyncio.to_thread(run)
    except BaseException:
        patience.give_up()
        raise


def _connected(source: str | Path, line: Transport, pushing_to: str | None) -> GitConnection:
    """Return a connection; loads the Git library, which start-up does not need."""
    try:
        from app.kit.git.connection import connect, connect_local
    except ModuleNotFoundError as missing:
        if not (missing.name or "").startswith("dulwich"):
            raise
        raise GitRefused("Git is not installed here; it comes with the extra `docyard[git]`.") from None
    if isinstance(source, str):
        return connect(source, line)
    return connect_local(source, line, pushing_to=pushing_to)
