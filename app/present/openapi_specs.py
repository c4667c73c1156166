"""OpenAPI specifications and their versions as callers see them."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.openapi import openapi_specs
from app.domain.openapi.openapi_versions import Content, Raw
from app.models.openapi_specs import (
    OpenAPIContentOut,
    OpenAPIRawOut,
    OpenAPISpec,
    OpenAPISpecOut,
    OpenAPISpecVersionOut,
)
from app.present import links
from app.present.shape import shows


@shows(OpenAPISpecOut)
def spec(cx: Context, row: OpenAPISpec) -> dict[str, Any]:
    """A specification; what has not happened yet is left out."""
    out: dict[str, Any] = {
        "object": "openapi-spec",
        "id": row.id,
        "createdAt": row.created_at,
        "updatedAt": row.updated_at,
        "slug": row.slug,
        "visibility": row.visibility,
        "processingState": row.state,
        "permissions": openapi_specs.permissions(cx, row),
        "urls": links.openapi_spec(cx, row),
    }
    for name, value in (
        ("sourceURL", row.source_url),
        ("lastVersion", row.last_version),
        ("lastProcessedAt", row.processed_at),
        ("lastProcessedWarnings", row.warnings),
    ):
        if value:
            out[name] = value
    if row.errors:
        out |= {"lastProcessErrorCode": row.errors[0]["code"], "lastProcessedErrors": row.errors}
    return out


@shows(OpenAPISpecVersionOut)
def version(cx: Context, row: Any) -> dict[str, Any]:
    """A version (a row of `openapi_versions`)."""
    return {
        "object": "openapi-spec-version",
        "id": row.id,
        "createdAt": row.created_at,
        "url": links.openapi_file(cx, row),
        "urls": links.openapi_version(cx, row),
    }


@shows(OpenAPIContentOut)
def content(cx: Context, read: Content) -> dict[str, Any]:
    """The files of a version."""
    return {"filesystem": read.filesystem, "url": links.openapi_file(cx, read.version)}


@shows(OpenAPIRawOut)
def raw(cx: Context, read: Raw) -> dict[str, Any]:
    """The file that a version begins with."""
    return {"text": read.text, "format": read.format}
