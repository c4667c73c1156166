"""`docyard sync`: spaces and their Git repositories, one after another, for people and for cron."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from sqlalchemy import false, select

from app.access.context import Context
from app.cli.output import bar, give, say
from app.cli.session import OPERATOR, DatabaseOption, action, opened
from app.domain.git_sync import sync_runs, sync_state
from app.domain.git_sync.sync_runs import SyncRequest
from app.domain.git_sync.sync_state import SyncState
from app.kit.database.statements import given, rows, table
from app.kit.errors import Conflict, Invalid, NotFound, Problem
from app.kit.http.outbound import Outbound
from app.models.organizations import Member
from app.models.spaces import Space, is_synchronised
from app.runtime import Runtime

MESSAGE = "Update from Docyard"
_s, _m = table(Space), table(Member)
_SYNCED = rows(
    lambda: (
        select(_s.c.id, _s.c.git_sync)
        .where(_s.c.git_sync.is_not(None), _s.c.deleted_at.is_(None))
        .order_by(_s.c.id)
    )
)
_ADMINISTRATORS = rows(
    lambda: (
        select(_m.c.user_id)
        .where(_m.c.organization_id == given("organization"), _m.c.role == "admin", _m.c.disabled == false())
        .order_by(_m.c.user_id)
        .limit(1)
    )
)


async def sync(
    *,
    space: Annotated[str | None, Parameter(help="id of the space")] = None,
    all_: Annotated[
        bool, Parameter(name="--all", negative="", help="every space that has a repository")
    ] = False,
    url: Annotated[str | None, Parameter(help="repository: an https address, or a folder")] = None,
    ref: Annotated[str | None, Parameter(help="branch (to import also a tag or a commit)")] = None,
    directory: Annotated[str | None, Parameter(help="folder of the repository with the content")] = None,
    direction: Annotated[
        Literal["both", "import", "export"], Parameter(help="import, or also push what is new here")
    ] = "both",
    message: Annotated[str, Parameter(help="message of the commit that is pushed")] = MESSAGE,
    database: DatabaseOption = None,
) -> None:
    """Synchronise spaces with their Git repositories and print the ids of those that were."""
    if (space is not None) == all_:
        raise Invalid("Name a space with --space ID, or take all with --all.")
    if all_ and (url or ref or directory):
        raise Invalid("--url, --ref and --directory go with --space; with --all each space has its own.")
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
        count = f"{len(refused)} of {len(ids)} not synchronised"
        raise Conflict(f"{count}; the reasons are above. Mend them and sync again.")
    if not ids:
        say("No space has a repository. Give one its first with: docyard sync --space ID --url URL")


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
    state, message = "failure", "The sync was interrupted; start it again."
    if isinstance(error, TimeoutError):
        state, message = "timeout", "The sync took too long; start it again."
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
        raise NotFound("There is no such space. Its id is at the end of its address.")
    before = SyncState.of(space)
    if url is None and before is None:
        raise Invalid("The space has no repository yet; name one with --url.")
    if way == "import" and space.edit_mode == "locked":
        raise Conflict("The space is locked; unlock it first.")
    known = before if before and url is None else None
    place, is_local = _place(cx, url or (known.url if known else ""))
    standing = await sync_state.begin(
        sync_runs.acting(cx, space, before.by if before else await _administrator(cx, space)),
        space,
        way,
        url=place,
        ref=ref or (known.ref if known else "main"),
        directory=(known.directory if known else "") if directory is None else directory,
        commit_url=known.commit_url if known else None,
        provider=known.provider if known else None,
    )
    return SyncRequest(space.id, standing.operation.id, way, message=message, local=is_local)


def _place(cx: Context, url: str) -> tuple[str, bool]:
    """Return a repository's address, or a folder of this machine as one, and which of them it is."""
    from app.kit.git.names import checked_address, checked_folder

    if url.startswith(("https://", "http://")):
        return checked_address(url, Outbound(cx.settings.allowed_hosts)), False
    return Path(checked_folder(url)).as_uri(), True


async def _administrator(cx: Context, space: Space) -> str:
    """Whoever a sync is done for that nobody asked for over the API."""
    found = await cx.db.first(_ADMINISTRATORS, organization=space.organization_id)
    if found is None:
        raise Conflict("The organization of the space has no administrator to do this for.")
    user_id: str = found.user_id
    return user_id
