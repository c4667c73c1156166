"""The process beside the server in which a specification is read, checked and made into pages.

    python -m app.formats.openapi.worker SECONDS BYTES < request > answer

Both are `messages`. The request has the `entry` and the `names` of the files, with their bytes by their
address, or by "" for a text; the answer `needs` (addresses of files that are missing), `errors` (sentences),
or what came out as JSON: `filesystem` with the `pages`, and `warnings` where something is not valid. What
takes too long or too much memory ends here, and nothing else with it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import orjson

from app.formats.openapi import documents as references
from app.formats.openapi import messages, validation
from app.formats.openapi.documents import Broken, read
from app.formats.openapi.operation import operation_views
from app.formats.openapi.pages import check_number, operations, pages_of
from app.formats.openapi.samples import samples
from app.formats.openapi.schemas import schema_views
from app.formats.openapi.validation import METHODS, Fault


def process(
    files: dict[str, bytes],
    entry: str,
    *,
    names: dict[str, str] | None = None,
    loaded: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Return what the files come to (see the module); `names` are what they shall be called in the answer,
    where a text without one is called after its format.

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
            validation.version_of(documents[url])
        missing |= references.needed(documents[url], url)
    if missing - files.keys():
        return {"needs": sorted(missing - files.keys())}
    filesystem = {}
    for url, each in documents.items():
        name = names.get(url, url) or messages.text_name(formats[url])
        filesystem[name] = {"isEntrypoint": url == entry, "specification": each}
    answer: dict[str, Any] = {"formats": formats, "filesystem": orjson.dumps(filesystem)}
    document = references.bundle(documents, entry)
    check_number(document)  # checking takes long
    validation.prepare(validation.version_of(document))
    loaded()
    faults = validation.check(document)
    if faults:
        require(document, faults)
        answer["warnings"] = [fault._asdict() for fault in faults]
    if len(documents) > 1:
        answer["bundle"] = orjson.dumps(document)
    answer["pages"] = orjson.dumps(pages_of(document))
    return answer


def _limit(seconds: int, memory: int) -> None:
    """Bound time and memory, and let others go first."""
    os.nice(5)  # with 10 it hardly comes to its turn where the machine is busy
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
    request, files = messages.read(sys.stdin.buffer.read())
    answer = process(files, request["entry"], names=request["names"], loaded=_shut)
    made = {name: value for name, value in answer.items() if isinstance(value, bytes)}
    head = {name: value for name, value in answer.items() if name not in made}
    sys.stdout.buffer.write(messages.written(head, made))


_MAPS = (("paths", ""), ("webhooks", ""), ("definitions", ""), ("components", ""), ("components", "schemas"))


def require(document: dict[str, Any], faults: Sequence[Fault]) -> None:
    """Raise Broken, with the faults in sentences, where operations or schemas cannot be read."""
    try:
        _read(document)
    except Exception:  # whatever it is that a view trips over, readers are not to meet it
        raise Broken(*(fault.sentence for fault in faults)) from None


def _read(document: dict[str, Any]) -> None:
    """Make everything that a reader may be shown; raises where an operation or schema has no such form."""
    if any(not isinstance(each.value.get("parameters", []), list) for each in operations(document)):
        raise Broken("The parameters of an operation are a list.")
    for holder, name in _MAPS:
        inside = document.get(holder, {})
        if not isinstance(inside, dict) or not isinstance(inside.get(name, {}) if name else inside, dict):
            raise Broken(f"`{holder}` is no object.")
    for path, item in document.get("paths", {}).items():
        if not path.startswith(("/", "x-")) or not isinstance(item, dict):
            raise Broken(f"`{path}` is no path.")
        for method in METHODS:
            operation = item.get(method, {})
            if not isinstance(operation, dict) or not isinstance(operation.get("responses", {}), dict):
                raise Broken(f"`{method}` of `{path}` is no operation.")
    for view in operation_views(document):
        samples(view)
    schema_views(document)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
