"""Whether what a body says depends on who reads it is kept with it; what is found, with its condition.

Bodies are read in batches, by the parser that hides. Passages of pages on the main lines of spaces whose
bodies have conditions are cut anew, so that what is under a condition is found by those for whom it holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from app.formats.markdown.passages import Passage, conditions_of, passage, passages
from app.formats.markdown.scanner import scan
from app.formats.text.search_text import indexable
from app.kit.database import columns

revision = "0016"
down_revision = "0015"

BATCH = 50  # bodies, of up to 5 MB each
INDEX = "ix_search_section_conditional"
_DOCUMENT = sa.table(
    "document", sa.column("id", columns.Key), sa.column("markdown"), sa.column("conditional", sa.Boolean())
)
_PAGE = sa.table(
    "page_version",
    sa.column("line_id", columns.Key),
    sa.column("page_id", columns.Key),
    sa.column("title"),
    sa.column("document_id", columns.Key),
    sa.column("valid_to"),
)
_SPACE = sa.table("space", sa.column("id", columns.Key), sa.column("organization_id", columns.Key))
_NAMES = ("id", "space_id", "page_id", "position", "title", "heading", "anchor", "body", "condition")
_SECTION = sa.table("search_section", *(sa.column(name) for name in _NAMES))
_FORGET = sa.text(
    "INSERT INTO search_index (search_index, rowid, scope, title, heading, body)"
    " VALUES ('delete', :id, :scope, :folded_title, :folded_heading, :folded_body)"
)
_LOOK_UP = sa.text(
    "INSERT INTO search_index (rowid, scope, title, heading, body)"
    " VALUES (:id, :scope, :folded_title, :folded_heading, :folded_body)"
)
_BETWEEN = "CAST('|\\:1' AS tsvector)"
_ADD = sa.text(
    f"INSERT INTO search_section ({', '.join(_NAMES[1:])}, terms)"
    f" VALUES ({', '.join(f':{name}' for name in _NAMES[1:])},"
    f" setweight(to_tsvector('simple', :folded_title), 'A') || {_BETWEEN}"
    f" || setweight(to_tsvector('simple', :folded_heading), 'B') || {_BETWEEN}"
    " || to_tsvector('simple', :folded_body))"
)


def upgrade() -> None:
    """Add both columns and fill them."""
    op.add_column(
        "document", sa.Column("conditional", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.add_column("search_section", sa.Column("condition", sa.String(), nullable=True))
    given = sa.text("condition IS NOT NULL")
    op.create_index(INDEX, "search_section", ["space_id"], sqlite_where=given, postgresql_where=given)
    for document in _conditional():
        _index_again(document.id, document.markdown)


def downgrade() -> None:
    """Forget both; what is under conditions stays apart in the index."""
    op.drop_index(INDEX, "search_section")
    op.drop_column("search_section", "condition")
    op.drop_column("document", "conditional")


def _conditional() -> Iterator[Any]:
    """Note which bodies have conditions, and give those."""
    bind, last = op.get_bind(), ""
    while True:
        some = sa.select(_DOCUMENT).where(_DOCUMENT.c.id > last).order_by(_DOCUMENT.c.id).limit(BATCH)
        rows = bind.execute(some).all()
        if not rows:
            return
        last = rows[-1].id
        found = [row for row in rows if conditions_of(row.markdown) is not None]
        for row in found:
            bind.execute(sa.update(_DOCUMENT).where(_DOCUMENT.c.id == row.id).values(conditional=True))
        yield from found


def _index_again(document_id: str, body: str) -> None:
    """Cut the passages of the pages that have a body now, on the main lines of spaces."""
    pages = (
        sa.select(_PAGE.c.line_id, _PAGE.c.page_id, _PAGE.c.title, _SPACE.c.organization_id)
        .join(_SPACE, _SPACE.c.id == _PAGE.c.line_id)
        .where(_PAGE.c.document_id == document_id, _PAGE.c.valid_to.is_(None))
    )
    found = passages(scan(body), conditions_of(body))
    if all(each.condition is not None for each in found):
        found = [passage(None, None, ""), *found]
    for page in op.get_bind().execute(pages).all():
        _replace(page, found)


def _replace(page: Any, found: list[Passage]) -> None:
    bind = op.get_bind()
    held = (_SECTION.c.space_id == page.line_id, _SECTION.c.page_id == page.page_id)
    scope = f"s{page.line_id} o{page.organization_id}"
    is_sqlite = bind.dialect.name == "sqlite"
    if is_sqlite:
        for old in bind.execute(sa.select(_SECTION).where(*held)).all():
            bind.execute(_FORGET, {"id": old.id, "scope": scope, **_folded(old.title, old.heading, old.body)})
    bind.execute(sa.delete(_SECTION).where(*held))
    number = bind.execute(sa.select(sa.func.coalesce(sa.func.max(_SECTION.c.id), 0))).scalar_one()
    for position, each in enumerate(found):
        row: dict[str, Any] = {
            "space_id": page.line_id,
            "page_id": page.page_id,
            "position": position,
            "title": page.title,
            **{name: getattr(each, name) for name in ("heading", "anchor", "body", "condition")},
        }
        folded = _folded(page.title, each.heading, each.body)
        if is_sqlite:
            number += 1
            bind.execute(sa.insert(_SECTION).values(id=number, **row))
            bind.execute(_LOOK_UP, {"id": number, "scope": scope, **folded})
        else:
            bind.execute(_ADD, {**row, **folded})


def _folded(title: str, heading: str | None, body: str) -> dict[str, str]:
    texts = {"folded_title": title, "folded_heading": heading or "", "folded_body": body}
    return {name: indexable(text) for name, text in texts.items()}
