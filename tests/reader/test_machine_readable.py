"""Sites for programs: what they are told, and that hostile content stays text there too (33 and 34)."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from urllib.parse import quote

import pytest

from app.site_reader import machine_files
from tests.cast import Cast
from tests.visitors import PAGES, PublishedSite

SPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
EVIL = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "javascript:alert(1)", "]]><x/>", "<!--",
    "{{7*7}}${7*7}", "a](javascript:alert(1))[b", "&lt;b&gt;&amp;", "\u202eevil", "a\tb  c",
]  # fmt: skip


@pytest.fixture
def site(cast: Cast) -> PublishedSite:
    """A public site."""
    return PublishedSite(cast)


def test_llms_txt_lists_the_pages_as_markdown(site: PublishedSite) -> None:
    answer = site.open("/llms.txt")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    lines = answer.text.splitlines()
    assert lines[0] == "# Untitled site"
    assert f"- [Install]({site.url}/guide/install.md): How to install" in lines
    listed = [line.partition("](")[2].partition(")")[0] for line in lines if line.startswith("- ")]
    for address in listed:
        page = site.open(address.removeprefix(site.url))
        assert page.status_code == 200, address
        assert page.headers["content-type"] == "text/markdown; charset=utf-8"
    assert len(listed) == 4


def test_llms_full_txt_is_every_page(site: PublishedSite) -> None:
    text = site.open("/llms-full.txt").text
    for words in ("Welcome aboard", "All about it", "Run the installer", "Back to"):
        assert words in text
    assert text.count("\nSource: ") == 4


def test_markdown_leads_to_whole_addresses_and_says_where_the_page_is(site: PublishedSite) -> None:
    answer = site.open("/guide/configure.md")
    assert answer.text == f"# Configure\n\nBack to [install]({site.url}/guide/install).\n"
    assert answer.headers["link"] == f'<{site.url}/guide/configure>; rel="canonical"'
    assert "sandbox" in answer.headers["content-security-policy"]
    start = site.open("/readme.md").text
    assert f"]({site.cast.instance.settings.sites_base}/~files/" in start
    assert site.open("/index.md").text == start
    for path in ("/guide/nothing.md", "/.md", "/guide/.md", "/guide/install.md.md"):
        assert site.open(path).status_code == 404, path


def test_the_sitemap_is_xml_of_whole_addresses(site: PublishedSite) -> None:
    answer = site.open("/sitemap.xml")
    assert answer.headers["content-type"] == "application/xml; charset=utf-8"
    root = ET.fromstring(answer.text)
    assert [each.text for each in root.iter(f"{SPACE}loc")] == [
        site.url, f"{site.url}/guide", f"{site.url}/guide/install", f"{site.url}/guide/configure"
    ]  # fmt: skip
    assert all(len(each.text or "") == 10 for each in root.iter(f"{SPACE}lastmod"))
    robots = site.open("/robots.txt").text.splitlines()
    assert f"Sitemap: {site.url}/sitemap.xml" in robots
    assert f"Disallow: {site.base}/~/" in robots
    styles = re.findall(r'<link rel="stylesheet" href="([^"]+)"', site.open().text)
    allowed = [line.removeprefix("Allow: ") for line in robots if line.startswith(f"Allow: {site.base}/~/")]
    assert styles
    assert all(style.startswith(tuple(allowed)) for style in styles)
    for path in ("/sitemap-2.xml", "/sitemap-0.xml", "/sitemap-x.xml", "/sitemap-99999.xml", "/sitemap-.xml"):
        assert site.open(path).status_code == 404, path


def test_a_large_sitemap_is_in_parts(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_files, "MOST_ADDRESSES", 3)
    site = PublishedSite(cast)
    index = ET.fromstring(site.open("/sitemap.xml").text)
    parts = [each.text or "" for each in index.iter(f"{SPACE}loc")]
    assert parts == [f"{site.url}/sitemap-1.xml", f"{site.url}/sitemap-2.xml"]
    found = [site.open(part.removeprefix(site.url)).text.count("<url>") for part in parts]
    assert found == [3, 1]
    assert site.open("/sitemap-3.xml").status_code == 404


def test_includes_are_written_out_and_parts_for_others_left_out(cast: Cast) -> None:
    guarded = "{% if visitor.claims.x %}No.{% endif %}"
    text = f'# Install\n\n{{% include "../.gitbook/includes/oil.md" %}}\n\n{guarded}\n'
    oil = "Whale oil, see [start](../../README.md).\n"
    files = {**PAGES, "guide/install.md": text, ".gitbook/includes/oil.md": oil}
    site = PublishedSite(cast, files=files)
    markdown = site.open("/guide/install.md").text
    assert f"Whale oil, see [start]({site.url})." in markdown
    assert "No." not in markdown
    assert "{%" not in markdown
    assert "Whale oil" in site.open("/llms-full.txt").text


@pytest.mark.parametrize("evil", EVIL)
def test_hostile_words_stay_words(cast: Cast, evil: str) -> None:
    site = PublishedSite(cast)
    title = re.sub(r"[\x00-\x1f\u202e]+", " ", evil).strip()  # others are refused
    site.patch("", {"title": f"T {title}"[:120]})
    item = site.get("/site-spaces")["items"][0]["id"]
    body = {"markdown": f"findme\n\n{evil}\n\n## {evil}\n"}
    site.page(title=title, slug="evil", description=evil, document=body)
    llms = site.open("/llms.txt")
    assert llms.headers["content-type"].startswith("text/plain")
    assert llms.headers["x-content-type-options"] == "nosniff"
    line = next(line for line in llms.text.splitlines() if "/evil.md" in line)
    assert line.count(f"({site.url}/evil.md)") == 1
    assert "](javascript:" not in line.replace("\\](javascript:", "")
    ET.fromstring(site.open("/sitemap.xml").text)
    hits = site.open("/~/search?q=findme", accept="application/json")
    assert hits.headers["content-type"] == "application/json"
    assert hits.json()["hits"][0]["href"].startswith(site.base)
    tree = site.open(f"/~/tree?space={item}")
    assert tree.headers["content-type"] == "application/json"
    searches = (f"/~/search?q={quote(evil)}", "/~/search?q=%3Cscript%3Ealert(1)")
    for path in ("/evil", "", "/nothing/%3Cscript%3E", *searches):
        html = site.open(path).text.lower()
        assert "<script>alert" not in html, path
        assert "<img src=x onerror" not in html, path
        assert 'href="javascript:' not in html, path
    icon = site.open("/~/looks/site/x.svg")
    assert icon.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in icon.headers["content-security-policy"]
    assert "<script" not in icon.text
