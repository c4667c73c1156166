"""Every operation, for every actor, on objects of their own, of others, mixed and deleted: both faces give
the verdict that the table of rights owes (threats, 1-3, 7, 9-11)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select

from app import runtime
from app.access import fetch as fetching
from app.access.context import Context
from app.access.rights import Level
from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from app.api.rest import adapter
from app.domain.organizations import member_rows, teams
from app.kit.database.statements import given, query, table
from app.models.spaces import Space
from app.models.teams import Team
from tests.contract.exceptions import EXCEPTIONS
from tests.contract.faces import SUCCESS, Call, address, in_query
from tests.contract.matrix import Asked, Player, boundary, expected, rights
from tests.contract.matrix_actors import Troupe, content_of, troupe
from tests.contract.matrix_calls import ID, by_graphql, by_rest, filtered, handed, mixed
from tests.contract.recipes import RECIPES
from tests.contract.second_process import Stage
from tests.factories import sites
from tests.factories.changes import new_page

RIGHTS = rights()
FACES = (by_rest, by_graphql)
ASKED_OF_DELETED = ("admin", "create", "read", "guest", "stranger", "nobody")
REFUSED = {400, 403, 404, 409, 412}
every_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda row: row.id)


@pytest.fixture(scope="session")
def shared(stage: Stage) -> Troupe:
    """Everybody, for calls that leave people and organization as they were."""
    return troupe(stage)


@pytest.fixture(scope="session")
def others(stage: Stage) -> Troupe:
    """Everybody of another organization."""
    return troupe(stage)


def everybody(operation: Operation, stage: Stage, shared: Troupe) -> Troupe:
    """The troupe for an operation: one of its own where it changes who may do what."""
    is_content = {"spaceId", "collectionId"} & set(operation.parameters)
    return shared if is_content or not operation.writes else troupe(stage)


def wrong(troupe: Troupe, asked: Asked, player: Player, *, faces: Any = FACES) -> list[str]:
    """Return what the faces say otherwise than they owe, in words."""
    owed = dict.fromkeys(faces, expected(asked, player))
    if not player.known and by_graphql in owed:
        owed[by_graphql] = 401  # it has one door, at which a token is asked for
    said = {face: face(troupe.stage, player.token, asked.operation, asked.call) for face in faces}
    held = f" granted {player.granted}" if player.granted else ""
    deleted = " (deleted)" if asked.deleted else ""
    return [
        f"{asked.operation.id}{deleted} as {player.name}{held}: {verdict} {face.__name__}, not {owed[face]}"
        for face, verdict in said.items()
        if verdict != owed[face]
    ]


def check(operation: Operation, troupe: Troupe) -> list[str]:
    """Ask everybody; what is refused to many is asked of one object, which must be untouched in the end."""
    needed = RIGHTS[operation.id]
    is_deleted = any(need.right == "restore" for need in needed.needs)
    asked = Asked(operation, needed, is_deleted, troupe.call(operation))
    players, found = troupe.now(content_of(needed, asked.call.path)), list[str]()
    lowest = boundary(asked, players)
    for player in players:
        if not operation.writes or expected(asked, player) != SUCCESS:
            found += wrong(troupe, asked, player)
    found += _granted(operation, troupe, asked)
    if operation.writes and lowest is not None:
        found += wrong(troupe, asked, lowest, faces=(by_rest,))
        found += wrong(troupe, replace(asked, call=troupe.call(operation)), lowest, faces=(by_graphql,))
    return found


def _granted(operation: Operation, troupe: Troupe, asked: Asked) -> list[str]:
    """The guests with a grant of what is needed, and of one level less; either as a person and by a team."""
    content = content_of(asked.rights, asked.call.path)
    if content is None:
        return []
    need = asked.rights.content
    assert need is not None
    enough, less = need.least, Level(need.least - 1)
    found = []
    for alone, teamed in ((less, enough), (enough, less)):
        guests = troupe.grant(*content, alone, teamed)
        for guest in guests:
            if not operation.writes or expected(asked, guest) != SUCCESS:
                found += wrong(troupe, asked, guest)
            else:  # one face each: the other is asked by the other guest
                call = RECIPES[operation.id](troupe.cast)
                kind, id_ = content_of(asked.rights, call.path) or content
                guests_there = troupe.grant(kind, id_, alone, teamed)
                again = replace(asked, call=call)
                face = by_rest if guest is guests[0] else by_graphql
                found += wrong(troupe, again, guests_there[guests.index(guest)], faces=(face,))
    troupe.grant(*content, Level.NONE, Level.NONE)
    return found


@pytest.mark.parametrize("operation", [o for o in OPERATIONS if o.is_published], ids=lambda row: row.id)
def test_everybody_reads_what_a_public_site_shows(operation: Operation, shared: Troupe) -> None:
    call = RECIPES[operation.id](shared.cast)
    _publish(shared, call)
    found = []
    for player in shared.players:
        owed = SUCCESS if player.known or player.token is None else 401  # a bad token is refused
        if (verdict := by_rest(shared.stage, player.token, operation, call)) != owed:
            found.append(f"{player.name}: {verdict} by REST, not {owed}")
        if "organizationId" in operation.parameters or not player.known:
            continue  # an operation of a site is a field of the organization; POST needs a token
        if (verdict := by_graphql(shared.stage, player.token, operation, call)) != SUCCESS:
            found.append(f"{player.name}: {verdict} by GraphQL")
    assert not found, "\n".join(found)


def _publish(troupe: Troupe, call: Call) -> None:
    """Have a public site show everybody what a call is about."""
    cast, site = troupe.cast, call.path.get("siteId")
    if "reusableContentId" in call.path:
        text = f'{{% include "/reusable-contents/{call.path["reusableContentId"]}" %}}'
        new_page(cast.ada, call.path["spaceId"], title="Including", document={"markdown": text})
    if "spaceId" in call.path:
        site = sites.site(cast.ada, cast.organization, spaces=[call.path["spaceId"]])["id"]
    if site is None:  # the call names an address of the only site that is online
        site = cast.ada.get(f"/v1/orgs/{cast.organization}/sites?published=true").json()["items"][-1]["id"]
    path = sites.base(cast, site)
    sites.answered(cast.ada.patch(path, {"visibility": "public"}))
    for section in sites.answered(cast.ada.get(f"{path}/sections"))["items"]:
        sites.answered(cast.ada.patch(f"{path}/sections/{section['id']}", {"condition": None}))
    sites.answered(cast.ada.post(f"{path}/publish"))


def test_exceptions_are_of_operations_that_exist() -> None:
    known = {row.id for row in OPERATIONS}
    assert {operation for operation, _ in EXCEPTIONS} <= known


@every_operation
def test_everybody_gets_the_verdict_that_the_table_of_rights_owes(
    operation: Operation, stage: Stage, shared: Troupe
) -> None:
    found = check(operation, everybody(operation, stage, shared))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("operation", [o for o in OPERATIONS if o.parameters], ids=lambda row: row.id)
def test_an_id_of_somebody_elses_opens_nothing(operation: Operation, shared: Troupe, others: Troupe) -> None:
    found = mix_ups(operation, shared, others)
    assert not found, "\n".join(found)


def mix_ups(operation: Operation, shared: Troupe, others: Troupe) -> list[str]:
    """Return where an id of somebody else's in a request is not refused, in words."""
    call, theirs = shared.call(operation), others.call(operation)
    mixes = [(f"another organization's {name}", mix, {404}) for name, mix in mixed(call, theirs)]
    mixes += [(f"another organization's {name}", mix, REFUSED) for name, mix in handed(call, theirs)]
    if len(operation.parameters) > 1:
        neighbours = RECIPES[operation.id](shared.cast)
        mixes += [(f"a neighbour's {name}", mix, {404}) for name, mix in mixed(call, neighbours)]
    return [
        f"{operation.id} with {whose}: {verdict} {face.__name__}"
        for whose, mix, owed in mixes
        for face in FACES
        if (verdict := face(shared.stage, shared.admin.token, operation, mix)) not in owed
    ]


@pytest.mark.parametrize("operation", [o for o in OPERATIONS if o.query], ids=lambda row: row.id)
def test_a_filter_by_an_id_of_somebody_elses_finds_what_one_by_nobodys_does(
    operation: Operation, shared: Troupe, others: Troupe
) -> None:
    for _, theirs, nobodys in filtered(shared.call(operation), others.call(operation)):
        assert _shown(shared, operation, theirs) == _shown(shared, operation, nobodys)


def _shown(troupe: Troupe, operation: Operation, call: Call) -> str:
    """Return what a list shows the administrator, without ids."""
    path, params = address(operation, call), in_query(call)
    return ID.sub("", troupe.stage.send(troupe.admin.token, operation.method, path, params=params).text)


@pytest.mark.parametrize(
    "operation",
    [o for o in OPERATIONS if "spaceId" in o.parameters and o.id != "restoreSpace"],
    ids=lambda row: row.id,
)
def test_what_is_deleted_is_there_for_administrators_to_restore(operation: Operation, shared: Troupe) -> None:
    call = RECIPES[operation.id](shared.cast)
    _set_deleted(shared.stage, call)
    asked = Asked(operation, RIGHTS[operation.id], deleted=True, call=call)
    players = [
        p for p in shared.players if p.name in ("admin", "create", "read", "guest", "stranger", "nobody")
    ]
    found = [line for player in players for line in wrong(shared, asked, player)]
    assert not found, "\n".join(found)


def _set_deleted(stage: Stage, call: Call) -> None:
    async def delete(cx: Context) -> None:
        await cx.tx.put(Space, {"deleted_at": cx.now}, id=call.path["spaceId"])

    stage.inside(delete)


def _operation(id_: str) -> Operation:
    return next(row for row in OPERATIONS if row.id == id_)


def test_a_right_that_is_not_asked_is_found(
    monkeypatch: pytest.MonkeyPatch, stage: Stage, shared: Troupe
) -> None:
    operation = _operation("createChangeRequest")
    assert not check(operation, shared)
    monkeypatch.setattr(fetching, "permit", lambda *_given, **_right: None)
    found = check(operation, shared)
    for who in ("stranger", "removed member", "guest", "read", "comment", "token for elsewhere"):
        assert any(f" as {who}: success" in line for line in found), who


def test_a_right_that_is_asked_too_low_is_found(monkeypatch: pytest.MonkeyPatch, shared: Troupe) -> None:
    operation = _operation("mergeChangeRequest")
    real = fetching.refusal

    def lower(membership: Any, model: Any, row: Any, *, can: str) -> Any:
        return real(membership, model, row, can="edit" if can == "merge" else can)

    monkeypatch.setattr(fetching, "refusal", lower)
    found = check(operation, shared)
    assert any(" as edit: " in line and ", not 403" in line for line in found), found


def test_a_token_that_only_reads_and_may_write_is_found(
    monkeypatch: pytest.MonkeyPatch, shared: Troupe
) -> None:
    for place in (runtime, adapter):
        monkeypatch.setattr(place, "may_write", lambda _actor: None)
    found = check(_operation("createChangeRequest"), shared)
    assert any(" as reading token: success" in line for line in found), found


def test_a_statement_that_forgets_the_organization_is_found(
    monkeypatch: pytest.MonkeyPatch, shared: Troupe, others: Troupe
) -> None:
    operation = _operation("getTeamInOrganizationById")
    assert not mix_ups(operation, shared, others)
    t = table(Team)
    anywhere = query(Team, lambda: select(*member_rows.team_columns()).where(t.c.id == given("team")))
    monkeypatch.setattr(teams, "_ONE", anywhere)
    found = mix_ups(operation, shared, others)
    assert any("another organization's teamId: " in line for line in found), found
