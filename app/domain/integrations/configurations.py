"""Configurations of installations: whether values are of their types, and all that is required is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from app.kit.errors import Invalid
from app.models.manifests import fits

LARGEST = 100_000  # bytes of one configuration


def check(asked: Mapping[str, Any] | None, values: Mapping[str, Any]) -> None:
    """Raise Invalid for a value that is not of its property's type; what no property names is kept."""
    if len(orjson.dumps(values)) > LARGEST:
        raise Invalid(f"A configuration may have at most {LARGEST} bytes.", path="configuration")
    for name, wanted in _properties(asked).items():
        value = values.get(name)
        if (
            value is not None
            and wanted["type"] != "button"
            and not fits(wanted["type"], value, wanted.get("enum"))
        ):
            raise Invalid(
                f"“{name}” is not a {wanted['type']} of the property.", path=f"configuration.{name}"
            )


def begin(asked: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a configuration starts with: the defaults."""
    return {name: wanted["default"] for name, wanted in _properties(asked).items() if "default" in wanted}


def status(asked: Mapping[str, Any] | None, values: Mapping[str, Any], before: str = "pending") -> str:
    """`active` once all that is required is there, else `pending`; what was paused stays so."""
    if before == "paused":
        return before
    properties = _properties(asked)
    for name in (asked or {}).get("required", ()):
        wanted, value = properties[name], values.get(name)
        is_there = value is not None and value != ""
        if not is_there or (
            wanted["type"] != "button" and not fits(wanted["type"], value, wanted.get("enum"))
        ):
            return "pending"
    return "active"


def differs(now: Any, before: Any) -> bool:
    """Whether an installation was configured: one that answers by writing what is there is told once."""
    return bool(now.configuration != before.configuration or now.status != before.status)


def _properties(asked: Mapping[str, Any] | None) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (asked or {}).get("properties", {})
    return found
