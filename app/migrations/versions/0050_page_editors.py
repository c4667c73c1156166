"""Pages say who last edited them, at each revision."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0050"
down_revision = "0049"

_MADE = """
UPDATE page_version SET edited_by = (
    SELECT revision.author_id FROM revision
    WHERE revision.line_id = page_version.line_id AND revision.number = page_version.valid_from
)
"""
_JOINED = sa.text(
    "SELECT line_id, number, merged_from, space_id, base_number FROM revision"
    " WHERE merged_from IS NOT NULL OR type = 'update' ORDER BY created_at, number"
)
_OF_REQUEST = "came.line_id = :merged_from AND came.valid_to IS NULL AND NOT came.deleted"
_OF_MAIN = """
    came.line_id = :space_id AND came.valid_from <= :base_number
    AND (came.valid_to IS NULL OR came.valid_to > :base_number)
"""


def _joining(came: str) -> sa.TextClause:
    """Return the statement that finds who was last to edit the pages that two lines changed."""
    return sa.text(f"""
        UPDATE page_version SET edited_by = (
            SELECT came.edited_by FROM page_version AS came
            WHERE came.page_id = page_version.page_id
            AND (({came}) OR (came.line_id = :line_id AND came.valid_to = :number))
            ORDER BY came.updated_at DESC LIMIT 1
        )
        WHERE line_id = :line_id AND valid_from = :number AND EXISTS (
            SELECT 1 FROM page_version AS came WHERE came.page_id = page_version.page_id AND {came}
        )
    """)


_LAID = """
UPDATE page_version SET edited_by = (
    SELECT edited.edited_by FROM change_request
    JOIN page_version AS edited ON edited.line_id = change_request.space_id
    WHERE change_request.id = page_version.line_id AND edited.page_id = page_version.page_id
    AND edited.updated_at = page_version.updated_at
    ORDER BY edited.valid_from LIMIT 1
)
WHERE EXISTS (
    SELECT 1 FROM change_request
    JOIN page_version AS edited ON edited.line_id = change_request.space_id
    WHERE change_request.id = page_version.line_id AND edited.page_id = page_version.page_id
    AND edited.updated_at = page_version.updated_at
)
"""


def upgrade() -> None:
    """Add who it is, by the revisions that there are.

    What a merge or an update brought was edited by who wrote it; what a change request shows as the space
    has it, by who wrote it there. In a copy of a space it is who copied it.
    """
    op.add_column("page_version", sa.Column("edited_by", columns.Key, nullable=True))
    op.execute(_MADE)
    bind = op.get_bind()
    merged, updated = _joining(_OF_REQUEST), _joining(_OF_MAIN)
    for each in bind.execute(_JOINED).mappings().all():
        statement = updated if each["merged_from"] is None else merged
        names = statement.compile().params
        bind.execute(statement, {name: each[name] for name in names})
    op.execute(_LAID)


def downgrade() -> None:
    """Remove it."""
    op.drop_column("page_version", "edited_by")
