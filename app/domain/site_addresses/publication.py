"""The publications of spaces and their audiences, kept with each space, so that reading them is cheap.

Whoever changes what a site shows, where it is or who may read it has its spaces looked at again here. Of
several sites, the one that the most may read counts, then the oldest. A `shareKey` on a read counts where it
is an active key of the site and is ignored otherwise (decisions, 12).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Boolean, ColumnElement, Select, Text, and_, false, func, select, true, update

from app.access.context import Context
from app.domain.infrastructure import stored_secrets
from app.domain.site_addresses import addresses
from app.domain.site_addresses.site_rows import ORGANIZATIONS, SITE_ITEMS, SITES, SPACES, section_
from app.kit.database.columns import Json, Key
from app.kit.database.sql import among, nested
from app.kit.database.statements import command, given, rows, table
from app.models.publishing import ShareLink
from app.models.site_items import SiteItem

SHARE_LINKS = table(ShareLink)
_group = SITE_ITEMS.alias("section_group")
OPENNESS = ("public", "unlisted", "share-link", "visitor-auth")


def showing() -> Select[Any]:
    """Return where sites that are online show spaces."""
    return (
        select(
            SITES.c.id,
            SITES.c.organization_id,
            SITES.c.basename,
            SITES.c.live_hostname,
            SITES.c.live_proxy,
            SITES.c.visibility,
            SITES.c.visitor_backend,
            ORGANIZATIONS.c.hostname.label("organization_hostname"),
            SITE_ITEMS.c.path,
            SITE_ITEMS.c.is_default,
            section_.c.path.label("section_path"),
            section_.c.is_default.label("section_default"),
            and_(SITES.c.visibility == "public", *map(_is_for_all, (SITE_ITEMS, section_, _group))).label(
                "is_public"
            ),
        )
        .select_from(
            SITE_ITEMS.join(SITES, SITES.c.id == SITE_ITEMS.c.site_id)
            .join(ORGANIZATIONS, ORGANIZATIONS.c.id == SITES.c.organization_id)
            .outerjoin(section_, section_.c.id == SITE_ITEMS.c.parent_id)
            .outerjoin(_group, _group.c.id == section_.c.parent_id)
        )
        .where(SITES.c.published == true(), SITE_ITEMS.c.draft == false())
        .order_by(SITES.c.id, SITE_ITEMS.c.position)
    )


def _is_for_all(item: Any) -> ColumnElement[bool]:
    """Tell whether an item of a site is shown to everybody, if there is one: no draft, no condition."""
    return and_(func.coalesce(item.c.draft, false()) == false(), item.c.condition.is_(None))


def _shown() -> Select[Any]:
    return showing().where(SITE_ITEMS.c.space_id == SPACES.c.id).correlate(SPACES)


_SPACES = rows(
    lambda: select(
        SPACES.c.id,
        SPACES.c.organization_id,
        SPACES.c.parent_id,
        SPACES.c.default_level,
        SPACES.c.deleted_at,
        SPACES.c.site_visibility,
        SPACES.c.site_url,
        SPACES.c.site_auth,
        SPACES.c.is_public,
        nested(_shown(), "shown"),
    ).where(among(SPACES.c.id, "spaces"))
)
_OF_SITES = rows(lambda: select(SITE_ITEMS.c.space_id).distinct().where(among(SITE_ITEMS.c.site_id, "sites")))
_OF_ORGANIZATION = rows(
    lambda: (
        select(SITE_ITEMS.c.space_id)
        .distinct()
        .join(SITES, SITES.c.id == SITE_ITEMS.c.site_id)
        .where(SITES.c.organization_id == given("organization"), SITES.c.published == true())
    )
)
_KEEP = command(
    lambda: (
        update(SPACES)
        .values(
            site_visibility=given("visibility", Text()),
            site_url=given("url", Text()),
            site_auth=given("auth", Json()),
            is_public=given("is_public", Boolean()),
        )
        .where(SPACES.c.id == given("key"))
    )
)
_peer, _alive = SITE_ITEMS.alias("peer"), SPACES.alias("alive")
_PEERS = rows(
    lambda: (
        select(
            _peer.c.id,
            _peer.c.site_id,
            _peer.c.scope,
            _peer.c.is_default,
            _alive.c.deleted_at.is_(None).label("alive"),
        )
        .select_from(
            SITE_ITEMS.join(
                _peer, (_peer.c.site_id == SITE_ITEMS.c.site_id) & (_peer.c.scope == SITE_ITEMS.c.scope)
            ).join(_alive, _alive.c.id == _peer.c.space_id)
        )
        .where(SITE_ITEMS.c.space_id == given("space"))
        .order_by(_peer.c.position)
    )
)
_ON_A_SITE = rows(
    lambda: select(SITE_ITEMS.c.space_id).where(among(SITE_ITEMS.c.space_id, "spaces")).limit(1)
)


async def refresh(cx: Context, spaces: Iterable[str | None]) -> None:
    """Work out again where these spaces are published, and keep what changed."""
    wanted = sorted({space for space in spaces if space})
    if not wanted:
        return
    changes = []
    for space in await cx.db.all(_SPACES, spaces=wanted):
        best = min(space.shown, key=lambda row: OPENNESS.index(row.visibility), default=None)
        found = (best.visibility, addresses.of_space(best, best), _auth(best)) if best else (None, None, None)
        is_public = any(row.is_public for row in space.shown)
        if (*found, is_public) != (space.site_visibility, space.site_url, space.site_auth, space.is_public):
            change = {"key": space.id, "visibility": found[0], "url": found[1], "auth": found[2]}
            changes.append({**change, "is_public": is_public})
            addresses.compare(cx, space, space._replace(site_visibility=found[0]))
            cx.changed("space", "updated", space.organization_id, space_id=space.id)
    if changes:
        await cx.tx.run_many(_KEEP, changes)


def _auth(site: Any) -> Any:
    """Return who signs the visitors of a site in, where they have to be signed in."""
    return site.visitor_backend if site.visibility == "visitor-auth" else None


async def refresh_site(cx: Context, site_id: str) -> None:
    """Refresh all spaces of a site."""
    await refresh(cx, [row.space_id for row in await cx.db.all(_OF_SITES, sites=[site_id])])


async def refresh_organization(cx: Context, organization_id: str) -> None:
    """Refresh all spaces that an organization's sites publish."""
    await refresh(cx, await spaces_of_organization(cx, organization_id))


async def spaces_of_organization(cx: Context, organization_id: str) -> list[str | None]:
    """Return the spaces that the sites of an organization publish which are online."""
    return [row.space_id for row in await cx.db.all(_OF_ORGANIZATION, organization=organization_id)]


async def reassign_defaults(cx: Context, space_id: str) -> bool:
    """Pass on what a space that was deleted was the default of, or take it up where nothing else is.

    Tells whether any site shows the space.
    """
    peers = await cx.db.all(_PEERS, space=space_id)
    sites = sorted({peer.site_id for peer in peers})
    for scope in dict.fromkeys((peer.site_id, peer.scope) for peer in peers):
        here = [peer for peer in peers if (peer.site_id, peer.scope) == scope]
        keeps = [peer for peer in here if peer.is_default and peer.alive]
        chosen = (keeps or [peer for peer in here if peer.alive] or [None])[0]
        for peer in here:
            if peer.is_default != (peer is chosen):
                await cx.tx.put(SiteItem, {"is_default": peer is chosen}, id=peer.id)
    if sites:
        await refresh(cx, [row.space_id for row in await cx.db.all(_OF_SITES, sites=sites)])
    return bool(sites)


async def on_a_site(cx: Context, *spaces: str) -> bool:
    """Return whether a site shows one of these spaces."""
    return bool(await cx.db.all(_ON_A_SITE, spaces=spaces))


_ACTIVE = SHARE_LINKS.c.key_hash == given("key_hash", Key), SHARE_LINKS.c.active == true()
_OF_SITE = rows(lambda: select(SHARE_LINKS.c.id).where(SHARE_LINKS.c.site_id == given("site", Key), *_ACTIVE))
_SHOWING = rows(
    lambda: (
        showing()
        .join(SHARE_LINKS, SHARE_LINKS.c.site_id == SITES.c.id)
        .where(SITE_ITEMS.c.space_id == given("space", Key), *_ACTIVE)
    )
)


def share_link_column() -> Any:
    """Return the active share link of a site with `key_hash`, as the column `opened_by` of its statement."""
    return nested(
        select(SHARE_LINKS.c.id).where(SHARE_LINKS.c.site_id == SITES.c.id, *_ACTIVE).correlate(SITES),
        "opened_by",
    )


async def share_key_of_site(cx: Context, site: Any, key: str | None) -> str | None:
    """Return the key if it opens this site, else None."""
    if not key or site.visibility != "share-link":
        return None
    return key if await cx.db.all(_OF_SITE, site=site.id, key_hash=share_key_hash(cx, key)) else None


async def address_of_space(cx: Context, space: Any, key: str) -> str | None:
    """Return the published address of a space, with the key if that opens the site at this address."""
    address: str | None = space.site_url
    if not (address and space.site_visibility == "share-link"):
        return address
    showing = await cx.db.all(_SHOWING, space=space.id, key_hash=share_key_hash(cx, key))
    opens = any(addresses.of_space(row, row) == address for row in showing)
    return addresses.keyed(address, space.site_visibility, key) if opens else address


def share_key_hash(cx: Context, key: str) -> str:
    """Return what the share link of a key is found by."""
    return cx.signer.fingerprint(stored_secrets.SHARE_KEY, key)
