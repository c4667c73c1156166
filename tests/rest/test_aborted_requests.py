"""Callers who go away in the middle of what they send: nobody's failure, so nothing that wakes anybody."""

from __future__ import annotations

import logging
import socket
import time
from urllib.parse import urlsplit

import pytest

from tests import anonymous
from tests.cast import Cast

FACES = {
    "REST": ("POST /v1/orgs", "application/json"),
    "GraphQL": ("POST /graphql", "application/json"),
    "sign-in": ("POST /sso/none/acs", "application/x-www-form-urlencoded"),
}
# What the running product does besides, for whoever asked before, may fail meanwhile.
BESIDES = {"docyard.jobs", "docyard.work", "docyard.openapi", "docyard.sync", "docyard.sandbox"}


@pytest.mark.parametrize("face", FACES)
def test_a_body_that_breaks_off_is_no_error_of_ours(
    cast: Cast, face: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    line, kind = FACES[face]
    at = urlsplit(cast.instance.base)
    head = f"{line} HTTP/1.1\r\nhost: {at.netloc}\r\nauthorization: Bearer {cast.ada.token}\r\n"
    with caplog.at_level(logging.ERROR):
        with socket.create_connection((at.hostname or "", at.port or 80)) as caller:
            caller.sendall(f"{head}content-type: {kind}\r\ncontent-length: 1000\r\n\r\n".encode() + b'{"a')
            time.sleep(0.3)
        for _ in range(3):
            assert anonymous.get(f"{cast.instance.base}/healthz").status_code == 200
            time.sleep(0.1)
    told = [record for record in caplog.records if record.name not in BESIDES]
    assert [record.getMessage() for record in told if record.levelno >= logging.ERROR] == []
    assert "ClientDisconnect" not in "".join(capfd.readouterr())
