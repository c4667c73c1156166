"""Import runs that open a change request: with its content, so that none is left where nothing came in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests import make
from tests.cast import Cast
from tests.factories import imports
from tests.factories.imports import ended, page, path, performed, started, website
from tests.factories.sites import ManagedSite
from tests.local_server import Neighbour, html


@pytest.fixture
def space(cast: Cast) -> str:
    """A space with pages."""
    return make.filled_space(cast)


@pytest.fixture
def docs(neighbour: Neighbour) -> str:
    """A website of one page."""
    neighbour.shows("/docs/", html("<main><h1>Home</h1><p>Come in.</p></main>", title="Home"))
    return f"{neighbour.base}/docs/"


@pytest.fixture
def by_hand() -> Iterator[None]:
    """Here runs are done when a test says so."""
    with imports.left_alone():
        yield


def reviewed(space: str, **target: Any) -> dict[str, Any]:
    """A target in a change request that the run opens."""
    return {"space": space, "changeRequestSubject": "Import of docs", **target}


def requests(cast: Cast, space: str) -> list[dict[str, Any]]:
    """The change requests of a space, in any state."""
    found: list[dict[str, Any]] = []
    for status in ("draft", "open", "archived", "merged"):
        answer = cast.ada.get(f"/v1/spaces/{space}/change-requests", params={"status": status})
        found += answer.json()["items"]
    return found


def test_a_run_opens_a_change_request_with_what_it_brings(cast: Cast, space: str, docs: str) -> None:
    before = imports.tree(cast.ria, space)
    run = started(cast, website(docs), reviewed(space))
    assert run["target"] == {"space": space}
    done = ended(cast, run)
    assert done["status"] == "completed", done
    (opened,) = requests(cast, space)
    assert done["target"] == {"space": space, "changeRequest": opened["id"]}
    assert (opened["subject"], opened["status"]) == ("Import of docs", "draft")
    assert opened["createdBy"]["id"] == cast.ed.id
    content = f"/v1/spaces/{space}/change-requests/{opened['id']}/content"
    assert cast.ria.get(f"{content}/path/docs").json()["title"] == "Home"
    assert imports.tree(cast.ria, space) == before


def test_a_run_that_fails_or_is_cancelled_opens_none(
    cast: Cast, space: str, neighbour: Neighbour, docs: str, by_hand: None
) -> None:
    failed = performed(cast, started(cast, website(f"{neighbour.base}/nowhere/"), reviewed(space)))
    assert (failed["status"], failed["target"]) == ("failed", {"space": space})
    run = started(cast, website(docs), reviewed(space))
    assert cast.ed.post(path(cast, run["id"], "cancel")).json()["status"] == "cancelled"
    assert performed(cast, run)["status"] == "cancelled"
    assert requests(cast, space) == []
    assert cast.ada.get(f"/v1/spaces/{space}").json()["changeRequests"] == 0


def test_a_run_below_a_page_is_reviewed_too(cast: Cast, space: str, docs: str) -> None:
    under = page(cast.ria, space, "machinery")["id"]
    done = ended(cast, started(cast, website(docs), reviewed(space, page=under)))
    assert done["status"] == "completed", done
    content = f"/v1/spaces/{space}/change-requests/{done['target']['changeRequest']}/content"
    found = cast.ria.get(f"{content}/page/{under}").json()
    assert "Home" in [each["title"] for each in found["pages"]]


def test_a_space_in_which_nobody_writes_live_takes_it_for_review(cast: Cast, space: str, docs: str) -> None:
    assert cast.ada.patch(f"/v1/spaces/{space}", {"editMode": "locked"}).status_code == 200
    body = {"source": website(docs), "target": {"space": space}}
    assert cast.ed.post(path(cast), body).status_code in (403, 409)
    done = ended(cast, started(cast, website(docs), reviewed(space)))
    assert done["status"] == "completed", done


def test_what_does_not_go_together_is_refused_by_field(cast: Cast, space: str, docs: str) -> None:
    request = make.change_request(cast.ed, space)["id"]
    site = ManagedSite(cast)

    def refused(target: dict[str, Any], **more: Any) -> tuple[int, str]:
        answer = cast.ada.post(path(cast), {"source": website(docs), "target": target, **more})
        return answer.status_code, answer.json()["error"]["details"][0]["path"]

    subject = "target.changeRequestSubject"
    assert refused({"changeRequestSubject": "Docs"}) == (400, subject)
    assert refused(reviewed(space, changeRequest=request)) == (400, subject)
    assert refused(reviewed(space, changeRequestSubject="x" * 101)) == (400, subject)
    assert refused(reviewed(space), site=site.id) == (400, "site")
    answer = cast.ria.post(path(cast), {"source": website(docs), "target": reviewed(space)})
    assert answer.status_code == 403
