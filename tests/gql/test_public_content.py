"""Public content is read by GET without a token in both APIs, nothing else is; responses are cacheable."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from app.api.catalog import OPERATIONS
from app.kit.signing import SESSION
from tests import make
from tests.cast import Cast
from tests.condition_spellings import CONDITIONAL
from tests.contract.write_documents import TRUSTED
from tests.databases import migrated_in
from tests.factories.changes import new_page
from tests.factories.sites import answered
from tests.instance import running
from tests.visitors import PublishedSite

PUBLIC = "public, max-age=60, stale-while-revalidate=600"
SITE = """query ($url: String!) {
    publishedUrl(url: $url) {
      pathname
      page { title markdown }
      site {
        title visibility published
        publishedContent { structure { structure { ... on SiteSpace { title space { id restId } } } } }
        search(query: "installer", scope: {mode: ALL}) { totalCount nodes { title page { title } } }
      }
    }
}"""
SPACE = """query ($id: ID!) {
    space(id: $id) {
      title language urls { published } defaultLevel permissions { view edit }
      pages { title path urls { app } pages { title path condition variables } }
      pageList { totalCount nodes { title parent { title } } }
      files { nodes { name downloadURL space { title } } }
      page(path: "guide/install") { title description markdown document blocks { __typename } }
    }
}"""
PAGE = "query ($id: ID!, $path: String!) { space(id: $id) { page(path: $path) { title } } }"
TREE = "query ($id: ID!) { space(id: $id) { pageList(first: 20) { nodes { path markdown document } } } }"
NODE = "query ($id: ID!) { node(id: $id) { ... on Space { title } } }"
FOUND = """query ($u: String!, $q: String!) {
    publishedUrl(url: $u) { site { search(query: $q, scope: {mode: ALL}) { totalCount } } }
}"""
COSTLY = """query ($id: ID!) {
    space(id: $id) { pageList(first: 1000) { nodes { markdown blocks { __typename } } } }
}"""
REFUSED = {
    "comments": "comments { totalCount }",
    "change requests": "changeRequests { totalCount }",
    "history": "revisions { totalCount }",
    "current revision": "currentRevision { id }",
    "links": "links { totalCount }",
    "search as an author": 'search(query: "x") { totalCount }',
    "people": "userPermissions { totalCount }",
    "audience": "audience { totalCount }",
    "organization": "organization { title }",
    "git": "gitInfo { url }",
    "variables": "variables",
    "reusable contents": "reusableContents { title }",
    "comments of a page": 'page(path: "guide/install") { comments { totalCount } }',
    "backlinks": 'page(path: "guide/install") { backlinks { totalCount } }',
}
REFUSED_OF_SITE = {
    "all spaces": "siteSpaces { totalCount }",
    "sections": "sections { totalCount }",
    "structure": "structure { type }",
    "share links": "shareLinks { totalCount }",
    "customization": "customization { styling { font } }",
    "redirects": "redirects { totalCount }",
    "keys": "publishingAuth { privateKey }",
}


def get(cast: Cast, query: str, headers: dict[str, str] | None = None, **variables: Any) -> httpx.Response:
    """Query by GET without a token."""
    parts = {"query": query, "variables": json.dumps(variables)}
    given = {"Accept": "application/json", **(headers or {})}
    return cast.instance.http.get("/graphql", params=parts, headers=given)


def read(cast: Cast, query: str, **variables: Any) -> Any:
    """Return the data that nobody reads without any error."""
    answer = get(cast, query, **variables)
    assert answer.status_code == 200, answer.text
    assert "errors" not in answer.json(), answer.text
    return answer.json()["data"]


def codes(answer: httpx.Response) -> list[tuple[list[Any] | None, str]]:
    """The errors of an answer: where, and their codes."""
    return [(error.get("path"), error["extensions"]["code"]) for error in answer.json().get("errors", ())]


@pytest.fixture
def site(cast: Cast) -> PublishedSite:
    """A public site."""
    return PublishedSite(cast)


def test_nobody_reads_a_public_site_from_its_address_on(cast: Cast, site: PublishedSite) -> None:
    found = read(cast, SITE, url=f"{site.url}/guide/install")["publishedUrl"]
    assert (found["pathname"], found["page"]["title"]) == ("/guide/install", "Install")
    assert "Run the installer." in found["page"]["markdown"]
    assert (found["site"]["visibility"], found["site"]["published"]) == ("PUBLIC", True)
    (shown,) = found["site"]["publishedContent"]["structure"]["structure"]
    assert (shown["title"], shown["space"]["restId"]) == ("Handbook", site.spaces[0])
    assert found["site"]["search"]["nodes"] == [{"title": "Install", "page": {"title": "Install"}}]
    by_id = read(
        cast, "query ($id: ID!) { node(id: $id) { ... on Space { title } } }", id=shown["space"]["id"]
    )
    assert by_id["node"] == {"title": "Handbook"}


def test_nobody_reads_pages_and_files_of_a_public_space(cast: Cast, site: PublishedSite) -> None:
    space = read(cast, SPACE, id=site.spaces[0])["space"]
    assert (space["title"], space["urls"]["published"]) == ("Handbook", site.url)
    assert space["defaultLevel"] is None
    assert space["permissions"] == {"view": False, "edit": False}
    assert [page["title"] for page in space["pages"]] == ["Start", "Guide"]
    assert [page["title"] for page in space["pages"][1]["pages"]] == ["Install", "Configure"]
    assert space["pageList"]["totalCount"] == 4
    assert space["pageList"]["nodes"][2] == {"title": "Install", "parent": {"title": "Guide"}}
    assert (space["page"]["title"], space["page"]["description"]) == ("Install", "How to install")
    assert "Click." in space["page"]["markdown"]
    assert space["page"]["blocks"]
    (file,) = space["files"]["nodes"]
    assert file["name"] == "lamp.png"
    assert file["space"] == {"title": "Handbook"}
    assert httpx.get(file["downloadURL"]).content == make.picture(3, 2)


def test_caches_may_share_what_is_public(cast: Cast, site: PublishedSite) -> None:
    answer = get(cast, SPACE, id=site.spaces[0])
    assert answer.headers["cache-control"] == PUBLIC
    assert {"Accept", "Authorization", "Cookie", "Origin"} <= {*answer.headers["vary"].split(", ")}
    again = get(cast, SPACE, {"If-None-Match": answer.headers["etag"]}, id=site.spaces[0])
    assert (again.status_code, again.headers["cache-control"]) == (304, PUBLIC)
    answered(cast.ada.patch(f"/v1/spaces/{site.spaces[0]}", {"title": "Changed"}))
    changed = get(cast, SPACE, {"If-None-Match": answer.headers["etag"]}, id=site.spaces[0])
    assert changed.json()["data"]["space"]["title"] == "Changed"
    with_session = get(cast, SPACE, {"Cookie": f"docyard_session={SESSION}unknown"}, id=site.spaces[0])
    assert with_session.json()["data"]["space"]["title"] == "Changed"
    assert with_session.headers["cache-control"] == "private, no-cache"
    own = {"query": SPACE, "variables": json.dumps({"id": site.spaces[0]})}
    assert cast.ada.get("/graphql", params=own).headers["cache-control"] == "private, no-cache"


def test_a_trusted_document_is_read_by_its_hash_and_may_be_cached(cast: Cast, site: PublishedSite) -> None:
    named = {name: key for key, name in json.loads(TRUSTED.read_text(encoding="utf-8")).items()}
    parts = {
        "extensions": json.dumps({"persistedQuery": {"version": 1, "sha256Hash": named["getPageByPath"]}}),
        "variables": json.dumps({"spaceId": site.spaces[0], "pagePath": "guide/install"}),
    }
    answer = cast.instance.http.get("/graphql", params=parts)
    assert answer.json()["data"]["space"]["page"]["title"] == "Install", answer.text
    assert (answer.headers["cache-control"], "etag" in answer.headers) == (PUBLIC, True)
    assert {"Accept", "Authorization", "Cookie", "Origin"} <= {*answer.headers["vary"].split(", ")}


@pytest.mark.parametrize("asked", REFUSED.values(), ids=REFUSED)
def test_each_field_that_is_not_public_is_refused_by_itself(
    cast: Cast, site: PublishedSite, asked: str
) -> None:
    answer = get(cast, f"query ($id: ID!) {{ space(id: $id) {{ title {asked} }} }}", id=site.spaces[0])
    assert answer.json()["data"]["space"]["title"] == "Handbook"
    ((path, code),) = codes(answer)
    assert (path or [])[:1] == ["space"]
    assert len(path or []) > 1
    assert (answer.status_code, code) == (200, "UNAUTHENTICATED")
    assert answer.headers["cache-control"] == "no-store"


def test_what_is_not_published_of_a_site_is_refused_field_by_field(cast: Cast, site: PublishedSite) -> None:
    named = " ".join(REFUSED_OF_SITE.values())
    answer = get(
        cast, f"query ($u: String!) {{ publishedUrl(url: $u) {{ site {{ title {named} }} }} }}", u=site.url
    )
    assert answer.json()["data"]["publishedUrl"]["site"].pop("title")
    assert {code for _, code in codes(answer)} == {"UNAUTHENTICATED"}
    assert len(codes(answer)) == len(REFUSED_OF_SITE)


def test_what_is_hidden_or_has_a_condition_is_nowhere(cast: Cast, site: PublishedSite) -> None:
    space = site.spaces[0]
    for_some = site.page(title="Zebra", document={"markdown": "zebraword"}, condition="visitor.claims.a == 1")
    below = new_page(cast.ada, space, title="Below", document={"markdown": "quaggaword"}, into=for_some)
    hidden = cast.ada.get(f"/v1/spaces/{space}/content/path/secret").json()["id"]
    for page, path in ((for_some, "zebra"), (below, "zebra/below"), (hidden, "secret")):
        assert cast.ada.get(f"/v1/spaces/{space}/content/path/{path}").status_code == 200
        assert cast.instance.http.get(f"/v1/spaces/{space}/content/page/{page}").status_code == 404
        assert codes(get(cast, PAGE, id=space, path=path)) == [(["space", "page"], "NOT_FOUND")]
        found = read(cast, "query ($u: String!) { publishedUrl(url: $u) { pageId } }", u=f"{site.url}/{path}")
        assert found == {"publishedUrl": {"pageId": None}}
    tree = json.dumps(read(cast, TREE, id=space))
    assert not [word for word in ("zebra", "quagga", "xylophone", "secret.md") if word in tree.lower()]
    for word in ("zebraword", "quaggaword", "xylophone"):
        found = read(cast, FOUND, u=site.url, q=word)
        assert found["publishedUrl"]["site"]["search"] == {"totalCount": 0}


def test_text_under_conditions_is_in_no_form_of_a_body(cast: Cast) -> None:
    understood = [case for case in CONDITIONAL if case.is_understood]
    files: dict[str, str | bytes] = {
        f"p{n}.md": f"# P{n}\n\n{case.body}" for n, case in enumerate(understood)
    }
    site = PublishedSite(cast, files=files)
    space = site.spaces[0]
    for n, case in enumerate(understood):
        for form in ("markdown", "document"):
            page = cast.instance.http.get(f"/v1/spaces/{space}/content/path/p{n}", params={"format": form})
            assert page.json()[form], case.name
            assert case.word not in page.text, case.name
    asked = "query ($id: ID!, $p: String!) { space(id: $id) { page(path: $p) { markdown document html } } }"
    if "html" not in _fields(cast, "Page"):
        asked = asked.replace(" html", "")
    for n, case in enumerate(understood[::10]):
        assert case.word not in json.dumps(read(cast, asked, id=space, p=f"p{10 * n}")), case.name


def _fields(cast: Cast, kind: str) -> set[str]:
    found = cast.ada.ask("query ($n: String!) { __type(name: $n) { fields { name } } }", n=kind)
    return {field["name"] for field in found["__type"]["fields"]}


def _unpublished(site: PublishedSite) -> None:
    site.post("/unpublish", status=200)


def _for_some(site: PublishedSite) -> None:
    (item,) = site.get("/site-spaces")["items"]
    site.patch(f"/site-spaces/{item['id']}", {"condition": "visitor.claims.plan == 'pro'"})


def _for_all_but_some(site: PublishedSite) -> None:
    (item,) = site.get("/site-spaces")["items"]
    site.patch(f"/site-spaces/{item['id']}", {"condition": "!visitor.claims.plan"})


def _draft(site: PublishedSite) -> None:
    (item,) = site.get("/site-spaces")["items"]
    site.patch(f"/site-spaces/{item['id']}", {"draft": True})


def _removed(site: PublishedSite) -> None:
    site.cast.ada.delete(f"/v1/spaces/{site.spaces[0]}")


CLOSED: dict[str, Callable[[PublishedSite], Any]] = {
    "unpublished": _unpublished,
    "unlisted": lambda site: site.patch("", {"visibility": "unlisted"}),
    "share link": lambda site: site.patch("", {"visibility": "share-link"}),
    "visitors who sign in": lambda site: site.patch("", {"visibility": "visitor-auth"}),
    "a condition": _for_some,
    "a condition that strangers meet": _for_all_but_some,
    "a draft": _draft,
    "deleted": _removed,
}


@pytest.mark.parametrize("close", CLOSED.values(), ids=CLOSED)
def test_what_is_no_longer_public_is_as_if_there_was_nothing(
    cast: Cast, close: Callable[[PublishedSite], Any]
) -> None:
    site = PublishedSite(cast)
    space = site.spaces[0]
    file = read(cast, SPACE, id=space)["space"]["files"]["nodes"][0]["downloadURL"]
    assert httpx.get(file).status_code == 200
    page = cast.ada.get(f"/v1/spaces/{space}/content/path/guide").json()["id"]
    close(site)
    paths = (
        f"/v1/spaces/{space}",
        f"/v1/spaces/{space}/content/pages",
        f"/v1/spaces/{space}/content/page/{page}",
    )
    for path in paths:
        answer = cast.instance.http.get(path)
        assert (answer.status_code, answer.headers["cache-control"]) == (401, "no-store")
        assert cast.sol.get(path).status_code == 404
        nothing = cast.instance.http.get(path.replace(space, "0" * 20))
        told = [(each.json(), each.headers["www-authenticate"]) for each in (answer, nothing)]
        assert told[0] == told[1]
    assert get(cast, SPACE, id=space).status_code == 401
    assert httpx.get(file).status_code == 404


def test_the_site_itself_is_not_there_unless_it_is_public(cast: Cast, site: PublishedSite) -> None:
    paths, url = (site.path, f"{site.path}/published"), site.url
    assert [cast.instance.http.get(path).status_code for path in paths] == [200, 200]
    for close in (
        CLOSED["unlisted"],
        CLOSED["share link"],
        CLOSED["visitors who sign in"],
        CLOSED["unpublished"],
    ):
        close(site)
        assert [cast.instance.http.get(path).status_code for path in paths] == [401, 401]
        assert [cast.sol.get(path).status_code for path in paths] == [404, 404]
        answer = get(cast, "query ($u: String!) { publishedUrl(url: $u) { siteId } }", u=url)
        assert answer.status_code == 401


def test_drafts_and_conditions_are_left_out_of_the_published_structure(cast: Cast) -> None:
    site = PublishedSite(cast, "First", "Second", "Third")
    items = {item["title"]: item["id"] for item in site.get("/site-spaces")["items"]}
    site.patch(f"/site-spaces/{items['Second']}", {"draft": True})
    site.patch(f"/site-spaces/{items['Third']}", {"condition": "visitor.claims.plan == 'pro'"})
    shown = answered(cast.instance.http.get(f"{site.path}/published"))
    assert [each["title"] for each in shown["structure"]["structure"]] == ["First"]
    assert "siteSpaces" not in shown["site"]
    assert len(answered(cast.ada.get(f"{site.path}/published"))["structure"]["structure"]) == 1
    assert cast.instance.http.get(f"/v1/spaces/{site.spaces[1]}").status_code == 401


def test_change_requests_and_revisions_of_a_public_space_are_private(cast: Cast, site: PublishedSite) -> None:
    space = site.spaces[0]
    number = make.change_request(cast.ada, space)["number"]
    revision = cast.ada.get(f"/v1/spaces/{space}").json()["revision"]
    for place in (f"change-requests/{number}", f"revisions/{revision}"):
        for rest in ("content/pages", "pages", "content/path/guide", "path/guide", ""):
            assert cast.instance.http.get(f"/v1/spaces/{space}/{place}/{rest}").status_code in (401, 404)
            assert cast.sol.get(f"/v1/spaces/{space}/{place}/{rest}").status_code == 404


def test_a_token_never_hides_what_is_public(cast: Cast, site: PublishedSite) -> None:
    path = f"/v1/spaces/{site.spaces[0]}/content/pages"
    anonymous = answered(cast.instance.http.get(path))
    assert len(answered(cast.ada.get(path))["pages"]) == len(anonymous["pages"]) + 1
    for person in (cast.sol, cast.gus):
        assert answered(person.get(path)) == anonymous
        assert answered(person.get(f"{site.path}/published")) == answered(
            cast.instance.http.get(f"{site.path}/published")
        )
        assert person.ask(SITE, url=site.url) == read(cast, SITE, url=site.url)
        assert person.ask(SPACE, id=site.spaces[0]) == read(cast, SPACE, id=site.spaces[0])
        files = answered(person.get(f"/v1/spaces/{site.spaces[0]}/content/files", params={"limit": 1}))
        assert files["count"] == 1
        assert person.patch(f"/v1/spaces/{site.spaces[0]}", {"title": "Mine"}).status_code == 404


def test_files_are_read_where_a_page_for_everybody_leads_to_them(cast: Cast) -> None:
    files: dict[str, str | bytes] = {
        "README.md": '# Start\n\n![](.gitbook/assets/open.png) {% include ".gitbook/includes/part.md" %}\n',
        "hidden.md": "---\nhidden: true\n---\n\n# Hidden\n\n![](.gitbook/assets/closed.png)\n",
        "hidden-no-more.md": "# Beside\n\n![](.gitbook/assets/beside.png)\n",
        "some.md": "# Some\n\n{% if visitor.claims.a %}\n![](.gitbook/assets/some.png)\n{% endif %}\n",
        ".gitbook/includes/part.md": "![](../assets/part.png)\n",
        ".gitbook/assets/unused.png": make.picture(9, 1),
    }
    for n, name in enumerate(("open", "closed", "some", "part", "beside")):
        files[f".gitbook/assets/{name}.png"] = make.picture(n + 1, 2)
    site = PublishedSite(cast, files=files)
    space = site.spaces[0]
    path = f"/v1/spaces/{space}/content/files"
    known = {file["name"]: file["id"] for file in cast.ada.get(path).json()["items"]}
    assert {"open.png", "closed.png", "some.png", "unused.png"} <= known.keys()
    listed = answered(cast.instance.http.get(path))["items"]
    assert {file["name"] for file in listed} == {"open.png", "part.png", "beside.png"}
    for name, status in (("open.png", 200), ("beside.png", 200), ("closed.png", 404), ("unused.png", 404)):
        assert cast.instance.http.get(f"{path}/{known[name]}").status_code == status


def test_rest_serves_what_is_public_as_graphql_does(cast: Cast, site: PublishedSite) -> None:
    space = site.spaces[0]
    paths = ("", "/content/pages", "/content/files", "/content/path/guide/install")
    for path in paths:
        answer = cast.instance.http.get(f"/v1/spaces/{space}{path}")
        assert (answer.status_code, answer.headers["cache-control"]) == (200, PUBLIC)
        assert answer.headers["vary"] == "Authorization, Cookie, Origin"
        tag = {"If-None-Match": answer.headers["etag"]}
        assert cast.instance.http.get(f"/v1/spaces/{space}{path}", headers=tag).status_code == 304
    answer = cast.instance.http.post(
        f"{site.path}/search", json={"query": "installer", "scope": {"mode": "all"}}
    )
    assert [item["title"] for item in answered(answer)["items"]] == ["Install"]
    for path in ("comments", "change-requests", "revisions", "permissions/users", "links", "search?query=x"):
        assert cast.instance.http.get(f"/v1/spaces/{space}/{path}").status_code == 401
    for method in ("PATCH", "DELETE", "POST"):
        assert cast.instance.http.request(method, f"/v1/spaces/{space}", json={}).status_code in (401, 405)


def test_nobody_says_who_they_are_without_a_token(cast: Cast, site: PublishedSite) -> None:
    asked = {"query": "installer", "scope": {"mode": "all"}, "visitor": {"unsignedClaims": {"beta": True}}}
    assert cast.instance.http.post(f"{site.path}/search", json=asked).status_code == 401
    assert cast.sol.post(f"{site.path}/search", asked).status_code == 404
    found = {"url": site.url, "visitor": {"unsignedClaims": {"beta": True}}}
    assert cast.instance.http.post("/v1/urls/published", json=found).status_code == 401


def test_the_rows_that_need_no_token_are_these() -> None:
    assert {row.id for row in OPERATIONS if row.is_published} == {
        *("getSiteById", "getPublishedContentSite", "searchSiteContent", "resolvePublishedUrl"),
        *("getSpaceById", "listPages", "getPageById", "getPageByPath", "listFiles", "getFileById"),
        "getReusableContentById",
    }
    assert not [row.id for row in OPERATIONS if row.is_published and row.writes]


def test_limits_hold_for_nobody(tmp_path: Any) -> None:
    limits = {"proxies": 1, "anonymous_rate_limit": 5, "graphql_max_cost": 400}
    with running(migrated_in(tmp_path), **limits) as instance:
        cast = make.cast(instance)
        space = PublishedSite(cast).spaces[0]
        address = {"X-Forwarded-For": "203.0.113.9"}
        answer = get(cast, COSTLY, address, id=space)
        assert (answer.json()["errors"][0]["extensions"]["code"], "data" in answer.json()) == (
            "TOO_COSTLY",
            False,
        )
        simple = "query ($id: ID!) { space(id: $id) { title } }"
        statuses = [get(cast, simple, address, id=space).status_code for _ in range(6)]
        assert statuses == [200, 200, 200, 200, 429, 429]
        assert instance.http.get(f"/v1/spaces/{space}", headers=address).status_code == 429
        assert get(cast, simple, {"X-Forwarded-For": "203.0.113.10"}, id=space).status_code == 200


def test_a_mutation_or_a_schema_is_nothing_that_nobody_reads(cast: Cast, site: PublishedSite) -> None:
    change = 'mutation { updateSpace(input: {space: "x", title: "y"}) { userErrors { code } } }'
    assert get(cast, change).status_code in (401, 405)
    assert get(cast, "{ __schema { queryType { name } } }").status_code == 401
    post = cast.instance.http.post("/graphql", json={"query": SPACE, "variables": {"id": site.spaces[0]}})
    assert post.status_code == 401


@pytest.mark.parametrize("given", [{"statu": []}, {"status": ["OPENED"]}])
def test_nobody_is_suggested_names_of_the_schema(cast: Cast, site: PublishedSite, given: Any) -> None:
    asked = """query ($id: ID!, $filter: ChangeRequestFilter) {
        space(id: $id) { changeRequests(filter: $filter) { totalCount } } }"""
    answer = get(cast, asked, id=site.spaces[0], filter=given)
    assert "errors" in answer.json()
    assert not any(each in answer.text for each in ("Did you mean", "Allowed values"))
