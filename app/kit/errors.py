"""Every error a caller may be told about: a status, a sentence for people, and the field it concerns.

Both faces render these; anything else that escapes is answered as 500 without detail.
"""

from __future__ import annotations

from typing import Any, ClassVar


class Problem(Exception):
    """A refusal with an HTTP status, a GraphQL code and a sentence."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "INTERNAL"

    def __init__(
        self, message: str, *, path: str | None = None, details: list[dict[str, Any]] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.details = details or ([{"path": path, "message": message}] if path else [])

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that go with the status over HTTP."""
        return {}


class Invalid(Problem):
    """The request is malformed or means nothing: 400, naming the field."""

    status = 400
    code = "BAD_REQUEST"


SEND_A_TOKEN = "Send a token in the header: Authorization: Bearer <token>."


class Unauthenticated(Problem):
    """No token, or one that is unknown, revoked or expired: 401."""

    status = 401
    code = "UNAUTHENTICATED"

    metadata_url: str | None = None
    """The URL at which clients learn how to sign in for what was refused (RFC 9728)."""

    @property
    def headers(self) -> dict[str, str]:
        url = self.metadata_url
        return {"WWW-Authenticate": f'Bearer resource_metadata="{url}"' if url else "Bearer"}


class Forbidden(Problem):
    """The caller sees the object but may not do this to it: 403."""

    status = 403
    code = "FORBIDDEN"


class NotFound(Problem):
    """The object does not exist, or the caller may not know that it does: 404."""

    status = 404
    code = "NOT_FOUND"


class MethodNotAllowed(Problem):
    """The address exists, but not with this method: 405 with `Allow`."""

    status = 405
    code = "METHOD_NOT_ALLOWED"

    def __init__(self, allowed: list[str]) -> None:
        super().__init__(f"This address answers {', '.join(allowed)} only.")
        self.allowed = allowed

    @property
    def headers(self) -> dict[str, str]:
        return {"Allow": ", ".join(self.allowed)}


class Conflict(Problem):
    """The state of the object stands in the way: 409."""

    status = 409
    code = "CONFLICT"


class PreconditionFailed(Problem):
    """`If-Match` is stale, or something must be true first: 412."""

    status = 412
    code = "PRECONDITION_FAILED"


class TooLarge(Problem):
    """The body is larger than the limit: 413."""

    status = 413
    code = "PAYLOAD_TOO_LARGE"


class NotJson(Problem):
    """The body is not `application/json`: 415."""

    status = 415
    code = "UNSUPPORTED_MEDIA_TYPE"


class Unprocessable(Problem):
    """An idempotency key was used before with another body, or content cannot become what is asked: 422."""

    status = 422
    code = "UNPROCESSABLE"


class OverBudget(Unprocessable):
    """Raised where a request takes more computing than one may cost: 422."""


class Disconnected(Problem):
    """The caller went away before the answer: nobody sees this but the log, which writes 499."""

    status = 499
    code = "CLIENT_CLOSED_REQUEST"


class TryLater(Problem):
    """Raised where a request may succeed later: `Retry-After` says in how many seconds."""

    def __init__(self, message: str, retry_after: int = 1) -> None:
        super().__init__(message)
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(self.retry_after)}


class TooManyRequests(TryLater):
    """A rate limit or quota is reached: 429 with `Retry-After`."""

    status = 429
    code = "TOO_MANY_REQUESTS"


class BadGateway(Problem):
    """Something outside that had to answer did not, or answered nonsense: 502."""

    status = 502
    code = "BAD_GATEWAY"


class Unavailable(TryLater):
    """The database, or another server, is busy or away beyond patience: 503 with `Retry-After`."""

    status = 503
    code = "UNAVAILABLE"


class TimedOut(Problem):
    """The answer took longer than the caller may wait for it: 503."""

    status = 503
    code = "TIMEOUT"
