"""Every success has the shape it is declared to have: nothing missing, nothing more, no null for absent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, get_args, get_origin

import orjson
import pytest
from jsonschema_rs import Draft202012Validator
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from app.api.rest.openapi import document
from app.models.spaces import SpaceOut
from app.present.shape import SHAPES
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


def test_what_callers_send_has_bounds() -> None:
    """A list or map without one would be checked, and complained of, item by item."""
    bodies = [row.body for row in OPERATIONS if row.body is not None]
    assert list(dict.fromkeys(name for body in bodies for name in unbounded(body))) == []


def unbounded(shape: type[BaseModel]) -> Iterator[str]:
    """The fields of a shape, however deep, that take lists or maps of any length."""
    for name, field in shape.model_fields.items():
        for kind in _unbounded(field.annotation, field.metadata):
            yield kind if "." in kind else f"{shape.__name__}.{name}: {kind}"


def _unbounded(kind: Any, about: Sequence[Any]) -> Iterator[str]:
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Annotated:
        yield from _unbounded(inside[0], [part for each in inside[1:] for part in _parts(each)])
    elif origin in (list, dict):
        is_free = Any in inside  # nothing in it is checked
        if not is_free and not any(getattr(each, "max_length", None) for each in about):
            yield str(kind)
        for each in inside:
            yield from _unbounded(each, ())
    elif isinstance(kind, type) and issubclass(kind, BaseModel):
        yield from unbounded(kind)
    else:
        for each in inside:
            yield from _unbounded(each, about)


def _parts(about: Any) -> Sequence[Any]:
    return about.metadata if isinstance(about, FieldInfo) else [about]


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
