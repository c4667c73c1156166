"""Every table, for those who need all of them: migrations and tests."""

from __future__ import annotations

from sqlmodel import SQLModel

from app.models import (  # noqa: F401 - each fills the metadata
    change_requests,
    collections,
    facts,
    files,
    jobs,
    links,
    organizations,
    pages,
    rate_limits,
    replays,
    reviews,
    revisions,
    searches,
    spaces,
    tokens,
    users,
)

METADATA = SQLModel.metadata
