"""Which rows of every table belong to an organization, worked out from the tables themselves.

A row belongs to the organization that it names, or to that of the row it hangs on. What several organizations
may hold (people, texts and the bytes of files) goes with each that names it. Tables that nothing says this of
are in `LEFT_BEHIND`, with the reason; a test finds a table that is in neither.

Conditions are SQL that both engines read; `$1` is the id of the organization.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlalchemy import Column, Table
from sqlmodel import SQLModel

from app.kit.database.table_copies import Selection
from app.models.tables import METADATA

LEFT_BEHIND: Mapping[str, str] = {
    "bucket": "counts requests to this installation",
    "change_event": "what happened in the last day, by numbers that mean nothing elsewhere",
    "circuit": "servers that failed this installation",
    "fact": "describes this installation",
    "installation_token": "a credential",
    "integration_token": "a credential",
    "notification": "mail that this installation is about to send",
    "oauth_application": "belongs to a person, and has a credential",
    "oauth_authorization": "a credential",
    "oauth_device": "a credential",
    "oauth_grant": "belongs to a person, whose tokens are left behind",
    "oauth_refresh_token": "a credential",
    "outgoing_mail": "mail that this installation is about to send",
    "passkey": "a credential, for the address of this installation",
    "passkey_challenge": "a credential of some minutes",
    "replay": "answers that wait for requests to this installation to be repeated",
    "saml_request": "answers of an identity provider to this installation",
    "sign_in_link": "a credential",
    "token": "a credential",
}
PEOPLE, TEXTS, BYTES = "user_account", "document", "blob"
SHARED = (PEOPLE, TEXTS, BYTES)
"""Tables whose rows several organizations may hold."""
NAMES_OF_PEOPLE = frozenset(
    {
        "author_id", "caused_by", "created_by", "edited_by", "grantee_id", "merged_by", "posted_by",
        "published_by", "requested_by", "resolved_by", "reviewer_id", "user_id",
    }
)  # fmt: skip
"""Columns with the id of a person, whether the database checks that the person exists or not."""
_LINES = (
    'SELECT "id" FROM "space" WHERE "organization_id" = $1'
    ' UNION ALL SELECT "id" FROM "change_request" WHERE "space_id" IN'
    ' (SELECT "id" FROM "space" WHERE "organization_id" = $1)'
)
_OWN_INTEGRATIONS = '"integration_id" IN (SELECT "id" FROM "integration" WHERE "organization_id" = $1)'
_ALSO: Mapping[str, str] = {
    # What an integration of another organization is told is listed there alone.
    "integration_event": _OWN_INTEGRATIONS,
    # One whose bytes are still arriving goes on where it began.
    "upload": '"blob_id" IS NOT NULL',
}
_BY_PERSON = "notification_preferences"


class Unassigned(LookupError):
    """Nothing tells which organization the rows of a table belong to."""


def selections() -> list[Selection]:
    """Return the rows of each table that belong to an organization, what others refer to first."""
    return [Selection(t, condition(t)) for t in METADATA.sorted_tables if t.name not in LEFT_BEHIND]


def condition(table: Table) -> str:
    """Return the condition for rows that belong to the organization `$1`; raises Unassigned."""
    found = _condition(table)
    also = _ALSO.get(table.name)
    return f"{found} AND {also}" if also else found


def _condition(table: Table) -> str:
    columns = table.columns.keys()
    if table.name == "organization":
        return '"id" = $1'
    if table.name in SHARED:
        return f'"id" IN ({" UNION ".join(_holders(table))})'
    if table.name == _BY_PERSON:
        return f'"user_id" IN (SELECT "id" FROM "{PEOPLE}" WHERE {condition(METADATA.tables[PEOPLE])})'
    if "organization_id" in columns:
        return '"organization_id" = $1'
    if "line_id" in columns:
        return f'"line_id" IN ({_LINES})'
    for column, parent in _parents(table):
        return f'"{column}" IN (SELECT "id" FROM "{parent.name}" WHERE {condition(parent)})'
    if "space_id" in columns:
        return '"space_id" IN (SELECT "id" FROM "space" WHERE "organization_id" = $1)'
    raise Unassigned(table.name)


def _parents(table: Table) -> Iterator[tuple[str, Table]]:
    """Yield the columns that name a row which the rows of a table hang on, and the table of that row."""
    for column in table.columns:
        for key in column.foreign_keys:
            parent = key.column.table
            is_held = parent.name in (PEOPLE, TEXTS) or (parent.name == BYTES and table.name != "blob_part")
            if not column.nullable and not is_held and parent.name not in LEFT_BEHIND:
                yield column.name, parent


def _holders(shared: Table) -> Iterator[str]:
    """Yield what selects the ids of a shared table that rows of the organization name."""
    for table in METADATA.sorted_tables:
        if table.name in (*LEFT_BEHIND, *SHARED, "blob_part", _BY_PERSON):
            continue
        for column in table.columns:
            if names(column, shared.name):
                yield f'SELECT "{column.name}" FROM "{table.name}" WHERE {condition(table)}'


def names(column: Column[object], shared: str) -> bool:
    """Tell whether a column has ids of a shared table."""
    if shared == PEOPLE and column.name in NAMES_OF_PEOPLE:
        return True
    return any(key.column.table.name == shared for key in column.foreign_keys)


def model_of(table: Table) -> type[SQLModel]:
    """Return the model of a table."""
    model: type[SQLModel] = table.info["model"]
    return model
