"""GraphQL face of domains and hosts that organizations claim."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, body, pages, read, reads, write, writes
from app.api.graphql.shapes import enum_of, input_of, output
from app.domain.organizations import domains as claims
from app.domain.sites import custom_hostnames
from app.models.domain_claims import (
    CustomHostnameOut,
    DomainKind,
    DomainOut,
    DomainsQuery,
    DomainStatus,
    DomainVerify,
)
from app.present.organizations import custom_hostname as show_hostname
from app.present.organizations import domain as show_domain

Kind: Any = enum_of(DomainKind)
Status: Any = enum_of(DomainStatus)
DomainVerifyInput: Any = input_of(DomainVerify)


@output(DomainOut)
class Domain:
    """A domain or host that an organization claims; it has no effect before it is verified."""


@strawberry.type
class OrganizationDomains:
    """What an organization says is its own."""

    @reads(claims.list_in_organization)
    async def domains(
        self: Any,
        info: Info,
        first: int = FIRST,
        after: str | None = None,
        kind: Kind | None = None,
        status: Status | None = None,
    ) -> Connection[Domain]:
        return await pages(
            info,
            claims.list_in_organization,
            self["id"],
            first=first,
            after=after,
            show=show_domain,
            shape=DomainsQuery,
            kind=kind,
            status=status,
        )

    @reads(claims.get)
    async def domain(self: Any, info: Info, id: ID) -> Domain | None:
        return await read(info, claims.get, self["id"], id, show=show_domain)


@output(CustomHostnameOut)
class CustomHostname:
    """A host of a site's own: whether it is proven, and whether the site is there."""


@strawberry.type
class DomainQuery:
    @reads(custom_hostnames.get)
    async def custom_hostname(self, info: Info, hostname: str) -> CustomHostname | None:
        return await read(info, custom_hostnames.get, hostname, show=show_hostname)


@strawberry.type
class DomainMutation:
    @writes(custom_hostnames.recheck)
    async def revalidate_custom_hostname(self, info: Info, hostname: str) -> bool | None:
        return await write(info, custom_hostnames.recheck, hostname, prepare=custom_hostnames.look_up)

    @writes(custom_hostnames.remove)
    async def remove_custom_hostname(self, info: Info, hostname: str) -> bool | None:
        return await write(info, custom_hostnames.remove, hostname)

    @writes(claims.verify)
    async def verify_domain(
        self, info: Info, organization: ID, id: ID, how: DomainVerifyInput | None = None
    ) -> Domain | None:
        asked = body(DomainVerify, how) if how else DomainVerify()
        return await write(
            info, claims.verify, organization, id, asked, show=show_domain, prepare=claims.look_up
        )

    @writes(claims.remove)
    async def remove_domain(self, info: Info, organization: ID, id: ID) -> bool | None:
        return await write(info, claims.remove, organization, id)
