"""While an import is under way others read and write, and what they read is always one whole revision."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from app.formats.html_import.html_page import to_markdown
from tests import make
from tests.cast import Cast
from tests.factories import space_rows
from tests.factories.imports import brings, done
from tests.local_server import Answer, Neighbour, html, sent
from tests.timing import TIMEOUT

MARKDOWN = "text/markdown"


def test_others_are_served_while_an_import_waits(cast: Cast, neighbour: Neighbour) -> None:
    space = make.filled_space(cast)
    arrived, go_on = threading.Event(), threading.Event()

    def answer(_request: Any) -> Answer:
        arrived.set()
        go_on.wait(TIMEOUT)
        return sent("# Late\n", MARKDOWN)

    url = neighbour.shows("/late.md", answer)
    answers: list[httpx.Response] = []
    headers = {"Authorization": f"Bearer {cast.ed.token}"}
    body = {"url": url, "source": "markdown"}
    path = f"{cast.instance.base}/v1/spaces/{space}/content/import"
    importing = threading.Thread(
        target=lambda: answers.append(httpx.post(path, json=body, headers=headers, timeout=TIMEOUT))
    )
    importing.start()
    try:
        assert arrived.wait(TIMEOUT)
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
    assert space_rows.revisions(cast.instance, space) == 5


def test_a_page_is_converted_beside_the_others_work(
    cast: Cast, neighbour: Neighbour, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def lasting(*given: Any, **named: Any) -> Any:
        begun.set()
        assert go_on.wait(TIMEOUT), "nobody was served meanwhile"
        return to_markdown(*given, **named)

    monkeypatch.setattr("app.formats.html_import.website.to_markdown", lasting)
    body = "<p>Some <b>text</b> with <a href='/x'>a link</a> and more.</p>" * 4_000
    url = neighbour.shows("/large.html", html(f"<main><h1>Large</h1>{body}</main>"))
    space = make.space(cast.ada, cast.organization)["id"]
    with ThreadPoolExecutor(1) as worker:
        importing = worker.submit(brings, cast.ed, space, url, "html")
        try:
            assert begun.wait(TIMEOUT), "nothing is converted"
            for _ in range(3):
                assert cast.ria.get(f"/v1/spaces/{space}").status_code == 200
            assert not importing.done()
        finally:
            go_on.set()
        done(importing.result())
