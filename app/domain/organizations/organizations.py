"""Organizations and their domains: created, read, changed, listed, found by a domain or a subdomain.

Organizations: created, read, changed, listed for their members, found by an e-mail domain or a subdomain.

A search tells strangers nothing: a domain names only the organization that has proven it, to who belongs
there or could join, a subdomain only one that they belong to, and everybody's question is answered by the
same statement (threats, 13).

The domains and hosts of an organization, as administrators list, verify and give them up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Select, and_, exists, false, or_, select

from app.access.context import Context, Membership
from app.access.fetch import fetch, permit_in
from app.access.rights import Level
from app.domain.audit import audit_chain
from app.domain.domains import domain_checks, domain_claims
from app.domain.domains.domain_checks import DnsRecords
from app.domain.organizations import sso_requirements
from app.domain.site_addresses.addresses import RESERVED
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound
from app.kit.http.urls import canonical_host
from app.kit.ids import new_id
from app.models.domain_claims import DomainClaim, DomainsQuery, DomainVerify
from app.models.organizations import (
    DefaultContent,
    Member,
    Organization,
    OrganizationCreate,
    OrganizationUpdate,
)
from app.models.queries import PageQuery
from app.models.users import User

USERS, DOMAIN_CLAIMS = table(User), table(DomainClaim)
ORGANIZATIONS, MEMBERS = table(Organization), table(Member)
_ONE = query(Organization, lambda: select(*ORGANIZATIONS.c).where(ORGANIZATIONS.c.id == given("id")))
_WITH_HOSTNAME = rows(lambda: select(ORGANIZATIONS.c.id).where(ORGANIZATIONS.c.hostname == given("hostname")))


def _of_user() -> Select[Any]:
    belongs = (
        MEMBERS.c.user_id == given("user"),
        MEMBERS.c.disabled == false(),
        among(ORGANIZATIONS.c.id, "open"),
    )
    return (
        select(*ORGANIZATIONS.c)
        .join(MEMBERS, MEMBERS.c.organization_id == ORGANIZATIONS.c.id)
        .where(*belongs)
    )


MINE = Listing("organizations", Organization, _of_user, order=lambda: [ORGANIZATIONS.c.id])


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
    membership = Membership(organization.id, Level.ADMIN, Level.ADMIN, user_id=cx.actor.user_id)
    memberships = {**cx.actor.memberships, organization.id: membership}
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

    They come into the teams that they were invited to. Raises Conflict where the organization is deleted.
    """
    await refuse_deleted(cx, organization_id)
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


async def refuse_deleted(cx: Context, organization_id: str) -> None:
    """Raise Conflict where an organization is deleted, so that nobody joins it."""
    organization = await cx.db.first(_ONE, id=organization_id)
    if organization is not None and organization.deleted_at is not None:
        raise Conflict("The organization is deleted.")


async def _refuse_taken(cx: Context, organization: Organization, hostname: str) -> None:
    if hostname in RESERVED and hostname != organization.hostname:
        raise Invalid("This name is reserved.", path="hostname")
    holders = await cx.db.all(_WITH_HOSTNAME, hostname=hostname)
    if any(holder.id != organization.id for holder in holders):
        raise Conflict("This hostname is already in use.", path="hostname")


def _membership() -> Any:
    return exists().where(MEMBERS.c.organization_id == ORGANIZATIONS.c.id, MEMBERS.c.user_id == given("user"))


def _mine() -> Any:
    return _membership().where(MEMBERS.c.disabled == false())


def _of_domain() -> Select[Any]:
    has_address = exists().where(
        USERS.c.id == given("user"), USERS.c.email.like(given("address"), escape="\\")
    )
    joins = and_(has_address, ~_membership())
    only = given("only", Key)
    return (
        select(*ORGANIZATIONS.c)
        .join(DOMAIN_CLAIMS, DOMAIN_CLAIMS.c.organization_id == ORGANIZATIONS.c.id)
        .where(DOMAIN_CLAIMS.c.kind == "email", DOMAIN_CLAIMS.c.name == given("domain"), domain_claims.PROVEN)
        .where(ORGANIZATIONS.c.deleted_at.is_(None))
        .where(or_(_mine(), joins), or_(only == "", ORGANIZATIONS.c.id == only))
    )


_OF_DOMAIN = query(Organization, _of_domain)
_OF_SUBDOMAIN = query(
    Organization,
    lambda: select(*ORGANIZATIONS.c).where(ORGANIZATIONS.c.hostname == given("subdomain"), _mine()),
)


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


_here = DOMAIN_CLAIMS.c.organization_id == given("organization")


def _of_organization() -> Select[Any]:
    kind, status = given("kind", Key), given("status", Key)
    return select(*DOMAIN_CLAIMS.c).where(
        _here,
        or_(kind == "", DOMAIN_CLAIMS.c.kind == kind),
        or_(status == "", DOMAIN_CLAIMS.c.status == status),
    )


_LIST = Listing(
    "domains of an organization", DomainClaim, _of_organization, order=lambda: [DOMAIN_CLAIMS.c.id]
)
_DOMAIN = query(DomainClaim, lambda: select(*DOMAIN_CLAIMS.c).where(_here, DOMAIN_CLAIMS.c.id == given("id")))


async def list_domains(cx: Context, organization_id: str, query: DomainsQuery) -> Page[DomainClaim]:
    """List the e-mail domains and hosts that an organization claims, oldest first."""
    permit_in(cx, organization_id, can="admin")
    kind, status = query.kind or "", query.status or ""
    return await _LIST.page(
        cx.db, query.paging, cx.tokens, organization=organization_id, kind=kind, status=status
    )


async def get_domain(cx: Context, organization_id: str, domain_id: str) -> DomainClaim:
    """Get a claim to a domain, with the record that proves it."""
    permit_in(cx, organization_id, can="admin")
    claim = await cx.db.first(_DOMAIN, organization=organization_id, id=domain_id)
    if claim is None:
        raise NotFound("There is no such domain.")
    cx.note("domain", claim.id, organization_id, claim.name)
    return claim


async def look_up_domain(cx: Context, organization_id: str, domain_id: str, how: DomainVerify) -> DnsRecords:
    """Ask DNS for the record of a claim, unless a token is to prove it."""
    claim = await get_domain(cx, organization_id, domain_id)
    return DnsRecords(()) if how.token else await domain_checks.records_of(cx, claim)


async def verify_domain(
    cx: Context, organization_id: str, domain_id: str, how: DomainVerify, found: DnsRecords
) -> DomainClaim:
    """Verify a domain now: by its DNS record, or with the token that was mailed to somebody there.

    The answer tells how the claim stands then; `problem` says what is missing. Raises Invalid for a token
    that does not count, and Conflict where another organization holds the domain.
    """
    claim = await get_domain(cx, organization_id, domain_id)
    if how.token:
        return await domain_checks.prove_by_mail(cx, claim, how.token)
    return await domain_checks.apply_records(cx, claim, found)


async def remove_domain(cx: Context, organization_id: str, domain_id: str) -> None:
    """Give a domain or host up; what it had an effect on ends at once. Sites state the host no more.

    Raises Conflict where nobody could administrate the organization any more.
    """
    claim = await get_domain(cx, organization_id, domain_id)
    if claim.kind == "hostname":
        await domain_claims.give_up(cx, organization_id, claim.name)
    else:
        await give_up_domain(cx, claim)
