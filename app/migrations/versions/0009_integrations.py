"""Integrations: what is published, where it is installed, what it is told."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None
TABLES = (
    "integration_event",
    "installation_token",
    "installation_placement",
    "installation",
    "integration_asset",
    "integration_version",
    "integration",
)


def upgrade() -> None:
    """Six tables, each after those it refers to."""
    _create_integrations()
    _create_parts()
    _create_installations()
    _create_events()


def downgrade() -> None:
    """The same, backwards."""
    for table in TABLES:
        op.drop_table(table)


def _create_integrations() -> None:
    op.create_table(
        "integration",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("name", columns.Key, nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("user_id", columns.Key, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("runtime", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("searched", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("visibility", sa.String(), nullable=False),
        sa.Column("verified", sa.Boolean(), nullable=False),
        sa.Column("scopes", columns.Json(), nullable=False),
        sa.Column("categories", columns.Json(), nullable=False),
        sa.Column("block_domains", columns.Json(), nullable=False),
        sa.Column("has_blocks", sa.Boolean(), nullable=False),
        sa.Column("has_content_sources", sa.Boolean(), nullable=False),
        sa.Column("manifest", columns.Json(), nullable=False),
        sa.Column("secrets", sa.String(), nullable=False),
        sa.Column("tunnel_url", sa.String(), nullable=True),
        sa.Column("tunnel_all", sa.Boolean(), nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("updated_at", columns.Instant(), nullable=False),
        sa.Column("deleted_at", columns.Instant(), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_integration_organization_id_organization")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_integration_user_id_user_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_integration")),
        sa.UniqueConstraint("name", name=op.f("uq_integration_name")),
    )
    op.create_index(op.f("ix_integration_organization_id_id"), "integration", ["organization_id", "id"])
    op.create_index(op.f("ix_integration_visibility_id"), "integration", ["visibility", "id"])


def _create_parts() -> None:
    op.create_table(
        "integration_version",
        sa.Column("integration_id", columns.Key, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("runtime", sa.String(), nullable=False),
        sa.Column("script", sa.String(), nullable=False),
        sa.Column("published_by", columns.Key, nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["integration_id"],
            ["integration.id"],
            name=op.f("fk_integration_version_integration_id_integration"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("integration_id", "version", name=op.f("pk_integration_version")),
    )
    op.create_table(
        "integration_asset",
        sa.Column("integration_id", columns.Key, nullable=False),
        sa.Column("blob_id", columns.Key, nullable=False),
        sa.Column("content_type", sa.String(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["integration_id"],
            ["integration.id"],
            name=op.f("fk_integration_asset_integration_id_integration"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["blob_id"], ["blob.id"], name=op.f("fk_integration_asset_blob_id_blob")),
        sa.PrimaryKeyConstraint("integration_id", "blob_id", name=op.f("pk_integration_asset")),
    )
    op.create_index(op.f("ix_integration_asset_blob_id"), "integration_asset", ["blob_id"])


def _create_installations() -> None:
    op.create_table(
        "installation",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("integration_id", columns.Key, nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("space_selection", sa.String(), nullable=False),
        sa.Column("site_selection", sa.String(), nullable=False),
        sa.Column("configuration", columns.Json(), nullable=False),
        sa.Column("external_ids", columns.Json(), nullable=False),
        sa.Column("agreed", columns.Json(), nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("updated_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["integration_id"], ["integration.id"], name=op.f("fk_installation_integration_id_integration")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organization.id"],
            name=op.f("fk_installation_organization_id_organization"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_installation")),
    )
    op.create_index(
        op.f("ix_installation_integration_id_organization_id"),
        "installation",
        ["integration_id", "organization_id"],
        unique=True,
    )
    op.create_index(op.f("ix_installation_organization_id_id"), "installation", ["organization_id", "id"])
    op.create_table(
        "installation_placement",
        sa.Column("installation_id", columns.Key, nullable=False),
        sa.Column("object_id", columns.Key, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("configuration", columns.Json(), nullable=False),
        sa.Column("external_ids", columns.Json(), nullable=False),
        sa.Column("script", sa.String(), nullable=True),
        sa.Column("script_hash", sa.String(), nullable=True),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("updated_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["installation_id"],
            ["installation.id"],
            name=op.f("fk_installation_placement_installation_id_installation"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("installation_id", "object_id", name=op.f("pk_installation_placement")),
    )
    op.create_index(op.f("ix_installation_placement_object_id"), "installation_placement", ["object_id"])
    op.create_table(
        "installation_token",
        sa.Column("hash", columns.Key, nullable=False),
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("installation_id", columns.Key, nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("expires_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["installation_id"],
            ["installation.id"],
            name=op.f("fk_installation_token_installation_id_installation"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_installation_token")),
        sa.UniqueConstraint("id", name=op.f("uq_installation_token_id")),
    )
    op.create_index(op.f("ix_installation_token_installation_id"), "installation_token", ["installation_id"])
    op.create_index(op.f("ix_installation_token_expires_at"), "installation_token", ["expires_at"])


def _create_events() -> None:
    op.create_table(
        "integration_event",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("integration_id", columns.Key, nullable=False),
        sa.Column("installation_id", columns.Key, nullable=True),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("payload", columns.Json(), nullable=False),
        sa.Column("status", sa.String(), nullable=True),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("delivered_at", columns.Instant(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("logs", columns.Json(), nullable=False),
        sa.ForeignKeyConstraint(
            ["integration_id"],
            ["integration.id"],
            name=op.f("fk_integration_event_integration_id_integration"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_integration_event")),
    )
    for names in (["integration_id", "organization_id", "id"], ["integration_id", "created_at"]):
        op.create_index(op.f(f"ix_integration_event_{'_'.join(names)}"), "integration_event", names)
