"""Share links of a site: made, listed and withdrawn by its administrators, who may see their keys again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, or_, select

from app.access.context import Context
from app.domain.infrastructure import stored_secrets
from app.domain.site_addresses.site_rows import find, listing, page_of, reading, t_
from app.kit.database.columns import Key
from app.kit.database.paging import Page
from app.kit.database.sql import contains_one, nested
from app.kit.database.statements import Statement, given, query, table
from app.kit.errors import NotFound
from app.kit.ids import new_id
from app.models.publishing import ShareLink, ShareLinkCreate, ShareLinksQuery, ShareLinkUpdate
from app.models.sites import Site

_k = table(ShareLink)


@dataclass(slots=True, frozen=True)
class ShareLinkWithKey:
    """A share link with its site."""

    site: Any
    row: ShareLink


def _of_site() -> Select[Any]:
    wanted = or_(given("name", Key) == "", contains_one(_k.c.name_folded, "names"))
    return select(*_k.c).where(_k.c.site_id == t_.c.id, wanted)


_LIST = listing("share-links", _of_site, lambda: [_k.c.id])
_WITH_LINK: Statement[Any] = query(
    Site,
    lambda: reading(
        nested(select(*_k.c).where(_k.c.site_id == t_.c.id, _k.c.id == given("link")).correlate(t_), "links")
    ),
)


async def list_in_site(
    cx: Context, organization_id: str, site_id: str, query: ShareLinksQuery
) -> Page[ShareLinkWithKey]:
    """List the share links of a site, oldest first."""
    name = (query.search or "").casefold()
    site, page = await page_of(
        cx, organization_id, site_id, _LIST, query.paging, can="admin", name=name, names=[name]
    )
    return page.map(lambda row: ShareLinkWithKey(site, row))


async def create(cx: Context, organization_id: str, site_id: str, new: ShareLinkCreate) -> ShareLinkWithKey:
    """Create a share link."""
    site = await find(cx, organization_id, site_id, can="admin")
    link_id = new_id()
    made = await cx.tx.add(
        ShareLink,
        id=link_id,
        site_id=site.id,
        name=new.name,
        name_folded=new.name.casefold(),
        active=True,
        created_at=cx.now,
        **stored_secrets.share_key_columns(cx.signer, link_id, stored_secrets.new_share_key()),
    )
    return ShareLinkWithKey(site, made)


async def update(
    cx: Context, organization_id: str, site_id: str, share_link_id: str, change: ShareLinkUpdate
) -> ShareLinkWithKey:
    """Rename a share link, or make it open the site no more, or again."""
    site = await _found(cx, organization_id, site_id, share_link_id)
    values = change.sent()
    if "name" in values:
        values["name_folded"] = values["name"].casefold()
    if not values:
        return ShareLinkWithKey(site, site.links[0])
    return ShareLinkWithKey(site, await cx.tx.change(ShareLink, values, id=share_link_id))


async def delete(cx: Context, organization_id: str, site_id: str, share_link_id: str) -> None:
    """Delete a share link: it opens nothing any more."""
    await _found(cx, organization_id, site_id, share_link_id)
    await cx.tx.remove(ShareLink, id=share_link_id)


async def _found(cx: Context, organization_id: str, site_id: str, share_link_id: str) -> Any:
    site = await find(cx, organization_id, site_id, can="admin", using=_WITH_LINK, link=share_link_id)
    if not site.links:
        raise NotFound("There is no such share link.")
    return site
