"""The running product reads specifications and brings the pages made of them up to date by itself."""

from __future__ import annotations

from typing import Any

from tests import make
from tests.cast import Cast
from tests.factories import openapi
from tests.timing import until


def asked(cast: Cast, slug: str) -> str:
    """A specification that nobody has read yet; its address."""
    text = openapi.as_text(openapi.document())
    answer = cast.ada.post(openapi.path(cast), {"slug": slug, "source": {"text": text}})
    assert answer.status_code == 201, answer.text
    return openapi.path(cast, slug)


def test_a_specification_is_read(cast: Cast) -> None:
    path = asked(cast, "soon")

    def complete() -> dict[str, Any] | None:
        found: dict[str, Any] = cast.ada.get(path).json()
        return found if found["processingState"] == "complete" else None

    spec = until(complete, "nobody reads it")
    assert spec is not None
    assert spec["lastVersion"] == cast.ada.get(f"{path}/versions/latest").json()["id"]


def test_pages_are_made_of_it(cast: Cast, space: str) -> None:
    asked(cast, "soon")
    shown = {"type": "builtin:openapi", "spec": "soon"}
    change = {"operation": "insert_page", "type": "computed", "title": "API", "computed": shown}
    page = make.changes(cast.ed, space, change)["changes"][0]["page"]["id"]
    there = f"/v1/spaces/{space}/content/page/{page}"
    until(lambda: cast.ed.get(there).json()["pages"], "nobody makes the pages")
