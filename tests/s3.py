"""A real S3 server for the tests: moto's, in a process of its own, on a port that this machine gives it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from app.kit.ids import new_id
from tests.timing import TIMEOUT

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "somebody",
    "AWS_SECRET_ACCESS_KEY": "something",
    "AWS_REGION": "eu-central-1",
}
# Private objects want a signature; moto does not check whether it is right.
SIGNED = {"Authorization": "AWS4-HMAC-SHA256 Credential=somebody/20261121/eu-central-1/s3/aws4_request"}

_SERVER = """
import threading
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
threading.Event().wait()
"""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket of the server, looked at from outside the product."""

    endpoint: str
    name: str

    @property
    def setting(self) -> str:
        """Return the value of DOCYARD_BLOBS to use it."""
        return f"s3://{self.name}/files?endpoint={self.endpoint}"

    def objects(self) -> dict[str, bytes]:
        """Everything in it."""
        listed = httpx.get(f"{self.endpoint}/{self.name}?list-type=2", timeout=TIMEOUT).text
        return {
            key: httpx.get(f"{self.endpoint}/{self.name}/{key}", headers=SIGNED, timeout=TIMEOUT).content
            for key in re.findall("<Key>(.*?)</Key>", listed)
        }


@contextmanager
def server() -> Iterator[str]:
    """The address of a running server."""
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            port = process.stdout.readline().strip()
            assert port, "the S3 server stopped while starting"
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


def create_bucket(endpoint: str) -> Bucket:
    """A new and empty bucket."""
    bucket = Bucket(endpoint, f"test-{new_id().lower()}")
    made = httpx.put(
        f"{endpoint}/{bucket.name}",
        content="<CreateBucketConfiguration><LocationConstraint>eu-central-1</LocationConstraint>"
        "</CreateBucketConfiguration>",
        timeout=TIMEOUT,
    )
    assert made.status_code == 200, made.text
    return bucket
