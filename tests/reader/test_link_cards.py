"""Pictures of links to pages: drawn without a browser, kept, and as private as their pages."""

from __future__ import annotations

import re
import struct

from tests import anonymous
from tests.cast import Cast
from tests.factories.sites import answered
from tests.visitors import PublishedSite

IMAGE = re.compile(r'<meta property="og:image" content="([^"]+)">')


def picture(site: PublishedSite, path: str) -> str:
    """The address of the picture of a page."""
    found = IMAGE.search(site.open(path).text)
    assert found is not None
    return found[1]


def test_a_page_has_a_picture_of_its_own(cast: Cast) -> None:
    site = PublishedSite(cast)
    address = picture(site, "/guide/install")
    assert address.startswith(f"{site.url}/~/cards/")
    answer = anonymous.get(address)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "image/png"
    assert "immutable" in answer.headers["cache-control"]
    assert struct.unpack(">II", answer.content[16:24]) == (1200, 630)
    assert 3_000 < len(answer.content) < 300_000
    assert picture(site, "/guide") != address
    assert anonymous.get(address).content == answer.content


def test_another_title_has_another_picture(cast: Cast) -> None:
    site = PublishedSite(cast)
    before = picture(site, "/guide/install")
    drawn = anonymous.get(before).content
    site.patch("", {"title": "Renamed"})
    after = picture(site, "/guide/install")
    assert after != before
    old = anonymous.get(before)
    assert old.status_code == 200
    assert old.content != drawn, "an old address leads to the picture of now"
    assert "immutable" not in old.headers["cache-control"]


def test_titles_are_never_read_as_a_source(cast: Cast) -> None:
    site = PublishedSite(cast)
    title = '#read("/etc/passwd") $x$ *b* \\u{1} ' + "😀 日本語 " * 20
    site.page(title=title, description="#panic()", document={"markdown": "x"}, slug="odd")
    assert anonymous.get(picture(site, "/odd")).status_code == 200


def test_a_picture_is_as_private_as_its_page(cast: Cast) -> None:
    site = PublishedSite(cast)
    address = picture(site, "/guide/install")
    assert anonymous.get(address.replace("/cards/", "/cards/x")).status_code == 404
    site.patch("", {"visibility": "visitor-auth"})
    assert anonymous.get(address).status_code == 401


def test_the_picture_of_the_site_comes_first(cast: Cast) -> None:
    site = PublishedSite(cast)
    looks = {"socialPreview": {"url": "https://example.org/own.png"}}
    answered(cast.ada.put(f"{site.path}/customization", looks))
    assert picture(site, "/guide/install") == "https://example.org/own.png"
