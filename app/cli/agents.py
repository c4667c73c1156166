"""`docyard agent`: list and undo changes that agents made in an organization."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import App, Parameter

from app.access.context import Context
from app.cli.command_settings import DatabaseOption
from app.cli.output import say, table
from app.cli.session import OrganizationOption, change, every_item, inside, read
from app.domain.agents import agent_changes, agent_undo
from app.domain.agents.agent_undo import UndoOutcome
from app.models.agents import AgentChangesQuery, AgentUndo
from app.models.checks import checked

app = App(name="agent")
TokenArgument = Annotated[str, Parameter(help="the token's id (docyard agent changes, docyard token list)")]
RunOption = Annotated[str | None, Parameter(help="only this run, by the name the agent gave it")]


@app.command
async def changes(
    *,
    org: OrganizationOption,
    token: Annotated[str | None, Parameter(help="only changes made with this token")] = None,
    run: RunOption = None,
    database: DatabaseOption = None,
) -> None:
    """List the changes that agents made in an organization, newest first."""

    async def everything(cx: Context) -> list[Any]:
        administrator = await inside(cx, org)
        return await every_item(
            AgentChangesQuery,
            lambda query: agent_changes.list_changes(administrator, org, query),
            token=token,
            run=run,
        )

    found = await read(database, everything)
    table(
        ("token", "run", "kind", "space", "in", "undone"),
        (
            (
                row.token_id,
                row.run or "-",
                row.kind,
                row.space_id,
                row.change_request_id or "-",
                "yes" if row.undone_at else "no",
            )
            for row in found
        ),
    )


@app.command
async def undo(
    token: TokenArgument,
    /,
    *,
    org: OrganizationOption,
    run: RunOption = None,
    database: DatabaseOption = None,
) -> None:
    """Undo what an agent changed with a token, or in one run; later changes by people stay."""
    asked = checked(AgentUndo, {"token": token, **({"run": run} if run else {})}, strict=True)

    async def take(cx: Context) -> UndoOutcome:
        return await agent_undo.undo(await inside(cx, org), org, asked)

    outcome = await change(database, take)
    table(
        ("kind", "result", "why", "space", "in", "conflicts"),
        (
            (
                each.kind,
                each.result,
                each.reason or "-",
                each.space_id,
                each.change_request_id or "-",
                str(len(each.conflicts)),
            )
            for each in outcome.changes
        ),
    )
    if outcome.remaining:
        say("There is more to undo. Run the command again.")
