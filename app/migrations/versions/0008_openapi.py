"""OpenAPI specifications with their versions, and settings for translated content.

Revision ID: 0008
Revises: 0007
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0008"
down_revision = "0007"

TABLES = ("translation_settings", "openapi_file", "openapi_version", "openapi_spec")
BLOBS = ("content_blob_id", "bundle_blob_id", "pages_blob_id")
SEED = "ix_page_version_seed"


def upgrade() -> None:
    _create_specs()
    _create_versions()
    _create_files()
    _create_translations()
    there = sa.text("computed_seed IS NOT NULL")
    op.create_index(SEED, "page_version", ["computed_seed"], sqlite_where=there, postgresql_where=there)


def downgrade() -> None:
    op.drop_index(SEED, table_name="page_version")
    for table in TABLES:
        op.drop_table(table)


def _create_specs() -> None:
    op.create_table(
        "openapi_spec",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("slug", columns.Key, nullable=False),
        sa.Column("source_url", sa.String(), nullable=True),
        sa.Column("text_blob_id", columns.Key, nullable=True),
        sa.Column("visibility", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("run", sa.String(), nullable=False),
        sa.Column("last_version", columns.Key, nullable=True),
        sa.Column("processed_at", columns.Instant(), nullable=True),
        sa.Column("errors", columns.Json(), nullable=True),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("updated_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organization.id"],
            name=op.f("fk_openapi_spec_organization_id_organization"),
        ),
        sa.ForeignKeyConstraint(
            ["text_blob_id"], ["blob.id"], name=op.f("fk_openapi_spec_text_blob_id_blob")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_openapi_spec")),
    )
    for names, unique in (
        (["organization_id", "slug"], True),
        (["organization_id", "id"], False),
        (["text_blob_id"], False),
    ):
        op.create_index(op.f(f"ix_openapi_spec_{'_'.join(names)}"), "openapi_spec", names, unique=unique)


def _create_versions() -> None:
    op.create_table(
        "openapi_version",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("spec_id", columns.Key, nullable=False),
        sa.Column("content_hash", sa.String(), nullable=False),
        sa.Column("entry", sa.String(), nullable=False),
        sa.Column("content_blob_id", columns.Key, nullable=False),
        sa.Column("bundle_blob_id", columns.Key, nullable=True),
        sa.Column("pages_blob_id", columns.Key, nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["spec_id"],
            ["openapi_spec.id"],
            name=op.f("fk_openapi_version_spec_id_openapi_spec"),
            ondelete="CASCADE",
        ),
        *(
            sa.ForeignKeyConstraint([name], ["blob.id"], name=op.f(f"fk_openapi_version_{name}_blob"))
            for name in BLOBS
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_openapi_version")),
    )
    op.create_index(op.f("ix_openapi_version_spec_id_id"), "openapi_version", ["spec_id", "id"])
    for name in BLOBS:
        op.create_index(op.f(f"ix_openapi_version_{name}"), "openapi_version", [name])


def _create_files() -> None:
    op.create_table(
        "openapi_file",
        sa.Column("version_id", columns.Key, nullable=False),
        sa.Column("name", columns.Key, nullable=False),
        sa.Column("url", sa.String(), nullable=True),
        sa.Column("format", sa.String(), nullable=False),
        sa.Column("entrypoint", sa.Boolean(), nullable=False),
        sa.Column("blob_id", columns.Key, nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("etag", sa.String(), nullable=True),
        sa.Column("modified", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["openapi_version.id"],
            name=op.f("fk_openapi_file_version_id_openapi_version"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["blob_id"], ["blob.id"], name=op.f("fk_openapi_file_blob_id_blob")),
        sa.PrimaryKeyConstraint("version_id", "name", name=op.f("pk_openapi_file")),
    )
    op.create_index(op.f("ix_openapi_file_blob_id"), "openapi_file", ["blob_id"])


def _create_translations() -> None:
    op.create_table(
        "translation_settings",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("languages", columns.Json(), nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("updated_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organization.id"],
            name=op.f("fk_translation_settings_organization_id_organization"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_translation_settings")),
    )
    op.create_index(
        op.f("ix_translation_settings_organization_id_id"), "translation_settings", ["organization_id", "id"]
    )
