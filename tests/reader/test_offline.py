"""Reading without a network: which sites offer it, and what browsers find where one does not."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.cast import Cast
from tests.factories.sites import answered
from tests.visitors import PublishedSite

WORKER = "/~/static/worker.js"
STARTS = re.compile(r'<script src="([^"]+/offline\.js)" defer')


def kept_site(cast: Cast, **fields: Any) -> PublishedSite:
    """Return a site that asks browsers to keep its pages."""
    site = PublishedSite(cast, **fields)
    answered(cast.ada.put(f"{site.path}/customization", {"offline": {"enabled": True}}))
    return site


def is_kept(site: PublishedSite) -> bool:
    """Return whether the site has a worker; else what is there retires one."""
    worker = site.open(WORKER)
    assert worker.status_code == 200
    assert ("unregister" in worker.text) != ("const SITE" in worker.text)
    return "const SITE" in worker.text


def test_a_site_is_kept_only_where_its_customization_says_so(cast: Cast) -> None:
    site = PublishedSite(cast)
    assert not is_kept(site)
    assert STARTS.search(site.open().text) is None
    assert site.open("/~/offline").status_code == 404
    answered(cast.ada.put(f"{site.path}/customization", {"offline": {"enabled": True}}))
    assert is_kept(site)
    starts = STARTS.search(site.open().text)
    assert starts is not None
    script = site.open(starts[1].removeprefix(site.base))
    assert (script.status_code, "immutable" in script.headers["cache-control"]) == (200, True)


def test_a_worker_has_the_path_of_its_site_and_may_ask_nobody_else(cast: Cast) -> None:
    site = kept_site(cast)
    worker = site.open(WORKER)
    assert worker.headers["service-worker-allowed"] == site.base
    assert f'"base":"{site.base}"' in worker.text
    assert worker.headers["content-type"].startswith("text/javascript")
    assert worker.headers["content-security-policy"].startswith("default-src 'none'; connect-src 'self'")
    assert site.ask("POST", WORKER).status_code == 405
    other = PublishedSite(cast)
    assert not is_kept(other)


def test_the_page_without_a_network_is_in_the_language_of_the_site(cast: Cast) -> None:
    site = kept_site(cast)
    page = site.open("/~/offline")
    assert "You are offline" in page.text
    assert page.headers["x-robots-tag"] == "noindex"
    answered(cast.ada.patch(f"/v1/spaces/{site.spaces[0]}", {"language": "de"}))
    assert "Sie sind offline" in site.open("/~/offline").text


@pytest.mark.parametrize("visibility", ["unlisted", "share-link", "visitor-auth"])
def test_what_is_not_public_is_not_kept(cast: Cast, visibility: str) -> None:
    site = kept_site(cast)
    answered(cast.ada.patch(site.path, {"visibility": visibility}))
    assert not is_kept(site)
    assert STARTS.search(site.open().text) is None
    assert site.open("/~/offline").status_code in (401, 404)


def test_what_differs_between_visitors_is_not_kept(cast: Cast) -> None:
    site = kept_site(cast)
    site.adapts()
    assert not is_kept(site)
    assert STARTS.search(site.open().text) is None


def test_the_worker_of_a_site_that_is_gone_retires(cast: Cast) -> None:
    site = kept_site(cast, basename="kept")
    url = site.url
    assert is_kept(site)
    site.placed(basename="moved")
    assert is_kept(site)
    left = cast.instance.http.get(url + WORKER)
    assert (left.status_code, "unregister" in left.text) == (200, True)
    url = site.url
    site.post("/unpublish", status=200)
    assert "unregister" in cast.instance.http.get(url + WORKER).text


def test_a_preview_keeps_nothing(cast: Cast) -> None:
    site = kept_site(cast)
    shown = cast.instance.http.get(site.get("/publishing/preview")["url"], follow_redirects=True)
    assert shown.status_code == 200
    assert STARTS.search(shown.text) is None


def test_spaces_of_a_site_cannot_differ(cast: Cast) -> None:
    site = kept_site(cast)
    item = site.get("/site-spaces")["items"][0]["id"]
    path = f"{site.path}/site-spaces/{item}/customization"
    refused = cast.ada.patch(path, {"offline": {"enabled": False}})
    assert refused.status_code == 400
    assert "offline" in refused.text
    assert answered(cast.ada.get(path))["offline"] == {"enabled": True}


def test_files_that_anybody_may_read_may_be_kept(cast: Cast) -> None:
    for visibility in ("public", "unlisted"):
        site = PublishedSite(cast, visibility=visibility)
        found = re.search(r'<img[^>]* src="([^"]+lamp\.png)"', site.open().text)
        assert found is not None
        image = cast.instance.http.get(found[1])
        assert image.headers["cache-control"] == "public, no-cache"
        assert image.headers["access-control-allow-origin"] == "*"
    site = PublishedSite(cast, visibility="share-link")
    _, key = site.share()
    with site.browser() as visitor:
        visitor.client.follow_redirects = True
        found = re.search(r'<img[^>]* src="([^"]+lamp\.png)"', visitor.get(f"?shareKey={key}").text)
    assert found is not None
    image = cast.instance.http.get(found[1])
    assert image.headers["cache-control"] == "private, no-cache"
    assert "access-control-allow-origin" not in image.headers
