"""Hashes that the database takes."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Text
from sqlalchemy.ext.compiler import compiles


class sha256_of(ColumnElement[str]):
    """The SHA-256 of a text in UTF-8, as 64 hexadecimal digits."""

    inherit_cache = False
    type = Text()

    def __init__(self, text: ColumnElement[str]) -> None:
        self.text = text

    @property
    def _from_objects(self) -> list[Any]:
        return list(self.text._from_objects)


@compiles(sha256_of, "sqlite")
def _sha256_sqlite(element: sha256_of, compiler: Any, **kw: Any) -> str:
    return f"sha256({compiler.process(element.text)})"  # made known to the connection that writes


@compiles(sha256_of, "postgresql")
def _sha256_postgresql(element: sha256_of, compiler: Any, **kw: Any) -> str:
    return f"encode(sha256(convert_to({compiler.process(element.text)}, 'UTF8')), 'hex')"
