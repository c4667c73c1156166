"""Deleted organizations: closed at once for everybody but their administrators, and restored as they were."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories import sites
from tests.instance import running
from tests.mail_server import mail_server, text_of


def delete(cast: Cast, person: Person | None = None) -> httpx.Response:
    """Delete the organization by its title."""
    title = cast.ada.get(f"/v1/orgs/{cast.organization}").json()["title"]
    return (person or cast.ada).post(f"/v1/orgs/{cast.organization}/delete", {"title": title})


def restore(cast: Cast, person: Person | None = None) -> httpx.Response:
    return (person or cast.ada).post(f"/v1/orgs/{cast.organization}/restore")


def code(answer: httpx.Response) -> int:
    return answer.status_code


def organizations(person: Person) -> list[str]:
    return [each["id"] for each in person.get("/v1/orgs").json()["items"]]


def test_a_deleted_organization_says_until_when_it_can_be_restored(cast: Cast) -> None:
    before = cast.ada.get(f"/v1/orgs/{cast.organization}").json()
    assert before["permissions"]["delete"]
    assert not before["permissions"]["restore"]
    assert "deletedAt" not in before
    deleted = delete(cast).json()
    at, until = (datetime.fromisoformat(deleted[name]) for name in ("deletedAt", "restorableUntil"))
    assert until - at == timedelta(days=30)
    assert {name for name, allowed in deleted["permissions"].items() if allowed} == {
        *("view", "access", "restore", "listMembers", "listTeams", "listIntegrations", "listInstallations")
    }
    assert cast.ada.get(f"/v1/orgs/{cast.organization}").json() == deleted
    restored = restore(cast).json()
    assert {**restored, "updatedAt": ""} == {**before, "updatedAt": ""}


@pytest.mark.parametrize("title", ["", "Another", "LIGHTHOUSE"])
def test_only_the_title_confirms(cast: Cast, title: str) -> None:
    refused = cast.ada.post(f"/v1/orgs/{cast.organization}/delete", {"title": title})
    assert code(refused) == 400
    assert refused.json()["error"]["details"][0]["path"] == "title"
    assert code(cast.ada.post(f"/v1/orgs/{cast.organization}/delete", {})) == 400
    assert "deletedAt" not in cast.ada.get(f"/v1/orgs/{cast.organization}").json()


def test_only_administrators_delete_and_restore(cast: Cast) -> None:
    for role, person in cast.members.items():
        assert code(delete(cast, person)) == (200 if role == "admin" else 403)
        if role == "admin":
            for other, member in cast.members.items():
                assert code(restore(cast, member)) == (200 if other == "admin" else 403)
                if other == "admin":
                    delete(cast)
            restore(cast)
    assert code(delete(cast, cast.sol)) == 404
    narrowed = make.token(cast.ada, scopes=["read", "write"])
    assert code(delete(cast, narrowed)) == 403


def test_what_is_deleted_cannot_be_deleted_again_nor_what_is_not_restored(cast: Cast) -> None:
    assert code(restore(cast)) == 409
    assert code(delete(cast)) == 200
    assert code(delete(cast)) == 409


def test_members_are_refused_and_administrators_only_read(cast: Cast) -> None:
    space = make.filled_space(cast, {"README.md": "# Here"})
    token = make.token(cast.ada, organization_id=cast.organization)
    delete(cast)
    paths = (
        f"/v1/orgs/{cast.organization}",
        f"/v1/orgs/{cast.organization}/spaces",
        f"/v1/spaces/{space}",
        f"/v1/spaces/{space}/content",
        f"/v1/orgs/{cast.organization}/members/{cast.ed.id}",
    )
    for path in paths:
        assert (path, code(cast.ada.get(path)), code(token.get(path))) == (path, 200, 200)
        refused = cast.ed.get(path)
        assert (path, code(refused)) == (path, 403)
        assert "deleted" in refused.json()["error"]["message"]
    assert cast.organization in organizations(cast.ada)
    assert cast.organization not in organizations(cast.ed)
    assert code(cast.ada.get(f"/v1/orgs/{cast.organization}/audit-events")) == 200
    assert not cast.ada.get(f"/v1/spaces/{space}").json()["permissions"]["edit"]
    writes: list[tuple[str, str, Any]] = [
        ("PATCH", f"/v1/orgs/{cast.organization}", {"title": "Other"}),
        ("POST", f"/v1/orgs/{cast.organization}/spaces", {"title": "New"}),
        ("PATCH", f"/v1/spaces/{space}", {"title": "New"}),
        ("DELETE", f"/v1/spaces/{space}", None),
        ("POST", f"/v1/spaces/{space}/comments", {"body": {"markdown": "x"}}),
        ("POST", f"/v1/orgs/{cast.organization}/invites", {"emails": ["new@example.org"]}),
        ("DELETE", f"/v1/orgs/{cast.organization}/members/{cast.ed.id}", None),
    ]
    for method, path, body in writes:
        refused = cast.ada.call(method, path, json=body)
        assert (method, path, code(refused)) == (method, path, 409)
        assert refused.json()["error"]["message"] == "The organization is deleted; restore it first."
        assert code(cast.cleo.call(method, path, json=body)) == 403
    restore(cast)
    assert code(cast.ed.get(f"/v1/spaces/{space}")) == 200
    assert code(cast.ada.patch(f"/v1/spaces/{space}", {"title": "New"})) == 200


def test_what_nobody_may_do_there_is_explained(cast: Cast) -> None:
    here = f"/v1/spaces/{make.filled_space(cast, {'README.md': '# Here'})}/permissions/explain"
    delete(cast)
    viewed, edited = (cast.ada.get(here, params={"action": action}).json() for action in ("view", "edit"))
    assert (viewed["allowed"], viewed["rule"]) == (True, "organization-admin")
    assert (edited["allowed"], edited["rule"]) == (False, "organization-deleted")
    assert "its administrators may read it and restore it" in edited["message"]
    own = cast.ed.get(here, params={"action": "view"}).json()
    assert (own["allowed"], own["rule"]) == (False, "organization-deleted")


def test_the_sites_of_a_deleted_organization_are_offline_until_it_is_restored(cast: Cast) -> None:
    space = make.filled_space(cast, {"README.md": "# Here"})
    online = sites.site(cast.ada, cast.organization, title="Online", visibility="public", spaces=[space])[
        "id"
    ]
    offline = sites.site(cast.ada, cast.organization, title="Offline", visibility="public")["id"]
    published = sites.answered(cast.ada.post(f"{sites.base(cast, online)}/publish"))
    address = published["urls"]["published"]
    before = cast.ada.get(f"/v1/spaces/{space}").json()
    assert code(httpx.get(address, follow_redirects=True)) == 200
    assert code(httpx.get(f"{cast.instance.base}/v1/spaces/{space}")) == 200
    delete(cast)
    assert code(httpx.get(address, follow_redirects=True)) == 404
    assert code(httpx.get(f"{cast.instance.base}/v1/spaces/{space}")) == 401
    restore(cast)
    assert code(httpx.get(address, follow_redirects=True)) == 200
    after = cast.ada.get(f"/v1/spaces/{space}").json()
    assert (after["urls"], after["visibility"]) == (before["urls"], before["visibility"])
    assert not cast.ada.get(sites.base(cast, offline)).json()["published"]


def test_nobody_joins_a_deleted_organization(cast: Cast) -> None:
    make.links_on(cast)
    invited = cast.ada.post(f"/v1/orgs/{cast.organization}/invites", {"emails": [cast.sol.email]}).json()
    (invite,) = invited["invited"]
    link = make.link(cast, {"role": "read"})
    delete(cast)
    for each in (invite["id"], link["id"]):
        joined = cast.sol.post(f"/v1/orgs/{cast.organization}/invites/{each}")
        assert code(joined) == 409
    assert code(cast.sol.get(f"/v1/orgs/{cast.organization}")) == 404


def test_administrators_are_told_by_mail(fresh_database: str) -> None:
    with mail_server() as box, running(fresh_database, **box.settings()) as instance:
        cast = make.cast(instance)
        nell = make.newcomer(cast, "Nell", "admin")
        delete(cast)
        for person in (cast.ada, nell):
            text = text_of(box.newest(person.email))
            assert "Ada" in text
            assert f"/o/{cast.organization}/settings" in text
        restore(cast, nell)
        for person in (cast.ada, nell):
            assert "restored" in box.newest(person.email, 2)["Subject"]
        assert box.to(cast.ed.email) == []
