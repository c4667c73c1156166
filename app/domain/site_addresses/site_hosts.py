"""Tells whether a host belongs to a site; checked for every request that is not for the API's host."""

from __future__ import annotations

from sqlalchemy import or_, select, true

from app.access.context import Context
from app.kit.database.columns import Key
from app.kit.database.sql import below
from app.kit.database.statements import given, rows, table
from app.models.sites import Site

SITES = table(Site)
_HOSTS = rows(
    lambda: (
        select(SITES.c.id)
        .where(
            SITES.c.published == true(),
            or_(
                SITES.c.live_hostname == given("host", Key),
                below(SITES.c.live_proxy, given("host", Key)),
            ),
        )
        .limit(1)
    )
)


async def is_a_host(cx: Context, host: str) -> bool:
    """Return whether any site is published at this host, or in a directory of it."""
    key, memory = f"host {host}", await cx.db.memory()
    known = memory.get(key)
    if known is None:
        known = bool(await cx.db.get_by_key(_HOSTS, host=host))
        memory[key] = known
    return bool(known)
