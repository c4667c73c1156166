"""Fixtures of the tests of both engines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from app import main
from app.runtime import Runtime
from tests import make, s3
from tests.cast import Cast
from tests.instance import idle, running
from tests.timing import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the servers that the test starts."""
    clock = Clock()
    monkeypatch.setattr(main, "Runtime", partial(Runtime, clock=clock))
    return clock


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """The address of an S3 server."""
    with s3.server() as address:
        yield address


@pytest.fixture(scope="module")
def endpoint(s3_server: str) -> Iterator[str]:
    """The address of an S3 server that the product may write to."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in s3.CREDENTIALS.items():
            patch.setenv(name, value)
        yield s3_server


@pytest.fixture
def bucket(endpoint: str) -> s3.Bucket:
    """A bucket with nothing in it."""
    return s3.create_bucket(endpoint)


@pytest.fixture
def cast_of_bucket(bucket: s3.Bucket, fresh_database: str) -> Iterator[Cast]:
    """People of a product that keeps files in the bucket, and does no work unless a test has it done."""
    with idle(), running(fresh_database, blobs=bucket.setting) as instance:
        yield make.cast(instance)
