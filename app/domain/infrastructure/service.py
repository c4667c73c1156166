"""What the service tells about itself, to anyone who asks."""

from __future__ import annotations

from typing import NamedTuple

from app.access.context import Context
from app.kit.build import VERSION, build


class Service(NamedTuple):
    """This Docyard."""

    version: str
    build: str


async def get(cx: Context) -> Service:
    """Get the version and build of this service."""
    return Service(VERSION, build())
