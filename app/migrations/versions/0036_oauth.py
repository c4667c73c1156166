"""OAuth: applications, what people allowed them, and the codes and tokens that they hold."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0036"
down_revision = "0035"


def _key(name: str, target: str | None = None, *, nullable: bool = False) -> sa.Column[str]:
    """Return a column that holds an id, of what it is deleted with if there is a `target`."""
    parts = [sa.ForeignKey(target, ondelete="CASCADE")] if target else []
    return sa.Column(name, columns.Key, *parts, nullable=nullable)


def _instant(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, columns.Instant(), nullable=nullable)


def upgrade() -> None:
    """Make the tables; what exists by itself is the application of `docyard login`."""
    op.create_table(
        "oauth_application",
        _key("id"),
        _key("owner_id", "user_account.id", nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("homepage", sa.String(), nullable=True),
        sa.Column("redirect_uris", columns.Json(), nullable=False),
        sa.Column("secret_hash", sa.String(), nullable=True),
        sa.Column("scopes", columns.Json(), nullable=True),
        sa.Column("device_flow", sa.Boolean(), nullable=False),
        sa.Column("is_dynamic", sa.Boolean(), nullable=False),
        _instant("created_at"),
        _instant("updated_at"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_application")),
    )
    op.create_index(op.f("ix_oauth_application_owner_id_id"), "oauth_application", ["owner_id", "id"])
    op.create_index(
        op.f("ix_oauth_application_is_dynamic_created_at"), "oauth_application", ["is_dynamic", "created_at"]
    )
    op.create_table(
        "oauth_grant",
        _key("id"),
        _key("application_id", "oauth_application.id"),
        _key("user_id", "user_account.id"),
        _key("organization_id", "organization.id", nullable=True),
        sa.Column("scopes", columns.Json(), nullable=False),
        _instant("created_at"),
        _instant("updated_at"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_grant")),
    )
    for names in (["user_id", "application_id"], ["application_id"], ["organization_id"]):
        op.create_index(op.f(f"ix_oauth_grant_{'_'.join(names)}"), "oauth_grant", names)
    op.create_table(
        "oauth_authorization",
        _key("id"),
        _key("grant_id", "oauth_grant.id"),
        sa.Column("scopes", columns.Json(), nullable=False),
        sa.Column("audience", sa.String(), nullable=True),
        _key("code_hash", nullable=True),
        sa.Column("code_uses", sa.Integer(), nullable=False),
        _instant("code_expires_at", nullable=True),
        sa.Column("redirect_uri", sa.String(), nullable=True),
        sa.Column("challenge", sa.String(), nullable=True),
        _key("sso_provider_id", "saml_provider.id", nullable=True),
        _instant("ends_at", nullable=True),
        _instant("expires_at"),
        _instant("created_at"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_authorization")),
        sa.UniqueConstraint("code_hash", name=op.f("uq_oauth_authorization_code_hash")),
    )
    for names in (["grant_id", "expires_at"], ["sso_provider_id"]):
        op.create_index(op.f(f"ix_oauth_authorization_{'_'.join(names)}"), "oauth_authorization", names)
    op.create_table(
        "oauth_refresh_token",
        _key("hash"),
        _key("authorization_id", "oauth_authorization.id"),
        sa.Column("uses", sa.Integer(), nullable=False),
        _instant("used_at", nullable=True),
        _instant("expires_at"),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_oauth_refresh_token")),
    )
    op.create_index(
        op.f("ix_oauth_refresh_token_authorization_id"), "oauth_refresh_token", ["authorization_id"]
    )
    op.create_table(
        "oauth_device",
        _key("hash"),
        _key("user_code"),
        _key("application_id", "oauth_application.id"),
        sa.Column("scopes", columns.Json(), nullable=False),
        sa.Column("audience", sa.String(), nullable=True),
        sa.Column("address", sa.String(), nullable=True),
        sa.Column("denied", sa.Boolean(), nullable=False),
        _key("authorization_id", "oauth_authorization.id", nullable=True),
        _instant("created_at"),
        _instant("expires_at"),
        _instant("polled_at", nullable=True),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_oauth_device")),
        sa.UniqueConstraint("user_code", name=op.f("uq_oauth_device_user_code")),
    )
    for name in ("application_id", "authorization_id", "expires_at"):
        op.create_index(op.f(f"ix_oauth_device_{name}"), "oauth_device", [name])
    with op.batch_alter_table("token") as batch:
        batch.add_column(sa.Column("authorization_id", columns.Key, nullable=True))
        batch.add_column(sa.Column("audience", sa.String(), nullable=True))
        batch.create_foreign_key(
            op.f("fk_token_authorization_id_oauth_authorization"),
            "oauth_authorization",
            ["authorization_id"],
            ["id"],
            ondelete="CASCADE",
        )
        batch.create_index(op.f("ix_token_authorization_id"), ["authorization_id"])
    now = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')" if op.get_bind().dialect.name == "sqlite" else "now()"
    nothing = "'[]'" if op.get_bind().dialect.name == "sqlite" else "'[]'::jsonb"
    op.execute(
        "INSERT INTO oauth_application"
        " (id, name, redirect_uris, device_flow, is_dynamic, created_at, updated_at)"
        f" VALUES ('docyard-cli', 'Docyard command line', {nothing}, true, false, {now}, {now})"
    )


def downgrade() -> None:
    """Remove them, and the tokens that applications hold."""
    op.execute("DELETE FROM token WHERE authorization_id IS NOT NULL")
    with op.batch_alter_table("token") as batch:
        batch.drop_index(op.f("ix_token_authorization_id"))
        batch.drop_constraint(op.f("fk_token_authorization_id_oauth_authorization"), type_="foreignkey")
        batch.drop_column("audience")
        batch.drop_column("authorization_id")
    for name in ("device", "refresh_token", "authorization", "grant", "application"):
        op.drop_table(f"oauth_{name}")
