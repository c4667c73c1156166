"""The shapes of `models` as they describe themselves: their fields on the wire, and what those name."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from functools import cache
from typing import Annotated, Any, ForwardRef, Literal, get_args, get_origin, get_type_hints

from pydantic.fields import FieldInfo

from app.api.graphql.nodes import FIELD_NAMES, Node, lower, nodes, reference_of, title, type_name
from app.api.graphql.unions import alternatives, bare, is_list, is_shape, is_union
from app.models.base import Absolute, Shape


@cache
def named_fields(shape: type[Shape]) -> dict[str, FieldInfo]:
    """Return the fields of a shape under their names on the wire."""
    found = shape.model_fields
    if any(isinstance(info.annotation, ForwardRef) for info in found.values()):  # unions that hold themselves
        hints = get_type_hints(shape, include_extras=True)
        found = {
            name: _annotated(info, hints[name]) if isinstance(info.annotation, ForwardRef) else info
            for name, info in found.items()
        }
    return {info.alias or name: info for name, info in found.items()}


def _annotated(info: FieldInfo, annotation: Any) -> FieldInfo:
    """Return a field with the type that its annotation means."""
    meant = copy(info)
    meant.annotation = annotation
    return meant


def told_of(name: str, info: FieldInfo) -> Node | None:
    """Return the type of the object that a field only tells of, where it is called as that type is.

    GraphQL has the object itself under that name, and what is told of it beside.
    """
    kinds = alternatives(bare(info.annotation))
    if len(kinds) != 1 or not is_shape(kinds[0]) or type_name(kinds[0]) in nodes():
        return None
    its_id = named_fields(kinds[0]).get("id")
    target = nodes().get(references(its_id) or "") if its_id is not None else None
    return target if target is not None and lower(target.type) == name else None


def shown_as(shape: type[Shape], name: str) -> str:
    """Return the name of the field of GraphQL that shows a field of a shape."""
    found = FIELD_NAMES.get(type_name(shape), {}).get(name)
    if found is not None:
        return found
    return camel(name) if told_of(name, named_fields(shape)[name]) is None else f"{name}Summary"


def camel(name: str) -> str:
    """Return the name of a field of a few words: `site-page` is `sitePage`, `button_url` is `buttonURL`."""
    first, *rest = name.replace("_", "-").split("-")
    return first + "".join("URL" if part == "url" else title(part) for part in rest)


def constants(shape: type[Shape]) -> list[tuple[str, str]]:
    """Return the fields of a shape that have one possible value, with that value."""
    found = named_fields(shape).items()
    return [(name, get_args(info.annotation)[0]) for name, info in found if is_constant(info.annotation)]


def disagree(shapes: Iterable[type[Shape]]) -> bool:
    """Tell whether shapes have a field of one name that holds values of different types."""
    found: dict[str, set[Any]] = {}
    for shape in shapes:
        for name, info in named_fields(shape).items():
            kinds = {"object" if is_shape(each) else each for each in alternatives(bare(info.annotation))}
            kinds = {each for each in kinds if not is_constant(each)}
            if kinds and found.setdefault(name, kinds) != kinds:
                return True
    return False


def is_constant(annotation: Any) -> bool:
    """Tell whether a field has one possible value."""
    return get_origin(annotation) is Literal and len(get_args(annotation)) == 1


def references(info: FieldInfo) -> str | None:
    """Return the type of the objects that a field names, if it names any.

    A field that holds an id or the whole object, as the caller of REST wishes, names it too.
    """
    return reference_of(info.metadata) or _reference(info.annotation) or _id_or_object(info.annotation)


def _id_or_object(annotation: Any) -> str | None:
    kinds = get_args(annotation) if is_union(annotation) else ()
    shapes = [each for each in kinds if is_shape(each)]
    return type_name(shapes[0]) if len(shapes) == 1 and str in kinds else None


def _reference(annotation: Any) -> str | None:
    if get_origin(annotation) is Annotated:
        return reference_of(get_args(annotation)[1:]) or _reference(get_args(annotation)[0])
    if is_union(annotation) or is_list(annotation):
        return next((found for each in get_args(annotation) if (found := _reference(each))), None)
    return None


def holds_list(annotation: Any) -> bool:
    """Tell whether a field holds a list."""
    if is_list(annotation):
        return True
    if is_union(annotation) or get_origin(annotation) is Annotated:
        return any(holds_list(each) for each in get_args(annotation))
    return False


def is_absolute(metadata: Iterable[Any]) -> bool:
    """Tell whether what annotates a text says that it is an absolute address."""
    return any(isinstance(each, Absolute) for each in metadata)


def allows_null(annotation: Any) -> bool:
    """Tell whether a field may be null."""
    return is_union(annotation) and type(None) in get_args(annotation)
