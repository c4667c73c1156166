"""Integrations: published, found, taken back, put into development mode (specification, Integrations).

Publishing replaces the manifest and adds a version; pictures and secrets stay where none are sent. Names are
one space for everybody: the first to publish one keeps it until they take the integration back.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from sqlalchemy import or_, select

from app.access.context import Context
from app.access.fetch import named, permit_in
from app.domain import jobs
from app.domain.integrations import integration_pictures as pictures
from app.domain.integrations import (
    integration_rows,
    integration_secrets,
    integration_versions,
    outbox,
    unknown_fields,
)
from app.domain.integrations.integration_rows import (
    ORGANIZATIONS,
    SHOWN,
    WHOLE,
    find,
    note,
)
from app.domain.organizations import quotas
from app.formats.text import url_patterns
from app.kit.database.columns import Key
from app.kit.database.statements import given, rows
from app.kit.errors import Forbidden, Invalid, Unavailable
from app.kit.http.urls import safe_server
from app.kit.ids import new_id
from app.models.installations import Installation
from app.models.integration_events import IntegrationDevelopment
from app.models.integrations import Integration
from app.models.manifests import IntegrationPublish
from app.models.users import User

PURGE_INTEGRATION = "purge_integration"
LAST_WORDS = timedelta(hours=1)  # that an integration stays after it was taken back, for its last events
NAME = re.compile(r"[a-zA-Z0-9_.-]{1,100}")

_ORGANIZATION = rows(
    lambda: select(ORGANIZATIONS.c.id).where(
        or_(
            ORGANIZATIONS.c.id == given("organization", Key),
            ORGANIZATIONS.c.hostname == given("organization", Key),
        )
    )
)


async def get(cx: Context, integration_name: str) -> Any:
    """Get an integration by its name."""
    return await find(cx, integration_name, using=SHOWN)


async def check_script(cx: Context, integration_name: str, manifest: IntegrationPublish) -> None:
    """Load the script of a manifest, unless nothing here runs scripts.

    Raises Invalid with line and message where it does not load, or has no `fetch`.
    """
    from app.kit.sandbox.running import run
    from app.kit.sandbox.shapes import Budget

    await _publisher(cx, manifest.organization)
    budget, places = Budget(memory=cx.settings.script_memory), cx.settings.scripts
    loaded = await run(manifest.script, None, owner=integration_name, budget=budget, places=places)
    if loaded.error == "SANDBOX_BUSY":
        raise Unavailable("Too many scripts run at the moment; try again shortly.")
    if loaded.error not in (None, "SANDBOX_MISSING"):
        raise Invalid(f"The script does not load: {loaded.message}", path="script")


async def publish(
    cx: Context, integration_name: str, manifest: IntegrationPublish, _checked: None = None
) -> Any:
    """Publish an integration or a new version of it, after its script was checked.

    Raises Forbidden where another organization has the name.
    """
    organization_id = await _publisher(cx, manifest.organization)
    if not NAME.fullmatch(integration_name) or not integration_name.strip("."):
        raise Invalid("A name has 1 to 100 letters, digits, “-”, “_” and “.”.", path="integrationName")
    before = await cx.db.first(WHOLE, name=integration_name)
    if before is not None and before.organization_id != organization_id:
        raise Forbidden("Another organization has published an integration of this name.")
    row = before or await _begun(cx, organization_id, integration_name, manifest)
    version = row.version + 1
    values = await _values(cx, row, manifest)
    await cx.tx.put(Integration, {**values, "version": version, "updated_at": cx.now}, id=row.id)
    await cx.tx.put(User, {"display_name": manifest.title}, id=row.user_id)
    # Those who publish agree for their own organization; others are asked (see installations.update).
    own = {"integration_id": row.id, "organization_id": organization_id}
    await cx.tx.put(Installation, {"agreed": values["scopes"]}, **own)
    await integration_versions.add(cx, row.id, version, manifest)
    asked = values["manifest"]["configurations"]
    if before is not None and before.manifest["configurations"] != asked:
        await integration_rows.update_statuses(cx, row, asked)
    found = await find(cx, integration_name, using=SHOWN)
    note(cx, found, organization_id)
    if "site:script:inject" in found.scopes:
        await jobs.enqueue(cx, outbox.FETCH_SCRIPTS, row.id, organization_id, due_at=cx.now)
    if before is not None and (manifest.content_sources or before.has_content_sources):
        for each in await cx.db.all(integration_rows.INSTALLATIONS_OF_INTEGRATION, integration=row.id):
            await outbox.renew_pages_of(cx, row.name, each.organization_id)
    return found


async def unpublish(cx: Context, integration_name: str) -> None:
    """Take an integration back: it is uninstalled everywhere, and its name is free again."""
    await take_back(cx, await find(cx, integration_name, can="admin"))


async def take_back(cx: Context, row: Any) -> None:
    """Uninstall an integration everywhere, and free its name; asks for no right."""
    note(cx, row, row.organization_id)
    told = [
        outbox.deleted(row, placement.organization_id, placement.installation_id, placement)
        for placement in await cx.db.all(integration_rows.PLACEMENTS_OF_INTEGRATION, integration=row.id)
    ]
    for installation in await cx.db.all(integration_rows.INSTALLATIONS_OF_INTEGRATION, integration=row.id):
        told.append(outbox.deleted(row, installation.organization_id, installation.id, installation))
        if row.has_content_sources:
            await outbox.renew_pages_of(cx, row.name, installation.organization_id)
    await cx.tx.remove(Installation, integration_id=row.id)
    gone = {"name": f"~{row.id}", "visibility": "private", "deleted_at": cx.now, "has_content_sources": False}
    await cx.tx.put(Integration, gone, id=row.id)
    await outbox.tell(cx, told)
    await jobs.enqueue(cx, PURGE_INTEGRATION, row.id, row.organization_id, due_at=cx.now + LAST_WORDS)


async def purge(cx: Context, integration_id: str) -> None:
    """Remove an integration that was taken back, with its events, versions and pictures."""
    await pictures.forget(cx, integration_id)
    await cx.tx.remove(Integration, id=integration_id)
    await quotas.release(cx, integration_id)


async def get_development(cx: Context, integration_name: str) -> Any:
    """Get the development mode of an integration: where its events are sent to instead of its script."""
    return await find(cx, integration_name, can="admin")


async def develop(cx: Context, integration_name: str, where: IntegrationDevelopment) -> None:
    """Send the events of an integration to a tunnel while it is developed.

    Only those of its own organization, unless `all` are asked for.
    """
    row = await find(cx, integration_name, can="admin")
    note(cx, row, row.organization_id)
    safe_server(where.tunnel_url, cx.settings.allowed_hosts, path="tunnelUrl")
    await cx.tx.put(Integration, {"tunnel_url": where.tunnel_url, "tunnel_all": where.all}, id=row.id)


async def stop_developing(cx: Context, integration_name: str) -> None:
    """End the development mode of an integration: its script gets the events again."""
    row = await find(cx, integration_name, can="admin")
    note(cx, row, row.organization_id)
    await cx.tx.put(Integration, {"tunnel_url": None, "tunnel_all": False}, id=row.id)


async def _publisher(cx: Context, organization: str) -> str:
    found = await cx.db.first(_ORGANIZATION, organization=organization)
    if found is None:
        raise Invalid("There is no such organization.", path="organization")
    with named("organization"):
        permit_in(cx, found.id, can="admin")
    return str(found.id)


async def _begun(cx: Context, organization_id: str, name: str, manifest: IntegrationPublish) -> Any:
    """Return a new integration, and the user that it acts as: no person, so without an address of one."""
    id_ = new_id()
    user = await cx.tx.add(
        User,
        id=new_id(),
        email=f"integration:{id_}",
        display_name=manifest.title,
        name_key=manifest.title.casefold(),
        photo_url=None,
        created_at=cx.now,
    )
    return await cx.tx.add(
        Integration,
        id=id_,
        name=name,
        organization_id=organization_id,
        user_id=user.id,
        version=0,
        runtime=manifest.runtime,
        title=manifest.title,
        description="",
        searched="",
        target="all",
        visibility="private",
        verified=False,
        scopes=[],
        categories=[],
        block_domains=[],
        has_blocks=False,
        has_content_sources=False,
        manifest={},
        secrets=integration_secrets.sealed(cx, {}),
        tunnel_url=None,
        tunnel_all=False,
        created_at=cx.now,
        updated_at=cx.now,
        deleted_at=None,
    )


async def _values(cx: Context, row: Integration, manifest: IntegrationPublish) -> dict[str, Any]:
    """Return the columns that a manifest sets."""
    held = await pictures.keep(cx, row, manifest)
    given_ = manifest.model_dump(mode="json", by_alias=True, exclude_unset=True)
    kept = {
        "summary": manifest.summary,
        "blocks": held.blocks,
        "contentSources": held.content_sources,
        "externalLinks": given_.get("externalLinks", []),
        "configurations": given_.get("configurations", {}),
        "contentSecurityPolicy": _policy(manifest),
        "icon": held.icon,
        "previewImages": held.previews,
        "warnings": unknown_fields.warnings(manifest),
    }
    values: dict[str, Any] = {
        "runtime": manifest.runtime,
        "title": manifest.title,
        "description": manifest.description,
        "searched": f"{manifest.title}\n{row.name}\n{manifest.description}".casefold(),
        "target": manifest.target,
        "visibility": manifest.visibility,
        "scopes": list(dict.fromkeys(manifest.scopes)),
        "categories": list(dict.fromkeys(manifest.categories)),
        "block_domains": _domains(manifest),
        "has_blocks": bool(manifest.blocks),
        "has_content_sources": bool(manifest.content_sources),
        "manifest": kept,
    }
    if "secrets" in manifest.model_fields_set:
        values["secrets"] = integration_secrets.sealed(cx, manifest.secrets, row.secrets)
    return values


def _policy(manifest: IntegrationPublish) -> str | None:
    """Return the policy as a header has it."""
    if "content_security_policy" not in manifest.model_fields_set:
        return None
    policy = manifest.content_security_policy
    if isinstance(policy, str):
        return policy
    return "; ".join(f"{name} {sources}".rstrip() for name, sources in policy.items()) or None


def _domains(manifest: IntegrationPublish) -> list[str]:
    found = (url_patterns.host_of(url) for block in manifest.blocks for url in block.url_unfurl)
    return list(dict.fromkeys(host for host in found if host))
