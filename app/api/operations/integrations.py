"""REST rows of integrations: what is published, what it was told, how it is developed."""

from __future__ import annotations

from app.api.operation import ask, family, get, listing, post, put, remove
from app.domain.integrations import (
    installations,
    integration_events,
    integration_lists,
    integrations,
    placements,
    rendering,
)
from app.models.installations import AllPlacementsQuery, InstallationCreate, InstallationsQuery
from app.models.integration_events import IntegrationDevelopment, IntegrationTask, RenderQuery, RenderRequest
from app.models.integrations import IntegrationsQuery
from app.models.manifests import IntegrationPublish
from app.present.installations import installation, on_site, on_space
from app.present.integration_events import event, event_detail, rendered
from app.present.integrations import integration

I = "/integrations/{integrationName}"  # noqa: E741 - as the list of operations has it

OPERATIONS = family(
    "Integrations",
    listing(
        "listIntegrations",
        "/integrations",
        integration_lists.list_integrations,
        query=IntegrationsQuery,
        show=integration,
    ),
    get("getIntegrationByName", I, integrations.get, show=integration),
    post(
        "publishIntegration", I, integrations.publish, body=IntegrationPublish, show=integration, large=True
    ),
    remove("unpublishIntegration", I, integrations.unpublish),
    listing(
        "listIntegrationInstallations",
        f"{I}/installations",
        installations.list_of_integration,
        query=InstallationsQuery,
        show=installation,
    ),
    post(
        "installIntegration",
        f"{I}/installations",
        installations.install,
        body=InstallationCreate,
        show=installation,
        status=201,
    ),
    listing("listIntegrationEvents", f"{I}/events", integration_events.list_of_integration, show=event),
    get("getIntegrationEvent", f"{I}/events/{{eventId}}", integration_events.get, show=event_detail),
    post(
        "redeliverIntegrationEvent",
        f"{I}/events/{{eventId}}/redeliver",
        integration_events.redeliver,
        show=event_detail,
    ),
    listing(
        "listIntegrationSpaceInstallations",
        f"{I}/spaces",
        placements.list_all_spaces,
        query=AllPlacementsQuery,
        show=on_space,
    ),
    listing(
        "listIntegrationSiteInstallations",
        f"{I}/sites",
        placements.list_all_sites,
        query=AllPlacementsQuery,
        show=on_site,
    ),
    put(
        "setIntegrationDevelopmentMode",
        f"{I}/dev",
        integrations.develop,
        body=IntegrationDevelopment,
        status=204,
    ),
    remove("disableIntegrationDevelopmentMode", f"{I}/dev", integrations.stop_developing),
    get(
        "renderIntegrationUIWithGet",
        f"{I}/render",
        rendering.render_compressed,
        query=RenderQuery,
        show=rendered,
    ),
    ask("renderIntegrationUIWithPost", f"{I}/render", rendering.render, body=RenderRequest, show=rendered),
    post(
        "queueIntegrationTask", f"{I}/tasks", integration_events.queue_task, body=IntegrationTask, status=204
    ),
)
