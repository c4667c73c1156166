"""The AWS Lambda handler: events of an HTTP API are answered, those of a schedule and of a queue do due work.

The product is built on the first event and kept while the environment lives; nothing runs between events.
Where environments are restored from a snapshot (SnapStart), it is built before that is taken, with all that
would be loaded later. Set the handler to `app.aws.handler`; the schedule sends `{"docyard": "work"}`.
A request that leaves work to do sends a message to the queue at `WORK_QUEUE_URL`, whose messages are events
again; so does work that is not done after a few seconds, so that no event takes long.

`SECRETS_ARN` names a secret in Secrets Manager that has settings, as a JSON object of `DOCYARD_…` variables,
and `DATABASE_SECRET_ARN` one with the `username` and `password` that the address of the database lacks.
"""

# ruff: noqa: E402 - the first statement is for the imports
from __future__ import annotations

import gc

gc.disable()  # until the first answer: what loads is no garbage, and looking for some is a sixth of the time

import asyncio
import json
import logging
import os
from functools import cache
from importlib import import_module
from time import monotonic
from typing import Any
from urllib.parse import quote

from mangum import Mangum

# Imported with the module, since Lambda lends a whole processor to that and only a share of one to events.
from app.kit import logs
from app.kit.settings import Settings
from app.kit.work_queue import WorkQueue
from app.main import Services, create_app
from app.web.large_responses import MOST_BYTES, LargeResponses

Event = dict[str, Any]
LONGEST_WORK = 5.0  # seconds in which one event may begin jobs
LONGEST_IMPORT = 60.0  # seconds that an import run may take, which nothing must cut off
log = logging.getLogger("docyard.work")
LOADED_LATER = (
    "app.api.catalog",
    "app.api.graphql.converts",
    "app.api.graphql.server",
    "app.api.mcp.server",
    "app.domain.audit.audit_appending",
    "app.domain.change_feed.recorded_changes",
    "app.domain.infrastructure.blobs",
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
        return function.work_by_schedule()
    if "Records" in event:
        _collect_from_now_on()
        return function.work_for_queue(event["Records"])
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
    _function().queue.prepare()
    for name in LOADED_LATER:
        import_module(name)
    _collect_from_now_on()


def _read_secret(arn: str) -> dict[str, str]:
    """Return the entries of a secret; none where it is no JSON object."""
    import boto3  # which Lambda's runtime has

    try:
        found = json.loads(boto3.client("secretsmanager").get_secret_value(SecretId=arn)["SecretString"])
        return {name: str(value) for name, value in found.items()}
    except (KeyError, ValueError, AttributeError):
        return {}


def _use_settings_of(arn: str) -> None:
    """Put the settings of a secret into the environment; raises ValueError where it has none."""
    values = {name: value for name, value in _read_secret(arn).items() if name.startswith("DOCYARD_")}
    if not values:
        raise ValueError(f'The secret {arn} must be a JSON object of settings, as {{"DOCYARD_SECRET": "…"}}.')
    os.environ.update(values)


def _use_login_of(arn: str) -> None:
    """Put the login of a secret into the address of the database; raises ValueError where it has none."""
    login = _read_secret(arn)
    if not {"username", "password"} <= login.keys():
        raise ValueError(f"The secret {arn} must be a JSON object with a username and a password.")
    user, password = (quote(login[name], safe="") for name in ("username", "password"))
    address = os.environ["DOCYARD_DATABASE"]
    os.environ["DOCYARD_DATABASE"] = address.replace("://", f"://{user}:{password}@", 1)


@cache
def _function() -> Function:
    if arn := os.environ.get("SECRETS_ARN"):
        _use_settings_of(arn)
    if arn := os.environ.get("DATABASE_SECRET_ARN"):
        _use_login_of(arn)
    settings = Settings()
    limits = {
        "upload_limit": min(settings.upload_limit, MOST_BYTES),
        "download_limit": MOST_BYTES,
        "import_run_timeout": min(settings.import_run_timeout, LONGEST_IMPORT),
    }
    return Function(settings.model_copy(update=limits), WorkQueue(os.environ.get("WORK_QUEUE_URL")))


class Function:
    """The product in one Lambda environment, on one event loop, to which its connections belong."""

    def __init__(self, settings: Settings, queue: WorkQueue) -> None:
        logs.configure()
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        app = create_app(settings)
        self._services: Services = app.state.services
        self.queue = queue
        self._http = Mangum(LargeResponses(app, self._services.runtime), lifespan="off")

    def answer(self, event: Event, context: Any) -> Any:
        """Answer one event, and write down what was counted: the environment may not see another one."""
        answer = self._http(event, context)
        runtime = self._services.runtime
        self._loop.run_until_complete(runtime.keep_visit_counts())
        if runtime.job_due.is_set():
            runtime.job_due.clear()
            self.queue.ask_for_work()
        return answer

    def work_by_schedule(self) -> dict[str, int]:
        """Remove what is old and do what is due; tell how many jobs were tried."""
        return {"tried": self._work(prunes=True)}

    def work_for_queue(self, messages: list[Event]) -> dict[str, list[dict[str, str]]]:
        """Do what is due; where that fails, the queue keeps its messages."""
        try:
            self._work()
        except Exception:
            log.exception("the work that a queue asked for could not be done")
            return {"batchItemFailures": [{"itemIdentifier": each["messageId"]} for each in messages]}
        return {"batchItemFailures": []}

    def _work(self, *, prunes: bool = False) -> int:
        """Do what is due; what is left after a while is asked for again."""
        tried = self._loop.run_until_complete(self._do_jobs(prunes))
        self._services.runtime.job_due.clear()
        return tried

    async def _do_jobs(self, prunes: bool) -> int:
        from app.domain import worker as work

        await self._services.ready()
        runtime = self._services.runtime
        await runtime.keep_visit_counts()
        if prunes:
            await work.prune(runtime)
        until = monotonic() + LONGEST_WORK
        tried = await work.run_for(runtime, LONGEST_WORK)
        if monotonic() >= until:
            self.queue.ask_for_work()
        return tried


if os.environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "snap-start":
    _prepare_snapshot()
