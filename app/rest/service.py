"""The REST row of the service itself."""

from __future__ import annotations

from app.domain import service
from app.present.service import service as show
from app.rest.operation import family, get

OPERATIONS = family(
    "Service",
    get("getServiceInformation", "/", service.get, show=show, public=True),
)
