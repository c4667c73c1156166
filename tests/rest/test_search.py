"""Searches through REST: what they find, in which order, and what no search can do."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories import changes, collections

pytestmark = pytest.mark.parametrize("database", ["sqlite", "postgresql", "plain"], indirect=True)
HOSTILE = [
    '"', '""', '"""', '"unbalanced', "*", "a*", "*a", "NEAR(", "NEAR(a b, 5)", "AND", "OR", "NOT", "a AND",
    "a NOT b", "-lamp", "lamp -oil", "^lamp", "title:lamp", "scope : x", "{title} : lamp", "(", ")", "((lamp",
    "lamp + oil", "\\", "'", "''", "lamp'; DROP TABLE search_section; --", ":*", "a:*", "<->", "lamp <-> oil",
    "!lamp", "&", "|", "%", "_", "lamp%", "l_mp", "%%%%", "\u200b", "\ufeff", "\u202e", "\ud7ff", "🙂",
    "\x1f", "\t\n", " ", "é" * 512, "a " * 256, '"' * 512, "(" * 512, "*" * 512, "NEAR(" * 102, "日" * 512,
]  # fmt: skip

NOTHING = {"count": 0, "isPartial": False, "items": []}


def found(person: Person, space: str, query: str, **params: Any) -> dict[str, Any]:
    """The answer to a search of a space that must succeed."""
    answer = person.get(f"/v1/spaces/{space}/search", params={"query": query, **params})
    assert answer.status_code == 200, answer.text
    said: dict[str, Any] = answer.json()
    return said


def hits(person: Person, space: str, query: str) -> list[str]:
    """The titles of the pages found, in order."""
    return [item["title"] for item in found(person, space, query)["items"]]


def in_organization(person: Person, organization: str, query: str, **params: Any) -> Any:
    """The answer to a search of an organization that must succeed."""
    answer = person.get(f"/v1/orgs/{organization}/search", params={"query": query, **params})
    assert answer.status_code == 200, answer.text
    return answer.json()


def told(answer: Any) -> dict[str, list[str]]:
    """Titles of spaces with the titles of their pages."""
    return {space["title"]: [page["title"] for page in space["pages"]] for space in answer["items"]}


def test_the_best_place_of_a_page_decides_where_it_stands(cast: Cast) -> None:
    said = "The lantern is out; another lantern burns.\n"
    much = "Words that say something else altogether, again and again. " * 20
    two = f"# Keeper\n\n## Lantern\n\nOil.\n\n## Stairs\n\n{much}One lantern. {much}\n"
    space = make.filled_space(cast, {"README.md": two, "quay.md": f"# Quay\n\n{said}"})
    assert hits(cast.ria, space, "lantern") == ["Keeper", "Quay"]


CORPUS: make.Files = {
    "SUMMARY.md": "* [Start](README.md)\n* [Café](cafe.md)\n* [東京の地図](tokyo.md)\n* [Paths](paths.md)\n"
    "* [Lonely](lonely.md)\n\n## Reference manual\n\n* [Elsewhere](https://example.org/lamp)\n",
    "README.md": "---\ntitle: Start\n---\nThe quick brown fox jumps over the lazy dog. Don't panic.\n",
    "cafe.md": "# Café\n\nCrème brûlée, naïve Ångström, STRASSE und Straße. İstanbul.\n",
    "tokyo.md": "# 東京の地図\n\n東京都は日本の首都です。安装npm包。한국어 문서.\n",
    "paths.md": "# Paths\n\nSee `snake_case`, C++, https://docs.example.org/a-b?c=d, version 3.14 (v2).\n\n"
    "## A heading {#given}\n\nUnder the heading: `npm install --save-dev thing@1.2.3`.\n\n"
    "```js\nlet answerOf = 42;\n```\n",
    "lonely.md": "# Lonely\n\n| Column | Other |\n| --- | --- |\n| cellular | automaton |\n\n* a bullet\n\n"
    "> quoted words\n",
}


@pytest.fixture(scope="module")
def space(instance: Any) -> tuple[Person, str]:
    """A reader and a space that no test here changes."""
    cast = make.cast(instance)
    return cast.ria, make.filled_space(cast, CORPUS)


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("fox", ["Start"]),
        ("FOX", ["Start"]),
        ("quick dog", ["Start"]),
        ("dog quick", ["Start"]),
        ("quick cat", []),
        ("qui", ["Start"]),
        ("uick", ["Start"]),
        ('"brown fox"', ["Start"]),
        ('"fox brown"', []),
        ('"brown fox" lazy', ["Start"]),
        ('"brown fo"', []),
        ("don't", ["Start"]),
        ("dont", ["Start"]),
        ("cafe", ["Café"]),
        ("CAFÉ", ["Café"]),
        ("cafe\u0301", ["Café"]),
        ("creme brulee", ["Café"]),
        ("angstrom", ["Café"]),
        ("strasse", ["Café"]),
        ("straße", ["Café"]),
        ("istanbul", ["Café"]),
        ("京", ["東京の地図"]),
        ("東京", ["東京の地図"]),
        ("京東", []),
        ("首都", ["東京の地図"]),
        ("日本 首都", ["東京の地図"]),
        ("安装", ["東京の地図"]),
        ("npm", ["Paths", "東京の地図"]),
        ("安装npm包", ["東京の地図"]),
        ("한국", ["東京の地図"]),
        ("문서", ["東京の地図"]),
        ("snake_case", ["Paths"]),
        ("snake", ["Paths"]),
        ("case", ["Paths"]),
        ("c++", ["Café", "Lonely", "Paths"]),
        ("docs.example.org", ["Paths"]),
        ("3.14", ["Paths"]),
        ("save-dev", ["Paths"]),
        ("thing@1.2.3", ["Paths"]),
        ("answerof", ["Paths"]),
        ("cellular", ["Lonely"]),
        ("bullet", ["Lonely"]),
        ("quoted", ["Lonely"]),
        ("reference", ["Reference manual"]),
        ("elsewhere", []),
        ("title", []),
        ("---", []),
    ],
)
def test_a_search_finds(space: tuple[Person, str], query: str, titles: list[str]) -> None:
    assert sorted(hits(*space, query)) == titles


@pytest.mark.parametrize("query", HOSTILE)
def test_no_search_is_read_as_more_than_words(space: tuple[Person, str], query: str) -> None:
    person, _ = space
    organization = next(iter(person.get("/v1/orgs").json()["items"]))["id"]
    assert found(*space, query)["count"] <= 5
    assert in_organization(person, organization, query)["count"] <= 1


@pytest.mark.parametrize("query", ["%", "_", "l_nely", "%%", "*", '"', "-", "()"])
def test_signs_find_nothing(space: tuple[Person, str], query: str) -> None:
    assert found(*space, query) == NOTHING


@pytest.mark.parametrize(
    ("query", "status"), [("", 400), ("a" * 512, 200), ("a" * 513, 400), ("\0", 400), ("日" * 513, 400)]
)
def test_a_query_has_a_length(space: tuple[Person, str], query: str, status: int) -> None:
    person, space_id = space
    organization = next(iter(person.get("/v1/orgs").json()["items"]))["id"]
    for path in (f"/v1/spaces/{space_id}/search", f"/v1/orgs/{organization}/search"):
        answer = person.get(path, params={"query": query})
        assert answer.status_code == status
        if status == 400:
            assert answer.json()["error"]["details"][0]["path"] == "query"
        assert person.get(path).status_code == 400


def test_a_hit_says_where_it_is(space: tuple[Person, str]) -> None:
    person, space_id = space
    (hit,) = found(person, space_id, "install")["items"]
    paths = person.get(f"/v1/spaces/{space_id}/content/path/paths").json()
    assert (hit["id"], hit["title"], hit["path"]) == (paths["id"], "Paths", "paths")
    assert hit["urls"] == paths["urls"]
    (section,) = hit["sections"]
    assert (section["title"], section["path"]) == ("A heading", "paths#given")
    assert section["urls"]["app"] == paths["urls"]["app"] + "#given"
    assert "npm install --save-dev" in section["body"]


def test_a_long_text_is_cut_around_the_match(cast: Cast) -> None:
    space = make.filled_space(cast, {"README.md": "before " * 500 + "needle " + "after " * 500})
    (hit,) = found(cast.ria, space, "needle")["items"]
    body = hit["sections"][0]["body"]
    assert "needle" in body
    assert len(body) < 400


def test_titles_come_before_headings_and_headings_before_text(cast: Cast) -> None:
    files = {
        "text.md": "# One\n\n" + "sextant " * 150,
        "heading.md": "# Two\n\n## The sextant\n\nRead on.\n",
        "title.md": "# Sextant\n\n" + "Other words stand here, many of them. " * 200,
        "mention.md": "# Four\n\nA sextant.\n\n## Again\n\nsextant sextant sextant.\n",
        **{f"other{n}.md": f"# Other {n}\n\nNothing of the kind.\n" for n in range(20)},
    }
    space = make.filled_space(cast, files)
    titles = hits(cast.ria, space, "sextant")
    assert titles[:2] == ["Sextant", "Two"]
    assert set(titles[2:]) == {"One", "Four"}


def test_scores_fall_from_hit_to_hit(cast: Cast) -> None:
    space = make.filled_space(
        cast, {f"{n}.md": f"# P{n}\n\n{'oak ' * n}{'elm ' * (40 - n)}" for n in range(1, 30)}
    )
    scores = [item["score"] for item in found(cast.ria, space, "oak")["items"]]
    assert len(scores) == 29
    assert scores == sorted(scores, reverse=True)


def test_all_pages_of_hits_hold_each_hit_once(cast: Cast) -> None:
    files = {f"{n}.md": f"# P{n}\n\n{'oak ' * (n % 9 + 1)}{'elm ' * (n * 7 % 23)}" for n in range(60)}
    space = make.filled_space(cast, files)
    everything = [item["id"] for item in found(cast.ria, space, "oak", limit=100)["items"]]
    assert len(everything) == 60
    for limit in (1, 7, 59, 60):
        seen: list[str] = []
        token: dict[str, Any] = {}
        for _ in range(0, 60, limit):
            answer = found(cast.ria, space, "oak", limit=limit, **token)
            assert answer["count"] == 60
            seen += [item["id"] for item in answer["items"]]
            token = {"page": answer.get("next", {}).get("page")}
        assert seen == everything
        assert token == {"page": None}


def test_a_page_token_fits_its_search_only(cast: Cast) -> None:
    spaces = [make.filled_space(cast, {f"{n}.md": "# Oak\n\nelm" for n in range(3)}) for _ in range(2)]
    token = found(cast.ria, spaces[0], "oak", limit=1)["next"]["page"]
    for person, space, query in (
        (cast.ria, spaces[0], "elm"),
        (cast.ria, spaces[1], "oak"),
        (cast.tom, spaces[0], "oak"),
    ):
        answer = person.get(f"/v1/spaces/{space}/search", params={"query": query, "page": token})
        assert answer.status_code == 400


def test_zero_hits_may_be_asked_for(cast: Cast) -> None:
    space = make.filled_space(cast, {f"{n}.md": "# Oak\n" for n in range(3)})
    none = found(cast.ria, space, "oak", limit=0)
    assert (none["count"], none["items"]) == (3, [])
    assert len(found(cast.ria, space, "oak", page=none["next"]["page"])["items"]) == 3


def test_a_page_shows_its_best_sections_once(cast: Cast) -> None:
    text = "".join(f"## Part {n}\n\noak {'oak ' * n}\n\n" for n in range(12))
    space = make.filled_space(cast, {"README.md": f"# Wood\n\n{text}"})
    (hit,) = found(cast.ria, space, "oak")["items"]
    titles = [section["title"] for section in hit["sections"]]
    assert len(titles) == len(set(titles)) == 5


def test_the_index_follows_every_import(cast: Cast) -> None:
    space = make.filled_space(cast, {"a.md": "# A\n\nfirst\n", "b.md": "# B\n\nother\n"})
    make.imported(cast, space, {"a.md": "# A\n\nsecond\n"})
    assert (hits(cast.ria, space, "first"), hits(cast.ria, space, "second")) == ([], ["A"])
    make.imported(cast, space, {"a.md": "# A2\n\nsecond\n"})
    assert hits(cast.ria, space, "second") == ["A2"]
    make.imported(cast, space, {"a.md": "# A2\n\nsecond\n"}, mirror=True)
    assert hits(cast.ria, space, "other") == []


def test_an_edit_leaves_alone_what_is_found_as_before(cast: Cast) -> None:
    oil, stairs, fog = "## Oil\n\nFill the lamp.\n", "## Stairs\n\nClimb the lamp.\n", "## Fog\n\nHear.\n"
    space = make.filled_space(cast, {"README.md": f"# Keeper\n\n{oil}\n{stairs}\n{fog}"})
    (page,) = found(cast.ria, space, "keeper")["items"]

    def sections(query: str, *texts: str) -> dict[str, str]:
        """The ids of the sections that a query finds, by their paths, once the page says these texts."""
        if texts:
            said = changes.update(page["id"], "# Keeper\n\n" + "\n".join(texts))
            assert changes.send(cast.ada, space, said).status_code == 200
        items = found(cast.ria, space, query)["items"]
        return {each["path"]: each["id"] for item in items for each in item["sections"]}

    before = sections("lamp")
    assert before.keys() == {"readme#oil", "readme#stairs"}
    changed = stairs.replace("lamp", "ladder")
    assert sections("lamp", fog, oil, changed) == {"readme#oil": before["readme#oil"]}
    assert sections("ladder") == {"readme#stairs": before["readme#stairs"]}
    assert sections("hear").keys() == {"readme#fog"}
    assert sections("hear", oil, oil) == {}
    assert sections("lamp").keys() == {"readme#oil", "readme#oil-1"}
    assert sections("ladder") == {}
    assert sections("lamp", stairs).keys() == {"readme#stairs"}
    assert sections("fill") == {}


def test_an_organization_is_searched_space_by_space(cast: Cast) -> None:
    for number in range(3):
        files = {f"{n}.md": f"# Oak {n}\n\nwood\n" for n in range(number + 1)}
        make.filled_space(cast, files, title=f"Space {number}")
    make.filled_space(cast, {"a.md": "# Elm\n"}, title="Without")
    answer = in_organization(cast.ria, cast.organization, "oak")
    assert answer["count"] == 3
    assert {title: sorted(pages) for title, pages in told(answer).items()} == {
        f"Space {number}": [f"Oak {n}" for n in range(number + 1)] for number in range(3)
    }
    assert {item["type"] for item in answer["items"]} == {"space"}
    (page, *_) = answer["items"][0]["pages"]
    assert page["sections"][0]["urls"]["app"].startswith(page["urls"]["app"])
    seen: list[str] = []
    token: dict[str, Any] = {}
    for _ in range(3):
        part = in_organization(cast.ria, cast.organization, "oak", limit=1, **token)
        seen += [item["id"] for item in part["items"]]
        token = {"page": part.get("next", {}).get("page")}
    assert seen == [item["id"] for item in answer["items"]]
    assert token == {"page": None}


def test_nobody_finds_what_they_may_not_see(cast: Cast) -> None:
    make.filled_space(cast, {"a.md": "# Oak here\n"}, title="Open")
    hidden = make.filled_space(cast, {"a.md": "# Oak there\n"}, title="Hidden")
    collections.patched(cast.ada, f"/v1/spaces/{hidden}", {"defaultLevel": None})
    folder = collections.collection(cast.ada, cast.organization, defaultLevel=None)
    inside = make.filled_space(cast, {"a.md": "# Oak inside\n"}, title="Inside", parent=folder["id"])
    assert set(told(in_organization(cast.ada, cast.organization, "oak"))) == {"Open", "Hidden", "Inside"}
    for person in (cast.cleo, cast.ria):
        answer = in_organization(person, cast.organization, "oak")
        assert (answer["count"], set(told(answer))) == (1, {"Open"})
        for space in (hidden, inside):
            assert person.get(f"/v1/spaces/{space}/search", params={"query": "oak"}).status_code == 404
    assert in_organization(cast.gus, cast.organization, "oak") == {
        "count": 0,
        "isPartial": False,
        "items": [],
    }
    assert cast.sol.get(f"/v1/orgs/{cast.organization}/search", params={"query": "oak"}).status_code == 404
    assert in_organization(cast.sol, cast.elsewhere, "oak")["count"] == 0


def test_a_token_of_one_organization_searches_no_other(cast: Cast) -> None:
    make.filled_space(cast, {"a.md": "# Oak\n"})
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    narrowed = make.token(cast.ada, organization_id=cast.elsewhere)
    assert narrowed.get(f"/v1/orgs/{cast.organization}/search", params={"query": "oak"}).status_code == 403
    assert in_organization(narrowed, cast.elsewhere, "oak")["count"] == 0


def test_a_deleted_space_is_found_no_more_until_it_is_restored(cast: Cast) -> None:
    space = make.filled_space(cast, {"a.md": "# Oak\n"}, title="Wood")
    cast.ada.delete(f"/v1/spaces/{space}")
    assert in_organization(cast.ada, cast.organization, "oak")["count"] == 0
    assert cast.ria.get(f"/v1/spaces/{space}/search", params={"query": "oak"}).status_code == 404
    cast.ada.post(f"/v1/spaces/{space}/restore")
    assert told(in_organization(cast.ria, cast.organization, "oak")) == {"Wood": ["Oak"]}


def test_a_search_follows_a_space_to_another_organization(cast: Cast) -> None:
    space = make.filled_space(cast, {"a.md": "# Oak\n"}, title="Wood")
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    moved = cast.ada.post(f"/v1/spaces/{space}/transfer", {"organization": cast.elsewhere})
    assert moved.status_code == 200
    assert in_organization(cast.ada, cast.organization, "oak")["count"] == 0
    assert told(in_organization(cast.sol, cast.elsewhere, "oak")) == {"Wood": ["Oak"]}
    assert hits(cast.sol, space, "oak") == ["Oak"]


def test_spaces_whose_ids_differ_in_case_are_kept_apart(cast: Cast) -> None:
    space = make.filled_space(cast, {"a.md": "# Oak\n"})
    swapped = space.swapcase()
    assert cast.ria.get(f"/v1/spaces/{swapped}/search", params={"query": "oak"}).status_code == 404


def test_a_word_of_the_title_and_a_word_of_a_section_meet(cast: Cast) -> None:
    files = {
        "lamp.md": "# The lamp\n\nIt burns.\n\n## Care\n\nTrim the wick.\n",
        "other.md": "# Wick\n\nNo light.\n",
    }
    space = make.filled_space(cast, files)
    assert hits(cast.ria, space, "lamp wick") == ["The lamp"]


def test_a_title_that_is_just_what_is_asked_for_comes_first(cast: Cast) -> None:
    files = {
        "part.md": "# Other\n\n## SQLite\n\nSQLite, SQLite and SQLite.\n",
        "more.md": "# SQLite and more of SQLite\n\nsqlite\n",
        "exact.md": "# SQLite\n\nA database.\n\n## Files\n\nOf it.\n",
    }
    space = make.filled_space(cast, files)
    assert hits(cast.ria, space, "sqlite") == ["SQLite", "SQLite and more of SQLite", "Other"]
    for query in ("SQLite!", "sqlíte"):
        assert hits(cast.ria, space, query)[0] == "SQLite"


def test_of_a_page_the_sections_are_shown_that_match_themselves(cast: Cast) -> None:
    text = "# Install\n\nBegin here.\n\n## Install it\n\n### Linux\n\nUnpack.\n\n## Other\n\nNothing.\n"
    space = make.filled_space(cast, {"a.md": text})
    (hit,) = found(cast.ria, space, "install")["items"]
    shown = {each["title"]: each["body"] for each in hit["sections"]}
    assert shown == {"Install it": "Unpack.", "Install": "Begin here."}
    (other,) = make_only_titled(cast)
    assert [each["body"] for each in other["sections"]] == ["One."]


def test_of_a_page_the_section_under_a_heading_that_matches_comes_first(cast: Cast) -> None:
    often = "A lantern, a lantern, and one more lantern.\n"
    text = f"# Keeper\n\n## Stairs\n\n{often}\n## Lantern\n\nOil for it.\n\n## Quay\n\n{often}"
    space = make.filled_space(cast, {"a.md": text})
    (hit,) = found(cast.ria, space, "lantern")["items"]
    shown = [each["title"] for each in hit["sections"]]
    assert (shown[0], sorted(shown)) == ("Lantern", ["Lantern", "Quay", "Stairs"])


def make_only_titled(cast: Cast) -> list[dict[str, Any]]:
    """Return the sections found of a page by its title alone."""
    space = make.filled_space(cast, {"a.md": "# Lighthouse\n\nOne.\n\n## Two\n\nThree.\n"})
    items: list[dict[str, Any]] = found(cast.ria, space, "lighthouse")["items"]
    return items


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("chnage reqest", "Change request"),
        ("configuratoin", "Configuration"),
        ("konfiguration", "Configuration"),
        ("cofiguration fil", "Configuration"),
        ("配制文件", "修改配置文件"),
        ("配文件", "修改配置文件"),
        ("配置文文件", "修改配置文件"),
        ("置配文件", "修改配置文件"),
        ("zzzz", None),
    ],
)
def test_a_slip_of_the_pen_is_forgiven(misspelled: tuple[Person, str], query: str, title: str | None) -> None:
    titles = hits(*misspelled, query)
    assert titles[:1] == ([title] if title else [])
    person, space = misspelled
    seen: list[str] = []
    token: dict[str, Any] = {}
    while True:
        answer = found(person, space, query, limit=1, **token)
        seen += [item["title"] for item in answer["items"]]
        if "next" not in answer:
            break
        token = {"page": answer["next"]["page"]}
    assert seen == titles
    organization = next(iter(person.get("/v1/orgs").json()["items"]))["id"]
    assert in_organization(person, organization, query)["count"] == bool(title)


@pytest.fixture(scope="module")
def misspelled(instance: Any) -> tuple[Person, str]:
    """A reader and a space to search with words that are not quite its own."""
    cast = make.cast(instance)
    files = {
        "a.md": "# Change request\n\nA change.\n",
        "b.md": "# Configuration\n\nOf a file. A request may change it.\n",
        "c.md": "# 修改配置文件\n\n安装。\n",
        "d.md": "# Requests\n\n## Changes of all kinds\n\nOther words.\n",
    }
    return cast.ria, make.filled_space(cast, files)


def test_the_vocabulary_follows_every_change(cast: Cast) -> None:
    space = make.filled_space(cast, {"a.md": "# A\n\nlantern\n", "b.md": "# B\n\nlantern oil\n"})
    assert hits(cast.ria, space, "lantren") == ["A", "B"]
    make.imported(cast, space, {"a.md": "# A\n\nlanterns\n"})
    assert sorted(hits(cast.ria, space, "lantren")) == ["A", "B"]
    make.imported(cast, space, {"a.md": "# A\n\nharbour\n", "b.md": "# B\n\nquay\n"})
    assert hits(cast.ria, space, "lantren") == []
    assert hits(cast.ria, space, "habour") == ["A"]


def test_a_copy_of_a_space_has_its_words(cast: Cast) -> None:
    space = make.filled_space(cast, {"a.md": "# Lantern\n"})
    answer = cast.ada.post(f"/v1/spaces/{space}/duplicate")
    assert answer.status_code == 201, answer.text
    copy = answer.json()["id"]
    assert hits(cast.ada, copy, "lantren") == ["Lantern"]


def test_pages_of_hits_end_however_many_digits_a_score_has(cast: Cast) -> None:
    files = {
        "a.md": "# Change request\n\nA change.\n",
        "b.md": "# Changes\n\nA request.\n",
        "c.md": "# Other\n\nA request may change it.\n",
    }
    for number in range(12):
        more: make.Files = {f"x{n}.md": f"# X{n}\n\nchange {'word ' * n}\n" for n in range(number)}
        space = make.filled_space(cast, {**files, **more})
        for query in ("change request", "chnage reqest"):
            everything = hits(cast.ria, space, query)
            seen: list[str] = []
            token: dict[str, Any] = {}
            for _ in everything:
                answer = found(cast.ria, space, query, limit=1, **token)
                seen += [item["title"] for item in answer["items"]]
                token = {"page": answer.get("next", {}).get("page")}
            assert (seen, token) == (everything, {"page": None})
