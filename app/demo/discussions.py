"""What the people of the demo say to each other: about a page of the guide, and about a change request."""

from __future__ import annotations

from app.access.context import Context
from app.domain.change_requests import change_requests
from app.domain.comments import comments, replies
from app.domain.content import pages
from app.domain.content.views import Where
from app.models.comment_replies import CommentReplyCreate
from app.models.comments import CommentCreate, CommentUpdate
from app.models.documents import Body
from app.models.queries import BodyQuery

BLOCK = "1"  # the first paragraph below the heading
PAGE = "get-started/quick-start"
ON_THE_PAGE = "Worked for me on the first try. Should we say how to choose another port?"
ANSWER = "Good idea, {mention} can add it: `docyard serve --port`."
ON_THE_BLOCK = "Does this need Docker?"
NO = "No, Python is enough. See [Install](/operating/install)."
EDITOR = "Edda"
ON_THE_REQUEST = "The second question is asked every week. {mention}, thank you!"


async def about_a_page(reader: Context, editor: Context, reviewer: Context, space_id: str) -> None:
    """An open comment on a page with an answer and a reaction, and a resolved one on a block of it."""
    where = Where(space_id)
    page = (await pages.get_by_path(reader, where, PAGE, BodyQuery())).page.page_id
    asked = await _post(reader, where, ON_THE_BLOCK, page=page, node=BLOCK)
    await _reply(editor, where, asked, NO)
    await comments.update_comment(editor, where, asked, CommentUpdate(resolved=True))
    open_ = await _post(reader, where, ON_THE_PAGE, page=page)
    await _reply(reviewer, where, open_, ANSWER.format(mention=_mention(editor)))
    await comments.update_comment(reviewer, where, open_, CommentUpdate(added_reactions=["1f44d"]))


async def about_a_change_request(reader: Context, author: Context, space_id: str) -> None:
    """A comment on the first change request of the space, with its author's reaction."""
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
