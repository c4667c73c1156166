"""Reading without a network in a browser: visited pages stay, and go when the site takes them back."""

from __future__ import annotations

import json

from tests import make
from tests.browser.browser import Browser, Page
from tests.cast import Cast
from tests.factories.changes import delete, send
from tests.factories.sites import answered
from tests.instance import running
from tests.reader.test_offline import kept_site
from tests.visitors import PublishedSite

KEPT = """(async () => {
  const opened = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
  return (await Promise.all(opened.map((each) => each.keys()))).flat().map(({ url }) => url);
})()"""
WORKERS = "navigator.serviceWorker.getRegistrations().then((all) => all.map(({ scope }) => scope))"


def wait_until_kept(page: Page, *urls: str) -> None:
    """Wait until the browser has kept these addresses."""
    page.wait(f"{KEPT}.then((kept) => {json.dumps(urls)}.every((url) => kept.includes(url)))")


def test_visited_pages_are_read_when_the_server_is_gone(browser: Browser, fresh_database: str) -> None:
    with browser.page() as page:
        with running(fresh_database) as instance:
            site = kept_site(make.cast(instance))
            url = site.url
            page.open(url)
            picture = page.run("document.querySelector('main img').src")
            wait_until_kept(page, url, picture, f"{url}/~/offline")
            page.open(f"{url}/guide/install")
            wait_until_kept(page, f"{url}/guide/install")
            page.open(f"{url}/~/search?q=installer")
            assert page.complaints == []
            assert page.run(WORKERS) == [url]
            assert not any("search" in each for each in page.run(KEPT))
        page.open(url)
        page.wait_for_text("Welcome aboard.", "main")
        page.wait("document.querySelector('main img').naturalWidth === 3")
        assert page.run("getComputedStyle(document.querySelector('.top')).display") == "block"
        page.open(f"{url}/guide/install")
        page.wait_for_text("Run the installer.", "main")
        for path in ("/guide/configure", "/~/search?q=lamp"):
            page.open(f"{url}{path}")
            page.wait_for_text("You are offline", "main")


def test_a_worker_goes_with_what_it_kept_when_the_site_takes_it_back(browser: Browser, cast: Cast) -> None:
    site = kept_site(cast)
    with browser.page() as page:
        page.open(site.url)
        wait_until_kept(page, site.url)
        answered(cast.ada.put(f"{site.path}/customization", {"offline": {"enabled": False}}))
        page.open(f"{site.url}/guide/install")
        page.wait(f"{WORKERS}.then((all) => all.length === 0)")
        page.wait("caches.keys().then((all) => all.length === 0)")
        assert page.complaints == []
    cast.instance.keep_visit_counts()
    totals = site.get("/statistics")["totals"]
    assert totals["views"] + totals["botReads"] == 2, "each page was opened once, whoever asked for it"


def test_pages_that_are_gone_and_other_sites_are_not_kept(browser: Browser, cast: Cast) -> None:
    site, private = kept_site(cast), kept_site(cast, visibility="unlisted")
    beside = PublishedSite(cast)
    with browser.page() as page:
        page.open(site.url)
        wait_until_kept(page, site.url)
        page.open(f"{site.url}/guide/install")
        wait_until_kept(page, f"{site.url}/guide/install")
        install = answered(cast.ada.get(f"/v1/spaces/{site.spaces[0]}/content/path/guide/install"))["id"]
        assert send(cast.ada, site.spaces[0], delete(install)).status_code == 200
        page.open(f"{site.url}/guide/install")
        page.wait(f"{KEPT}.then((kept) => !kept.includes({json.dumps(f'{site.url}/guide/install')}))")
        for other in (private, beside):
            page.open(other.url)
            page.wait_for_text("Welcome aboard.", "main")
        assert page.run(WORKERS) == [site.url]
        assert not any(each.startswith((private.url, beside.url)) for each in page.run(KEPT))
