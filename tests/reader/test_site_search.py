"""Searching a site: pages with their headings, how many there are, and in which order."""

from __future__ import annotations

from typing import Any

from tests import make
from tests.cast import Cast
from tests.reader.rendering import parsed
from tests.reader.test_mcp import call
from tests.visitors import PublishedSite


def found(site: PublishedSite, query: str, **asked: Any) -> dict[str, Any]:
    """Return the answer of a search to a program."""
    with site.browser() as browser:
        answer = browser.get("/~/search", params={"q": query, "format": "json", **asked})
        assert answer.status_code == 200, answer.text
        return dict(answer.json())


def titles(site: PublishedSite, query: str, **asked: Any) -> list[str]:
    """The titles of the pages that are found."""
    return [hit["title"] for hit in found(site, query, **asked)["hits"]]


def test_a_page_is_found_once_with_its_headings(cast: Cast) -> None:
    text = "# Lamps\n\nEvery lamp shines.\n\n## Lamp oil\n\nFill it.\n\n## Wick\n\nTrim the lamp's wick.\n"
    site = PublishedSite(cast, files={"README.md": "# Start\n", "lamps.md": text})
    answer = found(site, "lamp")
    (hit,) = answer["hits"]
    assert (answer["count"], hit["title"], hit["href"]) == (1, "Lamps", f"{site.base}/lamps")
    assert hit["title_parts"] == ["", "Lamp", "s"]
    assert {each["heading"]: each["href"] for each in hit["sections"]} == {
        "Lamp oil": f"{site.base}/lamps#lamp-oil",
        "Wick": f"{site.base}/lamps#wick",
    }
    oil = next(each for each in hit["sections"] if each["heading"] == "Lamp oil")
    assert oil["heading_parts"] == ["", "Lamp", " oil"]
    page = parsed(site.open("/~/search?q=lamp").text)
    assert {each.all_text.lower() for each in page.every("mark")} == {"lamp"}
    assert "One page was found" in page.all_text
    assert titles(site, "lmap") == ["Lamps"], "a typing error is forgiven"


def test_all_pages_are_counted_and_reached_without_a_script(cast: Cast) -> None:
    site = PublishedSite(cast)
    new = [
        {"operation": "insert_page", "title": f"Sheet {n}", "document": {"markdown": "A quince."}}
        for n in range(45)
    ]
    make.changes(cast.ada, site.spaces[0], *new)
    assert found(site, "quince")["count"] == 45
    seen: list[str] = []
    path = "/~/search?q=quince"
    for first, last in ((1, 20), (21, 40), (41, 45)):
        page = parsed(site.open(path).text)
        assert f"45 pages were found for “quince”. These are {first} to {last}." in page.all_text
        (hits,) = [each for each in page.every("ol") if each.attributes.get("class") == "hits"]
        seen += [each.all_text for each in hits.every("a")]
        links = {each.attributes["rel"]: each.attributes["href"] for each in page.every("a")
                 if each.attributes.get("rel") in ("prev", "next")}  # fmt: skip
        assert ("prev" in links, "next" in links) == (first > 1, last < 45)
        path = str(links.get("next", "")).removeprefix(site.base)
    assert len(set(seen)) == len(seen) == 45
    beyond = site.open("/~/search?q=quince&start=900").text
    assert "None of them are this far down." in beyond
    assert "start=25" in beyond
    for start in ("-1", "x", "1e3", "99999999", "٣"):
        assert len(found(site, "quince", start=start)["hits"]) == 20, start


def test_what_is_read_is_preferred_and_other_languages_come_last(cast: Cast) -> None:
    site = PublishedSite(
        cast, "English", "German", languages=["en", "de"], files={"README.md": "# Start\n\nA quince.\n"}
    )
    make.imported(cast, site.spaces[1], {"README.md": "# Anfang\n\nA quince.\n"})
    english, german = (
        next(each["id"] for each in site.get("/site-spaces")["items"] if each["title"] == title)
        for title in ("English", "German")
    )
    assert titles(site, "quince", space=english) == ["Start", "Anfang"]
    assert titles(site, "quince", space=german) == ["Anfang", "Start"]
    assert titles(site, "quince", space=german, only="here") == ["Anfang"]
    assert len(titles(site, "quince", space="nothing", only="here")) == 2
    page = site.open(f"/~/search?q=quince&space={german}&only=here").text
    (box,) = [each.attributes for each in parsed(page).every("input") if each.attributes.get("id") is None
              and each.attributes.get("name") == "only" and "checked" in each.attributes][:1]  # fmt: skip
    assert box["type"] == "checkbox"


def test_a_long_page_is_read_in_parts(cast: Cast) -> None:
    lines = [f"Line {n} of a long page." for n in range(2000)]
    site = PublishedSite(cast, files={"README.md": "# Start\n", "long.md": "# Long\n\n" + "\n\n".join(lines)})

    def read(part: Any) -> dict[str, Any]:
        message = {"name": "read_page", "arguments": {"path": "/long", "part": part}}
        return dict(call(site, "tools/call", message).json())

    def said(part: int) -> str:
        return str(read(part)["result"]["content"][0]["text"])

    first = said(1)
    count = int(first.rstrip().partition("This is part 1 of ")[2].partition(".")[0])
    texts = [first, *(said(part) for part in range(2, count + 1))]
    assert count > 2
    assert all(len(text) < 16_300 for text in texts)
    together = "".join(texts)
    assert [line for line in lines if together.count(line) != 1] == []
    assert texts[-1].rstrip().endswith(f"This is part {count} of {count}.")
    for wrong in (0, count + 1, "1", True, None, 1.5, 10**9):
        answer = read(wrong)
        assert "part" in str(answer.get("error") or answer["result"]), wrong
        assert "error" in answer or answer["result"]["isError"], wrong
