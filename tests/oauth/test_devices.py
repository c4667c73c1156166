"""The device flow: what the person at the browser is told, and what guesses and haste come to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from app.models.oauth import OAuthDevice
from tests import make
from tests.cast import Cast, Person
from tests.oauth.client import Program, application, browser, error_of, hidden, later, me, text_of

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
COMMAND_LINE = {"id": "docyard-cli"}


def begin(program: Program, **sent: str) -> dict[str, Any]:
    """The codes of a device."""
    answer = program.call("device_authorization", **{"scope": "read", **sent})
    assert answer.status_code == 200, answer.text
    codes: dict[str, Any] = answer.json()
    return codes


def poll(program: Program, codes: dict[str, Any]) -> httpx.Response:
    """The device asks for its tokens."""
    return program.call("token", grant_type=GRANT, device_code=codes["device_code"])


@contextmanager
def entered(person: Person, code: str) -> Iterator[tuple[httpx.Client, httpx.Response]]:
    """The page after somebody has entered a code."""
    with browser(person) as opened:
        yield opened, opened.post("/oauth/device", data={"user_code": code})


def answered(person: Person, code: str, decision: str) -> httpx.Response:
    """The page after somebody has entered a code and answered."""
    with entered(person, code) as (opened, page):
        assert page.status_code == 200, page.text
        form = {**hidden(page), "decision": decision, "organization": ""}
        return opened.post("/oauth/device", data=form)


def test_a_command_line_signs_somebody_in(cast: Cast) -> None:
    program = Program(cast.instance, COMMAND_LINE)
    codes = begin(program, scope="read write")
    assert codes["verification_uri"] == f"{cast.instance.base}/oauth/device"
    assert error_of(poll(program, codes)) == "authorization_pending"
    assert error_of(poll(program, codes)) == "slow_down"
    typed = codes["user_code"].lower().replace("-", " ")
    assert "has access now" in text_of(answered(cast.ed, typed, "allow"))
    got = poll(program, codes).json()
    assert me(cast.instance, got["access_token"]).json()["id"] == cast.ed.id
    assert got["scope"] == "read write"
    assert error_of(poll(program, codes)) == "invalid_request", "the code is used up"
    assert program.refresh(got["refresh_token"]).status_code == 200


def test_the_page_says_who_asks_and_for_what(cast: Cast) -> None:
    program = Program(cast.instance, COMMAND_LINE)
    codes = begin(program, scope="write")
    with browser(cast.ed) as opened:
        page = opened.get(codes["verification_uri_complete"])
    said = text_of(page)
    assert codes["user_code"] in page.text
    assert "Only go on if you started this yourself" in said
    assert "Docyard command line" not in said, "an address that somebody sent shows nothing by itself"
    with entered(cast.ed, codes["user_code"]) as (_, page):
        said = text_of(page)
    for words in (
        "Docyard command line",
        "asked from 127.0.0.1",
        "Only allow this if you started it yourself just now",
        "Change everything that you can change, in your name",
        cast.ed.email,
    ):
        assert words in said
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]


def test_somebody_refuses(cast: Cast) -> None:
    program = Program(cast.instance, COMMAND_LINE)
    codes = begin(program)
    assert "got no access" in text_of(answered(cast.ed, codes["user_code"], "deny"))
    assert error_of(poll(program, codes)) == "access_denied"
    with entered(cast.ed, codes["user_code"]) as (_, page):
        assert page.status_code == 404


def test_a_code_expires(cast: Cast) -> None:
    program = Program(cast.instance, COMMAND_LINE)
    codes = begin(program)
    later(cast, OAuthDevice, "expires_at", 1)
    assert error_of(poll(program, codes)) == "expired_token"
    with entered(cast.ed, codes["user_code"]) as (_, page):
        assert page.status_code == 404


def test_codes_are_guessed_ten_times_only(cast: Cast) -> None:
    codes = begin(Program(cast.instance, COMMAND_LINE))
    nell = make.newcomer(cast, "Nell", "read")
    with browser(nell) as opened:
        statuses = [
            opened.post("/oauth/device", data={"user_code": "BBBB-BBBB"}).status_code for _ in range(11)
        ]
        assert statuses == [404] * 10 + [429]
        refused = opened.post("/oauth/device", data={"user_code": codes["user_code"]})
        assert refused.status_code == 429


def test_a_code_is_for_one_program(cast: Cast) -> None:
    codes = begin(Program(cast.instance, COMMAND_LINE))
    other = Program(cast.instance, application(cast.ada, deviceFlow=True))
    answered(cast.ed, codes["user_code"], "allow")
    assert error_of(poll(other, codes)) == "unauthorized_client"
    without = Program(cast.instance, application(cast.ada))
    refused = without.call("device_authorization", scope="read")
    assert error_of(refused) == "unauthorized_client"
    assert error_of(other.call("device_authorization", scope="nonsense")) == "invalid_scope"


def test_the_answer_counts_from_its_own_page_and_session_only(cast: Cast) -> None:
    codes = begin(Program(cast.instance, COMMAND_LINE))
    with entered(cast.ed, codes["user_code"]) as (opened, page):
        form = {**hidden(page), "decision": "allow", "organization": ""}
        foreign = opened.post("/oauth/device", data=form, headers={"Sec-Fetch-Site": "cross-site"})
        assert foreign.status_code == 403
        with browser(cast.ada) as hers:
            assert hers.post("/oauth/device", data=form).status_code == 403
        plain = {"user_code": codes["user_code"], "request": codes["user_code"], "decision": "allow"}
        assert opened.post("/oauth/device", data={**plain, "signature": "x" * 16}).status_code == 403
