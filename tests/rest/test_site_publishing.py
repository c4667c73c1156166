"""To whom sites are published, through REST: claims, share links, keys, looks, redirects, search."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast
from tests.contract.recipes_sites import SCHEMA
from tests.factories import collections
from tests.factories.integrations import PublishedIntegration
from tests.factories.sites import ManagedSite, answered, base, site, spaces


def test_a_site_knows_nothing_of_its_visitors_until_it_is_told_what(cast: Cast) -> None:
    s = ManagedSite(cast)
    first = s.get("/adaptive-schema", cast.ria)
    assert first["object"] == "site-adaptive-schema"
    assert first["jsonSchema"]["properties"]["unsigned"]["properties"] == {}
    assert first["updatedAt"] == s.made["createdAt"]
    assert s.get("/adaptive-schema/template-conditions") == {"items": []}
    path = f"{s.path}/adaptive-schema"
    assert cast.rhea.put(path, {"jsonSchema": SCHEMA}).status_code == 403
    put = answered(cast.cleo.put(path, {"jsonSchema": SCHEMA}))
    assert put["jsonSchema"] == SCHEMA
    assert s.get("/adaptive-schema") == put
    assert s.get("/adaptive-schema/template-conditions", cast.ria)["items"] == [
        {"description": "Takes part in the beta", "condition": "visitor.claims.unsigned.beta"},
        {"description": "The plan (free)", "condition": 'visitor.claims.plan == "free"'},
        {"description": "The plan (pro)", "condition": 'visitor.claims.plan == "pro"'},
        {"description": "Roles", "condition": "visitor.claims.roles != undefined"},
    ]
    mistakes: list[Any] = [{}, {"jsonSchema": None}, {"jsonSchema": []}, {"jsonSchema": {"type": "object"}}]
    for wrong in mistakes:
        assert cast.ada.put(path, wrong).status_code == 400
    assert s.get("/adaptive-schema") == put


def test_share_links_are_for_administrators(cast: Cast) -> None:
    s = ManagedSite(cast, visibility="share-link")
    made = s.post("/share-links", {"name": "For partners"})
    assert (made["name"], made["active"]) == ("For partners", True)
    start, _, key = made["urls"]["published"].partition("?shareKey=")
    assert start == f"{cast.instance.settings.sites_base}/{cast.organization}/{s.id}"
    assert len(key) >= 32
    other = s.post("/share-links", {"name": "Press"})
    assert other["urls"] != made["urls"]
    path = f"{s.path}/share-links"
    assert places_of(cast, path) == ["For partners", "Press"]
    assert places_of(cast, path, search="PART") == ["For partners"]
    changed = s.patch(f"/share-links/{made['id']}", {"name": "Partners", "active": False})
    assert (changed["name"], changed["active"], changed["urls"]) == ("Partners", False, made["urls"])
    s.delete(f"/share-links/{other['id']}")
    assert places_of(cast, path) == ["Partners"]
    for wrong in ({}, {"name": ""}, {"name": "x" * 51}):
        s.post("/share-links", wrong, status=400)
    for person in (cast.cleo, cast.ria):
        assert person.get(path).status_code == 403
        assert person.post(path, {"name": "Mine"}).status_code == 403
        assert person.patch(f"{path}/{made['id']}", {"active": True}).status_code == 403
        assert person.delete(f"{path}/{made['id']}").status_code == 403
    elsewhere = ManagedSite(cast)
    for method in ("PATCH", "DELETE"):
        wrong_path = f"{elsewhere.path}/share-links/{made['id']}"
        assert cast.ada.call(method, wrong_path, json={}).status_code == 404
    assert places_of(cast, path) == ["Partners"]


def places_of(cast: Cast, path: str, **params: Any) -> list[str]:
    return [item["name"] for item in answered(cast.ada.get(path, params=params))["items"]]


def test_a_space_tells_who_signs_its_visitors_in(cast: Cast) -> None:
    s = ManagedSite(cast, "Manual", visibility="visitor-auth")
    here = f"/v1/spaces/{s.spaces[0]}"
    assert "visitorAuth" not in answered(cast.ria.get(here)), "nobody visits a site that is not online"
    s.post("/publish", status=200)
    assert answered(cast.ria.get(here))["visitorAuth"] == {"backend": "custom"}
    login = PublishedIntegration(cast, scopes=["site:visitor:auth"])
    login.on_site(login.install(), s.id)
    named = {"backend": "integration", "integration": login.name}
    s.patch("/publishing/auth", named)
    assert answered(cast.ria.get(here))["visitorAuth"] == named
    asked = "query($id: ID!) { space(id: $id) { visitorAuth { backend integrationId } } }"
    told = cast.ria.ask(asked, id=s.spaces[0])["space"]["visitorAuth"]
    assert told == {"backend": "INTEGRATION", "integrationId": login.name}
    other = ManagedSite(cast)
    other.post("/site-spaces", {"spaceId": s.spaces[0]})
    other.post("/publish", status=200)
    assert "visitorAuth" not in answered(cast.ria.get(here)), "everybody may read it there"
    other.post("/unpublish", status=200)
    assert answered(cast.ria.get(here))["visitorAuth"] == named
    s.patch("", {"visibility": "unlisted"})
    assert "visitorAuth" not in answered(cast.ria.get(here))


def test_the_key_of_a_site_is_its_administrators_secret(cast: Cast) -> None:
    s, other = ManagedSite(cast), ManagedSite(cast)
    first = s.get("/publishing/auth")
    assert first["backend"] == "custom"
    assert first["privateKey"] != other.get("/publishing/auth")["privateKey"]
    assert first["privateKey"] not in cast.ada.get(s.path).text
    fallback = {"backend": "custom", "fallbackURL": "https://example.org/login"}
    changed = s.patch("/publishing/auth", {**fallback, "logoutURL": "https://example.org/logout"})
    assert changed == {**first, **fallback, "logoutURL": "https://example.org/logout"}
    assert "fallbackURL" not in s.patch("/publishing/auth", {"backend": "custom", "fallbackURL": None})
    again = s.post("/publishing/auth/regenerate", status=200)
    assert again["privateKey"] != first["privateKey"]
    assert s.get("/publishing/auth") == again
    for wrong in (
        {},
        {"backend": "magic"},
        {**fallback, "fallbackURL": "javascript:x"},
        {"backend": "integration"},
    ):
        s.patch("/publishing/auth", wrong, status=400)
    login = PublishedIntegration(cast, scopes=["site:visitor:auth"])
    integration = {"backend": "integration", "integration": login.name}
    s.patch("/publishing/auth", integration, status=400)
    login.on_site(login.install(), s.id)
    assert s.patch("/publishing/auth", integration)["integration"] == login.name
    counter = PublishedIntegration(cast)
    counter.on_site(counter.install(), s.id)
    s.patch("/publishing/auth", {**integration, "integration": counter.name}, status=400)
    for person in (cast.cleo, cast.ria):
        assert person.get(f"{s.path}/publishing/auth").status_code == 403
        assert person.patch(f"{s.path}/publishing/auth", fallback).status_code == 403
        assert person.post(f"{s.path}/publishing/auth/regenerate").status_code == 403


def test_only_what_is_online_is_published(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    assert cast.ria.get(f"{s.path}/published").status_code == 404
    s.post("/publish", status=200)
    found = s.get("/published", cast.ria)
    assert (found["object"], found["scripts"]) == ("published-content-site", [])
    assert found["site"] == s.get(person=cast.ria)
    assert found["structure"] == s.get("/structure", cast.ria)
    assert found["customizations"]["site"] == s.get("/customization")
    assert answered(cast.sol.get(f"{s.path}/published"))["structure"]["structure"][0]["title"] == "Guide"
    s.patch("", {"visibility": "unlisted"})
    assert cast.sol.get(f"{s.path}/published").status_code == 404
    s.post("/unpublish", status=200)
    assert cast.ria.get(f"{s.path}/published").status_code == 404


def test_what_a_condition_hides_is_not_published(cast: Cast) -> None:
    s = ManagedSite(cast)
    for title in ("Open", "Hidden", "Broken"):
        s.section(title)
    _, hidden, broken = (section["id"] for section in s.get("/sections")["items"])
    s.group("Group", sections=[hidden])
    item = s.get("/sections")["items"][1]["siteSpaces"][0]["id"]
    s.patch(f"/sections/{hidden}", {"condition": "visitor.claims.vip"})
    s.patch(f"/site-spaces/{item}", {"condition": "visitor.claims.vip.deep.er == 1"})
    link = {"title": "Shop", "url": "https://example.org", "condition": "!visitor.claims.vip"}
    s.post("/external-links", link)
    s.post("/publish", status=200)
    shown = s.get("/published")["structure"]
    assert [each["title"] for each in shown["structure"]] == ["Open", "Shop"]
    assert broken in str(s.get("/structure"))
    assert broken not in str(shown)


LOOKS: dict[str, Any] = {
    "styling": {"primaryColor": {"light": "#112233", "dark": "#ddeeff"}, "corners": "straight"},
    "header": {"links": [{"title": "Home", "url": "https://example.org"}]},
}


def test_how_a_site_looks_is_set_as_a_whole(cast: Cast) -> None:
    s = ManagedSite(cast)
    first = s.get("/customization", cast.ria)
    assert first["themes"] == {"default": "system", "toggleable": True}
    put = answered(cast.cleo.put(f"{s.path}/customization", LOOKS))
    assert put["styling"]["primaryColor"] == LOOKS["styling"]["primaryColor"]
    assert put["styling"]["theme"] == "clean"
    assert put["header"]["links"] == [{**LOOKS["header"]["links"][0], "style": "link", "links": []}]
    assert s.get("/customization") == put
    assert answered(cast.cleo.put(f"{s.path}/customization", {})) == first
    assert cast.rhea.put(f"{s.path}/customization", LOOKS).status_code == 403


@pytest.mark.parametrize(
    "wrong",
    [
        {"styling": {"primaryColor": {"light": "red", "dark": "#ffffff"}}},
        {"styling": {"primaryColor": {"light": "#fff;}body{", "dark": "#ffffff"}}},
        {"styling": {"font": "url(//evil)"}},
        {"header": {"logo": {"light": "javascript:alert(1)", "dark": "https://example.org"}}},
        {"header": {"links": [{"title": "x", "url": "javascript:alert(1)"}]}},
        {
            "header": {
                "links": [{"title": "x", "url": "https://a", "links": [{"title": "y", "url": "//evil"}]}]
            }
        },
        {"header": {"primaryLink": {"title": "x", "url": "data:text/html,x"}}},
        {"footer": {"groups": [{"title": "x", "links": [{"title": "x", "url": "vbscript:x"}]}]}},
        {"announcement": {"message": "x", "link": {"title": "x", "url": "/\\evil"}}},
        {"announcement": {}},
        {"privacyPolicy": {"url": "javascript:1"}},
        {"themes": None},
    ],
)
def test_looks_that_could_do_harm_are_refused(cast: Cast, wrong: dict[str, Any]) -> None:
    s = ManagedSite(cast, "Guide")
    before = s.get("/customization")
    assert cast.ada.put(f"{s.path}/customization", wrong).status_code == 400
    item = s.get("/site-spaces")["items"][0]["id"]
    if wrong not in ({"themes": None}, {"announcement": {}}):  # which say nothing of a space
        assert cast.ada.patch(f"{s.path}/site-spaces/{item}/customization", wrong).status_code == 400
    assert s.get("/customization") == before


def test_a_space_of_a_site_looks_different_where_it_is_said(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide", "Guide 2")
    item = s.get("/site-spaces")["items"][1]["id"]
    path = f"/site-spaces/{item}/customization"
    site_looks = answered(cast.ada.put(f"{s.path}/customization", LOOKS))
    assert s.get(path) == site_looks
    changed = s.patch(path, {"styling": {"corners": "circular"}, "pdf": {"enabled": False}})
    assert changed["styling"] == {**site_looks["styling"], "corners": "circular"}
    assert changed["pdf"] == {"enabled": False}
    answered(cast.ada.put(f"{s.path}/customization", {"styling": {"theme": "bold"}}))
    assert s.get(path)["styling"]["theme"] == "bold"
    s.post("/publish", status=200)
    assert s.get("/published")["customizations"]["siteSpaces"] == {item: s.get(path)}
    changed = s.patch(path, {"styling": {"corners": None}})
    assert (changed["styling"]["corners"], changed["pdf"]) == ("rounded", {"enabled": False})
    s.delete(path)
    assert s.get(path) == s.get("/customization")
    assert cast.rhea.patch(s.path + path, {"pdf": {"enabled": False}}).status_code == 403


def test_what_differs_in_something_that_the_site_drops_rests_until_it_is_back(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    item = s.get("/site-spaces")["items"][0]["id"]
    path = f"/site-spaces/{item}/customization"
    colors = {"light": "#111111", "dark": "#eeeeee"}
    link = {"title": "More", "url": "https://example.org"}
    site_looks = {
        "announcement": {"message": "Soon", "link": link},
        "header": {"primaryLink": link},
        "styling": {"infoColor": colors},
    }
    answered(cast.ada.put(f"{s.path}/customization", site_looks))
    differing = {
        "announcement": {"style": "danger", "link": {"title": "Less"}},
        "header": {"primaryLink": {"title": "Try"}, "preset": "bold"},
        "styling": {"infoColor": {"light": "#222222"}},
    }
    before = s.patch(path, differing)
    answered(cast.ada.put(f"{s.path}/customization", {}))
    seen = s.get(path)
    assert not {"announcement"} & set(seen) | {"infoColor"} & set(seen["styling"])
    assert seen["header"] == {"preset": "bold", "links": []}
    s.post("/publish", status=200)
    assert s.get("/published")["customizations"]["siteSpaces"] == {item: seen}
    asked = """query($o: ID!, $s: ID!, $i: ID!) { organization(id: $o) { site(id: $s) { siteSpace(id: $i) {
        customization { announcement { message } header { preset } } } } } }"""
    found = cast.ada.ask(asked, o=cast.organization, s=s.id, i=item)["organization"]["site"]["siteSpace"]
    assert found["customization"] == {"announcement": None, "header": {"preset": "BOLD"}}
    for change in ({"pdf": {"enabled": False}}, {"header": {"preset": "contrast"}}, {"pdf": None}):
        s.patch(path, change)
    refused = s.patch(path, {"announcement": {"enabled": False}}, status=400)["error"]
    assert [detail["path"] for detail in refused["details"]] == ["announcement.message"]
    answered(cast.ada.put(f"{s.path}/customization", site_looks))
    before["header"]["preset"] = "contrast"
    assert s.get(path) == before
    answered(cast.ada.put(f"{s.path}/customization", {}))
    own = s.patch(path, {"announcement": {"message": "Now", "link": None}})["announcement"]
    assert own == {"enabled": True, "message": "Now", "style": "danger"}
    s.patch(path, {"announcement": None, "header": {"primaryLink": None}, "styling": None})


def test_a_site_is_searched_where_it_is_asked_for(cast: Cast) -> None:
    s = ManagedSite(cast)
    for title in ("Guide", "Guide 2", "Elsewhere"):
        files = {"README.md": f"# Lamps of {title}\n\nThe lamp burns.\n"}
        space = make.filled_space(cast, files, title=title)
        if title != "Elsewhere":
            s.post("/site-spaces", {"spaceId": space})
    s.post("/publish", status=200)
    first, second = s.get("/site-spaces")["items"]

    def search(person: Any = cast.ria, **scope: Any) -> list[str]:
        body = {"query": "lamp", "scope": scope}
        found = answered(person.post(f"{s.path}/search", body))
        assert found["count"] == len(found["items"])
        return sorted(item["title"] for item in found["items"])

    assert search(mode="all") == ["Lamps of Guide", "Lamps of Guide 2"]
    assert search(mode="default") == ["Lamps of Guide"]
    assert search(mode="default", currentSiteSpace=second["id"]) == ["Lamps of Guide", "Lamps of Guide 2"]
    assert search(mode="specific", siteSpaceIds=[second["id"]]) == ["Lamps of Guide 2"]
    assert search(mode="specific") == []
    body = {"query": "lamp", "scope": {"mode": "specific", "siteSpaceIds": [second["id"]]}}
    (hit,) = cast.ria.post(f"{s.path}/search", body).json()["items"]
    assert (hit["siteSpace"], hit["space"]) == (second["id"], second["space"]["id"])
    assert hit["urls"]["published"] == f"{second['urls']['published']}/{hit['path']}"
    collections.patched(cast.ada, f"/v1/spaces/{first['space']['id']}", {"defaultLevel": None})
    assert search(mode="all") == ["Lamps of Guide 2"]
    assert search(cast.ada, mode="all") == ["Lamps of Guide", "Lamps of Guide 2"]
    assert len(answered(cast.sol.post(f"{s.path}/search", body))["items"]) == 1
    s.patch("", {"visibility": "unlisted"})
    assert cast.sol.post(f"{s.path}/search", body).status_code == 404
    page = answered(cast.ada.post(f"{s.path}/search?limit=1", {**body, "scope": {"mode": "all"}}))
    assert (page["count"], len(page["items"]), "next" in page) == (2, 1, True)
    for wrong in ({}, {"query": "", "scope": {"mode": "all"}}, {"query": "x", "scope": {"mode": "some"}}):
        assert cast.ada.post(f"{s.path}/search", wrong).status_code == 400
    assert make.token(cast.ria, read_only=True).post(f"{s.path}/search", body).status_code == 200


def test_an_address_tells_what_is_published_there(cast: Cast) -> None:
    def at(url: str, person: Any = cast.ria, **more: Any) -> Any:
        return answered(person.post("/v1/urls/published", {"url": url, **more}))

    space = make.filled_space(cast, title="Guide")
    s = ManagedSite(cast, title="Docs")
    guide = s.post("/sections", {"spaceId": space})
    blog = s.section("Blog")
    old = s.post("/site-spaces", {"spaceId": spaces(cast, "Old")[0], "sectionId": blog["id"]})
    root = s.post("/publish", status=200)["urls"]["published"]
    found = at(f"{root}/machinery/lamp?x=1#y")
    page = cast.ada.get(f"/v1/spaces/{space}/content/path/machinery/lamp").json()["id"]
    assert found == {
        "organization": cast.organization,
        "site": s.id,
        "siteSection": guide["id"],
        "siteSpace": guide["siteSpaces"][0]["id"],
        "space": space,
        "page": page,
        "basePath": root.removeprefix(cast.instance.settings.sites_base),
        "pathname": "/machinery/lamp",
    }
    assert at(f"{root}/guide/machinery/lamp")["page"] == page
    assert at(root)["pathname"] == "/"
    before = f"{cast.instance.base}/sites/{cast.organization}/{s.id}"
    assert at(f"{before}/machinery/lamp")["page"] == page, "sites were at the API's host before"
    assert at(f"{root}/blog/old/x")["siteSpace"] == old["id"]
    assert at(f"{root}/blog/x")["siteSpace"] == blog["siteSpaces"][0]["id"]
    s.post("/redirects", {"source": "/lamp", "destination": {"kind": "path", "path": "/machinery/lamp"}})
    assert at(f"{root}/lamp") == {
        "organization": cast.organization,
        "site": s.id,
        "target": f"{root}/machinery/lamp",
        "redirect": True,
    }
    host = f"docs.{s.id}.example.org".lower()
    s.patch("", {"basename": "docs"})
    s.placed(hostname=host)
    assert at(f"https://{host.upper()}/machinery/lamp")["page"] == page
    assert at(f"{root.rpartition('/')[0]}/docs/machinery/lamp")["page"] == page
    s.placed(proxy=f"www.{host}/help/docs")
    assert at(f"https://www.{host}/help/docs/machinery/lamp")["page"] == page
    for nothing in (f"{root}x", "https://example.org/", f"https://www.{host}/help", cast.instance.base):
        assert cast.ria.post("/v1/urls/published", {"url": nothing}).status_code == 404
    for wrong in ("", "docs", "ftp://example.org", "//x", "https://[", "javascript:x", f"{root}/%00"):
        assert cast.ria.post("/v1/urls/published", {"url": wrong}).status_code == 400
    s.patch(f"/sections/{guide['id']}", {"condition": "visitor.claims.unsigned.beta"})
    assert at(root)["siteSection"] == guide["id"]
    assert at(root, visitor={"unsignedClaims": {"beta": True}})["siteSection"] == blog["id"], (
        "it adapts nothing"
    )
    s.patch("", {"adaptiveContent": {"enabled": True}})
    assert at(root, visitor={"unsignedClaims": {"beta": True}})["siteSection"] == guide["id"]
    assert at(root, visitor={"unsignedClaims": {}})["siteSection"] == blog["id"]
    for person in (cast.sol, cast.gus):
        assert answered(person.post("/v1/urls/published", {"url": root}))["siteSection"] == blog["id"]
    s.patch("", {"visibility": "unlisted"})
    for person in (cast.sol, cast.gus):
        assert person.post("/v1/urls/published", {"url": root}).status_code == 404
    s.post("/unpublish", status=200)
    assert cast.ada.post("/v1/urls/published", {"url": root}).status_code == 404


PAGE_ONE = {"kind": "external", "url": "https://example.org/x"}


def test_redirects_are_kept_by_their_source(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    made = s.post("/redirects", {"source": "/old/", "destination": PAGE_ONE})
    assert (made["source"], made["permanent"], made["captureWildcard"]) == ("/old", False, False)
    s.post("/redirects", {"source": "/old", "destination": PAGE_ONE}, status=409)
    other = s.post("/redirects", {"source": "/ol%64er", "destination": PAGE_ONE, "permanent": True})
    assert other["source"] == "/older"
    s.patch(f"/redirects/{other['id']}", {"source": "/old"}, status=409)
    changed = s.patch(f"/redirects/{other['id']}", {"source": "/oldest", "captureWildcard": True})
    assert (changed["source"], changed["permanent"], changed["captureWildcard"]) == ("/oldest", True, True)
    assert changed["destination"] == PAGE_ONE
    assert [x["source"] for x in s.get("/redirects", cast.ria)["items"]] == ["/old", "/oldest"]
    s.delete(f"/redirects/{made['id']}")
    assert s.get("/redirects")["count"] == 1
    assert cast.ada.put(f"{s.path}/redirects", {"redirects": []}).status_code == 400
    elsewhere = ManagedSite(cast)
    for method in ("PATCH", "DELETE"):
        path = f"{elsewhere.path}/redirects/{other['id']}"
        assert cast.ada.call(method, path, json={"source": "/x"}).status_code == 404
    for method, path, body in (
        ("POST", "/redirects", {"source": "/mine", "destination": PAGE_ONE}),
        ("PUT", "/redirects", {"redirects": [{"source": "/mine", "destination": PAGE_ONE}]}),
        ("PATCH", f"/redirects/{other['id']}", {"source": "/mine"}),
        ("DELETE", f"/redirects/{other['id']}", None),
    ):
        assert cast.rhea.call(method, s.path + path, json=body).status_code == 403


def test_many_redirects_are_written_at_once_or_not_at_all(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    s.post("/redirects", {"source": "/a", "destination": PAGE_ONE})
    body = [{"source": f"/{name}", "destination": {"kind": "path", "path": "/guide"}} for name in "ab"]
    done = answered(cast.cleo.put(f"{s.path}/redirects", {"redirects": body}))["results"]
    assert [(each["source"], each["result"]) for each in done] == [("/a", "updated"), ("/b", "created")]
    assert done[0]["redirect"]["destination"] == {"kind": "path", "path": "/guide"}
    many = [{"source": f"/n{n}", "destination": PAGE_ONE} for n in range(500)]
    assert len(answered(cast.ada.put(f"{s.path}/redirects", {"redirects": many}))["results"]) == 500
    for wrong in ([], [*many, *many], [body[0], body[0]], [body[0], {**body[1], "source": "//x"}]):
        assert cast.ada.put(f"{s.path}/redirects", {"redirects": wrong}).status_code == 400
    assert s.get("/redirects", limit=0)["count"] == 502
    two = [
        {"source": "/new", "destination": PAGE_ONE},
        {**body[1], "destination": {"kind": "path", "path": "/b"}},
    ]
    refused = cast.ada.put(f"{s.path}/redirects", {"redirects": two})
    assert refused.status_code == 400
    assert s.get("/redirects", limit=0)["count"] == 502


def test_a_redirect_leads_where_its_destination_is_now(cast: Cast) -> None:
    space = make.filled_space(cast, title="Guide")
    s = ManagedSite(cast)
    s.section("First")
    section = s.post("/sections", {"spaceId": space, "title": "Manual"})
    item = section["siteSpaces"][0]["id"]
    page = cast.ada.get(f"/v1/spaces/{space}/content/path/machinery/lamp").json()["id"]
    root = s.post("/publish", status=200)["urls"]["published"]
    destinations = {
        "/page": {"kind": "site-page", "siteSpace": item, "page": page},
        "/section": {"kind": "site-section", "siteSection": section["id"]},
        "/space": {"kind": "site-space", "siteSpace": item},
        "/path": {"kind": "path", "path": "/manual/größe"},
        "/away": {"kind": "external", "url": "http://example.org/there/"},
    }
    for source, destination in destinations.items():
        s.post("/redirects", {"source": source, "destination": destination, "captureWildcard": True})

    def target(source: str, **params: Any) -> str:
        found = s.get("/redirect", cast.ria, source=source, **params)
        assert found["redirect"]["source"] == "/" + source.split("/")[1]
        return str(found["target"])

    assert target("/page") == f"{root}/manual/machinery/lamp"
    assert target("/page/deeper") == f"{root}/manual/machinery/lamp"
    assert target("/section") == target("/space") == f"{root}/manual"
    assert target("/section/a/b") == f"{root}/manual/a/b"
    assert target("/path") == f"{root}/manual/gr%C3%B6%C3%9Fe"
    assert target("/path/x") == f"{root}/manual/gr%C3%B6%C3%9Fe/x"
    assert target("/away") == "http://example.org/there/"
    assert target("/away/x/y") == "http://example.org/there/x/y"
    s.patch(f"/sections/{section['id']}", {"path": "docs"})
    s.patch("", {"visibility": "share-link"})
    key = s.share_key()
    assert target("/page", shareKey=key) == f"{root}/docs/machinery/lamp?shareKey={key}"
    assert target("/away", shareKey=key) == "http://example.org/there/"
    for unknown in ("/nothing", "/", "/pages"):
        assert cast.ria.get(f"{s.path}/redirect", params={"source": unknown}).status_code == 404
    for wrong in ("nothing", "//x", ""):
        assert cast.ria.get(f"{s.path}/redirect", params={"source": wrong}).status_code == 400
    for source, destination in destinations.items():
        s.post("/redirects", {"source": f"/only{source}", "destination": destination})
        assert s.get("/redirect", cast.ria, source=f"/only{source}")["target"]
        below = cast.ria.get(f"{s.path}/redirect", params={"source": f"/only{source}/below"})
        assert below.status_code == 404, "without a wildcard a redirect is of one path"
    s.delete(f"/sections/{section['id']}")
    assert cast.ria.get(f"{s.path}/redirect", params={"source": "/page"}).status_code == 404


@pytest.mark.parametrize(
    "url",
    ["//evil.example", "https:evil.example", "\\\\evil.example", "javascript:alert(1)", "https://a@evil.example",
     "/x", "ftp://example.org", "https://good.example\\@evil.example"],
)  # fmt: skip
def test_a_redirect_to_what_is_no_whole_address_is_refused(cast: Cast, url: str) -> None:
    s = ManagedSite(cast, "Guide")
    destination = {"kind": "external", "url": url}
    s.post("/redirects", {"source": "/x", "destination": destination}, status=400)
    made = s.post("/redirects", {"source": "/x", "destination": PAGE_ONE})
    s.patch(f"/redirects/{made['id']}", {"destination": destination}, status=400)
    if url != "/x":
        s.post("/redirects", {"source": "/y", "destination": {"kind": "path", "path": url}}, status=400)
    assert s.get("/redirects")["items"][0]["destination"] == PAGE_ONE


def test_redirects_that_never_end_are_refused(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")

    def to(path: str) -> dict[str, Any]:
        return {"kind": "path", "path": path}

    s.post("/redirects", {"source": "/a", "destination": to("/a")}, status=400)
    s.post("/redirects", {"source": "/a", "destination": to("/a/b"), "captureWildcard": True}, status=400)
    s.post("/redirects", {"source": "/a", "destination": to("/b")})
    b = s.post("/redirects", {"source": "/b", "destination": to("/c")})
    s.post("/redirects", {"source": "/c", "destination": to("/a")}, status=400)
    s.patch(f"/redirects/{b['id']}", {"destination": to("/a")}, status=400)
    s.patch(f"/redirects/{b['id']}", {"source": "/d", "destination": to("/a")})
    s.post("/redirects", {"source": "/c", "destination": to("/a")})


def test_a_redirect_names_what_the_site_has(cast: Cast) -> None:
    space = make.filled_space(cast, title="Guide")
    s, other = ManagedSite(cast), ManagedSite(cast, "Other")
    item = s.post("/site-spaces", {"spaceId": space})["id"]
    theirs = other.get("/site-spaces")["items"][0]["id"]
    for wrong in (
        {"kind": "site-space", "siteSpace": theirs},
        {"kind": "site-page", "siteSpace": item, "page": "0" * 20},
        {"kind": "site-section", "siteSection": item},
        {"kind": "site-page", "siteSpace": item},
        {"kind": "nowhere"},
        {},
        None,
    ):
        s.post("/redirects", {"source": "/x", "destination": wrong}, status=400)


def test_the_parts_of_a_site_elsewhere_are_out_of_reach(cast: Cast) -> None:
    theirs = site(cast.sol, cast.elsewhere)["id"]
    for path in (
        "publishing/auth",
        "share-links",
        "redirects",
        "customization",
        "adaptive-schema",
        "published",
    ):
        assert cast.ada.get(f"{base(cast, theirs)}/{path}").status_code == 404
        assert cast.ada.get(f"/v1/orgs/{cast.elsewhere}/sites/{theirs}/{path}").status_code == 404
