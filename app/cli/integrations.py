"""`docyard integration`: publish what stands in a folder; stop an integration, and let it go on.

The folder has a manifest, `integration.json`, `.yaml` or `.yml`, with the fields of the API. `script`, icons
and preview images are files in the folder; a secret may be taken from the environment, as `${NAME}`.

`docyard openapi`: specifications from the command line, made for pipelines that publish them.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import orjson
import yaml
from cyclopts import App, Parameter
from sqlalchemy import select

from app.access.context import Context
from app.cli import login_profile, remote
from app.cli.command_settings import DatabaseOption
from app.cli.output import advice, bar, give, say
from app.cli.session import OPERATOR, acting_in, action, change, opened
from app.domain.integrations import integration_rows, integrations
from app.domain.jobs import JobRuntime
from app.domain.openapi import openapi_specs
from app.kit.database.statements import given, rows, table
from app.kit.errors import Invalid, NotFound, Unprocessable
from app.models.checks import checked
from app.models.jobs import Job
from app.models.manifests import IntegrationPublish
from app.models.openapi_specs import OpenAPISpecPut
from app.models.organizations import Organization

app = App(name="integration")
NAMES = ("integration.json", "integration.yaml", "integration.yml")
_VARIABLE = re.compile(r"\$\{(\w+)\}")


@app.command
async def publish(
    path: Annotated[Path, Parameter(help="folder with integration.json or .yaml, or the file itself")],
    /,
    *,
    org: Annotated[str | None, Parameter(help="id of the organization, if not in the manifest")] = None,
    name: Annotated[str | None, Parameter(help="name of the integration, if not in the manifest")] = None,
    database: DatabaseOption = None,
) -> None:
    """Publish an integration or a new version of it from a folder, and print its name."""
    manifest = read_manifest(path)
    known = name or manifest.pop("name", None)
    owner = org or manifest.get("organization")
    if not isinstance(known, str) or not isinstance(owner, str):
        raise Invalid("Give the `name` and `organization` in the manifest, or with --name and --org.")
    manifest.pop("name", None)
    wanted = {**manifest, "organization": owner}
    asked = checked(IntegrationPublish, wanted, strict=True)
    if (profile := login_profile.chosen(database)) is not None:
        made = await remote.publish_integration(profile, known, wanted)
        _tell_published(known, made["version"], made.get("warnings", ()))
        return

    async def run(cx: Context) -> Any:
        with advice("List them with: docyard org list"):
            return await integrations.publish(acting_in(cx, owner), known, asked)

    async with opened(database) as runtime:
        with advice("List them with: docyard org list"):
            await integrations.check_script(acting_in(runtime.context(OPERATOR), owner), known, asked)
        found = await runtime.write(OPERATOR, run, action())
    _tell_published(known, found.version, found.manifest["warnings"])


def _tell_published(name: str, version: int, warnings: Sequence[Mapping[str, Any]]) -> None:
    """Print the name of an integration, and say what its version is and what of it has no effect."""
    say(f"Published version {version}.")
    for each in warnings:
        say(f"{each['path']}: {each['message']}")
    give(name)


NameArgument = Annotated[str, Parameter(help="name of the integration")]
WhereOption = Annotated[
    str | None, Parameter(help="id of an organization (default: wherever it is installed)")
]


@app.command
async def pause(name: NameArgument, /, *, org: WhereOption = None, database: DatabaseOption = None) -> None:
    """Pause an integration: its tokens stop working and its script does not run."""
    count = await change(database, lambda cx: integration_rows.pause(cx, name, org))
    say(f"Paused in {count} organization{'' if count == 1 else 's'}.")


@app.command
async def resume(name: NameArgument, /, *, org: WhereOption = None, database: DatabaseOption = None) -> None:
    """Resume a paused integration."""
    count = await change(database, lambda cx: integration_rows.resume(cx, name, org))
    say(f"Resumed in {count} organization{'' if count == 1 else 's'}.")


def read_manifest(path: Path) -> dict[str, Any]:
    """Return a manifest with its files in place of their names; raises Invalid or NotFound."""
    file = path if path.is_file() else next((path / n for n in NAMES if (path / n).is_file()), None)
    if file is None:
        raise NotFound(f"{path} contains none of {', '.join(NAMES)}.")
    try:
        text = file.read_text(encoding="utf-8")
        manifest = orjson.loads(text) if file.suffix == ".json" else yaml.safe_load(text)
    except (OSError, UnicodeDecodeError, orjson.JSONDecodeError, yaml.YAMLError) as error:
        raise Invalid(f"{file} cannot be read: {error}.") from None
    if not isinstance(manifest, dict):
        raise Invalid(f"{file} must contain one object.")
    folder = file.parent
    if isinstance(manifest.get("script"), str):
        manifest["script"] = _bytes(folder, manifest["script"]).decode("utf-8")
    for holder in (manifest, *_items(manifest, "blocks"), *_items(manifest, "contentSources")):
        if isinstance(holder.get("icon"), str) and not holder["icon"].startswith("http"):
            holder["icon"] = _picture(folder, holder["icon"])
    if isinstance(manifest.get("previewImages"), list):
        manifest["previewImages"] = [_picture(folder, str(name)) for name in manifest["previewImages"]]
    if isinstance(manifest.get("secrets"), dict):
        manifest["secrets"] = {name: _secret(value) for name, value in manifest["secrets"].items()}
    return manifest


def _items(manifest: dict[str, Any], field: str) -> list[dict[str, Any]]:
    found = manifest.get(field)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _picture(folder: Path, name: str) -> str:
    return b64encode(_bytes(folder, name)).decode()


def _bytes(folder: Path, name: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except OSError as error:
        raise NotFound(f"{folder / name} cannot be read: {error.strerror}.") from None


def _secret(value: Any) -> Any:
    if not isinstance(value, str):
        return value

    def filled(found: re.Match[str]) -> str:
        if found[1] not in os.environ:
            raise NotFound(f"A secret refers to the environment variable {found[1]}, which is not set.")
        return os.environ[found[1]]

    return _VARIABLE.sub(filled, value)


openapi_app = App(name="openapi", help="Publish OpenAPI specifications.", help_format="plaintext")
STEPS = 3
ORGANIZATIONS = table(Organization)
_ORGANIZATION = rows(lambda: select(ORGANIZATIONS.c.id).where(ORGANIZATIONS.c.id == given("id")))


@openapi_app.command(name="publish")
async def publish_openapi(
    source: Annotated[str, Parameter(help="the specification: a file or an http(s) URL")],
    /,
    *,
    org: Annotated[str, Parameter(help="id of the organization")],
    slug: Annotated[str, Parameter(help="slug of the specification, such as “pets-api”")],
    database: DatabaseOption = None,
) -> None:
    """Publish an OpenAPI specification and print the id of its version.

    What is wrong with it is told line by line, and then the version before stays. Pages that are computed
    from it are up to date when the command ends.
    """
    wanted = _source(source)
    if not openapi_specs.is_slug(slug):
        raise Invalid(
            f"“{slug}” is not a valid slug. Use at most 100 lowercase letters, digits and single hyphens."
        )
    if (profile := login_profile.chosen(database)) is not None:
        await remote.publish_openapi(profile, org, slug, source, wanted)
        return
    async with opened(database) as runtime:
        with bar("Publishing", STEPS) as progress:
            spec = await runtime.write(OPERATOR, lambda cx: _put(cx, org, slug, wanted), action())
            progress(1)
            await _process(runtime, spec, progress)
        done = await runtime.context(OPERATOR).db.first(openapi_specs.BY_ID, id=spec.id)
    if done is None or done.run != spec.run:
        raise Unprocessable("Somebody else changed the specification in the meantime. Publish it again.")
    if done.errors:
        told = "\n".join(f"  {error['message']}" for error in done.errors)
        raise Unprocessable(f"{source} was not published ({done.errors[0]['code']}):\n{told}")
    if done.warnings:
        told = "\n".join(f"  {' '.join(filter(None, each.values()))}" for each in done.warnings)
        say(f"{source} was published with warnings:\n{told}")
    is_new = done.last_version != spec.last_version
    say(f"“{slug}” has a new version." if is_new else f"“{slug}” has not changed.")
    give(str(done.last_version))


def _source(source: str) -> dict[str, str]:
    """Return the source of the body; raises Invalid where there is no such file."""
    if source.startswith(("http://", "https://")):
        return {"url": source}
    path = Path(source)
    if not path.is_file():
        raise NotFound(f"There is no file {source}. Give a JSON or YAML file, or an http(s) URL.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (UnicodeDecodeError, OSError) as error:
        raise Invalid(f"{source} cannot be read as text: {error}.") from None
    if not text.strip():
        raise Invalid(f"{source} is empty.")
    return {"text": text}


async def _put(cx: Context, organization_id: str, slug: str, source: dict[str, str]) -> Any:
    if await cx.db.first(_ORGANIZATION, id=organization_id) is None:
        raise NotFound(f"There is no organization {organization_id}. `docyard org list` lists them.")
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
