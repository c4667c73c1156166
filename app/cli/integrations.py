"""`docyard integration`: publish what stands in a folder; stop an integration, and let it go on.

The folder has a manifest, `integration.json`, `.yaml` or `.yml`, with the fields of the API. `script`, icons
and preview images are files in the folder; a secret may be taken from the environment, as `${NAME}`.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from pathlib import Path
from typing import Annotated, Any

import orjson
import yaml
from cyclopts import App, Parameter

from app.access.context import Context
from app.cli.output import advice, give, say
from app.cli.session import OPERATOR, DatabaseOption, acting_in, action, change, opened
from app.domain.integrations import installation_status, integrations
from app.kit.errors import Invalid, NotFound
from app.models.checks import checked
from app.models.manifests import IntegrationPublish

app = App(name="integration")
NAMES = ("integration.json", "integration.yaml", "integration.yml")
_VARIABLE = re.compile(r"\$\{(\w+)\}")


@app.command
async def publish(
    path: Annotated[Path, Parameter(help="folder with integration.json or .yaml, or that file")],
    /,
    *,
    org: Annotated[str | None, Parameter(help="id of the organization, if not the manifest's")] = None,
    name: Annotated[str | None, Parameter(help="name of the integration, if not the manifest's")] = None,
    database: DatabaseOption = None,
) -> None:
    """Publish the integration of a folder, or a new version of it, and print its name."""
    manifest = read_manifest(path)
    known = name or manifest.pop("name", None)
    owner = org or manifest.get("organization")
    if not isinstance(known, str) or not isinstance(owner, str):
        raise Invalid("Give the integration a `name` and an `organization`, there or as --name and --org.")
    manifest.pop("name", None)
    asked = checked(IntegrationPublish, {**manifest, "organization": owner}, strict=True)

    async def run(cx: Context) -> Any:
        with advice("List them with: docyard org list"):
            return await integrations.publish(acting_in(cx, owner), known, asked)

    async with opened(database) as runtime:
        found = await runtime.write(OPERATOR, run, action())
    say(f"Published version {found.version}.")
    give(known)


NameArgument = Annotated[str, Parameter(help="name of the integration")]
WhereOption = Annotated[str | None, Parameter(help="id of one organization; else wherever it is installed")]


@app.command
async def pause(name: NameArgument, /, *, org: WhereOption = None, database: DatabaseOption = None) -> None:
    """Stop an integration where it is installed: its tokens open nothing, its script is not run."""
    count = await change(database, lambda cx: installation_status.pause(cx, name, org))
    say(f"Paused in {count} organization{'' if count == 1 else 's'}.")


@app.command
async def resume(name: NameArgument, /, *, org: WhereOption = None, database: DatabaseOption = None) -> None:
    """Let an integration that was paused go on."""
    count = await change(database, lambda cx: installation_status.resume(cx, name, org))
    say(f"Resumed in {count} organization{'' if count == 1 else 's'}.")


def read_manifest(path: Path) -> dict[str, Any]:
    """Return a manifest with its files in place of their names; raises Invalid or NotFound."""
    file = path if path.is_file() else next((path / n for n in NAMES if (path / n).is_file()), None)
    if file is None:
        raise NotFound(f"{path} has none of {', '.join(NAMES)}.")
    try:
        text = file.read_text(encoding="utf-8")
        manifest = orjson.loads(text) if file.suffix == ".json" else yaml.safe_load(text)
    except (OSError, UnicodeDecodeError, orjson.JSONDecodeError, yaml.YAMLError) as error:
        raise Invalid(f"{file} cannot be read: {error}.") from None
    if not isinstance(manifest, dict):
        raise Invalid(f"{file} must hold one object.")
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
            raise NotFound(f"The environment has no {found[1]}, which a secret is taken from.")
        return os.environ[found[1]]

    return _VARIABLE.sub(filled, value)
