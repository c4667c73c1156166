"""Blocks of integrations: `{% @integration/block name="value" %}`.

A plain text is a value between double quotes; every other value is JSON, between single quotes where it needs
them. A property whose name cannot stand before `=` is in a JSON object that has none.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from app.formats.markdown import nodes, tags
from app.formats.markdown.nodes import Node
from app.kit.errors import Invalid

_NAME = re.compile(r"[\w.-]{1,100}\Z", re.ASCII)
_PROPERTY = re.compile(r"[A-Za-z_][\w:-]*\Z", re.ASCII)
_PLAIN = re.compile(r"(?:(?!%\})[^\x00-\x1f\x7f])*\Z")
_BARE = re.compile(r"[\w.-]+\Z", re.ASCII)


def read(tag: tags.Tag) -> Node:
    """The block that a tag stands for; whatever its arguments are, they are its properties."""
    name, _, block = tag.name.removeprefix("@").partition("/")
    props: dict[str, Any] = {}
    for key, value, is_text in tags.arguments(tag.arguments):
        given = value if is_text else _from_json(value)
        if key.isdigit() and isinstance(given, dict):
            props.update(given)
        else:
            props[key] = given
    return nodes.block("integration", void=True, integration=name, block=block, props=props)


def write(data: dict[str, Any]) -> str:
    """The tag of a block, on one line."""
    props = data.get("props") or {}
    named = {key: value for key, value in props.items() if _PROPERTY.match(key)}
    given = "".join(f" {key}={_written(value)}" for key, value in named.items())
    rest = {key: value for key, value in props.items() if key not in named}
    if rest:
        given += f" {_json(rest)}"
    return f"{{% @{data['integration']}/{data['block']}{given} %}}"


def check(data: dict[str, Any], path: str) -> None:
    """Raises Invalid where a block could not be written: without a name, or longer than a tag may be."""
    if not data.get("integration"):
        if not isinstance((data.get("props") or {}).get("source"), str):
            raise Invalid("A block must name its integration.", path=f"{path}.integration")
        return
    for name in ("integration", "block"):
        if not _NAME.match(data.get(name) or ""):
            raise Invalid(
                "This must be letters, digits, dots, dashes and underscores.", path=f"{path}.{name}"
            )
    try:
        length = len(write(data))
    except (orjson.JSONEncodeError, RecursionError):
        raise Invalid("The properties are not storable as JSON.", path=f"{path}.props") from None
    if length > tags.LONGEST_TAG:
        raise Invalid(
            f"A block of an integration may have at most {tags.LONGEST_TAG:,} characters as Markdown.",
            path=f"{path}.props",
        )


def _written(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.match(value):
        return tags.quoted(value)
    return _json(value)


def _json(value: Any) -> str:
    """JSON that neither ends its quotes nor its tag."""
    text = orjson.dumps(value).decode().replace("'", "\\u0027").replace("%}", "%\\u007d")
    return text if _BARE.match(text) else f"'{text}'"


def _from_json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return text
