"""A local stand-in for Lambda's runtime API, and the real runtime client running our handler against it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Any
from uuid import uuid4

from tests.cli.command import AUDIT_KEY, SECRET
from tests.timing import TIMEOUT

ROOT = Path(__file__).resolve().parents[2]
LARGEST_ANSWER = 6 * 1024 * 1024 + 100  # bytes
BASE, SITES = "https://docs.example.org", "https://sites.example.org"


class Api(ThreadingHTTPServer):
    """Hands events to whoever asks for the next one and collects the answers."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.events: Queue[Any] = Queue()
        self.answers: Queue[tuple[str, Any]] = Queue()
        self.snapshots: Queue[str] = Queue()
        self.restored = threading.Event()
        self.is_asked = threading.Event()
        self.process: subprocess.Popen[bytes] | None = None
        """Set once the environment has begun, and asks for its first event."""

    def invoke(self, event: dict[str, Any]) -> Any:
        """Return the answer of the function to an event; where it fails, the test does."""
        self.events.put(event)
        kind, answer = self.answers.get(timeout=TIMEOUT)
        assert kind == "response", answer
        return answer

    def kill(self) -> None:
        """End the environment in the middle of what it does."""
        assert self.process is not None
        self.process.kill()

    def handle_error(self, request: object, client_address: object) -> None:
        """Environments end while they wait for an event; that is no news."""

    def restore(self) -> None:
        """Wait until a snapshot of the environment can be taken, then let it go on as if restored."""
        self.snapshots.get(timeout=TIMEOUT)
        self.restored.set()

    def watch(self, process: subprocess.Popen[bytes]) -> None:
        """Take the end of the process as its answer to whatever was asked last."""
        self.answers.put(("end", process.wait()))


class Handler(BaseHTTPRequestHandler):
    """The few addresses of the runtime API that the client needs; each answer leaves in one write."""

    server: Api
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self) -> None:
        if self.path.endswith("/restore/next"):
            self.server.snapshots.put(self.path)
            self.server.restored.wait(TIMEOUT)
            self._answer(200, b"", {})
            return
        self.server.is_asked.set()
        event = self.server.events.get()
        self._answer(
            200,
            json.dumps(event).encode(),
            {
                "Lambda-Runtime-Aws-Request-Id": str(uuid4()),
                "Lambda-Runtime-Deadline-Ms": str(int((time.time() + TIMEOUT) * 1000)),
                "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:eu-central-1:123456789012:function:x",
                "Lambda-Runtime-Trace-Id": "Root=1-0-0",
                "Content-Type": "application/json",
            },
        )

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if len(body) > LARGEST_ANSWER:
            error = {"errorType": "Function.ResponseSizeTooLarge", "errorMessage": f"{len(body)} bytes"}
            self.server.answers.put(("error", error))
            self._answer(413, b"{}", {})
            return
        self.server.answers.put((self.path.rpartition("/")[2], json.loads(body)))
        self._answer(202, b"{}", {})

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


SNAP_START = {"AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start"}
PERIOD = 0.05  # seconds in which a process gets its share of a processor


def _limit(process: subprocess.Popen[bytes], api: Api, share: float) -> None:
    """Give a process a share of a processor from its first event on, as a small function has."""
    api.is_asked.wait()
    with suppress(ProcessLookupError):
        while process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            time.sleep(PERIOD * (1 - share))
            process.send_signal(signal.SIGCONT)
            time.sleep(PERIOD * share)


@contextmanager
def function(log: Path, share: float = 1, /, **settings: str) -> Iterator[Api]:
    """One cold environment with our handler in it, until the block ends.

    While it begins it has a processor to itself, after that the `share` of one.
    """
    api = Api()
    threading.Thread(target=api.serve_forever, daemon=True).start()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DOCYARD_")}
    places = {"DOCYARD_BASE_URL": BASE, "DOCYARD_SITES_URL": SITES}
    keys = {"DOCYARD_AUDIT_KEY": AUDIT_KEY, "DOCYARD_SECRET": SECRET}
    runtime = {
        "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{api.server_port}",
        "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13",  # which says how answers are encoded
    }
    environment = {**kept, **places, **keys, **runtime, **settings}
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "awslambdaric", "app.aws.handler"],
            cwd=ROOT, env=environment, stdout=output, stderr=output,
        )  # fmt: skip
        api.process = process
        threading.Thread(target=api.watch, args=(process,), daemon=True).start()
        if share < 1:
            threading.Thread(target=_limit, args=(process, api, share), daemon=True).start()
        try:
            yield api
        finally:
            process.kill()
            process.wait()
            api.shutdown()
            api.server_close()
