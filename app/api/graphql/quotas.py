"""GraphQL face of the quotas of organizations."""

from __future__ import annotations

import strawberry
from strawberry import ID

from app.api.graphql.calls import Info, read, reads
from app.api.graphql.shapes import output
from app.domain.organizations import quotas
from app.models.service import QuotasOut
from app.present.organizations import quotas as show_quotas


@output(QuotasOut)
class Quotas:
    """The quotas of an organization: API requests a minute, events of integrations a day, unfinished jobs,
    and stored bytes."""


@strawberry.type
class QuotaQuery:
    @reads(quotas.get)
    async def organization_quotas(self, info: Info, organization: ID) -> Quotas | None:
        return await read(info, quotas.get, organization, show=show_quotas)
