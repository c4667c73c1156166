"""Signing in with a passkey, and all that an answer of a device must not do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from app.cli import main
from app.domain.accounts import sign_in_links
from app.kit.database.statements import command, table
from app.models.accounts import PasskeyChallenge
from tests import make
from tests.accounts.authenticator import PRESENT, Device
from tests.accounts.web_client import OURS, send, visit, who
from tests.cast import Cast
from tests.instance import Instance, running
from tests.mail_server import Mailbox


@pytest.fixture(scope="module")
def instance(new_database: Callable[[], str], mailbox: Mailbox) -> Iterator[Instance]:
    """The product under a name, as passkeys need one."""
    with running(new_database(), base_url="http://localhost:{port}", **mailbox.settings()) as instance:
        yield instance


@pytest.fixture
def cast(instance: Instance) -> Cast:
    return make.cast(instance)


@contextmanager
def page(cast: Cast) -> Iterator[httpx.Client]:
    """A browser that runs scripts of the server's pages."""
    with visit(cast.instance) as browser:
        browser.base_url = httpx.URL(cast.instance.settings.base_url)
        yield browser


def post(browser: httpx.Client, path: str, **body: Any) -> httpx.Response:
    return browser.post(path, json=body, headers=OURS)


@pytest.fixture
def device(cast: Cast) -> Device:
    """A device with a passkey of Ed's."""
    made = Device(cast.instance.settings.base_url, "localhost")
    with page(cast) as browser:
        link = cast.instance.inside(lambda cx: sign_in_links.create(cx, cast.ed.email))
        assert send(browser, browser.get(link)).status_code in (200, 303)
        options = post(browser, "/account/passkeys/options").json()
        added = post(browser, "/account/passkeys", name="Key", answer=made.create(options))
        assert added.status_code == 200, added.text
    return made


def options_of(browser: httpx.Client) -> dict[str, Any]:
    """Return what a browser asks a device with to sign in."""
    found: dict[str, Any] = post(browser, "/sign-in/passkey/options").json()
    return found


def test_a_passkey_signs_in_once_for_each_challenge(cast: Cast, device: Device) -> None:
    with page(cast) as browser:
        answer = device.get(options_of(browser))
        assert post(browser, "/sign-in/passkey", answer=answer).status_code == 200
        assert who(browser) == cast.ed.email
    with page(cast) as again:
        assert post(again, "/sign-in/passkey", answer=answer).status_code == 403
        assert who(again) is None


def test_a_challenge_counts_in_the_browser_that_got_it(cast: Cast, device: Device) -> None:
    with page(cast) as browser, page(cast) as other:
        options_of(other)
        answer = device.get(options_of(browser))
        assert post(other, "/sign-in/passkey", answer=answer).status_code == 403
        assert who(other) is None


def test_a_challenge_of_somebody_signed_in_adds_no_passkey_for_others(cast: Cast, device: Device) -> None:
    with page(cast) as browser:
        answer = device.get(options_of(browser))
        link = cast.instance.inside(lambda cx: sign_in_links.create(cx, cast.ria.email))
        send(browser, browser.get(link))
        assert post(browser, "/account/passkeys", name="Key", answer=answer).status_code == 403
        assert cast.ria.get("/v1/user/passkeys").json()["items"] == []


def test_a_challenge_is_good_for_some_minutes(cast: Cast, device: Device) -> None:
    async def late(cx: Any) -> None:
        past = {"expires_at": cx.now - timedelta(seconds=1)}
        await cx.tx.run(command(lambda: update(table(PasskeyChallenge)).values(past)))

    with page(cast) as browser:
        answer = device.get(options_of(browser))
        cast.instance.inside(late)
        assert post(browser, "/sign-in/passkey", answer=answer).status_code == 403


def test_the_page_the_owner_and_the_key_must_be_the_right_ones(cast: Cast, device: Device) -> None:
    with page(cast) as browser:

        def status(answer: dict[str, Any]) -> int:
            return post(browser, "/sign-in/passkey", answer=answer).status_code

        assert status(device.get(options_of(browser), flags=PRESENT)) == 403, "its owner was not verified"
        assert status({**device.get(options_of(browser)), "id": "bm9ib2R5"}) == 403
        device.origin, ours = "https://evil.example", device.origin
        assert status(device.get(options_of(browser))) == 403
        device.origin, device.user = ours, b"somebody else"
        assert status(device.get(options_of(browser))) == 403
        assert who(browser) is None


def test_a_copy_of_a_device_that_has_signed_less_is_refused(cast: Cast, device: Device) -> None:
    with page(cast) as browser:
        device.counter = 7
        assert post(browser, "/sign-in/passkey", answer=device.get(options_of(browser))).status_code == 200
    with page(cast) as browser:
        device.counter = 3
        assert post(browser, "/sign-in/passkey", answer=device.get(options_of(browser))).status_code == 403


def test_an_operator_deletes_the_passkey_of_a_lost_device(
    cast: Cast, device: Device, capsys: pytest.CaptureFixture[str]
) -> None:
    on = ["--database", cast.instance.settings.database]
    assert main(["passkey", "list", cast.ed.email, *on]) == 0
    (row,) = re.findall(r"^(\w{20}) +Key ", capsys.readouterr().out, re.MULTILINE)
    assert main(["passkey", "delete", row, "--user", cast.tom.email, *on]) == 1
    assert main(["passkey", "delete", row, "--user", cast.ed.email, *on]) == 0
    events = cast.ada.get(f"/v1/orgs/{cast.organization}/audit-events").json()["items"]
    assert [
        (event["actor"]["type"], event["subject"]["id"])
        for event in events
        if event["action"] == "docyard passkey delete"
    ] == [("operator", row)]
    with page(cast) as browser:
        answer = device.get(options_of(browser))
        assert post(browser, "/sign-in/passkey", answer=answer).status_code == 403
