"""E-mail domains of organizations: claims until they are proven, by a real DNS server or a mailed token, and
only as long as they are (threats, 22, 68 and 74)."""

from __future__ import annotations

from typing import Any

import idna
import pytest

from app.domain.domains.domain_claims import CHECK
from app.models.jobs import Job
from tests import dns_server, make
from tests.cast import Cast, Person
from tests.cli.command import docyard
from tests.contract.test_audit import listed
from tests.contract.test_errors import is_refused
from tests.factories import domains, space_rows
from tests.factories.domains import checks
from tests.timing import until


def stands(cast: Cast, name: str, person: Person | None = None) -> dict[str, Any]:
    """Return how a claim stands."""
    who, organization = (person, cast.elsewhere) if person else (cast.ada, cast.organization)
    return domains.claim_to(who, organization, name)


def is_lost(cast: Cast) -> None:
    """A worker of the server has asked DNS once more, and our proof is gone."""
    until(lambda: stands(cast, cast.domain)["status"] == "failed", "the domain is held still")


def has_effect(cast: Cast) -> bool:
    """Tell whether people of the domain find the organization by it, and join."""
    nell = make.somebody(cast.instance, "Nell", domain=cast.domain)
    found = nell.get(f"/v1/email-domains/{cast.domain}/orgs").json()["organizations"]
    joined = nell.post(f"/v1/orgs/{cast.organization}/join").status_code
    is_found = cast.organization in [organization["id"] for organization in found]
    assert (is_found, joined) in ((True, 204), (False, 404))
    return is_found


def test_a_domain_is_claimed_published_verified_and_given_up(cast: Cast) -> None:
    claim = domains.claimed(cast.ada, cast.organization, cast.domain)
    path = f"/v1/orgs/{cast.organization}/domains/{claim['id']}"
    assert (claim["status"], claim["kind"], claim["object"]) == ("pending", "email", "domain")
    assert claim["record"]["type"] == "TXT"
    assert claim["record"]["name"] == f"_docyard.{cast.domain}"
    assert claim["record"]["value"].startswith("docyard-verification=")
    assert not {"problem", "verifiedAt", "method", "checkedAt", "endsAt"} & claim.keys()
    assert not has_effect(cast)
    missing = domains.verify(cast.ada, claim)
    assert (missing["status"], "no TXT record" in missing["problem"]) == ("failed", True)
    dns_server.zone().texts[claim["record"]["name"]] = ["v=spf1 -all", "docyard-verification=of-another"]
    assert "something else" in domains.verify(cast.ada, claim)["problem"]
    assert not has_effect(cast)
    domains.publish(claim)
    verified = domains.verify(cast.ada, claim)
    assert (verified["status"], verified["method"]) == ("verified", "dns")
    assert "problem" not in verified
    assert cast.ada.get(path).json() == verified
    assert has_effect(cast)
    assert cast.ada.delete(path).status_code == 205
    is_refused(cast.ada.get(path), 404)
    assert not has_effect(cast)
    assert cast.ada.get(f"/v1/orgs/{cast.organization}").json()["emailDomains"] == []
    assert "removeDomain" in [event["action"] for event in listed(cast)]


def test_stating_the_same_domains_again_keeps_what_was_proven(cast: Cast) -> None:
    claim = domains.proven(cast.ada, cast.organization, cast.domain)
    more = domains.domain()
    domains.claimed(cast.ada, cast.organization, cast.domain.upper(), f"{cast.domain}.", more)
    assert stands(cast, cast.domain) == claim
    assert stands(cast, more)["status"] == "pending"
    assert cast.ada.get(f"/v1/orgs/{cast.organization}").json()["emailDomains"] == [cast.domain, more]
    listed_ = cast.ada.get(f"/v1/orgs/{cast.organization}/domains", params={"status": "verified"}).json()
    assert (listed_["count"], listed_["items"]) == (1, [claim])
    assert cast.ada.get(f"/v1/orgs/{cast.organization}/domains?kind=hostname").json()["items"] == []


def test_long_and_many_records_are_read(cast: Cast) -> None:
    claim = domains.claimed(cast.ada, cast.organization, cast.domain)
    texts = dns_server.zone().texts[claim["record"]["name"]] = [f"{n}" + "x" * 300 for n in range(30)]
    texts.append(claim["record"]["value"])
    assert domains.verify(cast.ada, claim)["status"] == "verified"


def test_one_domain_of_two_organizations_is_his_who_proves_it(cast: Cast) -> None:
    ours = domains.claimed(cast.ada, cast.organization, cast.domain)
    theirs = domains.claimed(cast.sol, cast.elsewhere, cast.domain)
    assert ours["record"] != theirs["record"]
    domains.publish(ours)
    assert domains.verify(cast.sol, theirs)["status"] == "failed"  # our record proves nothing of theirs
    assert domains.verify(cast.ada, ours)["status"] == "verified"
    domains.publish(theirs)
    both = domains.verify(cast.sol, theirs)
    assert (both["status"], "proves this name too" in both["problem"]) == ("failed", True)
    domains.withdraw(ours)
    assert domains.verify(cast.sol, theirs)["status"] == "pending"
    is_lost(cast)
    assert "something else" in stands(cast, cast.domain)["problem"]
    checks(cast, hours=0.1)
    assert stands(cast, cast.domain, cast.sol)["status"] == "verified"
    assert not has_effect(cast)
    event = next(e for e in listed(cast) if e["action"] == "checkDomain")
    assert event["actor"] == {"type": "system"}
    assert event["subject"] == {"type": "domain", "id": ours["id"], "title": cast.domain}


def test_a_proof_that_is_gone_counts_for_some_days_and_then_no_more(cast: Cast) -> None:
    claim = domains.proven(cast.ada, cast.organization, cast.domain)
    domains.withdraw(claim)
    checks(cast, hours=23)
    assert "endsAt" not in stands(cast, cast.domain)
    checks(cast, hours=25)
    failing = stands(cast, cast.domain)
    assert failing["status"] == "verified"
    assert "no TXT record" in failing["problem"]
    assert failing["endsAt"]
    assert has_effect(cast)
    checks(cast, hours=25 + 71)
    assert has_effect(cast)
    checks(cast, hours=25 + 73)
    assert stands(cast, cast.domain)["status"] == "failed"
    assert not has_effect(cast)


def test_a_proof_that_is_back_in_time_counts_on(cast: Cast) -> None:
    claim = domains.proven(cast.ada, cast.organization, cast.domain)
    domains.withdraw(claim)
    assert domains.verify(cast.ada, claim)["endsAt"]
    domains.publish(claim)
    back = domains.verify(cast.ada, claim)
    assert (back["status"], back["verifiedAt"]) == ("verified", claim["verifiedAt"])
    assert not {"endsAt", "problem"} & back.keys()
    checks(cast, hours=100)
    assert stands(cast, cast.domain)["status"] == "verified"


def test_name_servers_that_do_not_answer_prove_nothing_and_take_nothing_for_long(cast: Cast) -> None:
    claim = domains.claimed(cast.ada, cast.organization, cast.domain)
    broken = dns_server.zone().broken
    broken.add(claim["record"]["name"])
    assert "did not answer" in domains.verify(cast.ada, claim)["problem"]
    broken.clear()
    domains.publish(claim)
    assert domains.verify(cast.ada, claim)["status"] == "verified"
    broken.add(claim["record"]["name"])
    checks(cast, hours=25)
    checks(cast, hours=24 * 20)
    assert stands(cast, cast.domain)["status"] == "verified"
    checks(cast, hours=24 * 40)
    assert stands(cast, cast.domain)["status"] == "failed"
    broken.clear()


def test_a_claim_is_looked_at_by_itself_for_two_weeks(cast: Cast) -> None:
    claim = domains.claimed(cast.ada, cast.organization, cast.domain)
    domains.publish(claim)
    checks(cast, hours=0.2)
    assert stands(cast, cast.domain)["status"] == "verified"
    other = domains.claimed(cast.ada, cast.organization, domains.domain())
    for days in range(16):
        checks(cast, hours=24 * days + 1)
    assert waiting(cast, other) == 0


def waiting(cast: Cast, claim: dict[str, Any]) -> int:
    """Return how many checks of a claim are still to be done."""
    return space_rows.count(cast.instance, Job, kind=CHECK, subject=claim["id"])


def test_a_mailed_token_proves_a_domain_once_and_for_a_year(cast: Cast) -> None:
    claim = domains.claimed(cast.ada, cast.organization, cast.domain)
    path = f"/v1/orgs/{cast.organization}/domains/{claim['id']}/verify"
    is_refused(cast.ada.post(path, {"token": "guessed"}), 400)
    token = issued(cast)
    is_refused(cast.ada.post(path, {"token": f"{token}x"}), 400)
    verified = domains.verify(cast.ada, claim, token=token)
    assert (verified["status"], verified["method"]) == ("verified", "email")
    assert verified["endsAt"]
    assert has_effect(cast)
    is_refused(cast.ada.post(path, {"token": token}), 400)
    checks(cast, hours=24 * 364)
    assert stands(cast, cast.domain)["status"] == "verified"
    checks(cast, hours=24 * 366)
    assert stands(cast, cast.domain)["status"] == "failed"


def test_a_mailed_token_does_not_take_what_dns_proves_and_dns_takes_what_it_proved(cast: Cast) -> None:
    ours = domains.claimed(cast.ada, cast.organization, cast.domain)
    theirs = domains.proven(cast.sol, cast.elsewhere, cast.domain)
    path = f"/v1/orgs/{cast.organization}/domains/{ours['id']}/verify"
    is_refused(cast.ada.post(path, {"token": issued(cast)}), 409)
    domains.withdraw(theirs)
    assert cast.sol.patch(f"/v1/orgs/{cast.elsewhere}", {"emailDomains": []}).status_code == 200
    assert domains.verify(cast.ada, ours, token=issued(cast))["method"] == "email"
    theirs = domains.claimed(cast.sol, cast.elsewhere, cast.domain)
    domains.publish(theirs)
    assert domains.verify(cast.sol, theirs)["status"] == "pending"
    is_lost(cast)
    assert domains.verify(cast.sol, theirs)["status"] == "verified"


def issued(cast: Cast) -> str:
    """The token that the operator's command issues for the domain of the organization."""
    ran = docyard(
        "org",
        "verify-domain",
        cast.domain,
        "--org",
        cast.organization,
        database=cast.instance.settings.database,
    )
    assert ran.returncode == 0, ran.stderr
    assert f"postmaster@{cast.domain}" in ran.stderr
    return ran.stdout.strip()


def test_only_administrators_see_and_change_claims(cast: Cast) -> None:
    claim = domains.claimed(cast.ada, cast.organization, cast.domain)
    path = f"/v1/orgs/{cast.organization}/domains"
    for person, status in ((cast.cleo, 403), (cast.gus, 403), (cast.sol, 404)):
        for method, place in (
            ("GET", path),
            ("GET", f"{path}/{claim['id']}"),
            ("POST", f"{path}/{claim['id']}/verify"),
            ("DELETE", f"{path}/{claim['id']}"),
        ):
            is_refused(person.call(method, place), status)
    mixed = f"/v1/orgs/{cast.elsewhere}/domains/{claim['id']}"
    for method in ("GET", "DELETE"):
        is_refused(cast.sol.call(method, mixed), 404)
    is_refused(cast.sol.post(f"{mixed}/verify"), 404)
    asked = dns_server.zone().asked
    assert (claim["record"]["name"], "TXT") not in asked


@pytest.mark.parametrize(
    "wrong",
    ["localhost", "example", "mail.local", "mail.internal", "1.0.0.127.in-addr.arpa", "127.0.0.1", "0x7f.1",
     "10.1", "0177.0.0.0x1", "[::1]", "::1", "①②⑦.⓪.⓪.①", "a..example", "-a.example", "a_b.example",
     "xn--a.example", "a" * 64 + ".example", ("a" * 60 + ".") * 4 + "example", "exa mple.org", "a@b.example",
     "https://example.org", "example.org/x", ""],
)  # fmt: skip
def test_what_is_no_public_domain_is_no_claim(cast: Cast, wrong: str) -> None:
    answer = cast.ada.patch(f"/v1/orgs/{cast.organization}", {"emailDomains": ["example.net", wrong]})
    assert is_refused(answer, 400)["details"][0]["path"] == "emailDomains.1"
    assert cast.ada.get(f"/v1/orgs/{cast.organization}/domains").json()["count"] == 0


def test_one_domain_has_one_spelling(cast: Cast) -> None:
    name = f"bücher-{cast.domain}"
    spelled = [name, name.upper(), name.replace(".", "。"), f"{name}."]
    claim = domains.claimed(cast.ada, cast.organization, *spelled, idna.encode(name).decode())
    assert claim["name"].startswith("xn--bcher-")
    assert cast.ada.get(f"/v1/orgs/{cast.organization}").json()["emailDomains"] == [claim["name"]]
    domains.publish(claim)
    assert domains.verify(cast.ada, claim)["status"] == "verified"
    nell = make.somebody(cast.instance, "Nell", domain=name)
    assert nell.get("/v1/user").json()["email"].endswith(f"@{claim['name']}")
    for asked in (name, name.upper(), claim["name"]):
        found = nell.get(f"/v1/email-domains/{asked}/orgs").json()["organizations"]
        assert [organization["id"] for organization in found] == [cast.organization]
    assert nell.post(f"/v1/orgs/{cast.organization}/join").status_code == 204
