"""Which places there are in pages once a draft is written, those of what they include among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import null, select, update

from app.access.context import Context
from app.domain.revisions.branch import on_branch
from app.domain.revisions.documents import anchors_of
from app.domain.revisions.drafts import Draft, p_, u_
from app.formats.markdown.hrefs import has_anchor
from app.formats.markdown.passages import DEEPEST_INCLUDED
from app.formats.markdown.scanner import scan
from app.kit import workers
from app.kit.database.sql import among
from app.kit.database.statements import command, given, rows, table
from app.models.links import Link
from app.models.pages import Document

INCLUDES = "dependsOn"
_d, _l = table(Document), table(Link)
_ANCHORS = on_branch(
    lambda view: (
        select(p_.c.page_id.label("holder_id"), p_.c.document_id, _d.c.anchors, null().label("included"))
        .join_from(p_, _d, _d.c.id == p_.c.document_id)
        .where(view.valid(p_, keyed=True), among(p_.c.page_id, "ids"))
    ),
    lambda view: (
        select(u_.c.reusable_id, u_.c.document_id, _d.c.anchors, null())
        .join_from(u_, _d, _d.c.id == u_.c.document_id)
        .where(view.valid(u_, keyed=True), among(u_.c.reusable_id, "ids"))
    ),
    lambda view: select(_l.c.holder_id, null(), null(), _l.c.target_id).where(
        view.valid(_l), among(_l.c.holder_id, "ids"), *_is_include()
    ),
)
_INCLUDING = on_branch(
    lambda view: (
        select(_l.c.holder_id).distinct().where(view.valid(_l), among(_l.c.target_id, "ids"), *_is_include())
    )
)
_TEXTS = rows(lambda: select(_d.c.id, _d.c.markdown).where(among(_d.c.id, "ids")))
_NOTE = command(lambda: update(_d).values(anchors=given("found")).where(_d.c.id == given("key")))


def _is_include() -> tuple[Any, ...]:
    return (_l.c.relation == INCLUDES, _l.c.target_kind == "reusable-content")


class TextAnchors:
    """Knows the places in pages and reusable contents, as far as it was asked for."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._own: dict[str, str] = {}
        self._included: dict[str, tuple[str, ...]] = {}

    def learn(self, holder_id: str, anchors: str, links: Iterable[Any]) -> None:
        """Know the places in a text that is being written, and what it includes."""
        self._own[holder_id] = anchors
        included = [link.target_id for link in links if link.target_kind == "reusable-content"]
        if included:
            self._included[holder_id] = tuple(filter(None, included))

    async def read(self, ids: Iterable[str]) -> None:
        """Learn the places in these pages, with all that they include."""
        draft, waiting = self._draft, set(ids)
        for _ in range(DEEPEST_INCLUDED):
            missing = sorted(waiting - self._own.keys())
            if missing:
                found = await draft.line.all(draft.cx, _ANCHORS, ids=missing)
                self._own |= dict.fromkeys(missing, "")
                self._own |= await _anchors(draft.cx, [row for row in found if row.document_id])
                for row in found:
                    if row.included:
                        self._included[row.holder_id] = (*self._included.get(row.holder_id, ()), row.included)
            waiting = {each for key in waiting for each in self._included.get(key, ())}
            if not waiting:
                return

    def has(self, page_id: str, anchor: str) -> bool:
        """Tell whether a page that was learned has this place."""
        waiting = [page_id]
        for _ in range(DEEPEST_INCLUDED):
            if any(has_anchor(self._own.get(key, ""), anchor) for key in waiting):
                return True
            waiting = [each for key in waiting for each in self._included.get(key, ())]
        return False


async def including(draft: Draft, blocks: Iterable[str]) -> set[str]:
    """Return the pages that show these reusable contents, directly or inside others."""
    found: set[str] = set()
    waiting = set(blocks)
    for _ in range(DEEPEST_INCLUDED):
        if not waiting:
            break
        rows = await draft.line.all(draft.cx, _INCLUDING, ids=sorted(waiting))
        waiting = {row.holder_id for row in rows} - found
        found |= waiting
    return found


async def note_anchors(cx: Context, anchors: Mapping[str, str]) -> None:
    """Keep the anchors of texts beside them, by their documents' ids."""
    await cx.tx.run_many(_NOTE, [{"key": key, "found": found} for key, found in anchors.items()])


async def _anchors(cx: Context, found: Sequence[Any]) -> Mapping[str, str]:
    """The anchors of these texts by holder; where nobody asked for those of a text yet they are noted."""
    missing = sorted({row.document_id for row in found if row.anchors is None})
    noted: dict[str, str] = {}
    if missing:
        texts = await cx.db.all(_TEXTS, ids=missing)
        for row in texts:
            noted[row.id] = anchors_of(await workers.run(len(row.markdown), scan, row.markdown))
        await note_anchors(cx, noted)
    return {row.holder_id: noted.get(row.document_id, row.anchors or "") for row in found}
