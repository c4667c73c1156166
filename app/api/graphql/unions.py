"""Values that may be of several kinds, and maps: what GraphQL makes of types that it does not know.

A union of shapes is a union in answers and a `@oneOf` input; they are told apart by a field with one possible
value. A value that may be a scalar too becomes an object with a field for each kind, of which one is set. A
map becomes a list of entries.
"""

from __future__ import annotations

import pkgutil
import types
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from app import models
from app.models.base import AnyKind, DescribedAs, Shape, partial

_FIELDS: dict[Any, str] = {str: "text", bool: "boolean", int: "number", float: "number"}
"""The fields for plain values, by their types."""

ENTRY_KEYS = {"memberships": "user", "siteSpaces": "siteSpaceId"}
"""The name of a map's key in its entries, where that is not `name`."""


def is_union(annotation: Any) -> bool:
    """Tell whether a type is a union."""
    return get_origin(annotation) in (Union, types.UnionType)


def bare(annotation: Any) -> Any:
    """Return a type without what annotates it; of an object that is described by a shape, the shape."""
    if get_origin(annotation) is not Annotated:
        return annotation
    kind, *metadata = get_args(annotation)
    described = next((each for each in metadata if isinstance(each, DescribedAs)), None)
    if described is None:
        return bare(kind)
    return partial(described.shape) if described.partly else described.shape


def alternatives(annotation: Any) -> list[Any]:
    """Return the kinds of a union besides null; any other type alone."""
    kinds = get_args(annotation) if is_union(annotation) else (annotation,)
    return [each for each in map(bare, kinds) if each is not type(None)]


def is_shape(kind: Any) -> bool:
    """Tell whether a type is a shape."""
    return isinstance(kind, type) and issubclass(kind, Shape)


def is_list(kind: Any) -> bool:
    """Tell whether a type is one of lists."""
    return get_origin(kind) is list


def is_map(kind: Any) -> bool:
    """Tell whether a type is one of maps by name."""
    return get_origin(kind) is dict


def is_any(annotation: Any) -> bool:
    """Tell whether values of a map may be of any kind, and are looked up by name."""
    return any(isinstance(each, AnyKind) for each in getattr(annotation, "__metadata__", ()))


def is_literal(kind: Any) -> bool:
    """Tell whether a type is a closed set of values."""
    return get_origin(kind) is Literal


@cache
def _aliases() -> dict[frozenset[Any], str]:
    """Return the names that the models give to unions, by their kinds."""
    found: dict[frozenset[Any], str] = {}
    for module in pkgutil.iter_modules(models.__path__):
        for name, value in vars(import_module(f"app.models.{module.name}")).items():
            if is_union(bare(value)) and not name.startswith("_"):
                found.setdefault(frozenset(alternatives(bare(value))), name)
    return found


def union_name(kinds: Iterable[Any], fallback: str) -> str:
    """Return what a union is called: as the models call it, or else the fallback."""
    return _aliases().get(frozenset(kinds), fallback).removesuffix("Out")


def member_name(kind: Any) -> str:
    """Return the name of the field that a value of one of several kinds has."""
    if is_shape(kind):
        name = kind.__name__.removesuffix("Out").removesuffix("Sent").removesuffix("Override")
        return str(name[0].lower() + name[1:])
    if is_literal(kind):
        return "preset"
    if is_list(kind):
        return "existing"
    if is_map(kind):
        return "entries" if get_args(kind)[1] is str else "variables"
    return _FIELDS.get(kind, "value")


def told(fields: Mapping[str, Collection[str]], value: Any) -> dict[str, Any] | None:
    """Return a value of one of several kinds as an object with a field for its kind.

    `fields` are those of the kinds that are objects, by the fields for these kinds.
    """
    if value is None:
        return None
    if isinstance(value, dict):
        fitting = [kind for kind, names in fields.items() if all(name in names for name in value)]
        return {fitting[0] if fitting else member_name(dict[str, str]): value}
    return {member_name(type(value)): value}


def entries(key: str, value: Mapping[str, Any] | None) -> list[dict[str, Any]] | None:
    """Return a map as a list of its entries."""
    return None if value is None else [{key: name, "value": each} for name, each in value.items()]


def named_values(value: Mapping[str, Any] | None) -> list[dict[str, Any]] | None:
    """Return a map of values of any kind as a list of its entries."""
    if value is None:
        return None
    return [{"name": name, "value": {_FIELDS.get(type(it), "json"): it}} for name, it in value.items()]


def finished(finish: Callable[[Any], Any], value: list[Any] | None) -> list[Any] | None:
    """Return the items of a list, each as `finish` makes it."""
    return None if value is None else [finish(each) for each in value]
