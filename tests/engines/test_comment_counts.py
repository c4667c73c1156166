"""Many people in one discussion at the same time: nobody fails, and the counters are right in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests import make
from tests.cast import Cast
from tests.factories.changes import insert, place
from tests.factories.comments import address, again, change, comment, comments, reply
from tests.instance import Instance, running

WRITERS = 32
Act = Callable[[], httpx.Response]


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
    """A space to discuss."""
    return str(make.space(cast.ada, cast.organization)["id"])


@pytest.fixture(params=["space", "change request"])
def request_id(request: pytest.FixtureRequest, cast: Cast, space: str) -> str | None:
    """Where: in the space, or in a change request of it."""
    return None if request.param == "space" else str(make.change_request(cast.ed, space)["id"])


def at_once(*acts: Act) -> list[httpx.Response]:
    with ThreadPoolExecutor(len(acts)) as pool:
        return [done.result() for done in [pool.submit(act) for act in acts]]


def statuses(answers: list[httpx.Response]) -> dict[int, int]:
    found = [answer.status_code for answer in answers]
    return {status: found.count(status) for status in sorted(set(found))}


def counted(cast: Cast, space: str, request_id: str | None) -> int:
    found: int = cast.ria.get(place(space, request_id)).json()["comments"]
    return found


def listed(cast: Cast, space: str, request_id: str | None, **query: Any) -> int:
    found = cast.ria.get(comments(space, request_id), params={"limit": 1000, **query}).json()
    assert found["count"] == len(found["items"])
    return len(found["items"])


def test_comments_posted_at_once_are_all_counted(cast: Cast, space: str, request_id: str | None) -> None:
    def post(n: int) -> httpx.Response:
        return cast.tom.post(comments(space, request_id), {"body": {"markdown": str(n)}})

    answers = at_once(*(lambda n=n: post(n) for n in range(WRITERS)))
    assert statuses(answers) == {200: WRITERS}
    assert counted(cast, space, request_id) == listed(cast, space, request_id) == WRITERS


def test_replies_posted_at_once_are_all_counted(cast: Cast, space: str, request_id: str | None) -> None:
    made = comment(cast.tom, space, request=request_id)
    said = {"body": {"markdown": "I do."}}
    answers = at_once(*(lambda: cast.ed.post(f"{address(made)}/replies", said) for _ in range(WRITERS)))
    assert statuses(answers) == {200: WRITERS}
    assert again(cast.ria, made)["replies"] == WRITERS


def test_one_comment_is_resolved_once(cast: Cast, space: str, request_id: str | None) -> None:
    made = comment(cast.tom, space, request=request_id)
    comment(cast.tom, space, request=request_id)
    for resolved in (True, False, True):
        answers = at_once(
            *(lambda: cast.ed.put(address(made), {"resolved": resolved}) for _ in range(WRITERS))  # noqa: B023
        )
        assert statuses(answers) == {200: WRITERS}
        assert counted(cast, space, request_id) == (1 if resolved else 2)
    assert listed(cast, space, request_id, status="resolved") == 1


def test_one_comment_is_deleted_once(cast: Cast, space: str, request_id: str | None) -> None:
    made = comment(cast.tom, space, request=request_id)
    answers = at_once(*(lambda: cast.tom.delete(address(made)) for _ in range(WRITERS)))
    assert statuses(answers) == {205: 1, 404: WRITERS - 1}
    assert counted(cast, space, request_id) == 0


def test_reactions_given_at_once_are_all_there(cast: Cast, space: str, request_id: str | None) -> None:
    made = comment(cast.tom, space, request=request_id)
    people = [cast.ada, cast.cleo, cast.rhea, cast.ed, cast.tom, cast.ria]
    acts = [
        lambda who=people[n % 6], emoji=f"{0x1F600 + n % 4:x}": who.put(
            address(made), {"addedReactions": [emoji]}
        )
        for n in range(WRITERS)
    ]
    assert statuses(at_once(*acts)) == {200: WRITERS}
    reactions = again(cast.ria, made)["reactions"]
    pairs = {(people[n % 6].id, f"{0x1F600 + n % 4:x}") for n in range(WRITERS)}
    assert {(each["user"]["id"], r["emoji"]) for r in reactions for each in r["users"]} == pairs
    assert sum(each["count"] for each in reactions) == len(pairs)


def test_replies_against_a_deletion(cast: Cast, space: str, request_id: str | None) -> None:
    said = {"body": {"markdown": "I do."}}
    for _ in range(3):
        made = comment(cast.tom, space, request=request_id)
        acts: list[Act] = [lambda m=made: cast.ed.post(f"{address(m)}/replies", said) for _ in range(8)]  # type: ignore[misc]
        acts.insert(4, lambda m=made: cast.tom.delete(address(m)))  # type: ignore[misc]
        answers = at_once(*acts)
        assert answers.pop(4).status_code == 205
        assert set(statuses(answers)) <= {200, 404}
        assert cast.ria.get(f"{address(made)}/replies").status_code == 404
    assert counted(cast, space, request_id) == 0


def test_everything_at_once(cast: Cast, space: str, request_id: str | None) -> None:
    """Comments, replies, resolutions, deletions and edits of the content, all in one place."""
    made = [comment(cast.tom, space, str(n), request_id) for n in range(8)]
    answered = [reply(cast.ed, space, each["id"], request=request_id) for each in made]
    change(cast.ed, address(made[0]), resolved=True)
    said = {"body": {"markdown": "More."}}
    batch = {"changes": [insert("Lamp")]}
    acts: list[Act] = []
    for n in range(8):
        here, there = address(made[n]), address(answered[n])
        acts += [
            lambda: cast.tom.post(comments(space, request_id), said),
            lambda here=here: cast.ed.put(here, {"resolved": True}),  # type: ignore[misc]
            lambda here=here, there=there, n=n: (  # type: ignore[misc]
                cast.tom.delete(here) if n % 2 else cast.ed.delete(there)
            ),
            lambda: cast.ed.post(f"{place(space, request_id)}/content", batch),
        ]
    assert len(acts) == WRITERS
    answers = at_once(*acts)
    assert set(statuses(answers)) <= {200, 205, 404}
    for kind in (0, 3):
        assert statuses(answers[kind::4]) == {200: 8}
    open_, resolved = (listed(cast, space, request_id, status=each) for each in ("open", "resolved"))
    assert (open_, resolved) == (8, 4)
    assert counted(cast, space, request_id) == open_
    for each in made[::2]:
        assert again(cast.ria, each)["replies"] == 0
