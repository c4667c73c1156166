"""Background work of functions: begun by messages of a queue, and by a schedule what nobody asked for."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
import httpx
import orjson
import pytest

from app.kit.settings import Settings
from tests import make, s3
from tests.aws.lambda_events import Gateway
from tests.aws.lambda_runtime import BASE, SITES, Api, function
from tests.cast import Cast
from tests.factories.openapi import document, path
from tests.instance import Instance
from tests.local_server import Answer, Request, port_of, serve
from tests.timing import TIMEOUT, until

WORK = {"docyard": "work"}
AWS = {**s3.CREDENTIALS, "AWS_DEFAULT_REGION": "eu-central-1"}


class Queue:
    """A queue of a real SQS server, and what Lambda does with its messages."""

    def __init__(self, endpoint: str) -> None:
        self._sqs: Any = boto3.client(
            "sqs",
            endpoint_url=endpoint,
            region_name="eu-central-1",
            aws_access_key_id="somebody",
            aws_secret_access_key="something",
        )
        self.url = str(self._sqs.create_queue(QueueName="work")["QueueUrl"])
        self.environment = {**AWS, "AWS_ENDPOINT_URL_SQS": endpoint, "WORK_QUEUE_URL": self.url}

    def event(self) -> dict[str, Any]:
        """Take the messages that are there, and return the event that a function gets with them."""
        received = self._sqs.receive_message(QueueUrl=self.url, MaxNumberOfMessages=10).get("Messages", [])
        for each in received:
            self._sqs.delete_message(QueueUrl=self.url, ReceiptHandle=each["ReceiptHandle"])
        return {
            "Records": [
                {"messageId": each["MessageId"], "body": each["Body"], "eventSource": "aws:sqs"}
                for each in received
            ]
        }


@pytest.fixture
def queue() -> Iterator[Queue]:
    with s3.server() as endpoint:
        yield Queue(endpoint)


@contextmanager
def people(api: Api, database: str) -> Iterator[Cast]:
    """People whose calls reach a function."""
    settings = Settings(database=database, base_url=BASE, sites_url=SITES)
    with httpx.Client(base_url=BASE, transport=Gateway(api), timeout=TIMEOUT) as client:
        yield make.cast(Instance(BASE, settings, client))


def test_a_request_that_leaves_work_begins_it_by_a_message(
    queue: Queue, fresh_database: str, tmp_path: Path
) -> None:
    given = {"DOCYARD_DATABASE": fresh_database, "DOCYARD_PURGE_AFTER_DAYS": "0", **queue.environment}
    with function(tmp_path / "log", **given) as api, people(api, fresh_database) as cast:
        place = f"/v1/spaces/{make.space(cast.ada, cast.organization)['id']}"
        queue.event()  # of what the organization began with
        assert cast.ada.get(place).status_code == 200
        assert queue.event() == {"Records": []}
        assert cast.ada.delete(place).status_code == 205
        event = queue.event()
        assert [json.loads(each["body"]) for each in event["Records"]] == [WORK]
        assert api.invoke(event) == {"batchItemFailures": []}
        assert cast.ada.get(place).status_code == 404
        assert queue.event() == {"Records": []}


def test_messages_stay_in_the_queue_where_the_work_cannot_be_done(tmp_path: Path) -> None:
    lost = str(tmp_path / "nowhere" / "docyard.db")
    with function(tmp_path / "log", DOCYARD_DATABASE=lost) as api:
        messages = [{"messageId": name, "body": json.dumps(WORK)} for name in ("a", "b")]
        answer = api.invoke({"Records": messages})
    assert answer == {"batchItemFailures": [{"itemIdentifier": "a"}, {"itemIdentifier": "b"}]}


def test_a_queue_that_is_away_keeps_nobody_from_writing(fresh_database: str, tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:9"  # where nothing listens
    gone = {**AWS, "AWS_ENDPOINT_URL_SQS": nowhere, "WORK_QUEUE_URL": f"{nowhere}/1/work"}
    given = {"DOCYARD_DATABASE": fresh_database, "DOCYARD_PURGE_AFTER_DAYS": "0", **gone}
    with function(tmp_path / "log", **given) as api, people(api, fresh_database) as cast:
        for _ in range(2):
            place = f"/v1/spaces/{make.space(cast.ada, cast.organization)['id']}"
            assert cast.ada.delete(place).status_code == 205
        assert api.invoke(WORK)["tried"] >= 2
        assert cast.ada.get(place).status_code == 404
    assert len(re.findall("the queue of work cannot be reached", (tmp_path / "log").read_text())) == 1


class Specifications:
    """A server that answers nobody at first, and everybody once it is told to."""

    def __init__(self) -> None:
        self.is_asked, self.answers = threading.Event(), threading.Event()

    def __call__(self, _request: Request) -> Answer:
        self.is_asked.set()
        self.answers.wait(TIMEOUT)
        return 200, {"content-type": "application/json"}, orjson.dumps(document())


def test_the_job_of_an_environment_that_was_killed_is_taken_over(fresh_database: str, tmp_path: Path) -> None:
    """With the settings of the template within two minutes: a lease, and until the next scheduled event."""
    specifications = Specifications()
    with serve({"/": specifications}) as server:
        given = {
            "DOCYARD_DATABASE": fresh_database,
            "DOCYARD_OUTBOUND_ALLOW": f"127.0.0.1:{port_of(server)}",
            "DOCYARD_JOB_LEASE": "3",
        }
        with (
            function(tmp_path / "first", **given) as first,
            function(tmp_path / "second", **given) as second,
            people(second, fresh_database) as cast,
        ):
            created = cast.ada.put(path(cast, "kennel"), {"source": {"url": f"{server}/"}})
            assert created.status_code in (200, 201), created.text
            first.events.put(WORK)
            assert specifications.is_asked.wait(TIMEOUT)
            assert second.invoke(WORK) == {"tried": 0}
            first.kill()
            specifications.answers.set()
            until(lambda: second.invoke(WORK)["tried"], "the job is taken over")
            assert cast.ada.get(path(cast, "kennel")).json()["processingState"] == "complete"
