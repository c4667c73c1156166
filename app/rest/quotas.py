"""REST row of the quotas of organizations."""

from __future__ import annotations

from app.domain import quotas
from app.present.quotas import quotas as show_quotas
from app.rest.operation import family, get

OPERATIONS = family(
    "Quotas",
    get("getQuotasInOrganization", "/orgs/{organizationId}/quotas", quotas.get, show=show_quotas),
)
