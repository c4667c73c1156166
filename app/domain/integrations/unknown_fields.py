"""Fields of a manifest that nothing here knows: kept as they are, and shown to those who publish."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from pydantic import BaseModel

from app.kit.errors import Invalid
from app.models.manifests import IntegrationPublish

MOST = 100
LARGEST = 20_000  # bytes of all together
MESSAGE = "Nothing here knows this field; it is kept without effect."


def warnings(manifest: IntegrationPublish) -> list[dict[str, Any]]:
    """Return a warning for each field that nothing here knows. Raises Invalid where they are too many."""
    found: list[dict[str, Any]] = []
    size = 0
    for path, value in _unknown(manifest, ""):
        sent = orjson.dumps(value).decode()
        size += len(path.encode()) + len(sent)
        if len(found) == MOST or size > LARGEST:
            told = f"{MOST} fields that nothing here knows, of {LARGEST:,} bytes together"
            raise Invalid(f"A manifest may have at most {told}.", path=path)
        found.append({"path": path, "message": MESSAGE, "value": sent})
    return found


def _unknown(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the path and the value of each field that no shape has, in the order of the shapes."""
    if isinstance(value, BaseModel):
        for name, extra in (value.model_extra or {}).items():
            yield f"{path}{name}", extra
        for name, field in type(value).model_fields.items():
            if name in value.model_fields_set:
                yield from _unknown(getattr(value, name), f"{path}{field.alias or name}.")
    elif isinstance(value, list | dict):
        for key, item in enumerate(value) if isinstance(value, list) else value.items():
            yield from _unknown(item, f"{path}{key}.")
