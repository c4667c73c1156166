"""A queue of Amazon SQS whose messages start background work, where no process stays to do it.

What is to be done is in the database. A message only says that something is due now, so that one which is
lost, or sent twice, harms nobody: a schedule looks for due work, too.
"""

from __future__ import annotations

import logging
import time
from functools import cached_property
from typing import Any

log = logging.getLogger("docyard.work")
MESSAGE = '{"docyard": "work"}'
CONNECTING, ANSWERING = 1.0, 2.0  # seconds that the queue has, while somebody waits for an answer
PAUSE = 600.0  # seconds in which a queue that did not answer is left alone


class WorkQueue:
    """Sends messages to a queue; where there is no `url`, the schedule has to do."""

    def __init__(self, url: str | None) -> None:
        self._url = url
        self._silent_until = 0.0

    def prepare(self) -> None:
        """Load what sends messages; it connects to nothing before the first."""
        if self._url is not None:
            self._client  # noqa: B018

    def ask_for_work(self) -> None:
        """Send a message. What fails is logged: nobody is refused because of it."""
        if self._url is None or time.monotonic() < self._silent_until:
            return
        try:
            self._client.send_message(QueueUrl=self._url, MessageBody=MESSAGE)
        except Exception as error:  # the library's own, of many kinds
            log.warning("the queue of work cannot be reached, so work begins by the schedule: %s", error)
            self._silent_until = time.monotonic() + PAUSE

    @cached_property
    def _client(self) -> Any:
        import boto3  # which Lambda's runtime has
        from botocore.config import Config

        times = Config(connect_timeout=CONNECTING, read_timeout=ANSWERING, retries={"total_max_attempts": 1})
        return boto3.client("sqs", config=times)
