"""Organizations may have quotas of their own; the bytes that are stored for each are counted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.add_column("organization", sa.Column("quotas", columns.Json(), nullable=True))
    op.create_table(
        "stored_bytes",
        sa.Column("holder_id", columns.Key, nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("holder_id", name=op.f("pk_stored_bytes")),
    )
    for statement in (*_of_holders(), _OF_ORGANIZATIONS):
        op.execute(statement)


def downgrade() -> None:
    op.drop_table("stored_bytes")
    op.drop_column("organization", "quotas")


_INTO = "INSERT INTO stored_bytes (holder_id, organization_id, bytes) "
_OF_ORGANIZATIONS = (
    _INTO + "SELECT organization_id, organization_id, sum(bytes) FROM stored_bytes GROUP BY organization_id"
)


def _of_holders() -> list[str]:
    """What spaces hold on their lines, and what specifications and integrations hold."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    text = "length(CAST(d.markdown AS BLOB))" if is_sqlite else "octet_length(d.markdown)"
    length = f"coalesce({'length' if is_sqlite else 'octet_length'}(d.raw), {text})"
    lines = "SELECT id AS line_id, id AS space_id FROM space UNION SELECT line_id, space_id FROM revision"
    spaces = f"""
        SELECT s.id, s.organization_id, sum(held.bytes) FROM space s JOIN (
            SELECT l.space_id, f.size AS bytes FROM file_version f JOIN ({lines}) l ON l.line_id = f.line_id
            WHERE NOT f.deleted
            UNION ALL
            SELECT t.space_id, {length} FROM (
                SELECT l.space_id, p.document_id FROM page_version p JOIN ({lines}) l ON l.line_id = p.line_id
                UNION
                SELECT l.space_id, r.document_id FROM reusable_version r
                JOIN ({lines}) l ON l.line_id = r.line_id
            ) t JOIN document d ON d.id = t.document_id
        ) held ON held.space_id = s.id
        GROUP BY s.id, s.organization_id
    """
    specifications = """
        SELECT s.id, s.organization_id, sum(f.size) FROM openapi_spec s
        JOIN openapi_version v ON v.spec_id = s.id JOIN openapi_file f ON f.version_id = v.id
        GROUP BY s.id, s.organization_id
    """
    integrations = """
        SELECT i.id, i.organization_id, sum(a.size) FROM integration i
        JOIN integration_asset a ON a.integration_id = i.id
        GROUP BY i.id, i.organization_id
    """
    return [_INTO + statement for statement in (spaces, specifications, integrations)]
