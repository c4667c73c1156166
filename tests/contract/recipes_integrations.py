"""Calls about integrations and where they are installed (see `recipes`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.kit.ids import new_id
from tests.cast import Cast
from tests.contract.faces import Call
from tests.contract.recipes_content import space
from tests.factories.integrations import ACCOUNT, RENDERING, PublishedIntegration, compressed, whole
from tests.factories.sites import ManagedSite
from tests.timing import until

Recipe = Callable[[Cast], Call]


class Installed(PublishedIntegration):
    """An integration that is installed: in the organization, on a space, on a site."""

    def __init__(self, cast: Cast) -> None:
        super().__init__(cast, configurations={"account": ACCOUNT, "space": {"properties": {}}})
        self.installation = self.install()
        self.here = f"/installations/{self.installation}"
        values = {"configuration": {"key": "k"}, "externalIds": [f"lamps-{cast.organization}"]}
        self.patch(self.here, values)
        self.space, self.site = space(cast), ManagedSite(cast).id
        self.on_space(self.installation, self.space)
        self.on_site(self.installation, self.site)
        for where in (f"/spaces/{self.space}", f"/sites/{self.site}"):
            self.patch(f"{self.here}{where}", {"externalIds": [f"lamps-{cast.organization}"]})

    def call(self, query: object = None, body: object = None, **path: str) -> Call:
        """A call about the installation."""
        here = {"integrationName": self.name, "installationId": self.installation, **path}
        return Call(here, query or {}, body)  # type: ignore[arg-type]


def _list(cast: Cast) -> Call:
    PublishedIntegration(cast, **_without_organization(whole(cast)))
    query = {
        "search": "COUNTER",
        "category": "content",
        "blockDomain": "lamps.example.org",
        "blocks": True,
        "contentSources": True,
        "owner": cast.organization,
        "scope": "space:content:read",
        "target": "space",
    }
    return Call(query=query)


def _without_organization(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name != "organization"}


def _one(cast: Cast) -> Call:
    made = PublishedIntegration(cast, **_without_organization(whole(cast)))
    return Call({"integrationName": made.name})


def _publish(cast: Cast) -> Call:
    return Call({"integrationName": new_id()}, body=whole(cast))


def _list_installations(cast: Cast) -> Call:
    return Call({"integrationName": Installed(cast).name}, {"externalId": f"lamps-{cast.organization}"})


def _install(cast: Cast) -> Call:
    made = PublishedIntegration(cast, configurations={"account": ACCOUNT})
    return Call({"integrationName": made.name}, body={"organization": cast.organization})


def _events(cast: Cast) -> Call:
    made = Installed(cast)
    wait_for_script(cast, made.site)  # which is an event too
    made.told()
    return Call({"integrationName": made.name})


def _event(cast: Cast) -> Call:
    made = Installed(cast)
    return Call({"integrationName": made.name, "eventId": made.told()[0]["id"]})


def _delivered(cast: Cast) -> Call:
    made = Installed(cast)
    return Call({"integrationName": made.name, "eventId": made.told()[-1]["id"]})


def _on_spaces(cast: Cast) -> Call:
    query = {"externalId": f"lamps-{cast.organization}", "extended": True}
    return Call({"integrationName": Installed(cast).name}, query)


def _develop(cast: Cast) -> Call:
    body = {"tunnelUrl": "https://tunnel.example.org/events", "all": True}
    return Call({"integrationName": PublishedIntegration(cast).name}, body=body)


def _versions(cast: Cast) -> Call:
    made = PublishedIntegration(cast)
    PublishedIntegration(cast, name=made.name)
    return Call({"integrationName": made.name})


def _with_secrets(cast: Cast) -> Call:
    return Call({"integrationName": PublishedIntegration(cast, secrets={"LAMP": "l", "OIL": "o"}).name})


def _secret(cast: Cast, body: object = None) -> Call:
    return Call({**_with_secrets(cast).path, "secretName": "LAMP"}, body=body)  # type: ignore[arg-type]


def _developed(cast: Cast) -> Call:
    made = PublishedIntegration(cast)
    made.put("/dev", {"tunnelUrl": "https://tunnel.example.org/events", "all": True})
    return Call({"integrationName": made.name})


def _task(cast: Cast) -> Call:
    body = {"task": {"kind": "count"}, "schedule": 3600}
    return Call({"integrationName": PublishedIntegration(cast).name}, body=body)


def _installation(cast: Cast) -> Call:
    return Installed(cast).call()


def _update(cast: Cast) -> Call:
    body = {
        "configuration": {"key": "other", "size": 4},
        "externalIds": ["one", "two"],
        "space_selection": "all",
        "site_selection": "all",
    }
    return Installed(cast).call(body=body)


def _extended(cast: Cast) -> Call:
    return Installed(cast).call({"extended": True})


def _add_space(cast: Cast) -> Call:
    return Installed(cast).call(body={"space": space(cast)})


def _add_site(cast: Cast) -> Call:
    return Installed(cast).call(body={"siteId": ManagedSite(cast).id})


def _on_space(cast: Cast) -> Call:
    made = Installed(cast)
    return made.call(spaceId=made.space)


def _on_site(cast: Cast) -> Call:
    made = Installed(cast)
    return made.call(siteId=made.site)


def _change_on_space(cast: Cast) -> Call:
    made = Installed(cast)
    return made.call(body={"configuration": {"a": 1}, "externalIds": []}, spaceId=made.space)


def _change_on_site(cast: Cast) -> Call:
    made = Installed(cast)
    return made.call(body={"configuration": {"a": [1]}, "externalIds": ["x"]}, siteId=made.site)


def _in_organization(cast: Cast) -> Call:
    Installed(cast)
    return Call({"organizationId": cast.organization}, {"search": "lamp"})


def _in_space(cast: Cast) -> Call:
    return Call({"spaceId": Installed(cast).space}, {"search": "lamp"})


def _in_site(cast: Cast) -> Call:
    here = {"organizationId": cast.organization, "siteId": Installed(cast).site}
    return Call(here, {"search": "lamp"})


def _scripts(cast: Cast) -> Call:
    made = Installed(cast)
    wait_for_script(cast, made.site)
    return Call({"organizationId": cast.organization, "siteId": made.site})


def wait_for_script(cast: Cast, site: str) -> None:
    """Wait until the script for a site was fetched from the integration."""
    path = f"/v1/orgs/{cast.organization}/sites/{site}/integration-scripts"
    until(lambda: cast.ada.get(path).json(), "nobody fetches the script")


def _rendering(cast: Cast) -> tuple[str, dict[str, Any]]:
    made = PublishedIntegration(cast, script=RENDERING)
    shown = space(cast)
    made.on_space(made.install(), shown)
    context = {"type": "document", "spaceId": shown, "theme": "light", "editable": False}
    return made.name, {"componentId": "lamp", "props": {"name": "Ada"}, "context": context}


def _render(cast: Cast) -> Call:
    name, request = _rendering(cast)
    return Call({"integrationName": name}, body=request)


def _render_compressed(cast: Cast) -> Call:
    name, request = _rendering(cast)
    return Call({"integrationName": name}, {"request": compressed(request)})


INTEGRATIONS: dict[str, Recipe] = {
    "listIntegrations": _list,
    "getIntegrationByName": _one,
    "publishIntegration": _publish,
    "unpublishIntegration": _one,
    "listIntegrationInstallations": _list_installations,
    "installIntegration": _install,
    "listIntegrationEvents": _events,
    "getIntegrationEvent": _event,
    "redeliverIntegrationEvent": _delivered,
    "listIntegrationSpaceInstallations": _on_spaces,
    "listIntegrationSiteInstallations": _on_spaces,
    "listIntegrationVersions": _versions,
    "getIntegrationSecrets": _with_secrets,
    "setIntegrationSecret": lambda cast: _secret(cast, {"value": "new"}),
    "deleteIntegrationSecret": _secret,
    "getIntegrationDevelopmentMode": _developed,
    "setIntegrationDevelopmentMode": _develop,
    "disableIntegrationDevelopmentMode": _developed,
    "renderIntegrationUIWithGet": _render_compressed,
    "renderIntegrationUIWithPost": _render,
    "queueIntegrationTask": _task,
    "getIntegrationInstallationById": _installation,
    "updateIntegrationInstallation": _update,
    "uninstallIntegration": _installation,
    "createIntegrationInstallationToken": _installation,
    "listIntegrationInstallationSpaces": _extended,
    "installIntegrationOnSpace": _add_space,
    "getIntegrationSpaceInstallation": _on_space,
    "updateIntegrationSpaceInstallation": _change_on_space,
    "uninstallIntegrationFromSpace": _on_space,
    "listIntegrationInstallationSites": _extended,
    "installIntegrationOnSite": _add_site,
    "getIntegrationSiteInstallation": _on_site,
    "updateIntegrationSiteInstallation": _change_on_site,
    "uninstallIntegrationFromSite": _on_site,
    "listInstallationsInOrganization": _in_organization,
    "listIntegrationsInOrganization": _in_organization,
    "listSpaceIntegrations": _in_space,
    "listSiteIntegrations": _in_site,
    "listSiteIntegrationScripts": _scripts,
}
