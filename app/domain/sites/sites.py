"""Docs sites: made, changed, put online and taken off, deleted (decisions, States: site address, published).

Whoever may create content in the organization makes sites; what visitors may read, and where, is for those
who administrate the site.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Delete, Integer, Select, Table, delete, exists, or_, select

from app.access import levels
from app.access.context import Context
from app.access.fetch import permit_in, seeing, seeing_inside, visible
from app.access.rights import READ_PUBLISHED
from app.domain.domains import domain_claims
from app.domain.infrastructure import stored_secrets
from app.domain.site_addresses import publication
from app.domain.site_addresses.site_rows import ORGANIZATIONS, SITE_ITEMS, SITES, SPACES, find, whole_site
from app.domain.sites import site_spaces, structure
from app.domain.spaces import spaces
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import contains_one
from app.kit.database.statements import command, given, rows, table
from app.kit.errors import Conflict, Invalid
from app.kit.ids import new_id
from app.kit.settings import Settings
from app.models.organizations import Organization
from app.models.page_feedback import PageFeedback
from app.models.publishing import Customization, ShareLink
from app.models.redirects import Redirect
from app.models.site_items import SiteItem
from app.models.site_statistics import SiteCount, SiteVisitors
from app.models.sites import Site, SiteCreate, SiteIcon, SitesQuery, SiteUpdate
from app.models.spaces import Space, SpaceCreate

HOSTS = {"hostname", "proxy"}
AUDIENCE = {"visibility", "basename", "proxy", "hostname"}  # what only administrators change
STRUCTURE = {"default_site_space", "default_site_section"}
ANY, OFFLINE, ONLINE = -1, 0, 1


def _of_organization() -> Select[Any]:
    which, space = given("published", Integer()), given("space", Key)
    shows_it = exists().where(
        SITE_ITEMS.c.site_id == SITES.c.id,
        SITE_ITEMS.c.space_id == space,
        SPACES.c.id == SITE_ITEMS.c.space_id,
        SPACES.c.deleted_at.is_(None),
        visible(Space),
    )
    return whole_site().where(
        SITES.c.organization_id == given("organization"),
        visible(Site),
        or_(which == ANY, (which == ONLINE) & SITES.c.published, (which == OFFLINE) & ~SITES.c.published),
        or_(given("type", Key) == "", SITES.c.type == given("type", Key)),
        or_(given("title", Key) == "", contains_one(SITES.c.title_folded, "titles")),
        or_(space == "", shows_it),
    )


IN_ORGANIZATION = Listing("sites", Site, _of_organization, order=lambda: [SITES.c.id])
_HOLDERS = rows(
    lambda: select(SITES.c.id).where(
        SITES.c.organization_id == given("organization"),
        or_(SITES.c.hostname == given("address", Key), SITES.c.proxy == given("address", Key)),
    )
)
_WITH_BASENAME = rows(
    lambda: select(SITES.c.id).where(
        SITES.c.organization_id == given("organization"),
        or_(SITES.c.basename == given("basename"), SITES.c.id == given("basename")),
    )
)

_DEFAULT = rows(
    lambda: select(ORGANIZATIONS.c.default_content).where(ORGANIZATIONS.c.id == given("organization"))
)


def _remove(t: Table) -> Delete:
    return delete(t).where(t.c.site_id == given("site"))


_REMOVE = [
    command(partial(_remove, table(model)))
    for model in (SiteItem, ShareLink, Redirect, Customization, PageFeedback, SiteCount, SiteVisitors)
]


async def get(cx: Context, organization_id: str, site_id: str) -> Site:
    """Get a site."""
    return await find(cx, organization_id, site_id, can=READ_PUBLISHED)  # type: ignore[no-any-return]


async def list_in_organization(cx: Context, organization_id: str, query: SitesQuery) -> Page[Site]:
    """List the sites of an organization, oldest first."""
    permit_in(cx, organization_id)
    title = (query.title or "").casefold()
    values = {
        "organization": organization_id,
        "published": ANY if query.published is None else ONLINE if query.published else OFFLINE,
        "type": query.type or "",
        "title": title,
        "titles": [title],
        "space": query.space or "",
    }
    sight = {**seeing_inside(cx), **seeing(cx, organization_id)}
    return await IN_ORGANIZATION.page(cx.db, query.paging, cx.tokens, sight=sight, **values)


async def create(cx: Context, organization_id: str, new: SiteCreate) -> Site:
    """Create a site, which is not online yet, with spaces of the organization or a new one."""
    permit_in(cx, organization_id, can="createContent")
    site_id = new_id()
    site = await cx.tx.add(
        Site,
        id=site_id,
        organization_id=organization_id,
        type=new.type,
        title=new.title,
        title_folded=new.title.casefold(),
        icon=None,
        hostname=None,
        basename=None,
        proxy=None,
        visibility=new.visibility,
        published=False,
        suspended=False,
        adaptive_content=False,
        agents_context="included",
        visitor_key=cx.signer.seal(stored_secrets.VISITOR_KEY, stored_secrets.new_visitor_key(), site_id),
        visitor_backend={"backend": "custom"},
        **levels.level_columns("inherit", None),  # members have their own level, see rights.SITE
        created_by=cx.actor.user_id or None,
        created_at=cx.now,
        updated_at=cx.now,
    )
    wanted = await _spaces(cx, organization_id, new)
    if wanted:
        whole = await structure.of(cx, organization_id, site.id, can="create")
        for n, space_id in enumerate(wanted):
            await site_spaces.put_in(whole, space_id, None, path=f"spaces.{n}")
    return await get(cx, organization_id, site.id)


async def update(cx: Context, organization_id: str, site_id: str, change: SiteUpdate) -> Site:
    """Change a site's title, audience, address, defaults or switches.

    A hostname or proxy has no effect before its host is verified.
    """
    values = change.sent()
    can = "admin" if AUDIENCE & values.keys() else "edit"
    if STRUCTURE & values.keys():
        whole = await structure.of(cx, organization_id, site_id, can=can)
        await _set_defaults(whole, change)
    site = await find(cx, organization_id, site_id, can=can)
    for name in STRUCTURE:
        values.pop(name, None)
    if "title" in values:
        values["title_folded"] = values["title"].casefold()
    if "adaptive_content" in values:
        values["adaptive_content"] = change.adaptive_content.enabled
    if isinstance(change.icon, SiteIcon):
        values["icon"] = change.icon.model_dump(exclude_unset=True)
    await _refuse_addresses(cx, site, values)
    await cx.tx.put(Site, {**values, **_unproven(values), "updated_at": cx.now}, id=site.id)
    if HOSTS & values.keys():
        await domain_claims.restate(cx, organization_id)
    if AUDIENCE & values.keys():
        await publication.refresh_site(cx, site.id)
    return await get(cx, organization_id, site_id)


async def publish(cx: Context, organization_id: str, site_id: str) -> Site:
    """Put a site online, for those whom its visibility lets in."""
    return await _set_published(cx, organization_id, site_id, published=True)


async def unpublish(cx: Context, organization_id: str, site_id: str) -> Site:
    """Take a site offline."""
    return await _set_published(cx, organization_id, site_id, published=False)


async def delete_site(cx: Context, organization_id: str, site_id: str) -> None:
    """Delete a site; the spaces it shows stay."""
    from app.domain.integrations import placements
    from app.domain.organizations import grants

    whole = await structure.of(cx, organization_id, site_id, can="delete")
    gone = [item.space_id for item in whole.all("site-space")]
    for statement in _REMOVE:
        await cx.tx.run(statement, site=site_id)
    await grants.withdraw_on(cx, site_id)
    await placements.withdraw_on(cx, site_id)
    organization = await cx.db.first(_DEFAULT, organization=organization_id)
    if organization and (organization.default_content or {}).get("site") == site_id:
        await cx.tx.put(Organization, {"default_content": None}, id=organization_id)
    await cx.tx.remove(Site, id=site_id)
    await domain_claims.restate(cx, organization_id)
    await publication.refresh(cx, gone)


async def _set_published(cx: Context, organization_id: str, site_id: str, *, published: bool) -> Site:
    site = await find(cx, organization_id, site_id, can="admin")
    await cx.tx.put(Site, {"published": published, "updated_at": cx.now}, id=site.id)
    await publication.refresh_site(cx, site.id)
    return await get(cx, organization_id, site_id)


async def _spaces(cx: Context, organization_id: str, new: SiteCreate) -> Sequence[str]:
    if isinstance(new.spaces, list):
        return new.spaces
    title = new.title[: spaces.LONGEST_TITLE]
    space = await spaces.create(cx, organization_id, SpaceCreate(title=title))
    if new.spaces == "sample":
        from app.domain.sites import samples

        await samples.fill(cx, space)
    return [space.id]


async def _set_defaults(whole: structure.Structure, change: SiteUpdate) -> None:
    """Set the default section first: the default space is one of it."""
    values = change.sent()
    if "default_site_section" in values:
        section = whole.named("site-section", change.default_site_section, "defaultSiteSection")
        await whole.make_default(section)
    if "default_site_space" in values:
        item = whole.named("site-space", change.default_site_space, "defaultSiteSpace")
        section_ = whole.default_section
        if section_ is not None and item.scope != section_.id:
            raise Invalid("The space is not in the default section.", path="defaultSiteSpace")
        await whole.make_default(item)
    await whole.done()


def _unproven(values: dict[str, Any]) -> dict[str, None]:
    """Return what counts no more of the addresses that are changed: what is stated instead is looked at
    anew."""
    return {f"live_{name}": None for name in HOSTS & values.keys()}


async def _refuse_addresses(cx: Context, site: Any, values: dict[str, Any]) -> None:
    """Refuse addresses of another site of the organization, and our own (threats, 22).

    Organizations may state the same host: it counts for the one that proves it.
    """
    if values.get("basename"):
        found = await cx.db.all(
            _WITH_BASENAME, organization=site.organization_id, basename=values["basename"]
        )
        if any(row.id != site.id for row in found):
            raise Conflict("Another site already uses this address.", path="basename")
    for name in sorted(HOSTS):
        if values.get(name):
            _refuse_ours(cx.settings, domain_claims.host_of(values[name]) or "", name)
            found = await cx.db.all(_HOLDERS, organization=site.organization_id, address=values[name])
            if any(row.id != site.id for row in found):
                raise Conflict("Another site of the organization already uses this address.", path=name)


def _refuse_ours(settings: Settings, host: str, name: str) -> None:
    for ours in (settings.base_url, settings.app_base, settings.sites_base):
        known = (urlsplit(ours).hostname or "").lower()
        if known and (host == known or host.endswith(f".{known}")):
            raise Invalid("This hostname belongs to the platform.", path=name)
