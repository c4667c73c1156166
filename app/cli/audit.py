"""`docyard audit`: whether the audit log is as it was written."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import App, Parameter

from app.cli.progress import bar
from app.cli.session import OPERATOR, DatabaseOption, Refused, opened
from app.cli.words import say, table
from app.domain import audit
from app.kit.errors import NotFound

app = App(name="audit")


@app.command
async def verify(
    *,
    org: Annotated[str | None, Parameter(help="id of an organization; all, if left out")] = None,
    database: DatabaseOption = None,
) -> None:
    """Check every event of the audit log against the chain of hashes; exit code 1 where one is wrong."""
    async with opened(database) as edge:
        cx = edge.context(OPERATOR)
        logs = [log for log in await audit.logs(cx) if org in (None, log.id)]
        if org is not None and not logs:
            raise NotFound(f"There is no organization {org}. `docyard org list` shows the ids.")
        with bar("Verifying", sum(log.number for log in logs)) as progress:
            found = [(log, await audit.verify(cx, log.id, progress)) for log in logs]
    table(
        ("organization", "events", "state"),
        ((log.id, str(check.events), _state(check)) for log, check in found),
    )
    wrong = [log for log, check in found if check.first_broken is not None]
    if wrong:
        raise Refused(f"The audit log of {', '.join(log.title for log in wrong)} is not as it was written.")
    say(f"{sum(check.events for _, check in found)} events are as they were written.")


def _state(check: Any) -> str:
    return "valid" if check.first_broken is None else f"broken from event {check.first_broken} on"
