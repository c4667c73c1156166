"""The organization that rows belong to, derived from the columns and references of the tables.

A row belongs to an organization by a column that names it, or as a part of a row that does: a comment is part
of a space. What is kept once for all who have the same (texts and bytes, by their hash) belongs to whoever
refers to it. Every table is in `OWNED`, in `SHARED`, or in `NOT_OWNED` with the reason; a test compares them
with the tables of the database.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter

from sqlalchemy import Column, ColumnElement, Table, or_, select, union

from app.models.tables import METADATA

OWNER = "organization_id"


@dataclass(frozen=True)
class PartOf:
    """Rows that are parts of rows of another table: `column` here is the `id` there."""

    column: str
    whole: str


_OF_LINES = (PartOf("line_id", "space"), PartOf("line_id", "change_request"))
_OF_SPACE = (PartOf("space_id", "space"),)
_OF_SITE = (PartOf("site_id", "site"),)
_OF_REQUEST = (PartOf("change_request_id", "change_request"),)
_OF_COMMENT = (PartOf("comment_id", "comment"),)
_OF_INTEGRATION = (PartOf("integration_id", "integration"),)
_OF_INSTALLATION = (PartOf("installation_id", "installation"),)
_OF_PROVIDER = (PartOf("provider_id", "saml_provider"),)

PARTS: Mapping[str, Sequence[PartOf]] = {
    "change_request": _OF_SPACE,
    "comment": _OF_SPACE,
    "comment_mention": _OF_COMMENT,
    "comment_reaction": _OF_COMMENT,
    "comment_reply": _OF_COMMENT,
    "contribution": _OF_REQUEST,
    "file_version": _OF_LINES,
    "former_source": _OF_LINES,
    "import_file": (PartOf("run_id", "import_run"),),
    "installation_placement": _OF_INSTALLATION,
    "installation_token": _OF_INSTALLATION,
    "integration_asset": _OF_INTEGRATION,
    "integration_token": _OF_INTEGRATION,
    "integration_version": _OF_INTEGRATION,
    "line_properties": _OF_LINES,
    "link": _OF_LINES,
    "notification": _OF_SPACE,
    "oauth_authorization": (PartOf("grant_id", "oauth_grant"),),
    "oauth_device": (PartOf("authorization_id", "oauth_authorization"),),
    "oauth_refresh_token": (PartOf("authorization_id", "oauth_authorization"),),
    "openapi_file": (PartOf("version_id", "openapi_version"),),
    "openapi_version": (PartOf("spec_id", "openapi_spec"),),
    "page_feedback": _OF_SITE,
    "page_version": _OF_LINES,
    "requested_review": _OF_REQUEST,
    "reusable_version": _OF_LINES,
    "review": _OF_REQUEST,
    "revision": _OF_SPACE,
    "saml_request": _OF_PROVIDER,
    "search_inclusion": _OF_SPACE,
    "search_section": _OF_SPACE,
    "search_spelling": _OF_SPACE,
    "search_title": _OF_SPACE,
    "search_word": _OF_SPACE,
    "sign_in": _OF_PROVIDER,
    "site_count": _OF_SITE,
    "site_customization": _OF_SITE,
    "site_item": _OF_SITE,
    "site_redirect": _OF_SITE,
    "site_share_link": _OF_SITE,
    "site_visitors": _OF_SITE,
    "team_invite": (PartOf("team_id", "team"),),
}
"""The parts of what has an owner, by the table that they are in."""

OWNERS: Mapping[str, Sequence[str]] = {
    "organization": ("id",),
    "token": (OWNER, "sso_organization_id"),
}
"""The columns that name the organization, where that is not just `organization_id`."""

SHARED: Mapping[str, str] = {
    "blob": "bytes by their hash, for all that refer to them",
    "blob_part": "goes with its blob",
    "document": "texts by their hash, for all that refer to them",
}
"""Tables of contents that are kept once for all organizations that have the same."""

NOT_OWNED: Mapping[str, str] = {
    "bucket": "calls that a caller has left, for minutes",
    "circuit": "servers that failed lately, by a hash that names no organization",
    "fact": "of the installation",
    "notification_preferences": "of a person",
    "oauth_application": "of the person who registered it",
    "outgoing_mail": "sealed, to a person, for days",
    "passkey": "of a person",
    "passkey_challenge": "of a person, for minutes",
    "replay": "an answer to a person, for a day",
    "sign_in_link": "of a person, for minutes",
    "user_account": "a person, who may belong to several organizations",
}
"""Tables that belong to the installation or to people, each with the reason."""


def owner_columns(table: Table) -> Sequence[Column[str]]:
    """Return the columns of a table that name the organization that a row belongs to; may be none."""
    named = OWNERS.get(table.name, (OWNER,) if OWNER in table.c else ())
    return [table.c[name] for name in named]


def parts_of(whole: Table) -> Iterator[tuple[Table, PartOf]]:
    """Yield the tables whose rows are parts of this table's, those that others refer to last."""
    for table in reversed(METADATA.sorted_tables):
        for part in PARTS.get(table.name, ()):
            if part.whole == whole.name:
                yield table, part


def belongs(table: Table, organization: ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that a row of an owned table belongs to an organization."""
    columns = owner_columns(table)
    if columns:
        return or_(*(column == organization for column in columns))
    found = defaultdict(list)
    for part in PARTS[table.name]:
        whole = METADATA.tables[part.whole]
        found[part.column].append(select(whole.c.id).where(belongs(whole, organization)))
    return or_(
        *(
            table.c[column].in_(wholes[0] if len(wholes) == 1 else union(*wholes))
            for column, wholes in found.items()
        )
    )


@cache
def owned() -> tuple[Table, ...]:
    """Return all tables whose rows belong to an organization; what others refer to comes first."""
    return tuple(table for table in METADATA.sorted_tables if owner_columns(table) or table.name in PARTS)


@cache
def roots() -> tuple[Table, ...]:
    """Return the tables that name the organization themselves; with its parts, each refers to later ones
    alone."""
    found = {table.name: _with_parts(table) for table in owned() if owner_columns(table)}
    referring: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(found, ()))
    for name, tree in found.items():
        referred = {key.column.table.name for each in tree for key in METADATA.tables[each].foreign_keys}
        for other, names in found.items():
            if other != name and referred & names:
                referring.add(other, name)
    return tuple(METADATA.tables[name] for name in referring.static_order())


def _with_parts(table: Table) -> set[str]:
    return {table.name}.union(*(_with_parts(part) for part, _ in parts_of(table)))


def shared_by(table: Table) -> Sequence[tuple[Column[str], Table]]:
    """Return the columns of a table that refer to what is shared, each with the table it refers to."""
    return [
        (column, key.column.table)
        for column in table.columns
        for key in column.foreign_keys
        if key.column.table.name in SHARED and table.name not in SHARED
    ]
