"""Notifications by mail: recorded in the transaction that causes them, sent by a job as each person prefers.

A notification refers to what happened by ids. The job reads the rest when it sends the mail, and leaves out
what the person may no longer see, what is gone, and what no longer concerns them. What is due at the same
time becomes one mail.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, get_args

from sqlalchemy import and_, delete, func, select

from app.access import memberships
from app.access.audit_actions import AuditAction
from app.access.context import Context, Membership
from app.access.fetch import refusal
from app.access.scopes import refuse_narrowed
from app.domain import jobs, mail
from app.domain.jobs import NOBODY, JobRuntime
from app.domain.mail import Letter
from app.kit.database.columns import Instant
from app.kit.database.sql import among
from app.kit.database.statements import command, given, query, rows, table
from app.kit.errors import NotFound
from app.kit.ids import new_id
from app.models.change_requests import ChangeRequest
from app.models.comments import Comment, CommentMention, CommentReply
from app.models.jobs import Job
from app.models.notifications import (
    Notification,
    NotificationKind,
    NotificationPreferences,
    NotificationPreferencesUpdate,
)
from app.models.reviews import RequestedReview
from app.models.spaces import Space
from app.models.users import User

TELL = "tell_notifications"
HOUR = 6  # of the day, UTC, at which digests are sent
MOST = 50  # things that one mail tells of
LONGEST = 500  # characters of a comment that a mail shows
_MENTION = re.compile(r"\[([^\[\]]*)\]\(mention:[^()\s]*\)")
NOTIFICATIONS, SPACES, USERS, COMMENTS, COMMENT_REPLIES = (
    table(Notification),
    table(Space),
    table(User),
    table(Comment),
    table(CommentReply),
)
CHANGE_REQUESTS, COMMENT_MENTIONS, REQUESTED_REVIEWS = (
    table(ChangeRequest),
    table(CommentMention),
    table(RequestedReview),
)
_by = USERS.alias("author")
_DUE = rows(
    lambda: (
        select(
            *(
                NOTIFICATIONS.c.id.label("notification"),
                NOTIFICATIONS.c.kind,
                NOTIFICATIONS.c.comment_id,
                NOTIFICATIONS.c.reply_id,
                NOTIFICATIONS.c.change_request_id,
            ),
            *SPACES.c,
            USERS.c.email,
            _by.c.display_name.label("author"),
            func.coalesce(COMMENT_REPLIES.c.body, COMMENTS.c.body, CHANGE_REQUESTS.c.description).label(
                "text"
            ),
            *(CHANGE_REQUESTS.c.number, CHANGE_REQUESTS.c.subject, CHANGE_REQUESTS.c.status),
            *(COMMENT_MENTIONS.c.user_id.label("mentioned"), REQUESTED_REVIEWS.c.user_id.label("asked")),
        )
        .select_from(NOTIFICATIONS)
        .join(SPACES, SPACES.c.id == NOTIFICATIONS.c.space_id)
        .join(USERS, USERS.c.id == NOTIFICATIONS.c.user_id)
        .outerjoin(_by, _by.c.id == NOTIFICATIONS.c.caused_by)
        .outerjoin(COMMENTS, COMMENTS.c.id == NOTIFICATIONS.c.comment_id)
        .outerjoin(COMMENT_REPLIES, COMMENT_REPLIES.c.id == NOTIFICATIONS.c.reply_id)
        .outerjoin(CHANGE_REQUESTS, CHANGE_REQUESTS.c.id == NOTIFICATIONS.c.change_request_id)
        .outerjoin(
            COMMENT_MENTIONS,
            and_(
                COMMENT_MENTIONS.c.subject_id
                == func.coalesce(NOTIFICATIONS.c.reply_id, NOTIFICATIONS.c.comment_id),
                COMMENT_MENTIONS.c.user_id == NOTIFICATIONS.c.user_id,
            ),
        )
        .outerjoin(
            REQUESTED_REVIEWS,
            and_(
                REQUESTED_REVIEWS.c.change_request_id == NOTIFICATIONS.c.change_request_id,
                REQUESTED_REVIEWS.c.user_id == NOTIFICATIONS.c.user_id,
            ),
        )
        .where(NOTIFICATIONS.c.user_id == given("user"), NOTIFICATIONS.c.due_at <= given("now", Instant()))
        .order_by(NOTIFICATIONS.c.id)
    )
)
_FORGET = command(lambda: delete(NOTIFICATIONS).where(among(NOTIFICATIONS.c.id, "told")))

PURPOSE = "unsubscribe"
KINDS: tuple[str, ...] = get_args(NotificationKind)
ALL = "all"
"""Stands in an address for every kind that a digest may tell of."""
NOTIFICATION_PREFERENCES = table(NotificationPreferences)
_BY_ID = query(
    NotificationPreferences,
    lambda: select(*NOTIFICATION_PREFERENCES.c).where(NOTIFICATION_PREFERENCES.c.user_id == given("user")),
)
_OF_MANY = rows(
    lambda: select(*NOTIFICATION_PREFERENCES.c).where(among(NOTIFICATION_PREFERENCES.c.user_id, "users"))
)
_WITHOUT_INVITATIONS = rows(
    lambda: (
        select(USERS.c.email)
        .join(NOTIFICATION_PREFERENCES, NOTIFICATION_PREFERENCES.c.user_id == USERS.c.id)
        .where(among(USERS.c.email, "emails"), NOTIFICATION_PREFERENCES.c.invitations == "never")
    )
)


@dataclass(frozen=True, slots=True)
class Told:
    """One thing of a mail: what happened, what was said, and where to look."""

    kind: str
    what: str
    text: str
    url: str


async def record(
    cx: Context,
    kind: NotificationKind,
    users: Iterable[str],
    space_id: str,
    *,
    change_request_id: str | None = None,
    comment_id: str | None = None,
    reply_id: str | None = None,
) -> None:
    """Let people know of something that the caller did, as soon as each prefers, if this transaction commits.

    Nobody is told of what they did themselves, and nobody of anything where the server sends no mail.
    """
    wanted = dict.fromkeys(user for user in users if user != cx.actor.user_id)
    if not wanted or not cx.settings.sends_mail:
        return
    preferred = await deliveries(cx, wanted, kind)
    about = {
        "kind": kind,
        "space_id": space_id,
        "change_request_id": change_request_id,
        "comment_id": comment_id,
        "reply_id": reply_id,
        "caused_by": cx.actor.user_id,
        "created_at": cx.now,
    }
    for user in wanted:
        due_at = due(cx.now, preferred.get(user, "immediately"))
        if due_at is not None:
            await cx.tx.add(Notification, id=new_id(), user_id=user, due_at=due_at, **about)
            await jobs.enqueue(cx, TELL, user, jobs.INSTALLATION, due_at=due_at)


def due(now: datetime, delivery: str) -> datetime | None:
    """Return when something is told that happens now; None for never."""
    if delivery == "never":
        return None
    if delivery == "immediately":
        return now
    morning = now.replace(hour=HOUR, minute=0, second=0, microsecond=0)
    if morning <= now:
        morning += timedelta(days=1)
    return morning + timedelta(days=-morning.weekday() % 7) if delivery == "weekly" else morning


async def perform(runtime: JobRuntime, job: Job) -> None:
    """Tell a person everything that is due, in one mail."""
    await runtime.write(NOBODY, lambda cx: _tell(cx, job.subject), AuditAction("job", "tellNotifications"))


async def _tell(cx: Context, user_id: str) -> None:
    found = await cx.db.all(_DUE, user=user_id, now=cx.now)
    if not found:
        return
    held: dict[str, Membership | None] = {}
    for organization_id in {row.organization_id for row in found}:
        held[organization_id] = await memberships.of_person(cx.db, user_id, organization_id)
    told = [_told(cx, row) for row in found if _concerns(held[row.organization_id], user_id, row)]
    await cx.tx.run(_FORGET, told=[row.notification for row in found])
    if told:
        await _send(cx, user_id, found[0].email, told)


def _concerns(membership: Membership | None, user_id: str, row: Any) -> bool:
    """Tell whether somebody may see what happened now, and is still meant by it."""
    if row.deleted_at is not None or refusal(membership, Space, row, can="view") is not None:
        return False
    if row.kind == "mentions":
        named = row.mentioned if row.comment_id is not None else user_id in (row.text or "")
        return bool(named)
    return row.asked is not None and row.status in ("draft", "open")


def _told(cx: Context, row: Any) -> Told:
    who = row.author or "Somebody"
    url = f"{cx.settings.app_base}/o/{row.organization_id}/s/{row.id}"
    if row.number is not None:
        url += f"/~/changes/{row.number}"
    if row.kind == "mentions":
        text = beginning(row.text, LONGEST)
        url += f"/~/comments?comment={row.comment_id}" if row.comment_id is not None else ""
        return Told(row.kind, f"{who} mentioned you in {row.title}", text, url)
    subject = row.subject or f"change request {row.number}"
    return Told(row.kind, f"{who} asks you to review “{subject}” in {row.title}", "", url)


def beginning(text: str, length: int) -> str:
    """Return the beginning of a text in which people are mentioned by their names alone."""
    plain = _MENTION.sub(r"\1", text)
    return plain if len(plain) <= length else f"{plain[: length - 1]}…"


async def _send(cx: Context, user_id: str, email: str, told: Sequence[Told]) -> None:
    kinds = {each.kind for each in told}
    stop = unsubscribe_url(cx, user_id, kinds.pop() if len(kinds) == 1 else ALL)
    closing = (f"You get this because of your notification preferences. No more such mail:\n{stop}",)
    if len(told) == 1:
        (one,) = told
        said = [f"{one.what}:", one.text] if one.text else [f"{one.what}."]
        letter = Letter(one.what, said, ("Open it", one.url), closing)
    else:
        lines = ["\n".join(filter(None, (each.what, each.text, each.url))) for each in told[:MOST]]
        if len(told) > MOST:
            lines.append(f"And {len(told) - MOST} more.")
        letter = Letter(f"{len(told)} notifications", lines, ("Open Docyard", cx.settings.app_base), closing)
    headers = {"List-Unsubscribe": f"<{stop}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    await mail.post(cx, email, letter, headers=headers)


async def get_preferences(cx: Context) -> NotificationPreferences:
    """Get the caller's e-mail notification preferences."""
    refuse_narrowed(cx.actor)
    return await _preferences_of(cx, cx.actor.user_id)


async def update_preferences(cx: Context, change: NotificationPreferencesUpdate) -> NotificationPreferences:
    """Change the caller's e-mail notifications. Notifications that are already queued are sent as before."""
    refuse_narrowed(cx.actor)
    return await _set_preferences(cx, cx.actor.user_id, change.sent())


async def deliveries(cx: Context, users: Collection[str], kind: str) -> Mapping[str, str]:
    """Return how soon each of these people is told of a kind; who is left out, immediately."""
    found = await cx.db.all(_OF_MANY, users=sorted(users))
    return {row.user_id: getattr(row, kind) for row in found}


async def without_invitations(cx: Context, emails: Collection[str]) -> set[str]:
    """Return those of the addresses whose people want no mail of invitations."""
    return {row.email for row in await cx.db.all(_WITHOUT_INVITATIONS, emails=sorted(emails))}


def unsubscribe_url(cx: Context, user_id: str, kind: str) -> str:
    """Return the address by which whoever got a mail ends mails of a kind, or of all kinds."""
    signature = cx.signer.sign(PURPOSE, f"{user_id} {kind}")
    return f"{cx.settings.base_url}/unsubscribe/{user_id}/{kind}/{signature}"


def check_unsubscribe(cx: Context, user_id: str, kind: str, signature: str) -> None:
    """Raise NotFound unless the parts of an address are as they were signed."""
    if kind not in (*KINDS, ALL) or not cx.signer.good(PURPOSE, f"{user_id} {kind}", signature):
        raise NotFound("There is nothing at this address.")


async def unsubscribe(cx: Context, user_id: str, kind: str) -> None:
    """Send a person no more mail of a kind, or of all kinds; the address was checked before."""
    await _set_preferences(cx, user_id, dict.fromkeys(KINDS if kind == ALL else (kind,), "never"))


async def _preferences_of(cx: Context, user_id: str) -> NotificationPreferences:
    found = await cx.db.first(_BY_ID, user=user_id)
    values = {"mentions": "immediately", "review_requests": "immediately", "invitations": "immediately"}
    return found or NotificationPreferences(user_id=user_id, **values)


async def _set_preferences(cx: Context, user_id: str, values: Mapping[str, str]) -> NotificationPreferences:
    before = await cx.db.first(_BY_ID, user=user_id)
    if before is not None:
        return await cx.tx.change(NotificationPreferences, {**values}, user_id=user_id) if values else before
    found = await _preferences_of(cx, user_id)
    new = {name: getattr(found, name) for name in ("mentions", "review_requests", "invitations")}
    return await cx.tx.add(NotificationPreferences, user_id=user_id, **{**new, **values})
