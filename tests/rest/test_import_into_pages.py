"""Imports into a page: one document takes the place of its body, more go below it."""

from __future__ import annotations

import pytest

from tests import make
from tests.cast import Cast
from tests.factories import space_rows
from tests.factories.imports import MARKDOWN, brings, docx, done, files, page, tree
from tests.local_server import Neighbour, html, sent


def test_one_document_takes_the_place_of_a_page_body(cast: Cast, neighbour: Neighbour) -> None:
    space = make.filled_space(cast)
    before, all_paths = page(cast.ria, space, "notes/rounds"), tree(cast.ria, space)
    url = neighbour.shows(
        "/other.md", sent("---\nicon: moon\n---\n# Something else\n\nBy night.\n", MARKDOWN)
    )
    done(brings(cast.ed, space, url, "markdown", before["id"]))
    after = page(cast.ria, space, "notes/rounds")
    assert after["markdown"] == "# Something else\n\nBy night.\n"
    assert after["icon"] == "moon"
    for name in ("id", "title", "path", "slug", "createdAt", "hidden"):
        assert after[name] == before[name]
    assert after["git"]["path"] == before["git"]["path"]
    assert tree(cast.ria, space) == all_paths
    again = brings(cast.ed, space, url, "markdown", before["id"])
    assert page(cast.ria, space, "notes/rounds") == after
    assert done(again)["revision"] == cast.ria.get(f"/v1/spaces/{space}").json()["revision"]
    assert space_rows.revisions(cast.instance, space) == 3


def test_a_page_with_others_under_it_keeps_them(cast: Cast, neighbour: Neighbour) -> None:
    space = make.filled_space(cast)
    before, all_paths = page(cast.ria, space, "notes"), tree(cast.ria, space)
    url = neighbour.shows("/n.html", html("<main><h1>News</h1><p>Nothing new.</p></main>", title="News"))
    done(brings(cast.ed, space, url, "html", before["id"]))
    after = page(cast.ria, space, "notes")
    assert "Nothing new." in after["markdown"]
    assert (after["title"], after["pages"]) == ("Notes", before["pages"])
    assert tree(cast.ria, space) == all_paths


def test_a_hidden_page_stays_hidden_under_its_new_body(cast: Cast, neighbour: Neighbour) -> None:
    space = make.filled_space(cast, make.repository({"notes/draft.md": "# Draft\n"}))
    url = neighbour.shows("/n.md", sent("# New\n", MARKDOWN))
    for path in ("notes/storm", "notes/draft"):
        done(brings(cast.ed, space, url, "markdown", page(cast.ria, space, path)["id"]))
        assert page(cast.ria, space, path)["hidden"] is True


def test_a_link_title_stays_with_its_page(cast: Cast, neighbour: Neighbour) -> None:
    space = make.filled_space(cast, {"SUMMARY.md": '* [Long title](a.md "Short")\n', "a.md": "# A\n"})
    before = page(cast.ria, space, "a")
    assert before["linkTitle"] == "Short"
    done(brings(cast.ed, space, neighbour.shows("/n.md", sent("# N\n", MARKDOWN)), "markdown", before["id"]))
    assert page(cast.ria, space, "a")["linkTitle"] == "Short"


def test_two_documents_with_pictures_of_one_name_keep_their_own(cast: Cast, neighbour: Neighbour) -> None:
    space = make.filled_space(cast, {"a.md": "# A\n", "b.md": "# B\n"})
    for name, size in (("a", 3), ("b", 6)):
        url = neighbour.shows(f"/{name}.docx", sent(docx(name, "Text", make.picture(size, size))))
        for _ in range(2):
            done(brings(cast.ed, space, url, "docx", page(cast.ria, space, name)["id"]))
    held = files(cast.ria, space)
    assert sorted(held.values()) == sorted([make.picture(3, 3), make.picture(6, 6)])
    targets = {
        link["locationReferences"][0]["page"]["path"]: link["targetReference"]["file"]["git"]["path"]
        for link in cast.ria.get(f"/v1/spaces/{space}/links").json()["items"]
    }
    assert {name: held[path] for name, path in targets.items()} == {
        "a": make.picture(3, 3),
        "b": make.picture(6, 6),
    }


def test_a_document_from_a_folder_finds_its_pictures_again(cast: Cast, neighbour: Neighbour) -> None:
    space = make.filled_space(cast)
    inside: make.Files = {
        "docs/guide.md": "# G\n\n![a](img/a.png)\n",
        "docs/img/a.png": make.picture(1, 1),
        "SUMMARY.md": "* [Guide](docs/guide.md)\n",
    }
    url = neighbour.shows("/g.zip", sent(make.zipped(inside)))
    lamp = page(cast.ria, space, "machinery/lamp")["id"]
    done(brings(cast.ed, space, url, "zip", lamp))
    links = cast.ria.get(f"/v1/spaces/{space}/content/page/{lamp}/links").json()["items"]
    assert [link["targetReference"]["file"]["name"] for link in links] == ["a.png"]


@pytest.mark.parametrize(("path", "inside"), [("notes", "notes/more"), ("machinery", "machinery/more")])
def test_many_pages_go_below_a_page_or_group(
    cast: Cast, neighbour: Neighbour, path: str, inside: str
) -> None:
    space = make.filled_space(cast)
    held = page(cast.ria, space, path)
    coming = {
        "SUMMARY.md": "* [One](one.md)\n* [Two](two.md)\n",
        "one.md": "# One\n",
        "two.md": "[one](one.md)\n",
    }
    url = neighbour.shows("/more.zip", sent(make.zipped(coming)))
    done(brings(cast.ed, space, url, "zip", held["id"]))
    after = page(cast.ria, space, path)
    assert after["pages"][:-2] == held["pages"]
    assert [p["path"] for p in after["pages"][-2:]] == [f"{path}/one", f"{path}/two"]
    assert after["pages"][-1]["git"]["path"] == f"{inside}/two.md"
    assert after.get("markdown") == held.get("markdown")
    links = cast.ria.get(f"/v1/spaces/{space}/content/page/{after['pages'][-1]['id']}/links").json()["items"]
    assert [link["status"] for link in links] == ["ok"]


def test_a_group_takes_a_single_document_below_it(cast: Cast, neighbour: Neighbour) -> None:
    space = make.filled_space(cast)
    group = page(cast.ria, space, "machinery")
    done(
        brings(cast.ed, space, neighbour.shows("/oil.md", sent("# Oil\n", MARKDOWN)), "markdown", group["id"])
    )
    assert [p["title"] for p in page(cast.ria, space, "machinery")["pages"]] == [
        "The lamp",
        "Its maker",
        "Oil",
    ]


def test_a_link_takes_no_import(cast: Cast, neighbour: Neighbour) -> None:
    space = make.filled_space(cast)
    link = page(cast.ria, space, "machinery/its-maker")["id"]
    answer = brings(cast.ed, space, neighbour.shows("/n.md", sent("# N\n", MARKDOWN)), "markdown", link)
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == "pageId"
