"""References of a specification: which other files it needs, and all of them as one document.

Inside the bundle every reference is one into the same document; what another file says is under `x-files`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from app.formats.openapi.reading import Broken

PLACE = "x-files"
MOST_HOPS = 50
# What callers send and receive, in which `$ref` is a word like any other; not where these are names.
_DATA = frozenset({"example", "default", "enum", "const", "value"})
_NAMED = frozenset({
    "properties", "patternProperties", "definitions", "$defs", "schemas", "responses", "parameters",
    "examples", "requestBodies", "headers", "securitySchemes", "links", "callbacks", "pathItems", "paths",
    "webhooks", "variables", "mapping", "dependentSchemas", "securityDefinitions", "content", "encoding",
    "mediaTypes",
})  # fmt: skip


def references(document: Any) -> Iterator[dict[str, Any]]:
    """Every object that refers to another by `$ref`."""
    waiting: list[tuple[Any, bool]] = [(document, False)]
    while waiting:
        value, named = waiting.pop()
        if isinstance(value, list):
            waiting.extend((inner, False) for inner in value)
        if not isinstance(value, dict):
            continue
        if not named and isinstance(value.get("$ref"), str):
            yield value
        for name, inner in value.items():
            if named or not (name in _DATA or name.startswith("x-")):
                waiting.append((inner, not named and name in _NAMED))


def needed(document: Any, url: str) -> set[str]:
    """The addresses of the other files that a file at this address refers to; raises Broken where it may not.

    Only files of the same origin are followed.
    """
    found: set[str] = set()
    for holder in references(document):
        target, _ = urldefrag(holder["$ref"])
        if not target:
            continue
        if not url:
            raise Broken(
                f"The specification refers to “{_short(holder['$ref'])}”. One sent as a text must hold"
                " everything itself; publish one of several files by its address."
            )
        found.add(_joined(url, target))
    return found


def bundle(files: Mapping[str, Any], entry: str) -> dict[str, Any]:
    """The entry with all files it needs inside, by their addresses; the files are changed in place."""
    names = {url: str(number) for number, url in enumerate(files)}
    for url, document in files.items():
        for holder in references(document):
            holder["$ref"] = _rewritten(holder["$ref"], url, entry, names)
    found = files[entry]
    others = {names[url]: document for url, document in files.items() if url != entry}
    return {**found, PLACE: others} if others else found


def _rewritten(reference: str, url: str, entry: str, names: Mapping[str, str]) -> str:
    target, fragment = urldefrag(reference)
    there = _joined(url, target) if target else url
    if there == entry:
        return f"#{fragment}"
    pointer = fragment if fragment.startswith("/") else ""
    return f"#/{PLACE}/{names[there]}{pointer}"


def _joined(url: str, target: str) -> str:
    try:
        joined = urljoin(url, target)
        same = origin(joined) == origin(url)
    except ValueError:
        same = False
    if not same:
        raise Broken(f"The specification refers to “{_short(target)}”, which is not on its own server.")
    return joined


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port of an address."""
    parts = urlsplit(url)
    return parts.scheme, (parts.hostname or "").lower(), parts.port


def check(document: dict[str, Any]) -> None:
    """Refuse references that lead nowhere, or only to each other; raises Broken."""
    wrong: dict[str, None] = {}
    for holder in references(document):
        reference = holder["$ref"]
        if reference.startswith("#") and not reference.startswith("#/") and reference != "#":
            continue  # an anchor of a schema
        try:
            follow(document, holder)
        except Broken as broken:
            wrong.update(dict.fromkeys(broken.messages))
        if len(wrong) >= 20:
            break
    if wrong:
        raise Broken(*wrong)


def follow(document: Any, value: Any) -> Any:
    """What a value is when its reference, and those that it leads to, are followed; raises Broken."""
    for _ in range(MOST_HOPS):
        if not isinstance(value, dict) or not isinstance(value.get("$ref"), str):
            return value
        value = _at(document, value["$ref"])
    raise Broken(f"The reference “{_short(value['$ref'])}” leads only to other references.")


def _at(document: Any, reference: str) -> Any:
    if not reference.startswith("#"):
        raise Broken(f"The reference “{_short(reference)}” leads out of the document.")
    found = document
    for part in reference[1:].split("/")[1:]:
        name = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and name in found:
            found = found[name]
        elif isinstance(found, list) and name.isdecimal() and len(name) < 9 and int(name) < len(found):
            found = found[int(name)]
        else:
            raise Broken(f"The reference “{_short(reference)}” leads nowhere.")
    return found


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"
