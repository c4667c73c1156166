"""Sites: what they show, share links, redirects, looks; where a space is published.

Revision ID: 0007
Revises: 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0007"
down_revision = "0006"

TABLES = ("site_customization", "site_redirect", "site_share_link", "site_item", "site")
COLUMNS = ("site_visibility", "site_url")


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("space", sa.Column(name, sa.String(), nullable=True))
    _create_sites()
    _create_items()
    _create_share_links()
    _create_redirects()
    _create_customizations()


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
    with op.batch_alter_table("space") as batch:
        for name in COLUMNS:
            batch.drop_column(name)


def _create_sites() -> None:
    op.create_table(
        "site",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("title_folded", sa.String(), nullable=False),
        sa.Column("icon", columns.Json(), nullable=True),
        sa.Column("hostname", columns.Key, nullable=True),
        sa.Column("basename", columns.Key, nullable=True),
        sa.Column("proxy", columns.Key, nullable=True),
        sa.Column("visibility", sa.String(), nullable=False),
        sa.Column("published", sa.Boolean(), nullable=False),
        sa.Column("adaptive_content", sa.Boolean(), nullable=False),
        sa.Column("agents_context", sa.String(), nullable=False),
        sa.Column("adaptive_schema", sa.String(), nullable=True),
        sa.Column("adaptive_schema_at", columns.Instant(), nullable=True),
        sa.Column("visitor_key", sa.String(), nullable=False),
        sa.Column("visitor_backend", columns.Json(), nullable=False),
        sa.Column("fallback_url", sa.String(), nullable=True),
        sa.Column("logout_url", sa.String(), nullable=True),
        sa.Column("base_level", sa.Integer(), nullable=False),
        sa.Column("lineage", sa.String(), nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("updated_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_site_organization_id_organization")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_site")),
        sa.UniqueConstraint("hostname", name=op.f("uq_site_hostname")),
        sa.UniqueConstraint("proxy", name=op.f("uq_site_proxy")),
    )
    op.create_index(op.f("ix_site_organization_id_id"), "site", ["organization_id", "id"])
    op.create_index(
        op.f("ix_site_organization_id_basename"), "site", ["organization_id", "basename"], unique=True
    )


def _create_items() -> None:
    op.create_table(
        "site_item",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("site_id", columns.Key, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("parent_id", columns.Key, nullable=True),
        sa.Column("position", columns.Key, nullable=False),
        sa.Column("scope", columns.Key, nullable=True),
        sa.Column("path", columns.Key, nullable=True),
        sa.Column("space_id", columns.Key, nullable=True),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("draft", sa.Boolean(), nullable=False),
        sa.Column("title", sa.String(), nullable=True),
        sa.Column("description", sa.String(), nullable=True),
        sa.Column("icon", sa.String(), nullable=True),
        sa.Column("condition", sa.String(), nullable=True),
        sa.Column("url", sa.String(), nullable=True),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("updated_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_site_item_site_id_site")),
        sa.ForeignKeyConstraint(["space_id"], ["space.id"], name=op.f("fk_site_item_space_id_space")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_site_item")),
    )
    for names, unique in (
        (["site_id", "position"], False),
        (["site_id", "scope", "path"], True),
        (["site_id", "scope", "space_id"], True),
        (["space_id"], False),
    ):
        op.create_index(op.f(f"ix_site_item_{'_'.join(names)}"), "site_item", names, unique=unique)


def _create_share_links() -> None:
    op.create_table(
        "site_share_link",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("site_id", columns.Key, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_folded", sa.String(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_site_share_link_site_id_site")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_site_share_link")),
    )
    op.create_index(op.f("ix_site_share_link_site_id_id"), "site_share_link", ["site_id", "id"])


def _create_redirects() -> None:
    op.create_table(
        "site_redirect",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("site_id", columns.Key, nullable=False),
        sa.Column("source", columns.Key, nullable=False),
        sa.Column("destination", columns.Json(), nullable=False),
        sa.Column("item_id", columns.Key, nullable=True),
        sa.Column("page_id", columns.Key, nullable=True),
        sa.Column("permanent", sa.Boolean(), nullable=False),
        sa.Column("capture_wildcard", sa.Boolean(), nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("updated_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_site_redirect_site_id_site")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_site_redirect")),
    )
    op.create_index(op.f("ix_site_redirect_site_id_id"), "site_redirect", ["site_id", "id"])
    op.create_index(
        op.f("ix_site_redirect_site_id_source"), "site_redirect", ["site_id", "source"], unique=True
    )


def _create_customizations() -> None:
    op.create_table(
        "site_customization",
        sa.Column("site_id", columns.Key, nullable=False),
        sa.Column("item_id", columns.Key, nullable=False),
        sa.Column("settings", columns.Json(), nullable=False),
        sa.Column("updated_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_site_customization_site_id_site")),
        sa.PrimaryKeyConstraint("site_id", "item_id", name=op.f("pk_site_customization")),
    )
