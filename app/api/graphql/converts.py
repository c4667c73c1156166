"""Makes what REST takes of what GraphQL was sent, as `inputs` declares it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from app.api.graphql.nodes import Node, rest_id
from app.kit.errors import Invalid

Convert: TypeAlias = Callable[[Any, str], Any]
"""Makes what REST takes of a value and the path of the input that it is at; raises Invalid."""


@dataclass(slots=True, frozen=True)
class Renamed:
    """Gives a field of an input the name that REST has for it."""

    name: str
    convert: Convert | None

    def __call__(self, value: Any, path: str) -> Any:
        """Return the field as it goes into the body."""
        return Spread({self.name: self.convert(value, path) if self.convert and value is not None else value})


class Spread(dict[str, Any]):
    """Fields of a body that GraphQL has in an input of their own."""


def narrowed(converts: Mapping[str, Convert], value: Any, path: str) -> Any:
    """Convert the filter of a list."""
    return converted(value, converts, path)


def converted(value: Mapping[str, Any], converts: Mapping[str, Convert], path: str = "") -> dict[str, Any]:
    """Return the fields of an input as REST takes them."""
    found: dict[str, Any] = {}
    for name, each in value.items():
        convert = converts.get(name)
        if convert is None or (each is None and not isinstance(convert, Renamed)):
            found[name] = each
            continue
        made = convert(each, f"{path}.{name}" if path else name)
        if isinstance(made, Spread):
            found |= made
        else:
            found[name] = made
    return found


def whole(converts: Mapping[str, Convert], told: Mapping[str, str], value: Any, path: str) -> Any:
    """Convert an input, and add what its shape always says."""
    return {**told, **converted(value, converts, path)}


def each_of(convert: Convert, value: Any, path: str) -> Any:
    """Convert the items of a list."""
    return [convert(item, path) for item in value]


def one_of(converts: Mapping[str, Convert | None], value: Any, path: str) -> Any:
    """Convert the one field of a `@oneOf` input that is given."""
    ((field, inner),) = value.items()
    convert = converts.get(field)
    return convert(inner, f"{path}.{field}") if convert else inner


def under(field: str, told: Mapping[str, str], convert: Convert | None, value: Any, path: str) -> Any:
    """Put the alternative of a body that was chosen under its field of REST, beside what tells its kind."""
    return {**told, field: convert(value, path) if convert else value}


def spread(converts: Mapping[str, Convert], value: Any, path: str) -> Any:
    """Convert a `@oneOf` input whose alternatives are fields of the body around it."""
    return Spread(one_of(converts, value, path))


def number(value: Any, _path: str) -> Any:
    """Convert a number: one without a fraction is an integer in REST."""
    return int(value) if value == int(value) else value


def mapped(key: str, convert: Convert | None, names: Convert | None, value: Any, path: str) -> Any:
    """Make a map of a list of its entries; raises Invalid where two have one name."""
    found: dict[str, Any] = {}
    for index, each in enumerate(value):
        here = f"{path}.{index}"
        name = names(each[key], f"{here}.{key}") if names else each[key]
        if name in found:
            raise Invalid(f"{here}.{key}: “{name}” is given twice", path=f"{here}.{key}")
        inner = each.get("value")
        found[name] = convert(inner, f"{here}.value") if convert and inner is not None else inner
    return found


def rest_ids(target: Node | None, value: Any, path: str) -> Any:
    """Convert an id, or a list of ids, of objects of a type or of any."""
    if isinstance(value, list):
        return [rest_id(each, target, path) for each in value]
    return rest_id(value, target, path)
