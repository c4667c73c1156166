"""`docyard export`: a space as a folder of Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from app.access.context import Context
from app.access.fetch import fetch
from app.cli.progress import bar
from app.cli.session import DatabaseOption, acting_in, organization_of, read
from app.cli.words import say
from app.domain.imports import exports
from app.models.spaces import Space


async def export(
    path: Annotated[Path, Parameter(help="folder to write; new or empty")],
    /,
    *,
    space: Annotated[str, Parameter(help="id of the space to export")],
    database: DatabaseOption = None,
) -> None:
    """Export a space's current content as a folder of Markdown."""
    with bar("Exporting", None) as progress:

        async def run(cx: Context) -> int:
            owner = await organization_of(cx, space)
            held = await fetch(acting_in(cx, owner), Space, space)
            return await exports.to_folder(cx, held, path, progress)

        count = await read(database, run)
    say(f"{count} files are in {path}.")
