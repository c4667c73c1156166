"""The REST face: every operation is one row of data, joined here by hand under the name of its family."""

from app.rest import collections, content, organizations, service, spaces, users
from app.rest.operation import Operation, family

OPERATIONS: list[Operation] = [
    *family("Service", service.OPERATIONS),
    *family(
        "Organizations and invites",
        [*organizations.OPERATIONS, *users.OPERATIONS, *content.OF_ORGANIZATIONS],
    ),
    *family("Collections", collections.OPERATIONS),
    *family("Spaces", [*spaces.OPERATIONS, *content.OF_SPACES]),
    *family("Space content", content.OPERATIONS),
]
