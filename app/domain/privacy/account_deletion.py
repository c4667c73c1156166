"""Deletes accounts: what belongs to the person is removed, and what they wrote for others is anonymized.

The row of the person stays, without anything that tells who they were, so that what they wrote in an
organization still has an author. Nobody can sign in as them, and their address is free for a new account.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, String, cast, delete, select

from app.access.context import Context
from app.domain.audit import audit_erasure
from app.domain.infrastructure import stored_secrets
from app.domain.organizations import members, users
from app.domain.privacy.personal_data import permit_self
from app.kit.database.sql import holds
from app.kit.database.statements import Statement, command, given, rows, table
from app.models.access import Token
from app.models.accounts import Passkey, SignInLink
from app.models.base import Table
from app.models.integration_events import IntegrationEvent
from app.models.invites import Invite
from app.models.jobs import OutgoingMail
from app.models.notifications import Notification, NotificationPreferences
from app.models.oauth import OAuthApplication, OAuthGrant
from app.models.reviews import RequestedReview
from app.models.sso import SignIn
from app.models.teams import TeamInvite
from app.models.users import User

DELETED_NAME = "Deleted user"
OUTGOING_MAILS, INTEGRATION_EVENTS = table(OutgoingMail), table(IntegrationEvent)
INVITES, TEAM_INVITES, TOKENS, PASSKEYS = table(Invite), table(TeamInvite), table(Token), table(Passkey)
_OF_ADDRESS = INVITES.c.email == given("email")


def _delete(model: type[Table], named: ColumnElement[bool]) -> Statement[Any]:
    return command(lambda: delete(table(model)).where(named))


def _of_person(model: type[Table], column: str = "user_id") -> Statement[Any]:
    return _delete(model, table(model).c[column] == given("user"))


# Tokens of applications come before the grants that they were given for.
_OWN: tuple[type[Table], ...] = (
    Token,
    Passkey,
    OAuthGrant,
    SignIn,
    Notification,
    NotificationPreferences,
    RequestedReview,
)
_REMOVED = (*map(_of_person, _OWN), _of_person(OAuthApplication, "owner_id"))
_REMOVED_BY_ADDRESS = (
    _delete(TeamInvite, TEAM_INVITES.c.invite_id.in_(select(INVITES.c.id).where(_OF_ADDRESS))),
    _delete(Invite, _OF_ADDRESS),
    _delete(SignInLink, table(SignInLink).c.email == given("email")),
)
_NAMED_THINGS = (
    rows(lambda: select(TOKENS.c.id).where(TOKENS.c.user_id == given("user"))),
    rows(lambda: select(PASSKEYS.c.id).where(PASSKEYS.c.user_id == given("user"))),
)
_MAILS = rows(lambda: select(OUTGOING_MAILS.c.id, OUTGOING_MAILS.c.content))
_TOLD = rows(
    lambda: select(INTEGRATION_EVENTS.c.id, INTEGRATION_EVENTS.c.payload).where(
        holds(cast(INTEGRATION_EVENTS.c.payload, String), given("user"))
    )
)


async def delete_own(cx: Context, user_id: str) -> None:
    """Delete the caller's account.

    Raises Forbidden for another person and for a token that is narrowed, and Conflict while an organization
    has no other administrator.
    """
    user = await users.get(cx, user_id)
    permit_self(cx.actor, user_id)
    if cx.notes is not None:
        cx.notes.erases_caller = True
    await delete_account(cx, user)


async def delete_account(cx: Context, user: User) -> None:
    """Delete a person's account; asks nobody for a right.

    Raises Conflict while an organization has no other administrator.
    """
    named = [row.id for statement in _NAMED_THINGS for row in await cx.tx.all(statement, user=user.id)]
    await members.remove_everywhere(cx, user.id)
    for statement in _REMOVED:
        await cx.tx.run(statement, user=user.id)
    for statement in _REMOVED_BY_ADDRESS:
        await cx.tx.run(statement, email=user.email)
    await _remove_mail(cx, user.email)
    await _anonymize_integration_events(cx, user.id)
    await audit_erasure.erase(cx, user.id, named)
    nobody = {
        "email": f"deleted:{user.id}",  # no address, so nobody can sign in or be invited with it
        "display_name": DELETED_NAME,
        "name_key": users.name_key(DELETED_NAME),
        "photo_url": None,
    }
    await cx.tx.put(User, nobody, id=user.id)


async def _remove_mail(cx: Context, address: str) -> None:
    """Remove the mail to a person that was not sent yet."""
    for row in await cx.tx.all(_MAILS):
        content = cx.signer.unseal(stored_secrets.MAIL, row.content, row.id)
        if content is not None and json.loads(content)["to"] == address:
            await cx.tx.remove(OutgoingMail, id=row.id)


async def _anonymize_integration_events(cx: Context, user_id: str) -> None:
    """Replace the name of a person in what integrations were told, or are about to be."""
    for row in await cx.tx.all(_TOLD, user=user_id):
        payload = {**row.payload, "updatedBy": _anonymous(row.payload.get("updatedBy", ()), user_id)}
        await cx.tx.put(IntegrationEvent, {"payload": payload}, id=row.id)


def _anonymous(people: Sequence[dict[str, Any]], user_id: str) -> list[dict[str, Any]]:
    return [
        {**person, "displayName": DELETED_NAME} if person["id"] == user_id else person for person in people
    ]
