"""Calls about domains and hosts that organizations claim (see `recipes`)."""

from __future__ import annotations

from collections.abc import Callable

from tests import proven
from tests.cast import Cast
from tests.contract.faces import Call

Recipe = Callable[[Cast], Call]


def _domain(cast: Cast) -> Call:
    claim = proven.claimed(cast.ada, cast.organization, proven.domain())
    return Call({"organizationId": cast.organization, "domainId": claim["id"]})


def _domains(cast: Cast) -> Call:
    proven.proven(cast.ada, cast.organization, proven.domain(), proven.domain())
    return Call({"organizationId": cast.organization}, {"kind": "email", "status": "verified"})


def _verify(cast: Cast) -> Call:
    claim = proven.claimed(cast.ada, cast.organization, proven.domain())
    proven.publish(claim)
    return Call({"organizationId": cast.organization, "domainId": claim["id"]}, body={})


DOMAINS: dict[str, Recipe] = {
    "listDomainsInOrganization": _domains,
    "getDomainById": _domain,
    "verifyDomain": _verify,
    "removeDomain": _domain,
}
