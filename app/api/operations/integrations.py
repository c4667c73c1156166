"""Operations on integrations: what is published, what it was told, how it is developed."""

from __future__ import annotations

from app.api.operation import ask, family, get, listing, post, put, remove
from app.domain.integrations import (
    component_rendering,
    installations,
    integration_events,
    integration_rows,
    integrations,
    placements,
)
from app.models.installations import AllPlacementsQuery, InstallationCreate, InstallationsQuery
from app.models.integration_events import IntegrationDevelopment, IntegrationTask
from app.models.integration_rendering import RenderQuery, RenderRequest
from app.models.integrations import IntegrationsQuery
from app.models.manifests import IntegrationPublish
from app.present.integrations import (
    event,
    event_detail,
    installation,
    integration,
    on_site,
    on_space,
    rendered,
)

INTEGRATION = "/integrations/{integrationName}"

OPERATIONS = family(
    "Integrations",
    listing(
        "listIntegrations",
        "/integrations",
        integration_rows.list_integrations,
        query=IntegrationsQuery,
        show=integration,
        field="Query.integrations",
        permission="anybody",
    ),
    get(
        "getIntegrationByName",
        INTEGRATION,
        integrations.get,
        show=integration,
        field="Query.integration",
        permission="organization:listIntegrations",
        scope="always",
    ),
    post(
        "publishIntegration",
        INTEGRATION,
        integrations.publish,
        prepare=integrations.check_script,
        body=IntegrationPublish,
        show=integration,
        large=True,
        field="publishIntegration",
        permission="named organization:admin",
    ),
    remove(
        "unpublishIntegration",
        INTEGRATION,
        integrations.unpublish,
        field="unpublishIntegration",
        permission="organization:admin",
    ),
    listing(
        "listIntegrationInstallations",
        f"{INTEGRATION}/installations",
        installations.list_of_integration,
        query=InstallationsQuery,
        show=installation,
        field="Integration.installations",
        permission="organization:listInstallations",
        scope="integration",
    ),
    post(
        "installIntegration",
        f"{INTEGRATION}/installations",
        installations.install,
        body=InstallationCreate,
        show=installation,
        status=201,
        field="installIntegration",
        permission="organization:installIntegration",
    ),
    listing(
        "listIntegrationEvents",
        f"{INTEGRATION}/events",
        integration_events.list_of_integration,
        show=event,
        field="Integration.events",
        permission="organization:installIntegration",
    ),
    get(
        "getIntegrationEvent",
        f"{INTEGRATION}/events/{{eventId}}",
        integration_events.get,
        show=event_detail,
        field="Integration.event",
        permission="organization:installIntegration",
    ),
    post(
        "redeliverIntegrationEvent",
        f"{INTEGRATION}/events/{{eventId}}/redeliver",
        integration_events.redeliver,
        show=event_detail,
        field="redeliverIntegrationEvent",
        permission="organization:installIntegration",
    ),
    listing(
        "listIntegrationSpaceInstallations",
        f"{INTEGRATION}/spaces",
        placements.list_all_spaces,
        query=AllPlacementsQuery,
        show=on_space,
        field="Integration.spaceInstallations",
        permission="organization:listInstallations",
        scope="integration",
    ),
    listing(
        "listIntegrationSiteInstallations",
        f"{INTEGRATION}/sites",
        placements.list_all_sites,
        query=AllPlacementsQuery,
        show=on_site,
        field="Integration.siteInstallations",
        permission="organization:listInstallations",
        scope="integration",
    ),
    put(
        "setIntegrationDevelopmentMode",
        f"{INTEGRATION}/dev",
        integrations.develop,
        body=IntegrationDevelopment,
        status=204,
        field="developIntegration",
        permission="organization:admin",
    ),
    remove(
        "disableIntegrationDevelopmentMode",
        f"{INTEGRATION}/dev",
        integrations.stop_developing,
        field="stopDevelopingIntegration",
        permission="organization:admin",
    ),
    get(
        "renderIntegrationUIWithGet",
        f"{INTEGRATION}/render",
        component_rendering.render_compressed,
        query=RenderQuery,
        show=rendered,
        field="Query.renderIntegrationCompressed",
        permission="named space:view",
    ),
    ask(
        "renderIntegrationUIWithPost",
        f"{INTEGRATION}/render",
        component_rendering.render,
        body=RenderRequest,
        show=rendered,
        field="Query.renderIntegration",
        permission="named space:view",
    ),
    post(
        "queueIntegrationTask",
        f"{INTEGRATION}/tasks",
        integration_events.queue_task,
        body=IntegrationTask,
        status=204,
        field="queueIntegrationTask",
        permission="organization:admin",
        scope="always",
    ),
)
