"""Pings, and what the organization's key says about who is there."""

from __future__ import annotations

from typing import Any

import pytest
from joserfc import jwt
from joserfc.errors import BadSignatureError
from joserfc.jwk import OctKey
from sqlalchemy import select

from app.access.context import Context
from app.kit.database.statements import given, rows, table
from app.models.organizations import Organization
from tests.cast import Cast, Person

KEY = "a-key-of-forty-characters-that-is-secret"
ORGANIZATIONS = table(Organization)
_STORED = rows(lambda: select(ORGANIZATIONS.c.signing_key).where(ORGANIZATIONS.c.id == given("id")))


def signing_key(cast: Cast) -> str:
    return f"/v1/orgs/{cast.organization}/signing-key"


def pinged(cast: Cast, person: Person) -> dict[str, Any]:
    answer = person.post(f"/v1/orgs/{cast.organization}/ping")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def claims(cast: Cast, person: Person, key: str) -> dict[str, Any]:
    token = pinged(cast, person)["serviceVisitorClaims"]
    return dict(jwt.decode(token, OctKey.import_key(key), algorithms=["HS256"]).claims)


def test_without_a_key_a_ping_says_nothing(cast: Cast) -> None:
    assert pinged(cast, cast.gus) == {}
    assert cast.sol.post(f"/v1/orgs/{cast.organization}/ping").status_code == 404


def test_a_ping_says_who_is_there(cast: Cast) -> None:
    answer = cast.ada.put(signing_key(cast), {"key": KEY})
    assert (answer.status_code, answer.json()) == (200, {"object": "signing-key"})
    said = claims(cast, cast.ed, KEY)
    assert said.pop("exp") - said.pop("iat") == 3600
    assert said == {
        "sub": cast.ed.id,
        "email": cast.ed.email,
        "name": "Ed",
        "role": "edit",
        "organization": cast.organization,
    }
    assert "role" not in claims(cast, cast.gus, KEY)


def test_a_key_that_is_made_is_told_once(cast: Cast) -> None:
    made = cast.ada.put(signing_key(cast), {}).json()["key"]
    assert claims(cast, cast.ria, made)["sub"] == cast.ria.id
    other = cast.ada.put(signing_key(cast), {}).json()["key"]
    assert other != made
    with pytest.raises(BadSignatureError):
        claims(cast, cast.ria, made)
    assert made not in cast.ada.get(f"/v1/orgs/{cast.organization}").text
    assert cast.ada.get(signing_key(cast)).status_code == 405


def test_the_key_is_not_in_the_database_as_it_is(cast: Cast) -> None:
    async def stored(cx: Context) -> str:
        return str((await cx.db.all(_STORED, id=cast.organization))[0].signing_key)

    assert cast.ada.put(signing_key(cast), {"key": KEY}).status_code == 200
    first = cast.instance.inside(stored)
    assert KEY not in first
    assert cast.ada.put(signing_key(cast), {"key": KEY}).status_code == 200
    assert cast.instance.inside(stored) != first


def test_a_removed_key_signs_nothing(cast: Cast) -> None:
    cast.ada.put(signing_key(cast), {"key": KEY})
    for _ in range(2):
        assert cast.ada.delete(signing_key(cast)).status_code == 205
    assert pinged(cast, cast.ed) == {}


@pytest.mark.parametrize("role", ["create", "review", "edit", "comment", "read", "guest"])
def test_only_an_administrator_sets_the_key(cast: Cast, role: str) -> None:
    person = cast.members[role]
    assert person.put(signing_key(cast), {"key": KEY}).status_code == 403
    assert person.delete(signing_key(cast)).status_code == 403
    assert cast.sol.put(signing_key(cast), {"key": KEY}).status_code == 404


@pytest.mark.parametrize("key", ["short", "x" * 257, None, " " * 40, "ä" * 40])
def test_a_bad_key_is_refused(cast: Cast, key: str | None) -> None:
    answer = cast.ada.put(signing_key(cast), {"key": key})
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == "key"
