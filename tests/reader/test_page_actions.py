"""What a reader can do with a page: suggest a change in the console, open it in an assistant."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from tests.cast import Cast
from tests.factories.sites import answered
from tests.reader.rendering import parsed
from tests.visitors import PublishedSite

ASSISTANTS = [{"title": "Helper", "url": "https://helper.example/new?q=Read+{url}"}]


def looks(site: PublishedSite, **settings: Any) -> None:
    """Set how a site looks."""
    answered(site.cast.ada.put(f"{site.path}/customization", settings))


def test_a_change_is_suggested_in_the_console_where_the_site_says_so(cast: Cast) -> None:
    site = PublishedSite(cast)
    assert "/~/edit/" not in site.open("/guide/install").text
    looks(site, editLink={"enabled": True})
    place = f"{cast.instance.settings.app_base}/o/{cast.organization}/s/{site.spaces[0]}/~/edit/guide/install"
    assert f'href="{place}"' in site.open("/guide/install").text
    assert "Suggest a change" in site.open("/guide/install").text
    looks(site, editLink={"enabled": True}, pageActions={"enabled": False})
    assert "/~/edit/" not in site.open("/guide/install").text


def test_a_page_opens_in_the_assistants_of_the_site(cast: Cast) -> None:
    site = PublishedSite(cast)
    looks(site, assistants={"links": ASSISTANTS})
    assert cast.ada.get(f"{site.path}/customization").json()["assistants"] == {"links": ASSISTANTS}
    links = {
        each.all_text: each.attributes["href"] for each in parsed(site.open("/guide/install").text).every("a")
    }
    page = quote(f"{site.url}/guide/install.md", safe="")
    assert links["Helper"] == f"https://helper.example/new?q=Read+{page}"
    site.patch("", {"agentsContext": "excluded"})
    assert "helper.example" not in site.open("/guide/install").text


@pytest.mark.parametrize(
    "url",
    [
        "https://helper.example/",
        "javascript:alert({url})",
        "{url}",
        "https://{url}@evil.example/",
        "//x/{url}",
    ],
)
def test_an_assistant_has_a_whole_address_with_a_place_for_the_page(cast: Cast, url: str) -> None:
    site = PublishedSite(cast)
    refused = cast.ada.put(
        f"{site.path}/customization", {"assistants": {"links": [{"title": "Helper", "url": url}]}}
    )
    assert refused.status_code == 400
    assert refused.json()["error"]["details"][0]["path"] == "assistants.links.0.url"
