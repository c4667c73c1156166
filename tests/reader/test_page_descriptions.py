"""What a page says of itself to programs: description, structured data, feed, Markdown at its own address."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import httpx
import pytest

from tests import anonymous
from tests.cast import Cast
from tests.reader.rendering import Element, parsed, whole
from tests.timing import TIMEOUT
from tests.visitors import PublishedSite

ATOM = "{http://www.w3.org/2005/Atom}"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"


def said(page: Element, name: str) -> str | None:
    """The content of a `meta` element."""
    found = [each.attributes for each in page.every("meta")]
    return next((each["content"] for each in found if name in (each.get("name"), each.get("property"))), None)


@pytest.mark.parametrize(
    ("markdown", "about"),
    [
        ("## Head\n\nShort.\n\nThe first one that says something.", "The first one that says something."),
        ("A [link](x.md) and `code` in a line of words.", "A link and code in a line of words."),
        ("* only a list of some words\n* and more", None),
        ("word " * 100, "word " * 39 + "wor…"),
    ],
)  # fmt: skip
def test_a_page_without_a_description_is_described_by_its_first_paragraph(
    markdown: str, about: str | None
) -> None:
    found = said(parsed(whole(markdown)), "description")
    assert (found or "").rstrip("…")[:150] == (about or "").rstrip("…")[:150]
    assert found == said(parsed(whole(markdown)), "og:description")
    assert len(found or "") <= 200


def test_its_own_description_comes_first(cast: Cast) -> None:
    page = parsed(PublishedSite(cast).open("/guide/install").text)
    assert said(page, "description") == "How to install"


def test_a_page_is_described_in_the_words_of_schema_org(cast: Cast) -> None:
    site = PublishedSite(cast)
    page = parsed(site.open("/guide/install").text)
    (block,) = (each.text for each in page.every("script") if each.attributes.get("type"))
    article, crumbs = json.loads(block)["@graph"]
    assert article["headline"] == "Install"
    assert article["url"] == f"{site.url}/guide/install"
    assert article["description"] == "How to install"
    assert article["isPartOf"]["url"] == site.url
    assert [(each["name"], each["item"]) for each in crumbs["itemListElement"]] == [
        ("Guide", f"{site.url}/guide"),
        ("Install", f"{site.url}/guide/install"),
    ]
    site.patch("", {"visibility": "unlisted"})
    assert "schema.org" not in site.open("/guide/install").text


@pytest.mark.parametrize(
    ("accept", "is_markdown"),
    [
        ("text/markdown", True),
        ("text/markdown, text/html;q=0.5", True),
        ("text/markdown, */*", True),
        ("text/html, text/markdown;q=0.9", False),
        ("text/markdown;q=0", False),
        ("text/markdown;q=often", False),
        (BROWSER, False),
        ("*/*", False),
    ],
)
def test_a_page_is_markdown_for_who_would_rather_have_that(
    cast: Cast, accept: str, is_markdown: bool
) -> None:
    site = PublishedSite(cast)
    for _ in range(2):  # the second answer may be one that was kept
        answer = site.open("/guide/install", accept=accept)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/markdown") == is_markdown
        assert "Accept" in answer.headers.get_list("vary", split_commas=True)
        assert site.open("/guide/install", accept=BROWSER).headers["content-type"].startswith("text/html")
    if is_markdown:
        assert answer.text == site.open("/guide/install.md").text
        assert site.open(accept=accept).text == site.open("/index.md").text


def test_hidden_pages_and_sites_without_agents_are_no_markdown(cast: Cast) -> None:
    site = PublishedSite(cast)
    assert site.open("/secret", accept="text/markdown").headers["content-type"].startswith("text/html")
    site.patch("", {"agentsContext": "excluded"})
    page = site.open("/guide/install", accept="text/markdown")
    assert page.headers["content-type"].startswith("text/html")


def test_what_changed_last_is_a_feed(cast: Cast) -> None:
    site = PublishedSite(cast)
    site.page(title="News & more", description="What <is> new", document={"markdown": "x"})
    answer = site.open("/feed.xml")
    assert answer.headers["content-type"].startswith("application/atom+xml")
    feed = ElementTree.fromstring(answer.content)
    entries = feed.findall(f"{ATOM}entry")
    assert entries[0].findtext(f"{ATOM}title") == "News & more"
    assert entries[0].findtext(f"{ATOM}summary") == "What <is> new"
    assert entries[0].findtext(f"{ATOM}id") == f"{site.url}/news-more"
    assert feed.findtext(f"{ATOM}updated") == entries[0].findtext(f"{ATOM}updated")
    assert "Secret" not in answer.text
    assert f'href="{site.base}/feed.xml"' in site.open().text
    site.patch("", {"visibility": "visitor-auth"})
    assert site.open("/feed.xml").status_code == 401


def test_an_address_without_a_page_names_those_that_may_be_meant(cast: Cast) -> None:
    site = PublishedSite(cast)
    missing = site.open("/guide/instal.html")
    assert missing.status_code == 404
    page = parsed(missing.text)
    (nearby,) = (each for each in page.every("ul") if each.attributes.get("class") == "nearby")
    assert [each.attributes["href"] for each in nearby.every("a")] == [f"{site.base}/guide/install"]
    (field,) = (each for each in page.every("input") if each.attributes.get("value") == "instal")
    assert field.attributes["name"] == "q"
    assert any(each.attributes.get("class") == "side" for each in page.every("div"))
    assert "Secret" not in site.open("/secrets").text, "what is hidden is not named"
    assert 'class="nearby"' not in site.open("/xylophone-qqq").text


def test_refusals_are_json_for_programs(cast: Cast) -> None:
    site = PublishedSite(cast)
    answer = site.open("/nothing", accept="application/json")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/json")
    assert answer.json() == {"error": {"code": 404, "message": "There is no page at this address."}}
    assert "Accept" in answer.headers["vary"]
    assert site.open("/nothing", accept=BROWSER).headers["content-type"].startswith("text/html")
    nowhere = f"{cast.instance.settings.sites_base}/nobody/nothing"
    nobody = anonymous.get(nowhere, headers={"accept": "application/json"})
    assert nobody.json()["error"]["code"] == 404


def test_the_addresses_above_all_sites_lead_on(cast: Cast) -> None:
    base, sites = cast.instance.base, cast.instance.settings.sites_base
    start = anonymous.get(f"{sites}/", headers={"accept": BROWSER})
    assert start.status_code == 404
    assert f'href="{cast.instance.settings.base_url}/"' in start.text
    for path in ("/sites", "/nothing/at/all"):
        with httpx.Client(timeout=TIMEOUT) as client:
            page = client.get(base + path, headers={"accept": BROWSER})
            program = client.get(base + path)
        assert (page.status_code, program.status_code) == (404, 404)
        assert page.headers["content-type"].startswith("text/html"), path
        assert program.headers["content-type"] == "application/json"
    api = anonymous.get(f"{base}/v1/nothing", headers={"accept": BROWSER})
    assert api.headers["content-type"] == "application/json"
