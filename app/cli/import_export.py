"""`docyard export`: a space as a folder of Markdown.

`docyard sync`: spaces and their Git repositories, one after another, for people and for cron.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from sqlalchemy import false, select

from app.access.context import Context
from app.access.fetch import fetch
from app.cli import login_profile, remote
from app.cli.command_settings import DatabaseOption
from app.cli.output import bar, give, say
from app.cli.session import OPERATOR, acting_in, action, opened, organization_of, read
from app.domain.git_sync import sync_runs, sync_state
from app.domain.git_sync.sync_runs import SyncRequest
from app.domain.git_sync.sync_state import SyncState
from app.domain.imports import exports
from app.kit.database.statements import given, rows, table
from app.kit.errors import Conflict, Invalid, NotFound, Problem
from app.kit.http.outbound import Outbound
from app.models.organizations import Member
from app.models.spaces import Space, is_synchronised
from app.runtime import Runtime


async def export(
    path: Annotated[Path, Parameter(help="folder to write to; it must be new or empty")],
    /,
    *,
    space: Annotated[str, Parameter(help="id of the space to export")],
    database: DatabaseOption = None,
) -> None:
    """Export a space's current content as a folder of Markdown."""
    if (profile := login_profile.chosen(database)) is not None:
        await remote.export_folder(profile, path, space=space)
        return
    with bar("Exporting", None) as progress:

        async def run(cx: Context) -> int:
            owner = await organization_of(cx, space)
            held = await fetch(acting_in(cx, owner), Space, space)
            return await exports.to_folder(cx, held, path, progress)

        count = await read(database, run)
    say(f"{count} files written to {path}.")


MESSAGE = "Update from Docyard"
SPACES, MEMBERS = table(Space), table(Member)
_SYNCED = rows(
    lambda: (
        select(SPACES.c.id, SPACES.c.git_sync)
        .where(SPACES.c.git_sync.is_not(None), SPACES.c.deleted_at.is_(None))
        .order_by(SPACES.c.id)
    )
)
_ADMINISTRATORS = rows(
    lambda: (
        select(MEMBERS.c.user_id)
        .where(
            MEMBERS.c.organization_id == given("organization"),
            MEMBERS.c.role == "admin",
            MEMBERS.c.disabled == false(),
        )
        .order_by(MEMBERS.c.user_id)
        .limit(1)
    )
)


async def sync(
    *,
    space: Annotated[str | None, Parameter(help="id of the space")] = None,
    all_: Annotated[
        bool, Parameter(name="--all", negative="", help="all spaces that have a repository")
    ] = False,
    url: Annotated[str | None, Parameter(help="the repository: an https URL or a folder")] = None,
    ref: Annotated[str | None, Parameter(help="branch; for an import, also a tag or a commit")] = None,
    directory: Annotated[str | None, Parameter(help="folder of the repository that has the content")] = None,
    direction: Annotated[
        Literal["both", "import", "export"], Parameter(help="import, export (push), or both")
    ] = "both",
    message: Annotated[str, Parameter(help="message of the pushed commit")] = MESSAGE,
    database: DatabaseOption = None,
) -> None:
    """Sync spaces with their Git repositories and print the ids of the synced spaces."""
    if (space is not None) == all_:
        raise Invalid("Give a space with --space ID, or all of them with --all.")
    if all_ and (url or ref or directory):
        raise Invalid("--url, --ref and --directory need --space; with --all each space uses its own.")
    if (profile := login_profile.chosen(database)) is not None:
        if space is None:
            raise Invalid("When logged in to a server, give a space with --space ID.")
        await remote.sync(profile, space, direction, message, url=url, ref=ref, directory=directory)
        return
    way = "import" if direction == "import" else "export"
    async with opened(database) as runtime:
        found = runtime.context(OPERATOR).db
        ids = [space or ""]
        if all_:
            ids = [row.id for row in await found.all(_SYNCED) if is_synchronised(row.git_sync)]
        refused = [
            each for each in ids if not await _sync(runtime, each, way, message, (url, ref, directory))
        ]
    if refused:
        count = f"{len(refused)} of {len(ids)} spaces not synced"
        raise Conflict(f"{count}; the reasons are above. Fix them and sync again.")
    if not ids:
        say("No space has a repository. Connect one with: docyard sync --space ID --url URL")


async def _sync(
    runtime: Runtime, space_id: str, way: str, message: str, chosen: Sequence[str | None]
) -> bool:
    """Synchronise one space and say how it went."""
    try:
        wish = await runtime.write(OPERATOR, lambda cx: _begin(cx, space_id, way, message, *chosen), action())
    except Problem as problem:
        say(f"{space_id}: {problem.message}")
        return False
    try:
        with bar("Synchronising", None) as progress:
            told = await sync_runs.run(runtime, wish, progress)
    except BaseException as error:
        await _give_up(runtime, wish, error)
        if not isinstance(error, Problem | TimeoutError):
            raise
        return False
    say(f"{space_id}: {told}")
    give(space_id)
    return True


async def _give_up(runtime: Runtime, wish: SyncRequest, error: BaseException) -> None:
    """Keep why the sync ended, so that the next one may begin."""
    state, message = "failure", "The sync was interrupted. Start it again."
    if isinstance(error, TimeoutError):
        state, message = "timeout", "The sync took too long. Start it again."
    elif isinstance(error, Problem):
        message = error.message
    say(f"{wish.space_id}: {message}")
    await sync_runs.fail(runtime, wish, state, message)


async def _begin(
    cx: Context,
    space_id: str,
    way: str,
    message: str,
    url: str | None,
    ref: str | None,
    directory: str | None,
) -> SyncRequest:
    space = await cx.db.first(sync_runs.SPACE, id=space_id)
    if space is None or space.deleted_at is not None:
        raise NotFound("There is no such space. The id of a space is the last part of its URL.")
    before = SyncState.of(space)
    if url is None and before is None:
        raise Invalid("The space has no repository yet. Give one with --url.")
    if way == "import" and space.edit_mode == "locked":
        raise Conflict("The space is locked. Unlock it first.")
    known = before if before and url is None else None
    place, is_local = _place(cx, url or (known.url if known else ""))
    sync = await sync_state.begin(
        sync_runs.acting(cx, space, before.by if before else await _administrator(cx, space)),
        space,
        way,
        url=place,
        ref=ref or (known.ref if known else "main"),
        directory=(known.directory if known else "") if directory is None else directory,
        commit_url=known.commit_url if known else None,
        provider=known.provider if known else None,
    )
    return SyncRequest(space.id, sync.operation.id, way, message=message, local=is_local)


def _place(cx: Context, url: str) -> tuple[str, bool]:
    """Return a repository's address, or a folder of this machine as one, and which of them it is."""
    from app.kit.git.limits import checked_address, checked_folder

    if url.startswith(("https://", "http://")):
        return checked_address(url, Outbound(cx.settings.allowed_hosts)), False
    return Path(checked_folder(url)).as_uri(), True


async def _administrator(cx: Context, space: Space) -> str:
    """Return an administrator, for whom a sync runs that nobody requested over the API."""
    found = await cx.db.first(_ADMINISTRATORS, organization=space.organization_id)
    if found is None:
        raise Conflict("The organization has no active administrator, in whose name the sync runs.")
    user_id: str = found.user_id
    return user_id
