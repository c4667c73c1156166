"""The foundation: people, organizations, collections, spaces and their content by validity.

Revision ID: 0001
Revises:
"""

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0001"
down_revision = None

TABLES = [
    "blob",
    "bucket",
    "document",
    "fact",
    "job",
    "line_properties",
    "link",
    "organization",
    "replay",
    "search_section",
    "user_account",
    "collection",
    "file_version",
    "member",
    "page_version",
    "reusable_version",
    "token",
    "space",
    "revision",
]


def upgrade() -> None:
    _create_tables()
    _create_search_index()


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE search_index")
    for name in reversed(TABLES):
        op.drop_table(name)


def _create_search_index() -> None:
    """Full-text search, which models cannot describe: FTS5 beside the table, or a tsvector in it."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "CREATE VIRTUAL TABLE search_index USING fts5(scope, title, heading, body, content='',"
            " tokenize='unicode61 remove_diacritics 2')"
        )
    else:
        op.execute("ALTER TABLE search_section ADD COLUMN terms tsvector")
        op.execute("CREATE INDEX ix_search_section_terms ON search_section USING gin (terms)")


def _create_tables() -> None:
    op.create_table(
        "blob",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_blob")),
    )
    op.create_table(
        "bucket",
        sa.Column("token_id", columns.Key, nullable=False),
        sa.Column("calls_left", sa.Float(), nullable=False),
        sa.Column("filled_at", sa.Float(), nullable=False),
        sa.Column("refused", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("token_id", name=op.f("pk_bucket")),
    )
    op.create_table(
        "document",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("markdown", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document")),
    )
    op.create_table(
        "fact",
        sa.Column("name", columns.Key, nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_fact")),
    )
    op.create_table(
        "job",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", columns.Key, nullable=False),
        sa.Column("payload", columns.Json(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("due_at", columns.Instant(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
    )
    op.create_index(op.f("ix_job_state_due_at"), "job", ["state", "due_at"], unique=False)
    op.create_index(op.f("ix_job_subject"), "job", ["subject"], unique=False)

    op.create_table(
        "line_properties",
        sa.Column("line_id", columns.Key, nullable=False),
        sa.Column("valid_from", sa.Integer(), nullable=False),
        sa.Column("valid_to", sa.Integer(), nullable=True),
        sa.Column("variables", columns.Json(), nullable=False),
        sa.Column("redirects", columns.Json(), nullable=False),
        sa.Column("summary_source", sa.String(), nullable=True),
        sa.Column("settings_source", sa.String(), nullable=True),
        sa.Column("variables_source", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("line_id", "valid_from", name=op.f("pk_line_properties")),
    )
    op.create_table(
        "link",
        sa.Column("line_id", columns.Key, nullable=False),
        sa.Column("page_id", columns.Key, nullable=False),
        sa.Column("valid_from", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("valid_to", sa.Integer(), nullable=True),
        sa.Column("href", sa.String(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("relation", sa.String(), nullable=False),
        sa.Column("target_kind", sa.String(), nullable=False),
        sa.Column("target_reusable", columns.Key, nullable=True),
        sa.Column("target_page", columns.Key, nullable=True),
        sa.Column("target_file", columns.Key, nullable=True),
        sa.Column("target_anchor", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("line_id", "page_id", "valid_from", "position", name=op.f("pk_link")),
    )
    op.create_index(
        "ix_link_current",
        "link",
        ["line_id", "page_id", "position"],
        unique=False,
        sqlite_where=sa.text("valid_to IS NULL"),
        postgresql_where=sa.text("valid_to IS NULL"),
    )
    op.create_index(
        "ix_link_status",
        "link",
        ["line_id", "status", "page_id", "position"],
        unique=False,
        sqlite_where=sa.text("valid_to IS NULL"),
        postgresql_where=sa.text("valid_to IS NULL"),
    )
    op.create_index(
        "ix_link_target_file",
        "link",
        ["line_id", "target_file"],
        unique=False,
        sqlite_where=sa.text("valid_to IS NULL"),
        postgresql_where=sa.text("valid_to IS NULL"),
    )
    op.create_index(
        "ix_link_target_page",
        "link",
        ["line_id", "target_page"],
        unique=False,
        sqlite_where=sa.text("valid_to IS NULL"),
        postgresql_where=sa.text("valid_to IS NULL"),
    )

    op.create_table(
        "organization",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("email_domains", columns.Json(), nullable=False),
        sa.Column("hostname", columns.Key, nullable=True),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("use_case", sa.String(), nullable=True),
        sa.Column("community_type", sa.String(), nullable=True),
        sa.Column("default_role", sa.String(), nullable=True),
        sa.Column("default_content", columns.Json(), nullable=True),
        sa.Column("sso", sa.Boolean(), nullable=False),
        sa.Column("ai", sa.Boolean(), nullable=False),
        sa.Column("invite_links", sa.Boolean(), nullable=False),
        sa.Column("plan", sa.String(), nullable=False),
        sa.Column("logo", sa.String(), nullable=True),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("updated_at", columns.Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_organization")),
        sa.UniqueConstraint("hostname", name=op.f("uq_organization_hostname")),
    )
    op.create_table(
        "replay",
        sa.Column("key", columns.Key, nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("headers", columns.Json(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_replay")),
    )
    op.create_index(op.f("ix_replay_created_at"), "replay", ["created_at"], unique=False)

    op.create_table(
        "search_section",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("space_id", columns.Key, nullable=False),
        sa.Column("page_id", columns.Key, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("heading", sa.String(), nullable=True),
        sa.Column("anchor", sa.String(), nullable=True),
        sa.Column("body", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_section")),
    )
    op.create_index(
        op.f("ix_search_section_space_id_page_id_position"),
        "search_section",
        ["space_id", "page_id", "position"],
        unique=False,
    )

    op.create_table(
        "user_account",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("email", columns.Key, nullable=False),
        sa.Column("display_name", sa.String(), nullable=False),
        sa.Column("photo_url", sa.String(), nullable=True),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_account")),
        sa.UniqueConstraint("email", name=op.f("uq_user_account_email")),
    )
    op.create_table(
        "collection",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("parent_id", columns.Key, nullable=True),
        sa.Column("rank", columns.Key, nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=True),
        sa.Column("default_level", sa.String(), nullable=True),
        sa.Column("base_level", sa.Integer(), nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("updated_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_collection_organization_id_organization")
        ),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["collection.id"], name=op.f("fk_collection_parent_id_collection")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_collection")),
    )
    op.create_index(
        op.f("ix_collection_organization_id_id"), "collection", ["organization_id", "id"], unique=False
    )
    op.create_index(
        op.f("ix_collection_organization_id_parent_id_rank"),
        "collection",
        ["organization_id", "parent_id", "rank"],
        unique=False,
    )
    op.create_index(op.f("ix_collection_parent_id"), "collection", ["parent_id"], unique=False)

    op.create_table(
        "file_version",
        sa.Column("line_id", columns.Key, nullable=False),
        sa.Column("file_id", columns.Key, nullable=False),
        sa.Column("valid_from", sa.Integer(), nullable=False),
        sa.Column("valid_to", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("source", columns.Key, nullable=True),
        sa.Column("content_type", sa.String(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("blob_id", columns.Key, nullable=False),
        sa.Column("git_oid", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["blob_id"], ["blob.id"], name=op.f("fk_file_version_blob_id_blob")),
        sa.PrimaryKeyConstraint("line_id", "file_id", "valid_from", name=op.f("pk_file_version")),
    )
    op.create_index("ix_file_version_blob", "file_version", ["blob_id"], unique=False)
    op.create_index(
        "ix_file_version_current",
        "file_version",
        ["line_id", "file_id"],
        unique=False,
        sqlite_where=sa.text("valid_to IS NULL"),
        postgresql_where=sa.text("valid_to IS NULL"),
    )

    op.create_table(
        "member",
        sa.Column("user_id", columns.Key, nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("role", sa.String(), nullable=True),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("sso", sa.Boolean(), nullable=False),
        sa.Column("joined_at", columns.Instant(), nullable=False),
        sa.Column("last_seen_at", columns.Instant(), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_member_organization_id_organization")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_member_user_id_user_account")
        ),
        sa.PrimaryKeyConstraint("user_id", "organization_id", name=op.f("pk_member")),
    )
    op.create_index(op.f("ix_member_organization_id"), "member", ["organization_id"], unique=False)

    op.create_table(
        "page_version",
        sa.Column("line_id", columns.Key, nullable=False),
        sa.Column("page_id", columns.Key, nullable=False),
        sa.Column("valid_from", sa.Integer(), nullable=False),
        sa.Column("valid_to", sa.Integer(), nullable=True),
        sa.Column("parent_id", columns.Key, nullable=True),
        sa.Column("rank", columns.Key, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("link_title", sa.String(), nullable=True),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("path", columns.Key, nullable=False),
        sa.Column("source", columns.Key, nullable=True),
        sa.Column("front_matter", sa.String(), nullable=False),
        sa.Column("document_id", columns.Key, nullable=True),
        sa.Column("description", sa.String(), nullable=True),
        sa.Column("emoji", sa.String(), nullable=True),
        sa.Column("icon", sa.String(), nullable=True),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.Column("no_index", sa.Boolean(), nullable=False),
        sa.Column("no_robots_index", sa.Boolean(), nullable=False),
        sa.Column("layout", columns.Json(), nullable=True),
        sa.Column("cover", columns.Json(), nullable=True),
        sa.Column("variables", columns.Json(), nullable=True),
        sa.Column("condition", sa.String(), nullable=True),
        sa.Column("href", sa.String(), nullable=True),
        sa.Column("computed", columns.Json(), nullable=True),
        sa.Column("computed_seed", sa.String(), nullable=True),
        sa.Column("git_oid", sa.String(), nullable=True),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("updated_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["document.id"], name=op.f("fk_page_version_document_id_document")
        ),
        sa.PrimaryKeyConstraint("line_id", "page_id", "valid_from", name=op.f("pk_page_version")),
    )
    op.create_index(
        "ix_page_version_current",
        "page_version",
        ["line_id", "page_id"],
        unique=False,
        sqlite_where=sa.text("valid_to IS NULL"),
        postgresql_where=sa.text("valid_to IS NULL"),
    )
    op.create_index("ix_page_version_document", "page_version", ["document_id"], unique=False)
    op.create_index(
        "uq_page_version_path",
        "page_version",
        ["line_id", "path"],
        unique=True,
        sqlite_where=sa.text("valid_to IS NULL"),
        postgresql_where=sa.text("valid_to IS NULL"),
    )

    op.create_table(
        "reusable_version",
        sa.Column("line_id", columns.Key, nullable=False),
        sa.Column("reusable_id", columns.Key, nullable=False),
        sa.Column("valid_from", sa.Integer(), nullable=False),
        sa.Column("valid_to", sa.Integer(), nullable=True),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("source", columns.Key, nullable=False),
        sa.Column("front_matter", sa.String(), nullable=False),
        sa.Column("document_id", columns.Key, nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["document.id"], name=op.f("fk_reusable_version_document_id_document")
        ),
        sa.PrimaryKeyConstraint("line_id", "reusable_id", "valid_from", name=op.f("pk_reusable_version")),
    )
    op.create_table(
        "token",
        sa.Column("hash", columns.Key, nullable=False),
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("user_id", columns.Key, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("read_only", sa.Boolean(), nullable=False),
        sa.Column("organization_id", columns.Key, nullable=True),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("expires_at", columns.Instant(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"], name=op.f("fk_token_user_id_user_account")),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_token")),
        sa.UniqueConstraint("id", name=op.f("uq_token_id")),
    )
    op.create_index(op.f("ix_token_user_id"), "token", ["user_id"], unique=False)

    op.create_table(
        "space",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("parent_id", columns.Key, nullable=True),
        sa.Column("rank", columns.Key, nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("emoji", sa.String(), nullable=True),
        sa.Column("icon", sa.String(), nullable=True),
        sa.Column("language", sa.String(), nullable=True),
        sa.Column("edit_mode", sa.String(), nullable=False),
        sa.Column("default_level", sa.String(), nullable=True),
        sa.Column("base_level", sa.Integer(), nullable=False),
        sa.Column("revision_id", columns.Key, nullable=False),
        sa.Column("revision_number", sa.Integer(), nullable=False),
        sa.Column("comments", sa.Integer(), nullable=False),
        sa.Column("change_requests", sa.Integer(), nullable=False),
        sa.Column("change_requests_open", sa.Integer(), nullable=False),
        sa.Column("change_requests_draft", sa.Integer(), nullable=False),
        sa.Column("git_sync", columns.Json(), nullable=True),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("updated_at", columns.Instant(), nullable=False),
        sa.Column("deleted_at", columns.Instant(), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_space_organization_id_organization")
        ),
        sa.ForeignKeyConstraint(["parent_id"], ["collection.id"], name=op.f("fk_space_parent_id_collection")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_space")),
    )
    op.create_index(
        op.f("ix_space_organization_id_id_deleted_at_base_level"),
        "space",
        ["organization_id", "id", "deleted_at", "base_level"],
        unique=False,
    )
    op.create_index(
        op.f("ix_space_organization_id_parent_id_rank"),
        "space",
        ["organization_id", "parent_id", "rank"],
        unique=False,
    )
    op.create_index(op.f("ix_space_parent_id_rank"), "space", ["parent_id", "rank"], unique=False)

    op.create_table(
        "revision",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("space_id", columns.Key, nullable=False),
        sa.Column("line_id", columns.Key, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("parents", columns.Json(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("author_id", columns.Key, nullable=True),
        sa.Column("merged_from", columns.Key, nullable=True),
        sa.Column("git", columns.Json(), nullable=True),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["space.id"], name=op.f("fk_revision_space_id_space")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_revision")),
    )
    op.create_index(op.f("ix_revision_line_id_number"), "revision", ["line_id", "number"], unique=True)
    op.create_index(op.f("ix_revision_space_id"), "revision", ["space_id"], unique=False)
