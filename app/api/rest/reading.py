"""Reading what a caller sent: a body and a query by their shapes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin
from urllib.parse import parse_qsl

from app.bodies import json_of, json_value
from app.kit.errors import Invalid
from app.models.base import Shape
from app.models.checks import UNKNOWN_FIELD, checked

S = TypeVar("S", bound=Shape)
ROUNDS = 10
"""An error names twenty fields at most, so ignoring many takes several rounds."""


def body_as(shape: type[S], raw: bytes, content_type: str, operation_id: str) -> tuple[S, list[str]]:
    """Return the body as its shape, and the paths of the fields in it that were ignored.

    Unknown fields are refused, except for those that the family's public client sends to this operation
    though they mean nothing here (decisions, 12). Raises NotJson, or Invalid naming the fields.
    """
    value: Any = json_of(raw, content_type) if raw.strip() else {}
    if not isinstance(value, dict):
        raise Invalid("The body must be a JSON object.", path="body")
    ignored: list[str] = []
    for _ in range(ROUNDS):
        try:
            return checked(shape, value, strict=True), ignored
        except Invalid as refused:
            found = [each["path"] for each in refused.details if each["message"] == UNKNOWN_FIELD]
            dropped = [path for path in found if _without_indexes(path) in _client_fields(operation_id)]
            if not dropped:
                raise
            for path in dropped:
                _drop(value, path.split("."))
            ignored += dropped
    return checked(shape, value, strict=True), ignored


def _without_indexes(path: str) -> str:
    return ".".join("*" if part.isdecimal() else part for part in path.split("."))


@cache
def _client_fields(operation_id: str) -> frozenset[str]:
    """Return the paths that the public client sends and that mean nothing here; `*` is any item."""
    known = json_value((Path(__file__).parent / "client_fields.json").read_bytes(), "file")
    return frozenset(known.get(operation_id, ()))


def _drop(value: Any, path: list[str]) -> None:
    for part in path[:-1]:
        value = value[int(part)] if isinstance(value, list) else value[part]
    value.pop(path[-1], None)


def query_as(shape: type[S], query_string: bytes) -> S:
    """Return the query as its shape: repeated keys or commas make lists, unknown parameters are ignored.

    Raises Invalid naming the parameter.
    """
    if not query_string:
        return _empty(shape)  # type: ignore[return-value]  # the cache forgets which shape it was
    lists, known = _lists(shape), _known(shape)
    values: dict[str, Any] = {}
    for name, value in parse_qsl(query_string.decode("latin-1"), keep_blank_values=True, max_num_fields=None):
        if name not in known:
            continue
        if "\x00" in value:
            raise Invalid("Text may not contain the NUL character.", path=name)
        if name in lists:
            values.setdefault(name, []).extend(value.split(","))
        elif name in values:
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
