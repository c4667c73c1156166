"""What an import needs of the outside world."""

from __future__ import annotations

from typing import Protocol

from app.kit.http.outbound import OutboundResponse


class Fetch(Protocol):
    """What `Outbound.fetch` does, as far as an import needs it."""

    async def __call__(
        self,
        url: str,
        *,
        accept: str | None = None,
        max_bytes: int | None = None,
        deadline: float | None = None,
    ) -> OutboundResponse:
        """Fetch an address, by a moment of `time.monotonic()`, or raise OutboundError."""
