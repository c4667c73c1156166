"""Checks what was sent against its shape, and says what is wrong in words of the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from app.kit.errors import Invalid
from app.models.base import Shape

MOST_ERRORS = 1000
S = TypeVar("S", bound=Shape)
UNKNOWN_FIELD = "There is no such field"
_EMPTY = "String should have at least 1 character"


def checked(shape: type[S], values: dict[str, Any], *, strict: bool, under: str = "") -> S:
    """Return the values as a shape; raise Invalid naming every field that is wrong, as the caller wrote it.

    `under` is where in the body the values are.
    """
    try:
        return shape.model_validate(values, strict=strict, by_name=False)
    except ValidationError as error:
        raise _invalid(error, shape, values, under) from None


def complaint(found: Mapping[str, Any]) -> str:
    """Say what is wrong with a value, in words of the API rather than of the program."""
    if found["type"] in ("model_type", "dict_type"):
        return "Input should be an object"
    if found["type"] == "extra_forbidden":
        return UNKNOWN_FIELD
    if found["type"] == "string_too_short" and found["msg"] == _EMPTY:
        return "Must not be blank"
    return str(found["msg"]).removeprefix("Value error, ")


def _invalid(error: ValidationError, shape: type[Shape], sent: dict[str, Any], under: str) -> Invalid:
    if error.error_count() > MOST_ERRORS:  # telling them apart takes longer than finding them
        return Invalid(f"More than {MOST_ERRORS:,} fields are wrong.", path=under or "body")
    details = []
    for found in error.errors(include_url=False, include_input=False, include_context=False)[:20]:
        path, message = _path(found, sent), complaint(found)
        if message.startswith("Input should be") and _takes_null(shape, path):
            message += " or null"
        details.append({"path": ".".join([*([under] if under else []), *path]), "message": message})
    first = details[0]
    where = f"{first['path']}: " if first["path"] else ""
    return Invalid(f"{where}{first['message']}", details=details)


def _path(found: ErrorDetails, sent: dict[str, Any]) -> list[str]:
    """Return where in what was sent; a path of pydantic's also tells which choice was tried, in its words."""
    path: list[str] = []
    here: Any = sent
    for part in found["loc"]:
        if part in here if isinstance(here, dict) else isinstance(here, list) and isinstance(part, int):
            here = here[part]
            path.append(str(part))
    return [*path, str(found["loc"][-1])] if found["type"] == "missing" else path


def _takes_null(shape: type[Shape], path: Sequence[str]) -> bool:
    """Tell whether null is allowed at a path of a body."""
    kinds: list[Any] = [shape]
    for part in path:
        kinds = [inner for kind in kinds for inner in _kinds_at(kind, part)]
    return NoneType in kinds


def _kinds_at(kind: Any, part: str) -> list[Any]:
    """Return the types that a field of a shape, or an item of a list or map, may have."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        fields = kind.model_fields.items()
        return [each for name, field in fields if part == (field.alias or name) for each in _choices(field)]
    return _choices(get_args(kind)[-1]) if get_origin(kind) in (list, dict) else []


def _choices(kind: Any) -> list[Any]:
    """Return the members of a union; any other type alone."""
    kind = kind.annotation if isinstance(kind, FieldInfo) else kind
    origin = get_origin(kind)
    if origin is Annotated:
        return _choices(get_args(kind)[0])
    if origin in (Union, UnionType):
        return [each for member in get_args(kind) for each in _choices(member)]
    return [kind]
