"""The agreed operations (`operations.tsv`), as the tests read them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from app.api.operation import Operation
from app.models.base import Shape

FILE = Path(__file__).with_name("operations.tsv")


@dataclass(frozen=True, slots=True)
class Agreed:
    """One line: what callers may rely on."""

    family: str
    method: str
    path: str
    operation: str
    status: int
    query: frozenset[str]
    required: frozenset[str]


def agreed() -> list[Agreed]:
    """Every line of the list."""
    with FILE.open(encoding="utf-8", newline="") as lines:
        return [
            Agreed(
                line["family"],
                line["method"],
                line["path"],
                line["operation"],
                int(line["status"]),
                _names(line["query"]),
                _names(line["required"]),
            )
            for line in csv.DictReader(lines, delimiter="\t")
        ]


def as_agreed(row: Operation) -> Agreed:
    """A row of the code in the form of the list."""
    return Agreed(
        row.family,
        row.method,
        row.path.replace(":path}", "}"),
        row.id,
        row.status,
        frozenset(_fields(row.query)),
        frozenset(_fields(row.body, required=True)),
    )


def _fields(shape: type[Shape] | None, *, required: bool = False) -> list[str]:
    fields = shape.model_fields.items() if shape else ()
    return [field.alias or name for name, field in fields if field.is_required() or not required]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split(",")) if text else frozenset()
