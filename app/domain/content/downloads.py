"""Files by signed address: whoever was handed one may read that file for a day or two (see present.links).

An address leads to what the file is now, or, where it names a hash, to the file as it was at some revision.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, not_, or_, select

from app.access.context import Context
from app.domain.content.content import f_
from app.domain.content.views import NOW, s_
from app.kit.database.statements import given, rows, table
from app.kit.errors import NotFound
from app.models.revisions import Revision

_r = table(Revision)
_SIGNATURE = re.compile(r"([0-9]{1,9})\.([0-9A-Za-z_-]+)(?:\.([0-9A-Za-z_-]+))?")


@dataclass(slots=True, frozen=True)
class Download:
    """What to send; `fixed` where the address can never lead to other bytes."""

    name: str
    content_type: str
    size: int
    blob_id: str
    fixed: bool


async def get(cx: Context, signature: str, space_id: str, file_id: str) -> Download:
    """The file without its bytes; raises NotFound for a wrong or old signature as for a file that is gone."""
    version = _checked(cx, signature, f"{space_id} {file_id}")
    if version:
        found = await cx.db.get_by_key(_VERSION, space=space_id, file=file_id, blob=version)
    else:
        found = await cx.db.get_by_key(_CURRENT, space=space_id, file=file_id)
    if not found:
        raise NotFound("There is no such file.")
    file = found[0]
    return Download(file.name, file.content_type, file.size, file.blob_id, fixed=bool(version))


def _checked(cx: Context, signature: str, meant: str) -> str | None:
    """The version that a signature is for, if for one; raises NotFound where it is not good for this file."""
    said = _SIGNATURE.fullmatch(signature)
    if said is not None:
        until, signed, version = said.groups()
        what, text = ("version", f"{meant} {until} {version}") if version else ("file", f"{meant} {until}")
        if cx.signer.good(what, text, signed) and int(until) >= cx.now.toordinal():
            return version
    raise NotFound("This address is not valid, or not any more.")


def _file(is_meant: ColumnElement[bool]) -> Select[Any]:
    return (
        select(f_.c.name, f_.c.content_type, f_.c.size, f_.c.blob_id)
        .select_from(s_)
        .join(f_, is_meant)
        .where(s_.c.id == given("space"), f_.c.file_id == given("file"), s_.c.deleted_at.is_(None))
    )


def _on_any_line() -> ColumnElement[bool]:
    """On the space's main line or that of a change request, now or at any revision before."""
    lines = select(_r.c.line_id).where(_r.c.space_id == s_.c.id)
    return and_(or_(f_.c.line_id == s_.c.id, f_.c.line_id.in_(lines)), not_(f_.c.deleted))


_CURRENT = rows(lambda: _file(NOW.valid(f_)))
_VERSION = rows(
    lambda: (
        _file(_on_any_line()).where(f_.c.blob_id == given("blob")).order_by(f_.c.valid_from.desc()).limit(1)
    )
)
