"""`docyard settings`: what can be set from outside, and what it is now."""

from __future__ import annotations

from typing import Any

from app.cli.session import DatabaseOption, settings_for, without_password
from app.cli.words import table
from app.kit.settings import Settings, variable

SECRET = ("secret", "token", "password", "key", "credentials")


def settings(*, database: DatabaseOption = None) -> None:
    """Show every setting: its environment variable, its value now and its meaning."""
    values = settings_for(database)
    table(
        ("variable", "value", "meaning"),
        (
            (variable(name), _shown(name, getattr(values, name)), field.description or "")
            for name, field in Settings.model_fields.items()
        ),
    )


def _shown(name: str, value: Any) -> str:
    if value and any(word in name for word in SECRET):
        return "***"
    if isinstance(value, bool):
        return str(value).lower()
    return without_password(str(value)) or "-"
