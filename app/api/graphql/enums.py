"""The enumerations that the models declare."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from app import models
from app.models.base import Enumeration

ENUMERATIONS: list[Enumeration] = [
    each
    for module in pkgutil.iter_modules(models.__path__)
    for each in getattr(import_module(f"app.models.{module.name}"), "ENUMERATIONS", ())
]
"""Every enumeration that a module of the models declares."""
