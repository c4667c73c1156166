"""URLs of sites: default URLs, hostnames, directories of other hosts; and paths that do not exist."""

from __future__ import annotations

import html
import re
import socket
import time
from collections.abc import Iterator
from urllib.parse import quote, urlsplit

import httpx
import pytest

from app.kit.ids import new_id
from tests import anonymous, make
from tests.cast import Cast
from tests.factories.changes import new_page
from tests.factories.sites import answered, spaces
from tests.instance import Instance, running
from tests.visitors import PAGES, PublishedSite, token


def at_host(site: PublishedSite, host: str, path: str, **options: object) -> httpx.Response:
    """Return the answer of the server at another host."""
    headers = {"host": host, **options.pop("headers", {})}  # type: ignore[dict-item]
    base = options.pop("base", site.cast.instance.base)
    return anonymous.get(f"{base}{path}", headers=headers, **options)  # type: ignore[arg-type]


def test_a_site_has_one_proper_address(cast: Cast) -> None:
    site = PublishedSite(cast)
    by_id = site.url
    name = f"docs-{new_id()}".lower()
    site.patch("", {"basename": name})
    moved = anonymous.get(f"{by_id}/guide/install")
    assert (moved.status_code, moved.headers["location"]) == (307, f"{site.url}/guide/install")
    assert site.url.endswith(f"/{name}")
    slashed = anonymous.get(f"{site.url}/guide/install/")
    assert (slashed.status_code, slashed.headers["location"]) == (308, f"{site.base}/guide/install")
    assert anonymous.get(f"{site.url}/").headers["location"] == site.base
    assert anonymous.get(f"{site.url}/start").status_code == 404
    assert anonymous.get(f"{site.url}/readme").headers["location"] == site.base


def test_a_site_at_a_host_of_its_own_is_all_there_is_there(cast: Cast) -> None:
    host = f"docs.{new_id()}.example".lower()
    site = PublishedSite(cast, hostname=host)
    assert site.url == f"https://{host}"
    page = at_host(site, host, "/guide/install")
    assert page.status_code == 200
    assert 'href="/guide/configure"' in page.text
    assert f'<link rel="canonical" href="https://{host}/guide/install">' in page.text
    assert at_host(site, f"{host}:8443", "/").status_code == 200
    for path in ("/v1/orgs", "/graphql", "/healthz", "/docs", "/v1/openapi.json", "/files/a/b/c/d"):
        answer = at_host(site, host, path, headers={"authorization": f"Bearer {cast.ada.token}"})
        assert answer.status_code == 404, path
    by_name = anonymous.get(
        f"{cast.instance.settings.sites_base}/{cast.organization}/{site.id}/guide/install"
    )
    assert (by_name.status_code, by_name.headers["location"]) == (307, f"https://{host}/guide/install")


def test_nobody_elses_host_is_a_site(cast: Cast) -> None:
    site = PublishedSite(cast)
    for host in ("docs.evil.example", "localhost", "127.0.0.1", "evil", "[::1]", "a..b", "evil" * 99):
        assert at_host(site, host, "/guide/install").status_code == 404, host
        assert at_host(site, host, f"{site.base}/guide/install").status_code == 404, host
        # What asks at the port of sites is answered by their names, whatever it calls the host.
        page = at_host(site, host, f"{site.base}/guide/install", base=cast.instance.settings.sites_base)
        assert page.status_code == 200
        assert f'<link rel="canonical" href="{site.url}/guide/install">' in page.text
        assert "evil" not in page.text


def test_a_directory_of_somebodys_domain_hands_on(cast: Cast) -> None:
    domain = f"{new_id()}.example".lower()
    site = PublishedSite(cast, proxy=f"{domain}/help/docs")
    assert site.url == f"https://{domain}/help/docs"
    target = f"{cast.instance.settings.sites_base}/{cast.organization}/{site.id}"
    handed_on = anonymous.get(f"{target}/guide/install")
    assert 'href="/help/docs/guide/configure"' in handed_on.text
    assert f'href="https://{domain}/help/docs/guide/install"' in handed_on.text
    assert at_host(site, domain, "/help/docs/guide/install").text == handed_on.text
    assert at_host(site, domain, "/help/other").status_code == 404


def test_sections_have_their_paths(cast: Cast) -> None:
    site = PublishedSite(cast)
    section = site.section("Reference")
    inside = section["siteSpaces"][0]
    new_page(cast.ada, inside["space"]["id"], title="Endpoints", document={"markdown": "All endpoints"})
    new_page(cast.ada, inside["space"]["id"], title="Errors", document={"markdown": "All errors"})
    address = section["urls"]["published"]
    assert "All endpoints" in anonymous.get(address).text
    assert "All errors" in anonymous.get(f"{address}/errors").text
    assert site.open("/errors").status_code == 404
    assert f'href="{site.base}/{section["path"]}"' in anonymous.get(site.url).text
    assert f"{address}/errors" in site.open("/sitemap.xml").text


def test_links_lead_to_other_spaces_of_the_site_and_to_no_others(cast: Cast) -> None:
    site = PublishedSite(cast, "Handbook", "Version two")
    second = new_page(cast.ada, site.spaces[1], title="Second", document={"markdown": "Of the second"})
    (other,) = spaces(cast, "Elsewhere")
    secret = new_page(cast.ada, other, title="Unpublished", document={"markdown": "x"})
    text = (
        f"[a](/spaces/{site.spaces[1]}/pages/{second}) [b](/spaces/{site.spaces[1]})"
        f" [c](/spaces/{other}/pages/{secret}) [d](/spaces/{other})"
    )
    site.page(title="Links", document={"markdown": text})
    place = site.get("/site-spaces")["items"][1]["urls"]["published"]
    page = site.open("/links").text
    assert page.count(f'href="{urlsplit(place).path}"') >= 2
    assert other not in page
    assert secret not in page
    assert f"[a]({place})" in site.open("/links.md").text


def test_variants_are_found_by_path(cast: Cast) -> None:
    site = PublishedSite(cast, "Handbook", "Version two")
    new_page(cast.ada, site.spaces[1], title="Second", document={"markdown": "Of the second"})
    variant = site.get("/site-spaces")["items"][1]
    assert "Of the second" in anonymous.get(variant["urls"]["published"]).text
    assert variant["urls"]["published"] in site.open("/sitemap.xml").text
    hits = anonymous.get(f"{site.url}/~/search?q=second", headers={"accept": "application/json"}).json()[
        "hits"
    ]
    assert [hit["place"] for hit in hits] == ["Version two"]
    # A search begins in the variant that is read, and goes on in the others.
    new_page(cast.ada, site.spaces[0], title="Second of all", document={"markdown": "The second, second"})
    for read in site.get("/site-spaces")["items"]:
        field = f'name="space" value="{read["id"]}"'
        assert field in anonymous.get(read["urls"]["published"]).text
        answer = anonymous.get(
            f"{site.url}/~/search?q=second&space={read['id']}", headers={"accept": "application/json"}
        )
        hits = [hit["place"] for hit in answer.json()["hits"]]
        assert (hits[0], set(hits)) == (read["title"], {"Handbook", "Version two"})
        assert field in anonymous.get(f"{site.url}/~/search?q=second&space={read['id']}").text
    renamed = answered(cast.ada.patch(f"{site.path}/site-spaces/{variant['id']}", {"path": "v2"}))
    assert anonymous.get(renamed["urls"]["published"]).url.path.endswith("/v2")
    moved = anonymous.get(variant["urls"]["published"])
    assert (moved.status_code, moved.headers["location"]) == (
        307,
        urlsplit(renamed["urls"]["published"]).path,
    )


def test_a_page_wins_over_the_name_of_what_is_the_default(cast: Cast) -> None:
    """The first space has no name in addresses, so that a page may have it (decisions, Site address)."""
    site = PublishedSite(cast, "Guide")
    place = site.get("/site-spaces")["items"][0]
    assert place["path"] == "guide"
    assert "All about it." in site.open("/guide").text
    assert "Run the installer." in site.open("/guide/install").text
    assert site.open("/guide.md").text.startswith("# Guide\n")
    known = answered(cast.ada.post("/v1/urls/published", {"url": f"{site.url}/guide"}))
    assert (known["pathname"], known["siteSpace"], "page" in known) == ("/guide", place["id"], True)
    # Where no page has it, the name is still understood.
    assert site.open("/guide/secret").headers["location"] == f"{site.base}/secret"
    # A page that moved away is found there, too.
    page = new_page(cast.ada, site.spaces[0], title="Was", into=known["page"])
    make.changes(cast.ada, site.spaces[0], {"operation": "update_page", "page": page, "slug": "now"})
    assert site.open("/guide/was").headers["location"] == f"{site.base}/guide/now"
    assert site.get("/redirect", source="/guide/was")["target"] == f"{site.url}/guide/now"
    section = site.section("Reference")
    new_page(cast.ada, section["siteSpaces"][0]["space"]["id"], title="Intro")
    name = section["siteSpaces"][0]["path"]
    new_page(cast.ada, section["siteSpaces"][0]["space"]["id"], title=name, document={"markdown": "Itself"})
    assert "Itself" in anonymous.get(f"{section['urls']['published']}/{name}").text
    assert "All about it." in site.open("/guide").text


def test_any_letters_make_an_address(cast: Cast) -> None:
    site = PublishedSite(cast)
    for title in ("日本語", "Größe & Co.", "a'b (c)", "100 % v1.2", "पृष्ठ", "x.md"):
        site.page(title=title, document={"markdown": f"About {title}"})
        found = cast.ada.get(f"/v1/spaces/{site.spaces[0]}/content/pages").json()["pages"][-1]["path"]
        address = f"{site.base}/{quote(found)}"
        assert f'href="{html.escape(address)}"' in site.open().text, address
        page = site.open(f"/{quote(found)}")
        assert page.status_code == 200, address
        assert html.escape(title) in page.text
        assert f"{site.url}/{quote(found)}.md" in site.open("/llms.txt").text
        assert site.open(f"/{quote(found)}.md").status_code == 200


def test_too_much_in_an_address_is_not_heeded(cast: Cast) -> None:
    site = PublishedSite(cast)
    many = "&".join(f"a{n}={n}" for n in range(500))
    for query in (many, "a=" + "b" * 9000, "%ff=%fe&%00=1", "&&==&", "jwt_token"):
        assert site.open(f"?{query}").status_code == 200, query[:30]
    assert site.open("", cookie="; ".join(f"c{n}=x" for n in range(300))).status_code == 200
    assert site.open("", cookie="=;;==;a;_visitor=;" + "x" * 3000).status_code == 200


TRICKS = [
    "/guide%2Finstall", "/guide/%2e%2e/secret", "/guide/..%2f..%2f", "/%2e", "//guide/install", "/%ff%fe",
    "/guide//install", "/guide/install%00", "/guide\\install", "/guide%5Cinstall", "/" + "a" * 3000,
    "/guide/install%0d%0aX-Evil:1", "/..%2f..%2fetc/passwd", "/" + "/".join("a" * 60), "/~/nothing", "/~",
    "/~/static/x/../reader.css", "/~/static/-/..%2freader.css", "/~/static/-/serving.py",
    "/~/looks/other/x.css",
]  # fmt: skip


@pytest.mark.parametrize("path", TRICKS)
def test_what_can_be_read_in_two_ways_is_no_address(cast: Cast, path: str) -> None:
    site = PublishedSite(cast)
    port = urlsplit(site.url).port
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(
            f"GET {site.base}{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()
        )
        answer = b""
        while part := line.recv(65536):
            answer += part
    head = answer.partition(b"\r\n\r\n")[0]
    assert b" 404 " in head.splitlines()[0], (path, head[:200])
    assert b"x-evil" not in head.lower()


def test_a_page_that_moved_is_found_at_its_old_path(cast: Cast) -> None:
    site = PublishedSite(cast)
    page = site.page(title="Old name", slug="old-name", document={"markdown": "Moving"})
    assert site.open("/old-name").status_code == 200
    make.changes(cast.ada, site.spaces[0], {"operation": "update_page", "page": page, "slug": "new-name"})
    old = site.open("/old-name")
    assert (old.status_code, old.headers["location"]) == (308, f"{site.base}/new-name")
    site.page(title="Another", slug="old-name", document={"markdown": "In its place"})
    assert "In its place" in site.open("/old-name").text


def test_redirects_of_a_repository_hold_on_the_site(cast: Cast) -> None:
    leads = {"previous/page": "guide/install.md", "ancient": "./guide/README.md", "lost": "gone.md"}
    settings = "redirects:\n" + "".join(f"  {source}: {target}\n" for source, target in leads.items())
    site = PublishedSite(cast, files={**PAGES, ".gitbook.yaml": settings})
    assert site.open("/previous/page").headers["location"] == f"{site.base}/guide/install"
    assert site.open("/ancient").headers["location"] == f"{site.base}/guide"
    assert site.open("/lost").status_code == 404


def test_a_redirect_leads_nobody_to_what_they_may_not_see(cast: Cast) -> None:
    site = PublishedSite(cast)
    site.adapts()
    page = site.page(title="For staff", document={"markdown": "x"}, condition="visitor.claims.staff")
    item = site.get("/site-spaces")["items"][0]["id"]
    to_page = {"kind": "site-page", "siteSpace": item, "page": page}
    site.post("/redirects", {"source": "/staff", "destination": to_page})
    assert site.open("/staff").status_code == 404
    with site.browser() as browser:
        browser.get(f"?jwt_token={token(site.key, staff=True)}")
        assert browser.get("/staff").headers["location"] == f"{site.base}/for-staff"
    make.changes(cast.ada, site.spaces[0], {"operation": "update_page", "page": page, "slug": "elsewhere"})
    assert site.open("/for-staff").status_code == 404


def test_redirects_of_a_site_lead_on(cast: Cast) -> None:
    site = PublishedSite(cast)
    space = site.get("/site-spaces")["items"][0]["id"]
    install = cast.ada.get(f"/v1/spaces/{site.spaces[0]}/content/path/guide/install").json()["id"]
    page = {"kind": "site-page", "siteSpace": space, "page": install}
    site.post("/redirects", {"source": "/setup", "destination": page, "permanent": True})
    site.post(
        "/redirects",
        {"source": "/old", "destination": {"kind": "path", "path": "/guide"}, "captureWildcard": True},
    )
    site.post("/redirects", {"source": "/Getting started", "destination": {"kind": "path", "path": "/guide"}})
    assert site.open("/Getting%20started").headers["location"] == f"{site.base}/guide"
    away = {"kind": "external", "url": "https://example.org/elsewhere"}
    site.post("/redirects", {"source": "/away", "destination": away})
    setup = site.open("/setup")
    assert (setup.status_code, setup.headers["location"]) == (308, f"{site.base}/guide/install")
    assert site.open("/old/install").headers["location"] == f"{site.base}/guide/install"
    assert site.open("/away").headers["location"] == "https://example.org/elsewhere"
    assert site.open("/away/further").status_code == 404
    for wrong in ("//evil.example", "/\\evil", "javascript:alert(1)", "https:evil"):
        answer = cast.ada.post(
            f"{site.path}/redirects", {"source": "/x", "destination": {"kind": "path", "path": wrong}}
        )
        assert answer.status_code == 400, wrong


@pytest.fixture(params=["", "/published/docs"])
def apart(request: pytest.FixtureRequest, instance: Instance) -> Iterator[Instance]:
    """Give the same database served with sites at a host of their own, at its root or below."""
    with running(instance.settings.database, sites_url=f"http://localhost:{{port}}{request.param}") as served:
        yield served


def test_sites_may_have_a_host_apart_from_the_api(cast: Cast, apart: Instance) -> None:
    site = PublishedSite(cast)
    path = f"/{cast.organization}/{site.id}"
    there = apart.settings.sites_base
    page = anonymous.get(f"{there}{path}/guide/install")
    assert page.status_code == 200
    assert f'<link rel="canonical" href="{there}{path}/guide/install">' in page.text
    assert f'href="{urlsplit(there).path}{path}/guide/configure"' in page.text
    picture = re.findall(r'src="([^"]+lamp.png)"', anonymous.get(f"{there}{path}").text)[0]
    assert picture.startswith(f"{there}/~files/")
    assert anonymous.get(picture).headers["content-type"] == "image/png"
    host = urlsplit(there).netloc
    for api in ("/v1/orgs", "/graphql", "/docs", "/v1/openapi.json", "/sso/session", "/static/-/icon.svg"):
        headers = {"authorization": f"Bearer {cast.ada.token}"}
        assert anonymous.get(f"http://{host}{api}", headers=headers).status_code == 404, api
    assert anonymous.get(f"{apart.settings.base_url}/healthz").status_code == 200
    assert anonymous.get(f"{apart.settings.base_url}{path}/guide/install").status_code == 404


def test_a_host_is_a_site_as_soon_as_it_is_published(cast: Cast) -> None:
    host = f"docs.{new_id()}.example".lower()
    site = PublishedSite(cast)
    assert at_host(site, host, "/guide/install").status_code == 404
    site.patch("", {"hostname": host})
    assert at_host(site, host, "/guide/install").status_code == 404
    site.placed(hostname=host)
    deadline = time.monotonic() + 30
    while at_host(site, host, "/guide/install").status_code == 404:
        assert cast.instance.engine == "postgresql"  # where a miss is remembered for two seconds
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert at_host(site, f"{host}:443", "/guide/install").status_code == 200
    site.patch("", {"hostname": None})
    assert at_host(site, host, "/guide/install").status_code == 404
