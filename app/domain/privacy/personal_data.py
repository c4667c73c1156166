"""The personal data of an account, table by table, and its export.

Every table with a column that refers to a person is listed in `SOURCES`, or in `NOT_EXPORTED` with the
reason; a test compares both with the tables of the database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import or_, select

from app.access.context import Actor, Context
from app.access.scopes import refuse_narrowed
from app.domain.organizations import users
from app.kit.database.statements import Statement, given, rows, table
from app.kit.errors import Forbidden
from app.models.access import Grant, Token
from app.models.accounts import Passkey, PasskeyChallenge, SignInLink
from app.models.agents import AgentChange
from app.models.audit import AuditEvent
from app.models.base import Table
from app.models.change_requests import ChangeRequest, Contribution
from app.models.collections import Collection
from app.models.comments import Comment, CommentMention, CommentReaction, CommentReply
from app.models.files import Upload
from app.models.imports import ImportRun
from app.models.integrations import Integration, IntegrationVersion
from app.models.invites import Invite
from app.models.notifications import Notification, NotificationPreferences
from app.models.oauth import OAuthApplication, OAuthGrant
from app.models.organizations import Member, Organization
from app.models.reviews import RequestedReview, Review
from app.models.revisions import Revision
from app.models.sites import Site
from app.models.spaces import Space
from app.models.sso import SignIn
from app.models.teams import TeamMember
from app.models.users import User


@dataclass(frozen=True)
class Source:
    """Rows of a table that are about a person: their name in an export, and the columns that name the person.

    `without` are columns that are left out: secrets, and what others said. Of what belongs to an
    organization, which the person may have left, `only` some columns are exported. A column `email` names the
    person by their address, all others by their id.
    """

    name: str
    model: type[Table]
    columns: tuple[str, ...] = ("user_id",)
    without: frozenset[str] = frozenset()
    only: tuple[str, ...] = ()

    @property
    def shown(self) -> list[str]:
        """Return the names of the columns that are exported."""
        return list(self.only) or [c.name for c in table(self.model).c if c.name not in self.without]


_MADE = ("id", "created_by", "created_at")
SOURCES = (
    Source("profile", User, ("id",)),
    Source("memberships", Member),
    Source("teams", TeamMember),
    Source("grants", Grant, ("grantee_id",)),
    Source("tokensAndSessions", Token, without=frozenset({"hash"})),
    Source("passkeys", Passkey, without=frozenset({"credential_id", "public_key", "counter"})),
    Source("signIns", SignIn),
    Source("signInLinks", SignInLink, ("email",), frozenset({"hash", "browser"})),
    Source("oauthApplications", OAuthApplication, ("owner_id",), frozenset({"secret_hash"})),
    Source("oauthGrants", OAuthGrant),
    Source("invites", Invite, ("email",)),
    Source("notificationPreferences", NotificationPreferences),
    Source("notifications", Notification),
    Source("comments", Comment, ("posted_by",), frozenset({"preview"})),
    Source("replies", CommentReply, ("posted_by",)),
    Source("reactions", CommentReaction),
    Source("mentions", CommentMention),
    Source(
        "changeRequests",
        ChangeRequest,
        ("created_by",),
        only=(*_MADE, "space_id", "number"),
    ),
    Source("contributions", Contribution),
    Source("reviews", Review, ("reviewer_id",)),
    Source("requestedReviews", RequestedReview, ("user_id",)),
    Source("revisions", Revision, ("author_id",), only=("id", "space_id", "number", "type", "created_at")),
    Source("collections", Collection, ("created_by",), only=(*_MADE, "organization_id")),
    Source("spaces", Space, ("created_by",), only=(*_MADE, "organization_id")),
    Source("sites", Site, ("created_by",), only=(*_MADE, "organization_id")),
    Source("imports", ImportRun, ("created_by",), only=(*_MADE, "organization_id", "source", "status")),
    Source("uploads", Upload, ("created_by",)),
    Source(
        "integrationVersions",
        IntegrationVersion,
        ("published_by",),
        only=("integration_id", "version", "created_at"),
    ),
    Source("agentChanges", AgentChange),
    Source(
        "auditEvents",
        AuditEvent,
        ("user_id",),
        frozenset({"address_salt", "title_salt", "target_title_salt"}),
    ),
)
NOT_EXPORTED: Mapping[type[Table], str] = {
    PasskeyChallenge: "a random number of some minutes",
    Integration: "the user that it acts as is no person",
}
ROW_SIZE = 400  # characters of a row, as sent
ORGANIZATIONS = table(Organization)


@dataclass(frozen=True)
class Export:
    """All that is stored about a person: rows by the name of their source, as they are sent."""

    created_at: datetime
    records: Mapping[str, Sequence[Mapping[str, Any]]]

    @property
    def shown_size(self) -> int:
        """Return about how many characters it has, which tells where it is presented (see `showing`)."""
        return ROW_SIZE * sum(map(len, self.records.values()))


async def export(cx: Context, user_id: str) -> Export:
    """Export what is stored about the caller.

    Raises Forbidden for another person and for a token that is narrowed.
    """
    user = await users.get(cx, user_id)
    permit_self(cx.actor, user_id)
    return await export_of(cx, user)


async def export_of(cx: Context, user: User) -> Export:
    """Export what is stored about a person; asks nobody for a right."""
    return Export(
        cx.now,
        {
            source.name: [
                dict(zip(source.shown, row, strict=True))
                for row in await cx.db.all(_rows(source), id=user.id, email=user.email)
            ]
            for source in SOURCES
        },
    )


def permit_self(actor: Actor, user_id: str) -> None:
    """Refuse everybody but the person themselves, with a token that is not narrowed."""
    if user_id != actor.user_id:
        raise Forbidden("You can only export or delete your own account.")
    refuse_narrowed(actor)
    if actor.only_organization is not None:
        raise Forbidden("This token is limited to one organization.")


@cache
def _rows(source: Source) -> Statement[Any]:
    t = table(source.model)

    def found() -> Any:
        matching = [t.c[name] == given("email" if name == "email" else "id") for name in source.columns]
        chosen = select(*(t.c[name] for name in source.shown)).where(or_(*matching))
        if source.model is AuditEvent:  # its index begins with the organization
            chosen = chosen.where(t.c.organization_id.in_(select(ORGANIZATIONS.c.id)))
        return chosen.order_by(*t.primary_key.columns)

    return rows(found)
