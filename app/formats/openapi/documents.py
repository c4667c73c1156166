"""A specification's file as data: JSON, or YAML as version 1.2 reads it, bounded in nodes and depth.

YAML's aliases are taken, but what they stand for counts each time: ten lines can mean a billion nodes.

References name other files that are needed; `bundle` makes one document of all. Inside it every reference is
one into the same document; what another file says is under `x-files`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import orjson

Format = Literal["json", "yaml"]
MOST_NODES = 2_000_000
MOST_DEPTH = 200
_BOM = b"\xef\xbb\xbf"
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$")


class Broken(Exception):
    """The specification cannot be used: sentences for whoever wrote it."""

    def __init__(self, *messages: str) -> None:
        super().__init__(" ".join(messages))
        self.messages = messages


def read(data: bytes) -> tuple[Any, Format]:
    """Return what a file says, as plain JSON values, and its format; raises Broken."""
    try:
        text = data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError:
        raise Broken("The file is not text in UTF-8.") from None
    if text.lstrip()[:1] in ("{", "["):
        try:
            return _bounded(orjson.loads(text)), "json"
        except orjson.JSONDecodeError as error:
            if not text.lstrip().startswith("{"):
                raise Broken(f"The file is not valid JSON: {error}.") from None
            try:
                return _bounded(_yaml(text)), "yaml"
            except Broken:
                raise Broken(f"The file is not valid JSON: {error}.") from None
    return _bounded(_yaml(text)), "yaml"


def _yaml(text: str) -> Any:
    import yaml

    try:
        return yaml.load(text, Loader=_loader())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise Broken(f"The file is not valid YAML{where}: {problem}.") from None
    except (ValueError, RecursionError):
        raise Broken("The file is not valid YAML: it cannot be read.") from None


def _loader() -> Any:
    """Return a loader for YAML 1.2's core schema: no dates, `no` and `on` are words, keys become texts."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - the library's own way

    for tag, pattern, first in (
        ("null", re.compile(r"(?:~|null|Null|NULL|)$"), "~nN\0"),
        ("bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)$"), "tTfF"),
        ("int", re.compile(r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$"), "-+0123456789"),
        ("float", _FLOAT, "-+.0123456789"),
        ("merge", re.compile(r"(?:<<)$"), "<"),
    ):
        Loader.add_implicit_resolver(
            f"tag:yaml.org,2002:{tag}", pattern, [c if c != "\0" else "" for c in first]
        )
    Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: _int(node.value))
    Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))
    return Loader


def _int(text: str) -> int:
    if text.startswith(("0o", "0x")):
        return int(text, 0)
    return int(text)


def _bounded(value: Any) -> Any:
    """Return the value with texts as keys and nothing in it twice; raises Broken where it is too much."""
    left = [MOST_NODES]
    return _copied(value, 0, left)


def _copied(value: Any, depth: int, left: list[int]) -> Any:
    left[0] -= 1
    if left[0] < 0:
        raise Broken(f"The file stands for more than {MOST_NODES:,} values.")
    if depth > MOST_DEPTH:
        raise Broken(f"The file has more than {MOST_DEPTH} levels inside each other.")
    if isinstance(value, dict):
        return {_key(name): _copied(inner, depth + 1, left) for name, inner in value.items()}
    if isinstance(value, list):
        return [_copied(inner, depth + 1, left) for inner in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value if not isinstance(value, int) or abs(value) < 1 << 63 else float(value)
    raise Broken(f"The file has a value of the kind {type(value).__name__}, which JSON does not know.")


def _key(name: Any) -> str:
    if isinstance(name, str):
        return name
    if isinstance(name, bool) or name is None:
        return {True: "true", False: "false", None: "null"}[name]
    return str(name)


def walk(value: Any) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield every object of a document with the names on its way, those above first."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while waiting:
        way, found = waiting.pop()
        if isinstance(found, dict):
            yield way, found
            waiting.extend(((*way, name), inner) for name, inner in reversed(found.items()))
        elif isinstance(found, list):
            waiting.extend(((*way, str(n)), inner) for n, inner in enumerate(found))


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
    """Yield every object that refers to another by `$ref`."""
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
    """Return the addresses of the other files that a file at this address refers to;
    raises Broken where it may not.

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
    """Return the entry with all files it needs inside, by their addresses; the files are changed in place."""
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
    """Return scheme, host and port of an address."""
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
    """Return what a value is when its reference, and those that it leads to, are followed; raises Broken."""
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
