"""Members of organizations as callers see them, and what is asked and changed about them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from app.models.base import Change, Column, Role, Shape, absent
from app.models.queries import Order, PageQuery
from app.models.spaces import SpaceOut
from app.models.texts import Form
from app.models.users import UserOut

RoleOrGuest = Literal["admin", "create", "review", "edit", "comment", "read", "guest"]
MemberSort = Literal["joinedAt", "lastSeenAt", "name"]
SigningKey = Annotated[
    str,
    StringConstraints(min_length=32, max_length=256),
    Form(r"^[\x21-\x7e]+$", "visible ASCII characters without blanks"),
]


class MembersQuery(PageQuery):
    """Which members of an organization, and in which order."""

    role: RoleOrGuest | None = Field(default=None, description="only members with this role, or guests")
    search: str | None = Field(
        default=None, max_length=256, description="part of a name or an e-mail address, in any case"
    )
    sort: MemberSort = Field(default="joinedAt", description="with lastSeenAt only who was seen is listed")
    order: Order = Field(default="desc", description="newest, or last in the alphabet, first")


class MemberSpacesQuery(PageQuery):
    """In which order the spaces of a member are listed."""

    order: Order = Field(default="desc", description="by the last change, newest first")


class MemberTeamsQuery(PageQuery):
    """Which teams of a member."""

    title: str | None = Field(default=None, max_length=64, description="part of the title, in any case")


class MemberUpdate(Change):
    """Changes to a member; a null role makes a guest of them. Who is disabled has no access."""

    role: Role | None = None
    disabled: bool = absent()
    sso: bool = absent()


class MemberOut(Shape):
    """A person's place in an organization (specification, Member). A guest has no role."""

    object: Literal["member"]
    id: Annotated[str, Column("user_id")]
    role: Role | None
    user: UserOut
    disabled: bool
    joined_at: datetime
    last_seen_at: datetime | None = None
    sso: bool
    spaces: int
    teams: int


class MemberSpaceOut(Shape):
    """A space that a member sees, and what they may do there at most."""

    permission: Role
    space: SpaceOut


class PingOut(Shape):
    """What a member who is there is told: who they are, signed with the organization's key if it has one."""

    service_visitor_claims: str | None = None


class SigningKeyUpdate(Change):
    """The key that visitor claims are signed with; one is made where none is given."""

    key: SigningKey = absent()


class SigningKeyOut(Shape):
    """A signing key that was set; `key` is shown this once, and only if it was made here."""

    object: Literal["signing-key"]
    key: str | None = None
