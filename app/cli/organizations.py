"""`docyard org`: the organizations of this installation. `docyard sso`: the way back in, when single sign-on
lets nobody in any more."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Annotated, Any, get_args

from cyclopts import App, Parameter
from sqlalchemy import func, select

from app.access.context import Context
from app.access.fetch import fetch
from app.access.quotas import QuotaName
from app.cli import login_profile, remote
from app.cli.command_settings import DatabaseOption
from app.cli.output import advice, give, say, table
from app.cli.session import OPERATOR, OrganizationOption, acting_in, action, change, inside, opened, read
from app.domain.domains import domain_checks, domain_claims
from app.domain.domains.domain_checks import DnsRecords
from app.domain.organizations import organization_deletion, organizations, quotas, sso_requirements, users
from app.domain.organizations.quotas import Quotas
from app.kit.database import statements
from app.kit.database.paging import MAX_LIMIT
from app.kit.database.statements import rows
from app.kit.errors import Conflict, Invalid, NotFound
from app.kit.http.urls import canonical_host
from app.models.checks import checked
from app.models.domain_claims import DomainClaim, DomainKind, DomainsQuery
from app.models.organizations import Member, Organization, OrganizationCreate, OrganizationDelete

LARGEST_QUOTA = 10**15
EXPORT = "Export an organization into an archive, while the server runs."
IMPORT = "Import an organization that another installation exported."
app = App(name="org")
app.command("app.cli.organization_archives:export", name="export", help=EXPORT)
app.command("app.cli.organization_archives:import_", name="import", help=IMPORT)
ORGANIZATIONS, MEMBERS = statements.table(Organization), statements.table(Member)
_ALL = rows(
    lambda: (
        select(
            ORGANIZATIONS.c.id,
            ORGANIZATIONS.c.title,
            ORGANIZATIONS.c.created_at,
            func.count(MEMBERS.c.user_id).label("members"),
        )
        .outerjoin(MEMBERS, MEMBERS.c.organization_id == ORGANIZATIONS.c.id)
        .group_by(ORGANIZATIONS.c.id, ORGANIZATIONS.c.title, ORGANIZATIONS.c.created_at)
        .order_by(ORGANIZATIONS.c.id)
    )
)


@app.command
async def create(
    title: Annotated[str, Parameter(help="title, 2 to 255 characters")],
    /,
    *,
    owner: Annotated[str, Parameter(help="e-mail address of its first administrator")],
    database: DatabaseOption = None,
) -> None:
    """Create an organization and print its id."""

    async def make(cx: Context) -> Organization:
        new = checked(OrganizationCreate, {"title": title}, strict=True)
        with advice(f"Create the account first: docyard user create {owner} --name NAME"):
            user = await users.by_email(cx, owner)
        return await organizations.found(cx, user.id, new)

    made = await change(database, make)
    give(made.id)
    say(f"{made.title} is created, with {owner} as administrator.")


@app.command(name="list")
async def list_(*, database: DatabaseOption = None) -> None:
    """List all organizations, oldest first.

    When logged in to a server, list the organizations you belong to.
    """
    if (profile := login_profile.chosen(database)) is not None:
        await remote.list_organizations(profile)
        return

    async def everything(cx: Context) -> list[Any]:
        return await cx.db.all(_ALL)

    found = await read(database, everything)
    table(
        ("id", "title", "members", "created"),
        ((o.id, o.title, str(o.members), f"{o.created_at:%Y-%m-%d}") for o in found),
    )


@app.command
async def delete(
    title: Annotated[str, Parameter(help="its title, exactly as it is")],
    /,
    *,
    org: OrganizationOption,
    database: DatabaseOption = None,
) -> None:
    """Delete an organization: it is closed at once, and removed for good after some days.

    Its administrators are told by e-mail. DOCYARD_REMOVE_ORGANIZATIONS_AFTER_DAYS says how many days.
    """

    async def close(cx: Context) -> tuple[Organization, datetime | None]:
        confirmed = OrganizationDelete(title=title)
        deleted = await organization_deletion.delete(await inside(cx, org), org, confirmed)
        return deleted, organization_deletion.restorable_until(cx.settings, deleted)

    organization, until = await change(database, close)
    say(
        f"{organization.title} is deleted. Until {until:%Y-%m-%d %H:%M} UTC,"
        f" `docyard org restore --org {org}` restores it."
    )


@app.command
async def restore(*, org: OrganizationOption, database: DatabaseOption = None) -> None:
    """Restore a deleted organization as it was."""

    async def reopen(cx: Context) -> Organization:
        return await organization_deletion.restore(await inside(cx, org), org)

    organization = await change(database, reopen)
    say(f"{organization.title} is restored.")


@app.command(name="domains")
async def domains_(*, org: OrganizationOption, database: DatabaseOption = None) -> None:
    """List the e-mail domains and hostnames of an organization, with the DNS records that verify them."""

    async def everything(cx: Context) -> list[DomainClaim]:
        return await _claims(cx, org)

    found = await read(database, everything)
    columns = ("name", "kind", "status", "TXT record", "value")
    records = [(claim, domain_claims.record_of(claim)) for claim in found]
    table(columns, ((c.name, c.kind, c.status, record.name, record.value) for c, record in records))


@app.command
async def verify_domain(
    domain: Annotated[str, Parameter(help="an e-mail domain that the organization has added")],
    /,
    *,
    org: OrganizationOption,
    check: Annotated[bool, Parameter(negative=(), help="look up the TXT record now")] = False,
    token: Annotated[str | None, Parameter(help="the token that the domain's postmaster received")] = None,
    database: DatabaseOption = None,
) -> None:
    """Print a token that verifies a domain by e-mail, or verify the domain now.

    Send the token to the domain's postmaster. Whoever receives it enters it over the
    API, or with --token.
    """
    async with opened(database) as runtime:
        claim = await _claim(runtime.context(OPERATOR), org, domain)
        if token is None and not check:
            give(
                await runtime.write(
                    OPERATOR, lambda cx: domain_checks.issue(_noted(cx, claim), claim), action()
                )
            )
            say(f"Send it to postmaster@{claim.name}. Entering it within seven days verifies the domain.")
            return
        found = await domain_checks.records_of(runtime.context(OPERATOR), claim) if check else DnsRecords(())

        async def prove(cx: Context) -> DomainClaim:
            now = await _claim(_noted(cx, claim), org, domain)
            if token is not None:
                return await domain_checks.prove_by_mail(cx, now, token)
            return await domain_checks.apply_records(cx, now, found)

        stands = await runtime.write(OPERATOR, prove, action())
    if stands.status != "verified" or stands.problem:
        raise Conflict(f"{stands.name} is {stands.status}: {stands.problem}")
    say(f"{stands.name} is verified.")


@app.command
async def remove_domain(
    domain: Annotated[str, Parameter(help="an e-mail domain or hostname that the organization has added")],
    /,
    *,
    org: OrganizationOption,
    database: DatabaseOption = None,
) -> None:
    """Remove a domain or hostname from an organization; its effects end at once."""
    async with opened(database) as runtime:
        claim = await _claim(runtime.context(OPERATOR), org, domain, get_args(DomainKind))

        async def give_up(cx: Context) -> None:
            await organizations.remove_domain(await inside(_noted(cx, claim), org), org, claim.id)

        await runtime.write(OPERATOR, give_up, action())
    say(f"{claim.name} is removed from the organization.")


QuotaOption = Annotated[str | None, Parameter(help="a number, 0 for no limit, or `default`")]


@app.command
async def quota(
    *,
    org: OrganizationOption,
    requests: QuotaOption = None,
    events: QuotaOption = None,
    jobs: QuotaOption = None,
    bytes: QuotaOption = None,
    database: DatabaseOption = None,
) -> None:
    """Show the quotas of an organization and their use, after changing those given.

    Requests count per minute and events per day; jobs are unfinished jobs, bytes are bytes stored.
    """
    sent: dict[QuotaName, str | None] = {"requests": requests, "events": events, "jobs": jobs, "bytes": bytes}
    chosen = {name: _quota(name, value) for name, value in sent.items() if value is not None}
    if chosen:
        await change(database, lambda cx: quotas.set_own(cx, org, chosen))

    async def quotas_of(cx: Context) -> Quotas:
        return await quotas.get(acting_in(cx, org), org)

    with advice("`docyard org list` shows the ids."):
        found = (await read(database, quotas_of)).by_name
    table(
        ("quota", "limit", "used"),
        ((name, f"{each.limit or 'none'}", f"{each.used}") for name, each in found.items()),
    )


def _quota(name: QuotaName, value: str) -> int | None:
    if value == "default":
        return None
    if not value.isascii() or not value.isdigit() or int(value) > LARGEST_QUOTA:
        raise Invalid(f"--{name}: give a number of at most {LARGEST_QUOTA}, 0 for no limit, or `default`.")
    return int(value)


async def _claims(cx: Context, org: str) -> list[DomainClaim]:
    administrator = await inside(cx, org)
    everything = checked(DomainsQuery, {"limit": MAX_LIMIT}, strict=True)
    return list((await organizations.list_domains(administrator, org, everything)).items)


async def _claim(cx: Context, org: str, domain: str, kinds: Collection[str] = ("email",)) -> DomainClaim:
    try:
        name = canonical_host(domain)
    except ValueError as error:
        raise NotFound(f"{domain}: {error}") from None
    for claim in await _claims(cx, org):
        if claim.kind in kinds and claim.name == name:
            return claim
    raise NotFound(f"The organization has not added {name}. See `docyard org domains --org {org}`.")


def _noted(cx: Context, claim: DomainClaim) -> Context:
    cx.note("domain", claim.id, claim.organization_id, claim.name)
    return cx


sso_app = App(name="sso")


@sso_app.command
async def off(
    *,
    org: Annotated[str, Parameter(help="id of the organization")],
    database: DatabaseOption = None,
) -> None:
    """Stop requiring single sign-on in an organization; its identity providers stay configured."""

    async def stop(cx: Context) -> Organization:
        with advice("`docyard org list` shows the ids."):
            organization = await fetch(acting_in(cx, org), Organization, org)
        await sso_requirements.stop_asking(cx, org)
        return organization

    organization = await change(database, stop)
    say(f"{organization.title} no longer requires single sign-on. Earlier tokens work again.")
