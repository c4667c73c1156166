"""Tokens, sessions, passkeys, notification preferences and OAuth applications as callers see them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from app.access.context import Context
from app.access.scopes import OPERATION
from app.kit.callers import browser_name
from app.kit.clock import wire_time
from app.models.access import Token
from app.models.accounts import (
    MemberSessionOut,
    OrganizationTokenOut,
    Passkey,
    PasskeyOut,
    SignInLinkOut,
    TokenCreatedOut,
    TokenOut,
    UserSessionOut,
)
from app.models.base import wire_name
from app.models.notifications import NotificationPreferences, NotificationPreferencesOut
from app.models.oauth import OAuthApplicationOut, OAuthGrantOut
from app.models.users import UserExportOut
from app.present import links
from app.present.shape import Presenter, presenter, shows

if TYPE_CHECKING:
    from app.domain.accounts.oauth.applications import WithSecret
    from app.domain.accounts.personal_tokens import CreatedToken
    from app.domain.accounts.sign_in_links import MadeLink
    from app.domain.privacy.personal_data import Export


def _is_current(cx: Context, row: Token) -> bool:
    return row.id == cx.actor.token_id


def _scopes(_cx: Context, row: Token) -> list[str] | None:
    return [each for each in row.scopes or () if not each.startswith(OPERATION)] or None


def _operations(_cx: Context, row: Token) -> list[str] | None:
    named = [each for each in row.scopes or () if each.startswith(OPERATION)]
    return [each.removeprefix(OPERATION) for each in named] or None


token: Presenter[Context, Token] = presenter(
    TokenOut,
    scopes=_scopes,
    operations=_operations,
    current=_is_current,
    urls=lambda cx, row: links.token(cx, row.id),
)

passkey: Presenter[Context, Passkey] = presenter(
    PasskeyOut, optional=("last_used_at",), urls=lambda cx, row: links.passkey(cx, row.id)
)

token_in_organization: Presenter[Context, Token] = presenter(
    OrganizationTokenOut,
    scopes=_scopes,
    operations=_operations,
    current=_is_current,
    urls=links.token_in_organization,
)


user_session: Presenter[Context, Token] = presenter(
    UserSessionOut,
    browser=lambda _cx, row: browser_name(row.user_agent),
    current=_is_current,
    urls=lambda cx, row: links.session(cx, row.id),
)

member_session: Presenter[Context, Token] = presenter(
    MemberSessionOut,
    browser=lambda _cx, row: browser_name(row.user_agent),
    current=_is_current,
    urls=links.sessions_of_member,
)


@shows(TokenCreatedOut)
def created_token(cx: Context, made: CreatedToken) -> dict[str, Any]:
    """Return a new token with its secret."""
    return {"token": token(cx, made.token), "secret": made.secret}


sign_in_link: Presenter[Context, MadeLink] = presenter(SignInLinkOut)

preferences: Presenter[Context, NotificationPreferences] = presenter(NotificationPreferencesOut)


application: Presenter[Context, Any] = presenter(
    OAuthApplicationOut,
    optional=("homepage",),
    kind=lambda _cx, row: "public" if row.secret_hash is None else "confidential",
    urls=lambda cx, row: {"location": links.api(cx, f"/user/oauth-applications/{row.id}")},
)


@shows(OAuthApplicationOut)
def application_with_secret(cx: Context, made: WithSecret) -> dict[str, Any]:
    """Return an application, with its secret if it just got one."""
    shown = application(cx, made.application)
    return {**shown, "secret": made.secret} if made.secret else shown


grant: Presenter[Context, Any] = presenter(
    OAuthGrantOut, urls=lambda cx, row: {"location": links.api(cx, f"/user/oauth-grants/{row.id}")}
)


@shows(UserExportOut)
def user_export(_cx: Context, export: Export) -> dict[str, Any]:
    """Return what is stored about a person, with columns as fields."""
    records = {
        name: [{wire_name(column): _plain(value) for column, value in row.items()} for row in found]
        for name, found in export.records.items()
    }
    return {"object": "user-export", "createdAt": export.created_at, "records": records}


def _plain(value: Any) -> Any:
    return wire_time(value) if isinstance(value, datetime) else value
