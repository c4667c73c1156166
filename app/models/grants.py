"""Grants: a role on one space, collection or site for a person or a team."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Table

GrantedKind = Literal["space", "collection", "site"]
GranteeKind = Literal["user", "team"]


class Grant(Table, table=True):
    """A role on an object. What inherits from the object has it too (see access.levels)."""

    __tablename__ = "content_grant"
    __table_args__ = (Index(None, "grantee_id", "organization_id", "object_id"),)

    object_id: str = Field(sa_type=Key, primary_key=True)
    grantee_id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id", index=True)
    object_kind: str
    grantee_kind: str
    level: int
    created_at: datetime = Field(sa_type=Instant)
