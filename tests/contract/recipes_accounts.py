"""Calls about what people call and sign in with (see `recipes`)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from app.access.context import Context
from app.domain.accounts import tokens
from app.domain.accounts.personal_tokens import Issuer
from app.domain.accounts.tokens import TokenLimits
from app.kit.ids import new_id
from app.kit.signing import new_session
from app.models.accounts import Passkey
from tests import make
from tests.cast import Cast, Person
from tests.contract.faces import Call

Recipe = Callable[[Cast], Call]
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def _new_token(cast: Cast, **narrowing: Any) -> dict[str, Any]:
    answer = cast.ada.post("/v1/user/tokens", {"name": "Build", **narrowing})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()["token"]
    return made


def _tokens(cast: Cast) -> Call:
    _new_token(cast, organization=cast.organization, scopes=["read", "space:git:sync"])
    return Call()


def _create_token(cast: Cast) -> Call:
    space = make.space(cast.ada, cast.organization)["id"]
    body = {
        "name": "Build",
        "expiresAt": "2095-01-01T00:00:00Z",
        "readOnly": True,
        "organization": cast.organization,
        "spaces": [space],
        "scopes": ["read", "space:content:read"],
        "isAgent": True,
    }
    return Call(body=body)


def _token(cast: Cast) -> Call:
    space = make.space(cast.ada, cast.organization)["id"]
    made = _new_token(cast, spaces=[space], expiresAt="2095-01-01T00:00:00Z")
    return Call({"tokenId": made["id"]})


def _update_token(cast: Cast) -> Call:
    return Call(_token(cast).path, body={"name": "Nightly build", "expiresAt": None})


def _tokens_of_organization(cast: Cast) -> Call:
    _tokens(cast)
    return Call({"organizationId": cast.organization})


def _token_of_organization(cast: Cast) -> Call:
    return Call({"organizationId": cast.organization, **_token(cast).path})


def _begun(cast: Cast, person: Person) -> str:
    """The id of a session of somebody whom the organization's identity provider signed in."""

    async def begin(cx: Context) -> str:
        until, secret = cx.now + timedelta(days=3), new_session()
        limits = TokenLimits(organization_id=cast.organization, until=until)
        issuer = Issuer(provider, cast.organization)
        made = await tokens.give(
            cx, person.id, secret, name="browser session", limits=limits, kind="session", provider=issuer,
            user_agent=FIREFOX, address="192.0.2.7",
        )  # fmt: skip
        return made.id

    provider = cast.__dict__.get("provider") or make.provider(cast)
    cast.__dict__["provider"] = provider
    return cast.instance.inside(begin)


def _sessions(cast: Cast) -> Call:
    _begun(cast, cast.ada)
    return Call()


def _session(cast: Cast) -> Call:
    return Call({"sessionId": _begun(cast, cast.ada)})


def _end_sessions(cast: Cast) -> Call:
    _begun(cast, cast.ada)
    return Call(body={"keepCurrent": True})


def _sessions_of_member(cast: Cast) -> Call:
    _begun(cast, cast.ed)
    return Call({"organizationId": cast.organization, "userId": cast.ed.id})


def _passkey(cast: Cast) -> Call:
    async def add(cx: Context) -> Passkey:
        return await cx.tx.add(
            Passkey,
            id=new_id(),
            credential_id=new_id(),
            user_id=cast.ada.id,
            name="Laptop",
            public_key=b"\x00",
            counter=0,
            transports=["internal"],
            backed_up=False,
            created_at=cx.now,
            last_used_at=cx.now,
        )

    return Call({"passkeyId": cast.instance.inside(add).id})


def _passkeys(cast: Cast) -> Call:
    _passkey(cast)
    return Call()


def _preferences(cast: Cast) -> Call:
    return Call()


def _update_preferences(cast: Cast) -> Call:
    return Call(body={"mentions": "daily", "reviewRequests": "weekly", "invitations": "never"})


def _link_of_member(cast: Cast) -> Call:
    return Call({"organizationId": cast.organization, "userId": cast.ed.id})


ACCOUNTS: dict[str, Recipe] = {
    "listPasskeysForAuthenticatedUser": _passkeys,
    "getPasskeyById": _passkey,
    "updatePasskeyById": lambda cast: Call(_passkey(cast).path, body={"name": "Old laptop"}),
    "deletePasskeyById": _passkey,
    "listTokensForAuthenticatedUser": _tokens,
    "createToken": _create_token,
    "getTokenById": _token,
    "updateTokenById": _update_token,
    "revokeTokenById": _token,
    "listTokensInOrganization": _tokens_of_organization,
    "getTokenInOrganization": _token_of_organization,
    "revokeTokenInOrganization": _token_of_organization,
    "listSessionsForAuthenticatedUser": _sessions,
    "getSessionById": _session,
    "endSessionById": _session,
    "endSessions": _end_sessions,
    "getNotificationPreferences": _preferences,
    "updateNotificationPreferences": _update_preferences,
    "listSessionsForOrganizationMember": _sessions_of_member,
    "endSessionsOfOrganizationMember": _sessions_of_member,
    "createSignInLinkForOrganizationMember": _link_of_member,
}
