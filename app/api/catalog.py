"""Every operation there is: for the API's document, the tests, and servers that start to stay."""

from __future__ import annotations

from app.api.operation import Operation
from app.api.operations import FAMILIES, rows_of

OPERATIONS: list[Operation] = [row for module in dict.fromkeys(FAMILIES.values()) for row in rows_of(module)]
