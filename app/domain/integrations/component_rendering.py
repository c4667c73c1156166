"""Components of integrations, rendered: asked of the script, or of the tunnel, with a `ui_render` event.

Whoever sees the page sees its blocks; what is shown where something is configured is for who may install.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import orjson
from pydantic import BaseModel
from sqlalchemy import Select, and_, exists, or_, select, true
from sqlmodel import SQLModel

from app.access.context import Context
from app.access.fetch import fetch_named, named, permit_in
from app.domain.integrations import deliveries
from app.domain.integrations.event_destinations import (
    EventDestination,
    installation_columns,
    integration_columns,
)
from app.domain.integrations.installations import PLACEMENTS
from app.domain.integrations.integration_rows import INSTALLATIONS, INTEGRATIONS, ORGANIZATIONS, by_name
from app.formats.contentkit.elements import checked_output
from app.formats.contentkit.field_types import WrongOutput
from app.formats.text.lz_string import NotCompressed, decompress
from app.kit.database.columns import Key
from app.kit.database.sql import nested
from app.kit.database.statements import Statement, given, query, rows, table
from app.kit.errors import BadGateway, Invalid, NotFound, PreconditionFailed, Unavailable
from app.models.checks import checked
from app.models.integration_rendering import RenderContext, RenderQuery, RenderRequest
from app.models.sites import Site
from app.models.spaces import Space

if TYPE_CHECKING:
    from app.kit.sandbox.shapes import ScriptResult

LARGEST = 256_000  # bytes of a request, compressed or not
LONGEST_KEPT = 86_400  # seconds that a caller may keep what was rendered
_MAX_AGE = re.compile(r"(?:^|[\s,])max-age=([0-9]{1,9})(?=[\s,]|$)", re.IGNORECASE)
_FORBIDDEN = re.compile(r"(?:^|[\s,])(?:no-store|no-cache)(?=[\s,]|$)", re.IGNORECASE)


@dataclass(slots=True, frozen=True)
class Rendered:
    """A drawn component, and how long a caller may keep that, in seconds."""

    output: dict[str, Any]
    max_age: int = 0


def _installed(place: Any, organization: Any, object_id: Any, selected: Any) -> Any:
    """Return the integration `name` as it is installed at a place: a row of the table `place`."""
    here = and_(
        INSTALLATIONS.c.integration_id == INTEGRATIONS.c.id, INSTALLATIONS.c.organization_id == organization
    )
    on = and_(PLACEMENTS.c.installation_id == INSTALLATIONS.c.id, PLACEMENTS.c.object_id == object_id)
    installed = select(*installation_columns()).where(here).correlate(INTEGRATIONS, place)
    placed = (
        select(*PLACEMENTS.c)
        .select_from(PLACEMENTS.join(INSTALLATIONS, on))
        .where(here)
        .correlate(INTEGRATIONS, place)
    )
    there = (
        select(INSTALLATIONS.c.id)
        .where(here, or_(selected, exists().where(on).correlate(INSTALLATIONS, place)))
        .correlate(INTEGRATIONS, place)
    )
    return (
        select(*integration_columns(), nested(installed, "installed"), nested(placed, "placed"))
        .where(by_name(), there.exists())
        .correlate(place)
    )


def _of(model: type[SQLModel]) -> Statement[Any]:
    t = table(model)
    selection = INSTALLATIONS.c.space_selection if model is Space else INSTALLATIONS.c.site_selection

    def build() -> Select[Any]:
        found = _installed(t, t.c.organization_id, t.c.id, selection == "all")
        return select(*t.c, nested(found, "found")).where(t.c.id == given("id"))

    return query(model, build)


_OF_SPACE, _OF_SITE = _of(Space), _of(Site)
_OF_ORGANIZATION = rows(
    lambda: select(
        ORGANIZATIONS.c.id,
        nested(_installed(ORGANIZATIONS, ORGANIZATIONS.c.id, given("nothing", Key), true()), "found"),
    ).where(ORGANIZATIONS.c.id == given("organization"))
)


async def render(cx: Context, integration_name: str, request: RenderRequest) -> Rendered:
    """Render a component of an integration.

    Raises PreconditionFailed where nothing can run it, BadGateway where it fails; its trace tells why.
    """
    _refuse_large(request)
    context = request.context
    to, where = await _destination(cx, integration_name, context)
    if context.type == "document":
        _refuse_inactive(to)
    return await _ask(cx, to, where, request)


async def render_published(cx: Context, integration_name: str, request: RenderRequest) -> Rendered:
    """Render a block of a page for a visitor, of whom whoever shows the page has asked what must be asked."""
    _refuse_large(request)
    id_ = _needed(request.context, "space_id")
    row = await cx.db.first(_OF_SPACE, id=id_, name=integration_name)
    if row is None or request.context.type != "document":
        raise NotFound("There is no such block.")
    to = _chosen(row, row.organization_id)
    _refuse_inactive(to)
    return await _ask(cx, to, {"spaceId": id_}, request)


async def with_source(cx: Context, integration_name: str, space_id: str, source: str) -> EventDestination:
    """Return an integration as it is installed on a space, which can be asked for the pages of this source.

    Raises NotFound where it is not active there or has no such source.
    """
    row = await cx.db.first(_OF_SPACE, id=space_id, name=integration_name)
    if row is None:
        raise NotFound("There is no such space.")
    to = _chosen(row, row.organization_id)
    _refuse_inactive(to)
    if source not in {each["id"] for each in to.integration.manifest["contentSources"]}:
        raise NotFound("The integration has no such content source.")
    return to


async def _ask(cx: Context, to: EventDestination, where: dict[str, str], request: RenderRequest) -> Rendered:
    payload: dict[str, Any] = {
        **where,
        "componentId": request.component_id,
        "props": request.props,
        "context": request.context.model_dump(by_alias=True, exclude_unset=True),
    }
    if cx.actor.user_id:
        payload["auth"] = {"userId": cx.actor.user_id}
    for name in ("state", "action"):
        if name in request.model_fields_set:
            payload[name] = getattr(request, name)
    outputs: list[dict[str, Any]] = []
    result = await deliveries.ask(
        cx, to, "ui_render", payload, taken=lambda result: outputs.append(_output(result, request))
    )
    if result.error == "SANDBOX_MISSING":
        raise PreconditionFailed("Nothing here runs scripts; the integration has no tunnel either.")
    if result.error == "SANDBOX_BUSY":
        raise Unavailable("Too many scripts run at the moment; try again shortly.")
    if not outputs:
        raise BadGateway("The integration could not render this; its events say why.")
    return Rendered(outputs[0], _max_age(result.headers))


async def render_compressed(cx: Context, integration_name: str, query: RenderQuery) -> Rendered:
    """Render a component of an integration; the request is in the address, compressed."""
    try:
        text = decompress(query.request, most=LARGEST)
        values = orjson.loads(text.encode())
    except (NotCompressed, UnicodeEncodeError, orjson.JSONDecodeError):
        raise Invalid("This is not a request that LZ-string compressed.", path="request") from None
    if not isinstance(values, dict):
        raise Invalid("The request must be a JSON object.", path="request")
    return await render(cx, integration_name, checked(RenderRequest, values, strict=True))


def _refuse_inactive(to: EventDestination) -> None:
    statuses = {row.status for row in (to.installation, to.placement) if row is not None}
    if statuses != {"active"}:
        raise NotFound("The integration is not active here.")


def _refuse_large(request: BaseModel) -> None:
    if len(request.model_dump_json()) > LARGEST:
        raise Invalid(f"A request may have at most {LARGEST} bytes.", path="props")


async def _destination(
    cx: Context, name: str, context: RenderContext
) -> tuple[EventDestination, dict[str, str]]:
    """Return whom to ask, and what the event says of where."""
    if context.type == "configuration_account":
        return await _in_organization(cx, name, _needed(context, "organization_id"), "installIntegration")
    if context.type == "configuration_contentsource" and "space_id" not in context.model_fields_set:
        return await _in_organization(cx, name, _needed(context, "organization_id"), "createContent")
    if context.type == "configuration_site":
        id_ = _needed(context, "site_id")
        row: Any = await fetch_named(
            cx, Site, id_, path="context.siteId", can="installIntegration", using=_OF_SITE, name=name
        )
        return _chosen(row, row.organization_id), {"siteId": id_}
    can = {"document": "view", "configuration_contentsource": "edit"}.get(context.type, "installIntegration")
    id_ = _needed(context, "space_id")
    row = await fetch_named(cx, Space, id_, path="context.spaceId", can=can, using=_OF_SPACE, name=name)
    return _chosen(row, row.organization_id), {"spaceId": id_}


async def _in_organization(
    cx: Context, name: str, organization_id: str, can: str
) -> tuple[EventDestination, dict[str, str]]:
    with named("context.organizationId"):
        permit_in(cx, organization_id, can=can)
    row = await cx.db.first(_OF_ORGANIZATION, organization=organization_id, name=name, nothing="")
    if row is None:
        raise Invalid("There is no such organization.", path="context.organizationId")
    return _chosen(row, organization_id), {}


class InstalledRow(Protocol):
    """A row with the integration as it is installed there, if it is."""

    found: Sequence[Any]


def _chosen(row: InstalledRow, organization_id: str) -> EventDestination:
    if not row.found:
        raise NotFound("The integration is not installed here.")
    found = row.found[0]
    placed = found.placed[0] if found.placed else None
    return EventDestination(found, organization_id, found.installed[0], placed)


def _needed(context: RenderContext, field: str) -> str:
    if field not in context.model_fields_set:
        name = RenderContext.model_fields[field].alias
        raise Invalid(f"A context of type {context.type!r} needs {name}.", path=f"context.{name}")
    return str(getattr(context, field))


def _output(result: ScriptResult, request: RenderRequest) -> dict[str, Any]:
    if result.status != 200:
        raise BadGateway(f"The integration answered with status {result.status} instead of 200.")
    try:
        found = orjson.loads(result.body)
        if isinstance(found, dict) and found.get("type") == "element":
            found = {"state": {}, "props": request.props, **found}
        output = checked_output(found)
    except orjson.JSONDecodeError:
        raise BadGateway("The integration did not answer with JSON.") from None
    except WrongOutput as wrong:
        raise BadGateway(f"The integration answered with what cannot be shown: {wrong}") from None
    return {name: value for name, value in output.items() if value is not None}


def _max_age(headers: list[tuple[str, str]]) -> int:
    said = ", ".join(value for name, value in headers if name.lower() == "cache-control")
    found = _MAX_AGE.search(said)
    return 0 if found is None or _FORBIDDEN.search(said) else min(int(found[1]), LONGEST_KEPT)
