"""Which organization the rows of each table belong to: no table is forgotten."""

from __future__ import annotations

import pytest
from sqlalchemy import Table

from app.models.ownership import NOT_OWNED, OWNER, PARTS, SHARED, owned, owner_columns, parts_of, shared_by
from app.models.tables import METADATA

TABLES = METADATA.tables


def test_every_table_is_owned_or_shared_or_said_not_to_be() -> None:
    named = [*(table.name for table in owned()), *SHARED, *NOT_OWNED]
    assert sorted(named) == sorted(TABLES)


@pytest.mark.parametrize("table", TABLES.values(), ids=str)
def test_whatever_names_an_organization_is_owned(table: Table) -> None:
    if OWNER in table.c:
        assert owner_columns(table)


@pytest.mark.parametrize("name", PARTS)
def test_a_part_leads_to_an_owner(name: str) -> None:
    for part in PARTS[name]:
        assert part.column in TABLES[name].c
        whole = TABLES[part.whole]
        assert (name, part) in [(table.name, each) for table, each in parts_of(whole)]
        assert owner_columns(whole) or part.whole in PARTS


@pytest.mark.parametrize("name", NOT_OWNED)
def test_what_is_not_owned_refers_to_nothing_owned(name: str) -> None:
    for key in TABLES[name].foreign_keys:
        assert key.column.table.name in NOT_OWNED, f"{name} refers to {key.column}"


def test_what_is_shared_is_found_by_its_references() -> None:
    found = {f"{column}" for table in owned() for column, _ in shared_by(table)}
    assert {"page_version.document_id", "file_version.blob_id", "openapi_version.bundle_blob_id"} <= found
