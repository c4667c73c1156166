"""Notifications by mail: mentions, review requests, digests, and how people end them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import func, or_, select, update

from app.access.context import Context
from app.domain import jobs, notifications
from app.domain.notifications import due
from app.kit.database.columns import Instant
from app.kit.database.statements import command, given, rows, table
from app.models.jobs import Job
from app.models.notifications import Notification
from tests import make
from tests.cast import Cast, Person
from tests.factories import grants
from tests.mail_server import Mailbox, text_of
from tests.timing import until

PREFERENCES = "/v1/user/notification-preferences"
KINDS = ("send_mail", notifications.TELL)
NOTIFICATIONS, JOBS = table(Notification), table(Job)
_NOW = command(
    lambda: (
        update(NOTIFICATIONS)
        .values(due_at=given("now", Instant()))
        .where(NOTIFICATIONS.c.user_id == given("user"))
    )
)
_LEFT = rows(
    lambda: select(func.count().label("count")).where(
        or_(*(JOBS.c.kind == kind for kind in KINDS)),
        or_(JOBS.c.state == "waiting", JOBS.c.state == "running"),
    )
)


def idle(cast: Cast) -> None:
    """Wait until everybody was told what is due."""
    until(lambda: cast.instance.opened(lambda db: db.all(_LEFT))[0].count == 0, "people are not told")


def mentioned(by: Person, person: Person, space: str, text: str = "please look") -> str:
    """The id of a comment that mentions somebody."""
    said = f"[@Somebody](mention://{person.id}) {text}"
    answer = by.post(f"/v1/spaces/{space}/comments", {"body": {"markdown": said}})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


def prefers(person: Person, **deliveries: str) -> dict[str, Any]:
    """Return what somebody is told of from now on."""
    answer = person.patch(PREFERENCES, deliveries)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def stop_address(mail: Any) -> str:
    """The path by which a mail is ended, as its header says."""
    return "/unsubscribe" + str(mail["List-Unsubscribe"]).strip("<>").partition("/unsubscribe")[2]


@pytest.fixture
def space(cast: Cast) -> str:
    return str(make.space(cast.ada, cast.organization, title="Lamps")["id"])


def test_who_is_mentioned_is_told_once(cast: Cast, mailbox: Mailbox, space: str) -> None:
    comment = mentioned(cast.tom, cast.ed, space, "look at <b>this</b>")
    mail = mailbox.newest(cast.ed.email)
    assert mail["Subject"] == "Tom mentioned you in Lamps"
    assert {part.get_content_type() for part in mail.iter_parts()} == {"text/plain", "text/html"}
    assert f"/o/{cast.organization}/s/{space}/~/comments?comment={comment}" in text_of(mail)
    html: Any = mail.get_body(("html",))
    assert "<b>" not in html.get_content()
    edited = {"body": {"markdown": f"[@E](mention://{cast.ed.id}) and [@R](mention://{cast.rhea.id})"}}
    assert cast.tom.put(f"/v1/spaces/{space}/comments/{comment}", edited).status_code == 200
    mailbox.newest(cast.rhea.email)
    mentioned(cast.ed, cast.ed, space)
    idle(cast)
    assert len(mailbox.to(cast.ed.email)) == 1, "neither again, nor of what they did"


def test_a_reply_and_a_review_request_are_told(cast: Cast, mailbox: Mailbox, space: str) -> None:
    request = make.change_request(cast.ed, space, subject="Brighter")
    asked = f"/v1/spaces/{space}/change-requests/{request['id']}/requested-reviewers"
    for _ in range(2):
        assert cast.ed.post(asked, {"users": [cast.rhea.id]}).status_code == 200
    mail = mailbox.newest(cast.rhea.email)
    assert mail["Subject"] == "Ed asks you to review “Brighter” in Lamps"
    assert f"/o/{cast.organization}/s/{space}/~/changes/{request['number']}" in text_of(mail)
    comment = cast.tom.post(f"/v1/spaces/{space}/comments", {"body": {"markdown": "Why?"}}).json()["id"]
    said = {"body": {"markdown": f"Ask [@C](mention://{cast.cleo.id})"}}
    assert cast.ed.post(f"/v1/spaces/{space}/comments/{comment}/replies", said).status_code == 200
    assert mailbox.newest(cast.cleo.email)["Subject"] == "Ed mentioned you in Lamps"
    idle(cast)
    assert len(mailbox.to(cast.rhea.email)) == 1


def test_a_description_tells_whom_it_mentions_and_once(cast: Cast, mailbox: Mailbox, space: str) -> None:
    said = f"[@E](mention://{cast.ed.id}) knows, a [@stranger](mention://{cast.sol.id}) does not."
    request = make.change_request(cast.ada, space, description={"markdown": said})
    place = f"/v1/spaces/{space}/change-requests/{request['id']}"
    mail = mailbox.newest(cast.ed.email)
    assert mail["Subject"] == "Ada mentioned you in Lamps"
    assert f"/o/{cast.organization}/s/{space}/~/changes/{request['number']}\r\n" in text_of(mail)
    assert "@E knows, a @stranger does not." in text_of(mail)
    more = {"description": {"markdown": f"{said} [@R](mention://{cast.rhea.id}) does."}}
    assert cast.ada.patch(place, more).status_code == 200
    mailbox.newest(cast.rhea.email)
    asked = {"users": [cast.rhea.id], "description": {"markdown": f"Ask [@C](mention://{cast.cleo.id})."}}
    assert cast.ada.post(f"{place}/requested-reviewers", asked).status_code == 200
    mailbox.newest(cast.cleo.email)
    idle(cast)
    assert [len(mailbox.to(each.email)) for each in (cast.ed, cast.sol, cast.rhea)] == [1, 0, 2]


def test_a_mention_that_left_the_description_is_not_told(cast: Cast, mailbox: Mailbox, space: str) -> None:
    prefers(cast.ed, mentions="daily")
    said = {"markdown": f"[@E](mention://{cast.ed.id})"}
    request = make.change_request(cast.ada, space, description=said)
    place = f"/v1/spaces/{space}/change-requests/{request['id']}"
    assert cast.ada.patch(place, {"description": None}).status_code == 200
    told_later(cast, cast.ed)
    assert mailbox.to(cast.ed.email) == []


def told_later(cast: Cast, person: Person) -> None:
    """Let the time of somebody's digest come."""

    async def come(cx: Context) -> None:
        await cx.tx.run(_NOW, now=cx.now, user=person.id)
        await jobs.enqueue(cx, notifications.TELL, person.id, jobs.INSTALLATION, due_at=cx.now)

    cast.instance.inside(come)
    cast.instance.look_for_jobs()
    until(lambda: not waiting(cast, person), "the digest is not sent")
    idle(cast)


def waiting(cast: Cast, person: Person) -> list[Any]:
    """Return what somebody is to be told."""
    of_person = rows(lambda: select(*NOTIFICATIONS.c).where(NOTIFICATIONS.c.user_id == given("user")))
    return cast.instance.opened(lambda db: db.all(of_person, user=person.id))


def test_a_digest_tells_everything_in_one_mail(cast: Cast, mailbox: Mailbox, space: str) -> None:
    prefers(cast.ed, mentions="daily")
    for text in ("one", "two", "three"):
        mentioned(cast.tom, cast.ed, space, text)
    idle(cast)
    assert mailbox.to(cast.ed.email) == []
    assert len(waiting(cast, cast.ed)) == 3
    told_later(cast, cast.ed)
    mail = mailbox.newest(cast.ed.email)
    assert mail["Subject"] == "3 notifications"
    assert all(text in text_of(mail) for text in ("one", "two", "three"))
    assert len(mailbox.to(cast.ed.email)) == 1


@pytest.mark.parametrize("way", ["hidden", "left", "disabled", "deleted", "comment", "edited"])
def test_nobody_is_told_of_what_they_may_not_see(cast: Cast, mailbox: Mailbox, space: str, way: str) -> None:
    prefers(cast.ed, mentions="daily")
    comment = mentioned(cast.tom, cast.ed, space, "a secret")
    member = f"/v1/orgs/{cast.organization}/members/{cast.ed.id}"
    done = {
        "hidden": lambda: cast.ada.patch(f"/v1/spaces/{space}", {"defaultLevel": None}),
        "left": lambda: cast.ed.delete(member),
        "disabled": lambda: cast.ada.patch(member, {"disabled": True}),
        "deleted": lambda: cast.ada.delete(f"/v1/spaces/{space}"),
        "comment": lambda: cast.tom.delete(f"/v1/spaces/{space}/comments/{comment}"),
        "edited": lambda: cast.tom.put(
            f"/v1/spaces/{space}/comments/{comment}", {"body": {"markdown": "Never mind."}}
        ),
    }[way]()
    assert done.status_code < 300, done.text
    told_later(cast, cast.ed)
    assert mailbox.to(cast.ed.email) == []


def test_a_guest_without_a_grant_is_not_told(cast: Cast, mailbox: Mailbox, space: str) -> None:
    mentioned(cast.tom, cast.gus, space)
    idle(cast)
    assert mailbox.to(cast.gus.email) == []
    grants.grant(cast.ada, f"/v1/spaces/{space}", "read", users=[cast.gus])
    mentioned(cast.tom, cast.gus, space)
    mailbox.newest(cast.gus.email)


def test_one_click_ends_mail_of_a_kind_without_signing_in(cast: Cast, mailbox: Mailbox, space: str) -> None:
    mentioned(cast.tom, cast.ed, space)
    mail = mailbox.newest(cast.ed.email)
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    path, http = stop_address(mail), cast.instance.http
    assert path in text_of(mail)
    page = http.get(path)
    assert (page.status_code, "Unsubscribe" in page.text) == (200, True)
    assert prefers(cast.ed)["mentions"] == "immediately", "looking changes nothing"
    done = http.post(
        path,
        data={"List-Unsubscribe": "One-Click"},
        headers={"Origin": "https://mail.example", "Sec-Fetch-Site": "cross-site"},
    )
    assert done.status_code == 200
    assert (prefers(cast.ed)["mentions"], prefers(cast.ed)["reviewRequests"]) == ("never", "immediately")
    mentioned(cast.tom, cast.ed, space)
    idle(cast)
    assert len(mailbox.to(cast.ed.email)) == 1


def test_an_address_for_somebody_else_is_none(cast: Cast, mailbox: Mailbox, space: str) -> None:
    mentioned(cast.tom, cast.ed, space)
    path = stop_address(mailbox.newest(cast.ed.email))
    forged = [
        path.replace(cast.ed.id, cast.ada.id),
        path.replace("/mentions/", "/review_requests/"),
        path.replace("/mentions/", "/invitations/"),
        path[:-1],
    ]
    for wrong in forged:
        assert cast.instance.http.get(wrong).status_code == 404, wrong
        assert cast.instance.http.post(wrong).status_code == 404, wrong
    assert prefers(cast.ada)["mentions"] == "immediately"


def test_preferences_are_the_same_on_both_faces(cast: Cast) -> None:
    asked = "{ me { notificationPreferences { mentions reviewRequests invitations } } }"
    before = cast.ed.ask(asked)["me"]["notificationPreferences"]
    assert before == dict.fromkeys(("mentions", "reviewRequests", "invitations"), "IMMEDIATELY")
    shown = "notificationPreferences { mentions reviewRequests }"
    made = cast.ed.mutate("updateNotificationPreferences", shown, reviewRequests="WEEKLY")
    assert made["notificationPreferences"] == {"mentions": "IMMEDIATELY", "reviewRequests": "WEEKLY"}
    assert cast.ed.get(PREFERENCES).json()["reviewRequests"] == "weekly"
    assert cast.ed.patch(PREFERENCES, {"invitations": "daily"}).status_code == 400
    assert cast.ed.patch(PREFERENCES, {"mentions": None}).status_code == 400
    assert cast.ria.get(PREFERENCES).json()["reviewRequests"] == "immediately"
    narrow = make.token(cast.ed, scopes=["read", "write"])
    assert narrow.patch(PREFERENCES, {"mentions": "never"}).status_code == 403


def test_an_invitation_is_not_mailed_to_who_wants_none(cast: Cast, mailbox: Mailbox) -> None:
    prefers(cast.sol, invitations="never")
    invites = f"/v1/orgs/{cast.organization}/invites"
    other = make.somebody(cast.instance, "uma", domain=cast.domain)
    assert cast.ada.post(invites, {"emails": [cast.sol.email, other.email]}).status_code == 200
    mailbox.newest(other.email)
    idle(cast)
    assert mailbox.to(cast.sol.email) == []


@pytest.mark.parametrize(
    ("delivery", "now", "then"),
    [
        ("immediately", (23, 5, 0), (23, 5, 0)),
        ("daily", (23, 5, 59), (23, 6, 0)),
        ("daily", (23, 6, 0), (24, 6, 0)),
        ("weekly", (23, 5, 59), (23, 6, 0)),  # a Monday
        ("weekly", (23, 6, 0), (30, 6, 0)),
        ("weekly", (29, 12, 0), (30, 6, 0)),
    ],
)
def test_digests_are_due_in_the_morning(
    delivery: str, now: tuple[int, int, int], then: tuple[int, int, int]
) -> None:
    assert due(datetime(2026, 11, *now, tzinfo=UTC), delivery) == datetime(2026, 11, *then, tzinfo=UTC)


def test_nothing_is_due_never() -> None:
    assert due(datetime(2026, 11, 23, tzinfo=UTC), "never") is None
