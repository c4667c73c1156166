"""Deleting an account and exporting what is stored about a person: nothing tells who a deleted person was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import Table, select
from sqlmodel import SQLModel

from app.access.context import Context
from app.domain.accounts import sessions
from app.domain.accounts.sessions import Browser
from app.domain.audit import audit_chain, audit_verification
from app.domain.audit.audit_verification import Anchor, Check
from app.domain.infrastructure.service import audit_keys
from app.domain.organizations import users
from app.domain.privacy import personal_data
from app.domain.privacy.account_deletion import DELETED_NAME
from app.kit.database.statements import Statement, given, rows, table
from app.kit.ids import new_id
from app.models.accounts import Passkey
from app.models.audit import AuditEvent, AuditHead
from app.models.users import User
from tests import make
from tests.accounts.web_client import OURS, ask_for_link, send, visit, who
from tests.cast import Cast, Person
from tests.factories import grants
from tests.mail_server import Mailbox, link_in

AUDIT_EVENTS = table(AuditEvent)
_ALL = rows(
    lambda: (
        select(*AUDIT_EVENTS.c)
        .where(AUDIT_EVENTS.c.organization_id == given("o"))
        .order_by(AUDIT_EVENTS.c.number)
    )
)


@dataclass
class Nell:
    """A member who left traces everywhere, and what must not be found of her."""

    person: Person
    path: str
    space: str
    request: str
    words: tuple[str, ...]
    session: dict[str, str]
    cookies: Any

    def is_in(self, shown: str) -> set[str]:
        """Return what tells of her in a text."""
        return {word for word in self.words if word.lower() in shown.lower()}


@pytest.fixture
def nell(cast: Cast, mailbox: Mailbox) -> Any:
    """Signed in by mail, with a token, a passkey, a team, a grant, a comment, a review, an invite."""
    unique = new_id().lower()
    person = make.newcomer(cast, f"n{unique}", "edit")
    name, agent, address = f"Nell {unique}x", f"NellBrowser/{unique}", "198.51.100.77"
    profile = {"displayName": name, "photoURL": f"https://pictures.example/{unique}.png"}
    assert person.patch(f"/v1/users/{person.id}", profile).status_code == 200
    space = make.space(cast.ada, cast.organization)["id"]
    grants.grant(cast.ada, f"/v1/spaces/{space}", "admin", users=[person])
    assert person.patch(f"/v1/spaces/{space}", {"title": "Handbook"}).status_code == 200
    comment = {"body": {"markdown": "A thought."}}
    assert person.post(f"/v1/spaces/{space}/comments", comment).status_code == 200
    assert person.post("/v1/user/tokens", {"name": f"Laptop of {name}"}).status_code == 201
    scoped = {"name": f"{name} here", "organization": cast.organization}
    token = person.post("/v1/user/tokens", scoped).json()["token"]["id"]
    assert person.patch(f"/v1/user/tokens/{token}", {"name": f"{name} there"}).status_code == 200
    request = make.change_request(person, space)["id"]

    async def begin(cx: Context) -> str:
        await cx.tx.add(
            Passkey, id=new_id(), credential_id=new_id(), user_id=person.id, name=name, public_key=b"\x00",
            counter=0, transports=[], backed_up=False, created_at=cx.now, last_used_at=None,
        )  # fmt: skip
        user = await users.by_email(cx, person.email)
        return (await sessions.begin(cx, user, Browser(agent, address))).session

    session = {"Cookie": f"docyard_session={cast.instance.inside(begin)}", **OURS}
    with visit(cast.instance, **{"User-Agent": agent}) as browser:
        ask_for_link(browser, person.email)
        send(browser, browser.get(link_in(mailbox.newest(person.email))))
        assert who(browser) == person.email
        invites = {"emails": [person.email], "role": "read"}
        assert cast.sol.post(f"/v1/orgs/{cast.elsewhere}/invites", invites).status_code in (200, 201)
        mailbox.newest(person.email, 2)
        words = (person.email, name, agent, address, profile["photoURL"])
        yield Nell(person, f"/v1/users/{person.id}", space, request, words, session, browser)


def stored(cast: Cast) -> dict[str, str]:
    """All that the database holds, as text by table."""

    def everything(t: Table) -> Statement[Any]:
        return rows(lambda: select(*t.c))

    async def read(cx: Context) -> dict[str, str]:
        return {
            t.name: "\n".join(str(tuple(row)) for row in await cx.db.all(everything(t)))
            for t in SQLModel.metadata.sorted_tables
        }

    return cast.instance.inside(read)


def verified(cast: Cast, anchors: tuple[Anchor, ...] = ()) -> Check:
    return cast.instance.inside(lambda cx: audit_verification.verify(cx, cast.organization, anchors=anchors))


def anchored(cast: Cast) -> tuple[Anchor, ...]:
    """Every event of the log as an anchor."""
    found = cast.instance.inside(lambda cx: cx.db.all(_ALL, o=cast.organization))
    return tuple(Anchor(event.number, event.hash) for event in found)


def test_nothing_tells_who_a_deleted_person_was(cast: Cast, nell: Nell) -> None:
    before = stored(cast)
    assert nell.is_in("".join(before.values())) == set(nell.words), "the traces that the test is about"
    anchors = anchored(cast)
    assert nell.person.delete(nell.path).status_code == 205
    assert {name: found for name, rows_ in stored(cast).items() if (found := nell.is_in(rows_))} == {}
    check = verified(cast, anchors)
    assert (check.first_broken, check.events) == (None, len(anchors) + 1)
    events = cast.ada.get(f"/v1/orgs/{cast.organization}/audit-events", params={"limit": 1000})
    own = [e for e in events.json()["items"] if e["actor"].get("user", {}).get("id") == nell.person.id]
    assert own
    assert {e.get("address") for e in own} == {None}
    assert {e["actor"]["user"]["displayName"] for e in own} == {DELETED_NAME}
    last = events.json()["items"][0]
    assert (last["action"], last["subject"]) == ("deleteUserById", {"type": "user", "id": nell.person.id})
    others = [e for e in events.json()["items"] if e["actor"].get("user", {}).get("id") == cast.ada.id]
    assert {e["address"] for e in others} == {"127.0.0.1"}
    assert others[0]["subject"].get("title")


def test_what_a_deleted_person_wrote_stays_by_a_deleted_user(cast: Cast, nell: Nell) -> None:
    assert nell.person.delete(nell.path).status_code == 205
    (comment,) = cast.ada.get(f"/v1/spaces/{nell.space}/comments").json()["items"]
    assert comment["postedBy"]["displayName"] == DELETED_NAME
    assert "email" not in comment["postedBy"]
    request = cast.ada.get(f"/v1/spaces/{nell.space}/change-requests/{nell.request}").json()
    assert request["createdBy"]["displayName"] == DELETED_NAME
    members = cast.ada.get(f"/v1/orgs/{cast.organization}/members", params={"limit": 1000}).json()["items"]
    assert nell.person.id not in {member["user"]["id"] for member in members}


def test_tokens_and_sessions_end_at_once_and_the_address_is_free(
    cast: Cast, nell: Nell, mailbox: Mailbox
) -> None:
    def in_session() -> int:
        return cast.instance.http.get("/v1/user", headers=nell.session).status_code

    assert (nell.person.get("/v1/user").status_code, in_session()) == (200, 200)
    assert nell.person.delete(nell.path).status_code == 205
    assert (nell.person.get("/v1/user").status_code, in_session()) == (401, 401)
    assert who(nell.cookies) is None
    again = cast.instance.inside(lambda cx: users.create(cx, nell.person.email, "Nell"))
    assert again.id != nell.person.id
    mails = len(mailbox.to(nell.person.email))
    with visit(cast.instance) as browser:
        ask_for_link(browser, nell.person.email)
        send(browser, browser.get(link_in(mailbox.newest(nell.person.email, mails + 1))))
        assert who(browser) == nell.person.email
        answer = browser.get("/v1/orgs", headers={"Accept": "application/json", **OURS})
        assert answer.json()["items"] == []


@pytest.mark.parametrize("form", [1, 2])
def test_events_of_before_are_erased_and_stay_verifiable(cast: Cast, nell: Nell, form: int) -> None:
    cast.instance.inside(lambda cx: _as_before(cx, cast, form))
    anchors = anchored(cast)
    assert verified(cast, anchors).first_broken is None
    assert nell.person.delete(nell.path).status_code == 205
    assert nell.is_in(stored(cast)["audit_event"]) == set()
    assert verified(cast, anchors) == Check(len(anchors) + 1, None)


async def _as_before(cx: Context, cast: Cast, form: int = 1) -> None:
    """Leave a log as an earlier version did: without salted hashes, or without titles of targets."""
    ring, before = audit_keys(cx.settings), ""
    for event in await cx.db.all(_ALL, o=cast.organization):
        plain: dict[str, Any] = {"form": form, "target_title": None, "target_title_salt": None}
        if form == 1:
            plain |= {"address_salt": None, "title_salt": None}
        said = {**{name: getattr(event, name) for name in audit_chain.HASHED}, **plain}
        before = ring.sign(audit_chain.chained(before, event.number, audit_chain.text_of(said)))
        where = {"organization_id": cast.organization, "number": event.number}
        await cx.tx.put(AuditEvent, {**plain, "hash": before}, **where)
    await cx.tx.put(AuditHead, {"hash": before}, organization_id=cast.organization)
    await audit_chain.accept(cx, cast.organization)


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("way", ["erased", "altered", "restored", "unsigned"])
def test_what_is_erased_without_the_key_is_found(cast: Cast, nell: Nell, old: bool, way: str) -> None:
    if old:
        cast.instance.inside(lambda cx: _as_before(cx, cast))
    if way != "erased":
        assert nell.person.delete(nell.path).status_code == 205
    found = cast.instance.inside(lambda cx: cx.db.all(_ALL, o=cast.organization))
    event = next(e for e in found if e.user_id == nell.person.id and e.action == "updateSpaceById")
    values: dict[str, dict[str, Any]] = {
        "erased": {"address": None, "address_salt": None, "erased": _hashes(event)},
        "altered": {"action": "createSpace"},
        "restored": {"address": "203.0.113.1"},
        "unsigned": {"erasure": None},
    }

    async def change(cx: Context) -> None:
        where = {"organization_id": cast.organization, "number": event.number}
        await cx.tx.put(AuditEvent, values[way], **where)

    assert verified(cast).first_broken is None
    cast.instance.inside(change)
    assert verified(cast).first_broken == event.number


def _hashes(event: Any) -> dict[str, str | None]:
    said = {name: getattr(event, name) for name in audit_chain.HASHED}
    return {"address": audit_chain.personal_hash(said, "address")}


def test_an_event_that_was_altered_is_not_made_valid_by_erasing_it(cast: Cast, nell: Nell) -> None:
    cast.instance.inside(lambda cx: _as_before(cx, cast))
    found = cast.instance.inside(lambda cx: cx.db.all(_ALL, o=cast.organization))
    event = next(e for e in found if e.user_id == nell.person.id)

    async def alter(cx: Context) -> None:
        where = {"organization_id": cast.organization, "number": event.number}
        await cx.tx.put(AuditEvent, {"action": "nothing"}, **where)

    cast.instance.inside(alter)
    assert nell.person.delete(nell.path).status_code == 205
    assert nell.is_in(stored(cast)["audit_event"]) == set()
    assert verified(cast).first_broken == event.number


def test_the_only_administrator_of_an_organization_stays(cast: Cast) -> None:
    title = cast.ada.get(f"/v1/orgs/{cast.organization}").json()["title"]
    refused = cast.ada.delete(f"/v1/users/{cast.ada.id}")
    assert refused.status_code == 409
    assert title in refused.json()["error"]["message"]
    assert cast.ada.refused("deleteUser", user=_node(cast.ada)) == "CONFLICT"
    assert cast.ada.get("/v1/user").json()["email"] == cast.ada.email


def _node(person: Person) -> str:
    found: str = person.ask("{ me { id } }")["me"]["id"]
    return found


def test_only_the_person_themselves_exports_and_deletes(cast: Cast, nell: Nell) -> None:
    for token in (
        make.token(nell.person, read_only=True),
        make.token(nell.person, organization_id=cast.organization),
    ):
        assert token.delete(nell.path).status_code == 403
    agent = nell.person.post("/v1/user/tokens", {"name": "Agent", "isAgent": True}).json()["secret"]
    narrow = {"Authorization": f"Bearer {agent}"}
    for other in (cast.ada, cast.ed):
        assert other.get(f"{nell.path}/export").status_code == 403
        assert other.delete(nell.path).status_code == 403
    assert cast.sol.delete(nell.path).status_code == 404
    assert nell.person.delete(nell.path, headers=narrow).status_code == 403
    assert nell.person.get(f"{nell.path}/export", headers=narrow).status_code == 403
    assert nell.person.get("/v1/user").status_code == 200


def test_an_export_holds_what_is_stored_and_no_secret(cast: Cast, nell: Nell) -> None:
    answer = nell.person.get(f"{nell.path}/export")
    assert answer.status_code == 200, answer.text
    assert nell.is_in(answer.text) == set(nell.words)
    records = answer.json()["records"]
    assert list(records) == [source.name for source in personal_data.SOURCES]
    for name in ("profile", "memberships", "grants", "tokensAndSessions", "passkeys", "comments", "invites"):
        assert records[name], name
    assert records["changeRequests"]
    assert records["auditEvents"]
    assert not {"hash", "publicKey", "secretHash"} & {
        field for row in records["tokensAndSessions"] for field in row
    }
    asked = "query ($id: ID!) { user(id: $id) { export { createdAt records { name value { json } } } } }"
    shown = nell.person.ask(asked, id=_node(nell.person))["user"]["export"]
    assert {each["name"]: each["value"]["json"] for each in shown["records"]} == records


def test_every_table_that_names_people_is_exported_or_says_why_not() -> None:
    naming = {
        t.name
        for t in SQLModel.metadata.sorted_tables
        if any(key.column.table is table(User) for key in t.foreign_keys) or "user_id" in t.c
    }
    known = {table(source.model).name for source in personal_data.SOURCES}
    assert naming <= known | {table(model).name for model in personal_data.NOT_EXPORTED}
