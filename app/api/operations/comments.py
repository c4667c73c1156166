"""Operations on comments, replies and commenters: of a space and of a change request, alike."""

from __future__ import annotations

from app.api.operation import Operation, family, get, listing, post, put, remove
from app.domain.comments import commenters, comments, mention_lists, replies
from app.models.comments import (
    CommentCreate,
    CommentFormatQuery,
    CommentQuery,
    CommentReplyCreate,
    CommentReplyQuery,
    CommentReplyUpdate,
    CommentUpdate,
)
from app.models.mentions import MentionQuery
from app.present.discussions import comment, mention, reply
from app.present.people import member


def _discussions(name: str, noun: str, place: str, parent: str) -> list[Operation]:
    """Return the rows of a place; `parent` is the GraphQL type of its object."""
    all_comments, all_replies = f"{place}/comments", f"{place}/comments/{{commentId}}/replies"
    one_comment, one_reply = f"{all_comments}/{{commentId}}", f"{all_replies}/{{commentReplyId}}"
    return family(
        name,
        listing(
            f"listCommentsIn{noun}",
            all_comments,
            comments.list_comments,
            where=True,
            query=CommentQuery,
            show=comment,
            field=f"{parent}.comments",
            permission="space:view",
            tool="list_comments",
        ),
        post(
            f"postCommentIn{noun}",
            all_comments,
            comments.post,
            where=True,
            body=CommentCreate,
            show=comment,
            field="postComment",
            permission="space:comment",
            tool="comment",
        ),
        get(
            f"getCommentIn{noun}",
            one_comment,
            comments.get,
            where=True,
            query=CommentFormatQuery,
            show=comment,
            field=f"{parent}.comment",
            permission="space:view",
        ),
        put(
            f"updateCommentIn{noun}",
            one_comment,
            comments.update_comment,
            where=True,
            body=CommentUpdate,
            show=comment,
            field="updateComment",
            permission="space:admin",
        ),
        remove(
            f"deleteCommentIn{noun}",
            one_comment,
            comments.delete_comment,
            where=True,
            field="deleteComment",
            permission="space:admin",
        ),
        listing(
            f"listCommentRepliesIn{noun}",
            all_replies,
            replies.list_replies,
            where=True,
            query=CommentReplyQuery,
            show=reply,
            field="Comment.replies",
            permission="space:view",
            tool="list_replies",
        ),
        post(
            f"postCommentReplyIn{noun}",
            all_replies,
            replies.post,
            where=True,
            body=CommentReplyCreate,
            show=reply,
            field="postCommentReply",
            permission="space:comment",
            tool="reply_to_comment",
        ),
        get(
            f"getCommentReplyIn{noun}",
            one_reply,
            replies.get,
            where=True,
            query=CommentFormatQuery,
            show=reply,
            field="Comment.reply",
            permission="space:view",
        ),
        put(
            f"updateCommentReplyIn{noun}",
            one_reply,
            replies.update_reply,
            where=True,
            body=CommentReplyUpdate,
            show=reply,
            field="updateCommentReply",
            permission="space:admin",
        ),
        remove(
            f"deleteCommentReplyIn{noun}",
            one_reply,
            replies.delete_reply,
            where=True,
            field="deleteCommentReply",
            permission="space:admin",
        ),
        listing(
            f"listCommentersIn{noun}",
            f"{place}/commenters",
            commenters.list_commenters,
            where=True,
            show=member,
            field=f"{parent}.commenters",
            permission="space:view",
        ),
    )


OPERATIONS = [
    *_discussions("Space comments", "Space", "/spaces/{spaceId}", "Space"),
    *family(
        "Space comments",
        listing(
            "listMentions",
            "/orgs/{organizationId}/mentions",
            mention_lists.list_mentions,
            query=MentionQuery,
            show=mention,
            field="Organization.mentions",
            permission="organization:view",
        ),
    ),
    *_discussions(
        "Change request comments",
        "ChangeRequest",
        "/spaces/{spaceId}/change-requests/{changeRequestId}",
        "ChangeRequest",
    ),
]
