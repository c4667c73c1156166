"""The REST face: every operation is one row of data, joined here by hand."""

from app.rest import spaces
from app.rest.operation import Operation

OPERATIONS: list[Operation] = [
    *spaces.OPERATIONS,
]
