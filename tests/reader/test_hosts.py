"""Hosts of sites: claims until proven, and a site is there only as long as they are (threats, 22, 68)."""

from __future__ import annotations

from typing import Any

import httpx

from tests import dns_server, make
from tests.cast import Cast, Person
from tests.contract.test_errors import is_refused
from tests.factories import collections, domains
from tests.factories.domains import checks
from tests.factories.sites import answered, site
from tests.timing import TIMEOUT, until
from tests.visitors import PublishedSite

TARGET = "/guide/install"


def at_host(cast: Cast, host: str, path: str = TARGET) -> httpx.Response:
    """Return the answer of the server at a host."""
    return httpx.get(f"{cast.instance.base}{path}", headers={"host": host}, timeout=TIMEOUT)


def is_there(cast: Cast, host: str) -> None:
    """The site is there, at the latest when a miss is remembered no more."""
    until(lambda: at_host(cast, host).status_code == 200, f"there is no site at {host}")


def host_name() -> str:
    return f"docs.{domains.domain()}"


def custom(person: Person, host: str) -> dict[str, Any]:
    found: dict[str, Any] = answered(person.get(f"/v1/custom-hostnames/{host}"))
    return found


def test_whoever_states_the_host_of_somebody_else_has_no_site_there(cast: Cast) -> None:
    """The attack step by step: another organization states the victim's host before and after the victim."""
    host, theirs = host_name(), site(cast.sol, cast.elsewhere)
    path = f"/v1/orgs/{cast.elsewhere}/sites/{theirs['id']}"
    assert cast.sol.post(f"{path}/publish").status_code == 200
    stated = collections.patched(cast.sol, path, {"hostname": host, "proxy": f"{host}/guide"})
    assert stated["hostname"] == host
    assert host not in stated["urls"]["published"]
    assert at_host(cast, host).status_code == 404
    ours = PublishedSite(cast)
    ours.placed(hostname=host)  # whoever was first keeps nobody from it
    is_there(cast, host)
    assert ours.url == f"https://{host}"
    answered(cast.sol.patch(f"/v1/custom-hostnames/{host}", None), 204)
    shown = custom(cast.sol, host)
    assert (shown["status"], shown["isActive"]) == ("failed", False)
    assert "another" not in shown["problem"].lower()  # whoever proves nothing learns nothing
    assert shown["target"]["site"] == theirs["id"]
    assert shown["records"] != custom(cast.ada, host)["records"]
    assert host not in cast.sol.get(path).json()["urls"]["published"]
    assert at_host(cast, host).status_code == 200


def test_a_host_is_read_checked_and_removed(cast: Cast) -> None:
    host, ours = host_name(), PublishedSite(cast)
    ours.patch("", {"hostname": host})
    shown = custom(cast.ada, host)
    assert (shown["object"], shown["hostname"], shown["status"]) == ("custom-hostname", host, "pending")
    assert shown["target"] == {"type": "site", "organization": cast.organization, "site": ours.id}
    assert [record["type"] for record in shown["records"]] == ["TXT", "CNAME"]
    assert not shown["isActive"]
    domains.publish({"record": shown["records"][0]})
    dns_server.zone().hosts[host] = ["192.0.2.7"]
    path = f"/v1/custom-hostnames/{host}"
    answered(cast.ada.patch(path, None), 204)
    shown = custom(cast.ada, host)
    assert (shown["status"], shown["isActive"], shown["leadsHere"]) == ("verified", True, False)
    dns_server.zone().hosts[host] = ["127.0.0.1"]
    answered(cast.ada.patch(path, None), 204)
    assert custom(cast.ada, host)["leadsHere"]
    assert custom(cast.ada, host.upper()) == custom(cast.ada, host)
    is_there(cast, host)
    answered(cast.ada.delete(path), 205)
    assert at_host(cast, host).status_code == 404
    is_refused(cast.ada.get(path), 404)
    assert "hostname" not in ours.get()
    assert cast.ada.get(f"/v1/orgs/{cast.organization}/domains").json()["count"] == 0
    ours.patch("", {"hostname": host})
    assert custom(cast.ada, host)["status"] == "pending"  # what was proven is proven no more
    assert at_host(cast, host).status_code == 404


def test_only_who_administrates_the_site_sees_and_changes_its_host(cast: Cast) -> None:
    host, ours = host_name(), PublishedSite(cast)
    ours.patch("", {"hostname": host})
    path = f"/v1/custom-hostnames/{host}"
    guest = cast.gus
    for person, status in ((cast.cleo, 403), (cast.ria, 403), (guest, 404), (cast.sol, 404)):
        for method in ("GET", "PATCH", "DELETE"):
            is_refused(person.call(method, path), status)
    granted = {"role": "admin", "users": [guest.id]}
    assert cast.ada.post(f"{ours.path}/permissions", granted).status_code == 204
    assert custom(guest, host)["target"]["site"] == ours.id
    for wrong in ("nowhere.example.org", "127.0.0.1", "localhost", "x" * 300):
        is_refused(cast.ada.get(f"/v1/custom-hostnames/{wrong}"), 404)


def test_a_host_whose_proof_is_gone_is_served_for_some_days_and_then_no_more(cast: Cast) -> None:
    host = host_name()
    ours = PublishedSite(cast, hostname=host)
    is_there(cast, host)
    space = f"/v1/spaces/{ours.spaces[0]}"
    assert cast.ada.get(space).json()["urls"]["published"] == f"https://{host}"
    domains.withdraw(domains.claim_to(cast.ada, cast.organization, host))
    checks(cast, hours=25)
    assert custom(cast.ada, host)["endsAt"]
    assert at_host(cast, host).status_code == 200
    checks(cast, hours=25 + 73)
    assert at_host(cast, host).status_code == 404
    shown = custom(cast.ada, host)
    assert (shown["status"], shown["isActive"]) == ("failed", False)
    assert cast.ada.get(space).json()["urls"]["published"].startswith(cast.instance.settings.sites_base)
    assert ours.get()["hostname"] == host


def test_a_host_that_changes_hands_is_his_who_proves_it_now(cast: Cast) -> None:
    """DNS that still leads here after the record of the holder is gone opens nothing to a third party."""
    host = host_name()
    ours, theirs = PublishedSite(cast, hostname=host), site(cast.sol, cast.elsewhere)
    is_there(cast, host)
    path = f"/v1/orgs/{cast.elsewhere}/sites/{theirs['id']}"
    collections.patched(cast.sol, path, {"hostname": host})
    claim = domains.claim_to(cast.ada, cast.organization, host)
    domains.publish({"record": custom(cast.sol, host)["records"][0]})
    domains.withdraw(claim)
    answered(cast.sol.patch(f"/v1/custom-hostnames/{host}", None), 204)
    until(lambda: custom(cast.ada, host)["status"] == "failed", "the host is held still")
    answered(cast.sol.patch(f"/v1/custom-hostnames/{host}", None), 204)
    assert custom(cast.sol, host)["status"] == "verified"
    assert not custom(cast.sol, host)["isActive"]  # until the site is published
    assert at_host(cast, host).status_code == 404
    assert ours.url.startswith(cast.instance.settings.sites_base)


def test_a_site_that_is_deleted_takes_its_claim_along(cast: Cast) -> None:
    host = host_name()
    ours = PublishedSite(cast, hostname=host)
    is_there(cast, host)
    answered(cast.ada.delete(ours.path), 205)
    assert at_host(cast, host).status_code == 404
    assert cast.ada.get(f"/v1/orgs/{cast.organization}/domains").json()["count"] == 0
    other = PublishedSite(cast)
    other.patch("", {"hostname": host})
    assert at_host(cast, host).status_code == 404  # the record of before proves nothing
    answered(cast.ada.patch(f"/v1/custom-hostnames/{host}", None), 204)
    assert custom(cast.ada, host)["status"] == "failed"


def test_directories_of_a_host_count_when_the_host_is_proven(cast: Cast) -> None:
    domain = domains.domain()
    ours = PublishedSite(cast)
    ours.patch("", {"proxy": f"{domain}/help/docs"})
    assert at_host(cast, domain, f"/help/docs{TARGET}").status_code == 404
    assert domain not in ours.url
    domains.host(cast, domain)
    assert ours.url == f"https://{domain}/help/docs"
    until(lambda: at_host(cast, domain, f"/help/docs{TARGET}").status_code == 200, "there is no site")
    claim = domains.claim_to(cast.ada, cast.organization, domain)
    assert (claim["kind"], claim["status"]) == ("hostname", "verified")
    answered(cast.ada.delete(f"/v1/orgs/{cast.organization}/domains/{claim['id']}"), 205)
    assert "proxy" not in ours.get()
    assert at_host(cast, domain, f"/help/docs{TARGET}").status_code == 404


def test_a_mailed_token_proves_no_host(cast: Cast) -> None:
    host = host_name()
    PublishedSite(cast).patch("", {"hostname": host})
    claim = domains.claim_to(cast.ada, cast.organization, host)
    path = f"/v1/orgs/{cast.organization}/domains/{claim['id']}/verify"
    is_refused(cast.ada.post(path, {"token": "x"}), 400)
    # The same name as an e-mail domain is another claim.
    domains.proven(cast.ada, cast.organization, host)
    assert custom(cast.ada, host)["status"] == "pending"


def test_others_who_state_a_host_are_in_nobodys_way(cast: Cast) -> None:
    host = host_name()
    for _ in range(3):
        mallory = make.somebody(cast.instance, "Mallory")
        organization = answered(mallory.post("/v1/orgs", {"title": "Squatters"}), 201)["id"]
        path = f"/v1/orgs/{organization}/sites/{site(mallory, organization)['id']}"
        collections.patched(mallory, path, {"hostname": host})
        assert mallory.post(f"{path}/publish").status_code == 200
    ours = PublishedSite(cast, hostname=host)
    is_there(cast, host)
    assert ours.url == f"https://{host}"
