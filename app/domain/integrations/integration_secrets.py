"""Secrets of an integration: values that only its script gets, and the key that its events are signed with.

They are encrypted, and never shown again: whoever publishes the integration sees their names.
"""

from __future__ import annotations

import re
import secrets
from typing import Any

import orjson

from app.access.context import Context
from app.domain.infrastructure import stored_secrets
from app.domain.integrations.integration_rows import find, note
from app.kit.errors import Invalid, NotFound
from app.models.integration_configurations import ITEMS
from app.models.integrations import Integration
from app.models.manifests import IntegrationSecret

SIGNING = "SIGNING_SECRET"  # by this name publishers give a signing key of their own
NAME = re.compile(r"[^\s\x00-\x1f]{1,100}")


def opened(cx: Context, stored: str) -> tuple[str, dict[str, str]]:
    """Return the key that an integration's events are signed with, and its secrets.

    Both are empty where the installation's own secret was changed: publishing anew seals them again.
    """
    held = _held(cx, stored)
    return held["secrets"].get(SIGNING) or held["signing"], held["secrets"]


def sealed(cx: Context, values: dict[str, str], before: str | None = None) -> str:
    """Return secrets as they are stored, with the generated signing key that was stored `before`, or a new
    one."""
    signing = _held(cx, before)["signing"] if before is not None else ""
    held = {"signing": signing or secrets.token_urlsafe(32), "secrets": values}
    return cx.signer.seal(stored_secrets.INTEGRATION, orjson.dumps(held).decode())


def _held(cx: Context, stored: str) -> Any:
    return orjson.loads(
        cx.signer.unseal(stored_secrets.INTEGRATION, stored) or '{"signing": "", "secrets": {}}'
    )


async def get(cx: Context, integration_name: str) -> list[str]:
    """Get the names of an integration's secrets; their values are never shown."""
    row = await find(cx, integration_name, can="admin")
    return sorted(opened(cx, row.secrets)[1])


async def put(cx: Context, integration_name: str, secret_name: str, secret: IntegrationSecret) -> list[str]:
    """Add a secret to an integration, or replace its value. Its script gets it from the next event on."""
    row = await find(cx, integration_name, can="admin")
    values = {**opened(cx, row.secrets)[1], secret_name: secret.value}
    if not NAME.fullmatch(secret_name):
        raise Invalid("A name has 1 to 100 characters and no blanks.", path="secretName")
    if len(values) > ITEMS:
        raise Invalid(f"An integration has at most {ITEMS} secrets.", path="secretName")
    await _store(cx, row, values)
    return sorted(values)


async def remove(cx: Context, integration_name: str, secret_name: str) -> None:
    """Delete a secret of an integration. Its script gets it no more from the next event on."""
    row = await find(cx, integration_name, can="admin")
    values = opened(cx, row.secrets)[1]
    if secret_name not in values:
        raise NotFound("The integration has no such secret.")
    del values[secret_name]
    await _store(cx, row, values)


async def _store(cx: Context, row: Any, values: dict[str, str]) -> None:
    note(cx, row, row.organization_id)
    kept = {"secrets": sealed(cx, values, row.secrets), "updated_at": cx.now}
    await cx.tx.put(Integration, kept, id=row.id)
