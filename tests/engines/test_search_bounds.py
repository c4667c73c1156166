"""Words that very many sections have, on each engine: what is found, and what is said of the rest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.domain.search import matching
from tests import make
from tests.cast import Cast
from tests.factories import collections
from tests.rest.test_search import HOSTILE, found, hits, in_organization, told
from tests.visitors import PublishedSite

on_all = pytest.mark.parametrize("database", ["sqlite", "postgresql", "plain"], indirect=True)
MOST, LONG = 200, 4  # sections that are ranked here, and pages that have more of them
SECTIONS = "".join(f"## Knot {n}\n\nThe rope of the anchor.\n\n" for n in range(MOST // LONG + 10))
FULL: make.Files = {
    **{f"long{n}.md": f"# Long {n}\n\n{SECTIONS}" for n in range(LONG)},
    "last.md": "# Rope\n\nIt is made of hemp.\n\n## Hemp\n\nA plant.\n",
    "ropes.md": "# Of ropes\n\nMore of them.\n",
}
COMMON = [
    "the",
    "rope",
    "of the",
    "t",
    '"rope of the anchor"',
    '"anchor rope"',
    "the rope of the anchor knot",
]


@pytest.fixture(autouse=True)
def bounded() -> Iterator[None]:
    """Rank fewer sections than a server does, which take long to write."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "MOST", MOST)
        yield


@on_all
def test_titles_are_found_however_many_sections_say_the_word(cast: Cast) -> None:
    space = make.filled_space(cast, FULL)
    answer = found(cast.ria, space, "rope")
    titles = [item["title"] for item in answer["items"]]
    assert titles[:2] == ["Rope", "Of ropes"]
    assert answer["isPartial"] is True
    assert answer["count"] == len(titles)
    assert answer["items"][0]["sections"], "a page is shown with a section though none of them was ranked"
    for query in ("hemp", "rope hemp"):
        few = found(cast.ria, space, query)
        assert (few["items"][0]["title"], few["isPartial"]) == ("Rope", False)
    assert hits(cast.ria, space, "roep")[0] == "Rope", "also with a slip"
    for query in [*COMMON, *HOSTILE]:
        assert cast.ria.get(f"/v1/spaces/{space}/search", params={"query": query}).status_code == 200, query
        in_organization(cast.ria, cast.organization, query)


@on_all
def test_what_somebody_may_not_see_takes_no_place_and_is_told_to_nobody(cast: Cast) -> None:
    hidden = make.filled_space(cast, FULL, title="Hidden")
    make.filled_space(cast, {"a.md": "# Harbour\n\nThe rope.\n"}, title="Open")
    collections.patched(cast.ada, f"/v1/spaces/{hidden}", {"defaultLevel": None})
    for query in ("the", "rope"):
        seen = in_organization(cast.ria, cast.organization, query)
        assert (told(seen), seen["isPartial"]) == ({"Open": ["Harbour"]}, False)
        every = in_organization(cast.ada, cast.organization, query)
        assert ("Hidden" in told(every), every["isPartial"]) == (True, True)


@on_all
def test_a_title_is_found_as_soon_as_it_is_changed_and_no_longer(cast: Cast) -> None:
    space = make.filled_space(cast, {"a.md": "# Rope\n\nHemp.\n", "b.md": "# Knot\n\nrope rope rope\n"})
    page = cast.ria.get(f"/v1/spaces/{space}/content/path/b").json()["id"]
    change = {"operation": "update_page", "page": page}
    make.changes(cast.ada, space, {**change, "title": "Oakum"})
    assert hits(cast.ria, space, "oakum") == ["Oakum"]
    make.changes(cast.ada, space, {**change, "title": "Marline spike"})
    assert hits(cast.ria, space, "marline spike") == ["Marline spike"]
    assert hits(cast.ria, space, "oakum") == []
    make.changes(cast.ada, space, {**change, "title": "Rope"}, {"operation": "delete_page", "page": page})
    assert hits(cast.ria, space, "rope") == ["Rope"]
    assert len(found(cast.ria, space, "rope")["items"]) == 1


@on_all
def test_readers_of_a_site_find_titles_among_very_many_sections(cast: Cast) -> None:
    site = PublishedSite(cast, files={"README.md": "# Start\n", **FULL})
    with site.browser() as browser:
        answer = browser.get("/~/search", params={"q": "rope", "format": "json"})
    assert answer.status_code == 200, answer.text
    assert [hit["title"] for hit in answer.json()["hits"]][:2] == ["Rope", "Of ropes"]
    assert answer.json()["said"].startswith("At least "), "more sections match than were ranked"
