"""The titles of pages have an index of their own, by which a search finds pages first."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from app.formats.text.search_text import indexable
from app.kit.database import columns

revision = "0058"
down_revision = "0057"

BATCH = 1000  # rows
LONGEST = 200
_KEY = columns.Key
_SECTION, _TITLE, _SPACE = (
    sa.table(name, *(sa.column(column) for column in columns_of))
    for name, columns_of in (
        ("search_section", ("id", "space_id", "page_id", "title", "kind")),
        ("search_title", ("id", "space_id", "page_id", "title")),
        ("space", ("id", "organization_id")),
    )
)


def upgrade() -> None:
    """Keep the title of each page that is indexed."""
    op.create_table(
        "search_title",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("space_id", _KEY, nullable=False),
        sa.Column("page_id", _KEY, nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_title")),
    )
    _add_titles()
    for name in ("title", "page_id"):
        op.create_index(op.f(f"ix_search_title_space_id_{name}"), "search_title", ["space_id", name])
    if op.get_bind().dialect.name == "postgresql":
        words = "gin (to_tsvector('simple', title))"
        op.execute(f"CREATE INDEX ix_search_title_words ON search_title USING {words}")
        return
    op.execute(
        "CREATE VIRTUAL TABLE search_index_titles USING fts5(scope, title,"
        " tokenize='unicode61 remove_diacritics 2')"
    )
    op.execute(
        "INSERT INTO search_index_titles (rowid, scope, title)"
        " SELECT search_title.id, 's' || space.id || ' o' || space.organization_id, search_title.title"
        " FROM search_title JOIN space ON space.id = search_title.space_id"
    )


def downgrade() -> None:
    """Keep it no more."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE search_index_titles")
    op.drop_table("search_title")


def _add_titles() -> None:
    bind = op.get_bind()
    first = sa.select(sa.func.min(_SECTION.c.id).label("id")).where(_SECTION.c.kind != "reusable")
    of_pages = first.group_by(_SECTION.c.space_id, _SECTION.c.page_id).subquery()
    found = bind.execute(sa.select(_SECTION).join(of_pages, of_pages.c.id == _SECTION.c.id)).all()
    for start in range(0, len(found), BATCH):
        bind.execute(sa.insert(_TITLE), [_titled(row) for row in found[start : start + BATCH]])


def _titled(row: Any) -> dict[str, str]:
    words = " ".join(indexable(row.title).replace("_", " ").split())[:LONGEST]
    return {"space_id": row.space_id, "page_id": row.page_id, "title": words}
