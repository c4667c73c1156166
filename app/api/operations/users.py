"""Operations on people."""

from __future__ import annotations

from app.api.operation import family, get, patch
from app.domain.organizations import users
from app.models.users import UserUpdate
from app.present.people import user

OPERATIONS = family(
    "Organizations and invites",
    get(
        "getAuthenticatedUser",
        "/user",
        users.me,
        show=user,
        field="Query.me",
        permission="anybody",
    ),
    get(
        "getUserById",
        "/users/{userId}",
        users.get,
        show=user,
        field="Query.user",
        permission="anybody",
    ),
    patch(
        "updateUserById",
        "/users/{userId}",
        users.update,
        body=UserUpdate,
        show=user,
        field="updateUser",
        permission="anybody",
    ),
)
