"""REST rows of people."""

from __future__ import annotations

from app.domain import people
from app.present.users import user
from app.rest.operation import family, get

OPERATIONS = family(
    "Organizations and invites",
    get("getAuthenticatedUser", "/user", people.me, show=user),
)
