"""REST rows of OpenAPI specifications and their versions."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, put, remove
from app.domain.openapi import openapi_specs, openapi_versions
from app.models.openapi_specs import OpenAPISpecCreate, OpenAPISpecPut, OpenAPISpecUpdate
from app.present.openapi_specs import content, raw, spec, version

O = "/orgs/{organizationId}/openapi"  # noqa: E741 - as in the list of operations
S = f"{O}/{{specSlug}}"
V = f"{S}/versions"

OPERATIONS = family(
    "OpenAPI specifications",
    listing("listOpenAPISpecs", O, openapi_specs.list_specs, show=spec),
    post("createOpenAPISpec", O, openapi_specs.create, body=OpenAPISpecCreate, show=spec, status=201),
    get("getOpenAPISpecBySlug", S, openapi_specs.get, show=spec),
    put("createOrUpdateOpenAPISpecBySlug", S, openapi_specs.put, body=OpenAPISpecPut, show=spec),
    patch("updateOpenAPISpecBySlug", S, openapi_specs.update, body=OpenAPISpecUpdate, show=spec),
    remove("deleteOpenAPISpecBySlug", S, openapi_specs.delete),
    listing("listOpenAPISpecVersions", V, openapi_versions.list_versions, show=version),
    get("getLatestOpenAPISpecVersion", f"{V}/latest", openapi_versions.get_latest, show=version),
    get(
        "getLatestOpenAPISpecVersionContent",
        f"{V}/latest/content",
        openapi_versions.get_latest_content,
        show=content,
    ),
    get(
        "getLatestOpenAPISpecVersionRaw", f"{V}/latest/content/raw", openapi_versions.get_latest_raw, show=raw
    ),
    get("getOpenAPISpecVersionById", f"{V}/{{versionId}}", openapi_versions.get, show=version),
    get(
        "getOpenAPISpecVersionContentById",
        f"{V}/{{versionId}}/content",
        openapi_versions.get_content,
        show=content,
    ),
)
