"""Access to a space, a collection or a site: who has it, how much, and why.

Lists are worked out by the database for everybody at once. The rules are those of
`access.context.Membership.on`, said in SQL: the highest of an administrator's role, of the default level, of
what was granted to the person and to their teams, there or on what it inherits from. A test holds the two to
each other.

An explanation comes from what refuses requests: `access.fetch.refusal` tells whether, `Membership.ruling`
what decided. People ask about themselves, and administrators of an object about everybody. A caller's token
may allow less than they may do; another person's token is unknown here and plays no part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Integer, Label, Select, case, false, func, or_, select, union_all
from sqlmodel import SQLModel

from app.access import memberships
from app.access.context import Context, Membership
from app.access.fetch import fetch_page, permit, permit_in, refusal
from app.access.levels import INHERITED
from app.access.object_kinds import KINDS
from app.access.rights import READING, TABLES, Level, ObjectState, allowed, least, level
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import holds, nested
from app.kit.database.statements import Statement, given, rows, table
from app.kit.errors import NotFound
from app.models.access import Grant
from app.models.collections import Collection
from app.models.grants import AccessQuery, CollectionExplainQuery, SiteExplainQuery, SpaceExplainQuery
from app.models.organizations import Member, Organization
from app.models.sites import Site
from app.models.spaces import Space
from app.models.teams import TeamMember
from app.models.users import User

_c = table(Collection).alias("above")
MEMBERS, ORGANIZATIONS, GRANTS, TEAM_MEMBERS, USERS = (
    table(Member),
    table(Organization),
    table(Grant),
    table(TeamMember),
    table(User),
)
_above = table(Collection).alias("above")
_ROLES = {held.name.lower(): int(held) for held in Level if held}


def _level_of(role: ColumnElement[Any]) -> ColumnElement[int]:
    return case(_ROLES, value=role, else_=0)


def _higher(one: ColumnElement[int], other: ColumnElement[int]) -> ColumnElement[int]:
    return case((one > other, one), else_=other)


def _granted(model: type[SQLModel]) -> Any:
    """Return the highest that each person was granted on the object `inside` or on what it inherits from.

    It names the object by its value: what refers to the row around it is worked out anew for every member.
    """
    here = table(model).alias("here")
    above = (_above.c.organization_id == here.c.organization_id) & holds(here.c.lineage, _above.c.id)
    itself = select(here.c.id).where(here.c.id == given("inside"))
    inherited = select(_above.c.id).join_from(here, _above, above).where(here.c.id == given("inside"))
    reaching = GRANTS.c.object_id.in_(union_all(itself, inherited))
    people = select(GRANTS.c.grantee_id.label("user_id"), GRANTS.c.level).where(reaching)
    of_teams = (
        select(TEAM_MEMBERS.c.user_id, GRANTS.c.level)
        .join(GRANTS, GRANTS.c.grantee_id == TEAM_MEMBERS.c.team_id)
        .where(reaching)
    )
    found = union_all(people, of_teams).subquery()
    highest = func.max(found.c.level).label("level")
    return select(found.c.user_id, highest).group_by(found.c.user_id).subquery("granted")


def _rows(model: type[SQLModel]) -> Select[Any]:
    t, granted = table(model), _granted(model)
    inherited = _higher(_level_of(MEMBERS.c.role), _level_of(ORGANIZATIONS.c.default_role))
    by_default = case(
        (MEMBERS.c.role.is_(None), 0), (t.c.base_level == INHERITED, inherited), else_=t.c.base_level
    )
    highest = _higher(by_default, func.coalesce(granted.c.level, 0))
    held = case((MEMBERS.c.role == "admin", int(Level.ADMIN)), else_=highest)
    wanted = given("wanted", Integer())
    members = MEMBERS.join(ORGANIZATIONS, ORGANIZATIONS.c.id == MEMBERS.c.organization_id).outerjoin(
        granted, granted.c.user_id == MEMBERS.c.user_id
    )
    person = select(*USERS.c).where(USERS.c.id == MEMBERS.c.user_id).correlate(MEMBERS)
    return (
        select(MEMBERS.c.user_id, held.label("level"), nested(person, "grantee"))
        .select_from(members)
        .where(
            MEMBERS.c.organization_id == t.c.organization_id,
            MEMBERS.c.disabled == false(),
            held > int(Level.NONE),
            or_(wanted == 0, held == wanted),
        )
        .correlate(t)
    )


class Audience:
    """The statements that find who has access to one kind of content."""

    def __init__(self, model: type[SQLModel]) -> None:
        self.model: Any = model
        self.listing: Listing[Any] = Listing(
            f"people with access to a {KINDS[model].name}",
            Member,
            lambda: _rows(model),
            order=lambda: [MEMBERS.c.user_id],
            inside=model,
        )

    async def list_everybody(self, cx: Context, object_id: str, query: AccessQuery) -> Page[Any]:
        """List everybody who has access to a space or a collection, and what they may do at most.

        This shows members of the organization, so those who administrate the object as guests may not.
        """
        wanted = int(level(query.role))
        row, page = await fetch_page(
            cx, self.model, object_id, self.listing, query.paging, can="admin", wanted=wanted
        )
        permit_in(cx, row.organization_id, can="listMembers")
        return page


SPACE_AUDIENCE, COLLECTION_AUDIENCE = Audience(Space), Audience(Collection)


MESSAGES = {
    "organization-admin": "Administrators of the organization may do everything in it.",
    "user-grant": "They were granted the role {role} on this {source}.",
    "team-grant": "A team of theirs was granted the role {role} on this {source}.",
    "default-level": "The default level of this {source} is {role}.",
    "inherited-default-level": "It inherits the default level of this {source}, which is {role}.",
    "organization-role": "It inherits from the organization, where their role is {role}.",
    "organization-default-role": "It inherits from the organization, whose default role is {role}.",
    "no-access": "Nothing was granted to them or to a team of theirs, and no default level lets them in.",
    "creator": "They created this {source}, and have the role {role} on it.",
    "locked": "The {source} is locked: its content changes by merging change requests only.",
    "deleted": "The {source} is deleted: who may restore it sees it, and nobody may do anything else.",
    "not-deleted": "The {source} is not deleted, so there is nothing to restore.",
    "organization-deleted": "The organization is deleted: its administrators may read it and restore it, and"
    " nobody may do anything else.",
    "disabled": "They are disabled in the organization.",
    "not-a-member": "They do not belong to the organization.",
    "sso": memberships.NEEDS_SSO,
    "token-limited": memberships.OTHER_ORGANIZATION,
    "token-read-only": "This token is read-only.",
}


@dataclass(slots=True, frozen=True)
class Explanation:
    """The rule that decided; `source` is the kind and the id of the object whose rule it was."""

    user_id: str
    action: str
    allowed: bool
    needed: Level
    held: Level
    rule: str
    source: tuple[str, str]
    team_id: str | None = None

    @property
    def message(self) -> str:
        """Return a sentence that says so."""
        words = {"role": repr(self.held.name.lower()), "source": self.source[0]}
        because = MESSAGES[self.rule].format(**words)
        if self.allowed or self.held >= self.needed or self.held == Level.NONE:
            return because
        return f"{because} This needs {self.needed.name.lower()!r}."


class DecidingRow(Protocol):
    """A collection that has a default level of its own."""

    id: str


class ExplainedRow(memberships.WithMembership, Protocol):
    """A space, a collection or a site, with what decides who may do what to it."""

    id: str
    organization_id: str
    base_level: int
    default_level: str | None
    lineage: str
    deciding_: Sequence[DecidingRow]


class ExplanationQuery:
    """Rights on one kind of content, explained."""

    def __init__(self, model: type[Space] | type[Collection] | type[Site]) -> None:
        self.model: Any = model
        self.kind = KINDS[model].name
        t = table(model)
        self._statement: Statement[Any] = rows(
            lambda: select(*t.c, _deciding(t), *memberships.membership_columns(model)).where(
                t.c.id == given("id")
            )
        )

    async def explain(
        self, cx: Context, object_id: str, query: SpaceExplainQuery | CollectionExplainQuery
    ) -> Explanation:
        """Explain why somebody may do something to a space or a collection, or may not.

        Everybody may ask about themselves, and those who administrate the object about others too.
        """
        return await self.explain_inside(cx, None, object_id, query)

    async def explain_inside(
        self,
        cx: Context,
        organization_id: str | None,
        object_id: str,
        query: SpaceExplainQuery | CollectionExplainQuery | SiteExplainQuery,
    ) -> Explanation:
        """Explain as above for an object that is named together with its organization."""
        me = cx.actor.user_id
        asked = me if query.user is None else query.user
        row = await cx.db.first(self._statement, id=object_id, user=asked)
        if row is not None and organization_id not in (None, row.organization_id):
            row = None
        mine = cx.actor.memberships.get(row.organization_id) if row else None
        hidden = refusal(mine, self.model, row, can="view") if row else None
        if row is None or isinstance(hidden, NotFound):
            raise NotFound(f"There is no such {self.kind}.")
        if asked != me:
            permit(cx, self.model, row, can="admin")
        membership = mine if asked == me else memberships.membership_of_columns(row, asked)
        return self._explained(cx, row, asked, query.action, membership)

    def _explained(
        self, cx: Context, row: ExplainedRow, user_id: str, action: str, membership: Membership | None
    ) -> Explanation:
        rule, held, source, team_id = self._rule(row, membership)
        state = KINDS[self.model].state(membership, row) if membership else ObjectState.PLAIN
        if membership and membership.deleted:
            state |= ObjectState.CLOSED
        needed, may = least(self.kind, action, state), False
        if refusal(membership, self.model, row, can=action) is None:
            may = allowed(self.kind, action, held, state)
            if not may:
                rule, source, team_id = self._closed(state), (self.kind, row.id), None
            elif held < TABLES[self.kind][action]:
                rule, source, team_id = "creator", (self.kind, row.id), None
            if may and user_id == cx.actor.user_id and cx.actor.read_only and action not in READING:
                rule, may = "token-read-only", False
        return Explanation(user_id, action, may, needed, held, rule, source, team_id)

    def _closed(self, state: int) -> str:
        """Return the rule that keeps from everybody what their level would allow."""
        if state & ObjectState.CLOSED:
            return "organization-deleted"
        if state & ObjectState.DELETED:
            return "deleted"
        return "locked" if state & ObjectState.LOCKED else "not-deleted"

    def _rule(
        self, row: ExplainedRow, membership: Membership | None
    ) -> tuple[str, Level, tuple[str, str], str | None]:
        here, organization = (self.kind, row.id), ("organization", row.organization_id)
        if membership is None:
            return ("disabled" if row.place_ else "not-a-member"), Level.NONE, organization, None
        if membership.deleted and membership.closed == memberships.DELETED:
            return "organization-deleted", Level.NONE, organization, None
        if membership.closed:
            limited = membership.closed == memberships.OTHER_ORGANIZATION
            return ("token-limited" if limited else "sso"), Level.NONE, organization, None
        held, giver = membership.ruling(row)
        if getattr(row, "deleted_at", None) is not None:
            return "deleted", held, here, None
        if membership.level == Level.ADMIN:
            return "organization-admin", held, organization, None
        if giver is not None:
            return self._grant(row, giver, held)
        if held == Level.NONE:
            return "no-access", held, here, None
        return self._default(row, membership, held)

    def _grant(
        self, row: ExplainedRow, giver: str, held: Level
    ) -> tuple[str, Level, tuple[str, str], str | None]:
        source = (self.kind if giver == row.id else "collection", giver)
        grants = [grant for grant in row.held_ if (grant.object_id, grant.level) == (giver, held)]
        if any(grant.grantee_kind == "user" for grant in grants):
            return "user-grant", held, source, None
        return "team-grant", held, source, min(grant.grantee_id for grant in grants)

    def _default(
        self, row: ExplainedRow, membership: Membership, held: Level
    ) -> tuple[str, Level, tuple[str, str], str | None]:
        if row.base_level >= Level.NONE and row.default_level != "inherit":
            return "default-level", held, (self.kind, row.id), None
        if row.base_level >= Level.NONE:
            deciding = {collection.id for collection in row.deciding_}
            nearest = next(above for above in row.lineage.split() if above in deciding)
            return "inherited-default-level", held, ("collection", nearest), None
        own = membership.level >= membership.inherited
        rule = "organization-role" if own else "organization-default-role"
        return rule, held, ("organization", row.organization_id), None


def _deciding(t: Any) -> Label[Any]:
    """Return the collections above a row that have a default level of their own."""
    own = or_(_c.c.default_level.is_(None), _c.c.default_level != "inherit")
    above = _c.c.organization_id == t.c.organization_id, holds(t.c.lineage, _c.c.id)
    return nested(select(_c.c.id).where(*above, own).correlate(t), "deciding_")


SPACE_EXPLANATIONS, COLLECTION_EXPLANATIONS = ExplanationQuery(Space), ExplanationQuery(Collection)
