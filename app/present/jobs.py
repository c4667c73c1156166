"""Jobs as the administrators of their organizations see them."""

from __future__ import annotations

from typing import get_args

from app.access.context import Context
from app.domain.jobs import ATTEMPTS
from app.domain.organization_jobs import JobRow, can_cancel, can_retry
from app.models.jobs import JobKind, JobOut
from app.present import links
from app.present.shape import Presenter, presenter

KINDS = frozenset(get_args(JobKind))


def _kind(_cx: Context, row: JobRow) -> str:
    kind = row.kind.replace("_", "-")
    return kind if kind in KINDS else "other"


job: Presenter[Context, JobRow] = presenter(
    JobOut,
    kind=_kind,
    space=lambda _cx, row: row.space_id,
    spec=lambda _cx, row: row.spec_id,
    integration=lambda _cx, row: row.integration_name,
    import_run=lambda _cx, row: row.subject if row.kind == "run_import" else None,
    max_attempts=lambda _cx, _row: ATTEMPTS,
    error=lambda _cx, row: row.reason,
    next_attempt_at=lambda _cx, row: row.due_at if row.state in ("scheduled", "waiting") else None,
    failed_at=lambda _cx, row: row.due_at if row.state == "failed" else None,
    can_retry=lambda _cx, row: can_retry(row),
    can_cancel=lambda _cx, row: can_cancel(row),
    urls=links.job,
)
