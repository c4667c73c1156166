"""Calls about domains and hosts that organizations claim, and about quotas (see `recipes`)."""

from __future__ import annotations

from collections.abc import Callable

from tests.cast import Cast
from tests.contract.faces import Call
from tests.factories import domains
from tests.factories.sites import ManagedSite

Recipe = Callable[[Cast], Call]


def _domain(cast: Cast) -> Call:
    claim = domains.claimed(cast.ada, cast.organization, domains.domain())
    return Call({"organizationId": cast.organization, "domainId": claim["id"]})


def _domains(cast: Cast) -> Call:
    domains.proven(cast.ada, cast.organization, domains.domain(), domains.domain())
    return Call({"organizationId": cast.organization}, {"kind": "email", "status": "verified"})


def _verify(cast: Cast) -> Call:
    claim = domains.claimed(cast.ada, cast.organization, domains.domain())
    domains.publish(claim)
    return Call({"organizationId": cast.organization, "domainId": claim["id"]}, body={})


def _hostname(cast: Cast) -> Call:
    host = f"docs.{domains.domain()}"
    site = ManagedSite(cast)
    site.patch("", {"hostname": host})
    domains.publish(domains.claim_to(cast.ada, cast.organization, host))
    return Call({"hostname": host})


DOMAINS: dict[str, Recipe] = {
    "getQuotasInOrganization": lambda cast: Call({"organizationId": cast.organization}),
    "listDomainsInOrganization": _domains,
    "getDomainById": _domain,
    "verifyDomain": _verify,
    "removeDomain": _domain,
    "getCustomHostname": _hostname,
    "revalidateCustomHostname": _hostname,
    "removeCustomHostname": _hostname,
}
