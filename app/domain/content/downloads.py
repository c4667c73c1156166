"""Files by signed address: whoever was handed one may read that file for a day or two (see present.links).

An address leads to what the file is now, or, where it names a hash, to the file as it was at some revision.
One that was given to a visitor of a public site is good while the space is public.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, not_, or_, select

from app.access.context import Context
from app.domain.content.content import FILE_VERSIONS
from app.domain.content.views import NOW, SPACES
from app.kit.database.statements import given, rows, table
from app.kit.errors import NotFound
from app.models.revisions import Revision

REVISIONS = table(Revision)
FILE, VERSION, PUBLISHED = "file", "version", "published file"  # what addresses are signed for
_SIGNATURE = re.compile(r"([0-9]{1,9})\.([0-9A-Za-z_-]+)(?:\.([0-9A-Za-z_-]+))?")


@dataclass(slots=True, frozen=True)
class Download:
    """A download; `fixed` where the address can never lead to other bytes."""

    name: str
    content_type: str
    size: int
    blob_id: str
    fixed: bool
    public: bool = False  # whether anybody may read it, and keep it


async def get(cx: Context, signature: str, space_id: str, file_id: str) -> Download:
    """Return the file without its bytes; raises NotFound for a wrong or old signature as
    for a file that is gone.
    """
    purpose, version = _checked(cx, signature, f"{space_id} {file_id}")
    if version:
        found = await cx.db.get_by_key(_VERSION, space=space_id, file=file_id, blob=version)
    else:
        statement = _PUBLISHED if purpose == PUBLISHED else _CURRENT
        found = await cx.db.get_by_key(statement, space=space_id, file=file_id)
    if not found:
        raise NotFound("There is no such file.")
    file = found[0]
    return Download(file.name, file.content_type, file.size, file.blob_id, fixed=bool(version))


def _checked(cx: Context, signature: str, meant: str) -> tuple[str, str | None]:
    """Return the purpose of a signature, and the version that it is for, if for one.

    Raises NotFound where it is not good for this file.
    """
    said = _SIGNATURE.fullmatch(signature)
    if said is not None:
        until, signed, version = said.groups()
        text = f"{meant} {until} {version}" if version else f"{meant} {until}"
        for purpose in (VERSION,) if version else (FILE, PUBLISHED):
            if cx.signer.good(purpose, text, signed) and int(until) >= cx.now.toordinal():
                return purpose, version
    raise NotFound("This address is not valid, or has expired.")


def _file(is_meant: ColumnElement[bool]) -> Select[Any]:
    return (
        select(
            FILE_VERSIONS.c.name, FILE_VERSIONS.c.content_type, FILE_VERSIONS.c.size, FILE_VERSIONS.c.blob_id
        )
        .select_from(SPACES)
        .join(FILE_VERSIONS, is_meant)
        .where(
            SPACES.c.id == given("space"),
            FILE_VERSIONS.c.file_id == given("file"),
            SPACES.c.deleted_at.is_(None),
        )
    )


def _on_any_line() -> ColumnElement[bool]:
    """Match rows of the space's main line or of a change request's, now or at any earlier revision."""
    lines = select(REVISIONS.c.line_id).where(REVISIONS.c.space_id == SPACES.c.id)
    return and_(
        or_(FILE_VERSIONS.c.line_id == SPACES.c.id, FILE_VERSIONS.c.line_id.in_(lines)),
        not_(FILE_VERSIONS.c.deleted),
    )


_CURRENT = rows(lambda: _file(NOW.valid(FILE_VERSIONS)))
_PUBLISHED = rows(lambda: _file(NOW.valid(FILE_VERSIONS)).where(SPACES.c.is_public))
_VERSION = rows(
    lambda: (
        _file(_on_any_line())
        .where(FILE_VERSIONS.c.blob_id == given("blob"))
        .order_by(FILE_VERSIONS.c.valid_from.desc())
        .limit(1)
    )
)
