"""Responses with very many pages are read and serialized outside the event loop."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from app.kit import workers
from app.kit.database.statements import Compiled
from app.present import pages as shown_pages
from tests import make
from tests.cast import Cast

PAGES = 60
TREE = """query ($space: ID!) { space(id: $space) {
    pages { restId title pages { restId } } currentRevision { pages { restId } } } }"""


def test_large_trees_are_read_and_shown_in_threads(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {f"part/page-{n}.md": f"# Page {n}\n\nWords.\n" for n in range(PAGES)}
    space = make.filled_space(cast, {"README.md": "# Start\n", "part/README.md": "# Part\n", **files})
    request = make.change_request(cast.ada, space)["number"]
    part = cast.ada.get(f"/v1/spaces/{space}/content/path/part").json()["id"]
    places = [f"/v1/spaces/{space}", f"/v1/spaces/{space}/change-requests/{request}"]
    paths = [
        f"{place}/content{which}" for place in places for which in ("", "/pages", f"/page/{part}", "/files")
    ]

    def answers() -> list[Any]:
        read = [cast.ada.get(path).json() for path in paths]
        return [
            *read,
            cast.ada.ask(TREE, space=space),
            cast.ada.ask(TREE.replace("restId }", "restId path }"), space=space),
        ]

    before = answers()
    read_in, shown_in = set(), set()
    rows, tree = Compiled.rows, shown_pages.tree

    def noting_rows(compiled: Compiled, raw: Any) -> list[Any]:
        read_in.add(threading.current_thread().name.rpartition("_")[0])
        return rows(compiled, raw)

    def noting_tree(*arguments: Any, **options: Any) -> list[dict[str, Any]]:
        shown_in.add(threading.current_thread().name.rpartition("_")[0])
        return tree(*arguments, **options)

    monkeypatch.setattr(workers, "LARGE", 1_000)
    monkeypatch.setattr(Compiled, "rows", noting_rows)
    monkeypatch.setattr(shown_pages, "tree", noting_tree)
    assert answers() == before
    assert "docyard-small" in read_in
    assert shown_in - {""} == {"docyard-small"}
    assert len(before[1]["pages"][1]["pages"]) == PAGES
