"""`shareKey` on reads: resolved where it is an active key of the site, otherwise ignored (decisions, 12)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select, true

from app.access.context import Context
from app.domain.infrastructure import stored_secrets
from app.domain.site_addresses import addresses, publication
from app.domain.site_addresses.site_rows import i_, t_
from app.kit.database.columns import Key
from app.kit.database.sql import nested
from app.kit.database.statements import given, rows, table
from app.models.share_links import ShareLink

_k = table(ShareLink)
_ACTIVE = _k.c.key_hash == given("key_hash", Key), _k.c.active == true()
_OF_SITE = rows(lambda: select(_k.c.id).where(_k.c.site_id == given("site", Key), *_ACTIVE))
_SHOWING = rows(
    lambda: (
        publication.showing()
        .join(_k, _k.c.site_id == t_.c.id)
        .where(i_.c.space_id == given("space", Key), *_ACTIVE)
    )
)


def column() -> Any:
    """The active share link of a site with `key_hash`, as the column `opened_by` of its statement."""
    return nested(select(_k.c.id).where(_k.c.site_id == t_.c.id, *_ACTIVE).correlate(t_), "opened_by")


async def of_site(cx: Context, site: Any, key: str | None) -> str | None:
    """Return the key if it opens this site, else None."""
    if not key or site.visibility != "share-link":
        return None
    return key if await cx.db.all(_OF_SITE, site=site.id, key_hash=hashed(cx, key)) else None


async def address_of_space(cx: Context, space: Any, key: str) -> str | None:
    """Return the published address of a space, with the key if that opens the site at this address."""
    address: str | None = space.site_url
    if not (address and space.site_visibility == "share-link"):
        return address
    showing = await cx.db.all(_SHOWING, space=space.id, key_hash=hashed(cx, key))
    opens = any(addresses.of_space(row, row) == address for row in showing)
    return addresses.keyed(address, space.site_visibility, key) if opens else address


def hashed(cx: Context, key: str) -> str:
    """Return what the share link of a key is found by."""
    return cx.signer.fingerprint(stored_secrets.SHARE_KEY, key)
