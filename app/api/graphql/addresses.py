"""Gives sources their addresses: what a row was read with, and what the source itself says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, TypeAlias, get_args, get_origin

from pydantic import RootModel

from app.api.graphql.nodes import AT, Address, Node, Source, nodes, type_name
from app.api.graphql.shape_fields import constants, disagree, named_fields, references
from app.api.graphql.unions import is_list, is_union
from app.models.base import JsonShape, Shape

Values: TypeAlias = Mapping[str, str]
"""Parameters of paths by name."""

Stamp: TypeAlias = Callable[[Source, Values], None]


@cache
def stamp_of(shape: type[Shape]) -> Stamp | None:
    """Return what gives a source of this shape, and all in it, their addresses; None where none needs one."""
    if issubclass(shape, RootModel):
        members = {each: _stamps(each) for each in shapes_in(shape.model_fields["root"].annotation)}
        return lambda source, values: _stamp_all(source, members, values)
    return _stamps(shape) if _needs(shape, ()) else None


def values_of(source: Source, node: Node | None) -> dict[str, str]:
    """Return the parameters of paths that a source knows: its address, and where it was read."""
    at = source.get(AT)
    if isinstance(at, dict):
        return dict(at)
    if node is None:
        return {}
    return node.named(node.address_of(source))


@cache
def referring(shape: type[Shape]) -> dict[str, str]:
    """Return the fields of a shape that name objects, by the parameter that each is."""
    found: dict[str, str] = {}
    for name, info in named_fields(shape).items():
        node = nodes().get(references(info) or "")
        if node is not None:
            found.setdefault(node.own, name)
    return found


def _needs(shape: type[Shape], above: tuple[type[Shape], ...]) -> bool:
    """Tell whether sources of a shape, or of what is in it, need to be told where they are."""
    if shape in above:
        return False
    return _is_told(shape) or any(
        _needs(each, (*above, shape)) for shapes in _inner(shape).values() for each in shapes
    )


@cache
def _is_told(shape: type[Shape]) -> bool:
    node = nodes().get(type_name(shape))
    if node is not None:
        return len(node.parameters) > 1
    wanted = (nodes()[kind] for info in named_fields(shape).values() if (kind := references(info)) in nodes())
    return any(len(each.parameters) > 1 for each in wanted)


@cache
def _stamps(shape: type[Shape]) -> Stamp:
    node = nodes().get(type_name(shape))
    # A revision that something names is not where the rest of it was read.
    own = [(parameter, name) for parameter, name in referring(shape).items() if parameter != "revisionId"]
    inner = {
        name: {each: _stamps(each) for each in shapes if each is not shape and _needs(each, ())}
        for name, shapes in _inner(shape).items()
    }
    again = [name for name, shapes in _inner(shape).items() if shape in shapes]
    below = [(name, stamps) for name, stamps in inner.items() if stamps]
    told = _is_told(shape)
    parts = [(name, each) for name, shapes in _inner(shape).items() if (each := _only_node(shapes))]

    def stamp(source: Source, values: Values) -> None:
        if own:
            more = {parameter: source[name] for parameter, name in own if type(source.get(name)) is str}
            values = {**values, **more}
        if node is None:
            values = {**values, **_named_by(source, parts)}
        if told:
            if node is None:
                source[AT] = values
            else:
                source[AT] = _address(source, values, node)
        for name, stamps in below:
            if found := source.get(name):
                _stamp_all(found, stamps, values)
        for name in again:
            for each in source.get(name) or ():
                stamp(each, values)

    return stamp


def _only_node(shapes: list[type[Shape]]) -> Node | None:
    return nodes().get(type_name(shapes[0])) if len(shapes) == 1 else None


def _named_by(source: Source, parts: list[tuple[str, Node]]) -> dict[str, str]:
    """Return what the objects in a source say of the place of each other: a space, and a page of it."""
    found = ((node, source.get(name)) for name, node in parts)
    return {node.own: each[node.key] for node, each in found if isinstance(each, dict)}


def _address(source: Source, values: Values, node: Node) -> Address:
    """Return the address of a source from where it was read, or else from its address in REST."""
    found = node.address({**values, node.own: source[node.key]})
    if found is not None:
        return found
    location = source["urls"]["location"]
    matches = filter(None, (pattern.search(location) for pattern in _locations(node.type)))
    named = next(matches).groupdict()
    return tuple(named.get(name) or "" for name in node.parameters)


@cache
def _locations(node_type: str) -> list[re.Pattern[str]]:
    """Return how the addresses of objects of a type look in REST."""
    rows = nodes()[node_type].rows.values()
    return [re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", row.path) + "$") for row in rows]


def _stamp_all(found: Any, stamps: Mapping[type[Shape], Stamp], values: Values) -> None:
    """Stamp the sources in a field, each as what it is where there are several possibilities."""
    for each in found if isinstance(found, list) else [found]:
        for shape, stamp in stamps.items():
            if len(stamps) == 1 or all(each.get(name) == value for name, value in constants(shape)):
                stamp(each, values)
                break


@cache
def _inner(shape: type[Shape]) -> dict[str, list[type[Shape]]]:
    """Return the shapes in a shape, by the fields that hold them."""
    found = {
        name: shapes_in(info.annotation)
        for name, info in named_fields(shape).items()
        if references(info) is None
    }
    return {name: each for name, each in found.items() if each and not disagree(each)}


def holds(shape: type[Shape], wanted: type[Shape], above: tuple[type[Shape], ...] = ()) -> bool:
    """Tell whether sources of a shape may have sources of another one in them."""
    inner = {each for shapes in _inner(shape).values() for each in shapes} - {*above, shape}
    return wanted in inner or any(holds(each, wanted, (*above, shape)) for each in inner)


def within(source: Any, address: Address) -> Source | None:
    """Return the source with an address that is somewhere in another one."""
    if isinstance(source, dict):
        if source.get(AT) == address:
            return source
        source = list(source.values())
    if isinstance(source, list):
        return next((found for each in source if (found := within(each, address))), None)
    return None


def shapes_in(annotation: Any) -> list[type[Shape]]:
    """Return the shapes that a field may show as objects."""
    if is_union(annotation) or is_list(annotation) or get_origin(annotation) is Annotated:
        return [each for inner in get_args(annotation) for each in shapes_in(inner)]
    is_object = isinstance(annotation, type) and issubclass(annotation, Shape)
    return [annotation] if is_object and not issubclass(annotation, JsonShape) else []
