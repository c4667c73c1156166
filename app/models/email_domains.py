"""E-mail domains: by which organizations are found."""

from __future__ import annotations

from sqlmodel import Field

from app.kit.columns import Key
from app.models.base import Table


class EmailDomain(Table, table=True):
    """One of an organization's `email_domains`, by which it is found."""

    __tablename__ = "email_domain"

    domain: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, primary_key=True, foreign_key="organization.id", index=True)
