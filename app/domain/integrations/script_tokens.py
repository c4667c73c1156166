"""The tokens that scripts call back with for an hour: of an installation, or of the integration itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete

from app.access.context import Context
from app.domain.integrations.installations import find_one
from app.kit.database.columns import Instant
from app.kit.database.statements import command, given, table
from app.kit.ids import new_id
from app.kit.signing import new_agent_token, token_hash
from app.models.installations import InstallationToken
from app.models.integrations import IntegrationToken

TOKEN_LIFE = timedelta(hours=1)


def _forget(tokens: Any) -> Any:
    return command(lambda: delete(tokens).where(tokens.c.expires_at < given("now", Instant())))


_FORGET_OF_INSTALLATIONS = _forget(table(InstallationToken))
_FORGET_OF_INTEGRATIONS = _forget(table(IntegrationToken))


@dataclass(slots=True, frozen=True)
class CreatedInstallationToken:
    """A token that was just made, which is shown this once."""

    token: str
    until: datetime


async def create(cx: Context, integration_name: str, installation_id: str) -> CreatedInstallationToken:
    """Make a token of an installation, good for an hour.

    It opens what the integration's scopes name, on the content that was selected.
    """
    found = await find_one(cx, integration_name, installation_id, can="installIntegration")
    return await of_installation(cx, found.id)


async def of_installation(cx: Context, installation_id: str) -> CreatedInstallationToken:
    """Return a token of an installation, without asking for a right; those that ran out are forgotten."""
    await cx.tx.run(_FORGET_OF_INSTALLATIONS, now=cx.now)
    return await _made(cx, InstallationToken, installation_id=installation_id)


async def of_integration(cx: Context, integration_id: str) -> CreatedInstallationToken:
    """Do as `of_installation` does, for a token of an integration itself."""
    await cx.tx.run(_FORGET_OF_INTEGRATIONS, now=cx.now)
    return await _made(cx, IntegrationToken, integration_id=integration_id)


async def _made(cx: Context, model: Any, **owner: str) -> CreatedInstallationToken:
    made = CreatedInstallationToken(new_agent_token(), cx.now + TOKEN_LIFE)
    hash_ = token_hash(made.token)
    await cx.tx.add(model, hash=hash_, id=new_id(), created_at=cx.now, expires_at=made.until, **owner)
    return made
