"""Changes as subscribers are told of them, through HTTP: what, to whom, from where on, and until when."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from app.access.context import Context
from app.domain.change_feed import recorded_changes
from app.kit.clock import utc_now
from app.models.access import Token
from tests import anonymous, change_stream, make
from tests.cast import Cast
from tests.change_stream import refused, running
from tests.cli.command import serving
from tests.factories import changes, collections, comments, openapi
from tests.factories.git_sync import SyncedSpace
from tests.factories.integrations import PublishedIntegration
from tests.git_server import hosting
from tests.instance import Instance
from tests.local_server import port_of
from tests.timing import until

LIMITS = {"streams": 5, "streams_of_caller": 3}


@pytest.fixture(scope="module")
def server(database: str) -> Iterator[Instance]:
    """The product with a route that streams changes."""
    with running(database) as instance:
        yield instance


@pytest.fixture
def people(server: Instance) -> Cast:
    """A fresh organization at that server."""
    return make.cast(server)


@pytest.fixture
def space(people: Cast) -> str:
    """A space of the organization."""
    made: str = make.space(people.ada, people.organization)["id"]
    return made


def test_changes_of_a_space_are_told_with_their_ids(people: Cast, space: str) -> None:
    path = f"/v1/spaces/{space}"
    with change_stream.streamed(people.ria, "space_id", space, kinds="space") as stream:
        assert people.ada.patch(path, {"title": "Manual"}).is_success
        told = stream.change()
        assert (told["kind"], told["action"]) == ("space", "updated")
        assert (told["organization_id"], told["space_id"]) == (people.organization, space)
        assert stream.last_id == str(told["position"])
        changes.new_page(people.ed, space, title="Lamp")
        shelf = collections.collection(people.ada, people.organization)["id"]
        assert people.ada.post(f"{path}/move", {"parent": shelf}).is_success
        assert people.ada.delete(f"/v1/collections/{shelf}").is_success
        assert stream.changes(3) == [("space", "content-updated"), ("space", "moved"), ("space", "moved")]
        people.ada.patch(path, {})  # nothing is changed, nothing told
        people.ada.get(path)
        assert people.ada.patch(path, {"title": "Handbook"}).is_success
        assert stream.change()["action"] == "updated"


def test_who_may_restore_a_space_is_told_that_it_is_deleted_and_readers_only_that_it_is_gone(
    people: Cast, space: str
) -> None:
    path = f"/v1/spaces/{space}"
    with (
        change_stream.streamed(people.ada, "organization_id", people.organization, kinds="space") as ada,
        change_stream.streamed(people.ria, "space_id", space) as ria,
    ):
        assert people.ada.delete(path).is_success
        assert ria.refusal() == "NOT_FOUND"
        assert people.ada.post(f"{path}/restore").is_success
        assert ada.changes(2) == [("space", "deleted"), ("space", "restored")]


def test_change_requests_and_their_reviews_are_told(people: Cast, space: str) -> None:
    with (
        change_stream.streamed(people.ria, "space_id", space, kinds="change-request space") as of_space,
    ):
        request = make.change_request(people.ed, space)
        path = f"/v1/spaces/{space}/change-requests/{request['id']}"
        assert of_space.change()["change_request_id"] == request["id"]
        with change_stream.streamed(people.ria, "change_request_id", request["id"]) as stream:
            make.change_request(people.ed, space)  # another one
            people.ed.patch(path, {"subject": "New lamp"})
            changes.new_page(people.ed, space, request["number"], title="Lamp")
            people.ed.post(f"{path}/requested-reviewers", {"users": [people.rhea.id]})
            people.rhea.post(f"{path}/reviews", {"status": "approved", "comment": {"markdown": "Well."}})
            people.ed.patch(path, {"status": "archived"})
            people.ed.patch(path, {"status": "open"})
            assert people.rhea.post(f"{path}/merge", {}).is_success
            told = stream.changes(9)
        assert told == [
            ("change-request", "updated"),
            ("change-request", "content-updated"),
            ("change-request", "review-requested"),
            ("change-request", "status-changed"),
            ("change-request", "reviewed"),
            ("comment", "created"),
            ("change-request", "status-changed"),
            ("change-request", "status-changed"),
            ("change-request", "merged"),
        ]
        assert of_space.changes(10)[-2:] == [("space", "content-updated"), ("change-request", "merged")]


def test_comments_and_replies_are_told_with_the_page_they_are_about(people: Cast, space: str) -> None:
    page = changes.new_page(people.ed, space, title="Lamp")
    with change_stream.streamed(people.ria, "page_id", page, kinds="comment") as stream:
        comment = comments.comment(people.tom, space, page=page)
        told = stream.change()
        assert (told["action"], told["comment_id"], told["page_id"]) == ("created", comment["id"], page)
        reply = comments.reply(people.ed, space, comment["id"])
        told = stream.change()
        assert (told["action"], told["comment_id"], told["reply_id"]) == (
            "reply-created", comment["id"], reply["id"],
        )  # fmt: skip
        comments.change(people.tom, comments.address(comment), body={"markdown": "Who?"})
        comments.change(people.ed, comments.address(reply), addedReactions=["1f44d"])
        comments.change(people.tom, comments.address(comment), resolved=True)
        comments.change(people.tom, comments.address(comment), resolved=True)  # it is already
        comments.change(people.tom, comments.address(comment), resolved=False)
        assert people.ed.delete(comments.address(reply)).is_success
        assert people.tom.delete(comments.address(comment)).is_success
        assert [action for _, action in stream.changes(6)] == [
            "updated", "reply-updated", "resolved", "reopened", "reply-deleted", "deleted",
        ]  # fmt: skip


def test_import_runs_are_told_to_who_began_them_and_to_administrators(people: Cast, space: str) -> None:
    with (
        change_stream.streamed(people.ada, "organization_id", people.organization, kinds="import-run") as ada,
        change_stream.streamed(people.ria, "organization_id", people.organization) as ria,
    ):
        file = {"name": "lamp.md", "base64": b64encode(b"# Lamp").decode()}
        body = {"source": {"type": "file", "files": [file]}, "target": {"space": space}}
        answer = people.ed.post(f"/v1/orgs/{people.organization}/imports", body)
        assert answer.status_code == 201, answer.text
        told = ada.change()
        assert (told["action"], told["job_id"], told["space_id"]) == ("created", answer.json()["id"], space)
        actions = ["created"]
        while actions[-1] != "completed":
            actions.append(ada.change()["action"])
        assert actions[:2] == ["created", "started"]
        assert set(actions[2:-1]) <= {"progressed"}
        assert ria.changes(1) == [("space", "content-updated")]  # and nothing of the run


def test_specifications_are_told_to_members_while_they_are_processed(people: Cast, space: str) -> None:
    with (
        change_stream.streamed(
            people.ria, "organization_id", people.organization, kinds="openapi-spec"
        ) as ria,
        change_stream.streamed(people.gus, "organization_id", people.organization) as gus,
    ):
        body = {"slug": "kennel", "source": {"text": json.dumps(openapi.document())}}
        answer = people.cleo.post(f"/v1/orgs/{people.organization}/openapi", body)
        assert answer.status_code == 201, answer.text
        told = [ria.change() for _ in range(3)]
        assert [change["action"] for change in told] == ["created", "started", "completed"]
        assert {change["job_id"] for change in told} == {answer.json()["id"]}
        assert people.ada.delete(f"/v1/orgs/{people.organization}/openapi/kennel").is_success
        assert ria.change()["action"] == "deleted"
        people.ada.post(f"/v1/spaces/{space}/permissions", {"role": "read", "users": [people.gus.id]})
        people.ada.patch(f"/v1/spaces/{space}", {"title": "For Gus"})
        assert gus.changes(1) == [("space", "updated")]  # a guest knows of nothing before


def test_syncs_with_a_repository_are_told(
    new_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with (
        hosting(tmp_path_factory.mktemp("repositories")) as host,
        running(new_database(), outbound_allow=f"127.0.0.1:{port_of(host.base)}") as instance,
    ):
        people = make.cast(instance)
        docs = SyncedSpace(people, host, {"README.md": "# Lamp\n"})
        with change_stream.streamed(people.ria, "space_id", docs.id, kinds="git-sync") as stream:
            docs.ok("import")
            docs.body["ref"] = "lost"
            docs.failed("import")
            assert people.ada.delete(f"{docs.path}/git").is_success
            assert [action for _, action in stream.changes(5)] == [
                "started", "completed", "started", "failed", "deleted",
            ]  # fmt: skip


def test_a_change_of_one_process_is_told_by_the_others(people: Cast, space: str, tmp_path: Path) -> None:
    database = people.instance.settings.database
    with serving(database=database, log=tmp_path / "log", program="tests.change_stream") as other:
        here = change_stream.streamed(people.ria, "space_id", space)
        there = change_stream.streamed(people.ria, "space_id", space, base=other.address)
        with here as one, there as two:
            people.ada.patch(f"/v1/spaces/{space}", {"title": "Written here"})
            headers = {"Authorization": f"Bearer {people.ada.token}"}
            anonymous.patch(
                f"{other.address}/v1/spaces/{space}", json={"title": "Written there"}, headers=headers
            )
            told = [one.change(), one.change()]
            assert [two.change(), two.change()] == told  # at the same positions in every process
        after = str(told[0]["position"])
        with change_stream.streamed(people.ria, "space_id", space, base=other.address, after=after) as stream:
            assert stream.change() == told[1]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_server_that_stops_ends_its_streams_so_that_clients_connect_again(
    people: Cast, space: str, tmp_path: Path
) -> None:
    database = people.instance.settings.database
    with serving(database=database, log=tmp_path / "log", program="tests.change_stream") as other:
        with change_stream.streamed(people.ria, "space_id", space, base=other.address) as stream:
            ended = other.end()
            assert stream.next() is None  # it is not complete
        assert ended == 0


@pytest.mark.parametrize("way", ["after", "Last-Event-ID"])
def test_a_stream_goes_on_where_another_ended(people: Cast, space: str, way: str) -> None:
    other = make.space(people.ada, people.organization)["id"]

    def rename(*titles: str) -> None:
        for title in titles:
            for each in (space, other):
                assert people.ada.patch(f"/v1/spaces/{each}", {"title": title}).is_success

    with change_stream.streamed(people.ria, "space_id", space) as stream:
        rename("One")
        last = str(stream.change()["position"])
    rename("Two", "Three")
    asked = {"after": last} if way == "after" else {}
    headers = {way: last} if way != "after" else {}
    with change_stream.streamed(people.ria, "space_id", space, headers=headers, **asked) as stream:
        rename("Four")
        told = [stream.change() for _ in range(3)]
        assert {change["space_id"] for change in told} == {space}
        assert sorted({change["position"] for change in told}) == [change["position"] for change in told]


def test_an_idle_stream_says_how_far_it_is(people: Cast, space: str) -> None:
    """Whoever connects again much later goes on from there, not from the last change that concerned them."""
    with change_stream.streamed(people.ria, "space_id", space, keepAlive="0.1") as stream:
        begun = until(lambda: stream.last_id, "no position is told")
        make.space(people.ada, people.organization)
        until(lambda: int(stream.last_id) > int(begun), "the position does not move")
        assert stream.events.empty()


@pytest.mark.parametrize(("after", "status"), [("x", 400), ("-1", 400), ("9" * 18, 400), ("9" * 30, 400)])
def test_what_is_no_position_is_refused(people: Cast, space: str, after: str, status: int) -> None:
    answer = refused(people.ria, "space_id", space, after=after)
    assert answer.status_code == status
    assert answer.json()["error"]["details"][0]["path"] == "after"


def test_a_position_of_before_what_is_kept_is_refused(new_database: Callable[[], str]) -> None:
    with running(new_database()) as instance:
        people = make.cast(instance)
        space = make.space(people.ada, people.organization)["id"]
        with change_stream.streamed(people.ria, "space_id", space) as stream:
            for title in ("One", "Two", "Three"):
                people.ada.patch(f"/v1/spaces/{space}", {"title": title})
            first, _, last = (stream.change()["position"] for _ in range(3))
        instance.opened(lambda db: recorded_changes.prune(db, utc_now() + timedelta(hours=23)))
        with change_stream.streamed(people.ria, "space_id", space, after=str(first)) as stream:
            assert len(stream.changes(2)) == 2
        instance.opened(lambda db: recorded_changes.prune(db, utc_now() + timedelta(hours=25)))
        answer = refused(people.ria, "space_id", space, after=str(first))
        assert (answer.status_code, answer.json()["error"]["details"][0]["path"]) == (412, "after")
        with change_stream.streamed(people.ria, "space_id", space, after=str(last)) as stream:
            people.ada.patch(f"/v1/spaces/{space}", {"title": "Four"})
            assert stream.change()["position"] == last + 1  # numbers are never given again


def test_a_right_that_was_withdrawn_ends_the_stream_before_the_next_change(people: Cast) -> None:
    space = make.space(people.ada, people.organization)["id"]
    path = f"/v1/spaces/{space}"
    people.ada.post(f"{path}/permissions", {"role": "read", "users": [people.gus.id]})
    with change_stream.streamed(people.gus, "space_id", space) as stream:
        people.ada.patch(path, {"title": "One"})
        assert stream.change()["action"] == "updated"
        assert people.ada.delete(f"{path}/permissions/users/{people.gus.id}").is_success
        people.ada.patch(path, {"title": "Two"})
        assert stream.refusal() == "NOT_FOUND"


@pytest.mark.parametrize("way", ["revoked", "expired"])
def test_a_token_that_is_over_ends_its_streams(people: Cast, space: str, way: str) -> None:
    async def end(cx: Context) -> None:
        if way == "revoked":
            await cx.tx.remove(Token, user_id=people.ria.id)
        else:
            await cx.tx.put(Token, {"expires_at": cx.now}, user_id=people.ria.id)

    with change_stream.streamed(people.ria, "space_id", space) as stream:
        people.instance.inside(end)
        people.ada.patch(f"/v1/spaces/{space}", {"title": "Two"})
        assert stream.refusal() == "UNAUTHENTICATED"


def test_who_leaves_an_organization_is_told_nothing_more_of_it(people: Cast, space: str) -> None:
    with change_stream.streamed(people.ria, "organization_id", people.organization) as stream:
        member = f"/v1/orgs/{people.organization}/members/{people.ria.id}"
        assert people.ada.delete(member).is_success
        people.ada.patch(f"/v1/spaces/{space}", {"title": "Two"})
        assert stream.refusal() == "NOT_FOUND"


def test_in_an_organization_everybody_is_told_of_what_they_see(people: Cast, space: str) -> None:
    hidden = make.space(people.ada, people.organization)["id"]
    assert people.ada.patch(f"/v1/spaces/{hidden}", {"defaultLevel": None}).is_success
    with (
        change_stream.streamed(people.ria, "organization_id", people.organization) as ria,
        change_stream.streamed(people.ada, "organization_id", people.organization) as ada,
        change_stream.streamed(people.sol, "organization_id", people.organization) as sol,
    ):
        people.ada.patch(f"/v1/spaces/{hidden}", {"title": "Secret"})
        people.ada.patch(f"/v1/spaces/{space}", {"title": "Known"})
        assert [ada.change()["space_id"] for _ in range(2)] == [hidden, space]
        assert ria.change()["space_id"] == space
        assert sol.refusal() == "NOT_FOUND"


def test_an_integration_is_told_of_what_it_is_installed_on(people: Cast, space: str) -> None:
    lamps = PublishedIntegration(people)
    installation = lamps.install()
    lamps.on_space(installation, space)
    other = make.space(people.ada, people.organization)["id"]
    with change_stream.streamed(lamps.token(installation), "organization_id", people.organization) as stream:
        people.ada.patch(f"/v1/spaces/{other}", {"title": "Not theirs"})
        people.ada.patch(f"/v1/spaces/{space}", {"title": "Theirs"})
        theirs = stream.change()
        assert (theirs["action"], theirs["space_id"]) == ("updated", space)
        assert people.ada.delete(f"{lamps.path}/installations/{installation}").is_success
        people.ada.patch(f"/v1/spaces/{space}", {"title": "Nobody's"})
        assert stream.refusal() == "UNAUTHENTICATED"


def test_streams_of_a_caller_and_of_the_process_are_bounded(new_database: Callable[[], str]) -> None:
    with running(new_database(), **LIMITS) as instance:
        people = make.cast(instance)
        space = make.space(people.ada, people.organization)["id"]
        with (
            change_stream.streamed(people.ria, "space_id", space),
            change_stream.streamed(people.ria, "space_id", space),
        ):
            with change_stream.streamed(people.ria, "space_id", space):
                answer = refused(people.ria, "space_id", space)
                assert (answer.status_code, answer.headers["Retry-After"]) == (429, "10")
                with (
                    change_stream.streamed(people.tom, "space_id", space),
                    change_stream.streamed(people.tom, "space_id", space),
                ):
                    answer = refused(people.ed, "space_id", space)
                    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "10")

            def again() -> bool:
                with instance.http.stream(
                    "GET", change_stream.PATH, params={"scope": "space_id", "id": space},
                    headers={"Authorization": f"Bearer {people.ria.token}"},
                ) as got:  # fmt: skip
                    return got.is_success

            until(again, "a stream that ended keeps its place")


def test_a_stream_has_the_headers_that_keep_proxies_from_holding_it_up(people: Cast, space: str) -> None:
    with change_stream.streamed(people.ria, "space_id", space) as stream:
        headers = stream.response.headers
        assert headers["content-type"] == "text/event-stream; charset=utf-8"
        assert headers["cache-control"] == "no-store, no-transform"
        assert headers["x-accel-buffering"] == "no"
        assert stream.lines[0] == ":"
