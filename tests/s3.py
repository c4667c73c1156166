"""A real S3 server for the tests: moto's, in a process of its own, on a free port of this machine."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import httpx

from app.kit.ids import new_id
from tests import web
from tests.patience import PATIENCE
from tests.postgres import TRIES, free_port

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "somebody",
    "AWS_SECRET_ACCESS_KEY": "something",
    "AWS_REGION": "eu-central-1",
}
# Private objects want a signature; moto does not check whether it is right.
SIGNED = {"Authorization": "AWS4-HMAC-SHA256 Credential=somebody/20261121/eu-central-1/s3/aws4_request"}


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket of the server, looked at from outside the product."""

    endpoint: str
    name: str

    @property
    def setting(self) -> str:
        """What DOCYARD_BLOBS says to use it."""
        return f"s3://{self.name}/files?endpoint={self.endpoint}"

    def objects(self) -> dict[str, bytes]:
        """Everything in it."""
        listed = web.get(f"{self.endpoint}/{self.name}?list-type=2").text
        return {
            key: web.get(f"{self.endpoint}/{self.name}/{key}", headers=SIGNED).content
            for key in re.findall("<Key>(.*?)</Key>", listed)
        }


@contextmanager
def server() -> Iterator[str]:
    """The address of a running server."""
    for _ in range(TRIES):
        port = free_port()
        process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            if _answers(process, f"http://127.0.0.1:{port}"):
                yield f"http://127.0.0.1:{port}"
                return
        finally:
            process.terminate()
            process.wait(PATIENCE)
    raise AssertionError("the S3 server does not start")


def create_bucket(endpoint: str) -> Bucket:
    """A new and empty bucket."""
    bucket = Bucket(endpoint, f"test-{new_id().lower()}")
    made = httpx.put(
        f"{endpoint}/{bucket.name}",
        content="<CreateBucketConfiguration><LocationConstraint>eu-central-1</LocationConstraint>"
        "</CreateBucketConfiguration>",
        timeout=PATIENCE,
    )
    assert made.status_code == 200, made.text
    return bucket


def _answers(process: subprocess.Popen[bytes], address: str) -> bool:
    """Whether this server comes to answer there, and not one that took the port before it."""
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None:
        assert time.monotonic() < deadline, "the S3 server does not start"
        with suppress(httpx.TransportError):
            if "ListAllMyBucketsResult" in web.get(address).text:
                return True
        time.sleep(0.1)
    return False
