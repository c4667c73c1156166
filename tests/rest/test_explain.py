"""Why somebody may do something: the answer, and the rule that decided it."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from app.access.rights import TOLD
from app.domain.organizations.effective_access import MESSAGES
from app.models.grants import CollectionAction, Rule, SiteAction, SpaceAction
from tests import make
from tests.cast import Cast, Person
from tests.factories import collections, domains, grants
from tests.factories.sites import ManagedSite


def space(cast: Cast, **fields: Any) -> str:
    return f"/v1/spaces/{make.space(cast.ada, cast.organization, **fields)['id']}"


def id_of(place: str) -> str:
    return place.rpartition("/")[2]


def explained(person: Person, place: str, action: str = "view", **query: str) -> dict[str, Any]:
    answer = person.get(f"{place}/permissions/explain", params={"action": action, **query})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def decided(person: Person, place: str, action: str = "view", **query: str) -> tuple[Any, ...]:
    """Whether, how much they have, the rule and the object whose rule it was."""
    found = explained(person, place, action, **query)
    return found["allowed"], found["permission"], found["rule"], tuple(found["source"].values())


def test_actions_are_the_rights_of_the_kind() -> None:
    assert set(get_args(SpaceAction)) == set(TOLD["space"])
    assert set(get_args(CollectionAction)) == set(TOLD["collection"])
    assert set(get_args(SiteAction)) == set(TOLD["site"])
    assert set(get_args(Rule)) == set(MESSAGES)


def test_an_answer_says_what_is_needed_and_what_there_is(cast: Cast) -> None:
    here = space(cast)
    found = explained(cast.ada, here, "merge", user=cast.ed.id)
    assert found == {
        "object": "explanation",
        "user": cast.ed.id,
        "action": "merge",
        "allowed": False,
        "level": "review",
        "permission": "edit",
        "rule": "organization-role",
        "source": {"object": "organization", "id": cast.organization},
        "message": "It inherits from the organization, where their role is 'edit'. This needs 'review'.",
    }
    assert explained(cast.ed, here, "edit")["allowed"]


def test_the_rule_is_the_one_that_gives_the_level(cast: Cast) -> None:
    outer = collections.collection(cast.ada, cast.organization)["id"]
    inner = collections.collection(cast.ada, cast.organization, parent=outer)["id"]
    here = space(cast, parent=inner)
    organization = ("organization", cast.organization)
    assert decided(cast.ada, here) == (True, "admin", "organization-admin", organization)
    assert decided(cast.ria, here) == (True, "read", "organization-role", organization)
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}", {"defaultRole": "comment"})
    assert decided(cast.ria, here) == (True, "comment", "organization-default-role", organization)
    assert decided(cast.ed, here) == (True, "edit", "organization-role", organization)
    collections.patched(cast.ada, f"/v1/collections/{outer}", {"defaultLevel": "edit"})
    assert decided(cast.ria, here) == (True, "edit", "inherited-default-level", ("collection", outer))
    at_inner = f"/v1/collections/{inner}"
    assert decided(cast.ria, at_inner) == (True, "edit", "inherited-default-level", ("collection", outer))
    assert decided(cast.ria, f"/v1/collections/{outer}") == (
        True,
        "edit",
        "default-level",
        ("collection", outer),
    )
    team = grants.team(cast.ada, cast.organization, members=[cast.ria])
    grants.grant(cast.ada, f"/v1/collections/{outer}", "review", teams=[team])
    assert decided(cast.ria, here) == (True, "review", "team-grant", ("collection", outer, team))
    grants.grant(cast.ada, here, "review", users=[cast.ria])
    assert decided(cast.ria, here) == (True, "review", "user-grant", ("space", id_of(here)))
    collections.patched(cast.ada, here, {"defaultLevel": "create"})
    assert decided(cast.ria, here) == (True, "create", "default-level", ("space", id_of(here)))
    collections.patched(cast.ada, here, {"defaultLevel": None})
    assert decided(cast.ria, here) == (True, "review", "user-grant", ("space", id_of(here)))
    assert decided(cast.ada, here, user=cast.ed.id) == (False, None, "no-access", ("space", id_of(here)))


@pytest.mark.parametrize(("own", "of_team"), [("edit", "read"), ("read", "edit")])
def test_the_highest_of_several_grants_counts_for_somebody_else_too(
    cast: Cast, own: str, of_team: str
) -> None:
    here = space(cast)
    team = grants.team(cast.ada, cast.organization, members=[cast.gus])
    grants.grant(cast.ada, here, own, users=[cast.gus])
    grants.grant(cast.ada, here, of_team, teams=[team])
    assert explained(cast.ada, here, "edit", user=cast.gus.id)["permission"] == "edit"


def test_a_grant_of_ones_own_is_named_before_a_teams_of_the_same_level(cast: Cast) -> None:
    here = space(cast)
    team = grants.team(cast.ada, cast.organization, members=[cast.gus])
    grants.grant(cast.ada, here, "edit", teams=[team])
    assert decided(cast.gus, here) == (True, "edit", "team-grant", ("space", id_of(here), team))
    grants.grant(cast.ada, here, "edit", users=[cast.gus])
    assert decided(cast.gus, here) == (True, "edit", "user-grant", ("space", id_of(here)))


def test_who_has_no_access_is_told_of_others_only(cast: Cast) -> None:
    here = space(cast)
    organization = ("organization", cast.organization)
    assert decided(cast.ada, here, user=cast.gus.id) == (False, None, "no-access", ("space", id_of(here)))
    assert cast.gus.get(f"{here}/permissions/explain", params={"action": "view"}).status_code == 404
    for stranger in (cast.sol.id, "nobody"):
        assert decided(cast.ada, here, user=stranger) == (False, None, "not-a-member", organization)
    member = f"/v1/orgs/{cast.organization}/members/{cast.ed.id}"
    collections.patched(cast.ada, member, {"disabled": True})
    assert decided(cast.ada, here, user=cast.ed.id) == (False, None, "disabled", organization)
    assert cast.ed.get(f"{here}/permissions/explain", params={"action": "view"}).status_code == 404


def test_a_token_may_allow_less(cast: Cast) -> None:
    here = space(cast)
    organization = ("organization", cast.organization)
    elsewhere = make.token(cast.ed, organization_id=cast.elsewhere)
    assert decided(elsewhere, here) == (False, None, "token-limited", organization)
    reading = make.token(cast.ed, read_only=True)
    assert decided(reading, here, "edit") == (False, "edit", "token-read-only", organization)
    assert decided(reading, here, "view") == (True, "edit", "organization-role", organization)
    assert decided(reading, here, "merge") == (False, "edit", "organization-role", organization)
    assert decided(cast.ada, here, "edit", user=cast.ed.id)[0]
    make.provider(cast)
    domains.proven(cast.ada, cast.organization, cast.domain)
    reader = f"/v1/orgs/{cast.organization}/members/{cast.tom.id}/sso"
    assert cast.ada.post(reader).status_code == 200
    assert decided(cast.tom, here) == (False, None, "sso", organization)
    assert decided(cast.ada, here, user=cast.tom.id) == (True, "comment", "organization-role", organization)


def test_a_deleted_space_is_seen_by_administrators_and_waits(cast: Cast) -> None:
    here = space(cast)
    assert cast.ada.delete(here).status_code == 205
    source = ("space", id_of(here))
    assert decided(cast.ada, here) == (True, "admin", "deleted", source)
    assert decided(cast.ada, here, "edit") == (False, "admin", "deleted", source)
    assert cast.ed.get(f"{here}/permissions/explain", params={"action": "view"}).status_code == 404


def test_others_are_explained_to_administrators_of_the_object(cast: Cast) -> None:
    here = space(cast)
    asked = {"action": "view", "user": cast.tom.id}
    assert cast.cleo.get(f"{here}/permissions/explain", params=asked).status_code == 403
    assert cast.sol.get(f"{here}/permissions/explain", params=asked).status_code == 404
    grants.grant(cast.ada, here, "admin", users=[cast.cleo])
    assert decided(cast.cleo, here, user=cast.tom.id)[0]
    assert explained(cast.tom, here, user=cast.tom.id) == explained(cast.tom, here)


@pytest.mark.parametrize(
    ("query", "where"),
    [({}, "action"), ({"action": "fly"}, "action"), ({"action": "create"}, "action")],
)
def test_an_action_must_be_a_right_of_the_kind(cast: Cast, query: dict[str, str], where: str) -> None:
    answer = cast.ada.get(f"{space(cast)}/permissions/explain", params=query)
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == where


@pytest.mark.parametrize("level", [None, "read", "comment", "edit", "review", "create", "admin"])
def test_what_is_explained_is_what_permissions_say(cast: Cast, level: str | None) -> None:
    """For every right and every role, of spaces and collections."""
    shelf = f"/v1/collections/{collections.collection(cast.ada, cast.organization)['id']}"
    here = space(cast, parent=id_of(shelf))
    grants.grant(cast.ada, shelf, "review", users=[cast.gus])
    collections.patched(cast.ada, shelf, {"defaultLevel": level})
    for person in cast.members.values():
        for place, actions in ((here, TOLD["space"]), (shelf, TOLD["collection"])):
            answer = person.get(place)
            shown = (
                answer.json()["permissions"] if answer.status_code == 200 else dict.fromkeys(actions, False)
            )
            for action in actions:
                found = explained(cast.ada, place, action, user=person.id)
                assert found["allowed"] == shown[action], (person.email, place, action, found)


ASK = """
query ($space: ID!, $collection: ID!, $user: ID) {
  space(id: $space) { explanation(action: TRIGGER_GIT_SYNC, user: $user) {
    allowed rule source { object restId } } }
  collection(id: $collection) { explanation(action: CREATE) { allowed rule level permission } }
}
"""


def test_graphql_explains_alike(cast: Cast) -> None:
    here = space(cast)
    shelf = collections.collection(cast.ada, cast.organization)["id"]
    found = cast.ada.ask(ASK, space=id_of(here), collection=shelf, user=cast.ria.id)
    source = {"object": "ORGANIZATION", "restId": cast.organization}
    assert found["space"]["explanation"] == {"allowed": False, "rule": "ORGANIZATION_ROLE", "source": source}
    assert found["collection"]["explanation"] == {
        "allowed": True,
        "rule": "ORGANIZATION_ADMIN",
        "level": "CREATE",
        "permission": "ADMIN",
    }


def test_rights_on_a_site_are_explained_alike(cast: Cast) -> None:
    s = ManagedSite(cast)
    organization, here = ("organization", cast.organization), ("site", s.id)
    assert decided(cast.ada, s.path, "admin") == (True, "admin", "organization-admin", organization)
    assert decided(cast.cleo, s.path, "edit") == (True, "create", "organization-role", organization)
    assert decided(cast.cleo, s.path, "admin") == (False, "create", "organization-role", organization)
    assert decided(cast.ada, s.path, user=cast.gus.id) == (False, None, "no-access", here)
    grants.grant(cast.ada, s.path, "admin", users=[cast.gus])
    assert decided(cast.gus, s.path, "admin") == (True, "admin", "user-grant", here)
    team = grants.team(cast.ada, cast.organization, members=[cast.ria])
    grants.grant(cast.ada, s.path, "create", teams=[team])
    assert decided(cast.ria, s.path, "create") == (True, "create", "team-grant", (*here, team))
    assert decided(cast.ada, s.path, user=cast.sol.id) == (False, None, "not-a-member", organization)
    asked = {"action": "view"}
    assert cast.sol.get(f"{s.path}/permissions/explain", params=asked).status_code == 404
    wrong = s.path.replace(cast.organization, cast.elsewhere)
    assert cast.ada.get(f"{wrong}/permissions/explain", params=asked).status_code == 404
    others = {**asked, "user": cast.ed.id}
    assert cast.cleo.get(f"{s.path}/permissions/explain", params=others).status_code == 403
    assert cast.ada.get(f"{s.path}/permissions/explain", params={"action": "merge"}).status_code == 400
