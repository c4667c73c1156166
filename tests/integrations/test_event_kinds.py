"""Every kind of event that a call can cause, by its whole payload."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast
from tests.factories.integrations import RENDERING, PublishedIntegration
from tests.factories.sites import ManagedSite, answered
from tests.integrations.test_events import until

SCOPES = ["space:content:read", "space:metadata:read", "site:script:inject"]


def told(
    made: PublishedIntegration, kind: str, count: int = 1, *, more: bool = False
) -> list[dict[str, Any]]:
    """The payloads of so many events of a kind, or `more`, oldest first, without their own ids."""

    def ask() -> list[dict[str, Any]]:
        found = [event for event in made.events()[::-1] if event["payload"]["type"] == kind]
        return found if len(found) >= count else []

    events = until(ask)
    assert more or len(events) == count, events
    assert all(event["payload"]["eventId"] == event["id"] for event in events)
    return [{k: v for k, v in event["payload"].items() if k not in ("eventId", "type")} for event in events]


def collection(cast: Cast, **fields: Any) -> str:
    made = cast.ada.post(f"/v1/orgs/{cast.organization}/collections", {"title": "Shelf", **fields})
    return str(answered(made, 201)["id"])


@pytest.mark.parametrize("kind", ["space", "site"])
def test_on_a_place_it_is_told_of_its_life(cast: Cast, kind: str) -> None:
    made = PublishedIntegration(cast, configurations={kind: {"properties": {"tone": {"type": "string"}}}})
    installation = made.install()
    place = ManagedSite(cast).id if kind == "site" else make.space(cast.ada, cast.organization)["id"]
    (made.on_site if kind == "site" else made.on_space)(installation, place)
    here = {"installationId": installation, f"{kind}Id": place}
    path = f"/installations/{installation}/{kind}s/{place}"
    made.patch(path, {"configuration": {"tone": "loud"}})
    assert told(made, f"{kind}_installation_setup", 2) == [
        {**here, "status": "active"},
        {**here, "status": "active", "previous": {"status": "active", "configuration": {}}},
    ]
    assert cast.ada.delete(f"{made.path}{path}").status_code == 205
    gone = {**here, "previous": {"configuration": {"tone": "loud"}}}
    assert told(made, f"{kind}_installation_deleted") == [gone]


def test_what_is_deleted_or_handed_over_loses_it(cast: Cast) -> None:
    made = PublishedIntegration(cast)
    installation, site = made.install(), ManagedSite(cast)
    made.on_site(installation, site.id)
    site.delete("")
    here = {"installationId": installation, "previous": {"configuration": {}}}
    assert told(made, "site_installation_deleted") == [{**here, "siteId": site.id}]
    assert cast.ada.delete(f"{made.path}/installations/{installation}").status_code == 205
    assert told(made, "installation_deleted") == [here]


def test_content_is_told_of_with_its_revision(cast: Cast) -> None:
    made = PublishedIntegration(cast, scopes=SCOPES)
    installation, space = made.install(), make.filled_space(cast)
    made.on_space(installation, space)
    make.changes(cast.ed, space, {"operation": "insert_page", "title": "A", "document": {"markdown": "a\n"}})
    (payload,) = told(made, "space_content_updated")
    (user,) = payload.pop("updatedBy")
    assert (user["object"], user["id"]) == ("user", cast.ed.id)
    revision = cast.ada.get(f"/v1/spaces/{space}/content").json()["id"]
    assert payload == {"installationId": installation, "spaceId": space, "revisionId": revision}


class Watched:
    """A space whose visibility an integration is told of."""

    def __init__(self, cast: Cast, space: str) -> None:
        self.made = PublishedIntegration(cast, scopes=SCOPES)
        self.here = {"installationId": self.made.install(), "spaceId": space}
        self.made.on_space(self.here["installationId"], space)

    def says(self, *steps: tuple[str, str]) -> None:
        """These changes were told, and no other."""
        assert told(self.made, "space_visibility_updated", len(steps)) == [
            {**self.here, "previousVisibility": before, "visibility": after} for before, after in steps
        ]


def test_collections_change_who_may_read(cast: Cast) -> None:
    outer = collection(cast)
    inner = collection(cast, parent=outer)
    space = make.space(cast.ada, cast.organization, parent=inner)["id"]
    kept = make.space(cast.ada, cast.organization, parent=inner)["id"]
    answered(cast.ada.patch(f"/v1/spaces/{kept}", {"defaultLevel": "read"}))
    watched, other = Watched(cast, space), Watched(cast, kept)
    assert cast.ada.delete(f"/v1/collections/{inner}").status_code in (204, 205)
    assert cast.ada.delete(f"/v1/collections/{outer}").status_code in (204, 205)
    watched.says(("in-collection", "private"))
    answered(cast.ada.post(f"/v1/spaces/{space}/move", {"parent": collection(cast)}))
    answered(cast.ada.patch(f"/v1/spaces/{space}", {"defaultLevel": "read"}))
    steps = [("in-collection", "private"), ("private", "in-collection"), ("in-collection", "private")]
    watched.says(*steps)
    assert not [e for e in other.made.events() if e["payload"]["type"] == "space_visibility_updated"]


def test_sites_change_who_may_read(cast: Cast) -> None:
    site = ManagedSite(cast, "Handbook", "Second")
    watched = Watched(cast, site.spaces[0])
    site.post("/publish", status=200)
    assert cast.ada.delete(f"/v1/spaces/{site.spaces[0]}").status_code in (204, 205)
    answered(cast.ada.post(f"/v1/spaces/{site.spaces[0]}/restore"))
    site.delete("")
    watched.says(("private", "public"), ("public", "private"), ("private", "public"), ("public", "private"))


def test_what_somebody_waits_for_is_told_too(cast: Cast) -> None:
    made = PublishedIntegration(cast, script=RENDERING, scopes=SCOPES)
    installation, space, site = (
        made.install(),
        make.space(cast.ada, cast.organization)["id"],
        ManagedSite(cast),
    )
    made.on_space(installation, space)
    made.on_site(installation, site.id)
    context = {"type": "document", "spaceId": space, "theme": "light", "editable": False}
    wish = {"componentId": "lamp", "props": {"name": "Ada"}, "state": {"a": 1}, "action": {"action": "go"}}
    answered(cast.ria.post(f"{made.path}/render", {**wish, "context": context}))
    here = {"installationId": installation}
    assert told(made, "ui_render") == [
        {**here, **wish, "spaceId": space, "context": context, "auth": {"userId": cast.ria.id}}
    ]
    scripts = told(made, "fetch_published_script", more=True)  # publishing asks too, if that comes later
    assert all(payload == {**here, "siteId": site.id} for payload in scripts)
    address = made.get(f"/installations/{installation}")["urls"]["publicEndpoint"]
    cast.instance.http.get(f"{address}/hook", headers={"X-Lamp": "lit"})
    (fetched,) = told(made, "fetch")
    request = fetched.pop("request")
    assert (fetched, request.pop("headers")["x-lamp"]) == (here, "lit")
    assert request == {"method": "GET", "url": f"{address}/hook"}
    assert made.token(installation).post(f"{made.path}/tasks", {"task": {"a": [1]}}).status_code == 204
    assert told(made, "task") == [{**here, "task": {"a": [1]}}]
