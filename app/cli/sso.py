"""`docyard sso`: back in, when single sign-on lets nobody in any more."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from app.access.context import Context
from app.access.fetch import fetch
from app.cli.session import DatabaseOption, acting_in, change
from app.cli.words import advice, say
from app.domain.organizations import sso_requirements
from app.models.organizations import Organization

app = App(name="sso")


@app.command
async def off(
    *,
    org: Annotated[str, Parameter(help="id of the organization")],
    database: DatabaseOption = None,
) -> None:
    """Let an organization's members in without single sign-on; its identity providers stay."""

    async def stop(cx: Context) -> Organization:
        with advice("`docyard org list` shows the ids."):
            organization = await fetch(acting_in(cx, org), Organization, org)
        await sso_requirements.stop_asking(cx, org)
        return organization

    organization = await change(database, stop)
    say(f"{organization.title} no longer asks for single sign-on: tokens from before count again.")
