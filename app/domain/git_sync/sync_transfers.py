"""Transfers of a sync: fetching the files of a commit, and computing the changes to push to the branch."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Integer, Update, update

from app.access.context import Context
from app.access.fetch import fetch
from app.domain.git_sync.sync_state import SyncState, opened_login
from app.domain.imports.exports import Item, in_thread
from app.domain.revisions import branch
from app.domain.revisions.branch import Branch, BranchContent
from app.formats.repository.export_rows import FileRef
from app.formats.repository.file_tree import Memory, RepositorySettings, Tree, parse_settings, settings_name
from app.formats.repository.files import MAX_FILE, VARIABLES
from app.formats.repository.import_plan import Plan, read_plan
from app.formats.repository.import_report import Report
from app.kit import workers
from app.kit.database.statements import command, given, table
from app.kit.errors import Conflict
from app.kit.git.limits import GitLimits, RefMissing, too_large
from app.kit.git.objects import Commit, blob_id
from app.kit.git.transfers import Checkout, FolderMissing
from app.kit.git.transfers import fetch as fetch_files
from app.kit.git.transport import GitCredentials
from app.kit.http.outbound import Outbound
from app.kit.settings import Settings
from app.models.files import FileVersion
from app.models.pages import PageVersion
from app.models.spaces import Space


@dataclass(slots=True, frozen=True)
class FetchedCommit:
    """A commit and its files; none where the repository is empty. `is_there`: the branch and the folder."""

    commit: Commit | None
    checkout: Checkout | None
    is_there: bool

    @property
    def oids(self) -> dict[str, str]:
        """Return the ids of all files by path."""
        tree = self.checkout.tree if self.checkout else None
        return {path: tree.oid(path) for path in tree.paths()} if tree else {}

    async def plan(self) -> Plan:
        """Return what an import of the files would make."""
        return await workers.run_long(read_plan, self.checkout.tree if self.checkout else Memory({}))


@asynccontextmanager
async def fetch_commit(
    cx: Context, space_id: str, sync: SyncState, *, is_import: bool, local: bool
) -> AsyncIterator[FetchedCommit]:
    """Yield the files of a repository; for an export also where it has no such branch or folder yet.

    `local`: the repository is on this machine. Raises RefMissing and FolderMissing for an import.
    """
    asked = {
        "outbound": outbound(cx.settings),
        "credentials": credentials(cx, space_id, sync),
        "local": local,
    }
    is_there = True
    try:
        checkout = await fetch_files(sync.url, sync.ref, directory=sync.directory, **asked)  # type: ignore[arg-type]
    except RefMissing as missing:
        if is_import:
            raise
        if missing.empty:
            yield FetchedCommit(None, None, False)
            return
        is_there = False
        try:
            checkout = await fetch_files(sync.url, "HEAD", directory=sync.directory, **asked)  # type: ignore[arg-type]
        except FolderMissing as folder:
            yield FetchedCommit(folder.commit, None, False)
            return
    except FolderMissing as missing:
        if is_import:
            raise
        yield FetchedCommit(missing.commit, None, False)
        return
    with checkout:
        yield FetchedCommit(checkout.commit, checkout, is_there)


def outbound(settings: Settings) -> Outbound:
    """Return the bounds of requests to repositories."""
    return Outbound(settings.allowed_hosts, settings.outbound_timeout, settings.outbound_max_bytes)


def credentials(cx: Context, space_id: str, sync: SyncState) -> GitCredentials | None:
    """Return the login for the repository of a space: its own, else the server's; None without either."""
    login = opened_login(cx, space_id, sync) or cx.settings.git_login(sync.url)
    return GitCredentials(*login) if login else None


ATTEMPTS = 5
PAGE_VERSIONS, FILE_VERSIONS = table(PageVersion), table(FileVersion)


@dataclass(slots=True)
class ExportedTree:
    """The content of a space as files: `changes` to a branch by path (None: it goes), all ids by path.

    `left` are the paths at which the branch has something else, which stays.
    """

    space: Space
    held: BranchContent
    changes: dict[str, bytes | None] = field(default_factory=dict)
    oids: dict[str, str] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)


class ForeignFiles:
    """The files of a branch that an import does not take in: nothing is ever written over it.

    Of those that are `oversized`, by their lengths, a file is taken in, up to its limit, and a text is not.
    """

    def __init__(self, paths: Iterable[str], oversized: Mapping[str, int] | None = None) -> None:
        self._paths = set(paths)
        self._oversized = oversized or {}
        self._folders = {folder for path in self._paths for folder in _above(path)}

    def have(self, path: str, *, is_text: bool) -> bool:
        """Tell whether a text or another file of this path would be in the way of any of it."""
        if self._oversized.get(path, 0) > (0 if is_text else MAX_FILE):
            return True
        return path in self._folders or not self._paths.isdisjoint([path, *_above(path)])


def _above(path: str) -> list[str]:
    """Return the folders that a path is in."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: n + 1]) for n in range(len(parts))]


async def export_tree(
    cx: Context,
    space_id: str,
    oids: Mapping[str, str],
    covered: set[str],
    others: ForeignFiles,
    *,
    most: int = GitLimits().pack,
) -> ExportedTree:
    """Return what is to be changed of a branch that has files of these ids by path.

    Of its files only those that are `covered` may go. Raises TooLarge before it holds more than `most` bytes.
    """
    made = ExportedTree(*await _held(cx, space_id))

    def compare(items: Iterator[Item], fetch: Callable[[FileRef], Iterator[bytes]]) -> None:
        size = 0
        known = {file.blob_id: file.git_oid for file in made.held.files}
        for path, content in items:
            oid = known.get(content.id) if isinstance(content, FileRef) else blob_id(content)
            if oid is None or oid != oids.get(path):
                data = b"".join(fetch(content)) if isinstance(content, FileRef) else content
                oid = blob_id(data)
                if oid != oids.get(path):
                    if others.have(path, is_text=not isinstance(content, FileRef)):
                        made.left.append(path)
                        continue
                    size += len(data)
                    if size > most:
                        raise too_large("What is to be pushed is larger", most)
                    made.changes[path] = data
            made.oids[path] = oid

    await in_thread(cx, made.held, compare)
    gone = (covered & oids.keys()) - made.oids.keys() - set(made.left)
    made.changes.update(dict.fromkeys(gone))
    return made


async def _held(cx: Context, space_id: str) -> tuple[Space, BranchContent]:
    """Return what a space has at one revision."""
    space = await fetch(cx, Space, space_id)
    for _ in range(ATTEMPTS):
        held = await branch.read_content(cx, Branch(space))
        now = await fetch(cx, Space, space_id)
        if now.revision_number == space.revision_number:
            return now, held
        space = now
    raise Conflict("The space is being changed continually; try again.")


def covered_by(plan: Plan) -> set[str]:
    """Return the files of a repository that an import of it takes in."""
    known = {page.source for page in plan.pages if page.source}
    known |= {file.source for file in plan.files} | {block.source for block in plan.reusable}
    settings = (
        RepositorySettings() if plan.settings_raw is None else parse_settings(plan.settings_raw, Report())
    )
    known |= {settings.summary} if plan.summary_raw is not None else set()
    known |= {VARIABLES} if plan.variables_raw is not None else set()
    return {_prefix(plan.settings_raw) + path for path in known}


def foreign_files(plan: Plan, tree: Tree) -> ForeignFiles:
    """Return what is in the tree of a repository beside what an import of it takes in."""
    ours = covered_by(plan)
    if plan.settings_raw is not None:
        ours.add(settings_name(plan.settings_raw))
    return ForeignFiles(
        [*(path for path in tree.paths() if path not in ours), *(path for path, _ in tree.passed_over)],
        {_prefix(plan.settings_raw) + path: size for path, size in plan.oversized.items()},
    )


async def note_ids(cx: Context, made: ExportedTree) -> None:
    """Note on pages and files what they are in the repository, also if they have changed since."""
    prefix = _prefix(made.held.properties.settings_source)
    for statement, key, rows in (
        (_NOTE_PAGE, "page_id", made.held.pages),
        (_NOTE_FILE, "file_id", made.held.files),
    ):
        noted = [
            {"line": row.line_id, "key": getattr(row, key), "since": row.valid_from, "oid": oid}
            for row in rows
            if row.source and (oid := made.oids.get(prefix + row.source)) and oid != row.git_oid
        ]
        if noted:
            await cx.tx.run_many(statement, noted)


def _prefix(settings_raw: str | None) -> str:
    root = "" if settings_raw is None else parse_settings(settings_raw, Report()).root
    return f"{root}/" if root else ""


def _note(t: Any, key: str) -> Update:
    same = (
        t.c.line_id == given("line"),
        t.c[key] == given("key"),
        t.c.valid_from == given("since", Integer()),
    )
    return update(t).values(git_oid=given("oid")).where(*same)


_NOTE_PAGE = command(lambda: _note(PAGE_VERSIONS, "page_id"))
_NOTE_FILE = command(lambda: _note(FILE_VERSIONS, "file_id"))
