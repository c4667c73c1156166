"""Computed pages through GraphQL: each field of pages leaves out its own, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests import make
from tests.cast import Cast
from tests.contract.selections import CORE
from tests.factories import openapi
from tests.rest.test_openapi_pages import placed, tree

ASKED = """query ($space: ID!, $path: String!) { space(id: $space) {
    all: pages { restId pages { restId } }
    few: pages { restId pages(computed: false) { restId } }
    own: pages(computed: false) { restId pages { restId } }
    page(path: $path) { all: pages { restId } few: pages(computed: false) { restId } } } }"""


@pytest.fixture(autouse=True)
def by_hand() -> Iterator[None]:
    """Here specifications are read when a test says so."""
    with openapi.left_alone():
        yield


def test_each_field_of_pages_leaves_out_its_own(cast: Cast) -> None:
    openapi.spec(cast)
    space = str(make.filled_space(cast))
    placed(cast.ed, space)
    place = f"/v1/spaces/{space}"
    rest = tree(cast.ria, place)
    api = next(page for page in rest if page.get("computed"))
    found = cast.ria.ask(ASKED, space=space, path=api["path"])["space"]
    shown = [{"restId": page["id"], "pages": _ids(page)} for page in rest]
    assert found["all"] == shown
    hidden = {page["restId"]: page["pages"] for page in found["few"]}
    assert hidden == {**{page["restId"]: page["pages"] for page in shown}, api["id"]: []}
    assert found["own"] == [page for page in shown if page["restId"] != api["id"]]
    left = tree(cast.ria, place, computed=False)
    assert [page["restId"] for page in found["own"]] == [page["id"] for page in left]
    assert found["page"] == {"all": _ids(api), "few": []}


def _ids(page: dict[str, Any]) -> list[dict[str, str]] | None:
    below = page.get("pages")
    return None if below is None else [{"restId": each["id"]} for each in below]


def test_only_pages_and_changes_take_the_argument() -> None:
    taking = {
        f"{name}.{field}"
        for name, kind in CORE.type_map.items()
        for field, it in getattr(kind, "fields", {}).items()
        if "computed" in getattr(it, "args", {})
    }
    places = ("Space", "ChangeRequest", "Revision", "Content", "Page")
    assert taking == {f"{name}.pages" for name in places} | {"ChangeRequest.changes", "Revision.changes"}
