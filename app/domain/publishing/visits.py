"""Published sites as those who visit them come: by an address, without a token, in one statement.

It brings the site with all that it shows, the redirects from there, pages that were at the rest of the
address before, and the share link that a key or a cookie names. Who is let in is said in `visitors`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Select, and_, or_, select, true

from app.access.context import Context
from app.domain.infrastructure import stored_secrets
from app.domain.site_addresses import addresses
from app.domain.site_addresses.site_rows import (
    ORGANIZATIONS,
    SITE_ITEMS,
    SITES,
    SPACES,
    section_,
    site_columns,
    source,
)
from app.domain.sites import redirects, site_integrations
from app.domain.sites.customizations import looks_column
from app.domain.sites.moved_paths import moved_column, suffixes
from app.domain.sites.site_nodes import held_
from app.formats.text import redirect_paths
from app.kit.database.columns import Key
from app.kit.database.sql import among, nested
from app.kit.database.statements import given, rows, table
from app.kit.settings import Settings
from app.models.openapi_specs import OpenAPISpec
from app.models.publishing import ShareLink

_INNER = ("adaptive_schema", "visitor_key", "visitor_backend", "fallback_url", "logout_url")
MOST_SPECS = 100
SHARE_LINKS, OPENAPI_SPECS = table(ShareLink), table(OpenAPISpec)


@dataclass(slots=True, frozen=True)
class SiteRequest:
    """An address as it was asked for: by an organization's and a site's names, or at a host of its own.

    `parts` are those of the path that are below the names, or all of them at a host; a share link is named
    by its `key`, or by a pass with its id, one of `links`.
    """

    parts: Sequence[str]
    organization: str = ""
    site: str = ""
    host: str = ""
    key: str = ""
    links: Sequence[str] = ()

    @property
    def directories(self) -> list[str]:
        """Return the directories of the host that may be a site's proxy."""
        names = [part for part in self.parts if part]
        return ["/".join((self.host, *names[:n])) for n in range(1, min(len(names), 10) + 1)]

    @property
    def values(self) -> dict[str, Any]:
        """Return what the statements need that find a site, with what may be meant inside it by the whole
        path."""
        paths = suffixes(self.parts)
        return {
            "organization": self.organization,
            "site": self.site,
            "host": self.host,
            "directories": self.directories,
            "paths": paths,
            "sources": sorted({place for text in (*paths, "") for place in redirect_paths.above(f"/{text}")}),
        }

    def choose(self, found: Sequence[Any]) -> tuple[Any, list[str]]:
        """Return the site that the address means most exactly, and the parts below the site's own address."""
        parts = list(self.parts)
        if not self.host:
            row = max(found, key=lambda row: (row.organization_id == self.organization, row.id == self.site))
            return row, parts
        here = {row.live_proxy: row for row in found if row.live_proxy in self.directories}
        if not here:
            return found[0], parts
        nearest = max(here, key=len)
        return here[nearest], parts[nearest.count("/") :]


def _spaces() -> Select[Any]:
    return (
        select(
            *SITE_ITEMS.c,
            section_.c.path.label("section_path"),
            section_.c.is_default.label("section_default"),
            SPACES.c.title.label("space_title"),
            SPACES.c.language,
            SPACES.c.revision_id,
        )
        .select_from(
            SITE_ITEMS.join(SPACES, SPACES.c.id == SITE_ITEMS.c.space_id).outerjoin(
                section_, section_.c.id == SITE_ITEMS.c.parent_id
            )
        )
        .where(
            SITE_ITEMS.c.site_id == SITES.c.id,
            SITE_ITEMS.c.kind == "site-space",
            SPACES.c.deleted_at.is_(None),
        )
        .order_by(SITE_ITEMS.c.position)
        .correlate(SITES)
    )


def _holders() -> Select[Any]:
    found = select(*held_.c).where(held_.c.site_id == SITES.c.id, held_.c.kind != "site-space")
    return found.order_by(held_.c.position).correlate(SITES)


def _links() -> Select[Any]:
    by_key = SHARE_LINKS.c.key_hash == given("key_hash", Key)
    return (
        select(SHARE_LINKS.c.id, SHARE_LINKS.c.key_hash)
        .where(
            SHARE_LINKS.c.site_id == SITES.c.id,
            SHARE_LINKS.c.active == true(),
            or_(among(SHARE_LINKS.c.id, "shared"), by_key),
        )
        .correlate(SITES)
    )


def _specs() -> Select[Any]:
    """Return the versions of the organization's specifications, those that were touched last."""
    mine = select(
        OPENAPI_SPECS.c.id, OPENAPI_SPECS.c.slug, OPENAPI_SPECS.c.source_url, OPENAPI_SPECS.c.last_version
    )
    mine = mine.where(
        OPENAPI_SPECS.c.organization_id == SITES.c.organization_id, OPENAPI_SPECS.c.last_version.is_not(None)
    )
    return (
        mine.order_by(OPENAPI_SPECS.c.updated_at.desc(), OPENAPI_SPECS.c.id)
        .limit(MOST_SPECS)
        .correlate(SITES)
    )


def _visited(which: Callable[[], Any], *, published: bool = True) -> Select[Any]:
    found = (
        select(
            *site_columns(inner=_INNER),
            looks_column(),
            nested(_holders(), "holders"),
            nested(_spaces(), "spaces"),
            nested(redirects.candidates(), "candidates"),
            moved_column(),
            nested(_links(), "links"),
            nested(_specs(), "specs"),
            site_integrations.scripts_column(),
            site_integrations.blocks_of_site(),
            site_integrations.installed_column(),
        )
        .select_from(source())
        .where(which())
    )
    return found.where(SITES.c.published == true()) if published else found


def by_names() -> Any:
    """Return the site of a name in the organization of a name; each has two, its id being one."""
    return and_(
        or_(
            ORGANIZATIONS.c.id == given("organization", Key),
            ORGANIZATIONS.c.hostname == given("organization", Key),
        ),
        or_(SITES.c.id == given("site", Key), SITES.c.basename == given("site", Key)),
    )


def by_host() -> Any:
    """Return the sites at a host that is proven: the whole host, or directories of it."""
    return or_(SITES.c.live_hostname == given("host", Key), among(SITES.c.live_proxy, "directories"))


_ORGANIZATION = rows(
    lambda: select(ORGANIZATIONS.c.id, ORGANIZATIONS.c.default_content).where(
        or_(
            ORGANIZATIONS.c.id == given("organization", Key),
            ORGANIZATIONS.c.hostname == given("organization", Key),
        )
    )
)
_OF_ORGANIZATION = rows(
    lambda: (
        select(*site_columns())
        .select_from(source())
        .where(
            SITES.c.id == given("site", Key),
            ORGANIZATIONS.c.id == given("organization", Key),
            SITES.c.published == true(),
        )
    )
)
_AT_NAMES = rows(partial(_visited, by_names))
_PREVIEWED = rows(partial(_visited, by_names, published=False))
_AT_HOST = rows(partial(_visited, by_host))


async def find(cx: Context, asked: SiteRequest, *, preview: bool = False) -> tuple[Any, list[str]] | None:
    """Return the published site at an address, and the parts of the path that are below the site's own
    address.

    For a `preview` it need not be published.
    """
    found = await cx.db.read_inline(
        _PREVIEWED if preview else _AT_HOST if asked.host else _AT_NAMES,
        **asked.values,
        shared=list(asked.links),
        key_hash=cx.signer.fingerprint(stored_secrets.SHARE_KEY, asked.key),
    )
    return asked.choose(found) if found else None


async def default_address(cx: Context, organization: str) -> str | None:
    """Return the address of the site that an organization's own address shows, while it is published."""
    for found in await cx.db.all(_ORGANIZATION, organization=organization):
        shown = (found.default_content or {}).get("site", "")
        for site in await cx.db.all(_OF_ORGANIZATION, organization=found.id, site=shown):
            return whole(cx.settings, site)
    return None


def whole(settings: Settings, site: Any) -> str:
    """Return the address of a site."""
    return addresses.whole(settings, addresses.of_site(site))


def below(site: addresses.SiteAddressRow, row: addresses.SpaceAddressRow) -> str:
    """Return the path of a space of the site, below the site's own address: nothing, or with a slash
    first."""
    return addresses.of_space(site, row)[len(addresses.of_site(site)) :]
