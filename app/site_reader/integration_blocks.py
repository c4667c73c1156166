"""A block of an integration as a visitor sees it: rendered by its script, with a form for what visitors do.

What visitors press and fill in where an integration shows something: a form, read as its script gets it.

What the script said comes back with the form: under a seal, so that nobody hands it other properties than a
page or the script itself gave. What is filled in are states, and the visitor's own word.

A block of an integration as a visitor of its page sees it: its script renders it, and hears of each press.

Each block has an address of its own, which is a page for those who have no script; the reader's own script
takes the block from there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import orjson
from starlette.requests import Request
from starlette.types import Receive, Scope

from app.bodies import body_bytes, json_value
from app.domain.integrations import component_rendering
from app.domain.integrations.component_rendering import LARGEST
from app.domain.site_addresses import addresses
from app.domain.sites import site_integrations
from app.domain.sites.site_integrations import BlockRequest, OfferedBlocks
from app.kit import workers
from app.kit.errors import Invalid, NotFound
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.models.checks import checked
from app.models.integration_rendering import RenderRequest
from app.models.pages import PageVersion
from app.present.html_links import blocks_of
from app.site_reader import block_sizes, request_url, responses, site_navigation, texts
from app.site_reader.link_resolution import BodyLinkResolver
from app.site_reader.page_content import document_of
from app.site_reader.rendering.render_context import FramePlaces, IntegrationBlockView
from app.site_reader.rendering.ui_controls import DO, FRAMED, SHOWN
from app.site_reader.responses import HTML, PRIVATE, EncodedBody, SiteResponse
from app.site_reader.state import ReaderState
from app.site_reader.visit import VisibleSpace, Visit

if TYPE_CHECKING:
    from app.domain.integrations.component_rendering import Rendered


PURPOSE = "block"
_LENGTH = 16  # of a signature


@dataclass(slots=True, frozen=True)
class Submission:
    """The state of a component when something was done there, and what that was."""

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
            raise Invalid("This message does not come from this page. Open the page again.", path=field)
        value: dict[str, Any] = orjson.loads(text)
        return value

    def _said(self, field: str, text: str) -> str:
        return f"{self.block} {field} {text}"


async def read_submission(seal: FormSeal, scope: Scope, receive: Receive) -> Submission:
    """Read the form that was sent, by no page elsewhere."""
    request_url.refuse_other_pages(scope)
    body = await body_bytes(Request(scope, receive), LARGEST)
    pairs = request_url.pairs_of(body.decode("utf-8", "replace"))
    if any("\x00" in name or "\x00" in value for name, value in pairs):
        raise Invalid("Text may not contain the NUL character.", path="body")
    given = dict(pairs)
    was = seal.open(SHOWN, given.get(SHOWN, ""))
    action = seal.open(DO, given[DO]) if DO in given else _framed(given[FRAMED]) if FRAMED in given else {}
    return Submission(was["component"], was["props"], {**was["state"], **_states(pairs)}, action)


def _framed(said: str) -> dict[str, Any]:
    """Return the action of a web frame: like a state the visitor's own word, and never one of ours."""
    action = json_value(said.encode(), FRAMED)
    if not isinstance(action, dict) or not isinstance(action.get("action"), str):
        raise Invalid("This must be an action with its name.", path=FRAMED)
    if action["action"].startswith("@"):
        raise Invalid("A web frame has actions of its integration alone.", path=FRAMED)
    return action


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


_CLOSED = "@ui.modal.close"


@dataclass(slots=True, frozen=True)
class BlockAddress:
    """A block by its address: a space of the site, a page there, and which of the page's blocks."""

    item: str
    page: str
    key: str


def address(visit: Visit, space: VisibleSpace, row: PageVersion) -> str:
    """Return the address below which the blocks of a page are, by their keys."""
    return f"{visit.base}/~/block/{space.node.row.id}/{row.page_id}"


async def respond(
    state: ReaderState, visit: Visit, named: BlockAddress, scope: Scope, receive: Receive
) -> SiteResponse:
    """Return the block as it is now; raises NotFound where the page does not ask for it,
    or not for this visitor.
    """
    space = await site_navigation.visible_space(state, visit, named.item)
    row = space.tree.get(named.page) if space else None
    if space is None or row is None or row.document_id is None:
        raise NotFound("There is nothing at this address.")
    asked = await _asked(state, visit, space, row, named.key)
    seal = FormSeal(visit.cx.signer, f"{visit.site.id} {asked.key}")
    pressed = await read_submission(seal, scope, receive) if scope["method"] == "POST" else None
    theme = "dark" if request_url.query_of(scope).get("theme") == "dark" else "light"
    component, rendered = await _rendered(
        visit, space, asked, pressed, "dark" if theme == "dark" else "light"
    )
    shown = IntegrationBlockView(
        site_navigation.site_view(visit, None),
        row.title,
        space.tree.href(row) or "/",
        f"{address(visit, space, row)}/{asked.key}",
        asked.block.title,
        rendered.output,
        component,
        seal.put,
        frame_places(visit.cx.settings, asked.block.integration),
    )
    block_sizes.remember(asked.block, rendered.output)
    return await _answer(state, visit, shown, 0 if pressed else rendered.max_age)


async def _answer(
    state: ReaderState, visit: Visit, shown: IntegrationBlockView, max_age: int
) -> SiteResponse:
    from app.site_reader.rendering.page import integration_block_html

    size = len(orjson.dumps(shown.output, default=str))  # a script may say much
    with texts.spoken(shown.site.language):
        written = EncodedBody.of(await workers.run(size, integration_block_html, shown))
    settings = visit.cx.settings
    more = {"frame-src": responses.framed(settings)}
    policy = responses.page_policy(settings, visit.base, more, is_framed=visit.preview is not None)
    made = SiteResponse(written, media=HTML, policy=policy, cache=PRIVATE)
    if max_age and not visit.is_private:
        made.cache = f"public, max-age={max_age}"
    return made.header("x-robots-tag", "noindex")


def frame_places(settings: Settings, integration: str) -> FramePlaces:
    """Return where the web frames of an integration are."""
    return FramePlaces(
        addresses.of_endpoints_beside(settings, integration),
        addresses.of_own_endpoints(settings, integration),
    )


async def _asked(
    state: ReaderState, visit: Visit, space: VisibleSpace, row: PageVersion, key: str
) -> BlockRequest:
    offer = site_integrations.offered(visit.site, space.snapshot.space_id)
    document, context = await document_of(state, visit, space, row)
    links = BodyLinkResolver(context, row.source or "")
    found = await workers.run(context.size(document), _found, document, links, offer, key)
    if found is None:
        raise NotFound("This block no longer exists on the page.")
    return found


def _found(document: Any, links: BodyLinkResolver, offer: OfferedBlocks, key: str) -> BlockRequest | None:
    asked = (offer.asked_by(node) for node in blocks_of(document["nodes"], links))
    return next((each for each in asked if each is not None and each.key == key), None)


async def _rendered(
    visit: Visit, space: VisibleSpace, asked: BlockRequest, pressed: Submission | None, theme: str
) -> tuple[str, Rendered]:
    """Return the component that is shown and what it looks like: a modal that opens, or the block itself,
    which is told what a modal was for when that closes.
    """
    unfurling = {"action": "@link.unfurl", "url": asked.unfurled} if asked.unfurled else {}
    first = Submission(asked.block.id, dict(asked.props), {}, unfurling)
    turn = pressed or first
    if turn.action.get("action") == "@ui.modal.open":
        turn = Submission(str(turn.action.get("componentId")), _table(turn.action.get("props")), {}, {})
    elif turn.action.get("action") == _CLOSED:
        turn = replace(first, action=turn.action)
    rendered = await _ask(visit, space, asked, turn, theme)
    if rendered.output["type"] == "complete":
        turn = replace(first, action={"action": _CLOSED, "returnValue": rendered.output.get("returnValue")})
        rendered = await _ask(visit, space, asked, turn, theme)
    return turn.component, rendered


def _table(given: Any) -> dict[str, Any]:
    return given if isinstance(given, dict) else {}


async def _ask(
    visit: Visit, space: VisibleSpace, asked: BlockRequest, pressed: Submission, theme: str
) -> Rendered:
    context = {"type": "document", "spaceId": space.snapshot.space_id, "theme": theme, "editable": False}
    request: dict[str, Any] = {"componentId": pressed.component, "props": pressed.props, "context": context}
    if pressed.state:
        request["state"] = pressed.state
    if pressed.action:
        request["action"] = pressed.action
    return await component_rendering.render_published(
        visit.cx, asked.block.integration, checked(RenderRequest, request, strict=True)
    )
