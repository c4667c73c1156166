"""Reading what a caller sent: a body and a query by their shapes."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar, get_args, get_origin
from urllib.parse import parse_qsl

from app.bodies import json_of
from app.kit.errors import Invalid
from app.models.base import Shape, checked

S = TypeVar("S", bound=Shape)


def body_as(shape: type[S], raw: bytes, content_type: str) -> S:
    """The body as its shape; raises NotJson, or Invalid naming the field."""
    value: Any = json_of(raw, content_type) if raw.strip() else {}
    if not isinstance(value, dict):
        raise Invalid("The body must be a JSON object.", path="body")
    return checked(shape, value, strict=True)


def query_as(shape: type[S], query_string: bytes) -> S:
    """The query as its shape: repeated keys or commas make lists; raises Invalid naming the parameter."""
    if not query_string:
        return _empty(shape)  # type: ignore[return-value]  # the cache forgets which shape it was
    lists = _lists(shape)
    values: dict[str, Any] = {}
    for name, value in parse_qsl(query_string.decode("latin-1"), keep_blank_values=True, max_num_fields=None):
        if "\x00" in value:
            raise Invalid("Text may not contain the NUL character.", path=name)
        if name in lists:
            values.setdefault(name, []).extend(value.split(","))
        elif name in values and name in _known(shape):
            raise Invalid("Give this parameter once.", path=name)
        else:
            values[name] = value
    return checked(shape, values, strict=False)


@cache
def _empty(shape: type[Shape]) -> Shape:
    return checked(shape, {}, strict=False)


@cache
def _lists(shape: type[Shape]) -> frozenset[str]:
    names = [field.alias or name for name, field in shape.model_fields.items() if _is_list(field.annotation)]
    return frozenset(names)


@cache
def _known(shape: type[Shape]) -> frozenset[str]:
    return frozenset(field.alias or name for name, field in shape.model_fields.items())


def _is_list(annotation: Any) -> bool:
    return get_origin(annotation) is list or any(get_origin(part) is list for part in get_args(annotation))
