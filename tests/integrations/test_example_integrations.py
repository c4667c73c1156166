"""Two integrations as people write them: TypeScript, bundled, published, installed, rendered and acted on."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

import pytest

from tests import make
from tests.cast import Cast
from tests.factories.integrations import PublishedIntegration
from tests.integrations.bundling import bundled

TICKETS: dict[str, Any] = {
    "blocks": [{"id": "ticket", "title": "Ticket", "urlUnfurl": ["https://tickets.example/"]}],
    "configurations": {
        "account": {"properties": {"prefix": {"type": "string", "title": "Prefix"}}, "required": ["prefix"]}
    },
    "secrets": {"hook": "the hook's secret"},
}


def on_a_page(made: PublishedIntegration, installation: str) -> dict[str, Any]:
    """The context of a page in a space that the integration is installed on."""
    space = make.space(made.cast.ada, made.cast.organization)["id"]
    made.on_space(installation, space)
    return {"type": "document", "theme": "light", "spaceId": space, "editable": True}


def rendered(
    made: PublishedIntegration, component: str, context: dict[str, Any], **more: Any
) -> dict[str, Any]:
    found: dict[str, Any] = made.post(
        "/render", {"componentId": component, "props": {}, "context": context, **more}, 200
    )
    return found


def traced(made: PublishedIntegration) -> list[str]:
    event = made.events()[0]["id"]
    return [line["message"] for line in made.get(f"/events/{event}")["trace"]["logs"]]


def test_the_hello_world(cast: Cast) -> None:
    made = PublishedIntegration(cast, script=bundled("hello"), blocks=[{"id": "hello", "title": "Hello"}])
    here = on_a_page(made, made.install())
    first = rendered(made, "hello", here, props={"name": "Ada"})
    assert first["element"]["children"][0] == {"type": "markdown", "content": "Hello Ada!"}
    press = first["element"]["children"][1]["onPress"]
    second = rendered(made, "hello", here, props=first["props"], state=first["state"], action=press)
    assert second["element"]["children"][0] == {"type": "markdown", "content": "Hello Ada!!"}
    assert second["props"] == {"name": "Ada", "times": 2}


@pytest.fixture
def tickets(cast: Cast) -> PublishedIntegration:
    """The block that is configured, installed but not configured yet."""
    return PublishedIntegration(cast, script=bundled("tickets"), **TICKETS)


def test_the_configurable_block(cast: Cast, tickets: PublishedIntegration) -> None:
    installation = tickets.install()
    where = {"type": "configuration_account", "theme": "dark", "organizationId": cast.organization}
    asked = rendered(tickets, "configuration", where)
    assert asked["element"]["children"][0]["element"] == {
        "type": "textinput", "state": "prefix", "inputType": "text",
    }  # fmt: skip
    press = asked["element"]["children"][1]["onPress"]
    done = rendered(tickets, "configuration", where, state={"prefix": "LAMP"}, action=press)
    assert done == {"type": "complete", "returnValue": {"prefix": "LAMP"}}
    changed = tickets.patch(f"/installations/{installation}", {"configuration": done["returnValue"]})
    assert changed["status"] == "active"

    here = on_a_page(tickets, installation)
    shown = rendered(tickets, "ticket", here, props={"number": "12"})
    card = shown["element"]["children"][0]
    assert card["title"] == "Ticket LAMP-12"
    assert card["children"][1]["source"]["url"] == "https://tickets.example/frame/12"
    assert shown["element"]["controls"][0]["onPress"]["action"] == "@ui.modal.open"
    save = card["children"][0]["children"][1]["onPress"]
    saved = rendered(tickets, "ticket", here, props=shown["props"], state={"number": "13"}, action=save)
    assert saved["element"]["children"][0]["title"] == "Saved LAMP-13"
    link = {"action": "@link.unfurl", "url": "https://tickets.example/t/77"}
    unfurled = rendered(tickets, "ticket", here, action=link)
    assert unfurled["element"]["children"][0]["title"] == "From a link LAMP-77"


def test_its_public_endpoint(cast: Cast, tickets: PublishedIntegration) -> None:
    installation = tickets.install()
    tickets.patch(f"/installations/{installation}", {"configuration": {"prefix": "LAMP"}})
    place = tickets.get(f"/installations/{installation}")["urls"]["publicEndpoint"]
    body = json.dumps({"from": "outside", "text": "ü"}).encode()
    signature = hmac.new(b"the hook's secret", body, hashlib.sha256).hexdigest()

    def sent(signed: str) -> Any:
        headers = {"x-signature": signed, "content-type": "application/json"}
        return cast.instance.http.post(place, content=body, headers=headers)

    right = sent(signature)
    assert (right.status_code, right.json()) == (200, {"received": {"from": "outside", "text": "ü"}})
    assert sent("0" * 64).status_code == 401
    script = cast.instance.http.get(f"{place}/script.js")
    assert script.text == 'document.documentElement.dataset.tickets = "LAMP";'
    assert script.headers["content-type"].startswith("application/javascript")


def test_a_script_that_never_ends_is_a_bad_gateway_and_told_in_the_trace(cast: Cast) -> None:
    made = PublishedIntegration(
        cast, script="export default { fetch() { for (;;); } };", blocks=[{"id": "x", "title": "Endless"}]
    )
    body = {"componentId": "x", "props": {}, "context": on_a_page(made, made.install())}
    made.post("/render", body, 502)
    assert "computed for too long" in traced(made)[-1]
