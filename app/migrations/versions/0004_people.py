"""People: teams, grants on content and what content inherits, signing keys, when tokens were used.

Revision ID: 0004
Revises: 0003
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0004"
down_revision = "0003"

LISTS = "ix_space_organization_id_id_deleted_at_base_level"
MEMBERS = "ix_member_organization_id_joined_at_user_id"
LISTED = ["organization_id", "id", "deleted_at", "base_level"]
COLUMNS: list[tuple[str, sa.Column[Any]]] = [
    ("collection", sa.Column("lineage", sa.String(), nullable=False, server_default="")),
    ("space", sa.Column("lineage", sa.String(), nullable=False, server_default="")),
    ("member", sa.Column("granted", sa.Boolean(), nullable=False, server_default=sa.false())),
    ("organization", sa.Column("signing_key", sa.String(), nullable=True)),
    ("user_account", sa.Column("name_key", columns.Key, nullable=False, server_default="")),
    ("token", sa.Column("last_used_at", columns.Instant, nullable=True)),
    ("token", sa.Column("sso_organization_id", columns.Key, nullable=True)),
]
TABLES = ["team_invite", "invite", "content_grant", "team_member", "team"]


def upgrade() -> None:
    for table, column in COLUMNS:
        op.add_column(table, column)
    op.drop_index(LISTS, "space")
    op.create_index(f"{LISTS}_lineage", "space", [*LISTED, "lineage"])
    _fill_lineages()
    _create_teams()
    _create_grants()
    op.drop_index("ix_member_organization_id", "member")
    op.create_index(MEMBERS, "member", ["organization_id", "joined_at", "user_id"])
    _fill_name_keys()
    _create_invites()
    _create_team_invites()


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
    op.drop_index(MEMBERS, "member")
    op.create_index("ix_member_organization_id", "member", ["organization_id"])
    op.drop_index(f"{LISTS}_lineage", "space")
    op.create_index(LISTS, "space", LISTED)
    for table, column in reversed(COLUMNS):
        with op.batch_alter_table(table) as batch:
            batch.drop_column(column.name)


def _create_teams() -> None:
    op.create_table(
        "team",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("title_key", sa.String(), nullable=False),
        sa.Column("member_count", sa.Integer(), nullable=False),
        sa.Column("created_at", columns.Instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_team_organization_id_organization")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team")),
    )
    op.create_index(op.f("ix_team_organization_id_id"), "team", ["organization_id", "id"])
    op.create_table(
        "team_member",
        sa.Column("team_id", columns.Key, nullable=False),
        sa.Column("user_id", columns.Key, nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("joined_at", columns.Instant, nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_team_member_team_id_team")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_team_member_user_id_user_account")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_team_member_organization_id_organization")
        ),
        sa.PrimaryKeyConstraint("team_id", "user_id", name=op.f("pk_team_member")),
    )
    op.create_index(
        op.f("ix_team_member_user_id_organization_id_team_id"),
        "team_member",
        ["user_id", "organization_id", "team_id"],
    )


def _create_team_invites() -> None:
    op.create_table(
        "team_invite",
        sa.Column("team_id", columns.Key, nullable=False),
        sa.Column("invite_id", columns.Key, nullable=False),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_team_invite_team_id_team"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["invite_id"], ["invite.id"], name=op.f("fk_team_invite_invite_id_invite"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("team_id", "invite_id", name=op.f("pk_team_invite")),
    )
    op.create_index(op.f("ix_team_invite_invite_id"), "team_invite", ["invite_id"])


def _create_grants() -> None:
    op.create_table(
        "content_grant",
        sa.Column("object_id", columns.Key, nullable=False),
        sa.Column("grantee_id", columns.Key, nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("object_kind", sa.String(), nullable=False),
        sa.Column("grantee_kind", sa.String(), nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("created_at", columns.Instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organization.id"],
            name=op.f("fk_content_grant_organization_id_organization"),
        ),
        sa.PrimaryKeyConstraint("object_id", "grantee_id", name=op.f("pk_content_grant")),
    )
    op.create_index(op.f("ix_content_grant_organization_id"), "content_grant", ["organization_id"])
    op.create_index(
        op.f("ix_content_grant_grantee_id_organization_id_object_id"),
        "content_grant",
        ["grantee_id", "organization_id", "object_id"],
    )


def _fill_lineages() -> None:
    """What content inherits from, nearest first, while it and what is above it inherit."""
    connection = op.get_bind()
    found = sa.text("SELECT id, parent_id, default_level FROM collection")
    above = {
        row.id: row.parent_id if row.default_level == "inherit" else None for row in connection.execute(found)
    }

    def chain(id_: str | None) -> Iterator[str]:
        while id_ is not None:
            yield id_
            id_ = above.get(id_)

    for table in ("collection", "space"):
        inside = sa.text(
            f"SELECT id, parent_id FROM {table} WHERE parent_id IS NOT NULL AND default_level = 'inherit'"
        )
        filled: list[dict[str, Any]] = [
            {"id": row.id, "lineage": " ".join(chain(row.parent_id))} for row in connection.execute(inside)
        ]
        if filled:
            connection.execute(sa.text(f"UPDATE {table} SET lineage = :lineage WHERE id = :id"), filled)


def _create_invites() -> None:
    op.create_table(
        "invite",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("email", columns.Key, nullable=True),
        sa.Column("role", sa.String(), nullable=True),
        sa.Column("level", sa.String(), nullable=True),
        sa.Column("object_kind", sa.String(), nullable=True),
        sa.Column("object_id", columns.Key, nullable=True),
        sa.Column("sso", sa.Boolean(), nullable=False),
        sa.Column("created_by", columns.Key, nullable=True),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_invite_organization_id_organization")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invite")),
        sa.UniqueConstraint("organization_id", "email", name=op.f("uq_invite_organization_id_email")),
    )
    op.create_index(op.f("ix_invite_organization_id_id"), "invite", ["organization_id", "id"])


def _fill_name_keys() -> None:
    """People are sorted and found by their names without case."""
    connection = op.get_bind()
    found = connection.execute(sa.text("SELECT id, display_name FROM user_account"))
    filled = [{"id": row.id, "key": _without_case(row.display_name)} for row in found]
    if filled:
        connection.execute(sa.text("UPDATE user_account SET name_key = :key WHERE id = :id"), filled)


def _without_case(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
