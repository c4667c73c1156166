"""Files by signed address: whoever was handed one may read that file for a day or two (see present.links)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from app.access.context import Context
from app.domain.content import current, f_, s_
from app.kit.errors import NotFound
from app.kit.statements import given, rows, table
from app.models.files import Blob

_b = table(Blob)
_FILE = rows(
    lambda: (
        select(f_.c.name, f_.c.content_type, f_.c.blob_id, _b.c.data)
        .select_from(s_)
        .join(f_, current(f_))
        .join(_b, _b.c.id == f_.c.blob_id)
        .where(s_.c.id == given("space"), f_.c.file_id == given("file"), s_.c.deleted_at.is_(None))
    )
)


async def get(cx: Context, signature: str, space_id: str, file_id: str) -> Any:
    """The file with its bytes; raises NotFound for a wrong or old signature as for a file that is gone."""
    until, _, signed = signature.partition(".")
    good = cx.signer.good("file", f"{space_id} {file_id} {until}", signed)
    if not good or not until.isdigit() or int(until) < cx.now.toordinal():
        raise NotFound("This address is not valid, or not any more.")
    file = await cx.db.first(_FILE, space=space_id, file=file_id)
    if file is None:
        raise NotFound("There is no such file.")
    return file
