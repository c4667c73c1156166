"""Imports from an address: every source, into an empty space and beside other pages, and who may."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast
from tests.factories import space_rows
from tests.factories.imports import MARKDOWN, brings, docx, done, files, page, tree
from tests.local_server import Neighbour, html, sent


@pytest.fixture
def space(cast: Cast) -> str:
    """An empty space."""
    made: str = make.space(cast.ada, cast.organization)["id"]
    return made


def test_a_markdown_file_fills_an_empty_space(cast: Cast, space: str, neighbour: Neighbour) -> None:
    body = "---\nicon: sun\n---\r\n# Morning\r\n\r\n\tGet up.  "
    said = done(brings(cast.ed, space, neighbour.shows("/morning.md", sent(body, MARKDOWN)), "markdown"))
    assert said == {"revision": said["revision"], "importedResources": 1, "totalResources": 1}
    assert cast.ria.get(f"/v1/spaces/{space}").json()["revision"] == said["revision"]
    (path,) = tree(cast.ria, space)
    found = page(cast.ria, space, path)
    assert (found["title"], found["icon"]) == ("Morning", "sun")
    assert found["markdown"] == body.partition("---\r\n")[2]


def test_pictures_of_the_same_place_come_along(cast: Cast, space: str, neighbour: Neighbour) -> None:
    picture = make.picture(5, 4)
    neighbour.shows("/img/one.png", sent(picture, "image/png"))
    url = neighbour.shows("/docs/a.md", sent("# A\n\n![one](../img/one.png) ![lost](lost.png)\n", MARKDOWN))
    done(brings(cast.ed, space, url, "markdown"))
    assert list(files(cast.ria, space).values()) == [picture]
    links = cast.ria.get(f"/v1/spaces/{space}/links").json()["items"]
    assert [link["status"] for link in links] == ["ok", "broken"]


def test_an_html_page_becomes_markdown(cast: Cast, space: str, neighbour: Neighbour) -> None:
    url = neighbour.shows("/tea.html", html("<main><h1>Tea</h1><p>Hot <b>water</b>.</p></main>", title="Tea"))
    done(brings(cast.ed, space, url, "html"))
    (path,) = tree(cast.ria, space)
    found = page(cast.ria, space, path)
    assert found["title"] == "Tea"
    assert "Hot **water**." in found["markdown"]


def test_a_word_document_becomes_a_page_with_its_pictures(
    cast: Cast, space: str, neighbour: Neighbour
) -> None:
    url = neighbour.shows("/report.docx", sent(docx("Report", "All is well.", make.picture(1, 2))))
    assert done(brings(cast.ed, space, url, "docx"))["importedResources"] == 2
    (path,) = tree(cast.ria, space)
    found = page(cast.ria, space, path)
    assert found["title"] == "Report"
    assert "All is well." in found["markdown"]
    assert list(files(cast.ria, space).values()) == [make.picture(1, 2)]


def test_a_zip_comes_in_as_any_other_tree(cast: Cast, space: str, neighbour: Neighbour) -> None:
    inside = {f"lighthouse-main/{path}": content for path, content in make.repository().items()}
    said = done(brings(cast.ed, space, neighbour.shows("/main.zip", sent(make.zipped(inside))), "zip"))
    assert said["importedResources"] == said["totalResources"] == 10
    by_hand = make.filled_space(cast)
    assert tree(cast.ria, space) == tree(cast.ria, by_hand)
    assert cast.ria.get(f"/v1/spaces/{space}/content").json()["variables"] == {"keeper": "Ada", "height": 40}
    told = {"line_properties": 1, "page_version": 8, "file_version": 1, "link": 5, "reusable_version": 1}
    assert {name: len(rows) for name, rows in space_rows.held(cast.instance, space).items()} == told


def test_a_website_comes_in_with_its_pages_and_their_order(
    cast: Cast, space: str, neighbour: Neighbour
) -> None:
    menu = '<nav><a href="/docs/">Home</a><a href="/docs/b">B</a><a href="/docs/a">A</a></nav>'
    neighbour.shows("/docs/", html(f'{menu}<main><h1>Home</h1><p>See <a href="a">A</a>.</p></main>'))
    neighbour.shows("/docs/b", html(f"{menu}<main><h1>B</h1><p>Bee.</p></main>"))
    neighbour.shows("/docs/a", html(f'{menu}<main><h1>A</h1><p><a href="/private">Ay</a>.</p></main>'))
    neighbour.shows("/private", html("<main><h1>Private</h1></main>"))
    said = done(brings(cast.ed, space, f"{neighbour.base}/docs/", "website"))
    assert said["importedResources"] == 3
    titles = [p["title"] for p in cast.ria.get(f"/v1/spaces/{space}/content/pages").json()["pages"]]
    assert titles == ["Home", "B", "A"]
    assert cast.ria.get(f"/v1/spaces/{space}/links", params={"status": "broken"}).json()["count"] == 0


def test_beside_other_pages_an_import_gets_a_folder_of_its_own(cast: Cast, neighbour: Neighbour) -> None:
    space = make.filled_space(cast)
    before = tree(cast.ria, space)
    known = {p: page(cast.ria, space, p) for p in ("readme", "machinery", "machinery/lamp", "notes/rounds")}
    url = neighbour.shows("/Sea%20Charts.zip", sent(make.zipped(make.repository({"notes/storm.md": None}))))
    done(brings(cast.ed, space, url, "zip"))
    inside = [
        ("sea-charts/notes", ["sea-charts/notes/rounds", "sea-charts/notes/grosse"]),
        ("sea-charts/machinery", ["sea-charts/machinery/lamp", "Its maker"]),
    ]
    assert tree(cast.ria, space) == [*before, ("sea-charts", inside)]
    assert {p: page(cast.ria, space, p) for p in known} == known
    links = cast.ria.get(f"/v1/spaces/{space}/links", params={"limit": 100}).json()
    assert links["stats"] == {"total": 10, "broken": {"total": 0}}
    done(brings(cast.ed, space, url, "zip"))
    assert [p if isinstance(p, str) else p[0] for p in tree(cast.ria, space)][-2:] == [
        "sea-charts",
        "sea-charts-1",
    ]


def test_an_imported_folder_never_covers_files_that_are_there(cast: Cast, neighbour: Neighbour) -> None:
    held: make.Files = {"README.md": "![a](images/a.png)\n", "images/a.png": make.picture(1, 1)}
    space = make.filled_space(cast, held)
    coming = make.zipped({"README.md": "# New\n\n![a](a.png)\n", "a.png": make.picture(2, 2)})
    done(brings(cast.ed, space, neighbour.shows("/images.zip", sent(coming)), "zip"))
    assert files(cast.ria, space) == {
        "images/a.png": make.picture(1, 1),
        "images-1/a.png": make.picture(2, 2),
    }


def test_a_table_of_contents_of_a_part_is_not_that_of_the_whole(cast: Cast, neighbour: Neighbour) -> None:
    space = make.filled_space(cast)
    told = space_rows.held(cast.instance, space)["line_properties"][0]
    zipped = neighbour.shows("/more.zip", sent(make.zipped({"SUMMARY.md": "* [X](x.md)\n", "x.md": "# X\n"})))
    single = neighbour.shows("/one.md", sent("# One\n", MARKDOWN))
    done(brings(cast.ed, space, zipped, "zip"))
    done(brings(cast.ed, space, single, "markdown", page(cast.ria, space, "readme")["id"]))
    assert space_rows.held(cast.instance, space)["line_properties"] == [told]


@pytest.mark.parametrize("source", ["confluence", "github-wiki", "notion", "google-docs"])
def test_other_sources_are_refused_naming_those_there_are(
    cast: Cast, space: str, neighbour: Neighbour, source: str
) -> None:
    answer = brings(cast.ed, space, neighbour.base, source)
    error = answer.json()["error"]
    assert (answer.status_code, error["details"][0]["path"]) == (400, "source")
    for supported in ("website", "markdown", "html", "zip", "docx"):
        assert supported in error["message"]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "url"),
        ({"url": "https://example.org/"}, "source"),
        ({"url": "https://example.org/", "source": "pdf"}, "source"),
        ({"url": "ftp://example.org/", "source": "zip"}, "url"),
        ({"url": "file:///etc/passwd", "source": "markdown"}, "url"),
        ({"url": "example.org", "source": "zip"}, "url"),
        ({"url": 7, "source": "zip"}, "url"),
        ({"url": "https://example.org/" + "a" * 2048, "source": "zip"}, "url"),
        ({"url": "https://example.org/ x", "source": "zip"}, "url"),
    ],
)
def test_a_wrong_body_is_refused_naming_the_field(cast: Cast, space: str, body: Any, path: str) -> None:
    answer = cast.ed.post(f"/v1/spaces/{space}/content/import", body)
    assert answer.status_code == 400
    assert path in {detail["path"] for detail in answer.json()["error"]["details"]}


def test_only_who_may_edit_imports(cast: Cast, neighbour: Neighbour) -> None:
    space = make.filled_space(cast)
    readme = page(cast.ria, space, "readme")["id"]
    asked: list[str] = []

    def answer(request: Any) -> Any:
        asked.append(request.path)
        return sent("# N\n", MARKDOWN)

    url = neighbour.shows("/n.md", answer)
    for target in (None, readme):
        for person, status in ((cast.ria, 403), (cast.tom, 403), (cast.gus, 404), (cast.sol, 404)):
            assert brings(person, space, url, "markdown", target).status_code == status
        narrowed = make.token(cast.ada, read_only=True)
        assert brings(narrowed, space, url, "markdown", target).status_code == 403
    assert asked == []
    assert brings(cast.ed, space, url, "markdown", "0" * 20).status_code == 404
    other = make.filled_space(cast)
    assert brings(cast.ed, other, url, "markdown", readme).status_code == 404
    assert asked == []


def test_a_locked_or_deleted_space_takes_no_import(cast: Cast, neighbour: Neighbour) -> None:
    space = make.filled_space(cast)
    readme = page(cast.ria, space, "readme")["id"]
    url = neighbour.shows("/n.md", sent("# N\n", MARKDOWN))
    cast.ada.patch(f"/v1/spaces/{space}", {"editMode": "locked"})
    for target in (None, readme):
        answer = brings(cast.ada, space, url, "markdown", target)
        assert answer.status_code == 409
        assert "locked" in answer.json()["error"]["message"]
    cast.ada.delete(f"/v1/spaces/{space}")
    assert brings(cast.ada, space, url, "markdown").status_code == 409
    assert brings(cast.ed, space, url, "markdown").status_code == 404


def test_a_space_locked_while_something_is_fetched_takes_no_import(
    cast: Cast, space: str, neighbour: Neighbour
) -> None:
    def answer(_request: Any) -> Any:
        assert cast.ada.patch(f"/v1/spaces/{space}", {"editMode": "locked"}).status_code == 200
        return sent("# N\n", MARKDOWN)

    assert brings(cast.ed, space, neighbour.shows("/n.md", answer), "markdown").status_code == 409
    assert tree(cast.ria, space) == []


def test_a_repeated_request_imports_once(cast: Cast, space: str, neighbour: Neighbour) -> None:
    url = neighbour.shows("/n.md", sent("# N\n", MARKDOWN))
    path, headers = f"/v1/spaces/{space}/content/import", {"Idempotency-Key": "once"}
    body = {"url": url, "source": "markdown"}
    first = cast.ed.post(path, body, headers=headers)
    assert cast.ed.post(path, body, headers=headers).json() == done(first)
    assert space_rows.revisions(cast.instance, space) == 2
