"""Content that is written: change requests on lines of their own, reviews, bytes kept elsewhere.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0002"
down_revision = "0001"

Index = tuple[str, str, list[str], str]
VERSIONED = ("page_version", "file_version", "reusable_version")
OPEN, CLOSED = "valid_to IS NULL", "valid_to IS NOT NULL"
DROPPED = [
    ("ix_page_version_current", "page_version", ["line_id", "page_id"], OPEN),
    ("ix_file_version_current", "file_version", ["line_id", "file_id"], OPEN),
]
INDEXES = [
    ("ix_page_version_current", "page_version", ["line_id", "page_id", "valid_from"], OPEN),
    ("ix_page_version_children", "page_version", ["line_id", "parent_id", "rank"], OPEN),
    ("ix_page_version_source", "page_version", ["line_id", "source"], OPEN),
    ("ix_page_version_closed", "page_version", ["line_id", "valid_to", "valid_from"], CLOSED),
    ("ix_page_version_closed_path", "page_version", ["line_id", "path"], CLOSED),
    ("ix_file_version_current", "file_version", ["line_id", "file_id", "valid_from"], OPEN),
    ("ix_file_version_source", "file_version", ["line_id", "source"], OPEN),
    ("ix_file_version_closed", "file_version", ["line_id", "valid_to", "valid_from"], CLOSED),
    ("ix_link_closed", "link", ["line_id", "valid_to", "valid_from"], CLOSED),
]
TABLES = ["contribution", "requested_review", "review", "change_request"]


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        _write_times_as_sent()
        _set_search_memory(4 << 20)  # writing many sections at once merges less
    for table in VERSIONED:
        op.add_column(table, sa.Column("deleted", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("revision", sa.Column("base_number", sa.Integer(), nullable=True))
    _let_blobs_be_in_parts()
    _exchange(DROPPED, INDEXES)
    _create_change_requests()
    _create_reviews()


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        _set_search_memory(1 << 20)
    for table in TABLES:
        op.drop_table(table)
    _exchange(INDEXES, DROPPED)
    op.drop_table("blob_part")
    op.drop_column("blob", "place")
    op.drop_column("revision", "base_number")
    for table in VERSIONED:
        op.drop_column(table, "deleted")


def _let_blobs_be_in_parts() -> None:
    op.add_column("blob", sa.Column("place", columns.Key, nullable=True))
    op.create_table(
        "blob_part",
        sa.Column("blob_id", columns.Key, nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["blob_id"], ["blob.id"], name=op.f("fk_blob_part_blob_id_blob"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("blob_id", "start", name=op.f("pk_blob_part")),
    )


def _write_times_as_sent() -> None:
    """Times are kept as they are sent, `Z` and not `+00:00`."""
    tables = sa.inspect(op.get_bind())
    for table in tables.get_table_names():
        for name in (column["name"] for column in tables.get_columns(table)):
            if name.endswith("_at"):
                op.execute(f"UPDATE {table} SET {name} = replace({name}, '+00:00', 'Z')")


def _set_search_memory(size: int) -> None:
    op.execute(f"INSERT INTO search_index (search_index, rank) VALUES ('hashsize', {size})")


def _exchange(old: list[Index], new: list[Index]) -> None:
    for name, table, _, _ in old:
        op.drop_index(name, table)
    for name, table, names, where in new:
        condition = sa.text(where)
        op.create_index(name, table, names, sqlite_where=condition, postgresql_where=condition)


def _create_change_requests() -> None:
    op.create_table(
        "change_request",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("space_id", columns.Key, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=True),
        sa.Column("agent_task_id", sa.String(), nullable=True),
        sa.Column("created_by", columns.Key, nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("updated_at", columns.Instant(), nullable=False),
        sa.Column("revision_id", columns.Key, nullable=False),
        sa.Column("revision_number", sa.Integer(), nullable=False),
        sa.Column("base_number", sa.Integer(), nullable=False),
        sa.Column("base_revision_id", columns.Key, nullable=False),
        sa.Column("revision_initial", columns.Key, nullable=False),
        sa.Column("revision_merged_ancestor", columns.Key, nullable=True),
        sa.Column("revision_merged", columns.Key, nullable=True),
        sa.Column("merged_by", columns.Key, nullable=True),
        sa.Column("merged_at", columns.Instant(), nullable=True),
        sa.Column("comments", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["space.id"], name=op.f("fk_change_request_space_id_space")),
        sa.ForeignKeyConstraint(
            ["created_by"], ["user_account.id"], name=op.f("fk_change_request_created_by_user_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_change_request")),
    )
    for names, unique in ((["space_id", "number"], True), (["space_id", "status", "number"], False)):
        name = "ix_change_request_" + "_".join(names)
        op.create_index(op.f(name), "change_request", names, unique=unique)
    op.create_index(op.f("ix_change_request_created_by"), "change_request", ["created_by"])


def _create_reviews() -> None:
    op.create_table(
        "review",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("change_request_id", columns.Key, nullable=False),
        sa.Column("revision_id", columns.Key, nullable=False),
        sa.Column("reviewer_id", columns.Key, nullable=False),
        sa.Column("requested_by", columns.Key, nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("comment", sa.String(), nullable=True),
        sa.Column("created_at", columns.Instant(), nullable=False),
        _to_change_request("review"),
        _to_user("review", "reviewer_id"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review")),
    )
    op.create_index(op.f("ix_review_change_request_id_id"), "review", ["change_request_id", "id"])
    op.create_table(
        "requested_review",
        sa.Column("change_request_id", columns.Key, nullable=False),
        sa.Column("user_id", columns.Key, nullable=False),
        sa.Column("requested_by", columns.Key, nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        _to_change_request("requested_review"),
        _to_user("requested_review", "user_id"),
        sa.PrimaryKeyConstraint("change_request_id", "user_id", name=op.f("pk_requested_review")),
    )
    op.create_index(op.f("ix_requested_review_user_id"), "requested_review", ["user_id"])
    op.create_table(
        "contribution",
        sa.Column("change_request_id", columns.Key, nullable=False),
        sa.Column("user_id", columns.Key, nullable=False),
        sa.Column("kind", columns.Key, nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("updated_at", columns.Instant(), nullable=False),
        _to_change_request("contribution"),
        _to_user("contribution", "user_id"),
        sa.PrimaryKeyConstraint("change_request_id", "user_id", "kind", name=op.f("pk_contribution")),
    )
    op.create_index(op.f("ix_contribution_user_id"), "contribution", ["user_id"])


def _to_change_request(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_change_request_id_change_request")
    return sa.ForeignKeyConstraint(["change_request_id"], ["change_request.id"], name=name)


def _to_user(table: str, column: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], ["user_account.id"], name=op.f(f"fk_{table}_{column}_user_account")
    )
