"""Domains and hosts that organizations claim: what they have to publish, and how far they have proven it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field as Part
from pydantic import StringConstraints
from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, Enumeration, Location, Shape, Table
from app.models.queries import PageQuery

DomainKind = Literal["email", "hostname"]
DomainStatus = Literal["pending", "verified", "failed"]
DomainMethod = Literal["dns", "email"]
RecordType = Literal["TXT", "CNAME"]


class DomainClaim(Table, table=True):
    """What an organization says is its own: the domain of its people's e-mail addresses, or a host of its
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
    """Which claims of an organization."""

    kind: DomainKind | None = Part(default=None, description="only domains of addresses, or only hosts")
    status: DomainStatus | None = Part(default=None, description="only claims that stand so")


class DomainVerify(Change):
    """How to prove a domain: by its DNS record, or with the token that was mailed to somebody there."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = None


class DomainRecord(Shape):
    """A DNS record to publish."""

    type: RecordType
    name: str
    value: str


class DomainOut(Shape):
    """A domain or host that an organization claims, and how that stands.

    `problem` says why the last check failed. A verified claim with `endsAt` has no effect from then on,
    unless it is proven before.
    """

    object: Literal["domain"]
    id: str
    organization: Annotated[str, Column("organization_id")]
    kind: DomainKind
    name: str
    status: DomainStatus
    record: DomainRecord
    method: DomainMethod | None = None
    problem: str | None = None
    created_at: datetime
    checked_at: datetime | None = None
    verified_at: datetime | None = None
    ends_at: datetime | None = None
    urls: Location


class SiteTarget(Shape):
    """The site that a host leads to."""

    type: Literal["site"]
    organization: str
    site: str


class CustomHostnameOut(Shape):
    """A host of a site's own: whether it is proven, and whether the site is there.

    `leadsHere` tells whether DNS led the host to this server when it was last looked up; behind a proxy at
    another address it does not.
    """

    object: Literal["custom-hostname"]
    hostname: Annotated[str, Column("name")]
    target: SiteTarget
    is_active: bool
    status: DomainStatus
    records: list[DomainRecord]
    leads_here: bool | None = None
    problem: str | None = None
    checked_at: datetime | None = None
    ends_at: datetime | None = None
    urls: Location


ENUMERATIONS = (
    Enumeration(
        "DomainKind",
        DomainKind,
        {
            "email": "",
            "hostname": "",
        },
    ),
    Enumeration(
        "DomainStatus",
        DomainStatus,
        {
            "pending": "",
            "verified": "",
            "failed": "",
        },
    ),
    Enumeration(
        "DomainMethod",
        DomainMethod,
        {
            "dns": "",
            "email": "",
        },
    ),
    Enumeration(
        "DomainRecordType",
        RecordType,
        {
            "TXT": "",
            "CNAME": "",
        },
    ),
)
