"""Factories for OpenAPI specifications: documents, and specifications that were read at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from sqlalchemy import select

from app.access.context import Actor, Context, Membership
from app.access.rights import Level
from app.domain import lanes
from app.domain.openapi import openapi_jobs as processing
from app.domain.openapi import openapi_specs
from app.domain.openapi.openapi_files import FetchedFile
from app.domain.openapi.openapi_specs import BY_ID, PROCESS, RENEW
from app.domain.revisions import openapi_pages
from app.formats.openapi.worker import process
from app.kit.database.engines import open_database
from app.kit.database.statements import given, query, table
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.models.jobs import Job
from app.models.openapi_specs import OpenAPISource, OpenAPISpecPut
from app.runtime import Runtime
from tests.cast import Cast

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def document(**more: Any) -> dict[str, Any]:
    """A small specification with something of everything."""
    pet = {
        "type": "object",
        "required": ["name"],
        "properties": {
            "id": {"type": "integer", "readOnly": True},
            "name": {"type": "string", "description": "What it is called", "example": "Rex"},
            "friends": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}},
        },
    }
    answer = {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}
    limit = {"name": "limit", "in": "query", "description": "How many", "schema": {"type": "integer"}}
    pet_id = {"name": "petId", "in": "path", "required": True, "schema": {"type": "string"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Kennel API", "version": "1.2.0", "description": "Dogs and who keeps them."},
        "servers": [{"url": "https://api.example.org/v1"}],
        "tags": [{"name": "pets", "description": "Everything about pets."}],
        "paths": {
            "/pets": {
                "get": {
                    "operationId": "listPets",
                    "summary": "List pets",
                    "description": "All of them, *oldest* first.",
                    "tags": ["pets"],
                    "parameters": [limit],
                    "responses": {"200": {"description": "The pets", "content": answer}},
                },
                "post": {
                    "operationId": "createPet",
                    "summary": "Add a pet",
                    "tags": ["pets"],
                    "requestBody": {"required": True, "content": answer},
                    "responses": {"201": {"description": "The new pet", "content": answer}},
                    "security": [{"token": []}],
                },
            },
            "/pets/{petId}": {
                "parameters": [pet_id],
                "get": {
                    "operationId": "getPet",
                    "summary": "Get a pet",
                    "tags": ["pets"],
                    "deprecated": True,
                    "responses": {"200": {"description": "The pet", "content": answer}},
                },
            },
        },
        "components": {
            "schemas": {"Pet": pet},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        **more,
    }


def as_text(value: Any) -> str:
    """A document as JSON."""
    return orjson.dumps(value).decode()


def path(cast: Cast, slug: str = "") -> str:
    """The address of the organization's specifications, or of one."""
    return f"/v1/orgs/{cast.organization}/openapi" + (f"/{slug}" if slug else "")


def spec(cast: Cast, slug: str = "kennel", value: Any = None) -> dict[str, Any]:
    """A specification that was read: made, or set and read anew.

    All in one transaction, which leaves the running product nothing to read: what is there stays so.
    """
    text = as_text(document() if value is None else value)
    answer = process({"": text.encode()}, "")
    names = {"": f"openapi.{answer['formats']['']}"}
    result = processing.Result([FetchedFile("", text.encode())], "", names, answer)
    standing = {cast.organization: Membership(cast.organization, Level.ADMIN, Level.ADMIN)}

    async def write(cx: Context) -> None:
        acting = replace(cx, actor=Actor(cast.ada.id, memberships=standing))
        source = OpenAPISpecPut(source=OpenAPISource(text=text))
        row = await openapi_specs.put(acting, cast.organization, slug, source)
        await processing.finish(acting, processing.Begun(row, row.run), result)

    cast.instance.inside(write)
    made: dict[str, Any] = cast.ada.get(path(cast, slug)).json()
    return made


@contextmanager
def left_alone() -> Iterator[None]:
    """The running product leaves specifications, and the pages made of them, to the test meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        for lane in lanes.LANES:
            for kind in {PROCESS, RENEW} & lane.kinds.keys():
                patch.delitem(lane.kinds, kind)
        yield


def renew(cast: Cast, slug: str = "kennel") -> None:
    """Do what the job does that brings computed pages up to date."""
    renew_pages(cast, cast.ada.get(path(cast, slug)).json()["id"])


def renew_pages(cast: Cast, spec_id: str) -> None:
    """Do the same for a specification that may be deleted."""
    at_work(cast, lambda runtime: openapi_pages.renew(runtime, _job(spec_id)))


def process_job(cast: Cast, spec_id: str, run: str, *, attempt: int = 1, **settings: Any) -> None:
    """Do what the job does that reads a specification, fetching and all."""
    job = _job(spec_id, run=run)
    job.attempts = attempt
    at_work(cast, lambda runtime: processing.process(runtime, job), **settings)


def at_work(cast: Cast, call: Callable[[Runtime], Awaitable[None]], **settings: Any) -> None:
    """Work as a process of its own on the same database does."""
    asyncio.run(_at_work(cast.instance.settings.model_copy(update=settings), call))


async def _at_work(settings: Settings, call: Callable[[Runtime], Awaitable[None]]) -> None:
    db = open_database(settings.database)
    try:
        await call(Runtime(db, settings, Signer(b"")))
    finally:
        await db.close()


def _job(subject: str, **payload: Any) -> Job:
    return Job(
        id="job",
        kind="",
        subject=subject,
        organization_id="",
        payload=payload,
        state="running",
        attempts=1,
        due_at=NOW,
        created_at=NOW,
    )


def settled(cast: Cast, spec_id: str, **settings: Any) -> None:
    """Have a specification read as its job would."""
    process_job(cast, spec_id, run_of(cast, spec_id), **settings)


def run_of(cast: Cast, spec_id: str) -> str:
    """The processing of a specification that counts now."""

    async def find(cx: Context) -> str:
        row = await cx.db.first(BY_ID, id=spec_id)
        assert row is not None
        return row.run

    return cast.instance.inside(find)


def next_reading(cast: Cast, spec_id: str) -> datetime | None:
    """When a specification is to be read again."""

    async def find(cx: Context) -> datetime | None:
        found = await cx.db.first(_NEXT, subject=spec_id)
        return found.due_at if found else None

    return cast.instance.inside(find)


def moment(text: str) -> datetime:
    """A time as it was sent."""
    return datetime.fromisoformat(text)


JOBS = table(Job)
_NEXT = query(
    Job,
    lambda: select(*JOBS.c).where(
        JOBS.c.subject == given("subject"), JOBS.c.kind == PROCESS, JOBS.c.state != "running"
    ),
)


def rich() -> dict[str, Any]:
    """The small specification with servers to choose, alternatives, limits, maps and null."""
    found = document()
    found["servers"] = [
        {
            "url": "https://{region}.example.org/{stage}",
            "description": "Production",
            "variables": {
                "region": {"default": "eu", "enum": ["eu", "us"], "description": "Where data is kept"},
                "stage": {"default": "v1"},
            },
        },
        {"url": "https://test.example.org", "description": "Test"},
    ]
    cat = {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}, "lives": {
        "type": "integer", "minimum": 1, "maximum": 9, "default": 9}}}  # fmt: skip
    dog = {"type": "object", "properties": {"kind": {"type": "string"}, "tricks": {
        "type": "array", "maxItems": 20, "items": {"type": "string", "enum": ["sit", "roll"]}}}}  # fmt: skip
    schemas = found["components"]["schemas"]
    schemas |= {"Cat": cat, "Dog": dog}
    refs = [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}]
    mapping = {"cat": "#/components/schemas/Cat", "dog": "#/components/schemas/Dog"}
    schemas["Animal"] = {
        "description": "An animal of one kind.",
        "oneOf": refs,
        "discriminator": {"propertyName": "kind", "mapping": mapping},
    }
    pet = schemas["Pet"]["properties"]
    pet["animal"] = {"$ref": "#/components/schemas/Animal"}
    pet["tag"] = {"anyOf": [{"type": "string", "maxLength": 20}, {"type": "null"}]}
    pet["notes"] = {"type": "object", "additionalProperties": {"type": "string"}}
    pet["chip"] = {"type": "string", "pattern": "^[A-Z]{3}$", "deprecated": True}
    pet["secret"] = {"type": "string", "writeOnly": True}
    schemes = found["components"]["securitySchemes"]
    schemes["key"] = {
        "type": "apiKey",
        "in": "header",
        "name": "X-Key",
        "description": "A key of the kennel.",
    }
    found["paths"]["/pets"]["post"]["security"] = [{"token": []}, {"key": []}]
    wrong = {"application/json": {"example": {"error": "There is no room."}}}
    found["paths"]["/pets"]["post"]["responses"]["409"] = {"description": "No room", "content": wrong}
    return found
