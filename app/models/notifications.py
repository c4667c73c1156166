"""Notifications: what people are told of by mail, and how soon."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field as ShapeField
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Enumeration, Shape, Table, absent

NotificationKind = Literal["mentions", "review_requests"]
Delivery = Literal["immediately", "daily", "weekly", "never"]
InvitationDelivery = Literal["immediately", "never"]


class Notification(Table, table=True):
    """Something that a person is to be told of by mail, until they were. It names what happened by ids only:
    what the mail says is read when it is sent, with the rights of that moment."""

    __table_args__ = (Index(None, "user_id", "due_at"),)

    id: str = Field(sa_type=Key, primary_key=True)
    user_id: str = Field(sa_type=Key, foreign_key="user_account.id")
    kind: str
    space_id: str = Field(sa_type=Key, foreign_key="space.id", ondelete="CASCADE", index=True)
    change_request_id: str | None = Field(default=None, sa_type=Key)
    comment_id: str | None = Field(default=None, sa_type=Key)
    reply_id: str | None = Field(default=None, sa_type=Key)
    caused_by: str = Field(sa_type=Key)
    created_at: datetime = Field(sa_type=Instant)
    due_at: datetime = Field(sa_type=Instant)


class NotificationPreferences(Table, table=True):
    """A person's settings of notifications by kind; everything immediately without such a row."""

    __tablename__ = "notification_preferences"

    user_id: str = Field(sa_type=Key, primary_key=True, foreign_key="user_account.id")
    mentions: str
    review_requests: str
    invitations: str


class NotificationPreferencesUpdate(Change):
    """Changes to what the caller is told of by mail."""

    mentions: Delivery = absent("When e-mails about comments and replies that mention the person are sent.")
    review_requests: Delivery = absent("When e-mails about review requests are sent.")
    invitations: InvitationDelivery = absent("Whether e-mails about invitations to organizations are sent.")


class NotificationPreferencesOut(Shape):
    """Which e-mail notifications a person gets, and how soon."""

    object: Literal["notification-preferences"]
    mentions: Delivery = ShapeField(
        description="When e-mails about comments and replies that mention the person are sent."
    )
    review_requests: Delivery = ShapeField(description="When e-mails about review requests are sent.")
    invitations: InvitationDelivery = ShapeField(
        description="Whether e-mails about invitations to organizations are sent."
    )


ENUMERATIONS = (
    Enumeration(
        "NotificationDelivery",
        Delivery,
        {
            "immediately": "A mail is sent at once.",
            "daily": "One daily e-mail with everything, at 6:00 UTC.",
            "weekly": "One weekly e-mail with everything, on Mondays at 6:00 UTC.",
            "never": "No mail is sent.",
        },
    ),
    Enumeration(
        "InvitationDelivery",
        InvitationDelivery,
        {"immediately": "A mail is sent at once.", "never": "No mail is sent."},
    ),
)
