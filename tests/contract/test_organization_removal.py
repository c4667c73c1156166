"""Removal of deleted organizations: no row of theirs is left in any table, and nobody else misses one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

import pytest
from sqlalchemy import Column, Table, exists, select

from app.api.catalog import OPERATIONS
from app.domain import jobs, lanes
from app.domain.jobs import Postponed
from app.domain.organizations.organization_deletion import REMOVE
from app.domain.privacy import organization_removal
from app.kit.clock import utc_now
from app.kit.database.columns import Key
from app.kit.database.statements import given, rows
from app.models.jobs import Job
from app.models.organizations import Organization
from app.models.ownership import PARTS, SHARED, belongs, owned
from app.models.tables import METADATA
from tests import make
from tests.cast import Cast
from tests.cli.command import docyard
from tests.contract.faces import Call
from tests.contract.import_sources import routes
from tests.contract.recipes import RECIPES, in_an_open_organization
from tests.factories import space_rows
from tests.factories.jobs import do_jobs, queued
from tests.instance import Instance, idle, running
from tests.local_server import port_of, serve
from tests.timing import until

DUE = timedelta(days=30, minutes=1)
Rows = dict[str, dict[tuple[Any, ...], Any]]
# What may change of what belongs to others, since it is work, or belongs to nobody any more.
RESTLESS = {"job", "change_event", "outgoing_mail", "bucket", "replay", "token", "fact", *SHARED}


# What the calls leave nothing of: it goes with what it is a part of like the others.
EMPTY = {
    *("import_file", "notification", "oauth_authorization", "oauth_device", "oauth_refresh_token"),
    *("saml_request", "sign_in", "team_invite"),
}


class Filled(NamedTuple):
    """An organization that has something of everything, in an installation that does nothing by itself."""

    cast: Cast
    instance: Instance


@pytest.fixture
def filled(fresh_database: str) -> Iterator[Filled]:
    with serve(routes()) as neighbour:
        allowed = f"127.0.0.1:{port_of(neighbour)}"
        with running(fresh_database, outbound_allow=allowed, import_timeout=100.0) as instance:
            cast = make.cast(instance)
            for operation in OPERATIONS:
                RECIPES[operation.id](cast)
            in_an_open_organization(lambda cast: Call({}))(cast)
            space = make.space(cast.ada, cast.organization)["id"]
            space_rows.fill(instance, space, space)
    with idle(), running(fresh_database) as instance:
        for each in (cast, cast.ada, cast.sol):
            each.instance = instance
        yield Filled(cast, instance)


def stored(instance: Instance, table: Table, *condition: Any, **values: Any) -> dict[tuple[Any, ...], Any]:
    """The rows of a table by their primary keys."""
    keys = [column.name for column in table.primary_key]
    statement = rows(lambda: select(*table.c).where(*condition))
    found: list[Any] = instance.inside(lambda cx: cx.db.all(statement, **values))
    return {tuple(getattr(row, key) for key in keys): row for row in found}


def of_organization(instance: Instance, organization: str) -> Rows:
    """What belongs to an organization, by table."""
    here = given("organization", Key)
    return {
        table.name: stored(instance, table, belongs(table, here), organization=organization)
        for table in owned()
    }


def everything(instance: Instance) -> Rows:
    return {table.name: stored(instance, table) for table in METADATA.sorted_tables}


def remove(cast: Cast, ahead: timedelta = DUE) -> None:
    """Do the job that removes the organization."""
    those = lambda job: job.subject == cast.organization  # noqa: E731
    do_jobs(cast.instance, REMOVE, lanes.remove_organization, ahead, those=those)


def is_there(cast: Cast) -> bool:
    table = METADATA.tables["organization"]
    return (cast.organization,) in stored(cast.instance, table)


def delete(cast: Cast) -> None:
    title = cast.ada.get(f"/v1/orgs/{cast.organization}").json()["title"]
    deleted = cast.ada.post(f"/v1/orgs/{cast.organization}/delete", {"title": title})
    assert deleted.status_code == 200, deleted.text


def orphans(instance: Instance) -> set[str]:
    """The tables with parts of something that is not there."""
    found = set()
    for name, parts in PARTS.items():
        table = METADATA.tables[name]
        columns: dict[str, list[Table]] = {}
        for part in parts:
            columns.setdefault(part.column, []).append(METADATA.tables[part.whole])
        for column, wholes in columns.items():
            lonely = [_is_missing(table.c[column], whole) for whole in wholes]
            if stored(instance, table, table.c[column].is_not(None), *lonely):
                found.add(name)
    return found


def _is_missing(column: Column[Any], whole: Table) -> Any:
    return ~exists().where(whole.c.id == column)


def test_nothing_of_a_removed_organization_is_left(filled: Filled) -> None:
    cast, instance = filled
    before = everything(instance)
    ours = of_organization(instance, cast.organization)
    empty = {name for name, found in ours.items() if not found}
    assert empty <= EMPTY
    assert orphans(instance) == set()
    delete(cast)
    remove(cast, timedelta(days=29.9))
    assert is_there(cast)
    remove(cast)
    after = everything(instance)
    left = {
        name: [key for key in found if key in after[name]]
        for name, found in ours.items()
        if found.keys() & after[name].keys()
    }
    assert left == {}
    naming = [
        (name, row)
        for name, found in after.items()
        if name not in {"replay", "outgoing_mail"}
        for row in found.values()
        if cast.organization in repr(row)
    ]
    assert naming == []
    assert orphans(instance) == set()
    others = {
        name: {key: row for key, row in found.items() if key not in ours.get(name, {})}
        for name, found in before.items()
        if name not in RESTLESS
    }
    changed = {name for name, found in others.items() if found != after[name]}
    assert changed == set()
    for name in ("blob", "document"):
        assert before[name].keys() - after[name].keys(), f"no {name} is removed"
    assert cast.ada.get(f"/v1/orgs/{cast.organization}").status_code == 404
    assert cast.sol.get(f"/v1/orgs/{cast.elsewhere}").status_code == 200


def test_an_interrupted_removal_goes_on(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        space = make.filled_space(cast, {"README.md": "# Begin", "a.md": "# A", "a.bin": "bytes"})
        space_rows.fill(cast.instance, space, space)
        assert cast.ada.post(f"/v1/spaces/{space}/change-requests", {"subject": "x"}).status_code == 201
    ours = of_organization(cast.instance, cast.organization)
    elsewhere = of_organization(cast.instance, cast.elsewhere)
    delete(cast)
    monkeypatch.setattr(organization_removal, "ROWS", 2)
    step = organization_removal._Removal._write
    left = 0

    async def interrupted(self: Any, call: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise Postponed(utc_now(), "The power is gone.")
        return await step(self, call)

    monkeypatch.setattr(organization_removal._Removal, "_write", interrupted)
    turns = 0
    while is_there(cast) and turns < 100:
        left = 10  # steps
        remove(cast)
        turns += 1
    assert 2 < turns < 100
    for name, found in ours.items():
        assert not found.keys() & stored(cast.instance, METADATA.tables[name]).keys(), name
    assert of_organization(cast.instance, cast.elsewhere) == elsewhere
    work = stored(cast.instance, METADATA.tables["job"])
    assert not [row for row in work.values() if cast.organization in (row.subject, row.organization_id)]


def test_a_removal_waits_for_work_that_runs(cast: Cast) -> None:
    delete(cast)
    running_job = queued(cast, "sync_space", "nothing", "running", due_at=utc_now() + 2 * DUE)
    remove(cast)
    assert is_there(cast)
    cast.instance.inside(lambda cx: cx.tx.remove(Job, id=running_job))
    remove(cast, 3 * DUE)
    assert not is_there(cast)


def test_a_restored_organization_is_not_removed(cast: Cast) -> None:
    delete(cast)
    assert cast.ada.post(f"/v1/orgs/{cast.organization}/restore").status_code == 200
    remove(cast)
    assert is_there(cast)
    enqueue = partial(jobs.enqueue, kind=REMOVE, subject=cast.organization, organization_id="")
    cast.instance.inside(lambda cx: enqueue(cx, due_at=cx.now))
    remove(cast)
    assert is_there(cast)


def test_what_was_deleted_too_long_ago_cannot_be_restored(cast: Cast) -> None:
    delete(cast)
    then = utc_now() - timedelta(days=30)
    cast.instance.inside(lambda cx: cx.tx.change(Organization, {"deleted_at": then}, id=cast.organization))
    assert cast.ada.post(f"/v1/orgs/{cast.organization}/restore").status_code == 404


def test_the_audit_logs_of_others_stay_verifiable(fresh_database: str) -> None:
    with running(fresh_database, remove_organizations_after_days=0) as instance:
        cast = make.cast(instance)
        make.filled_space(cast, {"README.md": "# Here"})
        make.space(cast.sol, cast.elsewhere)
        delete(cast)
        until(lambda: not is_there(cast), "nobody removes it")
        verified = docyard("audit", "verify", database=fresh_database)
        assert (verified.returncode, verified.stderr) == (0, "1 events verified.\n")
        assert cast.sol.get(f"/v1/orgs/{cast.elsewhere}/audit-events").status_code == 200
