"""`docyard openapi`: specifications from the command line, made for pipelines that publish them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter
from sqlalchemy import select

from app.access.context import Context
from app.cli.output import bar, give, say
from app.cli.session import OPERATOR, DatabaseOption, acting_in, action, opened
from app.domain.jobs.job_runtime import JobRuntime
from app.domain.openapi import openapi_specs
from app.kit.database.statements import given, rows, table
from app.kit.errors import Invalid, NotFound, Unprocessable
from app.models.checks import checked
from app.models.openapi_specs import OpenAPISpecPut
from app.models.organizations import Organization
from app.models.service import Job

app = App(name="openapi", help="OpenAPI specifications: publish.", help_format="plaintext")
STEPS = 3
_o = table(Organization)
_ORGANIZATION = rows(lambda: select(_o.c.id).where(_o.c.id == given("id")))


@app.command
async def publish(
    source: Annotated[str, Parameter(help="the specification: a file, or an http address")],
    /,
    *,
    org: Annotated[str, Parameter(help="id of the organization")],
    slug: Annotated[str, Parameter(help="what the specification is called there, like “pets-api”")],
    database: DatabaseOption = None,
) -> None:
    """Publish an OpenAPI specification and print the id of its version.

    What is wrong with it is told line by line, and then the version before stays. Pages that are computed
    from it are up to date when the command ends.
    """
    wanted = _source(source)
    if not openapi_specs.is_slug(slug):
        raise Invalid(f"“{slug}” cannot be a slug: small letters, digits and single hyphens, at most 100.")
    async with opened(database) as runtime:
        with bar("Publishing", STEPS) as progress:
            spec = await runtime.write(OPERATOR, lambda cx: _put(cx, org, slug, wanted), action())
            progress(1)
            await _process(runtime, spec, progress)
        done = await runtime.context(OPERATOR).db.first(openapi_specs.BY_ID, id=spec.id)
    if done is None or done.run != spec.run:
        raise Unprocessable("Somebody else changed the specification meanwhile; publish it again.")
    if done.errors:
        told = "\n".join(f"  {error['message']}" for error in done.errors)
        raise Unprocessable(f"{source} was not published ({done.errors[0]['code']}):\n{told}")
    if done.warnings:
        told = "\n".join(f"  {' '.join(filter(None, each.values()))}" for each in done.warnings)
        say(f"{source} has faults that do no harm:\n{told}")
    is_new = done.last_version != spec.last_version
    say(f"“{slug}” has a new version." if is_new else f"“{slug}” has not changed.")
    give(str(done.last_version))


def _source(source: str) -> dict[str, str]:
    """Return the source of the body; raises Invalid where there is no such file."""
    if source.startswith(("http://", "https://")):
        return {"url": source}
    path = Path(source)
    if not path.is_file():
        raise NotFound(f"There is no file {source}. Name a JSON or YAML file, or an address with http(s)://.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (UnicodeDecodeError, OSError) as error:
        raise Invalid(f"{source} cannot be read as text: {error}.") from None
    if not text.strip():
        raise Invalid(f"{source} is empty.")
    return {"text": text}


async def _put(cx: Context, organization_id: str, slug: str, source: dict[str, str]) -> Any:
    if await cx.db.first(_ORGANIZATION, id=organization_id) is None:
        raise NotFound(f"There is no organization {organization_id}. `docyard org list` shows all.")
    body = checked(OpenAPISpecPut, {"source": source}, strict=True)
    spec = await openapi_specs.put(acting_in(cx, organization_id), organization_id, slug, body)
    cx.note("openapi-spec", spec.id, organization_id, slug)
    return spec


async def _process(runtime: JobRuntime, spec: Any, progress: Any) -> None:
    """Do here what the jobs of a server would do; theirs then find that it is done."""
    from app.domain.openapi import openapi_jobs
    from app.domain.revisions import openapi_pages

    await openapi_jobs.process(runtime, _job(runtime, spec, {"run": spec.run}))
    progress(1)
    await openapi_pages.renew(runtime, _job(runtime, spec, {}))
    progress(1)


def _job(runtime: JobRuntime, spec: Any, payload: dict[str, Any]) -> Job:
    now = runtime.clock()
    return Job(
        id="",
        kind="",
        subject=spec.id,
        organization_id=spec.organization_id,
        payload=payload,
        state="running",
        due_at=now,
        attempts=1,
        created_at=now,
    )
