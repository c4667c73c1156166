"""The content of the demo: its site, a change request, and comments."""

from __future__ import annotations

from app.access.context import Context
from app.domain.change_requests import change_requests, reviews
from app.domain.comments import comments, replies
from app.domain.content import pages
from app.domain.content.views import Where
from app.domain.revisions import edits
from app.domain.site_addresses import addresses
from app.domain.sites import customizations, sites
from app.kit.settings import Settings
from app.models.change_requests import ChangeRequestCreate
from app.models.comments import CommentCreate, CommentReplyCreate, CommentUpdate
from app.models.content_changes import ContentChange, ContentChanges, ContentChangesQuery
from app.models.documents import Body
from app.models.publishing import CustomizationSettings
from app.models.queries import BodyQuery
from app.models.reviews import ReviewCreate, ReviewRequest
from app.models.sites import SiteCreate, SiteUpdate

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
    """Open a change request with a new and a changed page: one reviewer wants more,
    another is still asked.
    """
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
    """Open a draft that moves a page and changes its description."""
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


BLOCK = "1"  # the first paragraph below the heading
PAGE = "get-started/quick-start"
ON_THE_PAGE = "Worked for me on the first try. Should we say how to choose another port?"
ANSWER = "Good idea, {mention} can add it: `docyard serve --port`."
ON_THE_BLOCK = "Does this need Docker?"
NO = "No, Python is enough. See [Install](/operating/install)."
EDITOR = "Edda"
ON_THE_REQUEST = "The second question is asked every week. {mention}, thank you!"


async def about_a_page(reader: Context, editor: Context, reviewer: Context, space_id: str) -> None:
    """Post an open comment on a page with a reply and a reaction, and a resolved one on a block of it."""
    where = Where(space_id)
    page = (await pages.get_by_path(reader, where, PAGE, BodyQuery())).page.page_id
    asked = await _post(reader, where, ON_THE_BLOCK, page=page, node=BLOCK)
    await _reply(editor, where, asked, NO)
    await comments.update_comment(editor, where, asked, CommentUpdate(resolved=True))
    open_ = await _post(reader, where, ON_THE_PAGE, page=page)
    await _reply(reviewer, where, open_, ANSWER.format(mention=_mention(editor)))
    await comments.update_comment(reviewer, where, open_, CommentUpdate(added_reactions=["1f44d"]))


async def about_a_change_request(reader: Context, author: Context, space_id: str) -> None:
    """Post a comment on the first change request of the space, with its author's reaction."""
    where = Where(space_id, (await change_requests.get(reader, Where(space_id, "1"))).request.id)
    made = await _post(reader, where, ON_THE_REQUEST.format(mention=_mention(author)))
    await comments.update_comment(author, where, made, CommentUpdate(added_reactions=["2764", "1f389"]))


def _mention(somebody: Context) -> str:
    return f"[@{EDITOR}](mention://{somebody.actor.user_id})"


async def _post(cx: Context, where: Where, text: str, **about: str) -> str:
    new = CommentCreate(body=Body(markdown=text), **about)
    return str((await comments.post(cx, where, new)).row.id)


async def _reply(cx: Context, where: Where, comment_id: str, text: str) -> None:
    await replies.post(cx, where, comment_id, CommentReplyCreate(body=Body(markdown=text)))


TITLE, NAME = "Docyard", "docyard"
REFERENCE = "/docs"


async def publish(cx: Context, organization_id: str, space_id: str) -> str:
    """Publish the space; the site's id."""
    site = await sites.create(cx, organization_id, SiteCreate(title=TITLE, spaces=[space_id]))
    change = SiteUpdate.model_validate({"basename": NAME, "icon": "book-open"})
    await sites.update(cx, organization_id, site.id, change)
    await customizations.put(cx, organization_id, site.id, looks(cx.settings.base_url))
    await sites.publish(cx, organization_id, site.id)
    return site.id


def address(settings: Settings, organization_id: str, site_id: str) -> str:
    """Return where the site is read; its names may change, its ids do not."""
    return addresses.whole(settings, f"{organization_id}/{site_id}")


def looks(base_url: str) -> CustomizationSettings:
    """Return how the site looks: mostly as every new one does, with links of its own."""
    given: dict[str, object] = {
        "styling": {"primaryColor": {"light": "#0f6e84", "dark": "#5cc3d9"}},
        "footer": {"copyright": "This is Docyard's own guide, published by Docyard."},
    }
    if base_url:
        given["header"] = {
            "links": [{"title": "GraphiQL", "url": f"{base_url}/graphql"}],
            "primaryLink": {"title": "API reference", "url": f"{base_url}{REFERENCE}"},
        }
    return CustomizationSettings.model_validate(given)
