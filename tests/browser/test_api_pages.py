"""Pages of APIs on a site in a real browser: on a phone and a desk, in light and in the dark."""

from __future__ import annotations

import pytest

from tests import make
from tests.browser.accessibility import faults
from tests.browser.browser import Browser
from tests.factories import openapi
from tests.instance import Instance
from tests.reader.test_openapi import WRITTEN
from tests.rest.test_openapi_pages import placed
from tests.visitors import PublishedSite

PHONE, DESKTOP = 390, 1440
PATHS = ("api/pets/createpet", "api/pets/getpet", "api/models/animal", "api/pets", "pets")


@pytest.fixture(scope="module")
def shown(instance: Instance) -> PublishedSite:
    """A site with the pages of a specification that has a lot in it."""
    cast = make.cast(instance)
    openapi.spec(cast, value=openapi.rich())
    site = PublishedSite(cast, files=WRITTEN)
    placed(cast.ada, site.spaces[0])
    return site


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("width", "dark"), [(PHONE, True), (DESKTOP, False)])
def test_a_page_of_an_api_is_for_everybody(
    browser: Browser, shown: PublishedSite, path: str, width: int, dark: bool
) -> None:
    with browser.page(width=width, dark=dark) as page:
        page.open(f"{shown.url}/{path}")
        assert faults(page) == []
        assert page.complaints == []
        assert page.run("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize(("width", "beside"), [(PHONE, False), (DESKTOP, True)])
def test_samples_stand_beside_the_text_where_there_is_room(
    browser: Browser, shown: PublishedSite, width: int, beside: bool
) -> None:
    boxes = "const [text, samples] = ['.column', '.beside'].map((name) => document.querySelector(name)"
    asked = f"(() => {{ {boxes}.getBoundingClientRect()); return samples.left >= text.right; }})()"
    with browser.page(width=width) as page:
        page.open(f"{shown.url}/api/pets/createpet")
        assert page.run(asked) is beside
