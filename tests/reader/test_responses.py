"""Responses of sites: current content, caching headers, security headers."""

from __future__ import annotations

import gzip

import pytest

from tests import anonymous, make
from tests.cast import Cast
from tests.visitors import PublishedSite

EVERYTHING = ("", "/guide/install", "/guide/install.md", "/llms.txt", "/llms-full.txt", "/sitemap.xml",
              "/robots.txt", "/~/search?q=install", "/nothing")  # fmt: skip


@pytest.fixture
def site(cast: Cast) -> PublishedSite:
    """A public site."""
    return PublishedSite(cast)


def test_a_page_is_at_its_path_and_the_first_one_at_the_sites_address(site: PublishedSite) -> None:
    assert "Welcome aboard" in site.open().text
    install = site.open("/guide/install")
    assert install.status_code == 200
    assert "Run the installer" in install.text
    assert f'href="{site.base}/guide/install"' in site.open().text
    assert site.open("/guide/nothing").status_code == 404


def test_a_group_leads_to_its_first_page_and_nowhere_without_one(site: PublishedSite) -> None:
    group = site.page(type="group", title="Extras")
    assert site.open("/extras").status_code == 404
    assert "Extras" not in site.open().text
    site.page(title="First", into=group)
    assert site.open("/extras").headers["location"] == f"{site.base}/extras/first"
    assert "Extras" in site.open().text


def test_an_edit_is_seen_at_once(site: PublishedSite) -> None:
    page = site.page(title="News", document={"markdown": "Old news"})
    assert "Old news" in site.open("/news").text
    change = {"operation": "update_page", "page": page, "document": {"markdown": "Brand new"}}
    make.changes(site.cast.ada, site.spaces[0], change)
    assert "Brand new" in site.open("/news").text
    site.patch("", {"title": "Renamed"})
    assert "Renamed" in site.open("/news").text


def test_every_answer_is_safe(site: PublishedSite) -> None:
    for path in EVERYTHING:
        answer = site.open(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy, path
        assert "unsafe" not in policy, path
        assert answer.headers["x-content-type-options"] == "nosniff", path
        assert answer.headers["referrer-policy"] == "no-referrer", path
        assert "set-cookie" not in answer.headers, path


def test_what_a_caller_has_is_not_sent_again(site: PublishedSite) -> None:
    for path in ("", "/guide/install", "/guide/install.md", "/llms.txt", "/sitemap.xml"):
        first = site.open(path)
        assert first.headers["cache-control"] == "public, max-age=0, must-revalidate"
        again = site.open(path, **{"if-none-match": f'"other", W/{first.headers["etag"]}'})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == first.headers["etag"]
        assert site.open(path, **{"if-none-match": '"other"'}).status_code == 200


def test_only_the_headers_are_sent_where_only_they_are_asked_for(site: PublishedSite) -> None:
    for path in EVERYTHING:
        whole, head = site.open(path), site.ask("HEAD", path)
        assert (head.status_code, head.content) == (whole.status_code, b"")
        assert head.headers["content-type"] == whole.headers["content-type"]


def test_pages_are_zipped_for_who_can_read_that(site: PublishedSite) -> None:
    plain = site.open("", **{"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    with anonymous.stream("GET", site.url, headers={"accept-encoding": "gzip"}) as zipped:
        raw = b"".join(zipped.iter_raw())
    assert gzip.decompress(raw) == plain.content
    assert zipped.headers["vary"] == plain.headers["vary"] == "Accept-Encoding, Accept"


def test_nothing_is_written_through_a_site(site: PublishedSite) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
        for path in ("/guide/install", "/~/static/-/reader.css", "/~/search", "/sitemap.xml"):
            answer = site.ask(method, path)
            assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD"), (method, path)


def test_what_is_not_published_is_not_there(cast: Cast, site: PublishedSite) -> None:
    url = site.url
    site.post("/unpublish", status=200)
    for path in EVERYTHING:
        assert anonymous.get(url + path).status_code == 404, path
    assert anonymous.get(url + "/~/mcp").status_code in (404, 405)


def test_a_deleted_space_is_gone(site: PublishedSite) -> None:
    assert site.open("/guide/install").status_code == 200
    url = site.url
    assert site.cast.ada.delete(f"/v1/spaces/{site.spaces[0]}").status_code == 205
    assert anonymous.get(url + "/guide/install").status_code == 404
    assert "installer" not in anonymous.get(url + "/llms-full.txt").text


def test_an_unlisted_site_is_kept_from_search_engines(cast: Cast) -> None:
    site = PublishedSite(cast, visibility="unlisted")
    page = site.open("/guide/install")
    assert page.headers["x-robots-tag"] == "noindex"
    assert '<meta name="robots" content="noindex">' in page.text
    assert "Disallow: /\n" in site.open("/robots.txt").text
    assert site.open("/sitemap.xml").status_code == 404


def test_pages_say_who_may_index_them(cast: Cast) -> None:
    site = PublishedSite(cast)
    for flag in ("hidden", "noIndex", "noRobotsIndex"):
        site.page(title=flag, document={"markdown": f"flagged {flag}"}, **{flag: True})
        answer = site.open(f"/{flag.lower()}")
        assert answer.headers["x-robots-tag"] == "noindex", flag
        assert '<meta name="robots" content="noindex">' in answer.text
        for path in ("/sitemap.xml", "/llms.txt", "/llms-full.txt"):
            assert flag.lower() not in site.open(path).text, (flag, path)
    assert "x-robots-tag" not in site.open("/guide/install").headers
    assert f'<link rel="canonical" href="{site.url}/guide/install">' in site.open("/guide/install").text


def test_agents_may_be_kept_out(cast: Cast) -> None:
    site = PublishedSite(cast)
    assert f"{site.url}/guide/install.md" in site.open("/llms.txt").text
    site.patch("", {"agentsContext": "excluded"})
    for path in ("/llms.txt", "/llms-full.txt", "/guide/install.md"):
        assert site.open(path).status_code == 404, path
    assert site.ask("POST", "/~/mcp", json={}).status_code == 404
    assert ".md" not in site.open("/guide/install").text
