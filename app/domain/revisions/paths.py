"""Consequences of a draft: paths of everything under a page that moved, and the files pages are kept in.

A document's file follows it where it lay where the tree would put it: beside its siblings, under the name of
its slug. In a repository with a layout of its own the file stays where it is.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import literal, select

from app.domain.revisions.branch import Build, on_branch
from app.domain.revisions.drafts import FILE_VERSIONS, PAGE_VERSIONS, REUSABLE_VERSIONS, Draft
from app.domain.revisions.records import FileRecord, PageRecord, ReusableRecord
from app.formats.repository.import_plan import MOST_DEPTH
from app.formats.repository.names import MAX_PATH_BYTES, file_name
from app.formats.repository.names import slug as slug_of
from app.kit.database.sql import among
from app.kit.errors import Invalid
from app.models.pages import PageVersion

_FOLDER_PAGES = ("readme", "index")


def _kept(t: Any, key: str, kind: str) -> Build:
    """Return what of a table is kept in some file."""
    return lambda view: select(literal(kind).label("kind"), t.c[key].label("id"), t.c.source).where(
        view.valid(t), among(t.c.source, "sources")
    )


KEPT_AT = on_branch(
    _kept(PAGE_VERSIONS, "page_id", "page"),
    _kept(FILE_VERSIONS, "file_id", "file"),
    _kept(REUSABLE_VERSIONS, "reusable_id", "reusable-content"),
)


async def settle_paths(draft: Draft) -> None:
    """Give every page of the draft its path and its file; raises Invalid where one is too long or deep.

    What comes from outside has them already.
    """
    if draft.incoming is not None:
        return
    moved = [page.page_id for page in list(draft.pages.values()) if page and _is_moved(draft, page)]
    if not moved and not draft.rebased:
        return
    await draft.read_below(moved)
    await draft.read([p for p in _parents(draft) if p is not None])
    affected = [p for p in draft.pages.values() if p and (_set_path(draft, p) or _is_filed(draft, p))]
    affected.sort(key=lambda page: page.path.count("/"))
    await _settle_sources(draft, affected)


def _is_moved(draft: Draft, page: PageRecord) -> bool:
    held = draft.held.get(page.page_id)
    return held is None or held.slug != page.slug or held.parent_id != page.parent_id


def _stands(draft: Draft, page: PageRecord) -> bool:
    """Tell whether a page keeps its path: all below a page that moves is in the draft, its parents too."""
    return not _is_moved(draft, page) and page.parent_id not in draft.pages


def _is_filed(draft: Draft, page: PageRecord) -> bool:
    """Tell whether a page's file must be looked at though its path stays: it is another, or may be taken now.

    Another main content may keep a page in the file of one that only the change request has.
    """
    held = draft.held.get(page.page_id)
    is_only_here = draft.rebased and page.page_id not in draft.below.pages
    return held is not None and (is_only_here or page.source != held.source)


def _parents(draft: Draft) -> Iterable[str | None]:
    for page_id, page in draft.pages.items():
        if page:
            yield page.parent_id
        if page_id in draft.held:
            yield draft.held[page_id].parent_id


def _set_path(draft: Draft, page: PageRecord) -> bool:
    """Set a page's path; tells whether it has another one than it had."""
    if _stands(draft, page):
        return False
    names, above = [page.slug], page.parent_id
    while above is not None and (parent := draft.pages.get(above)):
        if _stands(draft, parent):
            names.append(parent.path)
            break
        names.append(parent.slug)
        above = parent.parent_id
    page.path = "/".join(reversed(names))
    if len(page.path.encode()) > MAX_PATH_BYTES:
        message = f"The path of “{page.slug}” would be longer than {MAX_PATH_BYTES:,} bytes."
        raise Invalid(message, path="slug")
    if page.path.count("/") > MOST_DEPTH:
        raise Invalid(f"A page may have {MOST_DEPTH} pages above it.", path="into")
    held = draft.held.get(page.page_id)
    return held is None or held.path != page.path


async def _settle_sources(draft: Draft, affected: list[PageRecord]) -> None:
    taken: set[str] = set()
    moving = {page.page_id for page in affected}
    for page in affected:
        if page.kind != "document" or page.computed:
            continue
        held = draft.held.get(page.page_id)
        wanted = _source(draft, page)
        if held is None or wanted != held.source or draft.rebased:
            wanted = await _free(draft, wanted, moving, taken)
        page.source = wanted
        taken.add(wanted)


def _source(draft: Draft, page: PageRecord) -> str:
    held = draft.held.get(page.page_id)
    home = _home(draft.pages.get(page.parent_id) if page.parent_id else None)
    if held is None or not held.source or page.source not in (None, held.source):
        return page.source or posixpath.join(home, file_name(page.slug) + ".md")
    unit, ending = _unit(held.source)
    before = draft.held.get(held.parent_id) if held.parent_id else None
    if not unit or posixpath.dirname(unit) != _home(before):
        return held.source
    name = posixpath.basename(unit)
    if held.slug != page.slug and slug_of(name) == held.slug:
        name = file_name(page.slug)
    return posixpath.join(home, name) + ending


def _unit(source: str) -> tuple[str, str]:
    """Return what a file's name is made of: the page's own name with its folders, and the rest."""
    folder, name = posixpath.split(source)
    stem, ending = posixpath.splitext(name)
    if stem.lower() in _FOLDER_PAGES:
        return folder, f"/{name}"
    return posixpath.join(folder, stem), ending


def _home(parent: PageRecord | PageVersion | None) -> str:
    """Return the folder in which the pages under a parent are kept."""
    if parent is None:
        return ""
    return _unit(parent.source)[0] if parent.source else parent.path


async def _free(draft: Draft, wanted: str, moving: set[str], taken: set[str]) -> str:
    """Return the file name, with a number where something else has it."""
    stem, ending = posixpath.splitext(wanted)
    number, free = 0, wanted
    while free in taken or await _is_held(draft, free, moving):
        number += 1
        free = f"{stem}-{number}{ending}"
    return free


async def _is_held(draft: Draft, source: str, moving: set[str]) -> bool:
    known: dict[str, Mapping[str, PageRecord | FileRecord | ReusableRecord | None]]
    known = {"page": draft.pages, "file": draft.files, "reusable-content": draft.reusable}
    for row in await draft.line.all(draft.cx, KEPT_AT, sources=[source]):
        records = known[row.kind]
        record = records.get(row.id)
        stays = row.id not in records or (record is not None and record.source == source)
        if row.id not in moving and stays:
            return True
    return False


async def free_source(draft: Draft, wanted: str, file_id: str | None = None) -> str:
    """Return the source for a file, with a number where another file has it."""
    stem, ending = posixpath.splitext(wanted)
    number, free = 0, wanted
    coming = {row.source for key, row in draft.files.items() if row and key != file_id}
    while free in coming or await _is_filed_elsewhere(draft, free, file_id):
        number += 1
        free = f"{stem}-{number}{ending}"
    return free


async def _is_filed_elsewhere(draft: Draft, source: str, file_id: str | None) -> bool:
    found = await draft.line.all(draft.cx, KEPT_AT, sources=[source])
    return any(row.kind == "file" and row.id != file_id and row.id not in draft.files for row in found)
