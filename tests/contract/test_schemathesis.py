"""Generated requests against the running product: what the document says is what it does."""

from __future__ import annotations

from typing import Any

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.core.parameters import ParameterLocation

from app.rest import OPERATIONS
from app.rest.openapi import document
from tests.cast import Cast
from tests.contract.faces import Call
from tests.contract.recipes import RECIPES

# The same document that is served (test_openapi), but known before a server is.
api = schemathesis.openapi.from_dict(document(OPERATIONS, ""))


@api.parametrize()
@settings(
    max_examples=15,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_the_product_does_what_its_document_says(case: Case, cast: Cast) -> None:
    use_what_exists(case, cast)
    leave_out_what_only_we_can_give(case)
    case.call_and_validate(
        base_url=f"{cast.house.base}/v1", headers={"Authorization": f"Bearer {cast.ada.token}"}
    )


def use_what_exists(case: Case, cast: Cast) -> None:
    """Put the ids of real objects into the path, unless the path is what is wrong about the request."""
    name = case.operation.definition.raw["operationId"]
    prepared: dict[str, Call] = cast.__dict__.setdefault("prepared", {})
    if name not in prepared:
        prepared[name] = RECIPES[name](cast)
    if case.meta is None or not case.meta.is_negative_at(ParameterLocation.PATH):
        case.path_parameters.update(prepared[name].path)


def leave_out_what_only_we_can_give(case: Case) -> None:
    """No schema describes a page token that we signed, the tag of an object, or a key not used before."""
    if case.meta is not None and case.meta.generation.mode.is_positive:
        case.query.pop("page", None)
        for header in ("If-Match", "Idempotency-Key"):
            case.headers.pop(header, None)
