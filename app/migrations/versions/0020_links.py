"""Links by the path that they ask for, of pages and reusable contents; anchors of texts; former files.

Every space's links are worked out anew by a job, since what is new about them follows from the texts.

Revision ID: 0020
Revises: 0019
"""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns
from app.kit.ids import new_id

revision = "0020"
down_revision = "0019"

OPEN = "valid_to IS NULL"
ELSEWHERE = "valid_to IS NULL AND target_space IS NOT NULL"
TARGETS = ("target_page", "target_file", "target_reusable")
OLD = [
    ("ix_link_current", ["line_id", "page_id", "position"], OPEN),
    ("ix_link_status", ["line_id", "status", "page_id", "position"], OPEN),
    ("ix_link_target_page", ["line_id", "target_page"], OPEN),
    ("ix_link_target_file", ["line_id", "target_file"], OPEN),
]
NEW = [
    ("ix_link_current", ["line_id", "holder_id", "position"], OPEN),
    ("ix_link_status", ["line_id", "status", "holder_id", "position"], OPEN),
    ("ix_link_target", ["line_id", "target_id"], OPEN),
    ("ix_link_path", ["line_id", "target_path"], OPEN),
    ("ix_link_elsewhere", ["target_space", "target_id"], ELSEWHERE),
]


def upgrade() -> None:
    for name, _, _ in OLD:
        op.drop_index(name, "link")
    op.execute("ALTER TABLE link RENAME COLUMN page_id TO holder_id")
    for column in ("target_id", "target_path", "target_space"):
        op.add_column("link", sa.Column(column, columns.Key, nullable=True))
    op.execute(f"UPDATE link SET target_id = coalesce({', '.join(TARGETS)})")
    for name in TARGETS:
        op.drop_column("link", name)
    for index in NEW:
        _create_index(*index)
    op.add_column("document", sa.Column("anchors", sa.String(), nullable=True))
    op.create_table(
        "former_source",
        sa.Column("line_id", columns.Key, nullable=False),
        sa.Column("source", columns.Key, nullable=False),
        sa.Column("until", sa.Integer(), nullable=False),
        sa.Column("target_id", columns.Key, nullable=False),
        sa.PrimaryKeyConstraint("line_id", "source", "until", "target_id", name=op.f("pk_former_source")),
    )
    op.create_index(op.f("ix_former_source_line_id_target_id"), "former_source", ["line_id", "target_id"])
    _fill_former_sources()
    _ask_for_links()


def downgrade() -> None:
    op.drop_table("former_source")
    op.drop_column("document", "anchors")
    for name, _, _ in NEW:
        op.drop_index(name, "link")
    op.execute("DELETE FROM link WHERE holder_id IN (SELECT reusable_id FROM reusable_version)")
    for name in TARGETS:
        op.add_column("link", sa.Column(name, columns.Key, nullable=True))
    op.execute("UPDATE link SET target_page = target_id WHERE target_kind IN ('page', 'anchor')")
    op.execute("UPDATE link SET target_file = target_id WHERE target_kind = 'file'")
    op.execute("UPDATE link SET target_reusable = target_id WHERE target_kind = 'reusable-content'")
    for column in ("target_id", "target_path", "target_space"):
        op.drop_column("link", column)
    op.execute("ALTER TABLE link RENAME COLUMN holder_id TO page_id")
    for index in OLD:
        _create_index(*index)


def _create_index(name: str, names: list[str], condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, "link", names, sqlite_where=where, postgresql_where=where)


def _fill_former_sources() -> None:
    """Every version of a page that was followed by one in another file."""
    op.execute(
        "INSERT INTO former_source (line_id, source, until, target_id)"
        " SELECT was.line_id, was.source, was.valid_to, was.page_id FROM page_version AS was"
        " JOIN page_version AS now ON now.line_id = was.line_id AND now.page_id = was.page_id"
        " AND now.valid_from = was.valid_to"
        " WHERE was.source IS NOT NULL AND now.source IS NOT NULL AND now.source <> was.source"
    )


def _ask_for_links() -> None:
    """A job for each space, to be done as soon as the server runs."""
    bind = op.get_bind()
    space = sa.table("space", sa.column("id", columns.Key), sa.column("organization_id", columns.Key))
    job = sa.table(
        "job",
        sa.column("id", columns.Key),
        sa.column("kind"),
        sa.column("subject", columns.Key),
        sa.column("organization_id", columns.Key),
        sa.column("payload"),
        sa.column("state"),
        sa.column("due_at", columns.Instant()),
        sa.column("attempts", sa.Integer()),
        sa.column("created_at", columns.Instant()),
    )
    now = datetime.now(UTC)
    told = {
        "kind": "rebuild_links",
        "payload": sa.text("'{}'"),
        "state": "waiting",
        "due_at": now,
        "attempts": 0,
    }
    for row in bind.execute(sa.select(space)).all():
        about = {"subject": row.id, "organization_id": row.organization_id}
        bind.execute(sa.insert(job).values({**told, **about, "id": new_id(), "created_at": now}))
