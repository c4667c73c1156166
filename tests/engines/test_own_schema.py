"""What Docyard needs of a PostgreSQL server: a schema of its own, and no more than that."""

from __future__ import annotations

import pytest

from app import migrations
from app.kit.database.interface import Database
from app.kit.settings import Settings
from app.migrations import UnsupportedDatabase
from app.models.tables import METADATA
from tests import make
from tests.databases import (
    FULL_TEXT_FUNCTIONS,
    anew,
    asked,
    create_database,
    migrated_on,
    migrated_without_full_text_on,
    told,
)
from tests.instance import running

# Of two functions that fit, the one of the earlier schema is called.
LACKS = {
    "full-text search": FULL_TEXT_FUNCTIONS[0],
    "advisory locks": "pg_advisory_xact_lock(bigint) RETURNS void",
}


def test_everything_is_in_the_schema_of_the_role(postgres_server: str) -> None:
    database = migrated_on(postgres_server)
    found = asked(
        database,
        "SELECT schemaname, tablename FROM pg_tables"
        " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
    )
    assert {schema for schema, _ in found} == {"docyard"}
    assert {name for _, name in found} >= set(METADATA.tables)


def test_two_installations_share_a_database_and_nothing_else(postgres_server: str) -> None:
    database = create_database(postgres_server)
    name = database.rpartition("/")[2]
    roles = [f"{name}_{n}" for n in range(2)]
    told(
        database,
        "DROP SCHEMA public;"
        + "".join(f'CREATE ROLE "{role}" LOGIN; CREATE SCHEMA AUTHORIZATION "{role}";' for role in roles),
    )
    one, other = (database.replace("docyard@", f"{role}@") for role in roles)
    for each in (one, other):
        migrations.upgrade(each)
    with running(one) as first, running(other) as second:
        ours, theirs = make.cast(first), make.cast(second)
        space = make.space(ours.ada, ours.organization)["id"]
        page = {"operation": "insert_page", "title": "Anchors", "document": {"markdown": "Of iron."}}
        assert ours.ed.post(f"/v1/spaces/{space}/content", {"changes": [page]}).status_code == 200
        found = ours.ed.get(f"/v1/spaces/{space}/search", params={"query": "iron"})
        assert found.status_code == 200, found.text
        assert [each["title"] for each in found.json()["items"]] == ["Anchors"]
        assert theirs.ada.get(f"/v1/spaces/{space}").status_code == 404
        assert (
            second.http.get("/v1/user", headers={"Authorization": f"Bearer {ours.ada.token}"}).status_code
            == 401
        )


@pytest.mark.parametrize("feature", LACKS)
def test_an_engine_that_lacks_something_is_refused_by_its_name(postgres_server: str, feature: str) -> None:
    database = create_database(postgres_server)
    name = database.rpartition("/")[2]
    told(
        database,
        f"""
        CREATE SCHEMA lacking;
        CREATE FUNCTION lacking.{LACKS[feature]} LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'unknown' USING ERRCODE = 'undefined_function'; END $$;
        ALTER DATABASE "{name}" SET search_path = public, lacking, pg_catalog;
        """,
    )
    with pytest.raises(UnsupportedDatabase, match=f"no {feature}"):
        migrations.upgrade(database)
    assert asked(database, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'") == []


def test_another_full_text_than_the_database_was_made_with_is_refused(postgres_server: str) -> None:
    with_it, without = migrated_on(postgres_server), migrated_without_full_text_on(postgres_server)
    for database, full_text, made in ((with_it, "plain", "engine"), (without, "engine", "plain")):
        settings = Settings(database=database, full_text=full_text)  # type: ignore[arg-type]

        async def check(db: Database, settings: Settings = settings) -> None:
            await migrations.check_full_text(db, settings)

        with pytest.raises(UnsupportedDatabase, match=f"was made with DOCYARD_FULL_TEXT={made}"):
            anew(database, check)
