"""Delivery of events to integrations: to the development tunnel, or to the script in the sandbox.

Both get the same multipart form: the event, and the environment that a script needs to act. What goes over
HTTP is signed with a timestamp, and follows no redirect. Nothing is tried a second time.
"""

from __future__ import annotations

import hmac
import time
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from cachetools import LRUCache
from sqlalchemy import Integer, Select, select

from app.access.context import Context
from app.domain.infrastructure import circuit_breakers
from app.domain.integrations import integration_secrets
from app.domain.integrations.event_destinations import EventDestination, destination, integration_columns
from app.domain.integrations.integration_rows import INTEGRATIONS
from app.domain.integrations.script_environment import environment_of
from app.domain.site_addresses import addresses
from app.kit import callers
from app.kit.database.columns import Key
from app.kit.database.statements import given, rows, table
from app.models.integrations import IntegrationVersion

if TYPE_CHECKING:
    from app.kit.sandbox.shapes import ScriptResult

SECONDS = 10.0
ANSWER = 2_000_000  # bytes of an answer
BODY = 5_000_000  # bytes of a request at a public endpoint, and of the answer there
RUNTIME = "/v1"  # the path of a script's request: the version of the interface that its runtime asks for
NOT_HANDLED = 406  # what runtimes answer to a type of events that their script does not handle
GATEWAY_FAILED = (502, 503, 504)  # what stands before a tunnel says so of a program that is not there
SCRIPTS = 32  # kept in memory
INTEGRATION_VERSIONS = table(IntegrationVersion)


@dataclass(slots=True)
class _ScriptCache:
    """Scripts by integration and version: what every event would read again."""

    held: LRUCache[tuple[str, int], str] = field(default_factory=lambda: LRUCache(SCRIPTS))


_cache = _ScriptCache()


def _destination() -> Select[Any]:
    return select(*integration_columns(), *destination(given("object", Key))).where(
        INTEGRATIONS.c.id == given("integration", Key)
    )


_DESTINATION = rows(_destination)
_SCRIPT = rows(
    lambda: select(INTEGRATION_VERSIONS.c.script).where(
        INTEGRATION_VERSIONS.c.integration_id == given("integration"),
        INTEGRATION_VERSIONS.c.version == given("version", Integer()),
    )
)


async def find(
    cx: Context, integration_id: str, organization_id: str, installation_id: str | None, object_id: str | None
) -> EventDestination | None:
    """Return whom an event goes to as that is now; None where there is no such integration any more."""
    found = await cx.db.first(
        _DESTINATION,
        integration=integration_id,
        installation=installation_id or "",
        object=object_id or "",
    )
    if found is None:
        return None
    return EventDestination(found, organization_id, _only(found.installed), _only(found.placed))


def _only(found: Any) -> Any:
    return found[0] if found else None


async def dispatch(
    cx: Context, to: EventDestination, event: dict[str, Any], body: bytes | None = None
) -> ScriptResult:
    """Send an event and wait for the answer; what goes wrong is told in the result.

    Only CircuitOpen is raised: the event was not sent, since its tunnel fails all the time.
    """
    from app.kit.sandbox.shapes import ScriptEvent, ScriptResult

    if to.installation is not None and to.installation.status == "paused":
        return ScriptResult(error="SCRIPT_FAILED", message="The installation is paused.")
    tunnel = to.tunnel
    posting = ScriptEvent(event, {**await environment_of(cx, to)}, body)
    if tunnel is not None:
        return await _tunnelled(cx, to, tunnel, posting)
    return await _run(cx, to, posting)


def _most(event: dict[str, Any]) -> int:
    """Return how many bytes an answer may have: those of endpoints are whole files."""
    return BODY if event["type"] == "fetch" else ANSWER


async def _run(cx: Context, to: EventDestination, posting: Any) -> ScriptResult:
    from app.kit.http.outbound import Outbound
    from app.kit.sandbox.host import fetching
    from app.kit.sandbox.running import run
    from app.kit.sandbox.shapes import Budget, LogLine, ScriptResult, request_of

    if callers.waiting_scripts.get() >= callers.MAX_WAITING_SCRIPTS:
        most = callers.MAX_WAITING_SCRIPTS
        said = f"{most} scripts wait for this one already; they call each other in a circle."
        return ScriptResult(error="SCRIPT_FAILED", message=said)
    settings, row = cx.settings, to.integration
    script = await _script(cx, row)
    home = addresses.of_endpoints(settings, row.name)
    outbound = Outbound(settings.allowed_hosts, SECONDS, settings.outbound_max_bytes)
    result = await run(
        script,
        request_of(posting, f"{settings.base_url}{RUNTIME}"),
        environment=posting.environment,
        owner=row.id,
        budget=Budget(memory=settings.script_memory, answer_bytes=_most(posting.event)),
        places=settings.scripts,
        fetch=fetching(outbound, homes=(settings.api_base, settings.sites_base, home)),
    )
    if result.status >= 400 and result.status != NOT_HANDLED:
        said = f"The script answered with status {result.status}."
        result.logs.append(LogLine(int(time.time() * 1000), "error", said))
    return result


class IntegrationVersionRow(Protocol):
    """An integration in a version."""

    id: str
    version: int


async def _script(cx: Context, row: IntegrationVersionRow) -> str:
    key = (row.id, row.version)
    held = _cache.held.get(key)
    if held is None:
        found = await cx.db.first(_SCRIPT, integration=row.id, version=row.version)
        held = _cache.held[key] = found.script if found else ""
    return held


async def _tunnelled(cx: Context, to: EventDestination, tunnel: str, posting: Any) -> ScriptResult:
    from app.kit.http.outbound import Outbound, OutboundError
    from app.kit.sandbox.shapes import LogLine, ScriptResult, request_of

    request = request_of(posting, tunnel)
    key, _ = integration_secrets.opened(cx, to.integration.secrets)
    timestamp = str(int(cx.now.timestamp()))
    headers = {
        **dict(request.headers),
        "x-docyard-event": posting.event["eventId"],
        "x-docyard-timestamp": timestamp,
        "x-docyard-signature": f"v1={signature(key, timestamp, request.body)}",
    }
    outbound = Outbound(cx.settings.allowed_hosts, SECONDS, _most(posting.event))
    host, began = urlsplit(tunnel).netloc, time.monotonic()

    def line(level: Any, text: str) -> list[LogLine]:
        return [LogLine(int(time.time() * 1000), level, text)]

    def took() -> float:
        return (time.monotonic() - began) * 1000

    def fell_short(code: Any, message: str) -> ScriptResult:
        return ScriptResult(error=code, message=message, logs=line("error", message), duration=took())

    assert cx.home is not None
    circuit = circuit_breakers.key_of("tunnel", to.integration.id, tunnel)
    try:
        async with circuit_breakers.guarded(cx.home, circuit, cx.now, seconds=SECONDS) as sent:
            try:
                answer = await outbound.fetch(
                    tunnel,
                    method="POST",
                    headers=headers,
                    content=request.body,
                    any_status=True,
                    any_redirect=posting.event["type"] == "fetch",
                    max_redirects=0,
                )
            except OutboundError as error:
                sent.failed = error.outage
                raise
            sent.failed = answer.status in GATEWAY_FAILED
    except OutboundError as error:
        failed = "SCRIPT_TIMEOUT" if error.code == "FETCH_TIMEOUT" else "SCRIPT_FAILED"
        return fell_short(failed, error.message)
    if not 200 <= answer.status <= 599:  # as of a script's own answers: nobody can hand on another status
        return fell_short("SCRIPT_FAILED", f"{host} answered with {answer.status}, which is no status.")
    said = f"{host} answered with status {answer.status} in {took():.0f} ms."
    return ScriptResult(
        status=answer.status,
        headers=list(answer.headers.items()),
        body=answer.body,
        logs=line("info" if answer.status < 400 or answer.status == NOT_HANDLED else "error", said),
        duration=took(),
    )


def signature(key: str, timestamp: str, body: bytes) -> str:
    """Return what proves that an event is ours and when it was sent: HMAC-SHA-256 of `<timestamp>.<body>`."""
    return hmac.new(key.encode(), f"{timestamp}.".encode() + body, sha256).hexdigest()
