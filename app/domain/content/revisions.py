"""Revisions: numbered steps on a line. A space's main line carries the space's own id."""

from __future__ import annotations

from app.access.context import Context
from app.models.revisions import LineProperties, Revision
from app.models.spaces import Space


async def begin(cx: Context, space: Space) -> Revision:
    """The empty first revision of a space."""
    revision = await cx.tx.add(
        Revision,
        id=space.revision_id,
        space_id=space.id,
        line_id=space.id,
        number=space.revision_number,
        parents=[],
        type="edits",
        author_id=cx.actor.user_id or None,
        merged_from=None,
        git=None,
        created_at=cx.now,
    )
    await cx.tx.add(
        LineProperties,
        line_id=space.id,
        valid_from=1,
        valid_to=None,
        variables={},
        redirects={},
        summary_source=None,
        settings_source=None,
        variables_source=None,
    )
    return revision
