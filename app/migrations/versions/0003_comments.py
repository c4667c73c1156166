"""Comments: discussions on spaces, pages, blocks of pages and change requests.

Revision ID: 0003
Revises: 0002
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0003"
down_revision = "0002"

COUNTED = ("space", "change_request")
TABLES = ["comment_mention", "comment_reaction", "comment_reply", "comment"]


def upgrade() -> None:
    for table in COUNTED:
        op.add_column(table, sa.Column("comments_resolved", sa.Integer(), nullable=False, server_default="0"))
    _create_comments()
    _create_replies()
    _create_of_subjects("comment_reaction", [_key("emoji"), _key("user_id"), _time("reacted_at")])
    position: sa.Column[object] = sa.Column("position", sa.Integer(), nullable=False)
    _create_of_subjects("comment_mention", [_key("user_id"), position])


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
    for table in COUNTED:
        op.drop_column(table, "comments_resolved")


def _create_comments() -> None:
    op.create_table(
        "comment",
        _key("id"),
        _key("space_id"),
        _key("change_request_id", nullable=True),
        _key("revision_id"),
        _key("page_id", nullable=True),
        _key("page_line", nullable=True),
        sa.Column("page_from", sa.Integer(), nullable=True),
        _key("document_id", nullable=True),
        sa.Column("node", sa.String(), nullable=True),
        sa.Column("review_id", columns.Key, nullable=True),
        sa.Column("node_mark", sa.String(), nullable=True),
        sa.Column("preview", sa.String(), nullable=True),
        *_written(),
        _key("status"),
        _key("resolved_by", nullable=True),
        _time("resolved_at", nullable=True),
        sa.Column("replies", sa.Integer(), nullable=False),
        _to("comment", "space_id", "space"),
        _to("comment", "change_request_id", "change_request"),
        _to("comment", "posted_by", "user_account"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comment")),
    )
    _create_index("comment", ["change_request_id", "space_id", "posted_at", "id"])
    for filtered in ("status", "page_id", "posted_by"):
        _create_index("comment", ["space_id", "change_request_id", filtered, "posted_at", "id"])


def _create_replies() -> None:
    op.create_table(
        "comment_reply",
        _key("id"),
        _key("comment_id"),
        _key("space_id"),
        _key("change_request_id", nullable=True),
        *_written(),
        _to("comment_reply", "comment_id", "comment", ondelete="CASCADE"),
        _to("comment_reply", "posted_by", "user_account"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comment_reply")),
    )
    _create_index("comment_reply", ["comment_id", "posted_at", "id"])
    _create_index("comment_reply", ["space_id", "change_request_id", "posted_by"])


def _create_of_subjects(table: str, columns_: Sequence[sa.Column[object]]) -> None:
    """A table of what belongs to comments and replies alike."""
    key = ["subject_id", *(column.name for column in columns_ if column.name in ("emoji", "user_id"))]
    op.create_table(
        table,
        _key("subject_id"),
        _key("comment_id"),
        _key("reply_id", nullable=True),
        *columns_,
        _to(table, "comment_id", "comment", ondelete="CASCADE"),
        _to(table, "reply_id", "comment_reply", ondelete="CASCADE"),
        _to(table, "user_id", "user_account"),
        sa.PrimaryKeyConstraint(*key, name=op.f(f"pk_{table}")),
    )
    _create_index(table, ["comment_id"])
    _create_index(table, ["reply_id"])


def _written() -> list[sa.Column[object]]:
    return [
        _key("posted_by"),
        _time("posted_at"),
        _time("edited_at", nullable=True),
        sa.Column("body", sa.String(), nullable=False),
    ]


def _key(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, columns.Key, nullable=nullable)


def _time(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, columns.Instant(), nullable=nullable)


def _to(table: str, column: str, other: str, *, ondelete: str | None = None) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{other}")
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=name, ondelete=ondelete)


def _create_index(table: str, names: list[str]) -> None:
    op.create_index(op.f(f"ix_{table}_{'_'.join(names)}"), table, names)
