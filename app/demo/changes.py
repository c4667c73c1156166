"""Two change requests of the demo on the guide: one under review, and one that is still a draft."""

from __future__ import annotations

from app.access.context import Context
from app.domain.change_requests import change_requests, reviews
from app.domain.content import pages
from app.domain.content.views import Where
from app.domain.revisions import edits
from app.models.change_requests import ChangeRequestCreate
from app.models.content_changes import ContentChange, ContentChanges, ContentChangesQuery
from app.models.documents import Body
from app.models.queries import BodyQuery
from app.models.reviews import ReviewCreate, ReviewRequest

QUESTIONS = """# Common questions

## Where is everything kept?

In one file, `docyard.db`, where the server was started. [Backup and restore]({backups}) tells how to copy it.

## May two people write at the same time?

Yes. Give each a change request of their own: what they change does not meet until it is merged.

## How do I get rid of the demo?

Stop the server and delete the file of the database.
"""
POINTER = "\n## When something is unclear\n\nLook at the [common questions](/pages/questions) first.\n"
WHY = (
    "People ask the same things in their first week. The new page answers them; the quick start leads there."
)
REVIEW = "Good. One more question comes up often: *can we use our own database server?* Please add it."


async def answer_questions(author: Context, reviewer: Context, other: str, space_id: str) -> None:
    """A change request with a new page and a changed one: one reviewer wants more, another is still asked."""
    new = ChangeRequestCreate(subject="Answer common questions", description=Body(markdown=WHY))
    where = await _opened(author, space_id, new)
    start = await _page(author, where, "get-started/quick-start")
    backups = await _page(author, where, "operating/backups")
    questions = QUESTIONS.format(backups=f"/pages/{backups.page.page_id}")
    await _change(
        author,
        where,
        ContentChange(
            operation="insert_page",
            ref="questions",
            into=start.page.parent_id,
            icon="circle-question",
            document=Body(markdown=questions),
        ),
        ContentChange(
            operation="update_page",
            page=start.page.page_id,
            document=Body(markdown=start.body["markdown"] + POINTER),
        ),
    )
    await reviews.request_reviews(author, where, ReviewRequest(users=[reviewer.actor.user_id, other]))
    said = ReviewCreate(status="changes-requested", comment=Body(markdown=REVIEW))
    await reviews.submit(reviewer, where, said)


async def begin_with_links(author: Context, space_id: str) -> None:
    """A draft that moves one page and says another thing about it."""
    where = await _opened(author, space_id, ChangeRequestCreate(subject="Links before revisions"))
    page = (await _page(author, where, "concepts/links")).page
    words = "Where each link leads, and which lead nowhere."
    moved = ContentChange(
        operation="update_page", page=page.page_id, into=page.parent_id, at=6, description=words
    )
    await _change(author, where, moved)


async def _opened(cx: Context, space_id: str, new: ChangeRequestCreate) -> Where:
    request = (await change_requests.create(cx, space_id, new)).request
    return Where(space_id, request.id)


async def _page(cx: Context, where: Where, path: str) -> pages.PageRead:
    return await pages.get_by_path(cx, where, path, BodyQuery())


async def _change(cx: Context, where: Where, *changes: ContentChange) -> None:
    batch = ContentChanges(changes=list(changes))
    await edits.change_content(cx, where, ContentChangesQuery(), batch, {})
