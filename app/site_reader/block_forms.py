"""What visitors press and fill in where an integration shows something: a form, read as its script gets it.

What the script said comes back with the form: under a seal, so that nobody hands it other properties than a
page or the script itself gave. What is filled in are states, and the visitor's own word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson
from starlette.requests import Request
from starlette.types import Receive, Scope

from app.bodies import body_bytes, json_value
from app.domain.integrations.component_rendering import LARGEST
from app.kit.errors import Invalid, NotFound
from app.kit.signing import Signer
from app.site_reader import request_url
from app.site_reader.rendering.ui_controls import DO, SHOWN

PURPOSE = "block"
_LENGTH = 16  # of a signature


@dataclass(slots=True, frozen=True)
class Submission:
    """What a component showed and said when something was done there, and what that was."""

    component: str
    props: dict[str, Any]
    state: dict[str, Any]
    action: dict[str, Any]


@dataclass(slots=True, frozen=True)
class FormSeal:
    """Seals what is said of one block of one site."""

    signer: Signer
    block: str

    def put(self, field: str, value: Any) -> str:
        """Return a value as a field holds it: its JSON, under the seal."""
        text = orjson.dumps(value).decode()
        return self.signer.sign(PURPOSE, self._said(field, text)) + text

    def open(self, field: str, sealed: str) -> dict[str, Any]:
        """Return what was sealed for a field; raises Invalid where nothing was."""
        signature, text = sealed[:_LENGTH], sealed[_LENGTH:]
        if not self.signer.good(PURPOSE, self._said(field, text), signature):
            raise Invalid("This was not said here; open the page again.", path=field)
        value: dict[str, Any] = orjson.loads(text)
        return value

    def _said(self, field: str, text: str) -> str:
        return f"{self.block} {field} {text}"


async def read_submission(seal: FormSeal, scope: Scope, receive: Receive) -> Submission:
    """Read the form that was sent; a page elsewhere cannot send it, unless somebody clicks there."""
    clicked = request_url.header(scope, b"sec-fetch-user") == "?1"
    if request_url.header(scope, b"sec-fetch-site") in ("cross-site", "same-site") and not clicked:
        raise NotFound("There is nothing at this address.")
    body = await body_bytes(Request(scope, receive), LARGEST)
    pairs = request_url.pairs_of(body.decode("utf-8", "replace"))
    if any("\x00" in name or "\x00" in value for name, value in pairs):
        raise Invalid("Text may not contain the NUL character.", path="body")
    given = dict(pairs)
    was = seal.open(SHOWN, given.get(SHOWN, ""))
    action = seal.open(DO, given[DO]) if DO in given else {}
    return Submission(was["component"], was["props"], {**was["state"], **_states(pairs)}, action)


def _states(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """Return the fields by their kind and name (see `rendering.ui_controls`)."""
    states: dict[str, Any] = {}
    for field, value in pairs:
        kind, _, name = field.partition(".")
        match kind:
            case "t":
                states[name] = value
            case "b":
                states[name] = value == "1"
            case "v":
                states[name] = json_value(value.encode(), field)
            case "s":
                chosen = (each for other, each in pairs if other == field and each)
                states[name] = [json_value(each.encode(), field) for each in chosen]
    return states
