"""Organizations: created, read, changed, listed for their members, found by an e-mail domain or a subdomain.

A search tells strangers nothing: a domain names only the organization that has proven it, to who belongs
there or could join, a subdomain only one that they belong to, and everybody's question is answered by the
same statement (threats, 13).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Select, and_, exists, false, or_, select

from app.access.context import Context, Membership
from app.access.fetch import fetch
from app.access.rights import Level
from app.domain.audit import audit_chain
from app.domain.domains import domain_claims
from app.domain.organizations import sso_requirements
from app.domain.site_addresses.addresses import RESERVED
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound
from app.kit.http.urls import canonical_host
from app.kit.ids import new_id
from app.models.domain_claims import DomainClaim
from app.models.organizations import (
    DefaultContent,
    Member,
    Organization,
    OrganizationCreate,
    OrganizationUpdate,
)
from app.models.queries import PageQuery
from app.models.users import User

_u, _d = table(User), table(DomainClaim)
_o, _m = table(Organization), table(Member)
_ONE = query(Organization, lambda: select(*_o.c).where(_o.c.id == given("id")))
_WITH_HOSTNAME = rows(lambda: select(_o.c.id).where(_o.c.hostname == given("hostname")))


def _of_user() -> Select[Any]:
    belongs = _m.c.user_id == given("user"), _m.c.disabled == false(), among(_o.c.id, "open")
    return select(*_o.c).join(_m, _m.c.organization_id == _o.c.id).where(*belongs)


MINE = Listing("organizations", Organization, _of_user, order=lambda: [_o.c.id])


async def get(cx: Context, organization_id: str) -> Organization:
    """Get an organization."""
    return await fetch(cx, Organization, organization_id)


async def list_mine(cx: Context, query: PageQuery) -> Page[Organization]:
    """List the organizations that the caller belongs to."""
    usable = [known.organization_id for known in cx.actor.memberships.values() if not known.closed]
    sight = {"open": usable}
    return await MINE.page(cx.db, query.paging, cx.tokens, sight=sight, user=cx.actor.user_id)


async def create(cx: Context, new: OrganizationCreate) -> Organization:
    """Create an organization, whose administrator the caller becomes."""
    if cx.actor.only_organization is not None:
        raise Forbidden("This token is limited to one organization.")
    organization = await found(cx, cx.actor.user_id, new)
    # The actor was read before: without this the answer would deny its maker every right.
    standing = Membership(organization.id, Level.ADMIN, Level.ADMIN, user_id=cx.actor.user_id)
    memberships = {**cx.actor.memberships, organization.id: standing}
    cx.actor = replace(cx.actor, memberships=memberships)
    return organization


async def update(cx: Context, organization_id: str, change: OrganizationUpdate) -> Organization:
    """Change an organization's title, domains, defaults or switches.

    A new domain has no effect before it is verified; one that is left out has none any more.
    """
    organization = await fetch(cx, Organization, organization_id, can="admin")
    values = change.sent()
    if not values:
        return organization
    if change.default_content is not None:
        values["default_content"] = await _default_content(cx, organization, change.default_content)
    if "email_domains" in values:
        values["email_domains"] = list(dict.fromkeys(change.email_domains))
        await _claim_domains(cx, organization, values["email_domains"])
    if values.get("sso") and not organization.sso:
        await sso_requirements.require_way_in(cx, organization.id)
    if values.get("hostname"):
        await _refuse_taken(cx, organization, values["hostname"])
    changed = await cx.tx.change(Organization, {**values, "updated_at": cx.now}, id=organization.id)
    if changed.hostname != organization.hostname:
        from app.domain.site_addresses import publication

        await publication.refresh_organization(cx, organization.id)
    return changed


async def give_up_domain(cx: Context, claim: DomainClaim) -> None:
    """Take an e-mail domain from those of its organization; asks for no right, raises like `update`."""
    organization = await cx.tx.first(_ONE, id=claim.organization_id)
    assert organization is not None
    left = [domain for domain in organization.email_domains if domain != claim.name]
    await _claim_domains(cx, organization, left)
    await cx.tx.put(Organization, {"email_domains": left, "updated_at": cx.now}, id=organization.id)


async def _claim_domains(cx: Context, organization: Organization, wanted: Sequence[str]) -> None:
    await domain_claims.claim_only(cx, organization.id, "email", wanted)
    if organization.sso:
        await sso_requirements.require_way_in(cx, organization.id)


async def _default_content(cx: Context, organization: Organization, wanted: DefaultContent) -> dict[str, Any]:
    from app.domain.site_addresses import site_rows

    try:
        await site_rows.find(cx, organization.id, wanted.site)
    except NotFound:
        raise Invalid("The organization has no such site.", path="defaultContent.site") from None
    return wanted.model_dump()


async def found(cx: Context, owner_id: str, new: OrganizationCreate) -> Organization:
    """Make an organization whose administrator is `owner_id`."""
    organization = await cx.tx.add(
        Organization,
        id=new_id(),
        title=new.title,
        email_domains=list(dict.fromkeys(new.email_domains)),
        hostname=None,
        type="business",
        use_case=None,
        community_type=None,
        default_role="read",
        default_content=None,
        sso=False,
        ai=True,
        invite_links=False,
        content_transfers=False,
        plan="free_2024",
        logo=None,
        signing_key=None,
        created_at=cx.now,
        updated_at=cx.now,
    )
    await audit_chain.begin(cx, organization.id)
    await domain_claims.claim_only(cx, organization.id, "email", organization.email_domains)
    await add_member(cx, organization.id, owner_id, "admin")
    cx.note("organization", organization.id, organization.id, organization.title)
    return organization


async def add_member(
    cx: Context, organization_id: str, user_id: str, role: str | None, *, sso: bool = False
) -> Member:
    """Let a person belong to an organization; without a role as a guest, with `sso` by single sign-on only.

    They come into the teams that they were invited to.
    """
    from app.domain.organizations import team_places

    member = await cx.tx.add(
        Member,
        user_id=user_id,
        organization_id=organization_id,
        role=role,
        disabled=False,
        sso=sso,
        granted=False,
        joined_at=cx.now,
        last_seen_at=None,
    )
    await team_places.take_places(cx, organization_id, user_id)
    return member


async def _refuse_taken(cx: Context, organization: Organization, hostname: str) -> None:
    if hostname in RESERVED and hostname != organization.hostname:
        raise Invalid("This name is for addresses of the platform.", path="hostname")
    holders = await cx.db.all(_WITH_HOSTNAME, hostname=hostname)
    if any(holder.id != organization.id for holder in holders):
        raise Conflict("This hostname is taken.", path="hostname")


def _membership() -> Any:
    return exists().where(_m.c.organization_id == _o.c.id, _m.c.user_id == given("user"))


def _mine() -> Any:
    return _membership().where(_m.c.disabled == false())


def _of_domain() -> Select[Any]:
    has_address = exists().where(_u.c.id == given("user"), _u.c.email.like(given("address"), escape="\\"))
    joins = and_(has_address, ~_membership())
    only = given("only", Key)
    return (
        select(*_o.c)
        .join(_d, _d.c.organization_id == _o.c.id)
        .where(_d.c.kind == "email", _d.c.name == given("domain"), domain_claims.PROVEN)
        .where(or_(_mine(), joins), or_(only == "", _o.c.id == only))
    )


_OF_DOMAIN = query(Organization, _of_domain)
_OF_SUBDOMAIN = query(Organization, lambda: select(*_o.c).where(_o.c.hostname == given("subdomain"), _mine()))


async def organizations_of_domain(cx: Context, email_domain: str) -> list[Organization]:
    """List the organization with this e-mail domain, if the caller belongs to it or could join.

    It has proven the domain; one that is only claimed is nobody's. Nobody can join by a domain that is not
    that of their own address.
    """
    try:
        domain = canonical_host(email_domain)
    except ValueError:
        return []
    safe = domain.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    only = cx.actor.only_organization or ""
    values = {"domain": domain, "address": f"%@{safe}", "user": cx.actor.user_id, "only": only}
    return await cx.db.all(_OF_DOMAIN, **values)


async def subdomain(cx: Context, subdomain: str) -> Organization:
    """Find the organization of a subdomain, if the caller belongs to it."""
    found = await cx.db.first(_OF_SUBDOMAIN, subdomain=subdomain.lower(), user=cx.actor.user_id)
    if found is None or cx.actor.only_organization not in (None, found.id):
        raise NotFound("There is no such subdomain.")
    return found
