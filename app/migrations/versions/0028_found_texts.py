"""Searches find descriptions of pages, and what is in reusable contents on the pages that show them.

Links keep on which conditions a text shows what it includes; for that the texts are read again which include
something. The index of SQLite is made anew, since its columns cannot be changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

from app.formats.markdown.passages import (
    Include,
    Passage,
    conditions_of,
    included,
    passages,
    passages_of,
    shown_if,
)
from app.formats.markdown.scanner import scan
from app.formats.text.search_text import indexable
from app.kit.database import columns

revision = "0028"
down_revision = "0027"

BATCH = 1000  # rows, without bodies
_KEY = columns.Key
_LINK, _PAGE, _BLOCK, _DOCUMENT, _SPACE, _SECTION, _INCLUSION = (
    sa.table(name, *(sa.column(column) for column in columns_of))
    for name, columns_of in (
        ("link", ("line_id", "holder_id", "position", "valid_to", "relation", "target_kind", "target_id",
                  "status", "shown_if")),
        ("page_version", ("line_id", "page_id", "title", "description", "kind", "document_id", "valid_to")),
        ("reusable_version", ("line_id", "reusable_id", "document_id", "valid_to")),
        ("document", ("id", "markdown")),
        ("space", ("id", "organization_id")),
        ("search_section", ("id", "space_id", "page_id", "position", "title", "heading", "anchor", "body",
                            "condition", "kind")),
        ("search_inclusion", ("id", "space_id", "page_id", "reusable_id", "condition")),
    )
)  # fmt: skip
_FOLDED = "scope, title, heading, description, body"
_LOOK_UP = sa.text(
    f"INSERT INTO search_index (rowid, {_FOLDED})"
    " VALUES (:id, :scope, :folded_title, :folded_heading, :folded_description, :folded_body)"
)
_BETWEEN = "CAST('|\\:1' AS tsvector)"
_TERMS = sa.text(
    "UPDATE search_section SET terms ="
    f" setweight(to_tsvector('simple', :folded_title), 'A') || {_BETWEEN}"
    f" || setweight(to_tsvector('simple', :folded_heading), 'B') || {_BETWEEN}"
    f" || setweight(to_tsvector('simple', :folded_description), 'C') || {_BETWEEN}"
    " || to_tsvector('simple', :folded_body) WHERE id = :id"
)


def upgrade() -> None:
    """Keep what is included on which conditions, and index what was not found."""
    op.add_column("link", sa.Column("shown_if", sa.String(), nullable=True))
    op.add_column("search_section", sa.Column("kind", sa.String(), nullable=False, server_default="text"))
    _create_inclusions()
    _note_conditions()
    _note_inclusions()
    before = op.get_bind().execute(sa.select(sa.func.max(_SECTION.c.id))).scalar() or 0
    _add_sections(before)
    if op.get_bind().dialect.name == "sqlite":
        _create_index(_FOLDED)
        _index(0, _LOOK_UP)
    else:
        _index(before, _TERMS)


def downgrade() -> None:
    """Find neither of them any more."""
    op.execute(sa.delete(_SECTION).where(_SECTION.c.kind != "text"))
    if op.get_bind().dialect.name == "sqlite":
        _create_index("scope, title, heading, body")
        look_up = "INSERT INTO search_index (rowid, scope, title, heading, body)"
        values = "VALUES (:id, :scope, :folded_title, :folded_heading, :folded_body)"
        _index(0, sa.text(f"{look_up} {values}"))
    op.drop_table("search_inclusion")
    op.drop_column("search_section", "kind")
    op.drop_column("link", "shown_if")


def _create_inclusions() -> None:
    op.create_table(
        "search_inclusion",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("space_id", _KEY, nullable=False),
        sa.Column("page_id", _KEY, nullable=False),
        sa.Column("reusable_id", _KEY, nullable=False),
        sa.Column("condition", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_inclusion")),
    )
    for name in ("reusable_id", "page_id"):
        op.create_index(op.f(f"ix_search_inclusion_space_id_{name}"), "search_inclusion", ["space_id", name])
    given = sa.text("condition IS NOT NULL")
    conditional = "ix_search_inclusion_conditional"
    op.create_index(conditional, "search_inclusion", ["space_id"], sqlite_where=given, postgresql_where=given)


def _create_index(names: str) -> None:
    op.execute("DROP TABLE search_index")
    op.execute(
        f"CREATE VIRTUAL TABLE search_index USING fts5({names}, content='',"
        " tokenize='unicode61 remove_diacritics 2')"
    )
    op.execute(f"INSERT INTO search_index (search_index, rank) VALUES ('hashsize', {4 << 20})")


def _note_conditions() -> None:
    """Note of the links of all lines that may include something on which conditions they do."""
    links = (_LINK.c.valid_to.is_(None), _LINK.c.relation == "dependsOn")
    wanted = sa.select(_LINK.c.line_id, _LINK.c.holder_id).distinct()
    wanted = wanted.where(*links, _LINK.c.target_kind.in_(("reusable-content", "page")))
    for holder in op.get_bind().execute(wanted).all():
        for position, condition in _conditions(holder):
            changed = sa.update(_LINK).values(shown_if=condition)
            place = (_LINK.c.line_id == holder.line_id, _LINK.c.holder_id == holder.holder_id)
            op.execute(changed.where(*links, *place, _LINK.c.position == position))


def _conditions(holder: Any) -> Iterator[tuple[int, str]]:
    bind = op.get_bind()
    for t, key in ((_PAGE, "page_id"), (_BLOCK, "reusable_id")):
        here = (t.c.line_id == holder.line_id, t.c[key] == holder.holder_id, t.c.valid_to.is_(None))
        found = sa.select(_DOCUMENT.c.markdown).join(t, t.c.document_id == _DOCUMENT.c.id).where(*here)
        for body in bind.execute(found).scalars():
            given = shown_if(scan(body).links, body, conditions_of(body))
            yield from ((n, condition) for n, condition in enumerate(given) if condition is not None)


def _note_inclusions() -> None:
    """Keep which pages of the main lines show which reusable contents."""
    bind = op.get_bind()
    links = sa.select(_LINK.c.line_id, _LINK.c.holder_id, _LINK.c.target_id, _LINK.c.shown_if).distinct()
    links = links.join(_SPACE, _SPACE.c.id == _LINK.c.line_id).where(
        _LINK.c.valid_to.is_(None), _LINK.c.shown_if.is_not(None), _LINK.c.status == "ok",
        _LINK.c.target_kind == "reusable-content",
    )  # fmt: skip
    lines: defaultdict[str, defaultdict[str, list[Include]]] = defaultdict(lambda: defaultdict(list))
    for link in bind.execute(links):
        lines[link.line_id][link.holder_id].append(Include(link.target_id, link.shown_if))
    for line_id, includes in lines.items():
        pages = sa.select(_PAGE.c.page_id).where(_PAGE.c.line_id == line_id, _PAGE.c.valid_to.is_(None))
        for page_id in bind.execute(pages).scalars().all():
            for each in included(page_id, includes) if page_id in includes else ():
                values = {"reusable_id": each.target_id, "condition": each.condition or None}
                bind.execute(sa.insert(_INCLUSION).values(space_id=line_id, page_id=page_id, **values))


def _add_sections(last: int) -> None:
    """Add the sections of descriptions and of reusable contents, without what they are looked up by."""
    bind = op.get_bind()
    described = (
        sa.select(_PAGE.c.line_id, _PAGE.c.page_id, _PAGE.c.title, _PAGE.c.description)
        .join(_SPACE, _SPACE.c.id == _PAGE.c.line_id)
        .where(_PAGE.c.valid_to.is_(None), _PAGE.c.kind != "link", _PAGE.c.description.is_not(None))
    )
    for page in bind.execute(described).all():
        held = (_SECTION.c.space_id == page.line_id, _SECTION.c.page_id == page.page_id)
        start = bind.execute(sa.select(sa.func.count()).select_from(_SECTION).where(*held)).scalar_one()
        last = _add(last, page, "description", passages_of(page.description), start)
    blocks = (
        sa.select(_BLOCK.c.line_id, _BLOCK.c.reusable_id.label("page_id"), sa.literal("").label("title"))
        .add_columns(_BLOCK.c.document_id)
        .join(_SPACE, _SPACE.c.id == _BLOCK.c.line_id)
        .where(_BLOCK.c.valid_to.is_(None))
    )
    for block in bind.execute(blocks).all():
        body = sa.select(_DOCUMENT.c.markdown).where(_DOCUMENT.c.id == block.document_id)
        text = bind.execute(body).scalar_one()
        last = _add(last, block, "reusable", passages(scan(text), conditions_of(text)), 0)


def _add(last: int, holder: Any, kind: str, found: Sequence[Passage], start: int) -> int:
    for position, each in enumerate(found, start):
        row = {name: getattr(each, name) for name in ("heading", "anchor", "body", "condition")}
        row |= {"space_id": holder.line_id, "page_id": holder.page_id, "title": holder.title, "kind": kind}
        if op.get_bind().dialect.name == "sqlite":
            last += 1
            row["id"] = last
        op.get_bind().execute(sa.insert(_SECTION).values(position=position, **row))
    return last


def _index(last: int, using: Any) -> None:
    """Fold the sections from a number on and have them looked up."""
    bind = op.get_bind()
    while True:
        some = (
            sa.select(_SECTION, _SPACE.c.organization_id)
            .join(_SPACE, _SPACE.c.id == _SECTION.c.space_id)
            .where(_SECTION.c.id > last)
            .order_by(_SECTION.c.id)
            .limit(BATCH)
        )
        found = bind.execute(some).all()
        if not found:
            return
        last = found[-1].id
        bind.execute(using, [_folded(row) for row in found])


def _folded(row: Any) -> dict[str, Any]:
    is_description = row.kind == "description"
    texts = {
        "folded_title": row.title,
        "folded_heading": row.heading or "",
        "folded_description": row.body if is_description else "",
        "folded_body": "" if is_description else row.body,
    }
    scope = f"s{row.space_id} o{row.organization_id}"
    return {"id": row.id, "scope": scope, **{name: indexable(text) for name, text in texts.items()}}
