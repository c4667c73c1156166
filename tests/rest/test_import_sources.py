"""Imports from an address: every source, into an empty space, beside other pages, and into a page."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests import filled, make
from tests.cast import Cast, Person
from tests.local_server import Neighbour, html, sent

MARKDOWN = "text/markdown; charset=utf-8"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def docx(title: str, text: str, picture: bytes | None = None) -> bytes:
    """A Word document with a title, a paragraph and perhaps a picture."""
    shown = f"""<w:p><w:r><w:drawing><wp:inline xmlns:wp="{DRAWING}/wordprocessingDrawing">
        <wp:docPr id="1" name="p" descr="A picture"/><a:graphic xmlns:a="{DRAWING}/main"><a:graphicData>
        <pic:pic xmlns:pic="{DRAWING}/picture"><pic:blipFill><a:blip r:embed="p"/></pic:blipFill></pic:pic>
        </a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"""
    body = f"""<w:p><w:pPr><w:pStyle w:val="Title"/></w:pPr><w:r><w:t>{title}</w:t></w:r></w:p>
        <w:p><w:r><w:t>{text}</w:t></w:r></w:p>{shown if picture else ""}"""
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="png" ContentType="image/png"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="d" '
        f'Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{WORD}" xmlns:r="{OFFICE}">'
        f"<w:body>{body}</w:body></w:document>",
        "word/styles.xml": f'<w:styles xmlns:w="{WORD}"><w:style w:type="paragraph" w:styleId="Title">'
        '<w:name w:val="Title"/></w:style></w:styles>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="s" Type="{OFFICE}/styles" Target="styles.xml"/>'
        f'<Relationship Id="p" Type="{OFFICE}/image" Target="media/p.png"/></Relationships>',
    }
    return make.zipped({**parts, **({"word/media/p.png": picture} if picture else {})})


def brings(person: Person, space: str, url: str, source: str, page: str | None = None) -> httpx.Response:
    """An import from an address, into a space or one of its pages."""
    place = f"content/page/{page}/import" if page else "content/import"
    return person.post(f"/v1/spaces/{space}/{place}", {"url": url, "source": source})


def done(answer: httpx.Response) -> dict[str, Any]:
    """What an import that must succeed says."""
    assert answer.status_code == 201, answer.text
    said: dict[str, Any] = answer.json()
    return said


def page(person: Person, space: str, path: str) -> dict[str, Any]:
    """A page with its body."""
    answer = person.get(f"/v1/spaces/{space}/content/path/{path}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def tree(person: Person, space: str) -> list[Any]:
    """The paths of a space's pages; a page with children as a pair."""

    def told(found: list[dict[str, Any]]) -> list[Any]:
        named = [(p.get("path", p["title"]), told(p.get("pages", []))) for p in found]
        return [(path, below) if below else path for path, below in named]

    return told(person.get(f"/v1/spaces/{space}/content/pages").json()["pages"])


def files(person: Person, space: str) -> dict[str, bytes]:
    """The bytes of a space's files by their path in the repository."""
    found = person.get(f"/v1/spaces/{space}/content/files").json()["items"]
    return {file["git"]["path"]: httpx.get(file["downloadURL"]).content for file in found}


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
    assert {name: len(rows) for name, rows in filled.held(cast.house, space).items()} == told


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
    told = filled.held(cast.house, space)["line_properties"][0]
    zipped = neighbour.shows("/more.zip", sent(make.zipped({"SUMMARY.md": "* [X](x.md)\n", "x.md": "# X\n"})))
    single = neighbour.shows("/one.md", sent("# One\n", MARKDOWN))
    done(brings(cast.ed, space, zipped, "zip"))
    done(brings(cast.ed, space, single, "markdown", page(cast.ria, space, "readme")["id"]))
    assert filled.held(cast.house, space)["line_properties"] == [told]


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
    assert filled.revisions(cast.house, space) == 3


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
    assert filled.revisions(cast.house, space) == 2
