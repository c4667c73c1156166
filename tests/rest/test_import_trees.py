"""Imports of trees: one revision or none, pages that stay themselves, nothing half done."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest

from app.access.context import Context
from app.domain.imports import tree_import
from app.domain.imports.tree_import import Imported
from app.formats.repository.import_plan import read_plan
from app.formats.repository.zip_archive import Zip
from app.kit.errors import Invalid
from tests import make
from tests.cast import Cast, Person
from tests.factories import space_rows


def pages(person: Person, space: str) -> dict[str, dict[str, Any]]:
    """Every page of a space by its path or, for a link, its title; without what is under it."""
    waiting = list(person.get(f"/v1/spaces/{space}/content/pages").json()["pages"])
    found: dict[str, dict[str, Any]] = {}
    while waiting:
        page = waiting.pop(0)
        waiting.extend(page.pop("pages", ()))
        found[page.get("path", page["title"])] = page
    return found


def ids(person: Person, space: str) -> dict[str, str]:
    """The ids of a space's pages by path."""
    return {path: page["id"] for path, page in pages(person, space).items()}


def by_name(ids: dict[str, str]) -> dict[str, str]:
    """The ids by the last part of each path."""
    return {path.rpartition("/")[2]: page for path, page in ids.items()}


def titles(person: Person, space: str) -> list[Any]:
    """The tree of titles."""

    def told(found: list[dict[str, Any]]) -> list[Any]:
        return [(p["title"], told(p["pages"])) if p.get("pages") else p["title"] for p in found]

    return told(person.get(f"/v1/spaces/{space}/content/pages").json()["pages"])


def search(person: Person, space: str, query: str) -> list[str]:
    """The titles of the pages that a search finds."""
    answer = person.get(f"/v1/spaces/{space}/search", params={"query": query})
    assert answer.status_code == 200, answer.text
    return [hit["title"] for hit in answer.json()["items"]]


@pytest.mark.parametrize("mirror", [False, True])
def test_importing_the_same_again_changes_nothing(cast: Cast, mirror: bool) -> None:
    space = make.filled_space(cast)
    before = cast.ria.get(f"/v1/spaces/{space}/content").json()
    stored = space_rows.held(cast.instance, space, only_open=False)
    again = make.imported(cast, space, make.repository(), mirror=mirror)
    assert (again.changed, again.revision_id) == (False, before["id"])
    assert cast.ria.get(f"/v1/spaces/{space}/content").json() == before
    assert space_rows.held(cast.instance, space, only_open=False) == stored
    assert space_rows.revisions(cast.instance, space) == 2


def problems(done: Imported) -> list[tuple[str, str, str]]:
    """Return the report of an import, in an order of its own."""
    return sorted((each.kind, each.place, each.message) for each in done.report.problems)


def test_every_import_tells_all_problems_that_there_are(cast: Cast) -> None:
    files: dict[str, str | bytes] = {
        "a.md": "---\nicon: [\n---\n[lost](nowhere.md) [kept](b.md)\n\n[gone](c.md)\n",
        "b.md": b"---\nsurprise: 1\nother: 2\n---\n[lost](nowhere.md)\n\xff\n",
        "d.md": "---\nicon: star\n---\nText.\n\nMore {% if page.vars.x %}words{% endif %}.\n",
    }
    space = make.space(cast.ada, cast.organization)["id"]
    first = make.imported(cast, space, files)
    told = problems(first)
    broken = [place for kind, place, _ in told if kind == "broken-link"]
    assert broken == ["a.md:4", "a.md:6", "b.md:5"]
    assert {place for kind, place, _ in told if kind == "condition"} == {"d.md:6"}
    again = make.imported(cast, space, files)
    assert not again.changed
    assert problems(again) == told
    third = make.imported(cast, space, {**files, "c.md": "# C\n"})
    assert third.changed
    assert problems(third) == [each for each in told if each[1] != "a.md:6"]
    mirrored = make.imported(cast, space, files, mirror=True)
    assert problems(mirrored) == told


def test_a_changed_file_makes_one_revision_and_all_pages_stay_themselves(cast: Cast) -> None:
    space = make.filled_space(cast)
    before = pages(cast.ria, space)
    first = cast.ria.get(f"/v1/spaces/{space}").json()["revision"]
    changed = make.repository({"machinery/lamp.md": "# The lamp\n\nIt burns gas now.\n"})
    done = make.imported(cast, space, changed)
    revision = cast.ria.get(f"/v1/spaces/{space}/content").json()
    assert (revision["id"], revision["parents"]) == (done.revision_id, [first])
    after = pages(cast.ria, space)
    assert {path for path in before if before[path] != after[path]} == {"machinery/lamp"}
    assert after["machinery/lamp"]["id"] == before["machinery/lamp"]["id"]
    assert after["machinery/lamp"]["createdAt"] == before["machinery/lamp"]["createdAt"]
    assert (search(cast.ria, space, "gas"), search(cast.ria, space, "wick")) == (
        ["The lamp"],
        ["Daily rounds"],
    )
    assert space_rows.revisions(cast.instance, space) == 3


@pytest.mark.parametrize(
    "change",
    [
        {".gitbook/vars.yaml": "keeper: Eve\n"},
        {".gitbook/includes/oil.md": "Rape oil.\n"},
        {".gitbook/assets/lamp.png": make.picture(4, 4)},
        {"notes/storm.md": "---\nhidden: false\n---\n\n# In a storm\n\nStay inside.\n"},
        {"SUMMARY.md": "* [Lighthouse](README.md)\n"},
        {"new.md": "# New\n"},
        {"new.txt": "New\n"},
    ],
    ids=["variables", "reusable", "file", "front matter", "summary", "page", "text"],
)
def test_every_kind_of_change_makes_exactly_one_revision(cast: Cast, change: dict[str, Any]) -> None:
    space = make.filled_space(cast)
    for _ in range(2):
        make.imported(cast, space, make.repository(change))
        assert space_rows.revisions(cast.instance, space) == 3


def test_without_mirroring_nothing_is_taken_away(cast: Cast) -> None:
    space = make.filled_space(cast)
    before = ids(cast.ria, space)
    make.imported(cast, space, {"tower.md": "# Tower\n", "stairs.txt": "99"})
    after = ids(cast.ria, space)
    assert {path: after[path] for path in before} == before
    assert set(after) - set(before) == {"tower"}
    assert cast.ria.get(f"/v1/spaces/{space}/content/files").json()["count"] == 2
    assert cast.ria.get(f"/v1/spaces/{space}/content").json()["variables"]["keeper"] == "Ada"


def test_mirroring_takes_away_what_the_tree_lacks(cast: Cast) -> None:
    space = make.filled_space(cast)
    before = ids(cast.ria, space)
    tree = {"SUMMARY.md": "* [Lighthouse](README.md)\n", "README.md": make.repository()["README.md"]}
    make.imported(cast, space, tree, mirror=True)
    assert ids(cast.ria, space) == {"readme": before["readme"]}
    revision = cast.ria.get(f"/v1/spaces/{space}/content").json()
    assert (revision["files"], revision["reusableContents"], revision["variables"]) == ([], [], {})
    assert search(cast.ria, space, "lamp") == ["Lighthouse"]
    assert search(cast.ria, space, "wick") == []
    for path in ("machinery", "machinery/lamp", "notes"):
        assert cast.ria.get(f"/v1/spaces/{space}/content/path/{path}").status_code == 404


def test_a_page_put_between_others_leaves_them_untouched(cast: Cast) -> None:
    names = [f"p{number:02}" for number in range(12)]
    files = {f"{name}.md": f"# {name}\n" for name in names}

    def summary(order: list[str]) -> dict[str, str]:
        return {**files, "SUMMARY.md": "".join(f"* [{name}]({name}.md)\n" for name in order)}

    space = make.filled_space(cast, summary(names))
    before = pages(cast.ria, space)
    files["new.md"] = "# new\n"
    order = [*names[:5], "new", *names[5:]]
    make.imported(cast, space, summary(order))
    assert titles(cast.ria, space) == order
    after = pages(cast.ria, space)
    assert {path: after[path] for path in before} == before
    order = [names[-1], *order[:-1]]
    make.imported(cast, space, summary(order))
    assert titles(cast.ria, space) == order
    moved = {path for path, page in pages(cast.ria, space).items() if page != after[path]}
    assert moved == {names[-1]}


def test_any_order_comes_out_as_the_table_of_contents_says(cast: Cast) -> None:
    names = "abcdefgh"
    space = make.space(cast.ada, cast.organization)["id"]
    for order in ("abcdefgh", "hgfedcba", "aceg", "bdfh", "ahbgcfde", "d", "abcdefgh"):
        tree = {f"{name}.md": f"# {name}\n" for name in order}
        tree["SUMMARY.md"] = "".join(f"* [{name}]({name}.md)\n" for name in order)
        make.imported(cast, space, tree, mirror=True)
        assert titles(cast.ria, space) == list(order)
    make.imported(cast, space, {"SUMMARY.md": "* [x](x.md)\n* [c](c.md)\n* [y](y.md)\n"} | dict.fromkeys(
        ("x.md", "y.md"), "") | {"c.md": "# c\n"})  # fmt: skip
    found = titles(cast.ria, space)
    assert [title for title in found if title in names] == list(names)
    assert found.index("x") + 1 == found.index("c") == found.index("y") - 1


def test_pages_trade_places(cast: Cast) -> None:
    files = {"a.md": "# A\n", "b.md": "# B\n", "README.md": "# Top\n"}
    nested = {"SUMMARY.md": "* [Top](README.md)\n* [A](a.md)\n  * [B](b.md)\n", **files}
    turned = {"SUMMARY.md": "* [Top](README.md)\n* [B](b.md)\n  * [A](a.md)\n", **files}
    space = make.filled_space(cast, nested)
    known = by_name(ids(cast.ria, space))
    for tree, paths in ((turned, {"b", "b/a"}), (nested, {"a", "a/b"})):
        make.imported(cast, space, tree)
        found = ids(cast.ria, space)
        assert set(found) == {"readme", *paths}
        assert by_name(found) == known


def test_what_stays_follows_a_page_that_moves(cast: Cast) -> None:
    tree = {"SUMMARY.md": "* [A](a/README.md)\n  * [B](a/b/README.md)\n    * [C](a/b/c.md)\n* [Z](z.md)\n",
            "a/README.md": "A", "a/b/README.md": "B", "a/b/c.md": "C", "z.md": "Z"}  # fmt: skip
    space = make.filled_space(cast, tree)
    before = ids(cast.ria, space)
    make.imported(
        cast, space, {"SUMMARY.md": "* [Z](z.md)\n  * [A](a/README.md)\n", "a/README.md": "A", "z.md": "Z"}
    )
    after = ids(cast.ria, space)
    assert by_name(after) == by_name(before)
    assert set(after) == {"z", "z/a", "z/a/b", "z/a/b/c"}
    below = cast.ria.get(f"/v1/spaces/{space}/content/page/{after['z/a']}").json()["pages"]
    assert [(page["path"], [p["path"] for p in page["pages"]]) for page in below] == [("z/a/b", ["z/a/b/c"])]
    assert cast.ria.get(f"/v1/spaces/{space}/content/path/a/b/c").status_code == 404


def test_groups_and_links_are_known_by_their_titles(cast: Cast) -> None:
    summary = "* [Top](README.md)\n\n## Guides\n\n* [G](g.md)\n* [Out](https://example.org/1)\n"
    tree = {"SUMMARY.md": summary, "README.md": "x", "g.md": "x"}
    space = make.filled_space(cast, {"guides.md": "# Guides\n"})
    make.imported(cast, space, tree)
    before = ids(cast.ria, space)
    assert {"guides", "guides-1", "guides-1/g", "Out"} <= set(before)
    again = make.imported(cast, space, tree)
    assert not again.changed
    make.imported(cast, space, {**tree, "SUMMARY.md": summary.replace("/1", "/2")})
    assert ids(cast.ria, space) == before
    assert pages(cast.ria, space)["Out"]["href"] == "https://example.org/2"


def broken_zip() -> bytes:
    """A repository as a zip, the last page of which turns out to be damaged far behind its beginning."""
    files = make.repository({"notes/storm.md": None, "zzz.md": "# Last\n\n" + "line\n" * 5_000 + "spoiled\n"})
    summary = str(files["SUMMARY.md"]) + "* [Last](zzz.md)\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in {**files, "SUMMARY.md": summary}.items():
            archive.writestr(name, content)
    return packed.getvalue().replace(b"spoiled", b"spoilt!")


def test_an_import_that_fails_half_way_leaves_nothing(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    plan = read_plan(Zip(broken_zip()))
    done: list[int] = []

    async def run(cx: Context) -> Imported:
        into = await cx.db.first(space_rows.SPACE, id=space["id"])
        assert into is not None
        return await tree_import.import_plan(cx, into, plan, progress=done.append)

    with pytest.raises(Invalid, match="damaged"):
        cast.instance.inside(run)
    assert (
        cast.ria.get(f"/v1/spaces/{space['id']}").json() == cast.ria.get(f"/v1/spaces/{space['id']}").json()
    )
    assert ids(cast.ria, space["id"]) == {}
    assert cast.ria.get(f"/v1/spaces/{space['id']}").json()["revision"] == space["revision"]
    assert space_rows.revisions(cast.instance, space["id"]) == 1
    assert space_rows.searchable(cast.instance, space["id"]) == []
    stored = space_rows.held(cast.instance, space["id"], only_open=False)
    assert {name: len(rows) for name, rows in stored.items() if rows} == {"line_properties": 1}


def test_a_path_longer_than_an_index_holds_is_told_and_left_out(cast: Cast) -> None:
    space = make.filled_space(cast)
    deep = "".join(f"{'  ' * depth}* {chr(97 + depth % 26) * 100}\n" for depth in range(30))
    tree = {"SUMMARY.md": f"* [A](a.md)\n{deep}{'  ' * 30}* [X](x.md)\n", "x.md": "x", "a.md": "a"}
    report = make.imported(cast, space, tree).report
    left = [problem.file for problem in report.problems if problem.kind == "skipped"]
    assert left[0].startswith("SUMMARY.md, “")
    assert left[-1] == "x.md"
    found = [page["title"] for page in pages(cast.ria, space).values()]
    assert "A" in found
    assert "X" not in found


def test_the_deepest_tree_is_read_back(cast: Cast) -> None:
    deep = "".join(f"{'  ' * depth}* [L{depth}](p{depth}.md)\n" for depth in range(70))
    tree = {"SUMMARY.md": deep, **{f"p{depth}.md": f"# L{depth}\n" for depth in range(70)}}
    space = make.filled_space(cast, tree)
    assert len(pages(cast.ria, space)) == 70
    assert cast.ria.get(f"/v1/spaces/{space}/content").status_code == 200


def test_names_that_fold_alike_each_keep_their_page(cast: Cast) -> None:
    tree = {
        "Guide.md": "# 1",
        "guide.md": "# 2",
        "güide.md": "# 3",
        "a b.md": "# 4",
        "a-b.md": "# 5",
        "a_b.md": "# 6",
    }
    space = make.filled_space(cast, tree)
    found = pages(cast.ria, space)
    assert sorted(page["title"] for page in found.values()) == list("123456")
    assert not make.imported(cast, space, tree).changed


def test_a_large_section_is_found_wherever_the_word_stands(cast: Cast) -> None:
    words = " ".join(f"word{number:06}" for number in range(120_000))
    space = make.filled_space(cast, {"README.md": f"# Words\n\n{words}\n", "other.md": "# Other\n"})
    for number in (0, 1, 59_999, 119_999):
        assert search(cast.ria, space, f"word{number:06}") == ["Words"]
    hit = cast.ria.get(f"/v1/spaces/{space}/search", params={"query": "word100000"}).json()["items"][0]
    assert "word100000" in hit["sections"][0]["body"]
    make.imported(cast, space, {"README.md": "# Words\n\nFew.\n"})
    assert search(cast.ria, space, "word059999") == []
