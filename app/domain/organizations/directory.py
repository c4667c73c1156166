"""Finding organizations by what is public about them: e-mail domains and subdomains.

Strangers learn nothing: a domain names only the organization that has proven it, to who belongs there or
could join, a subdomain only one that they belong to, and everybody's question is answered by the same
statement (threats, 13).
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, and_, exists, false, or_, select

from app.access.context import Context
from app.domain.domains import domain_claims
from app.kit.database.columns import Key
from app.kit.database.statements import given, query, table
from app.kit.errors import NotFound
from app.kit.http.urls import canonical_host
from app.models.domain_claims import DomainClaim
from app.models.organizations import Member, Organization
from app.models.users import User

_o, _m, _u, _d = table(Organization), table(Member), table(User), table(DomainClaim)


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
