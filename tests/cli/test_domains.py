"""The domains of organizations as an operator lists and verifies them."""

from __future__ import annotations

from tests.cast import Cast
from tests.cli.command import docyard
from tests.contract.test_audit import listed
from tests.factories import domains


def test_claims_are_listed_with_the_records_that_prove_them(cast: Cast) -> None:
    claim = domains.claimed(cast.ada, cast.organization, cast.domain)
    ran = docyard("org", "domains", "--org", cast.organization, database=cast.instance.settings.database)
    assert ran.returncode == 0, ran.stderr
    line = next(line for line in ran.stdout.splitlines() if cast.domain in line).split()
    assert line == [cast.domain, "email", "pending", claim["record"]["name"], claim["record"]["value"]]


def test_an_operator_has_the_record_looked_up(cast: Cast) -> None:
    claim = domains.claimed(cast.ada, cast.organization, cast.domain)
    settings = {"DOCYARD_DNS_SERVERS": cast.instance.settings.dns_servers}

    def check() -> tuple[int, str]:
        asked = ("org", "verify-domain", cast.domain.upper(), "--org", cast.organization, "--check")
        ran = docyard(*asked, database=cast.instance.settings.database, **settings)
        return ran.returncode, ran.stderr

    code, said = check()
    assert (code, "no TXT record" in said) == (1, True)
    domains.publish(claim)
    assert check() == (0, f"{cast.domain} is verified.\n")
    assert domains.claim_to(cast.ada, cast.organization, cast.domain)["status"] == "verified"
    event = listed(cast)[0]
    assert (event["actor"], event["subject"]["title"]) == ({"type": "operator"}, cast.domain)


def test_an_operator_who_knows_whose_a_domain_is_enters_the_token(cast: Cast) -> None:
    domains.claimed(cast.ada, cast.organization, cast.domain)
    asked = ("org", "verify-domain", cast.domain, "--org", cast.organization)
    database = cast.instance.settings.database
    token = docyard(*asked, database=database).stdout.strip()
    assert docyard(*asked, "--token", "guessed", database=database).returncode == 1
    assert docyard(*asked, "--token", token, database=database).returncode == 0
    assert domains.claim_to(cast.ada, cast.organization, cast.domain)["method"] == "email"


def test_what_is_not_claimed_cannot_be_verified(cast: Cast) -> None:
    for domain in ("nowhere.example", "127.0.0.1"):
        asked = ("org", "verify-domain", domain, "--org", cast.organization)
        ran = docyard(*asked, database=cast.instance.settings.database)
        assert (ran.returncode, ran.stdout) == (1, "")


def test_an_operator_gives_a_domain_up(cast: Cast) -> None:
    domains.claimed(cast.ada, cast.organization, cast.domain)
    asked = ("org", "remove-domain", cast.domain, "--org", cast.organization)
    ran = docyard(*asked, database=cast.instance.settings.database)
    assert ran.returncode == 0, ran.stderr
    assert cast.ada.get(f"/v1/orgs/{cast.organization}/domains").json()["items"] == []
    event = listed(cast)[0]
    assert (event["actor"], event["subject"]["title"]) == ({"type": "operator"}, cast.domain)
    assert docyard(*asked, database=cast.instance.settings.database).returncode == 1
