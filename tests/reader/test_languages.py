"""Translations on a site: the language of a page, a way to the others, and what search engines are told."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast
from tests.reader.rendering import parsed
from tests.reader.test_cost import counted
from tests.visitors import PublishedSite

BOTH = {"SUMMARY.md": "# Table of contents\n\n* [Start](README.md)\n* [Guide](guide.md)\n* [Only](only.md)\n",
        "README.md": "# Start\n", "guide.md": "# Guide\n", "only.md": "# Only\n"}  # fmt: skip
GERMAN = {"SUMMARY.md": "# Table of contents\n\n* [Start](README.md)\n* [Anleitung](guide.md)\n",
          "README.md": "# Start\n", "guide.md": "# Anleitung\n"}  # fmt: skip


@pytest.fixture
def site(cast: Cast) -> PublishedSite:
    """A site in English and German."""
    site = PublishedSite(cast, "English", "German", languages=["en", "de"], files=BOTH)
    make.imported(cast, site.spaces[1], GERMAN)
    return site


def alternates(page: str) -> dict[Any, Any]:
    """Return what a page's head says of other languages."""
    links = (each.attributes for each in parsed(page).every("link"))
    return {each["hreflang"]: each["href"] for each in links if "hreflang" in each}


def switch(page: str) -> dict[Any, Any]:
    """The languages in the header."""
    menus = [each for each in parsed(page).every("details") if "languages" in str(each.attributes["class"])]
    return {a.all_text: a.attributes["href"] for menu in menus for a in menu.every("a")}


def test_a_page_leads_to_the_same_page_in_every_language(site: PublishedSite) -> None:
    german = next(each["path"] for each in site.get("/site-spaces")["items"] if each["title"] == "German")
    page = site.open("/guide")
    assert '<html lang="en"' in page.text
    assert alternates(page.text) == {"en": f"{site.url}/guide", "de": f"{site.url}/{german}/guide"}
    assert switch(page.text) == {"English": f"{site.base}/guide", "Deutsch": f"{site.base}/{german}/guide"}
    there = site.open(f"/{german}/guide")
    assert '<html lang="de"' in there.text
    assert alternates(there.text) == alternates(page.text)
    assert 'class="menu variants"' not in page.text, "the languages are there once"
    home = site.open()
    assert alternates(home.text) == {"en": site.url, "de": f"{site.url}/{german}"}


def test_what_is_not_translated_leads_to_where_the_language_begins(site: PublishedSite) -> None:
    page = site.open("/only").text
    assert alternates(page) == {}
    assert list(switch(page)) == ["English", "Deutsch"]
    assert switch(page)["Deutsch"].count("/") == site.base.count("/") + 1


def test_the_sitemap_tells_of_them(site: PublishedSite) -> None:
    text = site.open("/sitemap.xml").text
    guide = next(line for line in text.splitlines() if f"<loc>{site.url}/guide</loc>" in line)
    assert 'hreflang="de"' in guide
    only = next(line for line in text.splitlines() if f"<loc>{site.url}/only</loc>" in line)
    assert "hreflang" not in only


def test_what_a_condition_hides_is_no_translation(cast: Cast, site: PublishedSite) -> None:
    page = cast.ada.get(f"/v1/spaces/{site.spaces[1]}/content/path/guide").json()["id"]
    site.adapts()
    change = {"operation": "update_page", "page": page, "condition": "visitor.claims.staff == true"}
    make.changes(cast.ada, site.spaces[1], change)
    shown = site.open("/guide").text
    assert alternates(shown) == {}
    assert not switch(shown)["Deutsch"].endswith("/guide")


def test_it_takes_one_statement_more_at_most(cast: Cast, site: PublishedSite) -> None:
    page = f"{site.url}/guide"
    known = 0 if cast.instance.engine == "sqlite" else 1
    assert counted(cast, page, page) == [4, known]
