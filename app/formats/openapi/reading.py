"""A specification's file as data: JSON, or YAML as version 1.2 reads it, bounded in nodes and depth.

YAML's aliases are taken, but what they stand for counts each time: ten lines can mean a billion nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

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
    """What a file says, as plain JSON values, and its format; raises Broken."""
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
    """YAML 1.2's core schema: no dates, `no` and `on` are words, keys may be anything and become texts."""
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
    """The value with texts as keys and nothing in it twice; raises Broken where it is too much."""
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
    """Every object of a document with the names on its way, those above first."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while waiting:
        way, found = waiting.pop()
        if isinstance(found, dict):
            yield way, found
            waiting.extend(((*way, name), inner) for name, inner in reversed(found.items()))
        elif isinstance(found, list):
            waiting.extend(((*way, str(n)), inner) for n, inner in enumerate(found))
