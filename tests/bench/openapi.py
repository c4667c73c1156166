"""A specification of 500 operations: read, checked and made into pages, beside its validation by the library.

Then in a process of its own, as the product does it, beside the same for the library; and a space that shows
it: what one changed operation writes, beside the first time.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from statistics import median
from time import perf_counter
from typing import Any

import orjson

from app.access.context import Context
from app.cli.session import acting_in
from app.domain.content.views import Where
from app.domain.openapi import openapi_jobs
from app.domain.openapi.openapi_files import FetchedFile
from app.domain.openapi.openapi_jobs import Begun, Result, finish
from app.domain.openapi.openapi_specs import BY_ID, put
from app.domain.organizations import organizations, users
from app.domain.revisions import edits
from app.domain.revisions.openapi_pages import TYPE, renew
from app.domain.spaces import spaces
from app.formats.openapi import validation
from app.formats.openapi.worker import process
from app.kit.ids import new_id
from app.kit.settings import Settings
from app.main import Services, create_app
from app.models.checks import checked
from app.models.content_changes import ContentChanges, ContentChangesQuery
from app.models.jobs import Job
from app.models.openapi_specs import OpenAPISpecPut
from app.models.organizations import OrganizationCreate
from app.models.spaces import SpaceCreate
from app.runtime import Runtime
from tests.bench.options import Options
from tests.bench.report import Goal, Row, ratio

OPERATIONS, SCHEMAS, TAGS = 500, 100, 20
TWICE = Goal(most=2.0)
LIBRARY = """
import sys
import orjson
from openapi_spec_validator import OpenAPIV31SpecValidator
assert not list(OpenAPIV31SpecValidator(orjson.loads(sys.stdin.buffer.read())).iter_errors())
"""


def run(options: Options) -> list[Row]:
    """Time all of it."""
    rounds = options.rounds_or(5)
    data = orjson.dumps(document())
    return [_inside(data, rounds), _in_a_process(data, rounds), asyncio.run(_in_a_space(options))]


def document(changed: bool = False) -> dict[str, Any]:
    """A specification of 500 operations with schemas that refer to each other."""
    paths: dict[str, Any] = {}
    for n in range(OPERATIONS // 2):
        body = {"application/json": {"schema": {"$ref": f"#/components/schemas/Thing{n % SCHEMAS}"}}}
        thing = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        limit = {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 0}}
        common: dict[str, Any] = {"tags": [f"tag {n % TAGS}"], "description": "What it does. " * 10}
        paths[f"/things{n}/{{id}}"] = {
            "get": {
                **common,
                "operationId": f"get{n}",
                "summary": f"Get thing {n}{' now' if changed and n == 0 else ''}",
                "parameters": [thing, limit],
                "responses": {
                    "200": {"description": "The thing", "content": body},
                    "404": {"description": "There is none"},
                },
            },
            "post": {
                **common,
                "operationId": f"post{n}",
                "summary": f"Make thing {n}",
                "parameters": [thing],
                "requestBody": {"content": body},
                "responses": {"201": {"description": "The new thing", "content": body}},
            },
        }
    schemas = {
        f"Thing{n}": {
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "next": {"$ref": f"#/components/schemas/Thing{(n + 1) % SCHEMAS}"},
                "sizes": {"type": "array", "items": {"type": "integer"}},
            },
        }
        for n in range(SCHEMAS)
    }
    head = {"openapi": "3.1.0", "info": {"title": "Things", "version": "1"}}
    return {**head, "paths": paths, "components": {"schemas": schemas}}


def _inside(data: bytes, rounds: int) -> Row:
    validation.prepare("3.1")
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(_time(lambda: validation.validate(orjson.loads(data), "3.1")))
        ours.append(_time(lambda: process({"": data}, "")))
    figures = {"ms": median(ours)}, {"ms": median(theirs)}
    what = f"{OPERATIONS} operations: read, checked, made into pages"
    return Row(what, "validation by the library alone", {"time": ratio(ours, theirs)}, TWICE, *figures)


def _in_a_process(data: bytes, rounds: int) -> Row:
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(_time(lambda: subprocess.run([sys.executable, "-c", LIBRARY], input=data, check=True)))
        ours.append(_time(lambda: openapi_jobs.read_in_process({"": data}, "", {"": ""}, seconds=300)))
    figures = {"ms": median(ours)}, {"ms": median(theirs)}
    return Row(
        "the same in a process of its own",
        "the library in one",
        {"time": ratio(ours, theirs)},
        TWICE,
        *figures,
    )


def _time(call: Any) -> float:
    """Milliseconds of one call."""
    began = perf_counter()
    call()
    return (perf_counter() - began) * 1e3


async def _in_a_space(options: Options) -> Row:
    """A space that shows the specification, before and after one operation changed."""
    path = options.scratch / f"openapi-{new_id()}.db"
    instance: Services = create_app(Settings(database=str(path), shared_origin=True)).state.services
    await instance.ready()
    async with instance.db.transaction() as tx:
        nobody = instance.runtime.context_of_nobody()
        nobody.db = tx
        owner = await users.create(nobody, "ada@example.org", "Ada")
        organization = (await organizations.found(nobody, owner.id, OrganizationCreate(title="Things"))).id
        cx = acting_in(nobody, organization)
        spec = await _read(cx, organization, document())
        space = await spaces.create(cx, organization, checked(SpaceCreate, {"title": "API"}, strict=True))
    first = await _place(instance, organization, space.id)
    async with instance.db.transaction() as tx:
        nobody.db = tx
        await _read(acting_in(nobody, organization), organization, document(changed=True))
    began = perf_counter()
    await renew(instance.runtime, _job(instance.runtime, spec))
    again = (perf_counter() - began) * 1e3
    await instance.close()
    return Row(
        "one operation of 500 changed: the space's next revision",
        "all pages for the first time",
        {"time": again / first},
        None,
        {"ms": again},
        {"ms": first},
    )


async def _read(cx: Context, organization: str, value: dict[str, Any]) -> str:
    text = orjson.dumps(value)
    body = checked(OpenAPISpecPut, {"source": {"text": text.decode()}}, strict=True)
    made = await put(cx, organization, "things", body)
    spec = await cx.db.first(BY_ID, id=made.id)
    assert spec is not None
    result = Result([FetchedFile("", text)], "", {"": "openapi.json"}, process({"": text}, ""))
    await finish(cx, Begun(spec, spec.run), result)
    return spec.id


async def _place(instance: Services, organization: str, space: str) -> float:
    change = {"operation": "insert_page", "type": "computed", "computed": {"type": TYPE, "spec": "things"}}
    body = checked(ContentChanges, {"changes": [change]}, strict=True)
    began = perf_counter()
    async with instance.db.transaction() as tx:
        cx = instance.runtime.context_of_nobody()
        cx.db = tx
        await edits.change_content(acting_in(cx, organization), Where(space), ContentChangesQuery(), body, {})
    return (perf_counter() - began) * 1e3


def _job(runtime: Runtime, subject: str) -> Job:
    now = runtime.clock()
    return Job(
        id="",
        kind="",
        subject=subject,
        organization_id="",
        payload={},
        state="running",
        due_at=now,
        attempts=1,
        created_at=now,
    )
