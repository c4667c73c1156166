"""A person as others see them (specification, User)."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.models.users import User, UserOut
from app.present import links
from app.present.shape import shows


@shows(UserOut)
def user(cx: Context, row: User) -> dict[str, Any]:
    """A person without a picture has no `photoURL`."""
    out: dict[str, Any] = {
        "object": "user",
        "id": row.id,
        "displayName": row.display_name,
        "urls": links.user(cx, row.id),
    }
    if "@" in row.email:  # integrations act as users without an address
        out["email"] = row.email
    return {**out, "photoURL": row.photo_url} if row.photo_url else out
