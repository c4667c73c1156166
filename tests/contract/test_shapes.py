"""Every success has the shape it is declared to have: nothing missing, nothing more, no null for absent."""

from __future__ import annotations

import orjson
import pytest
from jsonschema_rs import Draft202012Validator
from pydantic import BaseModel

from app.models.spaces import SpaceOut
from app.present.shape import SHAPES
from app.rest.every import OPERATIONS
from app.rest.openapi import document
from app.rest.operation import Operation
from tests import make
from tests.cast import Cast
from tests.contract.faces import address, in_query
from tests.contract.recipes import RECIPES

DOCUMENT = document(OPERATIONS, "")
SHOWING = [row for row in OPERATIONS if row.show is not None]


@pytest.mark.parametrize("row", SHOWING, ids=lambda row: row.id)
def test_an_answer_has_its_shape(cast: Cast, row: Operation) -> None:
    call = RECIPES[row.id](cast)
    options = {} if call.body is None else {"json": call.body}
    answer = cast.ada.call(row.method, address(row, call), params=in_query(call), **options)
    assert answer.status_code == row.status, answer.text
    assert answer.headers["content-type"] == "application/json"
    responses = DOCUMENT["paths"][row.path.replace(":path}", "}")][row.method.lower()]["responses"]
    schema = responses[str(row.status)]["content"]["application/json"]["schema"]
    found = answer.json()
    Draft202012Validator({**schema, "components": DOCUMENT["components"]}).validate(found)
    assert row.show is not None
    shape = SHAPES[row.show]
    if not row.paged:
        fits(shape, found)
        return
    assert found.keys() <= {"count", "items", "next", *_extra(row)}
    assert found["items"], "a list that is empty proves nothing"
    for item in found["items"]:
        fits(shape, item)


def fits(shape: type[BaseModel], value: object) -> None:
    """Raise unless the value is of this shape and has no field besides, however deep."""
    content = orjson.dumps(value)
    shape.model_validate_json(content, strict=True, extra="forbid", by_alias=True, by_name=False)


def _extra(row: Operation) -> set[str]:
    fields = row.extra.model_fields.items() if row.extra else ()
    return {field.alias or name for name, field in fields}


def test_a_field_too_many_is_noticed_however_deep(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    fits(SpaceOut, space)
    for wrong in ({**space, "more": 1}, {**space, "urls": {**space["urls"], "more": "x"}}):
        with pytest.raises(ValueError, match="more"):
            fits(SpaceOut, wrong)
