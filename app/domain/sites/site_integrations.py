"""What installed integrations do on a site: put scripts into its pages, hear of its views, sign visitors in.

An integration answers `fetch_published_script` events when something changes; what it answered last is kept
and served from an address that holds its hash, under the policy that the manifest declares.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import and_, or_, select

from app.access.context import Context
from app.access.scopes import in_force
from app.domain.integrations.installations import p_
from app.domain.integrations.integration_rows import i_, n_
from app.domain.integrations.outbox import NEEDS
from app.domain.site_addresses import addresses
from app.domain.site_addresses.site_rows import find, reading, t_
from app.kit.database.columns import Key
from app.kit.database.sql import nested
from app.kit.database.statements import Statement, given, query, rows
from app.kit.errors import NotFound
from app.models.sites import Site

INJECT, COOKIES = "site:script:inject", "site:script:cookies"


def scripts_column() -> Any:
    """Return the integrations with a script for the site `t_`, as a column of it."""
    found = (
        select(
            n_.c.id,
            i_.c.name,
            i_.c.scopes,
            n_.c.agreed,
            i_.c.manifest,
            p_.c.script_hash,
        )
        .select_from(p_.join(n_, n_.c.id == p_.c.installation_id).join(i_, i_.c.id == n_.c.integration_id))
        .where(
            p_.c.object_id == t_.c.id,
            p_.c.status == "active",
            n_.c.status == "active",
            p_.c.script_hash.is_not(None),
        )
        .order_by(n_.c.id)
        .correlate(t_)
    )
    return nested(found, "scripts_")


_OF_SITE: Statement[Any] = query(Site, lambda: reading(scripts_column()))
_OF_PUBLISHED = rows(lambda: select(t_.c.id, scripts_column()).where(t_.c.id == given("site", Key)))
_SERVED = rows(
    lambda: (
        select(p_.c.script, p_.c.script_hash, i_.c.scopes, n_.c.agreed)
        .join(n_, n_.c.id == p_.c.installation_id)
        .join(i_, i_.c.id == n_.c.integration_id)
        .where(
            p_.c.installation_id == given("installation", Key),
            p_.c.object_id == given("site", Key),
            p_.c.script_hash == given("hash", Key),
            p_.c.status == "active",
            n_.c.status == "active",
        )
    )
)


async def list_in_site(cx: Context, organization_id: str, site_id: str) -> list[dict[str, Any]]:
    """List the scripts that integrations put into the pages of a site."""
    site = await find(cx, organization_id, site_id, using=_OF_SITE)
    return shown(cx, site_id, site.scripts_)


async def published_scripts(cx: Context, site_id: str) -> list[dict[str, Any]]:
    """Return the scripts for the pages of a site as `list_in_site` has them, for whoever may read the
    pages."""
    found = await cx.db.get_by_key(_OF_PUBLISHED, site=site_id)
    return shown(cx, site_id, found[0].scripts_) if found else []


def shown(cx: Context, site_id: str, found: Any) -> list[dict[str, Any]]:
    """Return each script by its address, with the policy it needs and whether it may set cookies."""
    listed = []
    for row in found:
        given_ = in_force(row.scopes, row.agreed)
        if INJECT not in given_:
            continue
        address = addresses.of_script(cx.settings, row.id, site_id, row.script_hash)
        script: dict[str, Any] = {"script": address, "cookies": COOKIES in given_}
        if row.manifest.get("contentSecurityPolicy"):
            script["contentSecurityPolicy"] = row.manifest["contentSecurityPolicy"]
        listed.append(script)
    return listed


async def get(cx: Context, installation_id: str, site_id: str, name: str) -> str:
    """Return a script by the name in its address; raises NotFound where it is not current any more."""
    values = {"installation": installation_id, "site": site_id, "hash": name.removesuffix(".js")}
    found = await cx.db.get_by_key(_SERVED, **values)
    if not found or not name.endswith(".js") or INJECT not in in_force(found[0].scopes, found[0].agreed):
        raise NotFound("There is no such script.")
    return str(found[0].script)


VIEW = "site_view"


def installed_column() -> Any:
    """Return the active installations that have the site `t_`, as a column of it."""
    placed = and_(p_.c.installation_id == n_.c.id, p_.c.object_id == t_.c.id)
    found = (
        select(n_.c.id, i_.c.name, i_.c.scopes, n_.c.agreed, p_.c.status)
        .select_from(n_.join(i_, i_.c.id == n_.c.integration_id).outerjoin(p_, placed))
        .where(
            n_.c.organization_id == t_.c.organization_id,
            n_.c.status == "active",
            or_(p_.c.status == "active", and_(p_.c.status.is_(None), n_.c.site_selection == "all")),
        )
        .order_by(n_.c.id)
        .correlate(t_)
    )
    return nested(found, "installed_")


def is_watched(site: Any) -> bool:
    """Return whether anybody is told of the views of a site with that column."""
    return any(set(NEEDS[VIEW]) <= set(in_force(row.scopes, row.agreed)) for row in site.installed_)


def signs_in(site: Any) -> Any | None:
    """Return the installation that signs visitors in at a site with that column, where one does."""
    backend = site.visitor_backend or {}
    if backend.get("backend") != "integration":
        return None
    named = backend.get("integration")
    placed = (row for row in site.installed_ if row.status == "active" and row.name == named)
    return next(placed, None)
