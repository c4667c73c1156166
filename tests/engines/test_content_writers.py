"""Many writers at once on one space: every acknowledged write is in the history, and nobody sees a 5xx."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Barrier
from typing import Any

import httpx
import pytest

from tests import make
from tests.cast import Cast, Person
from tests.engines.content_model import body, with_line
from tests.factories.changes import history, new_page
from tests.instance import Instance, running

WRITERS = 32
Act = Callable[[], httpx.Response]


def at_once(*acts: Act) -> list[httpx.Response]:
    """The answers of calls that start together, none of which is the server's fault."""
    start = Barrier(len(acts))

    def run(act: Act) -> httpx.Response:
        start.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        answers = list(pool.map(run, acts))
    assert {answer.status_code for answer in answers} <= {200, 201, 400, 404, 409}, statuses(answers)
    return answers


def statuses(answers: list[httpx.Response]) -> Counter[int]:
    return Counter(answer.status_code for answer in answers)


def write(person: Person, space: str, *changes: dict[str, Any], request: int | None = None) -> httpx.Response:
    place = "content" if request is None else f"change-requests/{request}/content"
    path = f"/v1/spaces/{space}/{place}"
    return person.post(path, {"changes": list(changes)}, params={"compat": "false"})


def post(person: Person, space: str, path: str, json: Any = None) -> httpx.Response:
    return person.post(f"/v1/spaces/{space}/{path}", json if json is not None else {})


def markdown(person: Person, space: str, page: str, *, revision: str | None = None) -> str:
    """A page's body, now or at a revision."""
    place = "content" if revision is None else f"revisions/{revision}"
    answer = person.get(f"/v1/spaces/{space}/{place}/page/{page}")
    assert answer.status_code == 200, answer.text
    found: str = answer.json()["markdown"]
    return found


def line(person: Person, space: str, request: int | None = None) -> list[str]:
    """The ids of a line's revisions in order; their numbers have no gaps or doubles."""
    entries: list[Any] = []
    query: dict[str, Any] = {"limit": 100}
    while True:
        found = history(person, space, request, **query)
        entries += found["items"]
        if "next" not in found:
            break
        query["page"] = found["next"]["page"]
    assert [entry["number"] for entry in entries] == list(range(len(entries), 0, -1))
    for newer, older in pairwise(entries):
        assert newer["parents"][0] == older["id"]
    return [entry["id"] for entry in entries][::-1]


def edit(page: str, text: str) -> dict[str, Any]:
    return {"operation": "update_page", "page": page, "document": {"markdown": text}}


@pytest.fixture(scope="module")
def wide(database: str) -> Iterator[Instance]:
    """A server that really lets as many in at once as there are writers."""
    with running(database, read_connections=WRITERS, write_connections=WRITERS) as instance:
        yield instance


@pytest.fixture
def cast(wide: Instance) -> Cast:
    """People who meet there."""
    return make.cast(wide)


@pytest.fixture
def space(cast: Cast) -> str:
    """A space to write in."""
    made: str = make.space(cast.ada, cast.organization)["id"]
    return made


def test_writers_of_new_pages(cast: Cast, space: str) -> None:
    def insert(n: int) -> httpx.Response:
        page = {"title": "Same", "document": {"markdown": f"text {n}"}}
        return write(cast.ed, space, {"operation": "insert_page", **page})

    answers = at_once(*(lambda n=n: insert(n) for n in range(WRITERS)))
    assert statuses(answers) == {200: WRITERS}
    revisions = line(cast.ed, space)
    assert len(revisions) == 1 + WRITERS
    assert {answer.json()["revision"] for answer in answers} == set(revisions[1:])
    for n, answer in enumerate(answers):
        made = answer.json()
        page = made["changes"][0]["page"]["id"]
        assert markdown(cast.ed, space, page, revision=made["revision"]) == f"text {n}"
        assert markdown(cast.ed, space, page) == f"text {n}"
    pages = cast.ed.get(f"/v1/spaces/{space}/content/pages").json()["pages"]
    assert sorted(p["slug"] for p in pages) == sorted(["same", *(f"same-{n}" for n in range(1, WRITERS))])


def test_writers_of_the_same_page(cast: Cast, space: str) -> None:
    page = new_page(cast.ed, space, title="Shared", document={"markdown": "first"})

    def change(n: int) -> httpx.Response:
        return write(cast.ed, space, edit(page, f"text {n}"))

    answers = at_once(*(lambda n=n: change(n) for n in range(WRITERS)))
    assert statuses(answers) == {200: WRITERS}
    revisions = line(cast.ed, space)
    assert {answer.json()["revision"] for answer in answers} == set(revisions[2:])
    for n, answer in enumerate(answers):
        assert markdown(cast.ed, space, page, revision=answer.json()["revision"]) == f"text {n}"


def test_requests_opened_at_once_have_numbers_of_their_own(cast: Cast, space: str) -> None:
    answers = at_once(*(lambda: post(cast.ed, space, "change-requests") for _ in range(WRITERS)))
    assert sorted(answer.json()["number"] for answer in answers) == list(range(1, WRITERS + 1))
    found = cast.ed.get(f"/v1/spaces/{space}").json()
    assert (found["changeRequests"], found["changeRequestsDraft"]) == (WRITERS, WRITERS)


def opened(cast: Cast, space: str, *changes: dict[str, Any]) -> int:
    """A change request with these changes; its number."""
    number: int = make.change_request(cast.ed, space)["number"]
    make.changes(cast.ed, space, *changes, request=number)
    return number


@pytest.mark.parametrize("slots", [(0, 1), (0, 0)])
def test_two_merges_of_the_same_page(cast: Cast, space: str, slots: tuple[int, int]) -> None:
    first = body("a", "b", "c")
    page = new_page(cast.ed, space, title="Shared", document={"markdown": first})
    requests = [
        opened(cast, space, edit(page, with_line(first, slot, f"from {n}"))) for n, slot in enumerate(slots)
    ]
    answers = at_once(*(lambda n=n: post(cast.rhea, space, f"change-requests/{n}/merge") for n in requests))
    assert statuses(answers) == {200: 2}
    results = sorted(answer.json()["result"] for answer in answers)
    assert results == (["merge", "merge"] if slots[0] != slots[1] else ["conflicts", "merge"])
    text = markdown(cast.ed, space, page)
    merged = [n for n, answer in enumerate(answers) if answer.json()["result"] == "merge"]
    assert all(f"from {n}" in text for n in merged)
    assert len(line(cast.ed, space)) == 2 + len(merged)
    found = cast.ed.get(f"/v1/spaces/{space}").json()
    assert found["changeRequestsDraft"] == 2 - len(merged)


def test_one_request_is_merged_once(cast: Cast, space: str) -> None:
    page = new_page(cast.ed, space, title="Shared", document={"markdown": "first"})
    number = opened(cast, space, edit(page, "second"))
    merge = lambda: post(cast.rhea, space, f"change-requests/{number}/merge")  # noqa: E731
    answers = at_once(*(merge for _ in range(6)))
    assert statuses(answers) == {200: 1, 409: 5}
    assert len(line(cast.ed, space)) == 3
    assert cast.ed.get(f"/v1/spaces/{space}").json()["changeRequestsDraft"] == 0


def test_a_merge_against_a_deletion(cast: Cast, space: str) -> None:
    for _ in range(5):
        page = new_page(cast.ed, space, title="Shared", document={"markdown": "first"})
        number = opened(cast, space, edit(page, "second"))
        merged, deleted = at_once(
            lambda n=number: post(cast.rhea, space, f"change-requests/{n}/merge"),  # type: ignore[misc]
            lambda p=page: write(cast.ed, space, {"operation": "delete_page", "page": p}),  # type: ignore[misc]
        )
        assert (merged.status_code, deleted.status_code) == (200, 200)
        assert cast.ed.get(f"/v1/spaces/{space}/content/page/{page}").status_code == 404
        outcome = merged.json()
        if outcome["result"] == "merge":
            assert markdown(cast.ed, space, page, revision=outcome["revision"]) == "second"
        else:
            assert [each["field"] for each in outcome["conflicts"]] == ["page"]
    line(cast.ed, space)


def test_updates_against_live_edits(cast: Cast, space: str) -> None:
    first = body("a", "b", "c")
    page = new_page(cast.ed, space, title="Shared", document={"markdown": first})
    number = opened(cast, space, edit(page, with_line(first, 0, "request")))
    for n in range(8):
        text = with_line(first, 2, f"live {n}")
        updated, edited = at_once(
            lambda: post(cast.ed, space, f"change-requests/{number}/update"),
            lambda t=text: write(cast.ed, space, edit(page, t)),  # type: ignore[misc]
        )
        assert (updated.status_code, edited.status_code) == (200, 200)
    post(cast.ed, space, f"change-requests/{number}/update")
    merged = post(cast.rhea, space, f"change-requests/{number}/merge").json()
    assert merged["result"] == "merge"
    assert markdown(cast.ed, space, page) == body("request", "b", "live 7")
    line(cast.ed, space)
    line(cast.ed, space, number)


def test_everything_at_once(cast: Cast, space: str) -> None:
    pages = [
        new_page(cast.ed, space, title=f"P{n}", document={"markdown": body("a", "b", "c")}) for n in range(4)
    ]
    requests = [opened(cast, space, edit(pages[n % 4], body(f"request {n}", "b", "c"))) for n in range(6)]
    acts: list[Act] = []
    for n in range(8):
        page, request = pages[n % 4], requests[n % 6]
        acts += [
            lambda p=page, n=n: write(cast.ed, space, edit(p, body("a", "b", f"live {n}"))),  # type: ignore[misc]
            lambda p=page, n=n, r=request: write(  # type: ignore[misc]
                cast.ed, space, edit(p, body(f"again {n}", "b", "c")), request=r
            ),
            lambda r=request: post(cast.ed, space, f"change-requests/{r}/update"),  # type: ignore[misc]
            lambda r=request: post(cast.rhea, space, f"change-requests/{r}/merge"),  # type: ignore[misc]
        ]
    assert len(acts) == WRITERS
    answers = at_once(*acts)
    main = line(cast.ed, space)
    for n, answer in enumerate(answers[::4]):
        assert answer.status_code == 200
        text = markdown(cast.ed, space, pages[n % 4], revision=answer.json()["revision"])
        assert f"live {n}" in text
    for n, answer in enumerate(answers[1::4]):
        if answer.status_code == 200:
            text = markdown(cast.ed, space, pages[n % 4], revision=answer.json()["revision"])
            assert f"again {n}" in text
    merges = [answer.json() for answer in answers[3::4] if answer.status_code == 200]
    assert {each["revision"] for each in merges if each["result"] == "merge"} <= set(main)
    for request in requests:
        line(cast.ed, space, request)
