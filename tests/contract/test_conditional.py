"""Conditional requests and retried writes: nothing is read twice for nothing, lost, or done twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests import make
from tests.cast import Cast, Person
from tests.contract.import_sources import FETCHED

BOTH = range(2)
MANY = range(8)


def at_once(count: int, call: Any) -> list[httpx.Response]:
    """The answers of as many calls, sent by as many threads."""
    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(call, range(count)))


def space_of(cast: Cast) -> tuple[dict[str, Any], str, str]:
    """A space, its address and its tag."""
    space = make.space(cast.ada, cast.organization)
    path = f"/v1/spaces/{space['id']}"
    return space, path, cast.ada.get(path).headers["etag"]


def test_a_tag_is_strong_and_changes_with_the_object(cast: Cast) -> None:
    _, path, tag = space_of(cast)
    assert tag.startswith('"')
    assert cast.ada.get(path).headers["etag"] == tag
    cast.ada.patch(path, {"title": "Guide"})
    assert cast.ada.get(path).headers["etag"] != tag


@pytest.mark.parametrize("given", ["{tag}", "W/{tag}", '"other", {tag}', "*"])
def test_what_the_caller_has_is_not_sent_again(cast: Cast, given: str) -> None:
    _, path, tag = space_of(cast)
    answer = cast.ada.get(path, headers={"If-None-Match": given.format(tag=tag)})
    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.headers["etag"] == tag
    assert "private" in answer.headers["cache-control"]


def test_what_the_caller_has_no_longer_is_sent(cast: Cast) -> None:
    _, path, tag = space_of(cast)
    cast.ada.patch(path, {"title": "Guide"})
    answer = cast.ada.get(path, headers={"If-None-Match": tag})
    assert (answer.status_code, answer.json()["title"]) == (200, "Guide")


def test_a_tag_lets_nobody_in(cast: Cast) -> None:
    _, path, tag = space_of(cast)
    for person in (cast.sol, cast.gus):
        assert person.get(path, headers={"If-None-Match": tag}).status_code == 404
        assert person.call("PATCH", path, json={"title": "x"}, headers={"If-Match": tag}).status_code == 404


def test_a_stale_tag_refuses_a_write(cast: Cast) -> None:
    _, path, tag = space_of(cast)
    first = cast.ada.call("PATCH", path, json={"title": "First"}, headers={"If-Match": tag})
    assert first.status_code == 200
    for given in (tag, '"other"', "nonsense"):
        late = cast.ada.call("PATCH", path, json={"title": "Second"}, headers={"If-Match": given})
        assert late.status_code == 412
        assert late.json()["error"]["code"] == 412
    assert cast.ada.get(path).json()["title"] == "First"


def test_the_tag_of_a_written_object_is_good_for_the_next_write(cast: Cast) -> None:
    _, path, _ = space_of(cast)
    for title, given in (("One", "{tag}"), ("Two", '"other", {tag}'), ("Three", "*")):
        headers = {"If-Match": given.format(tag=cast.ada.get(path).headers["etag"])}
        assert cast.ada.call("PATCH", path, json={"title": title}, headers=headers).status_code == 200


def test_of_two_writers_with_the_same_tag_one_wins(cast: Cast) -> None:
    for _ in range(5):
        _, path, tag = space_of(cast)

        def write(number: int, path: str = path, tag: str = tag) -> httpx.Response:
            return cast.ada.call("PATCH", path, json={"title": f"T{number}"}, headers={"If-Match": tag})

        answers = at_once(2, write)
        assert sorted(answer.status_code for answer in answers) == [200, 412]
        won = next(answer for answer in answers if answer.status_code == 200)
        assert cast.ada.get(path).json()["title"] == won.json()["title"]


def create(person: Person, organization: str, key: str, **fields: Any) -> httpx.Response:
    """Make a space under an Idempotency-Key."""
    path = f"/v1/orgs/{organization}/spaces"
    return person.call("POST", path, json={"title": "Once", **fields}, headers={"Idempotency-Key": key})


def spaces_called(cast: Cast, title: str) -> int:
    """Return how many spaces of the organization have this title."""
    items = cast.ada.get(f"/v1/orgs/{cast.organization}/spaces").json()["items"]
    return sum(item["title"] == title for item in items)


def test_a_write_sent_again_is_answered_again_and_done_once(cast: Cast) -> None:
    first, second = (create(cast.ada, cast.organization, "a") for _ in BOTH)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert "idempotency-replayed" not in first.headers
    assert second.headers["idempotency-replayed"] == "true"
    assert second.headers["content-type"] == "application/json"
    assert spaces_called(cast, "Once") == 1


def test_a_key_belongs_to_its_caller_and_to_its_request(cast: Cast) -> None:
    assert create(cast.ada, cast.organization, "b").status_code == 201
    refused = create(cast.ada, cast.organization, "b", emoji="1f4d6")
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, 422)
    assert create(cast.cleo, cast.organization, "b").status_code == 201
    assert spaces_called(cast, "Once") == 2
    collections = f"/v1/orgs/{cast.organization}/collections"
    elsewhere = cast.ada.call("POST", collections, json={"title": "Once"}, headers={"Idempotency-Key": "b"})
    assert elsewhere.status_code == 422


def test_a_narrower_token_of_the_same_person_is_told_nothing(cast: Cast) -> None:
    elsewhere = make.token(cast.ada, organization_id=cast.elsewhere)
    assert create(cast.ada, cast.organization, "n").status_code == 201
    assert create(elsewhere, cast.organization, "n").status_code == 403


def test_who_does_not_belong_any_more_is_told_nothing_again(cast: Cast) -> None:
    assert create(cast.cleo, cast.organization, "m").status_code == 201
    assert create(cast.cleo, cast.organization, "m").status_code == 201
    members = f"/v1/orgs/{cast.organization}/members/{cast.cleo.id}"
    assert cast.ada.patch(members, {"disabled": True}).status_code == 200
    assert create(cast.cleo, cast.organization, "m").status_code == 404
    itself = f"/v1/orgs/{cast.organization}/members/{cast.tom.id}"
    leaving = [cast.tom.call("DELETE", itself, headers={"Idempotency-Key": "l"}) for _ in BOTH]
    assert [answer.status_code for answer in leaving] == [204, 204]


def test_a_refused_write_keeps_no_key(cast: Cast) -> None:
    assert create(cast.ria, cast.organization, "c").status_code == 403
    assert create(cast.ada, cast.organization, "c", title="").status_code == 400
    assert create(cast.ada, cast.organization, "c").status_code == 201
    assert spaces_called(cast, "Once") == 1


@pytest.mark.parametrize("key", ["", "x" * 256])
def test_a_key_that_is_too_short_or_too_long_is_refused(cast: Cast, key: str) -> None:
    assert create(cast.ada, cast.organization, key).status_code == 400
    assert spaces_called(cast, "Once") == 0


def test_a_write_sent_many_times_at_once_happens_once(cast: Cast) -> None:
    answers = at_once(len(MANY), lambda _number: create(cast.ada, cast.organization, "d"))
    assert {answer.status_code for answer in answers} <= {201, 409}
    made = {answer.json()["id"] for answer in answers if answer.status_code == 201}
    assert len(made) == 1
    assert spaces_called(cast, "Once") == 1


def test_a_replay_needs_no_fresh_tag(cast: Cast) -> None:
    """A retried write answers as it did the first time, although its own effect made its tag stale."""
    _, path, tag = space_of(cast)
    headers = {"If-Match": tag, "Idempotency-Key": "e"}
    first, second = (cast.ada.call("PATCH", path, json={"title": "Guide"}, headers=headers) for _ in BOTH)
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.content == second.content


def test_an_empty_answer_is_replayed_empty(cast: Cast) -> None:
    _, path, _ = space_of(cast)
    first, second = (cast.ada.call("DELETE", path, headers={"Idempotency-Key": "f"}) for _ in BOTH)
    assert (first.status_code, first.content) == (205, b"")
    assert (second.status_code, second.content) == (205, b"")


def fetched(person: Person, path: str, **headers: str) -> tuple[int, int]:
    """The status of an import of the document, and how often we asked the neighbour for it."""
    before = len(FETCHED)
    address = f"http://{person.instance.settings.outbound_allow}/document.md"
    body = {"url": address, "source": "markdown"}
    answer = person.call("POST", f"{path}/content/import", json=body, headers=headers)
    return answer.status_code, len(FETCHED) - before


def test_a_retried_import_fetches_nothing_again(cast: Cast) -> None:
    _, path, _ = space_of(cast)
    key = {"Idempotency-Key": "g"}
    assert fetched(cast.ada, path, **key) == (201, 1)
    assert fetched(cast.ada, path, **key) == (201, 0)


def test_who_may_not_write_makes_us_fetch_nothing(cast: Cast) -> None:
    _, path, _ = space_of(cast)
    reading = make.token(cast.ada, read_only=True)
    assert fetched(reading, path) == (403, 0)
    assert fetched(reading, path, **{"Idempotency-Key": "h"}) == (403, 0)
    assert fetched(cast.ria, path) == (403, 0)
    assert fetched(cast.sol, path) == (404, 0)


def test_one_request_is_the_same_however_its_json_is_written(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/spaces"
    headers = {"Idempotency-Key": "order", "Content-Type": "application/json"}

    def post(body: bytes) -> httpx.Response:
        return cast.ada.call("POST", path, content=body, headers=headers)

    first = post(b'{"title": "Once", "emoji": "1f4d6"}')
    again = post(b'{ "emoji":"1f4d6",\n"title":"\\u004fnce"}')
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert post(b'{"title": "Once", "emoji": "1f4d7"}').status_code == 422
