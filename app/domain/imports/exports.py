"""Exports: a space's current content as the tree of Markdown it came from, or would come from.

Over the API it is a zip behind a signed address, which is made when somebody fetches it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any, TypeVar

from sqlalchemy import select

from app.access.context import Context
from app.access.fetch import fetch
from app.domain.content.bodies import PrefetchedBodies
from app.domain.revisions import branch
from app.formats.repository.export import plan_export
from app.formats.repository.export_rows import (
    ExportFile,
    ExportPage,
    ExportReusable,
    FileRef,
    write_folder,
    write_zip,
)
from app.formats.repository.files import name_of, stem
from app.formats.repository.front_matter import parse
from app.formats.repository.metadata import Metadata, metadata_from
from app.formats.repository.names import RESERVED_FILE
from app.kit import workers
from app.kit.database.statements import given, query, table
from app.kit.errors import NotFound
from app.models.files import FileVersion
from app.models.pages import PageVersion
from app.models.spaces import Space

IN_MEMORY = 8 << 20  # bytes of a zip, before it goes to a file
_SIGNATURE = re.compile(r"([0-9]{1,12})\.([0-9A-Za-z_-]+)")
SPACES = table(Space)
_SPACE = query(
    Space, lambda: select(*SPACES.c).where(SPACES.c.id == given("id"), SPACES.c.deleted_at.is_(None))
)
Progress = Callable[[int], None]
T = TypeVar("T")
Item = tuple[str, bytes | FileRef]
Write = Callable[[Iterator[Item], Callable[[FileRef], Iterator[bytes]]], T]


@dataclass(slots=True, frozen=True)
class SpaceExport:
    """A space whose content can be fetched, and what the zip is called."""

    space_id: str
    name: str


async def offer(cx: Context, space_id: str) -> SpaceExport:
    """Get the address of a zip of the content of a space; it works for an hour."""
    space = await fetch(cx, Space, space_id)
    return SpaceExport(space.id, _name(space))


async def opened(cx: Context, signature: str, space_id: str) -> Space:
    """Return the space that an address leads to; raises NotFound for an old address or a lost space."""
    said = _SIGNATURE.fullmatch(signature)
    is_signed = said and cx.signer.good("export", f"{space_id} {said[1]}", said[2])
    if said is None or not is_signed or int(said[1]) < cx.now.timestamp():
        raise NotFound("This address is not valid, or has expired.")
    space = await cx.db.first(_SPACE, id=space_id)
    if space is None:
        raise NotFound("This export is no longer available.")
    found: Space = space
    return found


def _name(space: Space) -> str:
    return f"{space.title[:150].strip()}.zip"


async def to_zip(cx: Context, space: Space) -> IO[bytes]:
    """Return a zip of a space's content, to be read from its beginning and closed by the caller.

    The caller has fetched the space. Raises what `workers.run_long` raises.
    """
    held = await branch.read_content(cx, branch.Branch(space))
    target = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - the caller closes it
    try:
        await in_thread(cx, held, lambda items, fetch: write_zip(items, target, fetch))
    except BaseException:
        target.close()
        raise
    target.seek(0)
    return target


async def to_folder(cx: Context, space: Space, target: Path, progress: Progress = lambda _done: None) -> int:
    """Write a space's content to a new folder, whole or not at all; how many files that were.

    The caller has fetched the space. Raises Conflict where the target is not free.
    """
    held = await branch.read_content(cx, branch.Branch(space))
    return await in_thread(
        cx, held, lambda items, fetch: write_folder(_counted(items, progress), target, fetch)
    )


async def in_thread(cx: Context, held: branch.BranchContent, write: Write[T]) -> T:
    """Return what `write` gives, in a thread of its own, for the files of the tree that these rows make.

    It is called with the files as `plan_export` gives them, and a function for the bytes behind a FileRef.
    What is computed is no file.
    """
    held = replace(held, pages=[page for page in held.pages if page.computed is None])
    bodies = PrefetchedBodies(cx, asyncio.get_running_loop(), _document_ids(held))
    files = {file.file_id: file for file in held.files}
    items = plan_export(
        [_page(page, files, bodies) for page in held.pages],
        [ExportFile(file.name, FileRef(file.blob_id), file.source) for file in held.files],
        [
            ExportReusable(block.title, block.source, block.front_matter, bodies.exactly(block.document_id))
            for block in held.reusable
        ],
        held.properties.variables,
        held.properties.settings_source,
        held.properties.summary_source,
        variables_raw=held.properties.variables_source,
    )
    return await workers.run_long(write, items, lambda ref: iter([bodies.blob(ref.id)]))


def _counted(items: Iterator[Any], progress: Progress) -> Iterator[Any]:
    for item in items:
        yield item
        progress(1)


def _document_ids(held: branch.BranchContent) -> list[str]:
    pages = sorted((p for p in held.pages if p.document_id), key=lambda p: (p.source or "", p.path))
    return [p.document_id for p in pages if p.document_id] + [b.document_id for b in held.reusable]


def _page(page: PageVersion, files: dict[str, FileVersion], bodies: PrefetchedBodies) -> ExportPage:
    return ExportPage(
        id=page.page_id,
        parent=page.parent_id,
        order=page.rank,
        kind=page.kind,  # type: ignore[arg-type]
        title=page.title,
        path=page.path,
        link_title=page.link_title,
        source=page.source,
        href=page.href,
        hidden=page.hidden,
        front_matter_raw=page.front_matter,
        metadata=_metadata(page, files),
        body=bodies.exactly(page.document_id) if page.document_id else "",
    )


def _metadata(page: PageVersion, files: dict[str, FileVersion]) -> Metadata:
    """Return what the front matter must say: what it said, where that still holds."""
    said, _ = metadata_from(parse(page.front_matter)[0])
    cover = page.cover or {}
    now = replace(
        said,
        icon=page.icon,
        emoji=page.emoji,
        description=page.description,
        hidden=page.hidden,
        no_index=page.no_index,
        no_robots_index=page.no_robots_index,
        condition=page.condition,
        variables=page.variables or {},
        layout=page.layout,
        slug=page.slug if _is_suffixed(page) else said.slug,
    )
    if not cover:
        return replace(now, cover=None, cover_dark=None, cover_y=None, cover_height=None)
    return replace(
        now,
        cover=_picture(cover.get("ref"), said.cover, files),
        cover_dark=_picture(cover.get("refDark"), said.cover_dark, files),
        cover_y=said.cover_y if (said.cover_y or 0) == cover["yPos"] else cover["yPos"],
        cover_height=cover.get("height"),
    )


def _is_suffixed(page: PageVersion) -> bool:
    """Tell whether the name of a page's file is not its slug, which is that of a special file."""
    made = RESERVED_FILE.fullmatch(stem(name_of(page.source))) if page.source else None
    return made is not None and made["slug"] == page.slug


def _picture(ref: dict[str, Any] | None, said: str | None, files: dict[str, FileVersion]) -> str | None:
    """Return the path of a cover; as it was written where that means the same file."""
    if ref is None or ref["kind"] == "url":
        return ref["url"] if ref else None
    file = files.get(ref["file"])
    if file is None or file.source is None:
        return said
    return said if said and said.endswith(file.source.rpartition("/")[2]) else f"/{file.source}"
