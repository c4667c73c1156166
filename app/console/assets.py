"""The files of the console: which there are, under which version, and how they are sent.

The version is a hash of all files and part of their addresses, so browsers keep them for good. Files that are
changed while the server runs get another version within a second: nothing is built, nothing is restarted.
"""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path, PurePosixPath

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.kit.http.headers import FOR_EVER

STATIC = Path(__file__).parent / "static"
READER = Path(__file__).parents[1] / "site_reader" / "static"
READER_STYLES = ("reader.css", "api.css", "blocks.css")  # one file here, for frames that show any page
STYLES, ENTRY, EARLY = "style.css", "main.js", "early.js"
FIRST_STYLE = "design.css"  # the custom properties that all others use
OWN_STYLES = frozenset({"frame.css", "guide.css"})  # of pages that are not the shell
TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
KEPT_SECONDS = 1.0  # for which the folder is not looked at again
ROUTES = "routes.js"
_ROUTE = re.compile(r'^  \["(/[^"]*)", \(\) => import\("\./([^"]+)"\)\],$', re.MULTILINE)
_IMPORT = re.compile(r'^(?:import|export)\s(?:[^;"]*?\sfrom\s*)?"(\.[^"]+)"', re.MULTILINE)


@dataclass(slots=True)
class Assets:
    """The files as they are now, by their names, with what is computed from them once."""

    files: dict[str, bytes]
    version: str
    _zipped: dict[str, bytes] = field(default_factory=dict)
    _screens: list[tuple[re.Pattern[str], str, str]] = field(default_factory=list)

    @property
    def early(self) -> str:
        """The script that runs before anything is drawn: it stands in the page, which waits for no file."""
        return self.files[EARLY].decode()

    def zipped(self, name: str) -> bytes:
        """Return a file gzipped."""
        if name not in self._zipped:
            self._zipped[name] = gzip.compress(self.files[name], compresslevel=9, mtime=0)
        return self._zipped[name]

    def screen(self, path: str) -> str | None:
        """Return the module of the screen that a path of the console names, as `router.js` finds it."""
        return next((module for pattern, _, module in self._routes() if pattern.fullmatch(path)), None)

    def route(self, path: str) -> tuple[str, dict[str, str]] | None:
        """Return the route of a path as `routes.js` writes it, with the parts of the path that it names."""
        found = ((pattern.fullmatch(path), route) for pattern, route, _ in self._routes())
        return next(((route, match.groupdict("")) for match, route in found if match), None)

    def _routes(self) -> list[tuple[re.Pattern[str], str, str]]:
        if not self._screens:
            routes = _ROUTE.findall(self.files[ROUTES].decode())
            self._screens = [(_pattern(route), route, module) for route, module in routes]
        return self._screens

    def modules(self, first: str) -> list[str]:
        """Return the modules that a module imports when it is loaded, itself first."""
        found = {first: None}
        waiting = [first]
        while waiting:
            name = waiting.pop(0)
            for wanted in _IMPORT.findall(self.files[name].decode()):
                other = _joined(PurePosixPath(name).parent, wanted)
                if other not in found and other in self.files:
                    found[other] = None
                    waiting.append(other)
        return list(found)


def current() -> Assets:
    """Return the files as they are, read again if one of them has changed."""
    global _looked_at
    now = time.monotonic()
    if now - _looked_at >= KEPT_SECONDS:
        _looked_at = now
        if _read.cache_info().currsize and _signature() != _read_at[0]:
            _read.cache_clear()
    return _read()


def asset(request: Request) -> Response:
    """Return a file of the console, compressed if the browser takes it; raises HTTPException 404.

    Under the current version it may be kept for good, under any other (a page opened before an upgrade) not.
    """
    found, name = current(), request.path_params["name"]
    if name not in found.files:
        raise HTTPException(404)
    headers = {
        "Content-Type": TYPES[PurePosixPath(name).suffix],
        "Cache-Control": FOR_EVER if request.path_params["version"] == found.version else "no-cache",
        "Vary": "Accept-Encoding",
        "Access-Control-Allow-Origin": "*",  # the frame of pages has an origin of its own
    }
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(found.files[name], headers=headers)
    return Response(found.zipped(name), headers={**headers, "Content-Encoding": "gzip"})


_looked_at = 0.0
_read_at: list[tuple[tuple[str, int, int], ...]] = [()]


@cache
def _read() -> Assets:
    _read_at[0] = _signature()
    files: dict[str, bytes] = {}
    styles: dict[str, bytes] = {}
    texts: dict[str, dict[str, object]] = {}
    for path in _paths():
        name = path.relative_to(STATIC).as_posix()
        if name.startswith("texts/"):
            texts.setdefault(path.parent.name, {}).update(json.loads(path.read_bytes()))
        elif path.suffix == ".css" and name not in OWN_STYLES:
            styles[name] = path.read_bytes()
        else:
            files[name] = path.read_bytes()
    order = sorted(styles, key=lambda name: (name != FIRST_STYLE, "/" in name, name))
    files[STYLES] = b"\n".join(styles[name] for name in order)
    files["reader.css"] = b"\n".join((READER / name).read_bytes() for name in READER_STYLES)
    for language, known in texts.items():
        made = json.dumps(known, ensure_ascii=False, separators=(",", ":"))
        files[f"texts/{language}.js"] = f"export default {made};\n".encode()
    digest = sha256()
    for name in sorted(files):
        digest.update(name.encode() + sha256(files[name]).digest())
    return Assets(files, digest.hexdigest()[:12])


def _paths() -> Iterator[Path]:
    for path in sorted(STATIC.rglob("*")):
        if path.suffix in TYPES and not path.name.startswith("."):
            yield path


def _signature() -> tuple[tuple[str, int, int], ...]:
    stats = ((str(path), path.stat()) for path in _paths())
    return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats)


def _pattern(route: str) -> re.Pattern[str]:
    one = re.sub(r"/:(\w+)", r"/(?P<\1>[^/]+)", route)
    return re.compile(re.sub(r"/\*(\w+)", r"(?:/(?P<\1>(?!~(?:/|$)).*?))?", one) + "/?")


def _joined(folder: PurePosixPath, relative: str) -> str:
    parts = list(folder.parts)
    for part in PurePosixPath(relative).parts:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
