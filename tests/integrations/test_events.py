"""Events: written with what happened, delivered after it, by tunnel or script, each with its record."""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from email.parser import BytesParser
from hashlib import sha256
from threading import Event
from typing import Any, TypeVar

import pytest
from sqlalchemy import select

from app.access.context import Context
from app.domain.integrations import deliveries, dispatch, integration_events
from app.domain.integrations.integration_rows import WHOLE
from app.kit.clock import utc_now
from app.kit.database.statements import given, rows, table
from app.kit.ids import new_id
from app.models.integration_events import IntegrationEvent
from tests import make
from tests.cast import Cast
from tests.contract.recipes import belong_elsewhere
from tests.factories.integrations import ACCOUNT, PublishedIntegration, manifest
from tests.factories.sites import ManagedSite
from tests.local_server import Neighbour, Request
from tests.timing import TIMEOUT

T = TypeVar("T")
INTEGRATION_EVENTS = table(IntegrationEvent)
_EVENT = rows(lambda: select(INTEGRATION_EVENTS.c.id).where(INTEGRATION_EVENTS.c.id == given("id")))
LISTENING = """
export default {
  async fetch(request, env) {
    const form = await request.formData();
    const event = JSON.parse(form.get("event"));
    const { apiEndpoint, apiTokens, integration, installation } = JSON.parse(form.get("environment"));
    console.log("told of " + event.type);
    if (event.type === "installation_setup") {
      const url = `${apiEndpoint}/v1/integrations/${integration.name}/installations/${installation.id}`;
      const answer = await fetch(url, { headers: { Authorization: `Bearer ${apiTokens.installation}` } });
      console.warn("the API says " + answer.status);
    }
    if (event.type === "installation_deleted") throw new Error("never again");
    return new Response("ok");
  },
};
"""


def until(ask: Callable[[], T]) -> T:
    """The first answer that is something; work that failed once is tried again after half a minute."""
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        if found := ask():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


def lingering(released: Event) -> Iterator[bytes]:
    """A body that comes when it may."""
    released.wait(TIMEOUT)
    yield b"late"


def settled(made: PublishedIntegration, count: int) -> list[dict[str, Any]]:
    """So many events, when all of them were delivered; oldest first."""

    def ask() -> list[dict[str, Any]]:
        events = made.events()[::-1]
        return (
            events if len(events) >= count and all(event["status"] != "pending" for event in events) else []
        )

    return until(ask)


def logs(made: PublishedIntegration, event: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what was said while an event was delivered."""
    lines = made.get(f"/events/{event['id']}")["trace"]["logs"]
    return [(line["level"], line["message"]) for line in lines]


class Tunnel:
    """A developer's server, at an address of its own: what comes late for another is not its."""

    def __init__(self, neighbour: Neighbour) -> None:
        self.requests: list[Request] = []
        self.answer: Any = (200, {}, b"ok")
        self.url = neighbour.shows(f"/tunnel-{new_id()}", self._take)

    def _take(self, request: Request) -> Any:
        self.requests.append(request)
        return self.answer(request) if callable(self.answer) else self.answer

    def parts(self, number: int) -> dict[str, Any]:
        """The parts of the form that a request was."""
        request = self.requests[number]
        head = f"content-type: {request.headers['content-type']}\r\n\r\n".encode()
        message: Any = BytesParser().parsebytes(head + request.body)
        return {
            part.get_param("name", header="content-disposition"): json.loads(part.get_payload(decode=True))
            for part in message.get_payload()
        }


def test_a_script_is_told_and_what_it_says_is_kept(cast: Cast) -> None:
    made = PublishedIntegration(cast, script=LISTENING)
    installation = made.install()
    (event,) = settled(made, 1)
    assert event["status"] == "success"
    assert event["payload"] == {
        "eventId": event["id"],
        "type": "installation_setup",
        "installationId": installation,
        "status": "active",
    }
    assert logs(made, event) == [("info", "told of installation_setup"), ("warn", "the API says 200")]
    assert cast.ada.delete(f"{made.path}/installations/{installation}").status_code == 205
    _, gone = settled(made, 2)
    assert (gone["payload"]["type"], gone["status"]) == ("installation_deleted", "failed")
    assert gone["payload"]["previous"] == {"configuration": {}}
    assert any("never again" in text for _, text in logs(made, gone))


def test_setup_tells_how_it_was_before(cast: Cast) -> None:
    made = PublishedIntegration(cast, configurations={"account": ACCOUNT})
    installation = made.install()
    made.patch(f"/installations/{installation}", {"configuration": {"key": "k"}})
    made.patch(f"/installations/{installation}", {"externalIds": ["not told"]})
    begun, configured = settled(made, 2)
    assert begun["payload"]["status"] == "pending"
    assert configured["payload"]["status"] == "active"
    assert configured["payload"]["previous"] == {
        "status": "pending",
        "configuration": {"size": 3, "tone": "soft"},
    }


CONFIGURING = """
export default {
  async fetch(request, env) {
    const event = JSON.parse((await request.formData()).get("event"));
    const at = event.spaceId ? `/spaces/${event.spaceId}` : "";
    if (event.type.endsWith("installation_setup")) {
      const here = `${env.apiEndpoint}/v1/integrations/${env.integration.name}/installations`;
      const Authorization = `Bearer ${env.apiTokens.installation}`;
      const answer = await fetch(`${here}/${event.installationId}${at}`, {
        method: "PATCH",
        headers: { Authorization, "Content-Type": "application/json" },
        body: JSON.stringify({ configuration: { linked: true } }),
      });
      console.log("configured", answer.status);
    }
    return new Response("ok");
  },
};
"""


def test_an_integration_that_configures_itself_is_told_until_nothing_changes(cast: Cast) -> None:
    made = PublishedIntegration(cast, script=CONFIGURING)
    installation, space = made.install(), make.space(cast.ada, cast.organization)["id"]
    made.on_space(installation, space)
    told = settled(made, 4)
    assert [event["payload"]["type"] for event in told].count("installation_setup") == 2
    assert {logs(made, event)[0] for event in told} == {("info", "configured 200")}
    made.patch(f"/installations/{installation}", {"externalIds": ["a"], "configuration": {"linked": True}})
    made.patch(f"/installations/{installation}/spaces/{space}", {"configuration": {"linked": True}})
    made.patch(f"/installations/{installation}", {"configuration": {"linked": False}})
    told = settled(made, 6)
    assert len(told) == 6
    assert [event["payload"]["type"] for event in told[-2:]] == ["installation_setup"] * 2


def test_a_tunnel_gets_signed_forms(cast: Cast, neighbour: Neighbour) -> None:
    tunnel = Tunnel(neighbour)
    made = PublishedIntegration(cast, secrets={"SIGNING_SECRET": "known to both", "TOKEN": "t"})
    made.put("/dev", {"tunnelUrl": tunnel.url})
    before = int(time.time())
    installation = made.install()
    (event,) = settled(made, 1)
    (request,) = tunnel.requests
    assert request.method == "POST"
    stamp = request.headers["x-docyard-timestamp"]
    assert before <= int(stamp) <= time.time()
    signed = hmac.new(b"known to both", f"{stamp}.".encode() + request.body, sha256).hexdigest()
    assert request.headers["x-docyard-signature"] == f"v1={signed}"
    assert request.headers["x-docyard-event"] == event["id"]
    parts = tunnel.parts(0)
    assert parts["event"] == event["payload"]
    environment = parts["environment"]
    assert environment["secrets"] == {"SIGNING_SECRET": "known to both", "TOKEN": "t"}
    assert environment["installation"]["id"] == installation
    token = environment["apiTokens"]["installation"]
    answer = cast.instance.http.get(made.path, headers={"Authorization": f"Bearer {token}"})
    assert answer.json()["name"] == made.name
    made_again = cast.ada.delete(f"{made.path}/dev")
    assert made_again.status_code == 205
    made.patch(f"/installations/{installation}", {"configuration": {"a": 1}})
    settled(made, 2)
    assert len(tunnel.requests) == 1, "the script has it now"


def test_a_tunnel_gets_other_organizations_only_where_all_were_asked_for(
    cast: Cast, neighbour: Neighbour
) -> None:
    tunnel = Tunnel(neighbour)
    made = PublishedIntegration(cast, visibility="public")
    made.put("/dev", {"tunnelUrl": tunnel.url})
    installation = made.install(cast.elsewhere, cast.sol)
    path = f"{made.path}/events"
    until(lambda: [e for e in cast.sol.get(path).json()["items"] if e["status"] != "pending"])
    assert tunnel.requests == []
    made.put("/dev", {"tunnelUrl": tunnel.url, "all": True})
    cast.sol.patch(f"{made.path}/installations/{installation}", {"configuration": {"a": 1}})
    until(lambda: tunnel.requests)
    assert tunnel.parts(0)["event"]["installationId"] == installation


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((500, {}, b"broken"), "answered with status 500"),
        ((302, {"location": "http://127.0.0.1:1/"}, b""), "redirects"),
        ((200, {}, b"x" * 3_000_000), "more than 2000000 bytes"),
    ],
)
def test_a_tunnel_that_fails_is_asked_once(cast: Cast, neighbour: Neighbour, answer: Any, said: str) -> None:
    tunnel = Tunnel(neighbour)
    tunnel.answer = answer
    made = PublishedIntegration(cast)
    made.put("/dev", {"tunnelUrl": tunnel.url})
    made.install()
    (event,) = settled(made, 1)
    assert event["status"] == "failed"
    assert len(tunnel.requests) == 1
    assert any(said in text for _, text in logs(made, event))
    assert "broken" not in str(logs(made, event))


@pytest.mark.parametrize(
    "url",
    [
        "http://tunnel.example.org/",
        "https://user:secret@tunnel.example.org/",
        "ftp://tunnel.example.org",
        "http://127.0.0.1:1/",
        "tunnel.example.org",
        "https://",
        "",
        "https://x.example/" + "x" * 256,
    ],
)
def test_a_tunnel_is_an_address_for_secrets(cast: Cast, url: str) -> None:
    made = PublishedIntegration(cast)
    assert cast.ada.put(f"{made.path}/dev", {"tunnelUrl": url}).status_code == 400


def test_private_addresses_are_not_reached(cast: Cast) -> None:
    made = PublishedIntegration(cast)
    made.put("/dev", {"tunnelUrl": "https://127.0.0.1/"})
    made.install()
    (event,) = settled(made, 1)
    assert logs(made, event) == [("error", "127.0.0.1 does not lead to a public address.")]


def test_what_happens_to_content_is_told_to_whom_has_it(cast: Cast) -> None:
    made = PublishedIntegration(cast)
    blind = PublishedIntegration(cast, scopes=["site:metadata:read"])
    pending = PublishedIntegration(cast, configurations={"account": ACCOUNT})
    space, other = (make.filled_space(cast) for _ in range(2))
    for one in (made, blind, pending):
        one.on_space(one.install(), space)
    change = {"operation": "insert_page", "title": "Lamps", "document": {"markdown": "Two.\n"}}
    for where in (space, other):
        make.changes(cast.ed, where, change)
    request = make.change_request(cast.ed, space)["number"]
    make.changes(cast.ed, space, {**change, "title": "Wicks"}, request=request)
    merged = cast.ada.post(f"/v1/spaces/{space}/change-requests/{request}/merge").json()
    told = [e["payload"] for e in settled(made, 4) if e["payload"]["type"] == "space_content_updated"]
    assert [payload["spaceId"] for payload in told] == [space, space]
    assert told[1]["revisionId"] == merged["revision"]["id"] if isinstance(merged["revision"], dict) else True
    assert [[user["id"] for user in payload["updatedBy"]] for payload in told] == [
        [cast.ed.id],
        [cast.ed.id, cast.ada.id],
    ]
    assert "email" not in told[0]["updatedBy"][0]
    for one in (blind, pending):
        assert {e["payload"]["type"] for e in one.events()} <= {
            "installation_setup",
            "space_installation_setup",
        }


def test_nothing_is_told_of_what_failed(cast: Cast) -> None:
    made = PublishedIntegration(cast)
    space = make.filled_space(cast)
    made.on_space(made.install(), space)
    before = len(made.events())
    change = {"operation": "insert_page", "title": "Lamps", "document": {"markdown": "Two.\n"}}
    wrong = {"changes": [change, {"operation": "delete_page", "page": "none"}]}
    assert cast.ada.post(f"/v1/spaces/{space}/content", wrong).status_code == 400
    assert cast.ria.post(f"/v1/spaces/{space}/content", {"changes": [change]}).status_code == 403
    assert len(made.events()) == before


def test_effective_visibility_is_told(cast: Cast) -> None:
    made = PublishedIntegration(cast)
    site = ManagedSite(cast, "Handbook")
    (space,) = site.spaces
    made.on_space(made.install(), space)
    site.post("/publish", status=200)
    site.patch("", {"title": "Nothing that is told"})
    site.patch("", {"visibility": "unlisted"})
    site.post("/unpublish", status=200)
    told = [e["payload"] for e in settled(made, 5) if e["payload"]["type"] == "space_visibility_updated"]
    assert [(p["previousVisibility"], p["visibility"]) for p in told] == [
        ("private", "public"),
        ("public", "unlisted"),
        ("unlisted", "private"),
    ]


def test_an_integration_that_is_taken_back_hears_of_it(cast: Cast, neighbour: Neighbour) -> None:
    tunnel = Tunnel(neighbour)
    made = PublishedIntegration(cast)
    made.put("/dev", {"tunnelUrl": tunnel.url})
    installation = made.install()
    made.on_space(installation, make.space(cast.ada, cast.organization)["id"])
    settled(made, 2)
    assert cast.ada.delete(made.path).status_code == 205
    until(lambda: len(tunnel.requests) == 4)
    last = sorted(tunnel.parts(n)["event"]["type"] for n in (2, 3))
    assert last == ["installation_deleted", "space_installation_deleted"]


UNUSED = "export default { fetch: () => new Response('no handler', { status: 406 }) };"


def test_an_event_that_a_script_has_no_use_for_has_not_failed(cast: Cast) -> None:
    made = PublishedIntegration(cast, script=UNUSED)
    made.install()
    (event,) = made.told()
    assert event["status"] == "success"
    assert made.get(f"/events/{event['id']}")["trace"]["logs"] == []


def test_tasks_come_back(cast: Cast, neighbour: Neighbour) -> None:
    tunnel = Tunnel(neighbour)
    made = PublishedIntegration(cast)
    made.put("/dev", {"tunnelUrl": tunnel.url})
    assert cast.ada.post(f"{made.path}/tasks", {"task": {"count": [1, 2]}}).status_code == 204
    assert (
        cast.ada.post(f"{made.path}/tasks", {"task": {"later": True}, "schedule": 86_400}).status_code == 204
    )
    until(lambda: tunnel.requests)
    assert tunnel.parts(0)["event"]["task"] == {"count": [1, 2]}
    assert "installationId" not in tunnel.parts(0)["event"]
    installation = made.install()
    until(lambda: len(tunnel.requests) == 2)
    script = made.token(installation)
    assert script.post(f"{made.path}/tasks", {"task": {"mine": 1}}).status_code == 204
    until(lambda: len(tunnel.requests) == 3)
    assert tunnel.parts(2)["event"]["installationId"] == installation
    bad: list[dict[str, Any]] = [
        {"task": []},
        {"task": {}, "schedule": 86_401},
        {"task": {}, "schedule": -1},
        {},
    ]
    for wrong in bad:
        assert cast.ada.post(f"{made.path}/tasks", wrong).status_code == 400
    assert cast.ada.post(f"{made.path}/tasks", {"task": {"x": "y" * 30_000}}).status_code == 400


def test_an_event_can_be_delivered_again_with_its_id(cast: Cast, neighbour: Neighbour) -> None:
    tunnel = Tunnel(neighbour)
    tunnel.answer = (500, {}, b"")
    made = PublishedIntegration(cast)
    made.put("/dev", {"tunnelUrl": tunnel.url})
    made.install()
    (event,) = settled(made, 1)
    assert [text for _, text in logs(made, event) if "answered with status 500" in text]
    tunnel.answer = (200, {}, b"")
    again = cast.ada.post(f"{made.path}/events/{event['id']}/redeliver")
    assert again.status_code == 200, again.text
    (event,) = settled(made, 1)
    assert event["status"] == "success"
    assert [tunnel.parts(n)["event"]["eventId"] for n in (0, 1)] == [event["id"]] * 2


def test_too_many_events_push_out_only_what_is_done_and_of_the_same_organization(cast: Cast) -> None:
    made = PublishedIntegration(cast, visibility="public")
    made.install(cast.elsewhere, cast.sol)
    made.install()
    endpoint = made.published["urls"]["publicEndpoint"]
    for _ in range(3):
        assert cast.instance.http.get(endpoint).status_code == 200
    waiting, *_, newest = [event["id"] for event in settled(made, 4)]

    async def wait(cx: Context) -> str:
        await cx.tx.put(IntegrationEvent, {"status": None}, id=waiting)
        integration = await cx.db.first(WHOLE, name=made.name)
        assert integration is not None
        return str(integration.id)

    integration_id = cast.instance.inside(wait)
    forget = integration_events.forget_old
    cast.instance.opened(lambda db: forget(db, integration_id, [cast.organization], utc_now(), most=1))
    assert [event["id"] for event in made.events()] == [newest, waiting]
    assert len(cast.sol.get(f"{made.path}/events").json()["items"]) == 1


def test_a_script_that_is_asked_for_again_is_kept(cast: Cast, neighbour: Neighbour) -> None:
    tunnel = Tunnel(neighbour)
    tunnel.answer = (500, {}, b"")
    made = PublishedIntegration(cast, scopes=["site:script:inject"])
    made.put("/dev", {"tunnelUrl": tunnel.url})
    site = ManagedSite(cast)
    made.on_site(made.install(), site.id)
    asked = next(e for e in settled(made, 3) if e["payload"]["type"] == "fetch_published_script")
    assert asked["status"] == "failed"
    assert site.get("/integration-scripts") == []
    script: Any = (200, {}, b"window.lamps = 1;")
    refusal = tunnel.answer  # publishing asks too, and that may come later
    tunnel.answer = lambda request: script if request.headers["x-docyard-event"] == asked["id"] else refusal
    assert cast.ada.post(f"{made.path}/events/{asked['id']}/redeliver").status_code == 200
    (kept,) = until(lambda: site.get("/integration-scripts"))
    assert cast.instance.http.get(kept["script"]).text == "window.lamps = 1;"


def test_where_it_is_not_active_nothing_of_the_content_is_told(cast: Cast) -> None:
    asked = {"properties": {"room": {"type": "string"}}, "required": ["room"]}
    made = PublishedIntegration(cast, configurations={"space": asked})
    installation, pending = made.install(), make.filled_space(cast)
    made.patch(f"/installations/{installation}", {"space_selection": "all"})
    assert made.on_space(installation, pending)["status"] == "pending"
    change = {"operation": "insert_page", "title": "Lamps", "document": {"markdown": "Two.\n"}}
    for space in (pending, make.filled_space(cast)):
        answer = cast.ada.post(f"/v1/spaces/{space}/content", {"changes": [change]})
        assert answer.status_code == 200, answer.text
    told = {event["payload"].get("spaceId") for event in made.events() if "revisionId" in event["payload"]}
    assert told
    assert pending not in told
    active = cast.ria.get(f"/v1/spaces/{pending}/integrations").json()["items"]
    assert made.name not in [item["name"] for item in active]


def test_events_are_kept_for_thirty_days(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "SWEEPS", 1.0)
    made = PublishedIntegration(cast)
    made.install()
    (event,) = settled(made, 1)

    async def age(cx: Context) -> None:
        old = {"created_at": cx.now - integration_events.KEPT - timedelta(hours=2)}
        await cx.tx.put(IntegrationEvent, old, id=event["id"])

    cast.instance.inside(age)
    assert made.events() == []
    assert cast.ada.get(f"{made.path}/events/{event['id']}").status_code == 404
    assert cast.ada.post(f"{made.path}/tasks", {"task": {"sweep": 1}}).status_code == 204

    async def kept(cx: Context) -> bool:
        return bool(await cx.db.all(_EVENT, id=event["id"]))

    until(lambda: not cast.instance.inside(kept))


def test_scripts_for_sites_are_fetched_kept_and_served(cast: Cast) -> None:
    script = """export default { async fetch(request, env) {
      const event = JSON.parse((await request.formData()).get("event"));
      return new Response(`window.lamps = "${event.siteId}";`);
    } };"""
    scopes = ["site:script:inject", "site:script:cookies"]
    made = PublishedIntegration(
        cast, script=script, scopes=scopes, contentSecurityPolicy="img-src https://a.example"
    )
    site = ManagedSite(cast)
    made.on_site(made.install(), site.id)
    (found,) = until(lambda: site.get("/integration-scripts"))
    assert (found["cookies"], found["contentSecurityPolicy"]) == (True, "img-src https://a.example")
    served = cast.instance.http.get(found["script"])
    assert served.text == f'window.lamps = "{site.id}";'
    assert served.headers["content-type"].startswith("text/javascript")
    made.post("", manifest(cast, script=script.replace("lamps", "lights"), scopes=scopes), 200)
    until(lambda: site.get("/integration-scripts")[0]["script"] != found["script"])
    assert cast.instance.http.get(found["script"]).status_code == 404
    assert cast.sol.get(f"{site.path}/integration-scripts").status_code == 404


def test_a_collection_that_is_handed_over_loses_its_installations(cast: Cast) -> None:
    made = PublishedIntegration(cast)
    collection = cast.ada.post(f"/v1/orgs/{cast.organization}/collections", {"title": "Shelf"}).json()["id"]
    space = make.space(cast.ada, cast.organization, parent=collection)["id"]
    installation = made.install()
    made.on_space(installation, space)
    script = made.token(installation)
    belong_elsewhere(cast)
    there = {"organization": cast.elsewhere}
    assert cast.ada.post(f"/v1/collections/{collection}/transfer", there).status_code == 200
    assert made.get("/spaces")["items"] == []
    assert script.get(f"/v1/spaces/{space}").status_code == 404


def test_a_slow_tunnel_holds_up_nobody(
    cast: Cast, neighbour: Neighbour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch, "SECONDS", TIMEOUT)
    released = Event()
    slow, quick = Tunnel(neighbour), Tunnel(neighbour)
    slow.answer = (200, {}, lingering(released))
    late, other = PublishedIntegration(cast), PublishedIntegration(cast)
    late.put("/dev", {"tunnelUrl": slow.url})
    other.put("/dev", {"tunnelUrl": quick.url})
    late.install()
    until(lambda: slow.requests)
    other.install()
    (event,) = settled(other, 1)
    assert event["status"] == "success"
    assert len(quick.requests) == 1
    assert late.events()[0]["status"] == "pending", "it is waited for"
    released.set()
    (event,) = settled(late, 1)
    assert event["status"] == "success"


def test_a_tunnel_that_takes_too_long_is_given_up(
    cast: Cast, neighbour: Neighbour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch, "SECONDS", 0.5)
    released = Event()
    slow = Tunnel(neighbour)
    slow.answer = (200, {}, lingering(released))
    late = PublishedIntegration(cast)
    late.put("/dev", {"tunnelUrl": slow.url})
    late.install()
    (event,) = settled(late, 1)
    released.set()
    assert event["status"] == "failed"
    assert any("took too long" in text for _, text in logs(late, event))


def test_a_script_is_served_no_more_once_its_scope_is_gone(cast: Cast) -> None:
    made = PublishedIntegration(cast, scopes=["site:script:inject"])
    site = ManagedSite(cast)
    made.on_site(made.install(), site.id)
    (found,) = until(lambda: site.get("/integration-scripts"))
    assert cast.instance.http.get(found["script"]).status_code == 200
    made.post("", manifest(cast, scopes=["site:metadata:read"]), 200)
    assert cast.instance.http.get(found["script"]).status_code == 404
