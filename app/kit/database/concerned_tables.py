"""Which tables a statement concerns: what is remembered of others outlives it."""

from __future__ import annotations

from functools import cache
from itertools import chain

from sqlalchemy import Column, Table, TextClause, UpdateBase
from sqlalchemy.sql.elements import ClauseElement
from sqlalchemy.sql.visitors import iterate

EVERYTHING = "*"
"""Stands for all tables, where a statement does not tell which it changes."""


def changed_tables(statement: ClauseElement) -> frozenset[str]:
    """Return the tables that a statement changes; `EVERYTHING` where it does not tell.

    Deleting rows also changes the tables whose foreign keys say so.
    """
    if isinstance(statement, TextClause):
        return frozenset({EVERYTHING})
    found: set[str] = set()
    for element in iterate(statement):
        if isinstance(element, UpdateBase) and isinstance(element.table, Table):
            found |= _with_dependants(element.table) if element.is_delete else {element.table.name}
    return frozenset(found)


def read_tables(*parts: ClauseElement) -> frozenset[str]:
    """Return the tables that parts of a statement read; none where a change of another table may change one
    of them by a foreign key, which `changed_tables` follows as far as tables are loaded.
    """
    found: set[Table] = set()
    for element in chain.from_iterable(map(iterate, parts)):
        of = element.table if isinstance(element, Column) else element
        if isinstance(of, Table):
            found.add(of)
    if any(key.ondelete for each in found for key in each.foreign_keys):
        return frozenset()
    return frozenset(each.name for each in found)


@cache
def _with_dependants(deleted: Table) -> frozenset[str]:
    """Return a table and those whose rows are removed or changed with rows of it.

    Foreign keys are followed by name: a process need not have loaded the table that one leads to.
    """
    found = {deleted.name}
    while more := {
        each.name
        for each in deleted.metadata.tables.values()
        if each.name not in found
        and any(key.ondelete and key.target_fullname.partition(".")[0] in found for key in each.foreign_keys)
    }:
        found |= more
    return frozenset(found)
