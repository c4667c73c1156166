"""While an import is under way others read and write, and what they read is always one whole revision."""

from __future__ import annotations

import threading
import time
from typing import Any

import httpx

from tests import filled, make
from tests.cast import Cast
from tests.local_server import Answer, Neighbour, html, sent

MARKDOWN = "text/markdown"


def test_others_are_served_while_an_import_waits(cast: Cast, neighbour: Neighbour) -> None:
    space = make.filled_space(cast)
    arrived, go_on = threading.Event(), threading.Event()

    def answer(_request: Any) -> Answer:
        arrived.set()
        go_on.wait(10)
        return sent("# Late\n", MARKDOWN)

    url = neighbour.shows("/late.md", answer)
    answers: list[httpx.Response] = []
    headers = {"Authorization": f"Bearer {cast.ed.token}"}
    body = {"url": url, "source": "markdown"}
    path = f"{cast.house.base}/v1/spaces/{space}/content/import"
    importing = threading.Thread(
        target=lambda: answers.append(httpx.post(path, json=body, headers=headers, timeout=30))
    )
    importing.start()
    try:
        assert arrived.wait(10)
        before = cast.ria.get(f"/v1/spaces/{space}/content")
        assert before.status_code == 200
        assert cast.ada.patch(f"/v1/spaces/{space}", {"title": "Renamed"}).status_code == 200
        make.imported(cast, space, {"meanwhile.md": "# Meanwhile\n"})
        assert answers == []
    finally:
        go_on.set()
        importing.join()
    assert answers[0].status_code == 201, answers[0].text
    titles = {page["title"] for page in cast.ria.get(f"/v1/spaces/{space}/content/pages").json()["pages"]}
    assert {"Lighthouse", "Meanwhile", "Late"} <= titles


def test_a_revision_is_read_whole_while_another_is_made(cast: Cast) -> None:
    trees = [{f"{n}.md": f"# {name} {n}\n\n[next]({n + 1}.md)\n" for n in range(150)} for name in "ab"]
    space = make.filled_space(cast, trees[0])
    done = threading.Event()

    def work() -> None:
        try:
            for turn in (1, 0, 1):
                make.imported(cast, space, trees[turn])
        finally:
            done.set()

    worker = threading.Thread(target=work)
    worker.start()
    seen: dict[str, set[str]] = {}
    while not done.is_set():
        revision = cast.ria.get(f"/v1/spaces/{space}/content").json()
        assert len(revision["pages"]) == 150
        seen.setdefault(revision["id"], set()).update(page["title"][0] for page in revision["pages"])
        assert cast.ria.get(f"/v1/spaces/{space}/links").json()["stats"]["total"] == 150
    worker.join()
    assert all(len(names) == 1 for names in seen.values()), seen
    assert filled.revisions(cast.house, space) == 5


def test_a_large_page_is_converted_beside_the_others_work(cast: Cast, neighbour: Neighbour) -> None:
    body = "<p>Some <b>text</b> with <a href='/x'>a link</a> and more.</p>" * 4_000
    url = neighbour.shows("/large.html", html(f"<main><h1>Large</h1>{body}</main>"))
    space = make.space(cast.ada, cast.organization)["id"]
    answers: list[httpx.Response] = []
    done = threading.Event()

    def work() -> None:
        body = {"url": url, "source": "html"}
        headers = {"Authorization": f"Bearer {cast.ed.token}"}
        path = f"{cast.house.base}/v1/spaces/{space}/content/import"
        try:
            answers.append(httpx.post(path, json=body, headers=headers, timeout=60))
        finally:
            done.set()

    worker = threading.Thread(target=work)
    begun = time.monotonic()
    worker.start()
    longest = 0.0
    while not done.is_set():
        asked = time.monotonic()
        assert cast.ria.get(f"/v1/spaces/{space}").status_code == 200
        longest = max(longest, time.monotonic() - asked)
    worker.join()
    assert answers[0].status_code == 201
    assert longest < (time.monotonic() - begun) * 0.75  # converting is nearly all of it
