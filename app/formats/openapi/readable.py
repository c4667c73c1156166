"""Whether a specification that is not valid can be read all the same: all that readers may be shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.formats.openapi.checking import METHODS, Fault
from app.formats.openapi.operation import operation_views
from app.formats.openapi.pages import operations
from app.formats.openapi.reading import Broken
from app.formats.openapi.samples import samples
from app.formats.openapi.schemas import schema_views

_MAPS = (("paths", ""), ("webhooks", ""), ("definitions", ""), ("components", ""), ("components", "schemas"))


def require(document: dict[str, Any], faults: Sequence[Fault]) -> None:
    """Raise Broken, with the faults in sentences, where operations or schemas cannot be read."""
    try:
        _read(document)
    except Exception:  # whatever it is that a view trips over, readers are not to meet it
        raise Broken(*(fault.sentence for fault in faults)) from None


def _read(document: dict[str, Any]) -> None:
    """Make everything that a reader may be shown; raises where an operation or schema has no such form."""
    if any(not isinstance(each.value.get("parameters", []), list) for each in operations(document)):
        raise Broken("The parameters of an operation are a list.")
    for holder, name in _MAPS:
        inside = document.get(holder, {})
        if not isinstance(inside, dict) or not isinstance(inside.get(name, {}) if name else inside, dict):
            raise Broken(f"`{holder}` is no object.")
    for path, item in document.get("paths", {}).items():
        if not path.startswith(("/", "x-")) or not isinstance(item, dict):
            raise Broken(f"`{path}` is no path.")
        for method in METHODS:
            operation = item.get(method, {})
            if not isinstance(operation, dict) or not isinstance(operation.get("responses", {}), dict):
                raise Broken(f"`{method}` of `{path}` is no operation.")
    for view in operation_views(document):
        samples(view)
    schema_views(document)
