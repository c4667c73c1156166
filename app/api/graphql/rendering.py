"""GraphQL face of what integrations render."""

from __future__ import annotations

from typing import Any

import strawberry

from app.api.graphql.calls import Info, body, read, reads
from app.api.graphql.shapes import input_of, output
from app.domain.integrations import component_rendering
from app.models.base import checked
from app.models.integration_rendering import RenderOutput, RenderQuery, RenderRequest
from app.present.integrations import rendered

IntegrationRenderInput: Any = input_of(RenderRequest, "IntegrationRenderInput")


@output(RenderOutput)
class IntegrationRenderOutput:
    """What a component looks like, or that it is done."""


@strawberry.type
class RenderingQuery:
    @reads(component_rendering.render)
    async def render_integration(
        self, info: Info, integration_name: str, request: IntegrationRenderInput
    ) -> IntegrationRenderOutput | None:
        asked = body(RenderRequest, request)
        return await read(info, component_rendering.render, integration_name, asked, show=rendered)

    @reads(component_rendering.render_compressed)
    async def render_integration_compressed(
        self, info: Info, integration_name: str, request: str
    ) -> IntegrationRenderOutput | None:
        asked = checked(RenderQuery, {"request": request}, strict=True)
        call = component_rendering.render_compressed
        return await read(info, call, integration_name, asked, show=rendered)
