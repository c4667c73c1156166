"""Integrations that are built on the public runtime and published with its command line run unmodified."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.clients.node import node
from tests.factories.integrations import PublishedIntegration
from tests.factories.sites import ManagedSite
from tests.integrations.command_line import HERE, published
from tests.timing import until

BLOCKS = [{"id": "survey", "title": "Survey"}]
TYPED = """
import type { IntegrationEnvironment, Integration, Organization } from "@gitbook/api";

// What is sent is text where the types have an enumeration.
type Sent<T> = T extends string ? `${T}` : T extends object ? { [K in keyof T]: Sent<T[K]> } : T;
type Owner = Pick<Organization, "object" | "id" | "title" | "createdAt" | "hostname">;
type Environment = Omit<IntegrationEnvironment, "integration"> & {
  integration: Omit<Integration, "owner"> & { owner: Owner };
};

"""


@pytest.fixture
def surveyor(cast: Cast, tmp_path: Path) -> PublishedIntegration:
    """An integration that tells what it was given."""
    return published(cast, tmp_path, "surveyor.tsx", blocks=BLOCKS, scopes=["space:metadata:read"])


def asked(cast: Cast, address: str, path: str) -> Any:
    """Return the answer of the script at an endpoint."""
    answer = cast.instance.http.get(f"{address}/{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def endpoints(made: PublishedIntegration) -> dict[str, str]:
    """The endpoints of an integration, an installation, and that on a space and a site."""
    installation, site = made.install(), ManagedSite(made.cast).id
    space = make.space(made.cast.ada, made.cast.organization)["id"]
    placed = made.on_space(installation, space), made.on_site(installation, site)
    whole = made.get(), made.get(f"/installations/{installation}")
    names = ("integration", "installation", "space", "site")
    return {name: each["urls"]["publicEndpoint"] for name, each in zip(names, (*whole, *placed), strict=True)}


def test_a_component_keeps_its_state_from_press_to_press(surveyor: PublishedIntegration) -> None:
    cast, installation = surveyor.cast, surveyor.install()
    space = make.space(cast.ada, cast.organization)["id"]
    surveyor.on_space(installation, space)
    context = {"type": "document", "theme": "light", "spaceId": space, "editable": False}
    request = {"componentId": "survey", "props": {"name": "Ada"}, "context": context}
    first = surveyor.post("/render", request, 200)
    assert first["element"]["children"][0] == {"type": "markdown", "content": "Ada counted 0"}
    press = first["element"]["children"][1]["onPress"]
    second = surveyor.post("/render", {**request, "state": first["state"], "action": press}, 200)
    assert (second["state"], second["element"]["children"][0]["content"]) == ({"count": 1}, "Ada counted 1")


def test_the_environment_is_what_the_types_of_the_runtime_say(
    surveyor: PublishedIntegration, tmp_path: Path
) -> None:
    places = endpoints(surveyor)
    seen = {name: asked(surveyor.cast, address, "environment") for name, address in places.items()}
    values = [f"const {name}: Sent<Environment> = {json.dumps(each)};" for name, each in seen.items()]
    (tmp_path / "environment.ts").write_text(TYPED + "\n".join(values) + "\nexport {};\n")
    (tmp_path / "node_modules").symlink_to(HERE / "node_modules")
    settings = {"extends": str(HERE / "tsconfig.json"), "files": ["environment.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings))
    checked = subprocess.run(
        [node(), HERE / "node_modules" / "typescript" / "bin" / "tsc", "--project", tmp_path],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert checked.returncode == 0, checked.stdout
    assert [name for name in seen if "installation" in seen[name]] == ["installation", "space", "site"]
    assert seen["space"]["spaceInstallation"]["integration"] == surveyor.name
    assert seen["site"]["siteInstallation"]["urls"]["publicEndpoint"] == places["site"]
    assert not seen["integration"]["apiEndpoint"].endswith("/v1")


def test_the_runtime_calls_back_as_the_installation_and_as_the_integration(
    surveyor: PublishedIntegration,
) -> None:
    cast, places = surveyor.cast, endpoints(surveyor)
    here = places["installation"]
    installation = asked(cast, here, "environment")["installation"]["id"]
    assert asked(cast, here, "installation")["id"] == installation
    found = asked(cast, places["integration"], "installations")["items"]
    assert [each["id"] for each in found] == [installation]
    assert [each["installation"] for each in asked(cast, here, "spaces")["items"]] == [installation]
    assert asked(cast, here, "token")["token"]
    assert asked(cast, here, "task") == {"queued": True}
    cast.instance.look_for_jobs()
    (task,) = until(
        lambda: [event for event in surveyor.told() if event["payload"]["type"] == "task"],
        "the task does not come back",
    )
    trace = surveyor.get(f"/events/{task['id']}")["trace"]["logs"]
    assert 'task: {"type":"report","about":"lamps"}' in [line["message"] for line in trace]


def test_the_token_of_an_integration_opens_its_own_installations_and_no_other_s(
    surveyor: PublishedIntegration,
) -> None:
    cast, other = surveyor.cast, PublishedIntegration(surveyor.cast)
    theirs, places = other.install(), endpoints(surveyor)
    environment = asked(cast, places["installation"], "environment")
    script = Person(cast.instance, "", "", environment["apiTokens"]["integration"])
    own = f"{surveyor.path}/installations"
    assert script.get(own).json()["count"] == 1
    assert script.get(f"{own}/{environment['installation']['id']}").status_code == 200
    for path in ("/installations", f"/installations/{theirs}", "/spaces", f"/installations/{theirs}/spaces"):
        assert script.get(f"{other.path}{path}").status_code in (403, 404), path
    for path, body in ((f"/installations/{theirs}/tokens", None), ("/tasks", {"task": {}})):
        assert script.post(f"{other.path}{path}", body).status_code in (403, 404), path
    assert script.get(f"/v1/orgs/{cast.organization}/members").status_code == 403
    assert cast.ada.delete(surveyor.path).status_code == 205
    assert script.get(own).status_code == 401


def test_who_signs_visitors_in_gets_the_key_of_the_site(cast: Cast, tmp_path: Path) -> None:
    for scopes in ([], ["site:visitor:auth"]):
        made = published(cast, tmp_path, "surveyor.tsx", scopes=scopes)
        installation, site = made.install(), ManagedSite(cast).id
        place = made.on_site(installation, site)["urls"]["publicEndpoint"]
        secrets = asked(cast, place, "environment")["signingSecrets"]
        auth = cast.ada.get(f"/v1/orgs/{cast.organization}/sites/{site}/publishing/auth").json()
        assert (secrets["siteInstallation"] == auth["privateKey"]) is bool(scopes)
        assert len(set(secrets.values())) == len(secrets) == 3
