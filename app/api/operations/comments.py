"""REST rows of comments, replies and commenters: of a space and of a change request, alike."""

from __future__ import annotations

from app.api.operation import Operation, family, get, listing, post, put, remove
from app.domain.comments import commenters, comments, replies
from app.models.comments import (
    CommentCreate,
    CommentFormatQuery,
    CommentQuery,
    CommentReplyCreate,
    CommentReplyQuery,
    CommentReplyUpdate,
    CommentUpdate,
)
from app.present.comments import comment, reply
from app.present.members import member


def _discussions(name: str, place: str, *ids: str) -> list[Operation]:
    """The rows of a place; their ids are in the order of the rows."""
    all_comments, all_replies = f"{place}/comments", f"{place}/comments/{{commentId}}/replies"
    one_comment, one_reply = f"{all_comments}/{{commentId}}", f"{all_replies}/{{commentReplyId}}"
    named = iter(ids)
    return family(
        name,
        listing(next(named), all_comments, comments.list_comments, query=CommentQuery, show=comment),
        post(next(named), all_comments, comments.post, body=CommentCreate, show=comment),
        get(next(named), one_comment, comments.get, query=CommentFormatQuery, show=comment),
        put(next(named), one_comment, comments.update_comment, body=CommentUpdate, show=comment),
        remove(next(named), one_comment, comments.delete_comment),
        listing(next(named), all_replies, replies.list_replies, query=CommentReplyQuery, show=reply),
        post(next(named), all_replies, replies.post, body=CommentReplyCreate, show=reply),
        get(next(named), one_reply, replies.get, query=CommentFormatQuery, show=reply),
        put(next(named), one_reply, replies.update_reply, body=CommentReplyUpdate, show=reply),
        remove(next(named), one_reply, replies.delete_reply),
        listing(next(named), f"{place}/commenters", commenters.list_commenters, show=member),
    )


OPERATIONS = [
    *_discussions(
        "Space comments",
        "/spaces/{spaceId}",
        "listCommentsInSpace",
        "postCommentInSpace",
        "getCommentInSpace",
        "updateCommentInSpace",
        "deleteCommentInSpace",
        "listCommentRepliesInSpace",
        "postCommentReplyInSpace",
        "getCommentReplyInSpace",
        "updateCommentReplyInSpace",
        "deleteCommentReplyInSpace",
        "listCommentersInSpace",
    ),
    *_discussions(
        "Change request comments",
        "/spaces/{spaceId}/change-requests/{changeRequestId}",
        "listCommentsInChangeRequest",
        "postCommentInChangeRequest",
        "getCommentInChangeRequest",
        "updateCommentInChangeRequest",
        "deleteCommentInChangeRequest",
        "listCommentRepliesInChangeRequest",
        "postCommentReplyInChangeRequest",
        "getCommentReplyInChangeRequest",
        "updateCommentReplyInChangeRequest",
        "deleteCommentReplyInChangeRequest",
        "listCommentersInChangeRequest",
    ),
]
