"""Calls about teams, grants to people and teams, and why somebody may do something (see `recipes`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.kit.ids import new_id
from tests.cast import Cast
from tests.contract.faces import Call
from tests.contract.recipes_content import space
from tests.factories import collections

Recipe = Callable[[Cast], Call]


def team(cast: Cast, **fields: Any) -> str:
    """A team with Ed and Ria in it."""
    body = {"title": "Keepers", "members": [cast.ed.id, cast.ria.id], **fields}
    answer = cast.ada.put(f"/v1/orgs/{cast.organization}/teams", body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def _in_organization(cast: Cast, **query: Any) -> Call:
    return Call({"organizationId": cast.organization}, query)


def _teams(cast: Cast) -> Call:
    for title in ("Keepers", "Housekeeping"):
        team(cast, title=title)
    return _in_organization(cast, title="KEEP", owner=cast.ada.id)


def _create_team(cast: Cast) -> Call:
    body = {"title": "Keepers", "members": [cast.ed.id, cast.gus.id]}
    return Call({"organizationId": cast.organization}, body=body)


def _team(cast: Cast, **body: Any) -> Call:
    return Call({"organizationId": cast.organization, "teamId": team(cast)}, body=body or None)


def _team_spaces(cast: Cast) -> Call:
    known = _team(cast)
    for title, role in (("One", "edit"), ("Two", "admin")):
        place = space(cast, title=title)
        granted = cast.ada.post(
            f"/v1/spaces/{place}/permissions", {"role": role, "teams": [known.path["teamId"]]}
        )
        assert granted.status_code < 300, granted.text
    return Call(known.path, {"order": "asc"})


def _update_members(cast: Cast) -> Call:
    return _team(
        cast,
        add=[cast.tom.id, cast.rhea.email, f"{new_id()}@example.org".lower()],
        remove=[cast.ria.id],
        memberships={cast.ed.id: {"role": "owner"}},
    )


def _put_member(cast: Cast) -> Call:
    known = _team(cast, role="owner")
    return Call({**known.path, "userId": cast.tom.id}, body=known.body)


def _team_member(cast: Cast) -> Call:
    return Call({**_team(cast).path, "userId": cast.ed.id})


def _space(cast: Cast) -> tuple[str, str]:
    return "space", space(cast)


def _collection(cast: Cast) -> tuple[str, str]:
    return "collection", str(collections.collection(cast.ada, cast.organization)["id"])


Place = Callable[[Cast], tuple[str, str]]


def _permissions(place: Place) -> dict[str, Recipe]:
    """The recipes of one kind of content, by what they begin with."""

    def granted(cast: Cast) -> tuple[dict[str, str], str]:
        kind, id_ = place(cast)
        keepers = team(cast)
        body = {"role": "edit", "users": [cast.ria.id, cast.gus.id], "teams": [keepers, team(cast)]}
        answer = cast.ada.post(f"/v1/{kind}s/{id_}/permissions", body)
        assert answer.status_code == 204, answer.text
        return {f"{kind}Id": id_}, keepers

    def grant(cast: Cast) -> Call:
        kind, id_ = place(cast)
        body = {"role": "comment", "users": [cast.gus.id, cast.ria.id], "teams": [team(cast)]}
        return Call({f"{kind}Id": id_}, body=body)

    def listed(cast: Cast) -> Call:
        return Call(granted(cast)[0])

    def of_user(cast: Cast, body: dict[str, Any] | None = None) -> Call:
        return Call({**granted(cast)[0], "userId": cast.gus.id}, body=body)

    def of_team(cast: Cast, body: dict[str, Any] | None = None) -> Call:
        path, keepers = granted(cast)
        return Call({**path, "teamId": keepers}, body=body)

    return {
        "inviteTo": grant,
        "listUserPermissionsIn": listed,
        "listTeamPermissionsIn": listed,
        "updateUserPermissionIn": lambda cast: of_user(cast, {"role": "review"}),
        "updateTeamPermissionIn": lambda cast: of_team(cast, {"role": "read"}),
        "removeUserFrom": of_user,
        "removeTeamFrom": of_team,
        "listPermissionsAggregateIn": lambda cast: Call(granted(cast)[0], {"role": "edit"}),
        "explainPermissionIn": lambda cast: Call(granted(cast)[0], {"user": cast.ed.id, "action": "view"}),
    }


TEAMS: dict[str, Recipe] = {
    "listTeamsInOrganizationById": _teams,
    "createOrganizationTeam": _create_team,
    "getTeamInOrganizationById": _team,
    "removeTeamFromOrganizationById": _team,
    "updateTeamInOrganizationById": lambda cast: _team(cast, title="Night watch"),
    "listTeamMembersInOrganizationById": _team,
    "listSpacesForOrganizationTeam": _team_spaces,
    "updateMembersInOrganizationTeam": _update_members,
    "addMemberToOrganizationTeamById": _put_member,
    "deleteMemberFromOrganizationTeamById": _team_member,
    **{f"{name}Space": recipe for name, recipe in _permissions(_space).items()},
    **{f"{name}Collection": recipe for name, recipe in _permissions(_collection).items()},
}
