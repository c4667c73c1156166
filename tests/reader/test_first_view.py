"""What is sent until somebody sees a page for the first time: the page with the files that it names, and what
only some pages need comes with those.
"""

from __future__ import annotations

from pathlib import Path

from tests.cast import Cast
from tests.reader.rendering import parsed
from tests.visitors import PublishedSite

MOST = 30_000  # bytes, compressed, without pictures
GUIDE = Path("app/demo/guide")
LONG = ("rest/by-example/content.md", "rest/by-example/sites.md")  # 25 kB of Markdown together
MOST_OF_OURS = 14_000  # bytes of styles, scripts and icon


def named(page: str) -> dict[str, str]:
    """The styles, scripts and icons that a page names, by the last part of their addresses."""
    root = parsed(page)
    links = [each.attributes for each in root.every("link")]
    found = [str(each["href"]) for each in links if each["rel"] in ("stylesheet", "icon")]
    found += [str(each.attributes["src"]) for each in root.every("script") if "src" in each.attributes]
    return {address.rpartition("/")[2]: address for address in found}


def test_a_long_page_of_a_large_site_is_seen_after_30_kilobytes(cast: Cast) -> None:
    files: dict[str, str | bytes] = {
        str(path.relative_to(GUIDE)): path.read_text() for path in GUIDE.rglob("*.md")
    }
    files[LONG[0]] = "\n\n".join(str(files[name]) for name in LONG)
    site = PublishedSite(cast, files=files)
    with site.browser() as visitor:
        page = visitor.get(f"/{LONG[0].removesuffix('.md')}")
        assert 50_000 < len(page.text) < 90_000
        origin = site.url.removesuffix(site.base)
        files_of_ours = [visitor.client.get(origin + address) for address in named(page.text).values()]
    assert len(files_of_ours) == 6
    sizes = [int(answer.headers["content-length"]) for answer in files_of_ours]
    assert sum(sizes) <= MOST_OF_OURS
    assert int(page.headers["content-length"]) + sum(sizes) <= MOST


API = '{% openapi-operation spec="kennel" path="/pets" method="post" %}\nInside\n{% endopenapi-operation %}\n'


def test_pages_about_apis_bring_their_styles(cast: Cast) -> None:
    site = PublishedSite(cast, files={"README.md": "# Words\n\nOnly words.\n", "api.md": f"# API\n\n{API}"})
    words, calls = (named(site.open(path).text) for path in ("", "/api"))
    assert {*calls} - {*words} == {"api.css"}
    assert not {*words} & {"api.css", "blocks.css", "blocks.js", "search.js", "requests.js"}
