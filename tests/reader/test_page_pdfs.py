"""A page of a site as a PDF: for who may read the page, with what everybody may."""

from __future__ import annotations

import re

from tests import make
from tests.cast import Cast
from tests.factories.pdfs import read, words
from tests.visitors import PAGES, PublishedSite, Visitor, token

LINK = re.compile(r'href="([^"]*/~/pdf/[^"]*)"')
CLAIMED = "{% if visitor.claims.plan == 'pro' %}\nFor professionals.\n{% endif %}\n"


def link(browser: Visitor, path: str = "") -> str | None:
    """Return where the page at a path says its PDF is, below the site's address."""
    found = LINK.search(browser.get(path).text)
    return found[1][found[1].index("/~/") :] if found else None


def test_a_page_is_had_as_a_pdf(cast: Cast) -> None:
    site = PublishedSite(cast)
    with Visitor(site.url) as browser:
        here = link(browser, "/guide/install")
        assert here is not None
        sent_on = browser.get(here)
        assert sent_on.status_code == 307
        assert "no-store" in sent_on.headers["cache-control"] or "private" in sent_on.headers["cache-control"]
        pdf = browser.client.get(sent_on.headers["location"])
    assert pdf.headers["content-type"] == "application/pdf"
    said = words(read(pdf.content))
    assert "Run the installer." in said
    assert "Welcome aboard" not in said


def test_a_site_may_do_without(cast: Cast) -> None:
    site = PublishedSite(cast)
    with Visitor(site.url) as browser:
        here = link(browser)
        assert here is not None
        kept = site.get("/customization")
        kept["pdf"]["enabled"] = False
        assert cast.ada.put(f"{site.path}/customization", kept).status_code == 200
        assert link(browser) is None
        assert browser.get(here).status_code == 404


def test_only_who_may_read_a_page_is_sent_on(cast: Cast) -> None:
    site = PublishedSite(cast)
    item = site.get("/site-spaces")["items"][0]["id"]
    other = make.space(cast.ada, cast.organization)["id"]
    with Visitor(site.url) as browser:
        here = link(browser)
        assert here is not None
        page = here.rpartition("/")[2]
        for wrong in (f"/~/pdf/{item}/{'0' * 20}", f"/~/pdf/{other}/{page}", f"/~/pdf/{item}", "/~/pdf"):
            assert browser.get(wrong).status_code == 404
        site.patch("", {"visibility": "visitor-auth"})
        assert browser.get(here).status_code != 307
        assert browser.get(f"?jwt_token={token(site.key)}").status_code < 400
        assert browser.get(here).status_code == 307


def test_what_claims_show_is_not_printed(cast: Cast) -> None:
    files = {**PAGES, "README.md": f"# Start\n\nWelcome aboard.\n\n{CLAIMED}"}
    site = PublishedSite(cast, files=files)
    site.patch("", {"visibility": "visitor-auth"})
    site.adapts()
    with Visitor(site.url) as browser:
        browser.get(f"?jwt_token={token(site.key, plan='pro')}")
        assert "For professionals." in browser.get().text
        here = link(browser)
        assert here is not None
        pdf = browser.client.get(browser.get(here).headers["location"])
    said = words(read(pdf.content))
    assert "Welcome aboard." in said
    assert "professionals" not in said
