"""Files that content sources answer with: fetched or decoded, and kept as files of the space.

A file of an answer is the same file whenever the source is asked: one that says something else is a new
version of it, and one that an answer leaves out any more goes.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import func, select

from app.domain.infrastructure import blobs
from app.domain.revisions.batch import FileFetching, NewFile, row_of
from app.domain.revisions.branch import on_branch
from app.domain.revisions.computed_pages import page_id_of
from app.domain.revisions.drafts import FILE_VERSIONS, Draft
from app.domain.revisions.records import FileRecord
from app.kit.database.statements import given
from app.kit.errors import BadGateway, Problem

MOST_FILES = 50
LARGEST = 10 << 20  # bytes of all files of an answer
LONGEST_ADDRESS = 2048
LONGEST_ID = 200  # characters, of a name too
_DATA = "data:"
_OF_PAGE = on_branch(
    lambda view: select(FILE_VERSIONS.c.file_id).where(
        view.valid(FILE_VERSIONS),
        func.substr(FILE_VERSIONS.c.file_id, 1, func.length(given("prefix"))) == given("prefix"),
    )
)


@dataclass(slots=True)
class AnsweredFile:
    """A file of an answer: where it is fetched, or what it is in base64."""

    id: str
    name: str
    address: str


def files_of(answer: Mapping[str, Any]) -> list[AnsweredFile]:
    """Return the files of an answer; raises BadGateway, naming what is wrong."""
    files = answer.get("files") or []
    if not isinstance(files, list) or len(files) > MOST_FILES:
        raise _wrong("files", f"must be a list of at most {MOST_FILES} files")
    return [_file(file, f"files[{n}]") for n, file in enumerate(files)]


def file_id_of(placed_id: str, answered_id: str) -> str:
    """Return the id of a file of the space that a file of an answer becomes."""
    return page_id_of(placed_id, f"file:{answered_id}")


async def fetched(fetching: FileFetching, files: Sequence[AnsweredFile]) -> dict[str, NewFile]:
    """Return files with their bytes, by their ids in the answer; raises BadGateway where one is not there."""
    found: dict[str, NewFile] = {}
    left = LARGEST
    for file in files:
        found[file.id] = NewFile.of(file.name, await _bytes(fetching, file))
        left -= found[file.id].size
        if left < 0:
            raise BadGateway(f"The files of an answer may have at most {LARGEST:,} bytes together.")
    return found


async def keep(draft: Draft, placed_id: str, files: Mapping[str, NewFile]) -> None:
    """Make the files of a placed page what its source answered with; those that are the same stay."""
    coming = {file_id_of(placed_id, key): file for key, file in files.items()}
    held = [row.file_id for row in await draft.line.all(draft.cx, _OF_PAGE, prefix=f"{placed_id}-")]
    await draft.read_files(held)
    new: dict[str, bytes] = {}
    for file_id, file in coming.items():
        before = FileRecord.of(draft.held_files[file_id]) if file_id in draft.held_files else None
        if before is not None and (before.blob_id, before.name) == (file.blob_id, file.name):
            continue
        row = await row_of(draft, file)
        source = before.source if before is not None and before.name == row.name else row.source
        draft.files[file_id] = replace(row, file_id=file_id, source=source)
        new[file.blob_id] = file.data
    for file_id in held:
        if file_id not in coming:
            draft.files[file_id] = None
    if new:
        space = draft.line.space
        await blobs.keep(draft.cx, new, space.organization_id, space.id)


async def _bytes(fetching: FileFetching, file: AnsweredFile) -> bytes:
    if file.address.startswith(_DATA):
        head, _, said = file.address.partition(",")
        try:
            is_encoded = head.endswith(";base64")
            return base64.b64decode(said, validate=True) if is_encoded else unquote(said).encode()
        except (binascii.Error, ValueError):
            raise BadGateway(f"The file “{file.name}” of the answer is not base64.") from None
    try:
        return await fetching.fetch(file.address, "url")
    except Problem as problem:
        said = problem.message[:200]
        raise BadGateway(f"The file “{file.name}” of the answer cannot be fetched: {said}") from None


def _file(file: object, path: str) -> AnsweredFile:
    if not isinstance(file, dict):
        raise _wrong(path, "must be an object")
    id_, name, address = (file.get(each) for each in ("id", "name", "downloadURL"))
    if not isinstance(id_, str) or not 0 < len(id_) <= LONGEST_ID:
        raise _wrong(f"{path}.id", f"must be a text of 1 to {LONGEST_ID} characters")
    if not isinstance(address, str) or not address.startswith((_DATA, "https://", "http://")):
        raise _wrong(f"{path}.downloadURL", "must be an address with https:// or http://, or data in base64")
    is_data = address.startswith(_DATA)
    if not is_data and len(address) > LONGEST_ADDRESS:
        raise _wrong(f"{path}.downloadURL", f"may have at most {LONGEST_ADDRESS:,} characters")
    if not is_data and not name:
        name = unquote(str(urlsplit(address).path).rpartition("/")[2]) or "file"
    if not isinstance(name, str) or not name:
        raise _wrong(f"{path}.name", "must be the name of the file")
    return AnsweredFile(id_, name.replace("\0", "")[:LONGEST_ID], address)


def _wrong(path: str, message: str) -> BadGateway:
    return BadGateway(f"The integration answered with files that cannot be read: {path} {message}.")
