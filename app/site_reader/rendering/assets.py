"""The reader's own files: styles and scripts, minified when they are first asked for.

Every page has `reader.css`, `navigation.js` and `reader.js`. What only some pages need is in files of its
own, which those pages name, or which scripts load once somebody wants it. All addresses have the same key,
which changes whenever one of the files does, so that a script finds the others beside itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

SCRIPT = "text/javascript; charset=utf-8"
STYLE = "text/css; charset=utf-8"
FIRST = "theme.js"
"""A script that runs before anything is drawn."""
REQUESTS = "requests.js"
"""A module that sends requests to APIs, where they may be tried."""
SEARCH = "search.js"
"""A module that the dialog of the search loads when it is opened."""
OFFLINE, WORKER = "offline.js", "worker.js"
"""Scripts of sites that are kept for reading without a network: the first starts the worker."""
API = ("api.css",)
"""The style of specifications of APIs."""
BLOCKS = ("blocks.css", "blocks.js")
"""The style of blocks of integrations, and the script that sends what is entered there."""
_STYLES = ("reader.css", *API, BLOCKS[0])
_DEFERRED = (BLOCKS[1], "navigation.js", "reader.js")
NAMES = (*_STYLES, *_DEFERRED, FIRST, REQUESTS, SEARCH, OFFLINE, WORKER)
_ALWAYS = ("reader.css", "navigation.js", "reader.js")


@dataclass(slots=True, frozen=True)
class Asset:
    """A file with its type and the key in its address."""

    content: bytes
    content_type: str
    key: str


def of_page(besides: Collection[str], *, works_offline: bool) -> tuple[list[str], list[str]]:
    """Return the styles of a page and its deferred scripts, both in the order that they are read in."""
    wanted = {*_ALWAYS, *besides}
    scripts = [name for name in _DEFERRED if name in wanted]
    return [name for name in _STYLES if name in wanted], [*scripts, *([OFFLINE] if works_offline else [])]


def asset(name: str) -> Asset | None:
    """Return the file of this name; None for any other."""
    return _assets().get(name)


def address(base: str, name: str) -> str:
    """Return where a page finds the file."""
    found = asset(name)
    return f"{base}/~/static/{found.key if found else '-'}/{name}"


@cache
def _assets() -> Mapping[str, Asset]:
    contents = {name: _minified(name) for name in NAMES}
    whole = hashlib.blake2b(digest_size=6)
    for name, content in contents.items():
        whole.update(f"{name} {len(content)} ".encode() + content)
    types = {"css": STYLE, "js": SCRIPT}
    return {
        name: Asset(content, types[name.rpartition(".")[2]], whole.hexdigest())
        for name, content in contents.items()
    }


def _minified(name: str) -> bytes:
    import rcssmin
    import rjsmin

    source = (files("app.site_reader") / "static" / name).read_text()
    minify = rcssmin.cssmin if name.endswith(".css") else rjsmin.jsmin
    return str(minify(source)).encode()
