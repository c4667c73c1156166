"""The content of a space through REST: its revision, page tree and files, and who may read them."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from app.access.context import Context
from app.kit.database.statements import command, given, table
from app.models.pages import PageVersion
from tests import make
from tests.cast import Cast, Person

PAGE_VERSIONS = table(PageVersion)
_COMPUTED = command(
    lambda: (
        update(PAGE_VERSIONS)
        .values(computed=given("computed", PAGE_VERSIONS.c.computed.type), computed_seed="seed")
        .where(PAGE_VERSIONS.c.page_id == given("page"))
    )
)


def tree(person: Person, space_id: str, **params: Any) -> list[Any]:
    """The page tree as titles, a page with children as a pair."""
    return _titles(read(person, f"/v1/spaces/{space_id}/content/pages", **params)["pages"])


def read(person: Person, path: str, **params: Any) -> Any:
    """The answer to a read that must succeed."""
    answer = person.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def _titles(pages: list[dict[str, Any]]) -> list[Any]:
    return [(p["title"], _titles(p["pages"])) if p.get("pages") else p["title"] for p in pages]


def page(person: Person, space_id: str, path: str, **params: Any) -> dict[str, Any]:
    """A page by its path."""
    found: dict[str, Any] = read(person, f"/v1/spaces/{space_id}/content/path/{path}", **params)
    return found


def test_an_empty_space_has_an_empty_revision(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    revision = read(cast.ria, f"/v1/spaces/{space['id']}/content")
    assert revision["id"] == space["revision"]
    assert (revision["object"], revision["type"], revision["parents"]) == ("revision", "edits", [])
    for name in ("pages", "files", "reusableContents"):
        assert revision[name] == []
    assert revision["variables"] == {}


def test_a_revision_holds_the_whole_content(cast: Cast) -> None:
    space = make.filled_space(cast)
    base = f"/v1/spaces/{space}"
    revision = read(cast.ria, f"{base}/content")
    assert revision["id"] == read(cast.ria, base)["revision"]
    assert len(revision["parents"]) == 1
    assert revision["pages"] == read(cast.ria, f"{base}/content/pages")["pages"]
    assert revision["files"] == read(cast.ria, f"{base}/content/files")["items"]
    assert revision["variables"] == {"keeper": "Ada", "height": 40}
    (oil,) = revision["reusableContents"]
    assert (oil["title"], oil["git"]["path"]) == ("Oil", ".gitbook/includes/oil.md")
    assert "git" not in read(cast.ria, f"{base}/content", metadata=False)["reusableContents"][0]


def test_pages_are_a_tree_in_the_order_of_the_table_of_contents(cast: Cast) -> None:
    space = make.filled_space(cast)
    assert tree(cast.ria, space) == [
        "Lighthouse",
        ("Notes", ["Daily rounds", "Größe der Lampe", "In a storm"]),
        ("Machinery", ["The lamp", "Its maker"]),
    ]


def test_each_kind_of_page_says_what_it_is(cast: Cast) -> None:
    space = make.filled_space(cast)
    first, notes, machinery = read(cast.ria, f"/v1/spaces/{space}/content/pages")["pages"]
    assert (first["type"], first["icon"], first["description"]) == ("document", "compass", "Where to begin")
    assert (first["slug"], first["path"], first["pages"]) == ("readme", "readme", [])
    assert [child["path"] for child in notes["pages"]] == ["notes/rounds", "notes/grosse", "notes/storm"]
    assert [child["hidden"] for child in notes["pages"]] == [False, False, True]
    assert (machinery["type"], machinery["path"]) == ("group", "machinery")
    assert "documentId" not in machinery
    lamp, maker = machinery["pages"]
    assert lamp["path"] == "machinery/lamp"
    assert (maker["type"], maker["href"]) == ("link", "https://example.org/maker")
    assert maker["target"] == {"kind": "url", "url": "https://example.org/maker"}
    assert "pages" not in maker
    assert all("markdown" not in shown for shown in (first, notes, lamp))


def test_a_page_can_be_hidden_by_its_file_or_by_not_being_listed(cast: Cast) -> None:
    space = make.filled_space(cast, make.repository({"notes/draft.md": "# A draft\n"}))
    for path in ("notes/storm", "notes/draft"):
        assert page(cast.ria, space, path)["hidden"] is True
    assert page(cast.ria, space, "notes/rounds")["hidden"] is False


def test_git_metadata_can_be_left_out(cast: Cast) -> None:
    space = make.filled_space(cast)
    base = f"/v1/spaces/{space}/content"
    with_git = read(cast.ria, f"{base}/pages")["pages"][0]
    assert with_git["git"]["path"] == "README.md"
    without = read(cast.ria, f"{base}/pages", metadata=False)["pages"][0]
    assert {**without, "git": with_git["git"]} == with_git
    assert "git" not in read(cast.ria, f"{base}/page/{with_git['id']}", metadata=False)
    assert "git" in read(cast.ria, f"{base}/files")["items"][0]
    assert "git" not in read(cast.ria, f"{base}/files", metadata=False)["items"][0]


def test_computed_pages_can_be_left_out(cast: Cast) -> None:
    space = make.filled_space(cast)
    base = f"/v1/spaces/{space}/content"
    rounds = page(cast.ria, space, "notes/rounds")["id"]

    async def compute(cx: Context) -> None:
        await cx.tx.run(_COMPUTED, page=rounds, computed={"type": "builtin:openapi"})

    cast.instance.inside(compute)
    shown = read(cast.ria, f"{base}/page/{rounds}")
    assert (shown["computed"], shown["computedSeed"]) == ({"type": "builtin:openapi"}, "seed")
    assert "Daily rounds" in str(tree(cast.ria, space))
    assert "Daily rounds" not in str(tree(cast.ria, space, computed=False))
    assert "Daily rounds" not in str(read(cast.ria, base, computed=False)["pages"])
    notes = read(cast.ria, f"{base}/path/notes", computed=False)
    assert [child["title"] for child in notes["pages"]] == ["Größe der Lampe", "In a storm"]


def test_a_page_is_found_by_its_id_and_brings_what_is_under_it(cast: Cast) -> None:
    space = make.filled_space(cast)
    _, notes, machinery = read(cast.ria, f"/v1/spaces/{space}/content/pages")["pages"]
    found = read(cast.ria, f"/v1/spaces/{space}/content/page/{notes['id']}")
    assert found.pop("markdown").startswith("# Notes\n")
    assert found == notes
    assert read(cast.ria, f"/v1/spaces/{space}/content/page/{machinery['id']}") == machinery


@pytest.mark.parametrize(
    "path",
    [
        "notes/grosse",
        "notes%2Fgrosse",
        "/notes/grosse",
        "%2Fnotes%2Fgrosse",
        "notes/grosse/",
    ],
)
def test_a_page_is_found_by_its_path_however_it_is_written(cast: Cast, path: str) -> None:
    space = make.filled_space(cast)
    assert page(cast.ria, space, path)["title"] == "Größe der Lampe"


def test_a_path_may_mean_a_group_a_link_or_letters_of_any_script(cast: Cast) -> None:
    space = make.filled_space(cast, {"SUMMARY.md": "* [Top](README.md)\n\n## 入門\n\n* [安装](安装.md)\n"
        "* [Elsewhere](https://example.org/)\n", "README.md": "x", "安装.md": "# 安装\n"})  # fmt: skip
    assert page(cast.ria, space, "入門")["type"] == "group"
    assert page(cast.ria, space, "%E5%85%A5%E9%96%80/%E5%AE%89%E8%A3%85")["title"] == "安装"
    assert page(cast.ria, space, "入門/elsewhere")["href"] == "https://example.org/"


@pytest.mark.parametrize("path", ["", "nothing", "notes/rounds/more", "NOTES", "notes//rounds", "%00"])
def test_an_unknown_path_is_not_found(cast: Cast, path: str) -> None:
    space = make.filled_space(cast)
    assert cast.ria.get(f"/v1/spaces/{space}/content/path/{path}").status_code == 404


def test_files_say_what_they_are(cast: Cast) -> None:
    files: make.Files = {
        "README.md": "x",
        "a.png": make.picture(640, 480),
        "b.SVG": "<svg/>",
        "c.bin": b"\0\1",
        "d.html": "<p>",
    }
    space = make.filled_space(cast, files)
    found = {file["name"]: file for file in read(cast.ria, f"/v1/spaces/{space}/content/files")["items"]}
    assert {name: file["contentType"] for name, file in found.items()} == {
        "a.png": "image/png",
        "b.SVG": "image/svg+xml",
        "c.bin": "application/octet-stream",
        "d.html": "text/html",
    }
    assert found["a.png"]["dimensions"] == {"width": 640, "height": 480}
    assert "dimensions" not in found["b.SVG"]
    assert found["c.bin"]["size"] == 2
    for file in found.values():
        assert read(cast.ria, f"/v1/spaces/{space}/content/files/{file['id']}") == file


def test_files_come_in_pages(cast: Cast) -> None:
    names = [f"{number:02}.txt" for number in range(7)]
    space = make.filled_space(cast, {"README.md": "x", **dict.fromkeys(names, "same")})
    path, seen = f"/v1/spaces/{space}/content/files", list[str]()
    token: dict[str, Any] = {}
    for _ in range(4):
        answer = read(cast.ria, path, limit=2, **token)
        assert answer["count"] == 7
        seen += [file["name"] for file in answer["items"]]
        token = {"page": answer.get("next", {}).get("page")}
    assert sorted(seen) == names
    assert token == {"page": None}


def operations(space: str, page: str, file: str) -> list[str]:
    """Every read of a space's content."""
    content = f"/v1/spaces/{space}/content"
    return [
        content,
        f"{content}/pages",
        f"{content}/files",
        f"{content}/files/{file}",
        f"{content}/files/{file}/backlinks",
        f"{content}/page/{page}",
        f"{content}/page/{page}/links",
        f"{content}/page/{page}/backlinks",
        f"{content}/path/readme",
        f"/v1/spaces/{space}/links",
        f"/v1/spaces/{space}/search?query=lamp",
    ]


def test_strangers_and_guests_find_nothing(cast: Cast) -> None:
    space = make.filled_space(cast)
    page_id = page(cast.ria, space, "readme")["id"]
    file_id = read(cast.ria, f"/v1/spaces/{space}/content/files")["items"][0]["id"]
    for path in operations(space, page_id, file_id):
        assert cast.ria.get(path).status_code == 200, path
        for person in (cast.sol, cast.gus):
            answer = person.get(path)
            assert answer.status_code == 404, path
            assert answer.json()["error"]["message"] == "There is no such space."


def test_pages_and_files_of_another_space_are_not_found(cast: Cast) -> None:
    mine, other = make.filled_space(cast), make.filled_space(cast)
    page_id = page(cast.ria, other, "readme")["id"]
    file_id = read(cast.ria, f"/v1/spaces/{other}/content/files")["items"][0]["id"]
    for path in operations(mine, page_id, file_id):
        of_one = page_id in path or file_id in path
        assert cast.ria.get(path).status_code == (404 if of_one else 200), path


def test_content_answers_conditionally(cast: Cast) -> None:
    space = make.filled_space(cast)
    path = f"/v1/spaces/{space}/content/pages"
    tag = cast.ria.get(path).headers["etag"]
    assert cast.ria.get(path, headers={"If-None-Match": tag}).status_code == 304
    make.imported(cast, space, make.repository({"notes/rounds.md": "# Nightly rounds\n"}))
    assert cast.ria.get(path, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize(
    ("name", "value"),
    [("metadata", "yes"), ("computed", "2"), ("format", "html"), ("evaluated", "maybe")],
)
def test_wrong_options_are_named(cast: Cast, name: str, value: str) -> None:
    space = make.filled_space(cast)
    answer = cast.ria.get(f"/v1/spaces/{space}/content/path/readme", params={name: value})
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == name
