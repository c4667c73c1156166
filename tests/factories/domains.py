"""Domains that organizations claim and prove, over HTTP and a real DNS server."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from app.domain import lanes
from app.domain.domains.domain_claims import CHECK
from app.kit.ids import new_id
from tests import dns_server
from tests.cast import Cast, Person
from tests.factories.jobs import do_jobs


def domain() -> str:
    """A domain that nobody has claimed."""
    return f"{new_id()}.example".lower()


def claimed(person: Person, organization: str, *names: str) -> dict[str, Any]:
    """The claim to the last of these domains, which the organization states beside those that it has."""
    path = f"/v1/orgs/{organization}"
    stated = person.get(path).json()["emailDomains"]
    answer = person.patch(path, {"emailDomains": [*stated, *names]})
    assert answer.status_code == 200, answer.text
    return claim_to(person, organization, names[-1], kind="email")


def claim_to(person: Person, organization: str, name: str, **query: str) -> dict[str, Any]:
    """The claim of an organization to a domain or host."""
    answer = person.get(f"/v1/orgs/{organization}/domains", params={"limit": "1000", **query})
    assert answer.status_code == 200, answer.text
    (found,) = [each for each in answer.json()["items"] if each["name"] == name]
    claim: dict[str, Any] = found
    return claim


def publish(claim: dict[str, Any]) -> None:
    """Publish the record of a claim, beside what is there."""
    record = claim["record"]
    dns_server.zone().texts.setdefault(record["name"], []).append(record["value"])


def withdraw(claim: dict[str, Any]) -> None:
    """Take the record of a claim away."""
    record = claim["record"]
    left = dns_server.zone().texts.pop(record["name"])
    left.remove(record["value"])
    if left:
        dns_server.zone().texts[record["name"]] = left


def verify(person: Person, claim: dict[str, Any], **how: str) -> dict[str, Any]:
    """Return how a claim stands after it was verified."""
    answer = person.post(f"{claim['urls']['location'].removeprefix(person.base)}/verify", how)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def host(cast: Cast, name: str) -> dict[str, Any]:
    """The claim to a host that a site of the organization states, proven by DNS."""
    claim = claim_to(cast.ada, cast.organization, name, kind="hostname")
    if claim["status"] != "verified":
        publish(claim)
        claim = verify(cast.ada, claim)
        assert claim["status"] == "verified", claim
    return claim


def proven(person: Person, organization: str, *names: str) -> dict[str, Any]:
    """The last of these e-mail domains of an organization, all of them proven by DNS."""
    claimed(person, organization, *names)
    for name in names:
        claim = claim_to(person, organization, name, kind="email")
        publish(claim)
        claim = verify(person, claim)
        assert claim["status"] == "verified", claim
    return claim


def checks(cast: Cast, *, hours: float = 0) -> None:
    """Have the checks of both organizations done that are due so many hours from now."""
    mine = {
        claim["id"]
        for who, organization in ((cast.ada, cast.organization), (cast.sol, cast.elsewhere))
        for claim in who.get(f"/v1/orgs/{organization}/domains").json()["items"]
    }
    ahead = timedelta(hours=hours)
    do_jobs(cast.instance, CHECK, lanes.check_domain, ahead, those=lambda job: job.subject in mine)
