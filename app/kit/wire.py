"""JSON as it is sent: UTF-8, and every time written in the one way of `kit.clock`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import orjson

from app.kit.clock import wire_time


def to_json(value: Any) -> bytes:
    """The JSON text of plain values and times; raises TypeError for anything else."""
    return orjson.dumps(value, default=_written, option=orjson.OPT_PASSTHROUGH_DATETIME)


def _written(value: Any) -> str:
    if isinstance(value, datetime):
        return wire_time(value)
    raise TypeError(f"{type(value).__name__} is nothing that JSON can hold")
