"""A block of an integration as a visitor of its page sees it: its script renders it, and hears of each press.

Each block has an address of its own, which is a page for those who have no script; the reader's own script
takes the block from there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import orjson
from starlette.types import Receive, Scope

from app.domain.integrations import component_rendering
from app.domain.sites import site_blocks
from app.domain.sites.site_blocks import BlockRequest, OfferedBlocks
from app.kit import workers
from app.kit.errors import NotFound
from app.models.base import checked
from app.models.integration_events import RenderRequest
from app.site_reader import answers, block_forms, request_url, site_navigation
from app.site_reader.answers import HTML, PRIVATE, Answer, Written
from app.site_reader.block_forms import Pressed, Seal
from app.site_reader.link_resolution import BodyLinks
from app.site_reader.page_content import blocks_of, document_of
from app.site_reader.rendering.view_models import Contributed
from app.site_reader.state import State
from app.site_reader.visit import Desk, Visit

if TYPE_CHECKING:
    from app.domain.integrations.component_rendering import Rendered

_CLOSED = "@ui.modal.close"


@dataclass(slots=True, frozen=True)
class Named:
    """A block by its address: a space of the site, a page there, and which of the page's blocks."""

    item: str
    page: str
    key: str


def address(visit: Visit, desk: Desk, row: Any) -> str:
    """Where the blocks of a page are, by their keys."""
    return f"{visit.base}/~/block/{desk.node.row.id}/{row.page_id}"


async def answer(state: State, visit: Visit, named: Named, scope: Scope, receive: Receive) -> Answer:
    """The block as it is now; raises NotFound where the page does not ask for it, or not for this visitor."""
    node = site_navigation.space_by_id(visit.tree, named.item)
    desk = await state.desks.at(visit, node) if node else None
    row = desk.tree.get(named.page) if desk else None
    if desk is None or row is None or row.document_id is None:
        raise NotFound("There is nothing at this address.")
    asked = await _asked(state, visit, desk, row, named.key)
    seal = Seal(visit.cx.signer, f"{visit.site.id} {asked.key}")
    pressed = await block_forms.pressed(seal, scope, receive) if scope["method"] == "POST" else None
    theme = request_url.query_of(scope).get("theme")
    component, rendered = await _rendered(visit, desk, asked, pressed, "dark" if theme == "dark" else "light")
    shown = Contributed(
        site_navigation.view_of(visit, None),
        row.title,
        desk.tree.href(row) or "/",
        f"{address(visit, desk, row)}/{asked.key}",
        asked.block.title,
        rendered.output,
        component,
        seal.put,
    )
    return await _answer(state, visit, shown, 0 if pressed else rendered.max_age)


async def _answer(state: State, visit: Visit, shown: Contributed, max_age: int) -> Answer:
    from app.site_reader.rendering.special_pages import contributed_html

    size = len(orjson.dumps(shown.output, default=str))  # a script may say much
    written = Written.of(await workers.run(size, contributed_html, shown))
    policy = answers.page_policy(visit.cx.settings, visit.base)
    made = Answer(written, media=HTML, policy=policy, cache=PRIVATE)
    if max_age and not visit.is_private:
        made.cache = f"public, max-age={max_age}"
    return made.header("x-robots-tag", "noindex")


async def _asked(state: State, visit: Visit, desk: Desk, row: Any, key: str) -> BlockRequest:
    offer = site_blocks.offered(visit.site, desk.shelf.space_id)
    document, stock = await document_of(state, visit, desk, row)
    links = BodyLinks(stock, row.source or "")
    found = await workers.run(stock.size(document), _found, document, links, offer, key)
    if found is None:
        raise NotFound("There is no such block on this page any more.")
    return found


def _found(document: Any, links: BodyLinks, offer: OfferedBlocks, key: str) -> BlockRequest | None:
    asked = (offer.asked_by(node) for node in blocks_of(document["nodes"], links))
    return next((each for each in asked if each is not None and each.key == key), None)


async def _rendered(
    visit: Visit, desk: Desk, asked: BlockRequest, pressed: Pressed | None, theme: str
) -> tuple[str, Rendered]:
    """The component that is shown and what it looks like: a modal that opens, or the block itself, which is
    told what a modal was for when that closes."""
    unfurling = {"action": "@link.unfurl", "url": asked.unfurled} if asked.unfurled else {}
    first = Pressed(asked.block.id, dict(asked.props), {}, unfurling)
    turn = pressed or first
    if turn.action.get("action") == "@ui.modal.open":
        turn = Pressed(str(turn.action.get("componentId")), _table(turn.action.get("props")), {}, {})
    elif turn.action.get("action") == _CLOSED:
        turn = replace(first, action=turn.action)
    rendered = await _ask(visit, desk, asked, turn, theme)
    if rendered.output["type"] == "complete":
        turn = replace(first, action={"action": _CLOSED, "returnValue": rendered.output.get("returnValue")})
        rendered = await _ask(visit, desk, asked, turn, theme)
    return turn.component, rendered


def _table(given: Any) -> dict[str, Any]:
    return given if isinstance(given, dict) else {}


async def _ask(visit: Visit, desk: Desk, asked: BlockRequest, pressed: Pressed, theme: str) -> Rendered:
    context = {"type": "document", "spaceId": desk.shelf.space_id, "theme": theme, "editable": False}
    request: dict[str, Any] = {"componentId": pressed.component, "props": pressed.props, "context": context}
    if pressed.state:
        request["state"] = pressed.state
    if pressed.action:
        request["action"] = pressed.action
    return await component_rendering.render_published(
        visit.cx, asked.block.integration, checked(RenderRequest, request, strict=True)
    )
