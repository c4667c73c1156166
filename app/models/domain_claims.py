"""Domains and hosts that organizations claim: what they have to publish, and how far they have proven it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import StringConstraints
from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, Enumeration, Location, Names, Shape, Table
from app.models.queries import PageQuery

DomainKind = Literal["email", "hostname"]
DomainStatus = Literal["pending", "verified", "failed"]
DomainMethod = Literal["dns", "email"]
RecordType = Literal["TXT", "CNAME"]


class DomainClaim(Table, table=True):
    """A claim of an organization: the domain of its people's e-mail addresses, or a host of its
    sites. It has no effect unless `status` is verified, which one claim to a name may be at a time.

    `token` is part of the record that proves it; `mailed_hash` is of the token that was issued to be mailed.
    From `ends_at` on a verified claim that cannot be proven fails. `leads_here` tells whether DNS leads a
    host to this server.
    """

    __tablename__ = "domain_claim"
    __table_args__ = (
        UniqueConstraint("organization_id", "kind", "name"),
        Index(None, "organization_id", "id"),
        Index("ix_domain_claim_verified", "kind", "name", unique=True, info={"where": "status = 'verified'"}),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
    kind: str
    name: str = Field(sa_type=Key)
    status: str
    token: str
    method: str | None = None
    problem: str | None = None
    mailed_hash: str | None = None
    mailed_until: datetime | None = Field(default=None, sa_type=Instant)
    leads_here: bool | None = None
    created_at: datetime = Field(sa_type=Instant)
    checked_at: datetime | None = Field(default=None, sa_type=Instant)
    verified_at: datetime | None = Field(default=None, sa_type=Instant)
    ends_at: datetime | None = Field(default=None, sa_type=Instant)


class DomainsQuery(PageQuery):
    """Filters of the domains and hosts of an organization."""

    kind: DomainKind | None = Field(default=None, description="Lists only e-mail domains, or only hosts.")
    status: DomainStatus | None = Field(default=None, description="Lists only claims with this status.")


class DomainVerify(Change):
    """The proof of a domain: its DNS record, or a token that was mailed to an address of the domain."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = Field(
        default=None,
        description="Token that was mailed, at most 100 characters. Null or left out, the DNS record is "
        "looked up.",
    )


class DomainRecord(Shape):
    """A DNS record to publish."""

    type: RecordType = Field(description="Type of the record.")
    name: str = Field(description="Name of the record.")
    value: str = Field(description="Value of the record.")


class DomainOut(Shape):
    """A domain or host that an organization claims as its own."""

    object: Literal["domain"]
    id: str
    organization: Annotated[str, Column("organization_id"), Names("Organization")] = Field(
        description="Organization that claims the domain."
    )
    kind: DomainKind = Field(description="Kind of the domain.")
    name: str = Field(description="Name of the domain or host, in lower case.")
    status: DomainStatus = Field(description="Status of the claim.")
    record: DomainRecord = Field(description="DNS record that proves the claim.")
    method: DomainMethod | None = Field(
        default=None, description="How the claim was proven. Absent unless it is verified."
    )
    problem: str | None = Field(
        default=None,
        description="Why the last check failed. Absent if it succeeded, and before the first one.",
    )
    created_at: datetime
    checked_at: datetime | None = Field(
        default=None, description="When the claim was last checked. Absent before the first check."
    )
    verified_at: datetime | None = Field(
        default=None, description="When the claim was verified. Absent unless it is."
    )
    ends_at: datetime | None = Field(
        default=None,
        description="When the verified claim loses its effect, unless it is proven again before. Absent if "
        "no end is set.",
    )
    urls: Location


class SiteTarget(Shape):
    """The site that is served at a host."""

    type: Literal["site"] = Field(description="Type of the object, always `site`.")
    organization: Annotated[str, Names("Organization")] = Field(
        description="Organization that owns the site."
    )
    site: Annotated[str, Names("Site")] = Field(description="Site that is served at the host.")


class CustomHostnameOut(Shape):
    """A host of a site's own."""

    object: Literal["custom-hostname"]
    hostname: Annotated[str, Column("name")] = Field(description="Name of the host.")
    target: SiteTarget = Field(description="Site that is served at the host.")
    is_active: bool = Field(description="Whether the site is published at the host.")
    status: DomainStatus = Field(description="Status of the claim of the organization to the host.")
    records: list[DomainRecord] = Field(
        description="DNS records to publish: one that proves the host, and one that leads it to this server."
    )
    leads_here: bool | None = Field(
        default=None,
        description="Whether DNS led the host to this server when it was last looked up. False behind a "
        "proxy at another address. Absent if it was never looked up.",
    )
    problem: str | None = Field(
        default=None,
        description="Why the last check of the claim failed. Absent if it succeeded, and before the first "
        "one.",
    )
    checked_at: datetime | None = Field(
        default=None, description="When the claim was last checked. Absent before the first check."
    )
    ends_at: datetime | None = Field(
        default=None,
        description="When the verified claim loses its effect, unless it is proven again before. Absent if "
        "no end is set.",
    )
    urls: Location


ENUMERATIONS = (
    Enumeration(
        "DomainKind",
        DomainKind,
        {
            "email": "The domain of people's e-mail addresses.",
            "hostname": "A host of sites.",
        },
    ),
    Enumeration(
        "DomainStatus",
        DomainStatus,
        {
            "pending": "Not proven yet. The claim has no effect.",
            "verified": "Proven. The claim has its effect.",
            "failed": "Not proven when it was last checked. The claim has no effect.",
        },
    ),
    Enumeration(
        "DomainMethod",
        DomainMethod,
        {
            "dns": "By its DNS record.",
            "email": "With a token that was mailed to an address of the domain. It counts for a year.",
        },
    ),
    Enumeration(
        "DomainRecordType",
        RecordType,
        {
            "TXT": "A text record, which proves a claim.",
            "CNAME": "An alias, which leads a host to this server.",
        },
    ),
)
