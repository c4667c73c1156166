"""Invitations: the mail, the page, the account that somebody new gets, and whom the page refuses."""

from __future__ import annotations

import pytest

from app.domain.accounts import sign_in_links
from app.domain.organizations import users
from tests import make
from tests.accounts.web_client import OURS, ask_for_link, forms, send, visit, who
from tests.cast import Cast
from tests.mail_server import Mailbox, link_in, text_of


def invited(cast: Cast, email: str, **more: object) -> str:
    """The path of the page of a new invitation."""
    made = cast.ada.post(f"/v1/orgs/{cast.organization}/invites", {"emails": [email], **more})
    assert made.status_code == 200, made.text
    address: str = made.json()["invited"][0]["urls"]["app"]
    return address.removeprefix(cast.instance.base)


def test_somebody_new_gets_an_account_and_arrives(cast: Cast, mailbox: Mailbox) -> None:
    email = f"new.person@{cast.domain}"
    path = invited(cast, email, role="edit")
    mail = mailbox.newest(email)
    assert "invites you to Analytical Engines" in mail["Subject"]
    assert "Ada" in text_of(mail)
    with visit(cast.instance) as browser:
        page = browser.get(link_in(mail))
        assert forms(page)[0].fields["name"] == "New Person"
        done = send(browser, page, name="Nell Person")
        assert done.headers["location"] == cast.instance.base + path
        there = browser.get(path)
        assert "as an editor" in there.text
        joined = send(browser, there)
        assert "You belong to Analytical Engines now" in joined.text
        mine = browser.get("/v1/orgs", headers={"Accept": "application/json", **OURS}).json()["items"]
        assert [each["id"] for each in mine] == [cast.organization]
        assert browser.get(path).status_code == 404  # accepted
        assert browser.get(link_in(mail)).status_code == 404


def test_who_has_an_account_signs_in_to_accept(cast: Cast, mailbox: Mailbox) -> None:
    other = make.cast(cast.instance)
    path = invited(other, cast.ed.email)
    with visit(cast.instance) as browser:
        page = browser.get(link_in(mailbox.newest(cast.ed.email)))
        assert (page.status_code, page.headers["location"]) == (303, cast.instance.base + path)
        asking = browser.get(path)
        send(browser, asking)
        link = link_in(mailbox.newest(cast.ed.email, 2))
        assert send(browser, browser.get(link)).headers["location"] == cast.instance.base + path
        assert "as a reader" in browser.get(path).text
        assert send(browser, browser.get(path)).status_code == 200
        assert who(browser) == cast.ed.email


def test_the_page_refuses_everybody_else(cast: Cast) -> None:
    path = invited(cast, f"new@{cast.domain}")
    with visit(cast.instance) as browser:
        link = cast.instance.inside(lambda cx: sign_in_links.create(cx, cast.sol.email))
        send(browser, browser.get(link))
        page = browser.get(path)
        assert "for another address" in page.text
        assert browser.post(path, headers=OURS).status_code == 404
        assert browser.post(path, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_an_invite_link_lets_a_stranger_make_an_account(cast: Cast, mailbox: Mailbox) -> None:
    cast.ada.patch(f"/v1/orgs/{cast.organization}", {"inviteLinks": True})
    made = cast.ada.post(f"/v1/orgs/{cast.organization}/link-invites", {"role": "read"}).json()
    path = made["urls"]["app"].removeprefix(cast.instance.base)
    stranger = f"stranger@{cast.domain}"
    with visit(cast.instance) as browser:
        send(browser, browser.get(path), email=stranger)
        done = send(browser, browser.get(link_in(mailbox.newest(stranger))), name="Stranger")
        assert done.headers["location"] == cast.instance.base + path
        assert send(browser, browser.get(path)).status_code == 200
        assert who(browser) == stranger


def test_a_withdrawn_invitation_opens_nothing(cast: Cast, mailbox: Mailbox) -> None:
    email = f"late@{cast.domain}"
    path = invited(cast, email)
    link = link_in(mailbox.newest(email))
    cast.ada.delete(f"/v1/orgs/{cast.organization}/invites/{path.rpartition('/')[2]}")
    with visit(cast.instance) as browser:
        assert browser.get(path).status_code == 404
        assert send(browser, browser.get(link), name="Late").status_code == 404
        assert who(browser) is None


def test_the_link_of_an_invitation_signs_nobody_in_who_has_an_account_by_now(
    cast: Cast, mailbox: Mailbox
) -> None:
    """They prove who they are as at any other time: who got hold of the mail is not let into an account."""
    email = f"quick@{cast.domain}"
    invited(cast, email)
    with visit(cast.instance) as browser:
        page = browser.get(link_in(mailbox.newest(email)))
        cast.instance.inside(lambda cx: users.create(cx, email, "Quick"))
        assert send(browser, page, name="Somebody").status_code == 404
        assert who(browser) is None


@pytest.mark.parametrize("name", ["", " ", "x" * 65])
def test_an_account_needs_a_name(cast: Cast, mailbox: Mailbox, name: str) -> None:
    email = f"noname@{cast.domain}"
    invited(cast, email)
    with visit(cast.instance) as browser:
        page = browser.get(link_in(mailbox.newest(email)))
        refused = send(browser, page, name=name)
        assert refused.status_code == 400
        assert "1 to 64 characters" in refused.text
        assert send(browser, page, name="Ann Name").status_code == 303  # the link was not used up


def test_titles_are_text_on_the_page_and_in_the_mail(cast: Cast, mailbox: Mailbox) -> None:
    cast.ada.patch(f"/v1/orgs/{cast.organization}", {"title": "<script>alert(1)</script>"})
    email = f"markup@{cast.domain}"
    path = invited(cast, email)
    mail = mailbox.newest(email)
    html = mail.get_body(("html",))
    assert html is not None
    with visit(cast.instance) as browser:
        for text in (browser.get(path).text, html.get_content()):
            assert "<script" not in text
            assert "&lt;script&gt;" in text


def test_asking_for_a_link_on_the_page_of_an_invitation_that_is_none_sends_nothing(
    cast: Cast, mailbox: Mailbox
) -> None:
    stranger = f"nobody@{cast.domain}"
    with visit(cast.instance) as browser:
        ask_for_link(browser, stranger, f"/o/{cast.organization}/invite/doesNotExist")
        ask_for_link(browser, cast.ed.email)
    mailbox.newest(cast.ed.email)
    assert mailbox.to(stranger) == []
