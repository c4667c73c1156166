"""Deleted spaces: kept for seven days, then purged completely."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from app.domain import jobs, lanes
from app.domain.spaces.purge import PURGE_SPACE
from app.kit.clock import utc_now
from app.models.files import Blob
from app.models.invites import Invite
from app.models.jobs import Job
from app.models.links import FormerSource
from app.models.pages import Document
from app.models.spaces import Space
from tests import make
from tests.cast import Cast
from tests.factories import collections, space_rows
from tests.factories.jobs import do_jobs
from tests.instance import Instance, running
from tests.timing import until


def work_in(instance: Instance, days: float, *spaces: str) -> None:
    """Have these spaces purged that are to be in so many days."""
    those = lambda job: job.subject in spaces  # noqa: E731
    do_jobs(instance, PURGE_SPACE, lanes.purge_space, timedelta(days=days), those=those)


def is_there(instance: Instance, space: str) -> bool:
    return space_rows.count(instance, Space, id=space) == 1


def age(instance: Instance, space: str, days: float) -> None:
    """Make a deletion so many days old."""
    then = utc_now() - timedelta(days=days)
    instance.inside(lambda cx: cx.tx.change(Space, {"deleted_at": then}, id=space))


def test_after_seven_days_nothing_of_a_space_is_left(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    space_rows.fill(cast.instance, space, space)
    make.link(cast, {"level": "read", "space": space})
    cast.ada.delete(f"/v1/spaces/{space}")
    work_in(cast.instance, 6.9, space)
    assert is_there(cast.instance, space)
    work_in(cast.instance, 7.1, space)
    assert not is_there(cast.instance, space)
    assert space_rows.revisions(cast.instance, space) == 0
    assert not any(space_rows.held(cast.instance, space, only_open=False).values())
    assert space_rows.count(cast.instance, FormerSource, line_id=space) == 0
    assert space_rows.searchable(cast.instance, space) == []
    for text in ("old", "new", "other", "block"):
        assert space_rows.count(cast.instance, Document, id=f"{space}-{text}") == 0
    assert space_rows.count(cast.instance, Blob, id=f"{space}-bytes") == 0
    assert space_rows.count(cast.instance, Job, subject=space) == 0
    assert space_rows.count(cast.instance, Invite, object_id=space) == 0
    assert cast.ada.get(f"/v1/spaces/{space}").status_code == 404
    assert cast.ada.post(f"/v1/spaces/{space}/restore").status_code == 404


def test_what_another_space_holds_too_is_kept(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    space_rows.fill(cast.instance, space, space)
    copy = cast.ada.post(f"/v1/spaces/{space}/duplicate").json()["id"]
    held, searchable = space_rows.held(cast.instance, copy), space_rows.searchable(cast.instance, copy)
    cast.ada.delete(f"/v1/spaces/{space}")
    work_in(cast.instance, 7.1, space)
    assert not is_there(cast.instance, space)
    assert space_rows.held(cast.instance, copy) == held
    assert space_rows.searchable(cast.instance, copy) == searchable
    assert space_rows.count(cast.instance, Document, id=f"{space}-old") == 0
    for text in ("new", "other", "block"):
        assert space_rows.count(cast.instance, Document, id=f"{space}-{text}") == 1
    assert space_rows.count(cast.instance, Blob, id=f"{space}-bytes") == 1


def test_a_restored_space_is_not_purged(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    cast.ada.delete(f"/v1/spaces/{space}")
    assert space_rows.count(cast.instance, Job, subject=space) == 1
    cast.ada.post(f"/v1/spaces/{space}/restore")
    assert space_rows.count(cast.instance, Job, subject=space) == 0
    work_in(cast.instance, 8, space)
    assert cast.ada.get(f"/v1/spaces/{space}").status_code == 200


def test_a_stray_purge_harms_no_space_that_is_alive_or_only_just_deleted(cast: Cast) -> None:
    alive = make.space(cast.ada, cast.organization)["id"]
    deleted = make.space(cast.ada, cast.organization)["id"]
    cast.ada.delete(f"/v1/spaces/{deleted}")
    for space in (alive, deleted, "nowhere"):
        stray = partial(jobs.enqueue, kind=PURGE_SPACE, subject=space, organization_id=cast.organization)
        cast.instance.inside(lambda cx, stray=stray: stray(cx, due_at=cx.now))  # type: ignore[misc]
    work_in(cast.instance, 0, alive, deleted, "nowhere")
    assert is_there(cast.instance, alive)
    assert is_there(cast.instance, deleted)


def test_the_days_count_even_if_the_purge_is_late(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    cast.ada.delete(f"/v1/spaces/{space}")
    age(cast.instance, space, 6.9)
    assert cast.ada.post(f"/v1/spaces/{space}/restore").status_code == 200
    cast.ada.delete(f"/v1/spaces/{space}")
    age(cast.instance, space, 7)
    assert cast.ada.post(f"/v1/spaces/{space}/restore").status_code == 404


def test_a_running_server_purges_by_itself(fresh_database: str) -> None:
    with running(fresh_database, purge_after_days=0) as instance:
        cast = make.cast(instance)
        space = make.space(cast.ada, cast.organization)["id"]
        cast.ada.delete(f"/v1/spaces/{space}")
        until(lambda: not is_there(instance, space), "nobody purges")
        assert collections.titles(cast.ada, f"/v1/orgs/{cast.organization}/spaces") == []
