"""Signing in by a link that is sent by mail, and all that a link must not do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import func, select, update

from app.access.context import Context
from app.domain import mail
from app.domain.accounts import sign_in_links
from app.kit.database.statements import command, rows, table
from app.kit.signing import token_hash
from app.models.access import Token
from app.models.accounts import SignInLink
from app.models.jobs import Job, OutgoingMail
from tests import make
from tests.accounts.web_client import OURS, ask_for_link, forms, send, visit, who
from tests.cast import Cast
from tests.contract.second_process import staged
from tests.contract.statements import noting
from tests.instance import Instance, running
from tests.mail_server import Mailbox, link_in, text_of
from tests.timing import until

NO_ADDRESSES = ("", "ada", "ada@", "ada@example", "a b@example.org", "a@b.c\r\nBcc: x@y.z")
NO_PATHS = ("https://evil.example", "//evil.example", "/\\evil.example", "javascript:x", "/a b")
FOREIGN: tuple[dict[str, str], ...] = (
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "https://evil.example"},
    {},
)
SIGN_IN_LINKS, JOBS, TOKENS = table(SignInLink), table(Job), table(Token)
_ASKED = rows(
    lambda: select(func.count().label("count")).where(
        JOBS.c.kind == sign_in_links.SEND, JOBS.c.state != "failed"
    )
)


def idle(instance: Instance) -> None:
    """Wait until every link that was asked for is sent, or found to be for nobody."""
    until(lambda: instance.opened(lambda db: db.all(_ASKED))[0].count == 0, "links are not sent")


def test_a_link_signs_in_who_asked_for_it_once(cast: Cast, mailbox: Mailbox) -> None:
    with visit(cast.instance) as browser:
        asked = ask_for_link(browser, cast.ed.email.upper(), "/graphql")
        assert "Check your mail" in asked.text
        mail = mailbox.newest(cast.ed.email)
        assert mail["From"] == "Docyard <docs@example.org>"
        assert mail["Auto-Submitted"] == "auto-generated"
        assert {part.get_content_type() for part in mail.iter_parts()} == {"text/plain", "text/html"}
        page = browser.get(link_in(mail))
        assert browser.get(link_in(mail)).status_code == 200  # looking uses nothing up
        assert cast.ed.email in page.text
        assert who(browser) is None
        done = send(browser, page)
        assert (done.status_code, done.headers["location"]) == (303, f"{cast.instance.base}/graphql")
        cookie = next(c for c in done.headers.get_list("set-cookie") if c.startswith("docyard_session"))
        assert "HttpOnly" in cookie
        assert "samesite=lax" in cookie.lower()
        assert who(browser) == cast.ed.email
        again = send(browser, page)
        assert again.status_code == 404
        assert "already been used" in again.text
        assert browser.get("/sign-in").text.count(cast.ed.email) == 1
        out = browser.post("/sign-out", headers=OURS)
        assert out.status_code == 200
        assert who(browser) is None


def test_a_link_works_only_in_the_browser_that_asked(cast: Cast, mailbox: Mailbox) -> None:
    with visit(cast.instance) as browser, visit(cast.instance) as other:
        ask_for_link(browser, cast.ed.email)
        link = link_in(mailbox.newest(cast.ed.email))
        refused = send(other, other.get(link))
        assert refused.status_code == 403
        assert "browser in which you asked" in refused.text
        assert who(other) is None
        assert send(browser, browser.get(link)).status_code == 303  # the attempt used nothing up
        assert who(browser) == cast.ed.email


def test_a_link_ends_after_ten_minutes(cast: Cast) -> None:
    link = cast.instance.inside(lambda cx: sign_in_links.create(cx, cast.ed.email))
    code = link.rpartition("=")[2]
    with visit(cast.instance) as browser:
        page = browser.get(link)
        row = cast.instance.opened(lambda db: db.first(sign_in_links._LINK, hash=token_hash(code)))
        assert row is not None
        assert row.expires_at - row.created_at == timedelta(minutes=10)
        past = {"expires_at": row.created_at - timedelta(seconds=1)}
        cast.instance.inside(lambda cx: cx.tx.put(SignInLink, past, hash=token_hash(code)))
        assert send(browser, page).status_code == 404
        assert browser.get(link).status_code == 404
        assert who(browser) is None


def test_a_session_ends_that_was_not_used_for_days(cast: Cast) -> None:
    days = cast.instance.settings.session_idle_days

    def unused_for(**time: float) -> None:
        async def put(cx: Context) -> None:
            past = cx.now - timedelta(**time)
            unused = (
                update(TOKENS).where(TOKENS.c.kind == "session").values(last_used_at=past, created_at=past)
            )
            await cx.tx.run(command(lambda: unused))

        cast.instance.inside(put)

    with visit(cast.instance) as browser:
        link = cast.instance.inside(lambda cx: sign_in_links.create(cx, cast.ed.email))
        assert send(browser, browser.get(link)).status_code == 303
        unused_for(hours=24 * days - 1)
        assert who(browser) == cast.ed.email
        assert browser.get("/v1/user", headers=OURS).status_code == 200
        unused_for(hours=24 * days + 1)
        assert who(browser) is None
        assert browser.get("/v1/user", headers=OURS).status_code == 401


def test_a_guessed_or_changed_code_is_not_found(cast: Cast) -> None:
    link = cast.instance.inside(lambda cx: sign_in_links.create(cx, cast.ed.email))
    with visit(cast.instance) as browser:
        page = browser.get(link)
        for code in ("", "dcl_", link.rpartition("=")[2][:-1] + "~", "x" * 5000):
            assert send(browser, page, code=code).status_code == 404
            assert browser.get("/sign-in/link", params={"code": code}).status_code == 404
        assert who(browser) is None


def test_nobody_learns_who_has_an_account(cast: Cast, mailbox: Mailbox) -> None:
    unknown = f"nobody.{cast.ed.email}"
    with visit(cast.instance) as browser:
        said = {
            email: re.sub(re.escape(email), "…", ask_for_link(browser, email).text)
            for email in (cast.ed.email, unknown)
        }
        assert said[cast.ed.email] == said[unknown]
        mailbox.newest(cast.ed.email)
        idle(cast.instance)
        assert mailbox.to(unknown) == []


def test_asking_does_the_same_for_every_address(cast: Cast) -> None:
    """So that the time of the answer tells nothing: a job finds out who has an account."""
    ran: dict[str, list[str]] = {}
    with staged(cast.instance) as stage:
        for email in ("warm.up@example.org", cast.ed.email, f"nobody.{cast.ed.email}"):
            with noting() as ran[email]:
                stage.inside(partial(sign_in_links.ask, email=email, browser="a browser", path=""))
    _, known, unknown = ran.values()
    assert known == unknown != []


def test_asking_is_limited_for_an_address_known_or_not(cast: Cast, mailbox: Mailbox) -> None:
    for email in (cast.ed.email, f"nobody.{cast.ed.email}"):
        with visit(cast.instance) as browser:
            statuses = [ask_for_link(browser, email).status_code for _ in range(7)]
        assert statuses == [200] * 5 + [429] * 2
    idle(cast.instance)
    until(lambda: len(mailbox.to(cast.ed.email)) == 5, "five links")


@pytest.mark.parametrize("email", NO_ADDRESSES)
def test_what_is_no_address_is_refused(instance: Instance, email: str) -> None:
    with visit(instance) as browser:
        answer = ask_for_link(browser, email)
    assert answer.status_code == 400
    assert "not an e-mail address" in answer.text


@pytest.mark.parametrize("path", NO_PATHS)
def test_the_way_on_is_a_path_of_ours(cast: Cast, mailbox: Mailbox, path: str) -> None:
    before = len(mailbox.to(cast.ed.email))
    with visit(cast.instance) as browser:
        ask_for_link(browser, cast.ed.email, path)
        page = browser.get(link_in(mailbox.newest(cast.ed.email, before + 1)))
        done = send(browser, page)
        assert done.headers["location"] == f"{cast.instance.base}/"
        again = browser.get("/sign-in", params={"next": path})
        assert again.status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {},
    ],
)
def test_a_page_of_another_site_signs_nobody_in(cast: Cast, headers: dict[str, str]) -> None:
    link = cast.instance.inside(lambda cx: sign_in_links.create(cx, cast.ed.email))
    with visit(cast.instance) as browser:
        sent = {"code": link.rpartition("=")[2]}
        refused = browser.post("/sign-in/link", data=sent, headers=headers)
        assert refused.status_code == 403
        assert browser.post("/sign-in", data={"email": cast.ed.email}, headers=headers).status_code == 403
        assert who(browser) is None


def test_the_session_before_ends_and_its_secret_is_not_taken_over(cast: Cast) -> None:
    def made() -> str:
        return cast.instance.inside(lambda cx: sign_in_links.create(cx, cast.ed.email))

    with visit(cast.instance) as browser, visit(cast.instance) as thief:
        thief.cookies.set("docyard_session", "dcs_chosen-by-somebody-else", domain="127.0.0.1")
        first = send(browser, browser.get(made())).cookies["docyard_session"]
        second = send(browser, browser.get(made())).cookies["docyard_session"]
        assert first != second
        thief.cookies.set("docyard_session", first, domain="127.0.0.1")
        assert who(thief) is None
        assert who(browser) == cast.ed.email


def test_no_log_has_a_code(cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    from app.kit import logs

    link = cast.instance.inside(lambda cx: sign_in_links.create(cx, cast.ed.email))
    assert "dcl_" in link
    assert "dcl_***" in logs.masked(link) or "code=***" in logs.masked(link)
    assert link.rpartition("=")[2] not in logs.masked(f"GET {link} and {link.rpartition('=')[2]}")


def test_mail_is_not_sent_after_what_it_says_has_expired(cast: Cast, mailbox: Mailbox) -> None:
    _m = table(OutgoingMail)
    waiting = rows(lambda: select(_m.c.id))

    async def post(cx: Context) -> None:
        for subject, seconds in (("Late", -1), ("In time", 600)):
            letter = mail.Letter(subject, ["Text"])
            await mail.post(cx, cast.ed.email, letter, until=cx.now + timedelta(seconds=seconds))

    cast.instance.inside(post)
    cast.instance.look_for_jobs()
    until(lambda: not cast.instance.opened(lambda db: db.all(waiting)), "nothing waits any more")
    assert [each["Subject"] for each in mailbox.to(cast.ed.email)] == ["In time"]


def test_mail_is_sent_again_when_the_server_refuses(cast: Cast, mailbox: Mailbox) -> None:
    _m = table(OutgoingMail)
    waiting = rows(lambda: select(_m.c.id, _m.c.content))
    mailbox.refuses = 1
    with visit(cast.instance) as browser:
        ask_for_link(browser, cast.ed.email)
        kept = until(lambda: cast.instance.opened(lambda db: db.all(waiting)), "the mail waits")
        assert cast.ed.email not in str(kept[0].content)  # encrypted
        until(lambda: mailbox.refuses == 0, "the server refused")
        due = rows(lambda: select(JOBS.c.id, JOBS.c.state).where(JOBS.c.kind == mail.SEND))
        job = until(
            lambda: [j for j in cast.instance.opened(lambda db: db.all(due)) if j.state == "scheduled"],
            "again",
        )[0]
        cast.instance.inside(lambda cx: cx.tx.put(Job, {"state": "waiting"}, id=job.id))
        cast.instance.look_for_jobs()
        mailbox.newest(cast.ed.email)
        until(lambda: not cast.instance.opened(lambda db: db.all(waiting)), "nothing waits any more")


def test_without_mail_the_page_says_who_makes_a_link(
    fresh_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(fresh_database) as instance, visit(instance) as browser:
        page = browser.get("/sign-in")
        assert "docyard sign-in-link" in page.text
        assert all("email" not in form.fields for form in forms(page))


@pytest.fixture
def without_mail(fresh_database: str) -> Iterator[Cast]:
    with running(fresh_database) as instance:
        yield make.cast(instance)


def test_an_administrator_has_a_link_for_a_member(without_mail: Cast) -> None:
    cast = without_mail
    place = f"/v1/orgs/{cast.organization}/members/{cast.ed.id}/sign-in-link"
    made = cast.ada.post(place)
    assert made.status_code == 201, made.text
    for somebody in (cast.cleo, cast.ed, cast.sol):
        assert somebody.post(place).status_code in (403, 404)
    assert make.token(cast.ada, scopes=["read", "write"]).post(place).status_code == 403
    with visit(cast.instance) as browser:
        page = browser.get(made.json()["url"])
        assert who(browser) is None
        assert send(browser, page).status_code == 303
        assert who(browser) == cast.ed.email
        assert send(browser, page).status_code == 404
    (told, *_) = cast.ada.get(f"/v1/orgs/{cast.organization}/audit-events").json()["items"][1:]
    assert (told["action"], told["target"]["id"]) == ("createSignInLinkForOrganizationMember", cast.ed.id)


def test_an_administrator_has_no_link_for_who_belongs_elsewhere_or_is_out(without_mail: Cast) -> None:
    cast = without_mail
    members = f"/v1/orgs/{cast.organization}/members"
    asked = {"emails": [cast.sol.email], "role": "read"}
    (invite,) = cast.ada.post(f"/v1/orgs/{cast.organization}/invites", asked).json()["invited"]
    assert cast.sol.post(f"/v1/orgs/{cast.organization}/invites/{invite['id']}").status_code == 200
    assert cast.ada.post(f"{members}/{cast.sol.id}/sign-in-link").status_code == 409
    assert cast.ada.post(f"{members}/{cast.elsewhere}/sign-in-link").status_code == 404
    assert cast.ada.patch(f"{members}/{cast.ed.id}", {"disabled": True}).status_code == 200
    assert cast.ada.post(f"{members}/{cast.ed.id}/sign-in-link").status_code == 409
    code = cast.ada.refused("createMemberSignInLink", organization=cast.organization, user=cast.ed.id)
    assert code == "CONFLICT"


def test_an_administrator_has_no_link_where_mail_is_sent(cast: Cast) -> None:
    refused = cast.ada.post(f"/v1/orgs/{cast.organization}/members/{cast.ed.id}/sign-in-link")
    assert (refused.status_code, "sends e-mail" in refused.text) == (409, True)


def test_plain_text_says_what_html_says(cast: Cast, mailbox: Mailbox) -> None:
    with visit(cast.instance) as browser:
        ask_for_link(browser, cast.ed.email)
    mail = mailbox.newest(cast.ed.email)
    html = mail.get_body(("html",))
    assert html is not None
    assert link_in(mail) in html.get_content().replace("&amp;", "&")
    assert "10 minutes" in text_of(mail)
