"""Integrations for the tests, made over HTTP."""

from __future__ import annotations

import json
import time
from base64 import b64encode
from typing import Any

from app.kit.ids import new_id
from tests.cast import Cast, Person
from tests.make import picture
from tests.timing import TIMEOUT

SCRIPT = "export default { async fetch(request) { return new Response('hello'); } };\n"
RENDERING = """
export default {
  async fetch(request, env, ctx) {
    const form = await request.formData();
    const event = JSON.parse(form.get("event"));
    console.log("rendering " + event.componentId);
    const text = { type: "markdown", content: "Hello " + (event.props.name ?? "world") };
    const block = { type: "block", children: [text] };
    const headers = { "cache-control": "max-age=60" };
    return Response.json({ type: "element", element: block, state: {}, props: event.props }, { headers });
  },
};
"""
SCOPES = [
    "space:content:read", "space:metadata:read", "space:git:sync", "site:metadata:read", "site:views:read",
    "site:script:inject",
]  # fmt: skip
ACCOUNT = {
    "properties": {
        "key": {"type": "string", "title": "Key", "description": "Where from"},
        "size": {"type": "number", "default": 3},
        "tone": {"type": "string", "enum": ["soft", "loud"], "default": "soft"},
        "connect": {"type": "button", "callback_url": "/connect", "button_text": "Connect"},
    },
    "required": ["key"],
}


def manifest(cast: Cast, **fields: Any) -> dict[str, Any]:
    """The least that is needed to publish."""
    return {
        "title": "Lamp counter",
        "description": "Counts lamps",
        "scopes": SCOPES,
        "script": SCRIPT,
        "organization": cast.organization,
        **fields,
    }


def whole(cast: Cast, **fields: Any) -> dict[str, Any]:
    """A manifest with everything."""
    icon = b64encode(picture(4, 4)).decode()
    parts = {
        "runtime": "v1",
        "icon": icon,
        "summary": "# Lamps\n\nAll of them.",
        "previewImages": [icon, b64encode(picture(8, 4)).decode()],
        "categories": ["content", "analytics"],
        "blocks": [
            {
                "id": "lamp",
                "title": "Lamp",
                "description": "A lamp",
                "icon": icon,
                "urlUnfurl": ["https://lamps.example.org/lamp/"],
                "markdown": {"codeblock": "lamp", "body": "content"},
            }
        ],
        "contentSources": [
            {"id": "lamps", "title": "Lamps", "icon": icon, "configuration": {"componentId": "configure"}}
        ],
        "externalLinks": [{"url": "https://lamps.example.org", "label": "Lamps"}],
        "configurations": {"account": ACCOUNT, "site": {"componentId": "site"}},
        "secrets": {"TOKEN": "lighthouse-secret"},
        "contentSecurityPolicy": {"default-src": "'none'", "frame-src": "https://lamps.example.org"},
    }
    return manifest(cast, **{**parts, **fields})


class PublishedIntegration:
    """A published integration, and what is done with it as its administrator."""

    def __init__(
        self, cast: Cast, *, by: Person | None = None, name: str | None = None, **fields: Any
    ) -> None:
        self.cast, self.name = cast, name or new_id()
        self.by = by or cast.ada
        self.path = f"/v1/integrations/{self.name}"
        self.published = self.post("", manifest(cast, **fields), 200)

    @classmethod
    def of(cls, cast: Cast, name: str) -> PublishedIntegration:
        """An integration that the administrator of the cast has published already."""
        made = cls.__new__(cls)
        made.cast, made.name, made.by, made.path = cast, name, cast.ada, f"/v1/integrations/{name}"
        made.published = made.get()
        return made

    def post(self, path: str, body: Any = None, status: int = 201) -> Any:
        """Return what was made at an address below the integration's."""
        answer = self.by.post(f"{self.path}{path}", body)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def patch(self, path: str, body: Any) -> Any:
        """Return what was changed."""
        answer = self.by.patch(f"{self.path}{path}", body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def put(self, path: str, body: Any) -> None:
        """Set something."""
        answer = self.by.put(f"{self.path}{path}", body)
        assert answer.status_code == 204, answer.text

    def get(self, path: str = "") -> Any:
        """Return what is there."""
        answer = self.by.get(f"{self.path}{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def install(self, organization: str | None = None, person: Person | None = None) -> str:
        """An installation, active if nothing has to be configured."""
        body = {"organization": organization or self.cast.organization}
        answer = (person or self.by).post(f"{self.path}/installations", body)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def on_space(self, installation: str, space: str) -> Any:
        """The installation on a space."""
        return self.post(f"/installations/{installation}/spaces", {"space": space})

    def on_site(self, installation: str, site: str) -> Any:
        """The installation on a site."""
        return self.post(f"/installations/{installation}/sites", {"siteId": site})

    def token(self, installation: str) -> Person:
        """Whoever calls with a new token of an installation."""
        made = self.post(f"/installations/{installation}/tokens", status=200)
        return Person(self.cast.instance, "", "", made["token"])

    def events(self, limit: int = 100) -> list[dict[str, Any]]:
        """Return what it was told, newest first."""
        found: list[dict[str, Any]] = self.get(f"/events?limit={limit}")["items"]
        return found

    def told(self) -> list[dict[str, Any]]:
        """The same, when all of it was delivered."""
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            events = self.events()
            if all(event["status"] != "pending" for event in events):
                return events
            time.sleep(0.05)
        raise AssertionError("nobody delivers the events")


def compressed(value: Any) -> str:
    """JSON as LZ-string writes it for an address, in the plainest way: every character as itself."""
    text = json.dumps(value)
    bits: list[int] = []

    def put(number: int, width: int) -> None:
        bits.extend(number >> place & 1 for place in range(width))

    known: dict[str, int] = {}
    enlarge, width, last = 2, 2, ""
    fresh: set[str] = set()

    def emit(phrase: str) -> None:
        nonlocal enlarge, width
        if phrase in fresh:
            put(0 if ord(phrase) < 256 else 1, width)
            put(ord(phrase), 8 if ord(phrase) < 256 else 16)
            enlarge -= 1
            if enlarge == 0:
                enlarge, width = 1 << width, width + 1
            fresh.discard(phrase)
        else:
            put(known[phrase], width)
        enlarge -= 1
        if enlarge == 0:
            enlarge, width = 1 << width, width + 1

    for character in text:
        if character not in known:
            known[character] = len(known) + 3
            fresh.add(character)
        if last + character in known:
            last += character
            continue
        if last:
            emit(last)
        known[last + character] = len(known) + 3
        last = character
    emit(last)
    put(2, width)
    bits.extend([0] * (6 - len(bits) % 6))
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-$"
    sixes = (bits[at : at + 6] for at in range(0, len(bits), 6))
    return "".join(alphabet[int("".join(map(str, six)), 2)] for six in sixes)
