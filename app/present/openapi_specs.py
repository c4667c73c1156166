"""OpenAPI specifications and their versions as callers see them."""

from __future__ import annotations

from app.access.context import Context
from app.domain.openapi import openapi_specs
from app.domain.openapi.openapi_versions import RawVersion, VersionContent, VersionRow
from app.models.openapi_specs import (
    OpenAPIContentOut,
    OpenAPIRawOut,
    OpenAPISpec,
    OpenAPISpecOut,
    OpenAPISpecVersionOut,
)
from app.present import links
from app.present.shape import Presenter, When, presenter

spec: Presenter[Context, OpenAPISpec] = presenter(
    OpenAPISpecOut,
    optional=(
        "source_url", "last_version", "last_processed_at", "last_processed_warnings",
        "last_process_error_code", "last_processed_errors",
    ),
    permissions=openapi_specs.permissions,
    urls=links.openapi_spec,
    last_processed_warnings=When("warnings", lambda _cx, row: row.warnings),
    last_process_error_code=When("errors", lambda _cx, row: (row.errors or [{}])[0].get("code")),
    last_processed_errors=When("errors", lambda _cx, row: row.errors),
)  # fmt: skip

version: Presenter[Context, VersionRow] = presenter(
    OpenAPISpecVersionOut, url=links.openapi_file, urls=links.openapi_version
)

content: Presenter[Context, VersionContent] = presenter(
    OpenAPIContentOut, url=lambda cx, read: links.openapi_file(cx, read.version)
)

raw: Presenter[Context, RawVersion] = presenter(OpenAPIRawOut)
