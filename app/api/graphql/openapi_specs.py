"""GraphQL face of OpenAPI specifications and their versions."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, body, pages, read, reads, write, writes
from app.api.graphql.shapes import input_of, output
from app.domain.openapi import openapi_specs as specs
from app.domain.openapi import openapi_versions as versions
from app.models.openapi_specs import (
    OpenAPIContentOut,
    OpenAPIRawOut,
    OpenAPISpecCreate,
    OpenAPISpecOut,
    OpenAPISpecPut,
    OpenAPISpecUpdate,
    OpenAPISpecVersionOut,
)
from app.present.openapi_specs import content, raw, spec, version

OpenAPISpecCreateInput: Any = input_of(OpenAPISpecCreate)
OpenAPISpecPutInput: Any = input_of(OpenAPISpecPut)
OpenAPISpecUpdateInput: Any = input_of(OpenAPISpecUpdate)


@output(OpenAPISpecOut)
class OpenAPISpec:
    """An OpenAPI specification that pages are made of."""


@output(OpenAPISpecVersionOut)
class OpenAPISpecVersion:
    """What a specification said from some moment on."""


@output(OpenAPIContentOut)
class OpenAPIContent:
    """The files of a version as data."""


@output(OpenAPIRawOut)
class OpenAPIRaw:
    """The file that a version begins with, as it came."""


@strawberry.type
class OrganizationOpenAPI:
    """What an organization tells of its specifications."""

    @reads(specs.list_specs)
    async def openapi_specs(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[OpenAPISpec]:
        return await pages(info, specs.list_specs, self["id"], first=first, after=after, show=spec)


@strawberry.type
class OpenAPIQuery:
    @reads(specs.get)
    async def openapi_spec(self, info: Info, organization: ID, spec_slug: str) -> OpenAPISpec | None:
        return await read(info, specs.get, organization, spec_slug, show=spec)

    @reads(versions.list_versions)
    async def openapi_versions(
        self, info: Info, organization: ID, spec_slug: str, first: int = FIRST, after: str | None = None
    ) -> Connection[OpenAPISpecVersion]:
        call = versions.list_versions
        return await pages(info, call, organization, spec_slug, first=first, after=after, show=version)

    @reads(versions.get_latest)
    async def latest_openapi_version(
        self, info: Info, organization: ID, spec_slug: str
    ) -> OpenAPISpecVersion | None:
        return await read(info, versions.get_latest, organization, spec_slug, show=version)

    @reads(versions.get)
    async def openapi_version(
        self, info: Info, organization: ID, spec_slug: str, version_id: ID
    ) -> OpenAPISpecVersion | None:
        return await read(info, versions.get, organization, spec_slug, version_id, show=version)

    @reads(versions.get_latest_content)
    async def latest_openapi_content(
        self, info: Info, organization: ID, spec_slug: str
    ) -> OpenAPIContent | None:
        return await read(info, versions.get_latest_content, organization, spec_slug, show=content)

    @reads(versions.get_content)
    async def openapi_content(
        self, info: Info, organization: ID, spec_slug: str, version: ID
    ) -> OpenAPIContent | None:
        return await read(info, versions.get_content, organization, spec_slug, version, show=content)

    @reads(versions.get_latest_raw)
    async def latest_openapi_raw(self, info: Info, organization: ID, spec_slug: str) -> OpenAPIRaw | None:
        return await read(info, versions.get_latest_raw, organization, spec_slug, show=raw)


@strawberry.type
class OpenAPIMutation:
    @writes(specs.create)
    async def create_openapi_spec(
        self, info: Info, organization: ID, new: OpenAPISpecCreateInput
    ) -> OpenAPISpec | None:
        return await write(info, specs.create, organization, body(OpenAPISpecCreate, new), show=spec)

    @writes(specs.put)
    async def put_openapi_spec(
        self, info: Info, organization: ID, spec_slug: str, change: OpenAPISpecPutInput
    ) -> OpenAPISpec | None:
        asked = body(OpenAPISpecPut, change)
        return await write(info, specs.put, organization, spec_slug, asked, show=spec)

    @writes(specs.update)
    async def update_openapi_spec(
        self, info: Info, organization: ID, spec_slug: str, change: OpenAPISpecUpdateInput
    ) -> OpenAPISpec | None:
        asked = body(OpenAPISpecUpdate, change)
        return await write(info, specs.update, organization, spec_slug, asked, show=spec)

    @writes(specs.delete)
    async def delete_openapi_spec(self, info: Info, organization: ID, spec_slug: str) -> bool | None:
        return await write(info, specs.delete, organization, spec_slug)
