"""Every operation there is: for the API's document, the tests, and servers that start to stay."""

from __future__ import annotations

from app.api.operation import Operation
from app.api.operations import FAMILIES, rows_of

_MODULES = {module: rows_of(module) for module in dict.fromkeys(FAMILIES.values())}
OPERATIONS: list[Operation] = [row for rows in _MODULES.values() for row in rows]
REFERENCES = {row.id: f"{module}.{row.id}" for module, rows in _MODULES.items() for row in rows}
"""The reference by which `operations.operation` finds each operation."""
