"""GraphQL face of the service itself."""

from __future__ import annotations

import strawberry

from app.api.graphql.calls import Info, read, reads
from app.api.graphql.shapes import output
from app.domain.infrastructure import service
from app.models.service import ServiceOut
from app.present.organizations import service as show_service


@output(ServiceOut)
class Service:
    """Which Docyard answers."""


@strawberry.type
class ServiceQuery:
    @reads(service.get)
    async def service(self, info: Info) -> Service | None:
        return await read(info, service.get, show=show_service)
