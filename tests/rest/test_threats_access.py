"""Tokens, and who is believed to call (threats, 4, 45 and 46), where the matrix of rights does not tell."""

from __future__ import annotations

import asyncio
import re
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from app.access.context import Context
from app.access.rights import READING
from app.access.token_actors import PAUSE, TokenUses
from app.domain.accounts import tokens
from app.kit.callers import address_of
from app.kit.clock import utc_now
from app.kit.database.engines import open_database
from app.kit.database.statements import rows, table
from app.kit.signing import Signer, token_hash
from app.models.access import Token
from app.runtime import Runtime
from tests import make
from tests.cast import Cast
from tests.factories import comments, domains, grants
from tests.instance import running

TOKENS = table(Token)
_ALL = rows(lambda: select(*TOKENS.c))


def stored(cast: Cast) -> list[Token]:
    """The rows of all tokens, hashes included."""

    async def read(cx: Context) -> list[Token]:
        return await cx.db.all(_ALL)

    return cast.instance.inside(read)


def test_a_token_is_kept_as_a_hash_only(cast: Cast) -> None:
    rows_: list[Any] = list(stored(cast))
    kept = [value for row in rows_ for value in row if isinstance(value, str)]
    assert cast.ada.token not in " ".join(kept)
    assert token_hash(cast.ada.token) in kept


def test_a_revoked_token_is_worthless_at_once_in_a_running_server(cast: Cast) -> None:
    narrow = make.token(cast.ada)
    assert narrow.get("/v1/user").status_code == 200
    (row,) = [row for row in stored(cast) if row.hash == token_hash(narrow.token)]
    cast.instance.inside(lambda cx: tokens.revoke(cx, row.id))
    assert narrow.get("/v1/user").status_code == 401
    assert narrow.gql("{ me { id } }")["errors"][0]["extensions"]["status"] == 401


@pytest.mark.parametrize("name", ["token", "access_token", "authorization", "Authorization"])
def test_a_token_in_the_address_is_no_token(cast: Cast, name: str) -> None:
    answer = cast.instance.http.get("/v1/user", params={name: f"Bearer {cast.ada.token}"})
    assert answer.status_code == 401
    assert cast.instance.http.get("/v1/user", params={name: cast.ada.token}).status_code == 401


def test_a_token_is_in_no_line_of_the_log(cast: Cast, capfd: pytest.CaptureFixture[str]) -> None:
    cast.ada.get("/v1/user", params={"token": cast.ada.token})
    cast.ada.patch(f"/v1/orgs/{cast.organization}", {"title": cast.ada.token})
    make.space(cast.ada, cast.organization)
    logged = "".join(capfd.readouterr())
    assert cast.ada.token not in logged


def test_a_narrow_token_is_refused_with_403_and_not_401(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    reading = make.token(cast.ada, read_only=True)
    elsewhere = make.token(cast.ada, organization_id=cast.elsewhere)
    assert reading.get(f"/v1/spaces/{space}").status_code == 200
    assert reading.patch(f"/v1/spaces/{space}", {"title": "Mine"}).status_code == 403
    assert elsewhere.get(f"/v1/spaces/{space}").status_code == 403


def test_permissions_tell_what_this_token_may_do(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    comment = comments.comment(cast.ada, space)
    team = grants.team(cast.ada, cast.organization)
    reading = make.token(cast.ada, read_only=True)
    organization = f"/v1/orgs/{cast.organization}"
    for address in (
        organization,
        f"/v1/spaces/{space}",
        f"{organization}/teams/{team}",
        f"/v1/spaces/{space}/comments/{comment['id']}",
    ):
        full, narrowed = cast.ada.get(address).json(), reading.get(address).json()
        assert all(has for right, has in full["permissions"].items() if right != "restore")
        assert {right for right, held in narrowed["permissions"].items() if held} <= READING
        assert narrowed["permissions"]["view"]
        assert narrowed == full | {"permissions": narrowed["permissions"]}
    asked = "query($id: ID!) { space(id: $id) { permissions { view edit admin } } }"
    found = reading.ask(asked, id=space)["space"]["permissions"]
    assert found == {"view": True, "edit": False, "admin": False}


def test_an_organization_that_a_token_does_not_open_permits_nothing(cast: Cast) -> None:
    organization, domain = f"/v1/orgs/{cast.organization}", cast.domain
    domains.proven(cast.ada, cast.organization, domain)
    make.provider(cast)
    (before,) = cast.cleo.get(f"/v1/email-domains/{domain}/orgs").json()["organizations"]
    assert before["permissions"]["createContent"]
    assert cast.ada.post(f"{organization}/members/{cast.cleo.id}/sso").status_code == 200
    (after,) = cast.cleo.get(f"/v1/email-domains/{domain}/orgs").json()["organizations"]
    assert set(after["permissions"].values()) == {False}


def test_the_rate_limit_is_the_tokens_whatever_a_request_says_of_itself(
    cast: Cast, instance_with_limit: str
) -> None:
    forged = [
        {"X-Forwarded-For": f"198.51.100.{n}", "X-User-Id": cast.ria.id, "Forwarded": f"for=198.51.100.{n}"}
        for n in range(6)
    ]
    with running(instance_with_limit, rate_limit=3) as limited:
        first, other = make.cast(limited), make.cast(limited)
        began = time.monotonic()
        statuses = [first.ada.get("/v1/user", headers=headers).status_code for headers in forged]
        earned = (time.monotonic() - began) / 20  # one call more for every third of a minute
        assert statuses[:3] == [200] * 3
        assert set(statuses) <= {200, 429}
        assert statuses.count(200) <= 3 + earned
        assert other.ada.get("/v1/user").status_code == 200


@pytest.fixture
def instance_with_limit(tmp_path: Path) -> str:
    """A database of its own."""
    return str(tmp_path / "limited.db")


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, None, "192.0.2.1"),
        (0, "198.51.100.7", "192.0.2.1"),
        (1, "198.51.100.7", "198.51.100.7"),
        (1, "10.9.9.9, 198.51.100.7", "198.51.100.7"),
        (2, "10.9.9.9, 198.51.100.7, 203.0.113.5", "198.51.100.7"),
        (2, "198.51.100.7", "198.51.100.7"),
        (1, "<script>", "192.0.2.1"),
        (1, None, "192.0.2.1"),
        (1, "2001:DB8::1", "2001:db8::1"),
    ],
)
def test_only_proxies_that_are_counted_are_believed(
    proxies: int, forwarded: str | None, address: str
) -> None:
    headers = [] if forwarded is None else [(b"x-forwarded-for", forwarded.encode())]
    assert address_of({"client": ("192.0.2.1", 4711), "headers": headers}, proxies) == address


def test_a_forged_address_is_not_in_the_audit_log(cast: Cast) -> None:
    body = {"title": "Handbook"}
    headers = {"X-Forwarded-For": "198.51.100.7", "Forwarded": "for=198.51.100.7"}
    made = cast.ada.post(f"/v1/orgs/{cast.organization}/spaces", body, headers=headers)
    assert made.status_code == 201
    (event,) = cast.ada.get(f"/v1/orgs/{cast.organization}/audit-events").json()["items"]
    assert event["address"] == "127.0.0.1"


def test_the_audit_log_shows_nothing_of_other_organizations(cast: Cast) -> None:
    theirs = make.space(cast.sol, cast.elsewhere, title="Hidden")["id"]
    ours = cast.ada.get(f"/v1/orgs/{cast.organization}/audit-events", params={"target": theirs})
    assert ours.json() == {"count": 0, "items": []}
    text = cast.ada.get(f"/v1/orgs/{cast.organization}/audit-events").text
    assert not re.search(f"Hidden|{theirs}|{cast.elsewhere}", text)


def test_the_time_of_use_is_kept_once_a_minute_and_no_read_writes_it(cast: Cast) -> None:
    async def use() -> list[str | None]:
        db = open_database(cast.instance.settings.database)
        now = utc_now()
        times = iter([now, now, now + PAUSE / 2, now + PAUSE, now + PAUSE])
        runtime = Runtime(db, cast.instance.settings, Signer(b""), lambda: now)
        kept = []
        try:
            for _ in range(4):
                await runtime.actor(f"Bearer {cast.ada.token}")
                at = next(times)
                if runtime.token_uses.are_due(at):
                    await runtime.token_uses.keep(db)
                (row,) = [t for t in await db.all(_ALL) if t.hash == token_hash(cast.ada.token)]
                kept.append(row.last_used_at)
        finally:
            await db.close()
        return [time and str(time == now) for time in kept]

    assert asyncio.run(use()) == [None, None, None, "True"]


def test_an_older_use_does_not_replace_a_newer_one(cast: Cast) -> None:
    now = utc_now()
    (row,) = [row for row in stored(cast) if row.hash == token_hash(cast.ria.token)]

    async def keep() -> None:
        db = open_database(cast.instance.settings.database)
        try:
            for at in (now, now - timedelta(hours=1)):
                uses = TokenUses()
                uses.note(row.id, at)
                await uses.keep(db)
        finally:
            await db.close()

    asyncio.run(keep())
    (row,) = [row for row in stored(cast) if row.hash == token_hash(cast.ria.token)]
    assert row.last_used_at == now
