"""Import runs of websites: asked for, followed, cancelled; what they write, and who may."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from app.domain.imports import import_jobs, import_sources
from tests import make
from tests.cast import Cast
from tests.factories import imports
from tests.factories.imports import ended, got, page, path, performed, started, tree, website
from tests.factories.sites import ManagedSite
from tests.local_server import Answer, Neighbour, Request, html
from tests.timing import until


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


@pytest.fixture
def docs(neighbour: Neighbour) -> str:
    """A website of three pages, one of which is missing."""
    menu = '<nav><a href="/docs/">Home</a><a href="/docs/b">B</a><a href="/docs/lost">Lost</a></nav>'
    neighbour.shows("/docs/", html(f"{menu}<main><h1>Home</h1><p>Come in.</p></main>", title="Home"))
    neighbour.shows("/docs/b", html('<main><h1>B</h1><p>See <a href="lost#top">it</a>.</p></main>'))
    return f"{neighbour.base}/docs/"


def test_a_website_comes_in_and_the_run_tells_how(cast: Cast, space: str, docs: str) -> None:
    run = started(cast, website(docs), {"space": space})
    assert run["object"] == "import-run"
    assert (run["source"], run["target"]) == (website(docs), {"space": space})
    assert run["createdBy"]["id"] == cast.ed.id
    assert run["urls"]["location"].endswith(path(cast, run["id"]))
    done = ended(cast, run)
    assert done["status"] == "completed", done
    assert done["progress"] == {"pagesRead": 2, "pagesFound": 3}
    revision = cast.ria.get(f"/v1/spaces/{space}").json()["revision"]
    assert done["result"] == {"revision": revision, "importedResources": 2, "totalResources": 3}
    (left,) = done["problems"]
    assert (left["kind"], left["file"]) == ("skipped", f"{docs}lost")
    assert done["startedAt"] <= done["endedAt"]
    assert tree(cast.ria, space) == ["readme", "b"]


def test_links_to_pages_left_out_lead_to_the_website(cast: Cast, space: str, docs: str) -> None:
    assert ended(cast, started(cast, website(docs), {"space": space}))["status"] == "completed"
    assert f"[it]({docs}lost#top)" in page(cast.ria, space, "b")["markdown"]
    links = cast.ria.get(f"/v1/spaces/{space}/links", params={"status": "broken"}).json()
    assert links["count"] == 0


def test_links_to_headings_lead_to_the_headings(cast: Cast, space: str, neighbour: Neighbour) -> None:
    links = " ".join(f'<a href="b#{name}">{name}</a>' for name in ("own", "part", "as-said", "nowhere"))
    neighbour.shows(
        "/docs/", html(f'<main><h1 id="top">Home</h1><p>{links} <a href="#top">Up</a></p></main>')
    )
    parts = '<section id="part"><h2>In a part</h2></section><h2 id="as-said">As said</h2>'
    neighbour.shows("/docs/b", html(f'<main><h1>B</h1><h2 id="own">Other words</h2>{parts}</main>'))
    done = ended(cast, started(cast, website(f"{neighbour.base}/docs/"), {"space": space}))
    assert [problem["message"] for problem in done["problems"]] == [
        "“b.md#nowhere” leads to no place in the page."
    ]
    assert page(cast.ria, space, "b")["markdown"].strip().split("\n\n") == [
        "# B", "## Other words {#own}", "## In a part {#part}", "## As said",
    ]  # fmt: skip
    assert page(cast.ria, space, "readme")["title"] == "Home"


def test_a_run_without_a_space_makes_one(cast: Cast, docs: str) -> None:
    cast.ed, editor = cast.cleo, cast.ed
    run = started(cast, website(docs), {})
    assert run["target"] == {}
    done = ended(cast, run)
    assert done["status"] == "completed", done
    made = cast.ada.get(f"/v1/spaces/{done['target']['space']}").json()
    assert made["title"] == "Home"
    assert editor.post(path(cast), {"source": website(docs), "target": {}}).status_code == 403


def test_a_run_into_a_change_request_leaves_the_space_alone(cast: Cast, docs: str) -> None:
    space = make.filled_space(cast)
    before = tree(cast.ria, space)
    request = make.change_request(cast.ed, space)
    target = {"space": space, "changeRequest": str(request["number"])}
    done = ended(cast, started(cast, website(docs), target))
    assert done["status"] == "completed", done
    assert done["target"] == {"space": space, "changeRequest": request["id"]}
    assert tree(cast.ria, space) == before
    found = cast.ria.get(f"/v1/spaces/{space}/change-requests/{request['id']}/content/path/docs").json()
    assert found["title"] == "Home"


def test_a_run_into_a_page_puts_the_pages_below_it(cast: Cast, docs: str) -> None:
    space = make.filled_space(cast)
    under = page(cast.ria, space, "machinery")["id"]
    done = ended(cast, started(cast, website(docs), {"space": space, "page": under}))
    assert done["status"] == "completed", done
    (found,) = [p for p in page(cast.ria, space, "machinery")["pages"] if p["title"] == "Home"]
    assert found["path"] == "machinery/readme"


def test_a_site_shows_what_was_imported(cast: Cast, docs: str) -> None:
    site = ManagedSite(cast)
    run = cast.ada.post(path(cast), {"source": website(docs), "target": {}, "site": site.id}).json()
    done = ended(cast, run)
    assert done["status"] == "completed", done
    shown = cast.ada.get(f"/v1/orgs/{cast.organization}/sites/{site.id}/site-spaces").json()["items"]
    assert done["target"]["space"] in [item["space"]["id"] for item in shown]


def test_a_site_takes_spaces_from_who_may_add_some(cast: Cast, space: str, docs: str) -> None:
    site = ManagedSite(cast)
    body = {"source": website(docs), "target": {"space": space}, "site": site.id}
    assert cast.ed.post(path(cast), body).status_code == 403
    request = make.change_request(cast.cleo, space)["id"]
    target = {"space": space, "changeRequest": request}
    answer = cast.cleo.post(path(cast), {**body, "target": target})
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == "site"


def test_a_run_that_waits_is_cancelled_at_once(cast: Cast, space: str, docs: str, by_hand: None) -> None:
    run = started(cast, website(docs), {"space": space})
    answer = cast.ed.post(path(cast, run["id"], "cancel"))
    assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")
    assert cast.ed.post(path(cast, run["id"], "cancel")).json() == answer.json()
    assert performed(cast, run)["status"] == "cancelled"
    assert tree(cast.ria, space) == []


def test_a_run_that_reads_is_cancelled_and_leaves_nothing(
    cast: Cast, space: str, docs: str, neighbour: Neighbour
) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def waits(_request: Request) -> Answer:
        asked.set()
        go_on.wait(60)
        return html("<main><h1>B</h1></main>")

    neighbour.shows("/docs/b", waits)
    run = started(cast, website(docs), {"space": space})
    assert asked.wait(60)
    assert got(cast, run)["status"] == "in-progress"
    until(lambda: got(cast, run)["progress"] == {"pagesRead": 1, "pagesFound": 3}, "nobody is told how far")
    answer = cast.ed.post(path(cast, run["id"], "cancel"))
    assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")
    go_on.set()
    other = make.space(cast.ada, cast.organization)["id"]  # its run waits for a place in the same lane
    assert ended(cast, started(cast, website(docs), {"space": other}))["status"] == "completed"
    assert got(cast, run)["status"] == "cancelled"
    assert tree(cast.ria, space) == []


def test_a_run_that_is_cancelled_while_it_writes_leaves_all_or_nothing(
    cast: Cast, space: str, docs: str, by_hand: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever comes first has its way: PostgreSQL lets the cancellation in, SQLite has one writer."""
    run, answers = started(cast, website(docs), {"space": space}), []
    into_space = import_sources.into_space
    cancelling = threading.Thread(
        target=lambda: answers.append(cast.ed.post(path(cast, run["id"], "cancel")).status_code)
    )

    async def with_cancellation(*arguments: Any) -> Any:
        if not cancelling.is_alive() and not answers:
            cancelling.start()
            await asyncio.to_thread(cancelling.join, 0.5)
        return await into_space(*arguments)

    monkeypatch.setattr(import_sources, "into_space", with_cancellation)
    status = performed(cast, run)["status"]
    cancelling.join(60)
    found = (status, answers, tree(cast.ria, space))
    assert found in [("cancelled", [200], []), ("completed", [409], ["readme", "b"])]


def test_what_has_ended_is_not_cancelled(cast: Cast, space: str, docs: str) -> None:
    run = ended(cast, started(cast, website(docs), {"space": space}))
    assert cast.ed.post(path(cast, run["id"], "cancel")).status_code == 409
    assert got(cast, run) == run


def test_a_run_whose_process_died_begins_again(cast: Cast, space: str, docs: str, by_hand: None) -> None:
    run = started(cast, website(docs), {"space": space})
    imports.begin(cast, run)
    assert got(cast, run)["status"] == "in-progress"
    assert performed(cast, run, attempts=2)["status"] == "completed"
    assert tree(cast.ria, space) == ["readme", "b"]


def test_an_attempt_that_lost_its_lease_writes_nothing(
    cast: Cast, space: str, docs: str, neighbour: Neighbour, by_hand: None
) -> None:
    run = started(cast, website(docs), {"space": space})

    def another_begins(_request: Request) -> Answer:
        imports.begin(cast, run, attempts=2)
        return html("<main><h1>B</h1></main>")

    neighbour.shows("/docs/b", another_begins)
    assert performed(cast, run)["status"] == "in-progress"
    assert tree(cast.ria, space) == []


def test_a_run_that_is_interrupted_again_and_again_fails(
    cast: Cast, space: str, docs: str, by_hand: None
) -> None:
    run = started(cast, website(docs), {"space": space})
    failed = performed(cast, run, attempts=import_jobs.MOST_ATTEMPTS + 1)
    assert (failed["status"], failed["error"]) == ("failed", "The import was interrupted too often.")


def test_a_website_that_cannot_be_fetched_fails_the_run(cast: Cast, space: str, neighbour: Neighbour) -> None:
    failed = ended(cast, started(cast, website(f"{neighbour.base}/nowhere/"), {"space": space}))
    assert failed["status"] == "failed"
    assert "404" in failed["error"]
    assert "result" not in failed
    assert tree(cast.ria, space) == []


def test_a_run_has_the_rights_that_its_author_has_when_it_writes(
    cast: Cast, space: str, docs: str, by_hand: None
) -> None:
    run = started(cast, website(docs), {"space": space})
    cast.ada.patch(f"/v1/spaces/{space}", {"defaultLevel": "read"})
    failed = performed(cast, run)
    assert (failed["status"], failed["error"]) == ("failed", "This needs the level 'edit' on the space.")


def test_a_run_that_takes_too_long_fails(cast: Cast, space: str, docs: str, by_hand: None) -> None:
    run = started(cast, website(docs), {"space": space})
    failed = performed(cast, run, import_run_timeout=0.001)
    assert (failed["status"], failed["error"]) == ("failed", "The import took too long.")


def test_runs_are_listed_newest_first_to_who_started_them(
    cast: Cast, space: str, docs: str, by_hand: None
) -> None:
    made = [started(cast, website(docs), {"space": space})["id"] for _ in range(3)]
    first = cast.ed.get(path(cast), params={"limit": 2}).json()
    assert [run["id"] for run in first["items"]] == [made[2], made[1]]
    assert first["count"] == 3
    rest = cast.ed.get(path(cast), params={"limit": 2, "page": first["next"]["page"]}).json()
    assert [run["id"] for run in rest["items"]] == [made[0]]
    assert cast.ada.get(path(cast)).json()["count"] == 3
    assert cast.ria.get(path(cast)).json()["items"] == []
    for call in (cast.ria.get(path(cast, made[0])), cast.ria.post(path(cast, made[0], "cancel"))):
        assert call.status_code == 404


WRONG: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"type": "website"}, {}, "source.url"),
    ({"type": "website", "url": "https://example.org/", "files": [{"name": "a.md"}]}, {}, "source.files"),
    ({"type": "file"}, {}, "source.files"),
    (website("https://example.org/"), {"enhance": True}, "enhance"),
    (website("https://example.org/"), {"site": "nowhere"}, "site"),
    (website("https://example.org/"), {"target": {"space": "nowhere"}}, "target.space"),
    (website("https://example.org/"), {"target": {"page": "nowhere"}}, "target.page"),
    (website("https://example.org/"), {"target": {"changeRequest": "1"}}, "target.changeRequest"),
]


@pytest.mark.parametrize(("source", "more", "where"), WRONG, ids=lambda value: str(value)[:40])
def test_what_cannot_be_started_is_refused_by_name(
    cast: Cast, source: dict[str, Any], more: dict[str, Any], where: str
) -> None:
    answer = cast.ada.post(path(cast), {"source": source, "target": {}, **more})
    assert answer.status_code == 400, answer.text
    assert where in [detail["path"] for detail in answer.json()["error"]["details"]]
    assert cast.ada.get(path(cast)).json()["count"] == 0


def test_who_may_not_edit_the_target_may_not_import_there(cast: Cast, space: str, docs: str) -> None:
    body = {"source": website(docs), "target": {"space": space}}
    assert cast.ria.post(path(cast), body).status_code == 403
    cast.ada.patch(f"/v1/spaces/{space}", {"editMode": "locked"})
    assert cast.ed.post(path(cast), body).status_code == 409
    for target in ({"changeRequest": "99"}, {"page": "nowhere"}):
        answer = cast.ed.post(path(cast), {**body, "target": {"space": space, **target}})
        assert answer.status_code in (400, 409), answer.text


def test_a_run_that_is_asked_for_twice_with_one_key_is_one(
    cast: Cast, space: str, docs: str, by_hand: None
) -> None:
    body, key = {"source": website(docs), "target": {"space": space}}, {"Idempotency-Key": "one-import-run"}
    first = cast.ed.post(path(cast), body, headers=key)
    assert first.status_code == 201
    assert cast.ed.post(path(cast), body, headers=key).json() == first.json()
    assert cast.ed.get(path(cast)).json()["count"] == 1


STARTED = "importRun { restId organizationId status target { space { restId } } }"
FOLLOWED = """query ($o: ID!) { organization(id: $o) { importRuns(first: 1) { totalCount nodes {
    status problems { kind } result { importedResources } } } } }"""


def test_graphql_starts_and_follows_runs(cast: Cast, space: str, docs: str) -> None:
    new = {"source": {"website": docs}, "target": {"space": space}}
    made = cast.ed.mutate("startImportRun", STARTED, organization=cast.organization, **new)["importRun"]
    assert (made["status"], made["target"]) == ("PENDING", {"space": {"restId": space}})
    run = {"id": made["restId"], "organization": made["organizationId"]}
    assert ended(cast, run)["status"] == "completed"
    runs = cast.ed.ask(FOLLOWED, o=cast.organization)["organization"]["importRuns"]
    assert runs["totalCount"] == 1
    assert runs["nodes"] == [{"status": "COMPLETED", "problems": None, "result": {"importedResources": 2}}]
