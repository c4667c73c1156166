"""Import runs of files: what each kind becomes, what is refused, and what is kept of them."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from app.access.context import Context
from app.domain.imports import import_runs
from app.domain.organizations import quotas
from app.kit.clock import utc_now
from app.models.imports import ImportRun
from tests import make
from tests.cast import Cast
from tests.factories import imports
from tests.factories.imports import docx, ended, files, got, page, path, performed, started, tree
from tests.local_server import Neighbour, sent


def given(held: make.Files) -> dict[str, Any]:
    """A source of files by their names."""
    as_text = {name: base64.b64encode(make.in_bytes(data)).decode() for name, data in held.items()}
    return {"type": "file", "files": [{"name": name, "base64": data} for name, data in as_text.items()]}


@pytest.fixture
def space(cast: Cast) -> str:
    """An empty space."""
    made: str = make.space(cast.ada, cast.organization)["id"]
    return made


@pytest.fixture
def by_hand() -> Iterator[None]:
    """Here runs are done when a test says so."""
    with imports.left_alone():
        yield


def brought(cast: Cast, space: str, source: dict[str, Any]) -> dict[str, Any]:
    """A run of files into a space that must be completed."""
    done = ended(cast, started(cast, source, {"space": space}))
    assert done["status"] == "completed", done
    return done


def test_an_archive_comes_in_as_any_other_tree(cast: Cast, space: str) -> None:
    done = brought(cast, space, given({"main.zip": make.zipped(make.repository())}))
    assert done["source"] == {"type": "file", "files": [{"name": "main.zip"}]}
    assert done["result"]["importedResources"] == 10
    assert tree(cast.ria, space) == tree(cast.ria, make.filled_space(cast))


def test_an_archive_of_another_tool_has_its_order_and_its_pages(cast: Cast, space: str) -> None:
    nav = "site_name: Tea\nnav:\n  - Home: index.md\n  - Leaves:\n      - z.md\n      - Green: a.md\n"
    pages: make.Files = {"docs/index.md": "# I\n", "docs/a.md": "# A\n\n[z](z.md)\n", "docs/z.md": "# Z\n"}
    whole = make.zipped({"mkdocs.yml": nav, "README.md": "# Of the code\n", "setup.py": "x", **pages})
    done = brought(cast, space, given({"tea.zip": whole}))
    assert tree(cast.ria, space) == ["index", ("leaves", ["leaves/z", "leaves/a"])]
    assert page(cast.ria, space, "leaves/a")["title"] == "Green"
    assert cast.ria.get(f"/v1/spaces/{space}/links", params={"status": "broken"}).json()["count"] == 0
    assert [problem["kind"] for problem in done["problems"]] == ["navigation"]


def test_problems_are_told_by_cause(cast: Cast, space: str) -> None:
    text = "# A\n\n" + "".join(f"[x](lost-{number}.md)\n\n" for number in range(7))
    done = brought(cast, space, given({"a.zip": make.zipped({"a.md": text, "SUMMARY.md": "* [](b.md)\n"})}))
    broken, missing, *_ = done["problemCauses"]
    assert (broken["kind"], broken["message"], broken["count"]) == ("broken-link", "“…” leads nowhere.", 7)
    assert broken["problems"] == done["problems"][1:6]
    assert missing["problems"][0]["message"] == "“b.md” is listed but missing."
    asked = (
        "organization(id: $org) { importRun(id: $run) { problemCauses { kind count problems { line } } } }"
    )
    said = cast.ed.ask(f"query($org: ID!, $run: ID!) {{ {asked} }}", org=cast.organization, run=done["id"])[
        "organization"
    ]["importRun"]["problemCauses"]
    assert said[0] == {
        "kind": "BROKEN_LINK",
        "count": 7,
        "problems": [{"line": line} for line in (3, 5, 7, 9, 11)],
    }


def test_markdown_and_pictures_stand_where_their_names_say(cast: Cast, space: str) -> None:
    picture = make.picture(3, 2)
    brought(
        cast,
        space,
        given({
            "README.md": "# Home\n\n[In](guide/in.md)\n",
            "guide/in.md": "# In\n\n![it](../img/it.png)\n",
            "img/it.png": picture,
        }),
    )  # fmt: skip
    assert tree(cast.ria, space) == ["readme", ("guide", ["guide/in"])]
    assert files(cast.ria, space) == {"img/it.png": picture}
    assert cast.ria.get(f"/v1/spaces/{space}/links", params={"status": "broken"}).json()["count"] == 0


def test_html_files_lead_to_each_other(cast: Cast, space: str) -> None:
    first = '<title>First</title><main><h1>First</h1><p><a href="b/second.html#x">On</a>.</p></main>'
    second = (
        '<title>Second</title><main><h1 id="x">Second</h1><p><a href="../first.html">Back</a>.</p></main>'
    )
    brought(cast, space, given({"first.html": first, "b/second.html": second}))
    assert "[On](b/second.md" in page(cast.ria, space, "first")["markdown"]
    assert "[Back](../first.md)" in page(cast.ria, space, "b/second")["markdown"]


def test_documents_beside_others_have_a_folder_each(cast: Cast, space: str) -> None:
    one, two = make.picture(1, 2), make.picture(3, 4)
    held = {"one.docx": docx("One", "First.", one), "two.docx": docx("Two", "Second.", two)}
    brought(cast, space, given({**held, "broken.docx": b"no document"}))
    assert [page(cast.ria, space, name)["title"] for name in ("one", "two")] == ["One", "Two"]
    assert sorted(files(cast.ria, space).values()) == sorted([one, two])


def test_one_that_cannot_be_read_is_named(cast: Cast, space: str) -> None:
    done = brought(cast, space, given({"a.md": "# A\n", "broken.zip": b"no archive"}))
    (left,) = done["problems"]
    assert (left["kind"], left["file"]) == ("skipped", "broken.zip")
    failed = ended(cast, started(cast, given({"broken.zip": b"no archive"}), {"space": space}))
    assert failed["status"] == "failed"
    assert failed["error"]


def test_a_file_is_fetched_by_the_run(cast: Cast, space: str, neighbour: Neighbour) -> None:
    url = neighbour.shows("/main.zip", sent(make.zipped({"README.md": "# Far\n", "a.md": "# A\n"})))
    done = brought(cast, space, {"type": "file", "files": [{"name": "main.zip", "url": url}]})
    assert done["source"]["files"] == [{"name": "main.zip", "url": url}]
    assert tree(cast.ria, space) == ["readme", "a"]


def test_a_single_document_becomes_the_text_of_a_page(cast: Cast) -> None:
    space = make.filled_space(cast)
    target = {"space": space, "page": page(cast.ria, space, "notes/rounds")["id"]}
    done = ended(cast, started(cast, given({"new.md": "# New\n\nAll new.\n"}), target))
    assert done["status"] == "completed", done
    assert "All new." in page(cast.ria, space, "notes/rounds")["markdown"]


WRONG: list[tuple[list[dict[str, str]], str]] = [
    ([], "source.files"),
    ([{"name": "a.md"}], "source.files.0"),
    ([{"name": "a.md", "base64": "?"}], "source.files.0.base64"),
    ([{"name": "../a.md", "base64": ""}], "source.files.0.name"),
    ([{"name": "a.md", "base64": ""}, {"name": "A.md", "base64": ""}], "source.files.1.name"),
    ([{"name": "a.md", "base64": "", "url": "https://example.org/"}], "source.files.0"),
]


@pytest.mark.parametrize(("sent_files", "where"), WRONG, ids=lambda value: str(value)[:40])
def test_files_that_cannot_be_are_refused_by_name(
    cast: Cast, sent_files: list[dict[str, str]], where: str
) -> None:
    body = {"source": {"type": "file", "files": sent_files}, "target": {}}
    answer = cast.ada.post(path(cast), body)
    assert answer.status_code == 400, answer.text
    assert where in [detail["path"] for detail in answer.json()["error"]["details"]]
    assert cast.ada.get(path(cast)).json()["count"] == 0


def stored(cast: Cast) -> int:
    """The bytes that the organization has stored."""
    used: int = cast.ada.get(f"/v1/orgs/{cast.organization}/quotas").json()["bytes"]["used"]
    return used


def test_files_count_until_the_run_ends(cast: Cast, space: str, by_hand: None) -> None:
    before = stored(cast)
    run = started(cast, given({"a.bin": b"x" * 5000}), {"space": space})
    assert stored(cast) == before + 5000
    cast.ed.post(path(cast, run["id"], "cancel"))
    assert stored(cast) == before
    run = started(cast, given({"a.md": "# " + "x" * 5000}), {"space": space})
    assert performed(cast, run)["status"] == "completed"
    assert stored(cast) == before + 5002  # of the page


def test_what_passes_the_quota_of_bytes_is_refused(cast: Cast, space: str, by_hand: None) -> None:
    cast.instance.inside(lambda cx: quotas.set_own(cx, cast.organization, {"bytes": 4000}))
    body = {"source": given({"a.bin": b"x" * 5000}), "target": {"space": space}}
    assert cast.ed.post(path(cast), body).status_code == 429
    assert cast.ada.get(path(cast)).json()["count"] == 0


def test_unfinished_runs_count_as_jobs(cast: Cast, space: str, by_hand: None) -> None:
    cast.instance.inside(lambda cx: quotas.set_own(cx, cast.organization, {"jobs": 1}))
    run = started(cast, given({"a.md": "# A\n"}), {"space": space})
    body = {"source": given({"a.md": "# A\n"}), "target": {"space": space}}
    assert cast.ed.post(path(cast), body).status_code == 429
    cast.ed.post(path(cast, run["id"], "cancel"))
    assert cast.ed.post(path(cast), body).status_code == 201


def test_old_runs_are_forgotten(cast: Cast, space: str, by_hand: None) -> None:
    old, waiting = (started(cast, given({"a.md": "# A\n"}), {"space": space}) for _ in range(2))
    cast.ed.post(path(cast, old["id"], "cancel"))
    before = utc_now() - import_runs.KEPT - timedelta(days=1)

    async def age(cx: Context) -> None:
        for run in (old, waiting):
            await cx.tx.put(ImportRun, {"created_at": before}, id=run["id"])

    cast.instance.inside(age)
    assert cast.ada.get(path(cast)).json()["count"] == 0
    new = started(cast, given({"a.md": "# A\n"}), {"space": space})
    assert cast.ada.get(path(cast, old["id"])).status_code == 404
    assert got(cast, waiting)["status"] == got(cast, new)["status"] == "pending"


def test_the_audit_log_tells_who_asked_and_what_was_written(cast: Cast, space: str) -> None:
    run = started(cast, given({"a.md": "# A\n"}), {"space": space})
    assert ended(cast, run)["status"] == "completed"
    events = cast.ada.get(f"/v1/orgs/{cast.organization}/audit-events").json()["items"]
    told = [
        (event["action"], event["actor"]["user"]["id"]) for event in events if "mportRun" in event["action"]
    ]
    assert told == [("performImportRun", cast.ed.id), ("startImportRun", cast.ed.id)]
