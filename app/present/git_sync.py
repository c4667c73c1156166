"""The sync of a space with a repository, as callers see it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from app.access.context import Context
from app.domain.syncing.git_sync import Standing
from app.models.git_sync import GitInfoOut
from app.present.shape import shows


@shows(GitInfoOut)
def git_info(cx: Context, standing: Standing) -> dict[str, Any]:
    """How the last sync went."""
    operation = {"state": standing.state(cx.now), "direction": standing.operation.direction}
    if standing.operation.message:
        operation["message"] = standing.operation.message
    out: dict[str, Any] = {
        "repoName": standing.name,
        "url": standing.url,
        "operation": operation,
        "updatedAt": datetime.fromisoformat(standing.updated_at),
    }
    return {**out, "installationProvider": standing.provider} if standing.provider else out
