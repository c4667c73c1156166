"""The public endpoints of integrations: a request becomes a `fetch` event, the script's Response its answer.

An endpoint is an integration's, an installation's, or that of an installation on a space or site. Nobody is
asked for a token, so nothing of ours is handed on: no token that is for us, no cookie but the script's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from app.access.context import Context
from app.access.scopes import VISITOR_AUTH
from app.domain.integrations import deliveries, endpoint_cookies
from app.domain.integrations.event_destinations import EventDestination, destination, integration_columns
from app.domain.integrations.integration_rows import by_name
from app.kit.database.columns import Key
from app.kit.database.statements import given, rows
from app.kit.errors import BadGateway, NotFound, PreconditionFailed, Unavailable
from app.kit.settings import Settings
from app.kit.signing import AGENT, OAUTH, SESSION

if TYPE_CHECKING:
    from app.kit.sandbox.shapes import ScriptResult

OURS = ("dcy_", AGENT, OAUTH, SESSION)
HOP_BY_HOP = frozenset(
    [
        "connection",
        "content-length",
        "host",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ]
)
_AT = rows(lambda: select(*integration_columns(), *destination(given("object", Key))).where(by_name()))


@dataclass(slots=True, frozen=True)
class EndpointPath:
    """The endpoint of a request: that of an integration, or of one of its installations."""

    integration: str
    installation: str | None = None
    kind: str | None = None
    object_id: str | None = None


@dataclass(slots=True, frozen=True)
class EndpointCall:
    """A request as it came."""

    method: str
    url: str
    headers: list[tuple[str, str]]
    body: bytes
    is_own: bool = False  # at the integration's own origin


async def answer(cx: Context, door: EndpointPath, asked: EndpointCall) -> tuple[ScriptResult, str | None]:
    """Return what an integration answers to a request at its public endpoint,
    and the policy that it declared.

    Raises NotFound where nothing is there, BadGateway where the integration failed.
    """
    to = await _behind(cx, door)
    request = {
        "method": asked.method,
        "url": asked.url,
        "headers": _handed_on(cx.settings, asked),
    }
    payload: dict[str, Any] = {"request": request}
    if door.kind is not None:
        payload[f"{door.kind}Id"] = door.object_id
    result = await deliveries.ask(cx, to, "fetch", payload, asked.body or None)
    return settled(result), to.integration.manifest.get("contentSecurityPolicy")


async def authenticate_visitor(
    cx: Context,
    door: EndpointPath,
    *,
    location: str | None = None,
    search_params: Mapping[str, str] | None = None,
    cookies: Mapping[str, str] | None = None,
    logout: bool = False,
) -> ScriptResult:
    """Return what an integration answers where a visitor of a site has to sign in, or out.

    The integration must be the site's and have the scope for it; raises NotFound otherwise.
    """
    to = await _behind(cx, door)
    if VISITOR_AUTH not in to.scopes or to.placement is None:
        raise NotFound("The integration does not authenticate visitors of this site.")
    payload: dict[str, Any] = {"siteId": door.object_id}
    optional = {"location": location, "searchParams": search_params, "cookies": cookies}
    payload |= {name: value for name, value in optional.items() if value is not None}
    if logout:
        payload["action"] = "logout"
    return settled(await deliveries.ask(cx, to, "fetch_visitor_authentication", payload))


async def _behind(cx: Context, door: EndpointPath) -> EventDestination:
    """Return whom a request at a door goes to; raises NotFound where nothing is."""
    values = {"installation": door.installation or "", "object": door.object_id or ""}
    found = await cx.db.first(_AT, name=door.integration, **values)
    if found is None:
        raise _nothing()
    if door.installation is None:
        return EventDestination(found, found.organization_id)
    installed = found.installed[0] if found.installed else None
    if installed is None or installed.status == "paused":
        raise _nothing()
    placed = found.placed[0] if found.placed else None
    if door.kind is not None and (placed is None or placed.kind != door.kind):
        raise _nothing()
    return EventDestination(found, installed.organization_id, installed, placed)


def settled(result: ScriptResult) -> ScriptResult:
    """Return an answer that can be handed on; raises what is said instead where there is none."""
    if result.error == "SANDBOX_MISSING":
        raise PreconditionFailed("Nothing here runs scripts; the integration has no tunnel either.")
    if result.error == "SANDBOX_BUSY":
        raise Unavailable("Too many scripts run at the moment; try again shortly.")
    if result.error is not None:
        raise BadGateway("The integration failed.")
    return result


def _handed_on(settings: Settings, asked: EndpointCall) -> dict[str, str]:
    """Return the headers of a request that an integration may see: no token of ours, whose forms are known
    but for that of one that was preset."""
    seen: dict[str, str] = {}
    preset, begun = settings.demo_token, endpoint_cookies.prefix(settings, is_own=asked.is_own)
    for name, value in asked.headers:
        token = value.partition(" ")[2].strip() if name == "authorization" else ""
        is_ours = token.startswith(OURS) or (token != "" and token == preset)
        if name == "cookie":
            value = endpoint_cookies.given_back(value, begun)
            if value:
                seen[name] = f"{seen[name]}; {value}" if name in seen else value
        elif name not in HOP_BY_HOP and not is_ours:
            seen[name] = f"{seen[name]}, {value}" if name in seen else value
    return seen


def _nothing() -> NotFound:
    return NotFound("There is nothing at this address.")
