"""A real S3 server for the tests: moto's, in a process of its own, on a free port of this machine."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from app.kit.ids import new_id
from tests.postgres import free_port

PATIENCE = 120
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
        listed = httpx.get(f"{self.endpoint}/{self.name}?list-type=2").text
        return {
            key: httpx.get(f"{self.endpoint}/{self.name}/{key}", headers=SIGNED).content
            for key in re.findall("<Key>(.*?)</Key>", listed)
        }


@contextmanager
def server() -> Iterator[str]:
    """The address of a running server."""
    for _ in range(4):  # somebody else may take the port first
        port = free_port()
        process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if _started(process, f"http://127.0.0.1:{port}"):
            break
    try:
        assert process.poll() is None, "the S3 server stopped while starting"
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def create_bucket(endpoint: str) -> Bucket:
    """A new and empty bucket."""
    bucket = Bucket(endpoint, f"test-{new_id().lower()}")
    made = httpx.put(
        f"{endpoint}/{bucket.name}",
        content="<CreateBucketConfiguration><LocationConstraint>eu-central-1</LocationConstraint>"
        "</CreateBucketConfiguration>",
    )
    assert made.status_code == 200, made.text
    return bucket


def _started(process: subprocess.Popen[bytes], address: str) -> bool:
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None:
        assert time.monotonic() < deadline, "the S3 server does not start"
        try:
            httpx.get(address)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return process.poll() is None
    return False
