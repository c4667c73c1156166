"""Operations on the quotas of organizations."""

from __future__ import annotations

from app.api.operation import family, get
from app.domain.organizations import quotas
from app.present.organizations import quotas as show_quotas

OPERATIONS = family(
    "Quotas",
    get(
        "getQuotasInOrganization",
        "/orgs/{organizationId}/quotas",
        quotas.get,
        show=show_quotas,
        field="Organization.quotas",
        permission="organization:admin",
    ),
)
