"""One piece of work on a repository: in a thread, in a scratch folder of its own, within the limits."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from app.kit.git.limits import GitLimits, GitRefused, TimeBudget, Unreachable
from app.kit.git.objects import Objects
from app.kit.git.pack import unpack
from app.kit.git.transport import GitCredentials, Transport
from app.kit.http.outbound import Outbound

if TYPE_CHECKING:
    from app.kit.git.connection import GitConnection

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
    """The git library is loaded here, when somebody needs it."""
    try:
        from app.kit.git.connection import connect, connect_local
    except ModuleNotFoundError as missing:
        if not (missing.name or "").startswith("dulwich"):
            raise
        raise GitRefused("Git is not installed here; it comes with the extra `docyard[git]`.") from None
    if isinstance(source, str):
        return connect(source, line)
    return connect_local(source, line, pushing_to=pushing_to)
