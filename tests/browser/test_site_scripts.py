"""Scripts of integrations on pages of sites that share a host: for them each site has its own origin."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from tests.browser.browser import Browser, Sent
from tests.cast import Cast
from tests.integrations.command_line import published
from tests.integrations.test_events import until
from tests.visitors import PublishedSite, token

SCOPES = ["site:script:inject", "site:script:cookies"]


def cookie(sent: Sent) -> str:
    """The cookies that a request was sent with."""
    return sent.headers.get("cookie", "")


def test_a_script_keeps_what_it_stores_and_no_other_site_sees_it(
    browser: Browser, cast: Cast, tmp_path: Path
) -> None:
    made = published(cast, tmp_path, "visits.ts", scopes=SCOPES)
    installation = made.install()
    first = PublishedSite(cast, visibility="visitor-auth")
    second = PublishedSite(cast)
    for site in (first, second):
        made.on_site(installation, site.id)
        until(partial(site.get, "/integration-scripts"))
    counted = "document.documentElement?.dataset.visits"  # a document that has just begun has no element yet
    with browser.page() as page:
        page.go(f"{first.url}?jwt_token={token(first.key)}")
        page.wait(f"{counted} === '1 1'")
        assert page.run("location.pathname") == first.base
        assert page.run("document.documentElement.dataset.cookies") == "visits=1"  # no pass of the visitor
        page.run("document.querySelector('article a[href*=install]').click()")
        page.wait(f"location.pathname.endsWith('/guide/install') && {counted} === '2 2'")
        own = page.run("location.origin")
        page.go(f"{first.url}/guide/install")
        page.wait(f"{counted} === '3 3'")
        page.go(second.url)
        page.wait(f"{counted} === '1 1'")
        second_origin = page.run("location.origin")
        assert second_origin != own
        page.go(second.url)
        page.wait(f"{counted} === '2 2'")
        for elsewhere in (f"{cast.instance.base}/docs", PublishedSite(cast).url):
            page.open(elsewhere)
            assert "visits" not in page.run("document.cookie + JSON.stringify(localStorage)")
            assert urlsplit(elsewhere).hostname == page.run("location.hostname")
        bases = (cast.instance.base, f"{cast.instance.settings.sites_base}/")
        assert any(sent.url.startswith(bases[0]) for sent in page.requests)
        told = {urlsplit(sent.url).netloc for sent in page.requests if "visits=" in cookie(sent)}
        assert told == {urlsplit(own).netloc, urlsplit(second_origin).netloc}, "and to no host of ours"
        assert not told & {urlsplit(base).netloc for base in bases}
        assert page.complaints == []
