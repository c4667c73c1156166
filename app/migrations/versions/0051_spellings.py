"""Searches find titles that are just what is asked for, and words that were misspelled.

The index is made anew with marks around titles, and with the words that it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from app.formats.text.search_queries import BEGIN, END
from app.formats.text.search_text import indexable
from app.formats.text.spellings import is_correctable, keys, words_of
from app.kit.database import columns

revision = "0051"
down_revision = "0050"

BATCH = 1000  # rows
_KEY = columns.Key
_SPACE, _SECTION, _WORD, _SPELLING = (
    sa.table(name, *(sa.column(column) for column in columns_of))
    for name, columns_of in (
        ("space", ("id", "organization_id")),
        ("search_section", ("id", "space_id", "title", "heading", "body", "kind")),
        ("search_word", ("space_id", "word", "uses")),
        ("search_spelling", ("space_id", "key", "word")),
    )
)
_NAMES = "scope, title, heading, description, body"
_LOOK_UP = sa.text(
    f"INSERT INTO search_index (rowid, {_NAMES}) VALUES (:id, :scope, :title, :heading, :description, :body)"
)


def _terms(begin: str, between: str, end: str) -> Any:
    title = f"{begin}to_tsvector('simple', :title){end}"
    return sa.text(
        f"UPDATE search_section SET terms = setweight({title}, 'A') || {between}"
        f" || setweight(to_tsvector('simple', :heading), 'B') || {between}"
        f" || setweight(to_tsvector('simple', :description), 'C') || {between}"
        " || to_tsvector('simple', :body) WHERE id = :id"
    )


_FRAMED = _terms(
    "CAST('<\\:1' AS tsvector) || ", "CAST('|\\:4' AS tsvector)", " || CAST('>\\:1' AS tsvector)"
)
_PLAIN = _terms("", "CAST('|\\:1' AS tsvector)", "")


def upgrade() -> None:
    """Keep the words of each space, and mark where titles begin and end."""
    op.create_table(
        "search_word",
        sa.Column("space_id", _KEY, nullable=False),
        sa.Column("word", _KEY, nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "word", name=op.f("pk_search_word")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "search_spelling",
        sa.Column("space_id", _KEY, nullable=False),
        sa.Column("key", _KEY, nullable=False),
        sa.Column("word", _KEY, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "key", "word", name=op.f("pk_search_spelling")),
        sqlite_with_rowid=False,
    )
    _index(BEGIN + " ", " " + END, _FRAMED)
    for space_id in op.get_bind().execute(sa.select(_SPACE.c.id)).scalars().all():
        _add_words(space_id)


def downgrade() -> None:
    """Find neither of them any more."""
    _index("", "", _PLAIN)
    op.drop_table("search_spelling")
    op.drop_table("search_word")


def _index(begin: str, end: str, terms: Any) -> None:
    bind = op.get_bind()
    if bind.dialect.name == "sqlite":
        op.execute("INSERT INTO search_index (search_index) VALUES ('delete-all')")
    using = _LOOK_UP if bind.dialect.name == "sqlite" else terms
    for rows in _batches():
        folded = [_folded(row) for row in rows]
        if using is _LOOK_UP:
            folded = [{**row, "title": f"{begin}{row['title']}{end}"} for row in folded]
        bind.execute(using, folded)


def _add_words(space_id: str) -> None:
    uses: Counter[str] = Counter()
    for rows in _batches(_SECTION.c.space_id == space_id):
        for row in rows:
            folded = _folded(row)
            uses.update(words_of(folded[name] for name in ("title", "heading", "description", "body")))
    bind = op.get_bind()
    words = sorted(filter(is_correctable, uses))
    for start in range(0, len(words), BATCH):
        some = words[start : start + BATCH]
        counted = [{"space_id": space_id, "word": word, "uses": uses[word]} for word in some]
        bind.execute(sa.insert(_WORD), counted)
        spelled = [{"space_id": space_id, "key": key, "word": word} for word in some for key in keys(word)]
        bind.execute(sa.insert(_SPELLING), spelled)


def _batches(*where: Any) -> Iterator[Any]:
    last = 0
    while True:
        some = (
            sa.select(_SECTION, _SPACE.c.organization_id)
            .join(_SPACE, _SPACE.c.id == _SECTION.c.space_id)
            .where(_SECTION.c.id > last, *where)
            .order_by(_SECTION.c.id)
            .limit(BATCH)
        )
        found = op.get_bind().execute(some).all()
        if not found:
            return
        last = found[-1].id
        yield found


def _folded(row: Any) -> dict[str, Any]:
    is_description = row.kind == "description"
    texts = {
        "title": row.title,
        "heading": row.heading or "",
        "description": row.body if is_description else "",
        "body": "" if is_description else row.body,
    }
    scope = f"s{row.space_id} o{row.organization_id}"
    return {"id": row.id, "scope": scope, **{name: indexable(text) for name, text in texts.items()}}
