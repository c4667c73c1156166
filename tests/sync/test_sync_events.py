"""Integrations are told of syncs: that one began, what it brought, and how it ended."""

from __future__ import annotations

from typing import Any

from tests import make
from tests.cast import Cast
from tests.factories.git_sync import SyncedSpace
from tests.factories.integrations import PublishedIntegration
from tests.git_server import Host


def told(made: PublishedIntegration) -> list[dict[str, Any]]:
    """Return what was told of content and syncs, oldest first, without the ids of events."""
    payloads = [event["payload"] for event in made.told()[::-1]]
    kinds = ("space_content_updated", "space_gitsync_started", "space_gitsync_completed")
    found = [payload for payload in payloads if payload["type"] in kinds]
    return sorted(
        ({name: value for name, value in payload.items() if name != "eventId"} for payload in found),
        key=lambda payload: kinds.index(payload["type"]),
    )


def test_syncs_are_told_of(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host, make.repository())
    made = PublishedIntegration(cast)
    installation = made.install()
    made.on_space(installation, docs.id)
    here = {"installationId": installation, "spaceId": docs.id}
    before = docs.revision["id"]
    docs.ok("import")
    content, began, ended = told(made)
    after, tip = docs.revision["id"], docs.origin.tip()
    assert [user["id"] for user in content.pop("updatedBy")] == [cast.ada.id]
    assert content == {**here, "type": "space_content_updated", "revisionId": after}
    assert began == {**here, "type": "space_gitsync_started", "revisionId": before, "commitId": ""}
    done = {**here, "type": "space_gitsync_completed", "revisionId": after, "commitId": tip}
    assert ended == {**done, "state": "success"}
    docs.failed("import", ref="nowhere")
    assert told(made)[-1] == {**done, "state": "failure"}
    assert len(told(made)) == 5


def test_the_space_names_the_integration_that_synchronises_it(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host, make.repository())
    made = PublishedIntegration(cast, scopes=["space:git:sync", "space:metadata:read"])
    installation = made.install()
    made.on_space(installation, docs.id)
    asked = """query ($id: ID!) { space(id: $id) { gitSync { integrationId integration { name title } } } }"""
    assert docs.start("import", made.token(installation)) == 204
    assert docs.ended()["operation"]["state"] == "success"
    assert cast.ria.get(docs.path).json()["gitSync"]["integration"] == made.name
    shown = cast.ria.ask(asked, id=docs.id)["space"]["gitSync"]
    assert shown == {
        "integrationId": made.name,
        "integration": {"name": made.name, "title": "Lamp counter"},
    }
    docs.ok("import")
    assert "integration" not in cast.ria.get(docs.path).json()["gitSync"], "a person had it synchronised"
    shown = cast.ria.ask(asked, id=docs.id)["space"]["gitSync"]
    assert shown == {"integrationId": None, "integration": None}
