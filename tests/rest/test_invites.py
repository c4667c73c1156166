"""Invites by e-mail and by link, and joining by e-mail domain, through REST (threats, 1, 6, 9, 13)."""

from __future__ import annotations

from typing import Any

import pytest

from app.kit.ids import new_id
from tests import make
from tests.cast import Cast, Person
from tests.factories import collections, domains

LEVELS = ["admin", "create", "review", "edit", "comment", "read"]


def invited(cast: Cast, *emails: Any, **fields: Any) -> dict[str, Any]:
    answer = cast.ada.post(f"/v1/orgs/{cast.organization}/invites", {"emails": list(emails), **fields})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def accept(cast: Cast, person: Person, invite: dict[str, Any]) -> int:
    return person.post(f"/v1/orgs/{cast.organization}/invites/{invite['id']}").status_code


def role(cast: Cast, person: Person) -> str | None:
    answer = cast.ada.get(f"/v1/orgs/{cast.organization}/members/{person.id}")
    return "nobody" if answer.status_code == 404 else answer.json()["role"]


def pending(cast: Cast) -> list[tuple[str, str | None]]:
    found = cast.ada.get(f"/v1/orgs/{cast.organization}/invites").json()
    assert found["count"] == len(found["items"])
    return [(invite["email"], invite.get("role")) for invite in found["items"]]


def test_who_is_invited_accepts_and_belongs(cast: Cast) -> None:
    nell = make.somebody(cast.instance, "Nell")
    (invite,) = invited(cast, nell.email.upper(), role="edit")["invited"]
    assert invite["object"] == "invite"
    assert {name: invite[name] for name in ("type", "organization", "email", "role", "sso")} == {
        "type": "email",
        "organization": cast.organization,
        "email": nell.email,
        "role": "edit",
        "sso": False,
    }
    path = f"/v1/orgs/{cast.organization}/invites/{invite['id']}"
    assert invite["urls"]["location"] == f"{cast.ada.base}{path}"
    assert nell.get(f"/v1/orgs/{cast.organization}").status_code == 404
    answer = nell.post(path)
    assert (answer.status_code, answer.json()) == (200, {"organization": cast.organization})
    assert nell.get(f"/v1/orgs/{cast.organization}").status_code == 200
    assert role(cast, nell) == "edit"
    assert pending(cast) == []
    assert nell.post(path).status_code == 404


def test_nobody_accepts_for_somebody_else(cast: Cast) -> None:
    nell = make.somebody(cast.instance, "Nell")
    (invite,) = invited(cast, nell.email, role="admin")["invited"]
    for person in (cast.sol, cast.ria, cast.ada):
        assert accept(cast, person, invite) == 404
    elsewhere = f"/v1/orgs/{cast.elsewhere}/invites/{invite['id']}"
    assert nell.post(elsewhere).status_code == 404
    narrow = make.token(nell, organization_id=cast.elsewhere)
    assert accept(cast, narrow, invite) == 403
    assert accept(cast, make.token(nell, read_only=True), invite) == 403
    assert role(cast, cast.ria) == "read"
    assert accept(cast, nell, invite) == 200


def test_inviting_does_not_tell_who_has_an_account(cast: Cast) -> None:
    known, unknown = make.somebody(cast.instance, "Nell").email, f"{new_id()}@example.org".lower()
    found = invited(cast, known, unknown, role="read")
    assert (found["users"], found["failedSSOEmails"]) == ([], [])
    first, second = ({**i, "id": "", "email": "", "urls": ""} for i in found["invited"])
    assert first == second


def test_who_belongs_already_is_told_and_not_invited(cast: Cast) -> None:
    found = invited(cast, cast.ria.email, role="admin")
    assert [user["id"] for user in found["users"]] == [cast.ria.id]
    assert found["invited"] == []
    assert role(cast, cast.ria) == "read"


def test_everybody_gets_their_own_role_or_the_common_one(cast: Cast) -> None:
    a, b, c = (f"{name}.{cast.organization}@example.org".lower() for name in "abc")
    invited(cast, a, {"email": b, "role": "create"}, {"email": c, "role": None}, role="comment")
    assert pending(cast) == [(a, "comment"), (b, "create"), (c, None)]
    invited(cast, a, role=None)
    invited(cast, b)
    assert pending(cast) == [(a, None), (b, "read"), (c, None)]


def test_a_withdrawn_invite_is_worth_nothing(cast: Cast) -> None:
    nell = make.somebody(cast.instance, "Nell")
    (invite,) = invited(cast, nell.email)["invited"]
    path = f"/v1/orgs/{cast.organization}/invites/{invite['id']}"
    assert cast.sol.delete(f"/v1/orgs/{cast.elsewhere}/invites/{invite['id']}").status_code == 404
    for person, status in ((cast.sol, 404), (cast.gus, 403), (cast.cleo, 403), (cast.ada, 205)):
        assert person.delete(path).status_code == status
    assert cast.ada.delete(path).status_code == 404
    assert accept(cast, nell, invite) == 404


def test_an_invite_never_lowers_and_never_lets_the_disabled_in(cast: Cast) -> None:
    nell = make.somebody(cast.instance, "Nell")
    (invite,) = invited(cast, nell.email, role="read")["invited"]
    collections.joins(cast, nell, cast.organization, "review")
    assert accept(cast, nell, invite) == 200
    assert role(cast, nell) == "review"

    max_ = make.somebody(cast.instance, "Max")
    (invite,) = invited(cast, max_.email, role="create")["invited"]
    collections.joins(cast, max_, cast.organization, None)
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}/members/{max_.id}", {"disabled": True})
    assert accept(cast, max_, invite) == 403
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}/members/{max_.id}", {"disabled": False})
    assert accept(cast, max_, invite) == 200
    assert role(cast, max_) == "create"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "emails"),
        ({"emails": []}, "emails"),
        ({"emails": ["nobody"]}, "emails.0"),
        ({"emails": ["a@example.org", "b@ example.org"]}, "emails.1"),
        ({"emails": ["a@example.org"], "role": "owner"}, "role"),
        ({"emails": ["a@example.org"], "sso": None}, "sso"),
        ({"emails": [f"{n}@example.org" for n in range(101)]}, "emails"),
    ],
)
def test_a_bad_invitation_is_refused(cast: Cast, body: dict[str, Any], path: str) -> None:
    answer = cast.ada.post(f"/v1/orgs/{cast.organization}/invites", body)
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == path
    assert pending(cast) == []


@pytest.mark.parametrize("role", ["create", "review", "edit", "comment", "read", "guest"])
def test_only_an_administrator_invites(cast: Cast, role: str) -> None:
    person, organization = cast.members[role], f"/v1/orgs/{cast.organization}"
    make.links_on(cast)
    body = {"emails": [f"{new_id()}@example.org"], "role": None}
    assert person.post(f"{organization}/invites", body).status_code == 403
    assert person.get(f"{organization}/invites").status_code == 403
    assert person.post(f"{organization}/link-invites", {"role": "read"}).status_code == 403
    assert person.get(f"{organization}/link-invites").status_code == 403
    assert cast.sol.post(f"{organization}/invites", body).status_code == 404


def test_single_sign_on_leaves_out_other_domains(cast: Cast) -> None:
    organization = f"/v1/orgs/{cast.organization}"
    inside, outside = f"{new_id()}@{cast.domain}".lower(), f"{new_id()}@example.com".lower()
    body = {"emails": [inside, outside], "sso": True}
    assert cast.ada.post(f"{organization}/invites", body).status_code == 409
    make.provider(cast)
    collections.patched(cast.ada, organization, {"emailDomains": [cast.domain]})
    assert invited(cast, inside, outside, sso=True)["failedSSOEmails"] == [inside, outside]
    domains.proven(cast.ada, cast.organization, cast.domain)
    found = invited(cast, inside, outside, sso=True)
    assert found["failedSSOEmails"] == [outside]
    assert [(i["email"], i["sso"]) for i in found["invited"]] == [(inside, True)]
    nell = make.somebody(cast.instance, "Nell", domain=cast.domain)
    (invite,) = invited(cast, nell.email, sso=True)["invited"]
    assert accept(cast, nell, invite) == 200
    assert nell.get(organization).status_code == 403


def test_a_link_lets_in_whoever_has_it_again_and_again(cast: Cast) -> None:
    link = make.link(cast, {"role": "comment"})
    assert (link["type"], link["role"]) == ("link", "comment")
    for name in ("Nell", "Max"):
        person = make.somebody(cast.instance, name)
        assert accept(cast, person, link) == accept(cast, person, link) == 200
        assert role(cast, person) == "comment"
    for person, expected in ((cast.gus, "comment"), (cast.ria, "comment"), (cast.ed, "edit")):
        assert accept(cast, person, link) == 200
        assert role(cast, person) == expected


@pytest.mark.parametrize("kind", ["space", "collection"])
def test_a_link_to_content_makes_guests_who_see_that_alone(cast: Cast, kind: str) -> None:
    shelf = collections.collection(cast.ada, cast.organization, defaultLevel=None)["id"]
    inside = make.space(cast.ada, cast.organization, parent=shelf)["id"]
    other = make.space(cast.ada, cast.organization)["id"]
    target = inside if kind == "space" else shelf
    link = make.link(cast, {"level": "edit", kind: target})
    assert (link["level"], link[kind]) == ("edit", target)
    nell = make.somebody(cast.instance, "Nell")
    for _ in range(2):
        assert accept(cast, nell, link) == 200
    assert role(cast, nell) is None
    assert nell.get(f"/v1/spaces/{inside}").json()["permissions"]["edit"]
    assert nell.get(f"/v1/spaces/{other}").status_code == 404
    weaker = make.link(cast, {"level": "read", kind: target})
    assert accept(cast, nell, weaker) == 200
    assert nell.get(f"/v1/spaces/{inside}").json()["permissions"]["edit"]
    assert accept(cast, cast.ria, link) == 200
    assert (role(cast, cast.ria), cast.ria.get(f"/v1/spaces/{inside}").status_code) == ("read", 200)


def test_links_are_read_changed_and_deleted(cast: Cast) -> None:
    by_role = make.link(cast, {"role": "read"})
    by_level = make.link(cast, {"level": "read", "space": make.space(cast.ada, cast.organization)["id"]})
    links = f"/v1/orgs/{cast.organization}/link-invites"
    assert [i["id"] for i in cast.ada.get(links).json()["items"]] == [by_role["id"], by_level["id"]]
    assert pending(cast) == []
    assert cast.ada.get(f"{links}/{by_level['id']}").json() == by_level
    assert by_level["urls"]["location"].endswith(f"{links}/{by_level['id']}")
    changed = collections.patched(cast.ada, f"{links}/{by_level['id']}", {"level": "edit"})
    assert changed == {**by_level, "level": "edit"}
    assert cast.ada.patch(f"{links}/{by_level['id']}", {"role": "edit"}).status_code == 409
    assert cast.ada.patch(f"{links}/{by_role['id']}", {"level": "edit"}).status_code == 409
    assert collections.patched(cast.ada, f"{links}/{by_role['id']}", {"role": "edit"})["role"] == "edit"
    nell = make.somebody(cast.instance, "Nell")
    assert accept(cast, nell, by_role) == 200
    assert role(cast, nell) == "edit"
    gone = cast.ada.delete(f"{links}/{by_role['id']}")
    assert (gone.status_code, gone.content) == (205, b"")
    assert cast.ada.delete(f"{links}/{by_role['id']}").status_code == 404
    assert accept(cast, make.somebody(cast.instance, "Max"), by_role) == 404
    assert role(cast, nell) == "edit"


def test_links_of_another_organization_are_not_found(cast: Cast) -> None:
    link = make.link(cast, {"role": "read"})
    theirs = f"/v1/orgs/{cast.elsewhere}/link-invites/{link['id']}"
    ours = f"/v1/orgs/{cast.organization}/link-invites/{link['id']}"
    for path in (theirs, ours):
        assert cast.sol.get(path).status_code == 404
        assert cast.sol.patch(path, {"role": "admin"}).status_code == 404
        assert cast.sol.delete(path).status_code == 404
    (by_mail,) = invited(cast, f"{new_id()}@example.org")["invited"]
    path = f"/v1/orgs/{cast.organization}/link-invites/{by_mail['id']}"
    assert cast.ada.get(path).status_code == cast.ada.delete(path).status_code == 404


def test_links_can_be_switched_off(cast: Cast) -> None:
    organization = f"/v1/orgs/{cast.organization}"
    assert cast.ada.post(f"{organization}/link-invites", {"role": "read"}).status_code == 409
    link = make.link(cast, {"role": "read"})
    collections.patched(cast.ada, organization, {"inviteLinks": False})
    nell = make.somebody(cast.instance, "Nell")
    assert accept(cast, nell, link) == 404
    (by_mail,) = invited(cast, nell.email)["invited"]
    assert accept(cast, nell, by_mail) == 200


def test_who_administrates_content_makes_links_to_it_alone(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    body = {"role": "admin", "users": [cast.gus.id]}
    assert cast.ada.post(f"/v1/spaces/{space}/permissions", body).status_code == 204
    link = make.link(cast, {"level": "admin", "space": space}, cast.gus)
    path = f"/v1/orgs/{cast.organization}/link-invites/{link['id']}"
    assert cast.gus.get(path).status_code == 200
    assert collections.patched(cast.gus, path, {"level": "read"})["level"] == "read"
    for person in (cast.ria, cast.cleo):
        assert person.get(path).status_code == person.delete(path).status_code == 403
    links = f"/v1/orgs/{cast.organization}/link-invites"
    assert cast.gus.post(links, {"role": "read"}).status_code == 403
    assert cast.ed.post(links, {"level": "read", "space": space}).status_code == 403
    assert cast.gus.delete(path).status_code == 205


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"role": None},
        {"role": "read", "level": "read"},
        {"level": "read"},
        {"space": "x"},
        {"level": "read", "space": "x", "collection": "y"},
        {"role": "read", "space": "x"},
    ],
)
def test_a_bad_link_is_refused(cast: Cast, body: dict[str, Any]) -> None:
    make.links_on(cast)
    assert cast.ada.post(f"/v1/orgs/{cast.organization}/link-invites", body).status_code == 400


def test_a_link_leads_into_its_own_organization_only(cast: Cast) -> None:
    make.links_on(cast)
    links = f"/v1/orgs/{cast.organization}/link-invites"
    theirs = make.space(cast.sol, cast.elsewhere)["id"]
    assert cast.ada.post(links, {"level": "read", "space": theirs}).status_code == 400
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    assert cast.ada.post(links, {"level": "read", "space": theirs}).status_code == 400
    ours = make.space(cast.ada, cast.organization)["id"]
    link = make.link(cast, {"level": "read", "space": ours})
    nell = make.somebody(cast.instance, "Nell")
    moved = cast.ada.post(f"/v1/spaces/{ours}/transfer", {"organization": cast.elsewhere})
    assert moved.status_code == 200, moved.text
    assert accept(cast, nell, link) == 404
    gone = make.space(cast.ada, cast.organization)["id"]
    link = make.link(cast, {"level": "read", "space": gone})
    assert cast.ada.delete(f"/v1/spaces/{gone}").status_code == 205
    assert accept(cast, nell, link) == 404
    assert role(cast, nell) == "nobody"


def test_a_link_goes_with_what_it_leads_to(cast: Cast) -> None:
    make.links_on(cast)
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    removed, moved = (collections.collection(cast.ada, cast.organization)["id"] for _ in range(2))
    inside = make.space(cast.ada, cast.organization, parent=moved)["id"]
    alone, kept = (make.space(cast.ada, cast.organization)["id"] for _ in range(2))
    for collection in (removed, moved):
        make.link(cast, {"level": "read", "collection": collection})
    for space in (inside, alone, kept):
        make.link(cast, {"level": "read", "space": space})
    role_link = make.link(cast, {"role": "read"})
    assert cast.ada.delete(f"/v1/collections/{removed}").status_code == 205
    for address in (f"/v1/collections/{moved}", f"/v1/spaces/{alone}"):
        answer = cast.ada.post(f"{address}/transfer", {"organization": cast.elsewhere})
        assert answer.status_code == 200, answer.text
    left = cast.ada.get(f"/v1/orgs/{cast.organization}/link-invites").json()
    assert left["count"] == 2
    assert [(link.get("space"), link.get("role")) for link in left["items"]] == [(kept, None), (None, "read")]
    assert left["items"][1]["id"] == role_link["id"]


def test_people_of_the_domain_join_with_the_default_role(cast: Cast) -> None:
    domain = f"{cast.organization}.example.org".lower()
    nell = make.somebody(cast.instance, "Nell", domain=domain)
    join = f"/v1/orgs/{cast.organization}/join"
    assert nell.post(join).status_code == 404
    organization = {"emailDomains": [domain.upper()], "defaultRole": "comment"}
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}", organization)
    assert nell.post(join).status_code == 404  # the domain is only claimed
    domains.proven(cast.ada, cast.organization, domain)
    other = make.somebody(cast.instance, "Max", domain=f"x{domain}")
    below = make.somebody(cast.instance, "Max", domain=f"x.{domain}")
    for person in (cast.sol, other, below):
        assert person.post(join).status_code == 404
    assert make.token(nell, organization_id=cast.elsewhere).post(join).status_code == 403
    for _ in range(2):
        assert nell.post(join).status_code == 204
    assert role(cast, nell) == "comment"
    assert cast.gus.post(join).status_code == 204
    assert role(cast, cast.gus) is None
