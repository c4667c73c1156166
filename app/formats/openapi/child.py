"""The process beside the server in which a specification is read, checked and made into pages.

    python -m app.formats.openapi.child SECONDS BYTES < request > answer

Both are JSON. The request has `files` (their address, or "" for a text, and their bytes in base64) and the
`entry`; the answer `needs` (addresses of files that are missing), `errors` (sentences), or what came out:
`filesystem` with the `pages`, and `warnings` where something is not valid. What takes too long or too much
memory ends here, and nothing else with it.
"""

from __future__ import annotations

import base64
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import orjson

from app.formats.openapi import checking, readable, references
from app.formats.openapi.pages import pages_of
from app.formats.openapi.reading import Broken, read


def process(
    files: dict[str, bytes],
    entry: str,
    *,
    names: dict[str, str] | None = None,
    loaded: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """What the files come to (see the module); `names` are what they shall be called in the answer.

    `loaded` is called when everything is there that checking takes.
    """
    try:
        return _processed(files, entry, names or {}, loaded)
    except Broken as broken:
        return {"errors": list(broken.messages)}
    except RecursionError:
        return {"errors": ["The specification has too many levels inside each other."]}
    except MemoryError:
        return {"errors": ["The specification needs too much memory."]}


def _processed(
    files: dict[str, bytes], entry: str, names: dict[str, str], loaded: Callable[[], None]
) -> dict[str, Any]:
    documents, formats, missing = {}, {}, set[str]()
    for url, data in files.items():
        documents[url], formats[url] = read(data)
        if url == entry:
            checking.version_of(documents[url])
        missing |= references.needed(documents[url], url)
    if missing - files.keys():
        return {"needs": sorted(missing - files.keys())}
    filesystem = {
        names.get(url, url): {"isEntrypoint": url == entry, "specification": document}
        for url, document in documents.items()
    }
    answer: dict[str, Any] = {"formats": formats, "filesystem": orjson.dumps(filesystem).decode()}
    document = references.bundle(documents, entry)
    checking.prepare(checking.version_of(document))
    loaded()
    faults = checking.check(document)
    if faults:
        readable.require(document, faults)
        answer["warnings"] = [fault._asdict() for fault in faults]
    if len(documents) > 1:
        answer["bundle"] = orjson.dumps(document).decode()
    answer["pages"] = [page.as_json() for page in pages_of(document)]
    return answer


def _limit(seconds: int, memory: int) -> None:
    """Bound time and memory, and let others go first."""
    os.nice(10)
    _set("RLIMIT_CPU", seconds)
    _set("RLIMIT_AS", memory)
    _set("RLIMIT_CORE", 0)


def _shut() -> None:
    """Open nothing any more, no file and no connection: a library may look up what is referred to."""
    _set("RLIMIT_NOFILE", 3)


def _set(name: str, most: int) -> None:
    """Set a limit, where the system has it; whoever waits for the answer has a limit of time of its own."""
    import resource

    with suppress(ValueError, OSError):
        resource.setrlimit(getattr(resource, name), (most, most))


def main(seconds: int, memory: int) -> None:
    """Read the request, keep within the limits, write the answer."""
    _limit(seconds, memory)
    sys.setrecursionlimit(4000)
    request = orjson.loads(sys.stdin.buffer.read())
    files = {url: base64.b64decode(data) for url, data in request["files"].items()}
    answer = process(files, request["entry"], names=request["names"], loaded=_shut)
    sys.stdout.buffer.write(orjson.dumps(answer))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
