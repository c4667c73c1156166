"""Sites, and what integrations answer, have an origin of their own, where no session counts (threats, 71)."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from app.cookies import without_sessions
from app.domain.site_addresses.addresses import RESERVED
from app.kit.settings import Settings
from app.main import create_app
from app.web.origins import SharedOrigin
from tests import anonymous, make
from tests.cast import Cast
from tests.factories.integrations import PublishedIntegration
from tests.factories.sites import answered
from tests.instance import Instance, running
from tests.integrations.test_endpoints import ECHO
from tests.integrations.test_events import until
from tests.visitors import PublishedSite

COOKIES = "docyard_session=dcs_secret; theme=dark; docyard_signed_in=1; __Host-docyard_session=dcs_secret"


def test_the_origin_of_sites_answers_nothing_of_the_api(cast: Cast) -> None:
    base, sites = cast.instance.base, cast.instance.settings.sites_base
    assert urlsplit(base).netloc != urlsplit(sites).netloc
    caller = {"authorization": f"Bearer {cast.ada.token}"}
    for path in ("/v1/user", "/v1/openapi.json", "/graphql", "/docs", "/", "/sso/session",
                 "/static/-/icon.svg", "/v1", "//v1/user", "/V1/user", "/%761/user"):  # fmt: skip
        assert anonymous.get(sites + path, headers=caller).status_code == 404, path
    query = {"query": "{ me { id } }"}
    assert anonymous.post(f"{sites}/graphql", json=query, headers=caller).status_code in (404, 405)
    assert anonymous.get(f"{sites}/healthz").text == "ok\n"
    # By whatever name the port of sites is asked, it is theirs.
    assert (
        anonymous.get(f"{sites}/v1/user", headers={**caller, "host": urlsplit(base).netloc}).status_code
        == 404
    )


def test_the_origin_of_the_api_answers_nothing_of_sites(cast: Cast) -> None:
    site = PublishedSite(cast)
    made = PublishedIntegration(cast, script=ECHO)
    place = site.url.removeprefix(cast.instance.settings.sites_base)
    endpoint = made.published["urls"]["publicEndpoint"]
    assert endpoint == f"{cast.instance.settings.sites_base}/~integrations/{made.name}/endpoint"
    for path in (place, f"{place}/guide/install", urlsplit(endpoint).path, "/~files/a/b/c/d/e"):
        assert anonymous.get(cast.instance.base + path).status_code == 404, path


def test_old_addresses_lead_to_the_origin_of_sites(cast: Cast) -> None:
    base, sites = cast.instance.base, cast.instance.settings.sites_base
    site = PublishedSite(cast, visibility="share-link")
    key = site.share()[1]
    place = site.url.removeprefix(sites)
    for old, new in (
        (f"/sites{place}/guide/install?shareKey={key}", f"{place}/guide/install?shareKey={key}"),
        ("/sites/~files/a/b/c/d%2Fe.png", "/~files/a/b/c/d%2Fe.png"),
        ("/integrations/lamps/endpoint/hook?a=b%20c", "/~integrations/lamps/endpoint/hook?a=b%20c"),
        ("/integration-assets/lamps/a.png", "/~integration-assets/lamps/a.png"),
        ("/integration-scripts/a/b/c.js", "/~integration-scripts/a/b/c.js"),
        ("/%73ites/acme/guide", "/acme/guide"),
        ("/sites//evil.example/x", "//evil.example/x"),
    ):
        for method in ("GET", "POST"):
            moved = cast.instance.http.request(method, old)
            assert (moved.status_code, moved.headers["location"]) == (308, f"{sites}{new}"), old
    with site.browser() as browser:
        old = f"{base}/sites{place}/guide/install?shareKey={key}"
        assert "Run the installer" in browser.client.get(old, follow_redirects=True).text


def test_sessions_never_reach_what_is_published(cast: Cast) -> None:
    """Browsers send cookies to every port of a host; ours are taken out before anybody sees them."""
    site = PublishedSite(cast, visibility="visitor-auth")
    script = """export default { async fetch(request) {
      const event = JSON.parse((await request.formData()).get("event"));
      const headers = { location: "https://id.example.org/" };
      return Response.json(event.request ?? {}, { status: 302, headers });
    } };"""
    made = PublishedIntegration(cast, scopes=["site:visitor:auth"], script=script)
    made.on_site(made.install(), site.id)
    told = anonymous.get(made.published["urls"]["publicEndpoint"], headers={"cookie": COOKIES}).json()
    assert "cookie" not in told["headers"]
    session = {"cookie": COOKIES, "sec-fetch-site": "same-origin"}
    for path in ("/v1/user", "/sso/session"):
        assert anonymous.get(cast.instance.settings.sites_base + path, headers=session).status_code == 404, (
            path
        )
    assert "set-cookie" not in anonymous.get(site.url, headers=session).headers
    sent = {"type": "http", "headers": [(b"cookie", COOKIES.encode()), (b"accept", b"*/*")]}
    assert without_sessions(sent)["headers"] == [(b"cookie", b"theme=dark"), (b"accept", b"*/*")]
    others = {"type": "http", "headers": [(b"cookie", b"theme=dark")]}
    assert without_sessions(others) is others


def test_sites_share_the_origin_of_the_api_only_where_that_was_chosen() -> None:
    base = "https://docs.example.org"
    for sites_url in ("", base, f"{base}/sites", f"{base}:443/sites", "HTTPS://DOCS.example.org/x"):
        with pytest.raises(SharedOrigin):
            create_app(Settings(base_url=base, sites_url=sites_url))
        chosen = Settings(base_url=base, sites_url=sites_url, shared_origin=True)
        assert not chosen.sites_apart
        create_app(chosen)
    for apart in ("https://sites.example.org", f"{base}:8443", "https://example.org/docs"):
        create_app(Settings(base_url=base, sites_url=apart))


@pytest.fixture(params=["", "/sites", "/published/docs"])
def shared(request: pytest.FixtureRequest, instance: Instance) -> Iterator[Instance]:
    """Give the same database served with sites at the API's origin, at its root or below."""
    address = f"http://127.0.0.1:{{port}}{request.param}"
    with running(instance.settings.database, sites_url=address, sites_port=0, shared_origin=True) as served:
        yield served


def test_both_may_share_an_origin(cast: Cast, shared: Instance) -> None:
    site = PublishedSite(cast)
    made = PublishedIntegration(cast, script=ECHO)
    base, sites = shared.base, shared.settings.sites_base
    assert "Run the installer" in anonymous.get(f"{sites}/{cast.organization}/{site.id}/guide/install").text
    endpoint = f"{sites}/~integrations/{made.name}/endpoint"
    assert anonymous.get(endpoint).json()["event"]["request"]["url"] == endpoint
    for path in ("/healthz", "/docs", "/v1/openapi.json"):
        assert anonymous.get(base + path).status_code == 200, path
    signed = ("/exports/a/b/c", "/files/a/b", "/openapi/a/b", "/pdf/a")
    for path in (*signed, "/v1/user", "/sso/a/b", "/static/a/b", "/graphql/x"):
        assert anonymous.get(base + path).headers["content-type"] == "application/json", path
    for old in ("/integrations/a/endpoint", "/integration-assets/a/b.png", "/integration-scripts/a/b/c.js"):
        assert anonymous.get(base + old).headers["location"] == f"{sites}/~{old[1:]}"


def test_no_organization_has_the_name_of_an_address_of_ours(cast: Cast) -> None:
    mine = f"/v1/orgs/{cast.organization}"
    for name in sorted(name for name in RESERVED if len(name) >= 3):
        refused = cast.ada.patch(mine, {"hostname": name})
        assert refused.status_code == 400, name
        assert refused.json()["error"]["details"][0]["path"] == "hostname"
    name = f"integrations-{cast.organization[-8:]}".lower()
    assert answered(cast.ada.patch(mine, {"hostname": name}))["hostname"] == name


def test_what_browsers_run_on_a_page_of_ours_is_ours(cast: Cast) -> None:
    """A script that somebody brought to either origin is below none of the folders that policies name."""
    site = PublishedSite(cast)
    made = PublishedIntegration(cast, scopes=["site:script:inject"])
    made.on_site(made.install(), site.id)
    (script,) = until(lambda: site.get("/integration-scripts"))
    space = make.filled_space(cast, {"README.md": "x", "a.js": "alert(1)", "a.css": "x"})
    files = [
        file["downloadURL"] for file in cast.ada.get(f"/v1/spaces/{space}/content/files").json()["items"]
    ]
    brought = [script["script"], made.published["urls"]["publicEndpoint"], *files]
    for page in (f"{cast.instance.base}/docs", f"{site.url}/~/search?q=x"):
        folders = anonymous.get(page).headers["content-security-policy"].partition(", ")[2]
        for source in folders.replace(";", " ").split():
            assert not any(urlsplit(each).path.startswith(source.removeprefix("*:*")) for each in brought)
    for file in files:
        assert anonymous.get(file).headers["content-type"].startswith("text/plain")
