"""The cost of a page view: the number of statements, and how much of a large tree is sent."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from app.main import Services, create_app
from app.site_reader.responses import OVERHEAD, EncodedBody, SiteResponse
from app.site_reader.state import ResponseCache
from tests.cast import Cast
from tests.contract.statements import noting
from tests.visitors import PAGES, PublishedSite, token

INCLUDED = {
    **PAGES,
    "guide/install.md": "# Install\n\nSee [start](../README.md).\n\n"
    '{% include "../.gitbook/includes/oil.md" %}\n',
    ".gitbook/includes/oil.md": "Whale oil, and {% raw %}more{% endraw %}.\n",
}


AGAIN = 5  # times that everything is asked, since the running product may write meanwhile


def counted(cast: Cast, *addresses: str, headers: dict[str, str] | None = None) -> list[int]:
    """Return how many statements each of these answers takes, in an application that nobody has asked before.

    At least, of several tries: a commit of another process costs whoever comes next a look at what it knew.
    """

    async def ask() -> list[int]:
        app = create_app(cast.instance.settings)
        instance: Services = app.state.services
        transport = httpx.ASGITransport(app)
        try:
            await instance.ready()
            async with httpx.AsyncClient(transport=transport, headers=headers or {}) as client:
                return [await _cost(client, address) for address in addresses]
        finally:
            await instance.close()

    tries = [asyncio.run(ask()) for _ in range(AGAIN)]
    return [min(costs) for costs in zip(*tries, strict=True)]


async def _cost(client: httpx.AsyncClient, address: str) -> int:
    with noting() as ran:
        answer = await client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return len(ran)


def test_a_page_takes_four_statements_at_most_and_then_one_or_none(cast: Cast) -> None:
    site = PublishedSite(cast, files=INCLUDED)
    page = f"{site.url}/guide/install"
    known = 0 if cast.instance.engine == "sqlite" else 1
    assert counted(cast, page, page, f"{page}.md", f"{site.url}/guide/configure") == [4, known, 3, 2]


def test_a_private_page_takes_one_when_it_was_written_before(cast: Cast) -> None:
    site = PublishedSite(cast, visibility="visitor-auth")
    with site.browser() as browser:
        browser.get(f"?jwt_token={token(site.key)}")
        cookies = {"cookie": browser.cookies}
    page = f"{site.url}/guide/install"
    assert counted(cast, page, page, headers=cookies) == [3, 1]


def test_everything_else_takes_few_too(cast: Cast) -> None:
    site = PublishedSite(cast)
    search = f"{site.url}/~/search?q=installer"
    assert counted(cast, search, search) == [5, 4]
    assert counted(cast, f"{site.url}/llms.txt", f"{site.url}/sitemap.xml") == [2, 1]
    assert counted(cast, f"{site.url}/llms-full.txt") == [3]


@pytest.fixture
def large(cast: Cast) -> PublishedSite:
    """A site of ten thousand pages in a hundred folders."""
    lines, files = ["# Table of contents", ""], {"README.md": "# Large\n"}
    for folder in range(100):
        lines.append(f"* [Folder {folder}](f{folder}/README.md)")
        files[f"f{folder}/README.md"] = f"# Folder {folder}\n"
        for page in range(99):
            lines.append(f"  * [Page {folder}-{page}](f{folder}/p{page}.md)")
            files[f"f{folder}/p{page}.md"] = f"# Page {folder}-{page}\n\nText.\n"
    return PublishedSite(cast, files={"SUMMARY.md": "\n".join(lines) + "\n", **files})


def test_of_ten_thousand_pages_few_links_are_sent(large: PublishedSite) -> None:
    page = large.open("/f7/p3")
    assert page.status_code == 200
    assert page.text.count("<a ") < 400
    assert len(page.content) < 150_000
    item = large.get("/site-spaces")["items"][0]["id"]
    folder = large.cast.ada.get(f"/v1/spaces/{large.spaces[0]}/content/path/f9").json()["id"]
    below = large.open(f"/~/tree?space={item}&page={folder}").json()["pages"]
    assert len(below) == 99
    first = {"title": "Page 9-0", "href": f"{large.base}/f9/p0", "kind": "document", "more": False}
    assert below[0] == {"id": below[0]["id"], **first}
    assert large.open("/sitemap.xml").text.count("<url>") >= 10_000


def test_what_is_kept_has_its_bounds() -> None:
    cache = ResponseCache(100_000)
    for number in range(1000):
        cache.put(number, SiteResponse(EncodedBody.of(f"{number}" * 300)))
        assert cache.held <= 100_000
    assert cache.get(999) is not None
    assert cache.get(0) is None
    cache.put("large", SiteResponse(EncodedBody.of(b"x" * 90_000, zipped=False)))
    assert cache.get("large") is None
    first = cache.get(999)
    assert first is not None
    for number in range(1000, 1040):
        cache.put(number, SiteResponse(EncodedBody.of(f"{number}" * 300)))
        assert cache.get(999) is first
    assert len(first.written) >= len(first.written.plain) + len(first.written.zipped or b"") + OVERHEAD
