"""The AWS Lambda handler: events of an HTTP API are answered, a scheduled event does the work that is due.

The product is built on the first event and kept while the environment lives; nothing runs between events.
Where environments are restored from a snapshot (SnapStart), it is built before that is taken, with all that
would be loaded later. Set the handler to `app.aws.handler`; the schedule sends `{"docyard": "work"}`.
`SECRETS_ARN` names a secret in Secrets Manager that has settings, as a JSON object of `DOCYARD_…` variables.
"""

# ruff: noqa: E402 - the first statement is for the imports
from __future__ import annotations

import gc

gc.disable()  # until the first answer: what loads is no garbage, and looking for some is a sixth of the time

import asyncio
import json
import os
from functools import cache
from importlib import import_module
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
LOADED_LATER = (
    "app.api.catalog",
    "app.api.graphql.converts",
    "app.api.graphql.server",
    "app.api.mcp.server",
    "app.domain.site_addresses.site_hosts",
    "app.domain.worker",
    "app.site_reader.rendering.page",
    "app.web.files",
    "app.web.oauth",
)
"""Modules that requests load where they need them; a snapshot has them."""


def handler(event: Event, context: Any) -> Any:
    """Answer one event."""
    function = _function()
    if event.get("docyard") == "work":
        _collect_from_now_on()
        return function.work(context.get_remaining_time_in_millis() / 1000)
    try:
        return function.answer(event, context)
    finally:
        _collect_from_now_on()


def _collect_from_now_on() -> None:
    """Look for garbage, but never again in what the first answer needed."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def _prepare_snapshot() -> None:
    """Build the product, which connects to nothing before its first event, and load what is loaded later."""
    _function()
    for name in LOADED_LATER:
        import_module(name)
    _collect_from_now_on()


def _read_secrets(arn: str) -> None:
    """Put the settings of a secret into the environment; raises ValueError where it has none."""
    import boto3  # which Lambda's runtime has

    try:
        found = json.loads(boto3.client("secretsmanager").get_secret_value(SecretId=arn)["SecretString"])
        values = {name: str(value) for name, value in found.items() if name.startswith("DOCYARD_")}
    except (KeyError, ValueError, AttributeError):
        values = {}
    if not values:
        raise ValueError(f'The secret {arn} must be a JSON object of settings, as {{"DOCYARD_SECRET": "…"}}.')
    os.environ.update(values)


@cache
def _function() -> Function:
    if arn := os.environ.get("SECRETS_ARN"):
        _read_secrets(arn)
    settings = Settings()
    sizes = {"upload_limit": min(settings.upload_limit, LARGEST_BODY), "download_limit": LARGEST_BODY}
    return Function(settings.model_copy(update=sizes))


class Function:
    """The product in one Lambda environment, on one event loop, to which its connections belong."""

    def __init__(self, settings: Settings) -> None:
        logs.configure()
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        app = create_app(settings)
        self._services: Services = app.state.services
        self._http = Mangum(app, lifespan="off")

    def answer(self, event: Event, context: Any) -> Any:
        """Answer one event, and write down what was counted: the environment may not see another one."""
        answer = self._http(event, context)
        self._loop.run_until_complete(self._services.runtime.keep_visit_counts())
        return answer

    def work(self, seconds: float) -> dict[str, int]:
        """Do what is due, as long as there is time, and tell how many jobs were tried."""
        until = monotonic() + min(seconds - SPARE, LONGEST_WORK)
        return {"tried": self._loop.run_until_complete(self._work(until))}

    async def _work(self, until: float) -> int:
        from app.domain import worker as work

        await self._services.ready()
        await self._services.runtime.keep_visit_counts()
        return await work.run_for(self._services.runtime, until - monotonic())


if os.environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "snap-start":
    _prepare_snapshot()
