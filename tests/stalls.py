"""Measures stalls of a server's event loop: a separate process requests `/healthz` every 50 ms.

Other processes delay responses too. Linux reports how long the threads of a process were ready but did not
run; that time is subtracted, which leaves the time that the server itself kept a caller waiting.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from glob import glob
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

EVERY = 0.05  # seconds
ROOT = Path(__file__).resolve().parents[1]


@dataclass(slots=True, frozen=True)
class Probe:
    """One question to `/healthz`: when it was asked (`time.monotonic`), and the seconds that it took.

    `stall` are those seconds without the ones in which the machine let neither side run.
    """

    asked: float
    took: float
    stall: float


class Watch:
    """Probes of a server, while they are made and afterwards."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.probes: list[Probe] = []

    def end(self) -> list[Probe]:
        """Ask no more; all probes."""
        if not self.probes:
            said, _ = self._process.communicate("")
            self.probes = [Probe(*map(float, line.split())) for line in said.splitlines()]
        return self.probes

    def longest(self, since: float = 0.0, until: float = float("inf")) -> float:
        """The longest stall between two moments, once the watch has ended."""
        during = (each for each in self.probes if each.asked <= until and each.asked + each.took >= since)
        return max((each.stall for each in during), default=0.0)


@contextmanager
def watching(address: str, pid: int) -> Iterator[Watch]:
    """Watch the server at this address, which is this process."""
    command = [sys.executable, "-m", "tests.stalls", address, str(pid)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        watch = Watch(process)
        try:
            yield watch
        finally:
            watch.end()


def _probe(address: str, pid: str) -> Iterator[Probe]:
    connection = HTTPConnection(urlsplit(address).netloc)
    while True:
        waited, asked = _waited(pid), time.monotonic()
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
        took = time.monotonic() - asked
        yield Probe(asked, took, max(0.0, took - _between(waited, _waited(pid))))
        time.sleep(max(0.0, EVERY - took))


def _waited(pid: str) -> dict[str, float]:
    """The seconds that each thread of the server, and of this process, was ready and did not run so far."""
    found = {"stolen": _stolen()}
    for place in (*glob(f"/proc/{pid}/task/*/schedstat"), "/proc/self/schedstat"):
        with suppress(OSError):
            found[place] = int(Path(place).read_text().split()[1]) / 1e9
    return found


def _stolen() -> float:
    """The seconds that the machine under this one took."""
    with suppress(OSError):
        return int(Path("/proc/stat").read_text().split("\n", 1)[0].split()[8]) / 100
    return 0.0


def _between(before: dict[str, float], after: dict[str, float]) -> float:
    return sum(seconds - before.get(place, 0.0) for place, seconds in after.items())


def _main() -> None:
    lines: list[str] = []
    ending = threading.Event()

    def probe() -> None:
        for each in _probe(sys.argv[1], sys.argv[2]):
            lines.append(f"{each.asked} {each.took} {each.stall}")
            if ending.is_set():
                return

    probing = threading.Thread(target=probe)
    probing.start()
    sys.stdin.read()
    ending.set()
    probing.join()
    sys.stdout.write("\n".join(lines))


if __name__ == "__main__":
    _main()
