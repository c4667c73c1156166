"""Rendering: by POST and by GET, by script and by tunnel; who may, what comes back, what fails."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import make
from tests.cast import Cast
from tests.factories.integrations import RENDERING, PublishedIntegration, compressed
from tests.factories.sites import ManagedSite
from tests.integrations.test_events import Tunnel, logs
from tests.local_server import Neighbour


class Shown:
    """An integration on a space, and what its component looks like there."""

    def __init__(self, cast: Cast, **fields: Any) -> None:
        self.cast = cast
        self.made = PublishedIntegration(cast, **{"script": RENDERING, **fields})
        self.installation = self.made.install()
        self.space = make.space(cast.ada, cast.organization)["id"]
        self.made.on_space(self.installation, self.space)
        self.path = f"{self.made.path}/render"

    def request(self, **fields: Any) -> dict[str, Any]:
        """A request for the component in a page of the space."""
        context = {"type": "document", "spaceId": self.space, "theme": "light", "editable": False}
        return {"componentId": "lamp", "props": {"name": "Ada"}, "context": context, **fields}


def answering(body: str, init: str = "{}") -> str:
    """A script that answers so to everything."""
    return f"export default {{ async fetch() {{ return new Response({json.dumps(body)}, {init}); }} }};"


def test_a_reader_sees_what_the_script_made(cast: Cast) -> None:
    shown = Shown(cast)
    answer = cast.ria.post(shown.path, shown.request())
    assert answer.status_code == 200, answer.text
    assert answer.json() == {
        "type": "element",
        "element": {"type": "block", "children": [{"type": "markdown", "content": "Hello Ada"}]},
        "state": {},
        "props": {"name": "Ada"},
    }
    event = shown.made.events()[0]
    assert (event["status"], event["payload"]["type"]) == ("success", "ui_render")
    assert event["payload"]["auth"] == {"userId": cast.ria.id}
    assert logs(shown.made, event) == [("info", "rendering lamp")]
    assert cast.ada.post(f"{shown.made.path}/events/{event['id']}/redeliver").status_code == 409


def test_the_address_says_it_as_the_body_does(cast: Cast) -> None:
    shown = Shown(cast)
    posted = cast.ria.post(shown.path, shown.request())
    got = cast.ria.get(shown.path, params={"request": compressed(shown.request())})
    assert got.status_code == 200, got.text
    assert got.json() == posted.json()
    assert got.headers["cache-control"] == "private, max-age=60"
    same = {"If-None-Match": got.headers["etag"]}
    again = cast.ria.get(shown.path, params={"request": compressed(shown.request())}, headers=same)
    assert again.status_code == 304
    for wrong in ("", "!!", "x", compressed([1]), compressed({"componentId": 1}), "Q" * 20_000):
        assert cast.ria.get(shown.path, params={"request": wrong}).status_code == 400
    bomb = compressed({**shown.request(), "props": {"a": "a" * 3_000_000}})
    assert len(bomb) < 16_384
    assert cast.ria.get(shown.path, params={"request": bomb}).status_code == 400


def test_who_sees_the_page_sees_its_blocks(cast: Cast) -> None:
    shown = Shown(cast)
    assert cast.gus.post(shown.path, shown.request()).status_code == 400
    assert cast.sol.post(shown.path, shown.request()).status_code == 400
    other = make.space(cast.ada, cast.organization)["id"]
    context = {**shown.request()["context"], "spaceId": other}
    assert cast.ada.post(shown.path, shown.request(context=context)).status_code == 404
    here = f"{shown.made.path}/installations/{shown.installation}/spaces/{shown.space}"
    assert cast.ada.delete(here).status_code == 205
    assert cast.ria.post(shown.path, shown.request()).status_code == 404
    shown.made.patch(f"/installations/{shown.installation}", {"space_selection": "all"})
    assert cast.ria.post(shown.path, shown.request()).status_code == 200
    reading = make.token(cast.ria, read_only=True)
    assert reading.post(shown.path, shown.request()).status_code == 200, "rendering changes nothing"


def test_configurations_are_for_who_installs(cast: Cast) -> None:
    shown = Shown(cast)
    site = ManagedSite(cast).id
    shown.made.on_site(shown.installation, site)
    for context in (
        {"type": "configuration_account", "organizationId": cast.organization},
        {"type": "configuration_space", "spaceId": shown.space},
        {"type": "configuration_site", "siteId": site},
    ):
        asked = shown.request(context={**context, "theme": "dark"})
        assert cast.ada.post(shown.path, asked).status_code == 200, context
        assert cast.ria.post(shown.path, asked).status_code == 403, context
        assert cast.sol.post(shown.path, asked).status_code == 400, context
        bare = shown.request(context={"type": context["type"], "theme": "dark"})
        assert cast.ada.post(shown.path, bare).status_code == 400


@pytest.mark.parametrize(
    "script",
    [
        answering("not json"),
        answering('{"type":"element","element":{"type":"block"}}'),
        answering('{"type":"element","element":{"type":"script","children":[]}}'),
        answering(
            '{"type":"element","element":{"type":"block","children":[{"type":"image","source":{"url":"javascript:1"},"aspectRatio":1}]}}'
        ),
        answering("{}", "{status: 500}"),
        answering("{}", "{status: 201}"),
        "export default { fetch() { throw new Error('no') } };",
        "export default { async fetch() { for (;;); } };",
    ],
)
def test_what_fails_is_told_apart_from_us(cast: Cast, script: str) -> None:
    shown = Shown(cast, script=script)
    answer = cast.ria.post(shown.path, shown.request())
    assert answer.status_code == 502, answer.text
    event = shown.made.get(f"/events/{shown.made.events()[0]['id']}")
    assert (event["event"]["payload"]["type"], event["event"]["status"]) == ("ui_render", "failed")
    why = event["trace"]["logs"][-1]
    assert why["level"] == "error"
    assert why["timestamp"] > "2026"
    assert cast.ria.get(f"/v1/spaces/{shown.space}").status_code == 200


def test_it_may_be_done(cast: Cast) -> None:
    shown = Shown(cast, script=answering('{"type":"complete","returnValue":{"lamp":3}}'))
    answer = cast.ria.post(shown.path, shown.request(action={"action": "save"}, state={"a": 1}))
    assert answer.json() == {"type": "complete", "returnValue": {"lamp": 3}}
    event = shown.made.events()[0]["payload"]
    assert (event["action"], event["state"]) == ({"action": "save"}, {"a": 1})


def test_a_tunnel_renders_while_it_is_developed(cast: Cast, neighbour: Neighbour) -> None:
    shown = Shown(cast, script="export default { fetch() { throw new Error() } };")
    tunnel = Tunnel(neighbour)
    block = {"type": "block", "children": []}
    tunnel.answer = (200, {}, json.dumps({"type": "element", "element": block}).encode())
    shown.made.put("/dev", {"tunnelUrl": tunnel.url})
    answer = cast.ria.post(shown.path, shown.request())
    assert answer.json()["element"] == block
    told = [tunnel.parts(n) for n in range(len(tunnel.requests))]
    (parts,) = [parts for parts in told if parts["event"]["type"] == "ui_render"]
    assert parts["event"]["componentId"] == "lamp"
    assert parts["environment"]["spaceInstallation"]["space"] == shown.space


@pytest.mark.parametrize(
    "change",
    [
        {"componentId": ""},
        {"props": []},
        {"context": {}},
        {"context": {"type": "document", "theme": "light"}},
        {"context": {"type": "page", "theme": "light", "spaceId": "x"}},
        {"props": {"a": "a" * 300_000}},
    ],
)
def test_a_wrong_request_is_refused(cast: Cast, change: dict[str, Any]) -> None:
    shown = Shown(cast)
    assert cast.ria.post(shown.path, shown.request(**change)).status_code == 400
