"""Calls about OAuth applications and what people allowed them (see `recipes`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.access.context import Context
from app.domain.accounts.oauth import grants
from tests.cast import Cast
from tests.contract.faces import Call

Recipe = Callable[[Cast], Call]
NEW = {
    "name": "Wick Trimmer",
    "homepage": "https://wick.example.org",
    "redirectURIs": ["https://wick.example.org/back"],
    "kind": "confidential",
    "scopes": ["read", "openapi:read"],
    "deviceFlow": True,
}


def _made(cast: Cast) -> str:
    answer = cast.ada.post("/v1/user/oauth-applications", NEW)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def _list(cast: Cast) -> Call:
    for _ in range(3):
        _made(cast)
    return Call()


def _one(cast: Cast, **body: Any) -> Call:
    return Call({"oauthApplicationId": _made(cast)}, body=body or None)


def _update(cast: Cast) -> Call:
    return _one(cast, name="Lamp Lighter", homepage=None, scopes=None, deviceFlow=False)


def _grant(cast: Cast) -> str:
    made = _made(cast)

    async def give(cx: Context) -> str:
        return await grants.give(cx, cast.ada.id, made, ["read"], cast.organization)

    return cast.instance.inside(give)


def _grants(cast: Cast) -> Call:
    for _ in range(3):
        _grant(cast)
    return Call()


def _one_grant(cast: Cast) -> Call:
    return Call({"oauthGrantId": _grant(cast)})


OAUTH: dict[str, Recipe] = {
    "listOAuthApplications": _list,
    "createOAuthApplication": lambda _cast: Call(body=NEW),
    "getOAuthApplicationById": _one,
    "updateOAuthApplicationById": _update,
    "deleteOAuthApplicationById": _one,
    "rotateOAuthApplicationSecret": _one,
    "listOAuthGrants": _grants,
    "getOAuthGrantById": _one_grant,
    "revokeOAuthGrantById": _one_grant,
}
