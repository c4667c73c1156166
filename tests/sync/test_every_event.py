"""Every type of event is caused by something that people do, and heard by an integration.

Beside the tests of syncs, since some of the events need a repository.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from app.models.integration_payloads import IntegrationEventPayload
from tests import make
from tests.cast import Cast
from tests.factories.git_sync import SyncedSpace
from tests.factories.integrations import PublishedIntegration
from tests.factories.sites import answered
from tests.git_server import Host
from tests.integrations.almanac import Almanac
from tests.integrations.test_events import until
from tests.reader.test_page_feedback import AskingSite

HEARING = """
export default { async fetch(request) {
  const event = JSON.parse((await request.formData()).get("event"));
  console.log("heard " + event.type);
  const element = { type: "block", children: [{ type: "divider" }] };
  if (event.type === "ui_render") return Response.json({ type: "element", element, state: {}, props: {} });
  return new Response("heard");
} };"""
SCOPES = [
    "space:content:read", "space:metadata:read", "space:git:sync", "page:feedback:read", "site:metadata:read",
    "site:views:read", "site:script:inject", "site:visitor:auth", "space:views:read",
]  # fmt: skip


class Hearing:
    """An integration that hears everything in an organization, on a space and on a site."""

    def __init__(self, cast: Cast, host: Host, folder: Path) -> None:
        self.cast, self.host, self.folder = cast, host, folder
        self.made = PublishedIntegration(cast, script=HEARING, scopes=SCOPES)
        self.installation = self.made.install()
        self.here = f"{self.made.path}/installations/{self.installation}"
        self.site = AskingSite(cast)
        self.space = self.site.spaces[0]

    def placed(self) -> None:
        """Put it on the space and the site."""
        self.made.on_space(self.installation, self.space)
        self.made.on_site(self.installation, self.site.id)

    def gone_from(self, place: str) -> None:
        """Put it on both, and take it from one again."""
        self.placed()
        answered(self.cast.ada.delete(f"{self.here}{place}"), 205)

    def uninstalled(self) -> None:
        answered(self.cast.ada.delete(self.here), 205)

    def edited(self) -> None:
        self.placed()
        page = {"operation": "insert_page", "title": "A", "document": {"markdown": "a\n"}}
        make.changes(self.cast.ed, self.space, page)

    def unpublished(self) -> None:
        self.placed()
        self.site.post("/unpublish", status=200)

    def synchronised(self) -> None:
        docs = SyncedSpace(self.cast, self.host, make.repository())
        self.made.on_space(self.installation, docs.id)
        docs.ok("import")

    def viewed(self) -> None:
        self.placed()
        assert self.site.open("/guide/install").status_code == 200

    def rated(self) -> None:
        self.placed()
        self.site.say("bad", "Where is the lamp?")

    def called(self) -> None:
        address = self.made.published["urls"]["publicEndpoint"]
        assert self.cast.instance.http.get(address).text == "heard"

    def rendered(self) -> None:
        self.placed()
        context = {"type": "document", "spaceId": self.space, "theme": "light", "editable": False}
        wish = {"componentId": "lamp", "props": {}, "context": context}
        answered(self.cast.ada.post(f"{self.made.path}/render", wish))

    def signed_in(self) -> None:
        self.placed()
        self.site.patch("/publishing/auth", {"backend": "integration", "integration": self.made.name})
        self.site.patch("", {"visibility": "visitor-auth"})
        self.site.open("/guide/install")

    def scheduled(self) -> None:
        task = {"task": {"lamp": 1}, "schedule": 1}
        answered(self.cast.ada.post(f"{self.made.path}/tasks", task), 204)

    def computed(self) -> None:
        almanac = Almanac(self.cast, self.folder)
        self.made = almanac.made
        almanac.computed(almanac.placed())


ACTIONS: dict[str, Callable[[Hearing], None]] = {
    "installation_setup": lambda stage: None,
    "installation_deleted": Hearing.uninstalled,
    "space_installation_setup": Hearing.placed,
    "space_installation_deleted": lambda stage: stage.gone_from(f"/spaces/{stage.space}"),
    "site_installation_setup": Hearing.placed,
    "site_installation_deleted": lambda stage: stage.gone_from(f"/sites/{stage.site.id}"),
    "site_view": Hearing.viewed,
    "space_view": Hearing.viewed,
    "space_content_updated": Hearing.edited,
    "space_visibility_updated": Hearing.unpublished,
    "space_gitsync_started": Hearing.synchronised,
    "space_gitsync_completed": Hearing.synchronised,
    "fetch": Hearing.called,
    "fetch_published_script": Hearing.placed,
    "fetch_visitor_authentication": Hearing.signed_in,
    "ui_render": Hearing.rendered,
    "content_compute_document": Hearing.computed,
    "content_compute_revision": Hearing.computed,
    "task": Hearing.scheduled,
    "page_feedback": Hearing.rated,
}


def test_each_type_has_a_case() -> None:
    union, *_ = get_args(IntegrationEventPayload)
    shapes = get_args(union) or get_args(IntegrationEventPayload)
    assert {get_args(each.model_fields["type"].annotation)[0] for each in shapes} == ACTIONS.keys()


@pytest.mark.parametrize("type_", ACTIONS)
def test_it_is_caused_and_heard(cast: Cast, host: Host, tmp_path: Path, type_: str) -> None:
    stage = Hearing(cast, host, tmp_path)
    ACTIONS[type_](stage)
    cast.instance.look_for_jobs()

    def heard() -> list[str]:
        events = [event for event in stage.made.events() if event["payload"]["type"] == type_]
        assert all(event["status"] in ("pending", "success") for event in events)
        return [event["id"] for event in events if event["status"] == "success"]

    event, *_ = until(heard)
    if stage.made.name.startswith("lamp-"):
        return
    said = [line["message"] for line in stage.made.get(f"/events/{event}")["trace"]["logs"]]
    assert said == [f"heard {type_}"]
