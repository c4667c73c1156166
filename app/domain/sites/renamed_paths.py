"""Redirects from where a section or a space of a site was until its path changed."""

from __future__ import annotations

from sqlalchemy import delete, select

from app.domain.sites.structure import Item, Structure
from app.kit.database.statements import command, given, rows, table
from app.kit.ids import new_id
from app.models.redirects import Redirect

_r = table(Redirect)
_AT = rows(lambda: select(_r.c.id).where(_r.c.site_id == given("site"), _r.c.source == given("source")))
_FORGET = command(
    lambda: delete(_r).where(
        _r.c.site_id == given("site"), _r.c.source == given("source"), _r.c.item_id == given("item")
    )
)


def path_of(whole: Structure, item: Item) -> str:
    """Return the path of a section or space by its name, below the site's address."""
    above = _section_of(whole, item)
    return f"/{above.path}/{item.path}" if above else f"/{item.path}"


def shown_at(whole: Structure, item: Item) -> str:
    """Return the path that a section or space is shown at: what is the default is where its parent is."""
    above = _section_of(whole, item)
    if item.is_default:
        return shown_at(whole, above) if above else "/"
    return path_of(whole, item)


def _section_of(whole: Structure, item: Item) -> Item | None:
    return whole.find("site-section", item.parent_id) if item.space_id and item.parent_id else None


async def redirect(whole: Structure, item: Item, before: str) -> None:
    """Lead from the path that an item had, and from all below it, to where it is now.

    A redirect that is there already stays. While a site is not published nobody knows its addresses.
    """
    now, site_id = path_of(whole, item), whole.site.id
    if before == now or not whole.site.published:
        return
    await whole.cx.tx.run(_FORGET, site=site_id, source=now, item=item.id)
    if await whole.cx.db.all(_AT, site=site_id, source=before):
        return
    kind = item.kind
    named = "siteSpace" if kind == "site-space" else "siteSection"
    await whole.cx.tx.add(
        Redirect,
        id=new_id(),
        site_id=site_id,
        source=before,
        destination={"kind": kind, named: item.id},
        item_id=item.id,
        page_id=None,
        permanent=False,
        capture_wildcard=True,
        created_at=whole.cx.now,
        updated_at=whole.cx.now,
    )
