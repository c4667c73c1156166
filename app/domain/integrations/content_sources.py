"""Content sources of integrations: what they compute from, and the events that ask them for pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson
from sqlalchemy import select

from app.access.context import Context
from app.domain.integrations import component_rendering, deliveries
from app.domain.integrations.event_destinations import EventDestination
from app.domain.openapi.openapi_specs import OPENAPI_SPECS
from app.kit.database.sql import among
from app.kit.database.statements import rows, table
from app.kit.errors import BadGateway, Unavailable
from app.models.spaces import Space

if TYPE_CHECKING:
    from app.kit.sandbox.shapes import ScriptResult

LONGEST_REASON = 300
GONE = "What the source computes from is gone: {}."
SPACES = table(Space)
_SPACES = rows(
    lambda: select(SPACES.c.id, SPACES.c.revision_id, SPACES.c.organization_id).where(
        among(SPACES.c.id, "ids"), SPACES.c.deleted_at.is_(None)
    )
)
_SPECS = rows(
    lambda: select(
        OPENAPI_SPECS.c.id,
        OPENAPI_SPECS.c.slug,
        OPENAPI_SPECS.c.last_version,
        OPENAPI_SPECS.c.organization_id,
    ).where(among(OPENAPI_SPECS.c.id, "ids"))
)


def names_of(computed_type: str) -> tuple[str, str]:
    """Return the integration and the source that a page's type names."""
    _, name, source = computed_type.split(":")
    return name, source


async def source_of(cx: Context, space_id: str, computed_type: str) -> EventDestination:
    """Return whom to ask for pages in a space; raises NotFound where there is no such source."""
    name, source = names_of(computed_type)
    return await component_rendering.with_source(cx, name, space_id, source)


async def resolved(
    cx: Context, organization_id: str, dependencies: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return dependencies with what they are now; raises BadGateway where one is gone."""
    refs = {name: each["ref"] for name, each in dependencies.items()}
    ids = {kind: [ref[field] for ref in refs.values() if ref["kind"] == kind] for kind, field in _IDS.items()}
    spaces = await cx.db.all(_SPACES, ids=ids["space"]) if ids["space"] else []
    specs = await cx.db.all(_SPECS, ids=ids["openapi"]) if ids["openapi"] else []
    now: dict[str, dict[str, Any]] = {
        row.id: {"object": "space", "id": row.id, "revision": row.revision_id}
        for row in spaces
        if row.organization_id == organization_id
    }
    for row in specs:
        if row.organization_id == organization_id:
            version = {"lastVersion": row.last_version} if row.last_version else {}
            now[row.id] = {"object": "openapi-spec", "id": row.id, "slug": row.slug, **version}
    found = {}
    for name, ref in refs.items():
        value = now.get(ref[_IDS[ref["kind"]]])
        if value is None:
            raise BadGateway(GONE.format(name))
        found[name] = {"ref": ref, "value": value}
    return found


_IDS = {"space": "space", "openapi": "spec"}


async def ask(
    cx: Context,
    to: EventDestination,
    event: str,
    space_id: str,
    source: str,
    props: Mapping[str, Any],
    dependencies: Mapping[str, Any],
) -> dict[str, Any]:
    """Ask a source for its pages or for the document of one; raises BadGateway where it does not answer."""
    payload = {"spaceId": space_id, "sourceId": source, "props": props, "dependencies": dependencies}
    answers: list[dict[str, Any]] = []
    result = await deliveries.ask(cx, to, event, payload, taken=lambda result: answers.append(_read(result)))
    if result.error == "SANDBOX_BUSY":
        raise Unavailable("Too many scripts run at the moment.")
    if not answers:
        raise BadGateway(result.message or "The integration's script failed; its events say why.")
    return answers[0]


def _read(result: ScriptResult) -> dict[str, Any]:
    """Return the JSON object that a source answered with."""
    if result.status != 200:
        said = _said(result.body)
        answered = f"The integration answered with status {result.status} instead of 200"
        raise BadGateway(f"{answered}: {said}" if said else f"{answered}.")
    try:
        found = orjson.loads(result.body)
    except orjson.JSONDecodeError:
        raise BadGateway("The integration did not answer with JSON.") from None
    if not isinstance(found, dict):
        raise BadGateway("The integration answered with something else than a JSON object.")
    return found


def _said(body: bytes) -> str:
    """Return why an integration refuses, as its runtime answers with the message of an error."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ""
    said = found.get("error") if isinstance(found, dict) else None
    said = said.get("message") if isinstance(said, dict) else said
    return said.strip()[:LONGEST_REASON] if isinstance(said, str) else ""
