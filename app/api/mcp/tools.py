"""The tools: rows of operations by the names of their tools, each with the schema of its arguments.

The arguments of a tool are what the paths of its rows name, their queries and their bodies, side by side.
Which row a call means is told by the objects that it names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic.json_schema import models_json_schema

from app.api.catalog import OPERATIONS
from app.api.mcp.tool_words import WORDS, ToolWords
from app.api.operation import Operation
from app.api.rest.schemas import Plain, Schema
from app.api.writes import KEY, REVISION
from app.kit.errors import Invalid
from app.models.base import Shape, for_callers

MOST_ITEMS = 100
ITEMS = 20  # of a list, unless more are asked for
LONGEST_ID = 100
AFTER = "after"
_HIDDEN = frozenset({"compat", "metadata", "computed", "format"})  # fields that say how to answer
_PLACE = "#/$defs/"
_NAMED = {
    "organizationId": "Id of the organization.",
    "spaceId": "Id of the space.",
    "changeRequestId": "Id of the change request, or its number in the space.",
    "pageId": "Id of the page.",
    "commentId": "Id of the comment.",
}


@dataclass(frozen=True)
class AgentTool:
    """A tool: the rows that it is, by the parameters of their paths."""

    name: str
    words: ToolWords
    rows: Mapping[frozenset[str], Operation]

    @property
    def writes(self) -> bool:
        """Return whether it changes something."""
        return any(row.writes for row in self.rows.values())

    def row(self, given: Mapping[str, Any]) -> Operation:
        """Return the row that a call means; raises Invalid where the objects that it names fit none."""
        named = {name for name in given if any(name in parameters for parameters in self.rows)}
        row = self.rows.get(frozenset(named))
        if row is not None:
            return row
        wanted = min(self.rows, key=lambda parameters: (len(parameters ^ named), sorted(parameters)))
        missing = sorted(wanted - named) or sorted(named - wanted)
        problem = "is needed" if wanted - named else "does not go with the others"
        raise Invalid(f"`{missing[0]}` {problem}.", path=missing[0])

    def describe(self) -> dict[str, Any]:
        """Return the tool as `tools/list` tells it."""
        hints = {
            "readOnlyHint": not self.writes,
            "destructiveHint": self.words.is_destructive,
            "idempotentHint": True,  # a repeated write is known by its key
            "openWorldHint": False,
        }
        return {
            "name": self.name,
            "title": self.words.title,
            "description": self.words.description,
            "inputSchema": self._schema(),
            "annotations": {"title": self.words.title, **hints},
        }

    def _schema(self) -> Schema:
        properties: Schema = {
            name: {"type": "string", "minLength": 1, "maxLength": LONGEST_ID, "description": _NAMED[name]}
            for row in self.rows.values()
            for name in row.parameters
        }
        required = set.intersection(*(set(parameters) for parameters in self.rows))
        definitions: Schema = {}
        for row in self.rows.values():
            for shape in filter(None, (row.query, row.body)):
                described = _described(shape, self.words.hides)
                definitions |= described.pop("$defs", {})
                properties |= described["properties"]
                if shape is row.body:
                    required |= set(described.get("required", ()))
        properties |= self._own()
        if self.writes:
            required |= {KEY, *((REVISION,) if self.words.expects_revision else ())}
        schema = {
            "type": "object",
            "properties": properties,
            "required": sorted(required),
            "additionalProperties": False,
        }
        return {**schema, "$defs": definitions} if definitions else schema

    def _own(self) -> Schema:
        """Return the arguments that the rows do not have."""
        own: Schema = {}
        if any(row.paged for row in self.rows.values()) or self.words.outlines:
            own["limit"] = {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_ITEMS if not self.words.outlines else 1000,
                "description": "How many items to return.",
            }
        if self.words.outlines:
            own[AFTER] = {"type": "integer", "minimum": 0, "description": "How many items to pass over."}
        if self.writes:
            own[KEY] = {
                "type": "string",
                "minLength": 1,
                "maxLength": 255,
                "description": "A name of your choice for this change. A call that is repeated with it "
                "changes nothing more, and gets the same answer.",
            }
            own[REVISION] = {
                "type": "string",
                "minLength": 1,
                "maxLength": LONGEST_ID,
                "description": "Revision of the change request or the space that you have read. If it has "
                "another one by now, nothing is changed.",
            }
        return own


def _described(shape: type[Shape], hidden: frozenset[str]) -> Schema:
    """Return the JSON Schema of a shape, and those that it refers to, without the fields that are hidden."""
    named, described = models_json_schema(
        [(shape, "validation")], ref_template=_PLACE + "{model}", schema_generator=Plain
    )
    schemas: dict[str, Schema] = described["$defs"]
    for name, schema in schemas.items():
        schema["properties"] = {
            field: _short(told, f"{name}.{field}", hidden)
            for field, told in schema.get("properties", {}).items()
            if f"{name}.{field}" not in hidden and field not in _HIDDEN
        }
        schema["description"] = for_callers(schema.get("description"))
        schema.pop("title", None)
    root = schemas.pop(named[shape, "validation"]["$ref"].removeprefix(_PLACE))
    used = dict(_used(root, schemas))
    return {**root, "$defs": used} if used else root


def _short(told: Schema, name: str, hidden: frozenset[str]) -> Schema:
    """Return the schema of a field without patterns, which say little, and without hidden values."""
    short = {key: value for key, value in told.items() if key != "pattern"}
    if "anyOf" in short:
        short["anyOf"] = [_short(each, name, hidden) for each in short["anyOf"]]
    if "enum" in short:
        short["enum"] = [value for value in short["enum"] if f"{name}={value}" not in hidden]
    return short


def _used(root: Any, schemas: Mapping[str, Schema]) -> Iterator[tuple[str, Schema]]:
    """Yield the schemas that one refers to, and those that these refer to."""
    waiting, seen = [root], set[str]()
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            name = str(node.get("$ref", "")).removeprefix(_PLACE)
            if name in schemas and name not in seen:
                seen.add(name)
                yield name, schemas[name]
                waiting.append(schemas[name])
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node


@cache
def tools() -> Mapping[str, AgentTool]:
    """Return all tools by their names, in the order of what is said about them."""
    found: dict[str, dict[frozenset[str], Operation]] = defaultdict(dict)
    for row in OPERATIONS:
        if row.tool:
            found[row.tool][frozenset(row.parameters)] = row
    return {name: AgentTool(name, words, found[name]) for name, words in WORDS.items()}


@cache
def descriptions() -> Sequence[Mapping[str, Any]]:
    """Return all tools as `tools/list` tells them."""
    return [tool.describe() for tool in tools().values()]
