"""Sites through REST: made, listed, changed, put online and deleted, by whom and at which address."""

from __future__ import annotations

from typing import Any

import pytest

from app.kit.ids import new_id
from tests import make
from tests.cast import Cast, Person
from tests.factories import collections
from tests.factories.sites import ManagedSite, answered, base, site, spaces
from tests.instance import running


def sites_of(person: Person, cast: Cast, **filters: Any) -> list[str]:
    return collections.titles(person, f"/v1/orgs/{cast.organization}/sites", **filters)


def refused(person: Person, path: str, change: dict[str, Any]) -> tuple[int, str | None]:
    """The status of a refused change, and the field it names."""
    error = person.patch(path, change).json()["error"]
    return error["code"], (error.get("details") or [{}])[0].get("path")


def test_a_new_site_is_as_decided(cast: Cast) -> None:
    made = answered(cast.cleo.call("POST", f"/v1/orgs/{cast.organization}/sites"), 201)
    assert made["object"] == "site"
    assert (made["type"], made["title"], made["visibility"]) == ("basic", "Untitled site", "public")
    assert (made["published"], made["siteSpaces"], made["icon"]) == (False, 0, None)
    assert (made["adaptiveContent"], made["agentsContext"]) == ({"enabled": False}, "included")
    assert not {"hostname", "basename", "proxy", "ads"} & made.keys()
    assert "published" not in made["urls"]
    assert {feature["plan"] for feature in made["features"]} == {"basic"}
    assert made["permissions"] == {
        "view": True,
        "access": True,
        "edit": True,
        "create": True,
        "delete": True,
        "admin": False,
        "installIntegration": False,
        "viewAdaptiveSchema": True,
        "editAdaptiveSchema": True,
    }


def test_a_site_is_made_with_spaces_or_with_a_new_one(cast: Cast) -> None:
    one, two = spaces(cast, "One", "Two")
    made = site(cast.cleo, cast.organization, title="Docs", spaces=[one, two])
    assert made["siteSpaces"] == 2
    items = cast.ria.get(f"{base(cast, made['id'])}/site-spaces").json()["items"]
    assert [(item["title"], item["path"], item["default"]) for item in items] == [
        ("One", "one", True),
        ("Two", "two", False),
    ]
    for kind, titles in (("empty", []), ("sample", ["Welcome", "Quick start", "Common questions"])):
        made = site(cast.cleo, cast.organization, title="Handbook", spaces=kind)
        (item,) = cast.ria.get(f"{base(cast, made['id'])}/site-spaces").json()["items"]
        assert item["space"]["title"] == "Handbook"
        pages = cast.ria.get(f"/v1/spaces/{item['space']['id']}/content/pages").json()["pages"]
        assert [page["title"] for page in pages] == titles


@pytest.mark.parametrize("role", ["rhea", "ed", "tom", "ria", "gus"])
def test_only_who_may_create_content_makes_sites(cast: Cast, role: str) -> None:
    assert getattr(cast, role).post(f"/v1/orgs/{cast.organization}/sites", {}).status_code == 403
    assert sites_of(cast.ada, cast) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"title": "x"},
        {"title": "x" * 129},
        {"type": "gold"},
        {"visibility": "private"},
        {"spaces": "three"},
        {"spaces": [7]},
    ],
)
def test_a_site_that_is_described_wrongly_is_not_made(cast: Cast, wrong: dict[str, Any]) -> None:
    assert cast.ada.post(f"/v1/orgs/{cast.organization}/sites", wrong).status_code == 400
    assert sites_of(cast.ada, cast) == []


def test_a_site_shows_only_spaces_that_its_maker_could_create_in(cast: Cast) -> None:
    theirs = make.space(cast.sol, cast.elsewhere)["id"]
    (hidden, read_only) = spaces(cast, "Hidden", "Read only")
    collections.patched(cast.ada, f"/v1/spaces/{hidden}", {"defaultLevel": None})
    collections.patched(cast.ada, f"/v1/spaces/{read_only}", {"defaultLevel": "read"})
    path = f"/v1/orgs/{cast.organization}/sites"
    for space, status in ((theirs, 400), (hidden, 400), (read_only, 403), ("0" * 20, 400)):
        assert cast.cleo.post(path, {"spaces": [space]}).status_code == status
    collections.joins(cast, cast.cleo, cast.elsewhere, "admin")
    assert cast.cleo.post(path, {"spaces": [theirs]}).status_code == 400
    assert sites_of(cast.ada, cast) == []


def test_members_read_a_site_and_strangers_know_of_none(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide", title="Docs")
    for person in (cast.cleo, cast.rhea, cast.ed, cast.tom, cast.ria):
        assert s.get(person=person)["title"] == "Docs"
        assert sites_of(person, cast) == ["Docs"]
    assert sites_of(cast.gus, cast) == []
    for person in (cast.gus, cast.sol):
        assert person.get(s.path).status_code == 404
        assert person.get(f"{s.path}/structure").status_code == 404
        assert person.patch(s.path, {"title": "Mine"}).status_code == 404
        assert person.delete(s.path).status_code == 404
    assert cast.sol.get(f"/v1/orgs/{cast.organization}/sites").status_code == 404


def test_a_site_is_found_in_its_own_organization_only(cast: Cast) -> None:
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    s = ManagedSite(cast, "Guide")
    wrong = f"/v1/orgs/{cast.elsewhere}/sites/{s.id}"
    for path in (
        "",
        "/structure",
        "/sections",
        "/site-spaces",
        "/share-links",
        "/redirects",
        "/customization",
    ):
        assert cast.ada.get(wrong + path).status_code == 404, path
    assert cast.ada.patch(wrong, {"title": "Mine"}).status_code == 404
    assert cast.ada.delete(wrong).status_code == 404
    assert s.get()["siteSpaces"] == 1


def test_the_sites_of_an_organization_are_filtered(cast: Cast) -> None:
    guide, other = spaces(cast, "Guide", "Other")
    first = site(cast.ada, cast.organization, title="Über uns", spaces=[guide])
    site(cast.ada, cast.organization, title="100% docs", type="premium", spaces=[guide, other])
    site(cast.ada, cast.organization, title="Empty")
    answered(cast.ada.post(f"{base(cast, first['id'])}/publish"))
    assert sites_of(cast.ria, cast) == ["Über uns", "100% docs", "Empty"]
    assert sites_of(cast.ria, cast, title="ÜBER") == ["Über uns"]
    assert sites_of(cast.ria, cast, title="0%") == ["100% docs"]
    assert sites_of(cast.ria, cast, title="%") == ["100% docs"]
    assert sites_of(cast.ria, cast, published="true") == ["Über uns"]
    assert sites_of(cast.ria, cast, published="false") == ["100% docs", "Empty"]
    assert sites_of(cast.ria, cast, type="premium") == ["100% docs"]
    assert sites_of(cast.ria, cast, space=guide) == ["Über uns", "100% docs"]
    assert sites_of(cast.ria, cast, space=other, published="1") == []
    assert cast.ria.get(f"/v1/orgs/{cast.organization}/sites", params={"type": "gold"}).status_code == 400
    page = cast.ria.get(f"/v1/orgs/{cast.organization}/sites", params={"limit": 2}).json()
    assert page["count"] == 3
    assert sites_of(cast.ria, cast, limit=2, page=page["next"]["page"]) == ["Empty"]
    answered(cast.ada.delete(f"/v1/spaces/{guide}"), 205)
    assert sites_of(cast.ria, cast, space=guide) == []
    collections.patched(cast.ada, f"/v1/spaces/{other}", {"defaultLevel": None})
    assert sites_of(cast.ria, cast, space=other) == []
    assert sites_of(cast.ada, cast, space=other) == ["100% docs"]


def test_creators_change_what_a_site_shows_and_administrators_to_whom(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    for person in (cast.rhea, cast.ria):
        assert person.patch(s.path, {"title": "Docs"}).status_code == 403
    assert collections.patched(cast.cleo, s.path, {"title": "Docs"})["title"] == "Docs"
    for change in ({"visibility": "unlisted"}, {"basename": "docs"}, {"proxy": None}, {"hostname": None}):
        assert cast.cleo.patch(s.path, change).status_code == 403
    for deed in ("publish", "unpublish"):
        assert cast.cleo.post(f"{s.path}/{deed}").status_code == 403
    assert cast.cleo.delete(s.path).status_code == 403
    changed = s.patch(
        "", {"visibility": "unlisted", "agentsContext": "excluded", "adaptiveContent": {"enabled": True}}
    )
    assert (changed["visibility"], changed["agentsContext"]) == ("unlisted", "excluded")
    assert changed["adaptiveContent"] == {"enabled": True}
    assert changed["title"] == "Docs"


def test_an_icon_is_of_one_of_its_forms(cast: Cast) -> None:
    s = ManagedSite(cast)
    pictures = {"icon": {"light": "https://example.org/l.png", "dark": "https://example.org/d.png"}}
    for icon in (pictures, {"emoji": "1f4d8"}, {}, "gear", None):
        assert s.patch("", {"icon": icon})["icon"] == icon
        assert s.get()["icon"] == icon
    for wrong in (7, "x" * 51, {"icon": {"light": "javascript:alert(1)", "dark": "https://example.org/"}}):
        s.patch("", {"icon": wrong}, status=400)


def test_the_address_of_a_site_is_as_decided(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    root = cast.instance.settings.sites_base
    assert s.post("/publish", status=200)["urls"]["published"] == f"{root}/{cast.organization}/{s.id}"
    s.patch("", {"basename": "handbook"})
    name = f"acme-{s.id[-12:]}".lower()
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}", {"hostname": name})
    assert s.get()["urls"]["published"] == f"{root}/{name}/handbook"
    host = f"docs.{s.id}.example.org".lower()
    stated = s.patch("", {"hostname": host})
    assert (stated["hostname"], stated["urls"]["published"]) == (host, f"{root}/{name}/handbook")
    changed = s.placed(hostname=host)
    assert (changed["hostname"], changed["urls"]["published"]) == (host, f"https://{host}")
    stated = s.patch("", {"proxy": f"www.{host}/help/docs"})
    assert stated["urls"]["published"] == f"https://{host}"
    changed = s.placed(proxy=f"www.{host}/help/docs")
    assert changed["urls"]["published"] == f"https://www.{host}/help/docs"
    assert changed["proxy"] == {"origin": f"www.{host}/help/docs", "target": f"{root}/{name}/handbook"}
    changed = s.patch("", {"proxy": None, "hostname": None, "basename": None})
    assert changed["urls"]["published"] == f"{root}/{name}/{s.id}"
    assert "published" not in s.post("/unpublish", status=200)["urls"]


def test_sites_of_an_organization_have_addresses_of_their_own(cast: Cast) -> None:
    mine, other = ManagedSite(cast, title="Mine"), ManagedSite(cast, title="Other")
    theirs = site(cast.sol, cast.elsewhere)
    host = f"docs.{mine.id}.example.org".lower()
    mine.patch("", {"hostname": host, "basename": "docs"})
    path = f"/v1/orgs/{cast.elsewhere}/sites/{theirs['id']}"
    assert refused(cast.ada, other.path, {"hostname": host.upper()}) == (409, "hostname")
    assert refused(cast.ada, other.path, {"basename": "docs"}) == (409, "basename")
    assert refused(cast.ada, other.path, {"basename": mine.id}) == (409, "basename")
    assert other.patch("", {"basename": other.id})["basename"] == other.id
    assert collections.patched(cast.sol, path, {"basename": "docs"})["basename"] == "docs"
    mine.patch("", {"proxy": f"www.{host}/one"})
    assert refused(cast.ada, other.path, {"proxy": f"WWW.{host}/one"}) == (409, "proxy")
    assert other.patch("", {"proxy": f"www.{host}/two"})["proxy"]["origin"] == f"www.{host}/two"


@pytest.mark.parametrize(
    "wrong",
    ["example.org", "docs.example.org/x", "-docs.example.org", "127.0.0.1", "169.254.169.254", "0x7f.0.0.1",
     "127.0.0.0x1", "0177.0.0.01", "１２７.０.０.１", "[::1]", "::ffff:127.0.0.1", "localhost",
     "a.b.localhost", "a.docs.local", "docs.corp.internal", "1.0.0.127.in-addr.arpa", "docs.xn--a.example",
     "a_.example.org", "docs..example.org", ""],
)  # fmt: skip
def test_a_host_that_is_nobodys_is_refused(cast: Cast, wrong: str) -> None:
    s = ManagedSite(cast)
    assert refused(cast.ada, s.path, {"hostname": wrong}) == (400, "hostname")
    assert "hostname" not in s.get()


def test_the_platforms_own_hosts_are_no_sites(cast: Cast) -> None:
    with running(cast.instance.settings.database, base_url="https://docs.platform.example") as instance:
        path = f"/v1/orgs/{cast.organization}/sites/{ManagedSite(cast).id}"
        ada = Person(instance, cast.ada.id, cast.ada.email, cast.ada.token)
        for wrong in ("docs.platform.example", "DOCS.Platform.example.", "a.docs.platform.example"):
            assert refused(ada, path, {"hostname": wrong}) == (400, "hostname")
            assert refused(ada, path, {"proxy": f"{wrong.removesuffix('.')}/x"}) == (400, "proxy")


@pytest.mark.parametrize(
    ("spelled", "kept"),
    [("DOCS.{}", "docs.{}"), ("docs.{}.", "docs.{}"), ("docs.bücher.{}", "docs.xn--bcher-kva.{}"),
     ("DOCS.XN--BCHER-KVA.{}", "docs.xn--bcher-kva.{}")],
)  # fmt: skip
def test_a_host_has_one_spelling(cast: Cast, spelled: str, kept: str) -> None:
    domain = f"{new_id()}.example".lower()
    assert ManagedSite(cast).patch("", {"hostname": spelled.format(domain)})["hostname"] == kept.format(
        domain
    )


@pytest.mark.parametrize(
    "wrong", ["example.org", "https://example.org/docs", "example.org/docs/", "x/docs", "xn--a.org/d"]
)
def test_a_proxy_is_a_directory_of_a_domain(cast: Cast, wrong: str) -> None:
    assert refused(cast.ada, ManagedSite(cast).path, {"proxy": wrong}) == (400, "proxy")


def test_a_mistake_is_told_where_the_caller_made_it(cast: Cast) -> None:
    """Not by the names of the forms that a value may have, which nobody wrote."""
    s = ManagedSite(cast)
    sites_, redirects = f"/v1/orgs/{cast.organization}/sites", f"{s.path}/redirects"
    icon = {"icon": {"icon": {"light": "x", "dark": "https://example.org/d"}}}
    for method, path, body, named in (
        ("POST", sites_, {"spaces": "some"}, "spaces"),
        ("POST", sites_, {"spaces": ["a", 1]}, "spaces.1"),
        ("PATCH", s.path, icon, "icon.icon.light"),
        ("POST", redirects, {"source": "/x", "destination": {"kind": "path"}}, "destination.path"),
        ("POST", redirects, {"source": "/x", "destination": {"kind": "site-page"}}, "destination.siteSpace"),
    ):
        error = answered(cast.ada.call(method, path, json=body), 400)["error"]
        assert error["details"][0]["path"] == named
        assert error["message"].startswith(f"{named}: ")
        assert all(each["path"].split(".")[0] in body for each in error["details"])


@pytest.mark.parametrize("wrong", ["", "a/b", "..", "~admin", "a?b", "a#b", "a b", "a%2fb", "\\", "x" * 101])
def test_a_basename_is_one_part_of_an_address(cast: Cast, wrong: str) -> None:
    assert refused(cast.ada, ManagedSite(cast).path, {"basename": wrong}) == (400, "basename")


def test_a_deleted_site_is_gone_and_its_spaces_stay(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    s.post("/publish", status=200)
    s.post("/share-links", {"name": "Partners"})
    path = f"/v1/orgs/{cast.organization}"
    collections.patched(cast.ada, path, {"defaultContent": {"type": "site", "site": s.id}})
    assert cast.ada.get(path).json()["defaultContent"]["site"] == s.id
    s.delete("")
    assert cast.ada.get(s.path).status_code == 404
    assert "defaultContent" not in cast.ada.get(path).json()
    space = cast.ada.get(f"/v1/spaces/{s.spaces[0]}").json()
    assert (space["visibility"], "published" in space["urls"]) == ("private", False)


def test_the_content_of_an_organization_is_a_site_of_its_own(cast: Cast) -> None:
    theirs = site(cast.sol, cast.elsewhere)["id"]
    path = f"/v1/orgs/{cast.organization}"
    for wrong in (theirs, "x"):
        assert refused(cast.ada, path, {"defaultContent": {"type": "site", "site": wrong}}) == (
            400,
            "defaultContent.site",
        )


def test_the_address_of_a_space_follows_its_sites(cast: Cast) -> None:
    def space() -> tuple[str, Any, Any]:
        found = cast.ria.get(f"/v1/spaces/{one.spaces[0]}", params={"shareKey": key}).json()
        return found["visibility"], found["urls"].get("published"), found["urls"].get("public")

    one = ManagedSite(cast, "Guide", visibility="visitor-auth")
    key = one.share_key()
    root = f"{cast.instance.settings.sites_base}/{cast.organization}"
    assert space() == ("private", None, None)
    one.post("/publish", status=200)
    assert space() == ("visitor-auth", f"{root}/{one.id}", None)
    one.patch("", {"visibility": "share-link"})
    assert space() == ("share-link", f"{root}/{one.id}?shareKey={key}", None)
    wrong = cast.ria.get(f"/v1/spaces/{one.spaces[0]}", params={"shareKey": "ses ame"}).json()
    assert wrong["urls"]["published"] == f"{root}/{one.id}"
    two = site(cast.ada, cast.organization, spaces=[*spaces(cast, "First"), one.spaces[0]])["id"]
    answered(cast.ada.post(f"{base(cast, two)}/publish"))
    assert space() == ("public", f"{root}/{two}/guide", f"{root}/{two}/guide")
    listed = cast.ria.get(f"/v1/orgs/{cast.organization}/spaces").json()["items"]
    assert listed[0]["urls"]["published"] == f"{root}/{two}/guide"
    answered(cast.ada.post(f"{base(cast, two)}/unpublish"))
    one.patch("", {"visibility": "unlisted", "basename": "docs"})
    assert space() == ("unlisted", f"{root}/docs", None)
    item = one.get("/site-spaces")["items"][0]["id"]
    one.patch(f"/site-spaces/{item}", {"draft": True})
    assert space() == ("private", None, None)
    one.patch(f"/site-spaces/{item}", {"draft": False})
    one.delete(f"/site-spaces/{item}")
    assert space() == ("private", None, None)


def test_a_space_that_a_site_shows_stays_in_its_organization(cast: Cast) -> None:
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    folder = collections.collection(cast.ada, cast.organization)["id"]
    space = make.space(cast.ada, cast.organization, parent=folder)["id"]
    made = site(cast.ada, cast.organization, spaces=[space])["id"]
    to = {"organization": cast.elsewhere}
    assert cast.ada.post(f"/v1/spaces/{space}/transfer", to).status_code == 412
    assert cast.ada.post(f"/v1/collections/{folder}/transfer", to).status_code == 412
    answered(cast.ada.delete(base(cast, made)), 205)
    assert cast.ada.post(f"/v1/collections/{folder}/transfer", to).status_code == 200


def test_a_role_on_a_site_is_granted_by_its_administrators(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    path = f"{s.path}/permissions"
    give = {"role": "admin", "users": [cast.gus.id]}
    for person in (cast.cleo, cast.ria):
        assert person.post(path, give).status_code == 403
        assert person.get(f"{path}/users").status_code == 403
        assert person.get(f"{path}/aggregate").status_code == 403
    assert cast.gus.get(s.path).status_code == 404
    answered(cast.ada.post(path, {"role": "read", "users": [cast.gus.id]}), 204)
    assert s.get(person=cast.gus)["permissions"]["edit"] is False
    assert sites_of(cast.gus, cast) == ["Untitled site"]
    assert s.outline(cast.gus) == [], "the space was not granted"
    answered(cast.ada.post(path, give), 204)
    answered(cast.gus.post(f"{s.path}/publish"))
    answered(cast.gus.patch(s.path, {"visibility": "unlisted"}))
    assert cast.gus.post(f"{s.path}/sections", {"spaceId": s.spaces[0]}).status_code == 400
    held = cast.ada.get(f"{path}/aggregate", params={"role": "admin"}).json()["items"]
    assert {each["user"]["id"] for each in held} == {cast.ada.id, cast.gus.id}
    assert [each["permission"] for each in cast.ada.get(f"{path}/users").json()["items"]] == ["admin"]
    answered(cast.ada.patch(f"{path}/users/{cast.gus.id}", {"role": "create"}), 204)
    assert cast.gus.post(f"{s.path}/unpublish").status_code == 403
    answered(cast.ada.delete(f"{path}/users/{cast.gus.id}"), 205)
    assert cast.gus.get(s.path).status_code == 404
    wrong = f"/v1/orgs/{cast.elsewhere}/sites/{s.id}/permissions"
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    assert cast.ada.post(wrong, give).status_code == 404
    for kind in ("users", "teams", "aggregate"):
        assert cast.ada.get(f"{wrong}/{kind}").status_code == 404
