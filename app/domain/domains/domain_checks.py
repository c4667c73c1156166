"""Proving claims to domains: by a TXT record in DNS, or, for e-mail domains, with a token that was mailed.

Who proves a name holds it. What was proven is looked up again and again: a record that is gone leaves some
days of grace, unless somebody else proves the name meanwhile; then it is over as soon as DNS has been asked
once more for the holder's record. What a mailed token proved ends after a year.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select

from app.access.audit_actions import AuditAction
from app.access.context import Context
from app.domain import jobs
from app.domain.domains import domain_claims
from app.domain.domains.domain_claims import CHECK, FIRST_CHECK
from app.domain.jobs import NOBODY, JobRuntime
from app.kit import workers
from app.kit.database.statements import given, query, table
from app.kit.errors import Conflict, Invalid
from app.kit.signing import token_hash
from app.models.domain_claims import DomainClaim
from app.models.jobs import Job

MAILED_FOR = timedelta(days=7)  # a token that was issued to be mailed counts
EMAIL_PROOF = timedelta(days=365)
UNANSWERED = 10  # times the grace, while name servers give no answer at all
SOON, LAST = timedelta(seconds=15), timedelta(days=14)
HELD = "Another organization holds this name; whether it still proves it is being checked."
BOTH = "Another organization proves this name too; remove its record first."
NO_ANSWER = "The name servers of this domain did not answer."

DOMAIN_CLAIMS = table(DomainClaim)
_BY_ID = query(DomainClaim, lambda: select(*DOMAIN_CLAIMS.c).where(DOMAIN_CLAIMS.c.id == given("id")))
_HOLDER = query(
    DomainClaim,
    lambda: select(*DOMAIN_CLAIMS.c).where(
        DOMAIN_CLAIMS.c.kind == given("kind"), DOMAIN_CLAIMS.c.name == given("name"), domain_claims.PROVEN
    ),
)


@dataclass(frozen=True, slots=True)
class DnsRecords:
    """The answer of DNS about a name: the TXT records that may prove a claim, and whether a host leads here.

    None where no name server gave an answer.
    """

    texts: Sequence[str] | None
    leads_here: bool | None = None


async def records_of(cx: Context, claim: DomainClaim) -> DnsRecords:
    """Ask DNS for the records that concern a claim, all at once; takes a few seconds at most."""
    await workers.load("app.kit.http.dns_records")  # with a library that takes a while to load
    from app.kit.http import dns_records

    async def texts() -> Sequence[str] | None:
        try:
            return await dns_records.texts(domain_claims.record_of(claim).name, servers)
        except dns_records.Unanswered:
            return None

    async def leads_here() -> bool | None:
        ours = domain_claims.sites_host(cx.settings)
        if claim.kind != "hostname" or not ours:
            return None
        try:
            found = await asyncio.gather(
                *(dns_records.addresses(host, servers) for host in (claim.name, ours))
            )
        except dns_records.Unanswered:
            return None
        return bool(found[0] & found[1])

    servers = cx.settings.name_servers
    return DnsRecords(*await asyncio.gather(texts(), leads_here()))


async def issue(cx: Context, claim: DomainClaim) -> str:
    """Issue the token that proves an e-mail domain to whoever gets it by mail there; asks for no right.

    Only its hash is kept. Raises Conflict for a host, which only DNS proves.
    """
    if claim.kind != "email":
        raise Conflict("A hostname can only be verified by its DNS record.")
    token = secrets.token_urlsafe(24)
    mailed = {"mailed_hash": token_hash(token), "mailed_until": cx.now + MAILED_FOR}
    await cx.tx.put(DomainClaim, mailed, id=claim.id)
    return token


async def check(runtime: JobRuntime, job: Job) -> None:
    """Look up the record of a claim again, as its job asks; one that was given up is left alone."""
    reading = runtime.context(NOBODY)
    claim = await runtime.db.first(_BY_ID, id=job.subject)
    if claim is None:
        return
    found = await records_of(reading, claim)
    contested = bool(job.payload.get("contested"))

    async def act(cx: Context) -> None:
        now = await cx.tx.first(_BY_ID, id=claim.id)
        if now is not None and now.token == claim.token:
            await apply_records(cx, now, found, contested=contested)

    await runtime.write(NOBODY, act, AuditAction("job", "checkDomain"))


async def apply_records(
    cx: Context, claim: DomainClaim, found: DnsRecords, *, contested: bool = False
) -> DomainClaim:
    """Let a claim stand as DNS says, and have it checked again when that is due; asks for no right.

    One that is `contested` has no grace: somebody else proves its name.
    """
    texts, answered = found.texts or (), found.texts is not None
    if found.leads_here is not None:
        await cx.tx.put(DomainClaim, {"leads_here": found.leads_here}, id=claim.id)
    if domain_claims.record_of(claim).value in texts:
        return await _proven(cx, claim, texts)
    values: dict[str, Any] = {"problem": _missing(claim, texts) if answered else NO_ANSWER}
    if claim.status == "verified":
        ends_at = _end(cx, claim, answered=answered)
        if (contested and answered) or ends_at <= cx.now:
            return await _change(cx, claim, status="failed", method=None, ends_at=None, **values)
        if claim.method == "email":  # it does not hang on a record
            return await _change(cx, claim)
        return await _change(cx, claim, ends_at=ends_at, **values)
    return await _change(cx, claim, status="failed", **values)


async def _proven(cx: Context, claim: DomainClaim, found: Sequence[str]) -> DomainClaim:
    holder = await cx.tx.first(_HOLDER, kind=claim.kind, name=claim.name)
    if holder is None or holder.id == claim.id:
        since = claim.verified_at if claim.status == "verified" else cx.now
        return await _change(
            cx, claim, status="verified", method="dns", problem=None, verified_at=since, ends_at=None
        )
    if domain_claims.record_of(holder).value in found:
        return await _change(cx, claim, status="failed", problem=BOTH)
    await _have_checked(cx, holder, cx.now, contested=True)
    due = cx.now + (FIRST_CHECK if claim.problem == HELD else SOON)
    return await _change(cx, claim, status="pending", problem=HELD, due=due)


async def prove_by_mail(cx: Context, claim: DomainClaim, token: str) -> DomainClaim:
    """Verify the claim to an e-mail domain with the token that was mailed there; asks for no right.

    Raises Invalid for a token that does not count, and Conflict where another organization holds the domain.
    """
    good = claim.mailed_hash and hmac.compare_digest(claim.mailed_hash, token_hash(token))
    if not good or claim.mailed_until is None or claim.mailed_until <= cx.now:
        raise Invalid("This token does not verify this domain, or has expired.", path="token")
    holder = await cx.tx.first(_HOLDER, kind=claim.kind, name=claim.name)
    if holder is not None and holder.id != claim.id:
        raise Conflict("Another organization has verified this domain. Verify it with the DNS record.")
    used = {"mailed_hash": None, "mailed_until": None, "verified_at": cx.now}
    ends_at = cx.now + EMAIL_PROOF
    return await _change(cx, claim, status="verified", method="email", problem=None, ends_at=ends_at, **used)


def _end(cx: Context, claim: DomainClaim, *, answered: bool) -> datetime:
    """Return when a verified claim that is not proven now is over."""
    grace = timedelta(hours=cx.settings.domain_grace_hours)
    latest = cx.now + (grace if answered else grace * UNANSWERED)
    if claim.method != "dns" and claim.ends_at is not None:  # no record has been there that could be gone
        return claim.ends_at
    return min(latest, claim.ends_at or latest)


def _missing(claim: DomainClaim, found: Sequence[str]) -> str:
    name = domain_claims.record_of(claim).name
    if not found:
        return f"There is no TXT record at {name}."
    return f"The TXT records at {name} hold something else."


async def _change(
    cx: Context, claim: DomainClaim, *, due: datetime | None = None, **values: Any
) -> DomainClaim:
    """Keep how a claim stands after a check, tell the audit log if that is news, and plan the next check."""
    changed = await cx.tx.change(DomainClaim, {**values, "checked_at": cx.now}, id=claim.id)
    if changed.status != claim.status:
        cx.note("domain", claim.id, claim.organization_id, claim.name)
        if claim.kind == "hostname":
            await domain_claims.show(cx, claim.organization_id)
    await _have_checked(cx, changed, due or _next_check(cx, changed))
    return changed


def _next_check(cx: Context, claim: DomainClaim) -> datetime | None:
    """Return when a claim is looked at again: often at first, then every day, and never if nobody proves
    it."""
    usual = timedelta(hours=cx.settings.domain_check_hours)
    if claim.status != "verified":
        age = cx.now - claim.created_at
        return cx.now + min(max(age, FIRST_CHECK), usual) if age < LAST else None
    if claim.ends_at is None:
        return cx.now + usual
    return min(cx.now + usual, max(claim.ends_at, cx.now + FIRST_CHECK))


async def _have_checked(
    cx: Context, claim: DomainClaim, due: datetime | None, *, contested: bool = False
) -> None:
    await jobs.cancel(cx, CHECK, claim.id)
    if due is not None:
        payload = {"contested": True} if contested else {}
        await jobs.enqueue(cx, CHECK, claim.id, claim.organization_id, due_at=due, payload=payload)
