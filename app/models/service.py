"""The service itself."""

from __future__ import annotations

from app.models.base import Shape


class ServiceOut(Shape):
    """Which Docyard answers."""

    version: str
    build: str
