"""The operation on the service itself."""

from __future__ import annotations

from app.api.operation import family, get
from app.domain.infrastructure import service
from app.present.organizations import service as show

OPERATIONS = family(
    "Service",
    get(
        "getServiceInformation",
        "/",
        service.get,
        show=show,
        field="Query.service",
        permission="public",
        scope="always",
    ),
)
