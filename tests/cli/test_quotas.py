"""The quotas of organizations as an operator sees and sets them."""

from __future__ import annotations

from typing import Any

from tests import make
from tests.cast import Cast
from tests.cli.command import docyard
from tests.contract.test_audit import listed
from tests.factories.changes import insert, send
from tests.factories.integrations import PublishedIntegration

QUOTAS = """query ($organization: ID!) { organization(id: $organization) { quotas {
    requests { limit } events { limit } jobs { limit } bytes { limit } } } }"""


def quota(cast: Cast, *chosen: str, organization: str = "") -> tuple[int, dict[str, list[str]], str]:
    """The status of the command, its lines by the quota that they begin with, and what it says."""
    asked = ("org", "quota", "--org", organization or cast.organization, *chosen)
    ran = docyard(*asked, database=cast.instance.settings.database)
    return ran.returncode, {line.split()[0]: line.split()[1:] for line in ran.stdout.splitlines()}, ran.stderr


def test_an_operator_sees_and_sets_quotas(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/quotas"
    code, lines, said = quota(cast)
    assert code == 0, said
    assert lines["jobs"] == ["5000", "0"]
    assert lines["bytes"][0] == "10000000000"
    assert quota(cast, "--jobs", "7", "--bytes", "0")[1]["bytes"] == ["none", "0"]
    found = cast.ada.get(path).json()
    assert (found["jobs"], found["bytes"]) == ({"limit": 7, "used": 0}, {"used": 0})
    event = listed(cast)[0]
    assert (event["actor"], event["subject"]["id"]) == ({"type": "operator"}, cast.organization)
    assert quota(cast, "--jobs", "default")[1]["jobs"] == ["5000", "0"]
    assert cast.ada.get(path).json()["jobs"]["limit"] == 5000
    assert cast.sol.get(f"/v1/orgs/{cast.elsewhere}/quotas").json()["bytes"]["limit"] == 10_000_000_000


def test_what_an_operator_sets_goes_before_the_default_on_both_faces(cast: Cast) -> None:
    made = PublishedIntegration(cast, scopes=[])

    def limits() -> list[dict[str, Any]]:
        by_rest = cast.ada.get(f"/v1/orgs/{cast.organization}/quotas").json()
        by_graphql = cast.ada.ask(QUOTAS, organization=cast.organization)["organization"]["quotas"]
        rest = {name: by_rest[name].get("limit") for name in by_graphql}
        return [rest, {name: found["limit"] for name, found in by_graphql.items()}]

    default = {"requests": 12_000, "events": 100_000, "jobs": 5_000, "bytes": 10_000_000_000}
    assert limits() == [default] * 2
    code, _, said = quota(cast, "--requests", "900", "--events", "0", "--jobs", "1", "--bytes", "7000")
    assert code == 0, said
    chosen = {"requests": 900, "events": None, "jobs": 1, "bytes": 7_000}
    assert limits() == [chosen] * 2
    space = make.space(cast.ada, cast.organization)["id"]
    refused = send(cast.ada, space, insert("Long", "a" * 8_000))
    assert (refused.status_code, "7,000 stored bytes" in refused.text) == (429, True)
    made.post("/tasks", {"task": {}, "schedule": 3600}, 204)
    assert cast.ada.post(f"{made.path}/tasks", {"task": {}}).status_code == 429
    assert quota(cast, *(f"--{name}=default" for name in default))[0] == 0
    assert limits() == [default] * 2
    assert send(cast.ada, space, insert("Long", "a" * 8_000)).status_code == 200


def test_what_is_no_quota_or_organization_is_refused(cast: Cast) -> None:
    for chosen in ("-1", "many", "1.5", "9" * 20):
        code, lines, said = quota(cast, f"--bytes={chosen}")
        assert (code, lines) == (1, {}), chosen
        assert "--bytes" in said
    code, _, said = quota(cast, "--jobs", "1", organization="nobody")
    assert (code, "nobody" in said) == (1, True)
