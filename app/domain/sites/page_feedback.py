"""Feedback of visitors on a site: ratings of its pages, and reports of what is missing from it.

Recorded once a day for each visitor and what they speak of, and listed for those who write. Integrations are
told of ratings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import or_, select

from app.access.audit_actions import Event
from app.access.context import Context
from app.domain.integrations import outbox
from app.domain.site_addresses.site_rows import SITES, find, listing, page_of, reading
from app.domain.sites import page_visits
from app.domain.sites.page_visits import ViewedPage, VisitorRequest
from app.kit.database.columns import Key
from app.kit.database.paging import Page
from app.kit.database.sql import nested
from app.kit.database.statements import Statement, by_engine, command, given, insert_into, query, table
from app.kit.errors import NotFound
from app.kit.ids import new_id
from app.models.page_feedback import (
    FeedbackGiven,
    FeedbackQuery,
    FeedbackSource,
    MissingReported,
    PageFeedback,
)
from app.models.sites import Site

FEEDBACK = table(PageFeedback)
EVENT = "page_feedback"

_LIST = listing(
    "feedback",
    lambda: select(*FEEDBACK.c).where(
        FEEDBACK.c.site_id == SITES.c.id,
        or_(given("source", Key) == "", FEEDBACK.c.source == given("source", Key)),
        or_(given("rating", Key) == "", FEEDBACK.c.rating == given("rating", Key)),
        or_(given("target_page", Key) == "", FEEDBACK.c.page_id == given("target_page", Key)),
        or_(given("with_comment", Key) == "", FEEDBACK.c.comment.is_not(None)),
    ),
    lambda: [FEEDBACK.c.id],
    descending=True,
)
_OF_SITE: Statement[Any] = query(
    Site,
    lambda: reading(
        nested(
            select(*FEEDBACK.c)
            .where(FEEDBACK.c.site_id == SITES.c.id, FEEDBACK.c.id == given("feedback", Key))
            .correlate(SITES),
            "feedback_",
        )
    ),
)


def _record(engine: str) -> Any:
    insert = insert_into(FEEDBACK, engine)
    values = {name: given(name, column.type) for name, column in FEEDBACK.c.items()}
    again = {name: insert.excluded[name] for name in ("rating", "comment", "query", "url")}
    keys = [FEEDBACK.c.site_id, FEEDBACK.c.subject, FEEDBACK.c.visitor]
    return insert.values(**values).on_conflict_do_update(index_elements=keys, set_=again)


_RECORD = command(by_engine(_record))


async def record(
    cx: Context, site: Any, page: ViewedPage, reader: VisitorRequest, feedback: FeedbackGiven
) -> None:
    """Record what a visitor says of a page, in place of what they said of it earlier that day.

    Raises TooManyRequests where visitors have used up what they may of the quota of events.
    """
    said = feedback.model_dump(exclude_none=True)
    told = page_visits.events(cx, site, page, reader, EVENT, feedback=said)
    await _store(
        cx,
        site,
        reader,
        told,
        source="page",
        subject=page.page_id,
        space_id=page.space_id,
        page_id=page.page_id,
        url=page.url,
        query=None,
        rating=feedback.rating,
        comment=feedback.comment,
    )


async def report(
    cx: Context,
    site: Any,
    reader: VisitorRequest,
    source: FeedbackSource,
    missing: MissingReported,
    at: ViewedPage | str,
) -> None:
    """Record what a visitor says is missing, about a page or at an address of the site.

    A person says it once a day for a search or an address; agents share the address of whoever runs them, so
    each of their reports counts. Raises TooManyRequests as `record` does.
    """
    page = at if isinstance(at, ViewedPage) else None
    url = page.url if page else str(at)
    again = missing.comment if source == "agent" else ""
    await _store(
        cx,
        site,
        reader,
        [],
        source=source,
        subject=cx.signer.fingerprint("missing", "\n".join((source, missing.query or "", url, again))),
        space_id=page.space_id if page else None,
        page_id=page.page_id if page else None,
        url=url,
        query=missing.query or None,
        rating=None,
        comment=missing.comment,
    )


async def _store(
    cx: Context, site: Any, reader: VisitorRequest, told: Sequence[Event], **said: str | None
) -> None:
    async def store(inside: Context) -> None:
        key = reader.key(cx, site.id)
        await inside.tx.run(_RECORD, id=new_id(), site_id=site.id, visitor=key, created_at=inside.now, **said)
        assert inside.notes is not None
        held = inside.notes.events  # what visitors write is bounded by the quota of events, told or not
        held[site.organization_id] = held.get(site.organization_id, 0) + 1

    await outbox.publish(cx, *told, storing=store)


async def list_in_site(cx: Context, organization_id: str, site_id: str, query: FeedbackQuery) -> Page[Any]:
    """List the feedback on a site, the latest first."""
    filters: dict[str, Any] = {
        "source": query.source or "",
        "rating": query.rating or "",
        "target_page": query.target_page or "",
        "with_comment": "yes" if query.with_comment else "",
    }
    found = await page_of(cx, organization_id, site_id, _LIST, query.paging, can="edit", **filters)
    return found[1]


async def get(cx: Context, organization_id: str, site_id: str, page_feedback_id: str) -> Any:
    """Get feedback by its id; raises NotFound where the site has none with this id."""
    site = await find(cx, organization_id, site_id, can="edit", using=_OF_SITE, feedback=page_feedback_id)
    if not site.feedback_:
        raise NotFound("There is no such feedback.")
    return site.feedback_[0]


async def delete(cx: Context, organization_id: str, site_id: str, page_feedback_id: str) -> None:
    """Delete feedback, such as spam; raises NotFound where the site has none with this id."""
    found = await get(cx, organization_id, site_id, page_feedback_id)
    await cx.tx.remove(PageFeedback, id=found.id)
