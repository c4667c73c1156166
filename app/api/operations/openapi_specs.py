"""Operations on OpenAPI specifications and their versions."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, put, remove
from app.domain.openapi import openapi_specs, openapi_versions
from app.domain.spaces import spaces_of_spec
from app.models.openapi_specs import OpenAPISpecCreate, OpenAPISpecPut, OpenAPISpecUpdate
from app.present.integrations import content, raw, spec, version
from app.present.spaces import space

SPECS = "/orgs/{organizationId}/openapi"
SPEC = f"{SPECS}/{{specSlug}}"
VERSIONS = f"{SPEC}/versions"

OPERATIONS = family(
    "OpenAPI specifications",
    listing(
        "listOpenAPISpecs",
        SPECS,
        openapi_specs.list_specs,
        show=spec,
        field="Organization.openAPISpecs",
        permission="organization:listTeams",
        scope="openapi:read",
    ),
    post(
        "createOpenAPISpec",
        SPECS,
        openapi_specs.create,
        body=OpenAPISpecCreate,
        show=spec,
        status=201,
        field="createOpenAPISpec",
        permission="organization:createOpenAPISpec",
        scope="openapi:write",
    ),
    get(
        "getOpenAPISpecBySlug",
        SPEC,
        openapi_specs.get,
        show=spec,
        field="Organization.openAPISpec",
        permission="organization:listTeams",
        scope="openapi:read",
    ),
    put(
        "createOrUpdateOpenAPISpecBySlug",
        SPEC,
        openapi_specs.put,
        body=OpenAPISpecPut,
        show=spec,
        field="putOpenAPISpec",
        permission="organization:createOpenAPISpec",
        scope="openapi:write",
    ),
    patch(
        "updateOpenAPISpecBySlug",
        SPEC,
        openapi_specs.update,
        body=OpenAPISpecUpdate,
        show=spec,
        field="updateOpenAPISpec",
        permission="organization:createOpenAPISpec",
    ),
    remove(
        "deleteOpenAPISpecBySlug",
        SPEC,
        openapi_specs.delete,
        field="deleteOpenAPISpec",
        permission="organization:createOpenAPISpec",
        scope="openapi:write",
    ),
    listing(
        "listSpacesOfOpenAPISpec",
        f"{SPEC}/spaces",
        spaces_of_spec.list_spaces,
        show=space,
        field="OpenAPISpec.spaces",
        permission="organization:listTeams",
    ),
    listing(
        "listOpenAPISpecVersions",
        VERSIONS,
        openapi_versions.list_versions,
        show=version,
        field="OpenAPISpec.versions",
        permission="organization:listTeams",
        scope="openapi:read",
    ),
    get(
        "getLatestOpenAPISpecVersion",
        f"{VERSIONS}/latest",
        openapi_versions.get_latest,
        show=version,
        field="OpenAPISpec.latestVersion",
        permission="organization:listTeams",
        scope="openapi:read",
    ),
    get(
        "getLatestOpenAPISpecVersionContent",
        f"{VERSIONS}/latest/content",
        openapi_versions.get_latest_content,
        show=content,
        field="OpenAPISpec.latestContent",
        permission="organization:listTeams",
        scope="openapi:read",
    ),
    get(
        "getLatestOpenAPISpecVersionRaw",
        f"{VERSIONS}/latest/content/raw",
        openapi_versions.get_latest_raw,
        show=raw,
        field="OpenAPISpec.latestRaw",
        permission="organization:listTeams",
    ),
    get(
        "getOpenAPISpecVersionById",
        f"{VERSIONS}/{{versionId}}",
        openapi_versions.get,
        show=version,
        field="OpenAPISpec.specVersion",
        permission="organization:listTeams",
        scope="openapi:read",
    ),
    get(
        "getOpenAPISpecVersionContentById",
        f"{VERSIONS}/{{versionId}}/content",
        openapi_versions.get_content,
        show=content,
        field="OpenAPISpecVersion.content",
        permission="organization:listTeams",
        scope="openapi:read",
    ),
)
