"""One request's surroundings: who calls, one transaction, a Context. Commits happen here and nowhere else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import and_, false, select

from app.access.context import Actor, Context, Membership
from app.access.rights import Level, level
from app.kit.clock import Clock, utc_now
from app.kit.db import Clash, Database, Reader
from app.kit.errors import Conflict, Forbidden, Unauthenticated
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.kit.statements import given, rows, table
from app.kit.tokens import token_hash
from app.models.organizations import Member, Organization
from app.models.tokens import Token

if TYPE_CHECKING:  # few ask for documents in print
    from app.domain.press import Press

T = TypeVar("T")
_t, _m, _o = table(Token), table(Member), table(Organization)

_WHO = rows(
    lambda: (
        select(
            _t.c.id, _t.c.user_id, _t.c.read_only, _t.c.expires_at, _t.c.organization_id.label("only"),
            _m.c.organization_id, _m.c.role, _o.c.default_role,
        )
        .outerjoin(_m, and_(_m.c.user_id == _t.c.user_id, _m.c.disabled == false()))
        .outerjoin(_o, _o.c.id == _m.c.organization_id)
        .where(_t.c.hash == given("hash"))
    ),
)  # fmt: skip


@dataclass(slots=True)
class Edge:
    """What all requests share: the database, the settings, the clock, the signer."""

    db: Database
    settings: Settings
    signer: Signer
    clock: Clock = field(default=utc_now)
    _press: Press | None = field(default=None, init=False)

    async def actor(self, authorization: str | None) -> Actor:
        """The caller behind an `Authorization: Bearer` header; raises Unauthenticated."""
        scheme, _, token = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise Unauthenticated("Send a token in the header: Authorization: Bearer <token>.")
        known = await self.db.point(_WHO, hash=token_hash(token.strip()))
        if not known or (known[0].expires_at is not None and known[0].expires_at <= self.clock()):
            raise Unauthenticated("The token is unknown, revoked or expired.")
        first = known[0]
        if self.settings.rate_limit:
            from app.domain import rate_limits

            await rate_limits.take(self.db, first.id, self.settings.rate_limit, self.clock())
        return Actor(
            user_id=first.user_id,
            token_id=first.id,
            read_only=first.read_only,
            only_organization=first.only,
            memberships={r.organization_id: _membership(r) for r in known if r.organization_id},
        )

    def context(self, actor: Actor, db: Reader | None = None) -> Context:
        """A Context that reads (or, given a transaction, writes)."""
        return Context(db or self.db, actor, self.clock(), self.signer, self.settings)

    def press(self) -> Press:
        """Where documents are set; the first to ask opens it."""
        from app.domain.press import Press

        self._press = self._press or Press(self.settings.pdf_runs)
        return self._press

    async def close(self) -> None:
        """End what was begun here and nobody waits for any more."""
        if self._press is not None:
            await self._press.close()

    def context_of_nobody(self) -> Context:
        """A Context for what needs no token."""
        return self.context(Actor(""))

    async def write(self, actor: Actor, call: Callable[[Context], Awaitable[T]]) -> T:
        """Run `call` in one transaction and commit it; started again where two transactions met."""
        may_write(actor)
        try:
            return await self.db.write(lambda tx: call(self.context(actor, tx)))
        except Clash as clash:
            raise Conflict("This would collide with something that exists already.") from clash


def may_write(actor: Actor) -> None:
    """Refuse a token that only reads; also asked before anything is fetched for a write."""
    if actor.read_only:
        raise Forbidden("This token only reads.")


def _membership(row: Any) -> Membership:
    held = level(row.role)
    inherited = max(held, level(row.default_role)) if held else Level.NONE
    return Membership(row.organization_id, held, inherited, row.only not in (None, row.organization_id))
