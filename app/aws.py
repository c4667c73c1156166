"""The AWS Lambda handler: events of an HTTP API are answered, a scheduled event does the work that is due.

The product is built on the first event and kept while the environment lives; nothing runs between events.
Set the handler to `app.aws.handler`; the schedule sends `{"docyard": "work"}`.
"""

# ruff: noqa: E402 - the first statement is for the imports
from __future__ import annotations

import gc

gc.disable()  # until the first answer: what loads is no garbage, and looking for some is a sixth of the time

import asyncio
from functools import cache
from time import monotonic
from typing import Any

from mangum import Mangum

# Imported with the module, since Lambda lends a whole processor to that and only a share of one to events.
from app.kit import logs
from app.kit.settings import Settings
from app.main import Services, create_app

Event = dict[str, Any]
LONGEST_WORK = 50.0  # seconds
LARGEST_BODY = 4_500_000  # bytes: an event may have 6 MB, and bytes are base64 in it
SPARE = 5.0  # seconds of the function's time that no new job may begin in


def handler(event: Event, context: Any) -> Any:
    """Answer one event."""
    function = _function()
    if event.get("docyard") == "work":
        _collect_from_now_on()
        return function.work(context.get_remaining_time_in_millis() / 1000)
    try:
        return function.http(event, context)
    finally:
        _collect_from_now_on()


def _collect_from_now_on() -> None:
    """Look for garbage, but never again in what the first answer needed."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


@cache
def _function() -> Function:
    settings = Settings()
    most = min(settings.upload_limit, LARGEST_BODY)
    return Function(settings.model_copy(update={"upload_limit": most}))


class Function:
    """The product in one Lambda environment, on one event loop, to which its connections belong."""

    def __init__(self, settings: Settings) -> None:
        logs.configure()
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        app = create_app(settings)
        self._services: Services = app.state.services
        self.http = Mangum(app, lifespan="off")

    def work(self, seconds: float) -> dict[str, int]:
        """Do what is due, as long as there is time, and tell how many jobs were tried."""
        until = monotonic() + min(seconds - SPARE, LONGEST_WORK)
        return {"tried": self._loop.run_until_complete(self._work(until))}

    async def _work(self, until: float) -> int:
        from app.domain import worker as work

        await self._services.ready()
        return await work.run_for(self._services.runtime, until - monotonic())
