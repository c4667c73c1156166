"""Settings of GraphQL, and the files in which a deployment names the documents of its frontends."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, field_validator

APOLLO = "apollo-persisted-query-manifest"


class GraphQLSettings(BaseModel):
    """What may differ between two installations about GraphQL."""

    model_config = ConfigDict(frozen=True)

    graphql_introspection: bool = Field(
        default=True, description="whether callers with a token may read the schema"
    )
    graphql_max_cost: int = Field(
        default=200_000, gt=0, description="what one GraphQL operation may cost, see the guide"
    )
    graphql_timeout: float = Field(
        default=10.0, gt=0, description="seconds the reads of one GraphQL request may take"
    )
    graphql_trusted_documents: str = Field(
        default="", description="JSON file, or folder of such files, with the GraphQL documents of frontends"
    )
    graphql_trusted_only: bool = Field(
        default=False, description="whether only trusted GraphQL documents are run"
    )

    @field_validator("graphql_trusted_documents")
    @classmethod
    def _documents(cls, value: str) -> str:
        if value:
            read_documents(value)
        return value


def read_documents(place: str) -> dict[str, str]:
    """Read the documents of a JSON file, or of those in a folder; keys are ids in lower case and SHA-256.

    A file is an object of texts by their ids (Relay's persisted queries, GraphQL Code Generator's persisted
    documents) or the manifest of Apollo's `generate-persisted-query-manifest`. Raises ValueError.
    """
    path = Path(place)
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise ValueError(f"must be a JSON file, or a folder of such files; there is none in “{path}”")
    found: dict[str, str] = {}
    for file in files:
        try:
            content = orjson.loads(file.read_bytes())
        except OSError as error:
            raise ValueError(f"“{file}” cannot be read: {error.strerror}") from None
        except orjson.JSONDecodeError as error:
            raise ValueError(f"“{file}” is not JSON: {error}") from None
        for id_, text in _texts(content, file).items():
            for key in (id_.lower(), sha256(text.encode()).hexdigest()):
                if found.setdefault(key, text) != text:
                    raise ValueError(f"“{file}” has another document for “{id_}” than the files before it")
    return found


def _texts(content: Any, file: Path) -> dict[str, str]:
    """Return the documents of a file by their ids."""
    if isinstance(content, dict) and content.get("format") == APOLLO and content.get("version") == 1:
        operations = content.get("operations")
        if isinstance(operations, list) and all(isinstance(each, dict) for each in operations):
            content = {each.get("id"): each.get("body") for each in operations}
    if isinstance(content, dict) and all(isinstance(part, str) for item in content.items() for part in item):
        return content
    raise ValueError(f"“{file}” must have texts of documents by their ids, or be a manifest of Apollo")
