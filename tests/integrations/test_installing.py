"""Installations: their life, configurations, selections, spaces and sites, and what others see of them."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.integrations import integration_rows
from tests import make
from tests.cast import Cast
from tests.factories.integrations import ACCOUNT, PublishedIntegration, manifest
from tests.factories.sites import ManagedSite


def test_an_installation_is_pending_until_it_is_configured(cast: Cast) -> None:
    made = PublishedIntegration(cast, configurations={"account": ACCOUNT})
    installation = made.install()
    here = f"/installations/{installation}"
    begun = made.get(here)
    assert (begun["status"], begun["configuration"]) == ("pending", {"size": 3, "tone": "soft"})
    assert (begun["space_selection"], begun["site_selection"], begun["spaces"]) == ("selected", "selected", 0)
    assert made.patch(here, {"configuration": {"size": 4}})["status"] == "pending"
    assert made.patch(here, {"configuration": {"key": ""}})["status"] == "pending"
    assert made.patch(here, {"configuration": {"key": "k"}})["status"] == "active"
    assert made.patch(here, {"externalIds": ["a"]})["status"] == "active"
    assert made.patch(here, {"configuration": {}})["status"] == "pending"


def test_a_new_version_that_asks_for_less_or_more_settles_installations(cast: Cast) -> None:
    asked = {"properties": {"room": {"type": "string"}}, "required": ["room"]}
    configurations = {"account": ACCOUNT, "space": asked}
    made = PublishedIntegration(cast, configurations=configurations)
    here = f"/installations/{made.install()}"
    space = made.on_space(here.rpartition("/")[2], make.space(cast.ada, cast.organization)["id"])["space"]

    def standing(version: dict[str, Any]) -> tuple[str, str]:
        made.post("", manifest(cast, configurations=version), 200)
        return made.get(here)["status"], made.get(f"{here}/spaces/{space}")["status"]

    assert standing({}) == ("active", "active")
    assert standing({"account": ACCOUNT}) == ("pending", "active")
    assert standing(configurations) == ("pending", "pending")
    types = [event["payload"]["type"] for event in made.events()]
    assert sorted(types) == ["installation_setup"] * 3 + ["space_installation_setup"] * 3
    made.patch(here, {"configuration": {"key": "k"}})
    assert standing({"account": ACCOUNT}) == ("active", "active")


@pytest.mark.parametrize(
    ("values", "where"),
    [
        ({"configuration": {"key": 1}}, "configuration.key"),
        ({"configuration": {"size": "3"}}, "configuration.size"),
        ({"configuration": {"size": True}}, "configuration.size"),
        ({"configuration": {"tone": "shrill"}}, "configuration.tone"),
        ({"configuration": {"key": "x" * 100_001}}, "configuration"),
        ({"configuration": None}, "configuration"),
        ({"externalIds": ["a"] * 6}, "externalIds"),
        ({"space_selection": "some"}, "space_selection"),
    ],
)
def test_what_is_wrong_is_refused(cast: Cast, values: dict[str, Any], where: str) -> None:
    made = PublishedIntegration(cast, configurations={"account": ACCOUNT})
    here = f"{made.path}/installations/{made.install()}"
    answer = cast.ada.patch(here, values)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["details"][0]["path"] == where


def test_it_is_installed_once_in_an_organization(cast: Cast) -> None:
    made = PublishedIntegration(cast)
    made.install()
    again = cast.ada.post(f"{made.path}/installations", {"organization": cast.organization})
    assert again.status_code == 409
    assert (
        cast.cleo.post(f"{made.path}/installations", {"organization": cast.organization}).status_code == 403
    )


def test_a_private_integration_stays_in_its_organization(cast: Cast) -> None:
    made = PublishedIntegration(cast)
    there = {"organization": cast.elsewhere}
    assert cast.sol.post(f"{made.path}/installations", there).status_code == 404
    made.post("", manifest(cast, visibility="unlisted"), 200)
    assert cast.sol.post(f"{made.path}/installations", there).status_code == 201


def test_other_organizations_installations_and_events_are_nobody_elses(cast: Cast) -> None:
    made = PublishedIntegration(cast, visibility="public", configurations={"account": {"properties": {}}})
    ours, theirs = made.install(), made.install(cast.elsewhere, cast.sol)
    key = {"configuration": {"key": "of-sol"}}
    assert cast.sol.patch(f"{made.path}/installations/{theirs}", key).status_code == 200
    for person, own, other in ((cast.ada, ours, theirs), (cast.sol, theirs, ours)):
        listed = person.get(f"{made.path}/installations").json()["items"]
        assert [item["id"] for item in listed] == [own]
        for path in ("", "/spaces", "/sites"):
            assert person.get(f"{made.path}/installations/{other}{path}").status_code == 404
        assert person.patch(f"{made.path}/installations/{other}", key).status_code == 404
        assert person.delete(f"{made.path}/installations/{other}").status_code == 404
        assert person.post(f"{made.path}/installations/{other}/tokens").status_code == 404
    told = cast.sol.get(f"{made.path}/events").json()["items"]
    assert {event["installationId"] for event in told} == {theirs}
    assert {event["installationId"] for event in made.events()} == {ours}
    for event in told:
        assert cast.ada.get(f"{made.path}/events/{event['id']}").status_code == 404
        assert cast.ada.post(f"{made.path}/events/{event['id']}/redeliver").status_code == 404
    assert "of-sol" not in cast.ada.get(f"{made.path}/events").text


def test_only_who_may_install_sees_configurations(cast: Cast) -> None:
    made = PublishedIntegration(cast, configurations={"account": ACCOUNT})
    installation = made.install()
    made.patch(f"/installations/{installation}", {"configuration": {"key": "k"}})
    seen = {
        name: person.get(f"{made.path}/installations/{installation}") for name, person in cast.members.items()
    }
    assert seen.pop("guest").status_code == 403
    assert seen.pop("admin").json()["configuration"] == {"key": "k"}
    assert {name: "configuration" in answer.json() for name, answer in seen.items()} == dict.fromkeys(
        seen, False
    )
    assert cast.cleo.get(f"{made.path}/events").status_code == 403


def test_spaces_and_sites_have_configurations_of_their_own(cast: Cast) -> None:
    asked = {"properties": {"room": {"type": "string"}}, "required": ["room"]}
    made = PublishedIntegration(cast, configurations={"space": asked})
    installation = made.install()
    space, site = make.space(cast.ada, cast.organization)["id"], ManagedSite(cast).id
    assert made.on_space(installation, space)["status"] == "pending"
    assert made.on_site(installation, site)["status"] == "active"
    here = f"/installations/{installation}"
    assert made.patch(f"{here}/spaces/{space}", {"configuration": {"room": "a"}})["status"] == "active"
    assert made.get(here)["spaces"] == 1
    twice = cast.ada.post(f"{made.path}{here}/spaces", {"space": space})
    assert twice.status_code == 409
    whole = cast.ada.get(f"{made.path}{here}/spaces", params={"extended": "true"}).json()["items"][0]
    assert whole["space"]["id"] == space
    assert whole["space"]["object"] == "space"
    assert made.get("/sites")["items"][0]["site"] == site
    theirs = make.space(cast.sol, cast.elsewhere)["id"]
    assert cast.ada.post(f"{made.path}{here}/spaces", {"space": theirs}).status_code == 400
    assert cast.ada.get(f"{made.path}{here}/spaces/{theirs}").status_code == 404
    assert cast.ada.delete(f"{made.path}{here}/spaces/{space}").status_code == 205
    assert cast.ada.get(f"{made.path}{here}/spaces/{space}").status_code == 404


def test_a_target_narrows_where_it_is_installed(cast: Cast) -> None:
    space, site = make.space(cast.ada, cast.organization)["id"], ManagedSite(cast).id
    for target, spaces, sites in (
        ("all", 201, 201),
        ("space", 201, 409),
        ("site", 409, 201),
        ("organization", 409, 409),
    ):
        made = PublishedIntegration(cast, target=target)
        here = f"{made.path}/installations/{made.install()}"
        assert cast.ada.post(f"{here}/spaces", {"space": space}).status_code == spaces
        assert cast.ada.post(f"{here}/sites", {"siteId": site}).status_code == sites
        assert cast.ada.get(here).json()["space_selection"] == (
            "all" if target == "organization" else "selected"
        )


def test_who_runs_a_space_installs_there(cast: Cast) -> None:
    made = PublishedIntegration(cast)
    installation = made.install()
    space = make.space(cast.ada, cast.organization)["id"]
    path = f"{made.path}/installations/{installation}/spaces"
    assert cast.ed.post(path, {"space": space}).status_code == 403
    granted = {"role": "admin", "users": [cast.ed.id]}
    assert cast.ada.post(f"/v1/spaces/{space}/permissions", granted).status_code == 204
    assert cast.ed.post(path, {"space": space}).status_code == 201
    key = {"configuration": {"key": "k"}}
    assert cast.ed.patch(f"{path}/{space}", key).json()["configuration"] == key["configuration"]
    for person, sees in ((cast.ed, True), (cast.ada, True), (cast.ria, False)):
        for shown in (person.get(f"{path}/{space}").json(), *person.get(path).json()["items"]):
            assert ("configuration" in shown) is sees, person
    assert cast.ed.delete(f"{path}/{space}").status_code == 205


def test_what_is_paused_does_nothing_until_it_goes_on(cast: Cast) -> None:
    made = PublishedIntegration(cast)
    here = f"/installations/{made.install()}"
    token, space = made.token(here.rpartition("/")[2]), make.space(cast.ada, cast.organization)["id"]
    made.on_space(here.rpartition("/")[2], space)
    made.told()
    assert cast.instance.inside(lambda cx: integration_rows.pause(cx, made.name, cast.organization)) == 1
    assert cast.instance.inside(lambda cx: integration_rows.pause(cx, made.name)) == 0
    assert made.patch(here, {"configuration": {"a": 1}})["status"] == "paused"
    told = made.told()[0]
    trace = made.get(f"/events/{told['id']}")["trace"]["logs"]
    assert (told["status"], trace[0]["message"]) == ("failed", "The installation is paused.")
    for path, body in ((f"{made.path}{here}/tokens", None), (f"{made.path}/tasks", {"task": {}})):
        assert token.post(path, body).status_code == 403
    assert token.get(f"/v1/spaces/{space}").status_code == 403
    made.post("", manifest(cast, configurations={"account": ACCOUNT}), 200)
    assert made.get(here)["status"] == "paused"
    assert cast.instance.inside(lambda cx: integration_rows.resume(cx, made.name)) == 1
    assert made.get(here)["status"] == "pending", "as its configuration is now"


def test_external_ids_are_found(cast: Cast) -> None:
    made = PublishedIntegration(cast)
    installation = made.install()
    space = make.space(cast.ada, cast.organization)["id"]
    made.on_space(installation, space)
    made.patch(f"/installations/{installation}", {"externalIds": ["T0001", 'a"b']})
    made.patch(f"/installations/{installation}/spaces/{space}", {"externalIds": ["C0001"]})
    for path, hits in (("installations", ["T0001", 'a"b']), ("spaces", ["C0001"])):
        for known in hits:
            answer = cast.ada.get(f"{made.path}/{path}", params={"externalId": known}).json()
            assert answer["count"] == 1
        for unknown in ("T000", "%", ""):
            answer = cast.ada.get(f"{made.path}/{path}", params={"externalId": unknown}).json()
            assert answer == {"count": 0, "items": []}


def test_what_is_active_in_a_space_a_site_an_organization(cast: Cast) -> None:
    made = PublishedIntegration(cast, title="Beacon")
    installation = made.install()
    space, site = make.space(cast.ada, cast.organization)["id"], ManagedSite(cast).id
    at = [f"/v1/spaces/{space}/integrations", f"/v1/orgs/{cast.organization}/sites/{site}/integrations"]

    def names(path: str, **query: str) -> list[str]:
        answer = cast.ria.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return [item["name"] for item in answer.json()["items"]]

    assert [names(path) for path in at] == [[], []]
    made.on_space(installation, space)
    made.on_site(installation, site)
    assert [names(path) for path in at] == [[made.name], [made.name]]
    assert [names(path, search="foghorn") for path in at] == [[], []]
    assert made.name in names(f"/v1/orgs/{cast.organization}/integrations", search="beacon")
    installed = cast.ria.get(f"/v1/orgs/{cast.organization}/installations").json()["items"]
    assert [item["id"] for item in installed] == [installation]
    other = make.space(cast.ada, cast.organization)["id"]
    made.patch(f"/installations/{installation}", {"space_selection": "all"})
    assert names(f"/v1/spaces/{other}/integrations") == [made.name]


def newest(made: PublishedIntegration) -> str:
    """Return what it was told last, but for being asked for scripts, which happens beside everything."""
    told = [event["payload"]["type"] for event in made.events()]
    return str(next(type_ for type_ in told if type_ != "fetch_published_script"))


def test_what_goes_takes_its_installations_along(cast: Cast) -> None:
    made = PublishedIntegration(cast)
    installation = made.install()
    space, site = make.space(cast.ada, cast.organization)["id"], ManagedSite(cast)
    made.on_space(installation, space)
    made.on_site(installation, site.id)
    site.delete("")
    assert made.get("/sites")["items"] == []
    assert newest(made) == "site_installation_deleted"
    from tests.contract.recipes import belong_elsewhere

    belong_elsewhere(cast)
    assert cast.ada.post(f"/v1/spaces/{space}/transfer", {"organization": cast.elsewhere}).status_code == 200
    assert made.get("/spaces")["items"] == []
    assert newest(made) == "space_installation_deleted"
