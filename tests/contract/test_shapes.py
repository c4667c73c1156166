"""Rules for all shapes; `test_faces` checks that responses have theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, get_args, get_origin

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from app.api.catalog import OPERATIONS
from app.models.spaces import SpaceOut
from tests import make
from tests.cast import Cast
from tests.contract.shapes import fits


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


def test_a_field_too_many_is_noticed_however_deep(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    fits(SpaceOut, space)
    for wrong in ({**space, "more": 1}, {**space, "urls": {**space["urls"], "more": "x"}}):
        with pytest.raises(ValueError, match="more"):
            fits(SpaceOut, wrong)
