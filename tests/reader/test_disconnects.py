"""Visitors who go away while their page is written: its computing ends, unless somebody else waits for it."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from tests.cast import Cast
from tests.hostile_texts import PATTERNS
from tests.timing import until
from tests.visitors import PublishedSite

LONG = PATTERNS["headings"](50_000)  # takes long enough to go away meanwhile


@pytest.fixture
def site(cast: Cast) -> PublishedSite:
    pages = {f"{name}.md": f"# {name}\n\n{LONG}" for name in ("one", "two")}
    return PublishedSite(cast, files={"README.md": "# Start\n", **pages})


@contextmanager
def visitor(site: PublishedSite, path: str) -> Iterator[None]:
    """Somebody who asks for a page that is computed, and goes away at the end of the block."""
    at = urlsplit(site.url)
    with socket.create_connection((at.hostname or "", at.port or 80)) as connection:
        connection.sendall(f"GET {at.path.rstrip('/')}{path} HTTP/1.1\r\nhost: {at.netloc}\r\n\r\n".encode())
        until(computes, "nothing is computed")
        yield


def computes() -> bool:
    """Tell whether a thread of the worker pool is at work."""
    frames = sys._current_frames()
    for thread in threading.enumerate():
        frame = frames.get(thread.ident or 0) if thread.name.startswith("docyard-large") else None
        while frame is not None:
            if frame.f_code.co_name == "_begun":
                return True
            frame = frame.f_back
    return False


def test_who_waits_for_the_same_page_is_answered_when_the_first_goes_away(site: PublishedSite) -> None:
    with ThreadPoolExecutor(1) as threads:
        with visitor(site, "/one"):
            waiting = threads.submit(site.open, "/one")
            time.sleep(0.3)  # until it waits too
        answer = waiting.result()
    assert answer.status_code == 200
    assert "<h1" in answer.text


def test_computing_ends_when_nobody_waits_for_it(site: PublishedSite) -> None:
    began = time.monotonic()
    assert site.open("/two").status_code == 200
    whole = time.monotonic() - began
    with visitor(site, "/one"):
        pass
    left = time.monotonic()
    until(lambda: not computes(), "the computing goes on")
    assert time.monotonic() - left < whole / 2
    assert site.open("/one").status_code == 200
