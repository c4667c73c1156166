"""Previews: a site is walked through before it is published, by whoever was given the address."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests import anonymous
from tests.cast import Cast
from tests.reader.rendering import parsed
from tests.timing import TIMEOUT
from tests.visitors import PAGES, PublishedSite

VIP = 'visitor.claims.plan == "pro"'


@pytest.fixture
def site(cast: Cast) -> PublishedSite:
    """A site that is not online (any more)."""
    site = PublishedSite(cast)
    site.post("/unpublish", status=200)
    return site


def offered(site: PublishedSite, **query: str) -> str:
    """The address of a preview."""
    return str(site.get("/publishing/preview", None, **query)["url"])


def opened(url: str) -> httpx.Response:
    """Return what a browser without cookies comes to."""
    with httpx.Client(timeout=TIMEOUT, follow_redirects=True) as client:
        return client.get(url)


def test_one_walks_through_a_site_that_is_not_published(site: PublishedSite) -> None:
    home = opened(offered(site))
    assert home.status_code == 200
    assert "Welcome aboard" in home.text
    (install,) = {
        str(a.attributes["href"])
        for a in parsed(home.text).every("a")
        if str(a.attributes.get("href")).endswith("/guide/install")
    }
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(str(home.url)))
    page = opened(origin + install)
    assert "Run the installer" in page.text
    assert opened(f"{home.url}/~/search?q=installer").status_code == 200
    assert "install" in opened(f"{home.url}/~/search?q=installer").text
    (picture,) = re.findall(r'src="([^"]+/lamp.png)"', home.text)
    assert opened(origin + picture if picture.startswith("/") else picture).status_code == 200
    for href in re.findall(r'(?:href|src)="(/[^"]*)"', home.text):
        assert opened(origin + href.replace("&amp;", "&")).status_code == 200, href


def test_nobody_keeps_or_finds_a_preview(site: PublishedSite) -> None:
    begun = anonymous.get(offered(site))
    assert begun.status_code == 303
    for answer in (begun, opened(offered(site))):
        assert answer.headers["cache-control"] == "private, no-store"
        assert answer.headers["x-robots-tag"] == "noindex"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in answer.headers
    page = opened(offered(site))
    assert '<meta name="robots" content="noindex">' in page.text
    assert opened(f"{page.url}/sitemap.xml").status_code == 404


def test_drafts_are_shown_and_what_the_asker_does_not_see_is_not(cast: Cast) -> None:
    site = PublishedSite(cast)
    section = site.section("Coming")
    item = section["siteSpaces"][0]["id"]
    site.patch(f"/site-spaces/{item}", {"draft": True})
    path = section["path"]
    assert site.open(f"/{path}").status_code == 404
    assert opened(offered(site)).text.count("Coming") > 0
    assert "Coming" not in opened(offered(site, draft="false")).text


def test_a_preview_is_seen_with_its_claims(cast: Cast) -> None:
    site = PublishedSite(cast)
    site.adapts()
    section = site.section("Inner circle")
    site.patch(f"/sections/{section['id']}", {"condition": VIP})
    assert "Inner circle" not in opened(offered(site)).text
    assert "Inner circle" in opened(offered(site, claims='{"plan": "pro"}')).text
    assert "Inner circle" not in opened(offered(site, claims='{"unsigned": {"plan": "pro"}}')).text


@pytest.mark.parametrize("visibility", ["share-link", "visitor-auth"])
def test_it_opens_what_needs_a_key_and_leaves_no_key_behind(cast: Cast, visibility: str) -> None:
    site = PublishedSite(cast, visibility=visibility, files=PAGES)
    assert "Welcome aboard" in opened(offered(site)).text
    assert "Welcome aboard" not in opened(site.url).text


def test_what_was_not_offered_opens_nothing(cast: Cast, site: PublishedSite) -> None:
    url = offered(site)
    place, _, text = url.partition("?preview=")
    other = PublishedSite(cast)
    for wrong in (f"{place}?preview={text[:-1]}", f"{place}?preview=x.y", f"{place}?preview=",
                  f"{place}/~/preview/{text}x", f"{other.url}?preview={text}",
                  f"{other.url}/~/preview/{text}", place):  # fmt: skip
        answer = opened(wrong)
        assert answer.status_code == 404, wrong


def test_a_look_is_tried_before_it_is_set(cast: Cast) -> None:
    site = PublishedSite(cast)
    message = {"announcement": {"message": "We move on Friday."}, "styling": {"corners": "circular"}}
    tried = site.post("/customization/preview", message, status=200)["url"]
    page = opened(tried)
    assert "We move on Friday." in page.text
    assert "frame-ancestors 'none'" not in page.headers["content-security-policy"]
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(str(page.url)))
    (theme,) = re.findall(r'href="(/[^"]+/~/looks/[^"]+\.css)"', page.text)
    assert "--corner:16px" in opened(origin + theme).text
    assert "We move on Friday." not in site.open("/").text
    assert "announcement" not in site.get("/customization")


def test_a_look_of_one_space_is_tried(cast: Cast) -> None:
    site = PublishedSite(cast)
    section = site.section("Apart")
    item = section["siteSpaces"][0]["id"]
    change = {"announcement": {"message": "Only here."}, "siteSpace": item}
    page = opened(site.post("/customization/preview", change, status=200)["url"])
    assert "Only here." in page.text
    home = opened(str(page.url).removesuffix(f"/{section['path']}"))
    assert "Only here." not in home.text


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"styling": {"font": "gothic"}}, "styling.font"),
        ({"announcement": {"style": "info"}}, "announcement.message"),
        ({"footer": {"copyright": "x" * 501}}, "footer.copyright"),
    ],
)
def test_a_look_that_could_not_be_set_is_refused(cast: Cast, change: dict[str, Any], place: str) -> None:
    refused = PublishedSite(cast).post("/customization/preview", change, status=400)
    assert place in str(refused)
