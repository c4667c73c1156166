"""Feedback of visitors on the pages of a site: recorded once a day for each visitor and page, told to
integrations, listed for those who write."""

from __future__ import annotations

from typing import Any

from sqlalchemy import or_, select

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
from app.models.page_feedback import FeedbackGiven, FeedbackQuery, PageFeedback
from app.models.sites import Site

FEEDBACK = table(PageFeedback)
EVENT = "page_feedback"

_LIST = listing(
    "feedback",
    lambda: select(*FEEDBACK.c).where(
        FEEDBACK.c.site_id == SITES.c.id,
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
    again = {name: insert.excluded[name] for name in ("rating", "comment", "url")}
    keys = [FEEDBACK.c.site_id, FEEDBACK.c.page_id, FEEDBACK.c.visitor]
    return insert.values(**values).on_conflict_do_update(index_elements=keys, set_=again)


_RECORD = command(by_engine(_record))


async def record(
    cx: Context, site: Any, page: ViewedPage, reader: VisitorRequest, feedback: FeedbackGiven
) -> None:
    """Record what a visitor says of a page, in place of what they said of it earlier that day.

    Raises TooManyRequests where visitors have used up what they may of the quota of events.
    """
    said = feedback.model_dump(exclude_none=True)

    async def store(inside: Context) -> None:
        await inside.tx.run(
            _RECORD,
            id=new_id(),
            site_id=site.id,
            space_id=page.space_id,
            page_id=page.page_id,
            visitor=reader.key(cx, site.id),
            rating=feedback.rating,
            comment=feedback.comment,
            url=page.url,
            created_at=inside.now,
        )
        assert inside.notes is not None
        held = inside.notes.events  # what visitors write is bounded by the quota of events, told or not
        held[site.organization_id] = held.get(site.organization_id, 0) + 1

    told = page_visits.events(cx, site, page, reader, EVENT, feedback=said)
    await outbox.publish(cx, *told, storing=store)


async def list_in_site(cx: Context, organization_id: str, site_id: str, query: FeedbackQuery) -> Page[Any]:
    """List the feedback on the pages of a site, the latest first."""
    filters: dict[str, Any] = {
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
