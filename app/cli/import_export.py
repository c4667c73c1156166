"""`docyard import` and `docyard export`: Markdown into a space, and a space as a folder of Markdown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import orjson
from cyclopts import Parameter

from app.access.context import Context
from app.access.fetch import fetch
from app.cli.output import advice, bar, give, say
from app.cli.session import DatabaseOption, acting_in, change, organization_of, read
from app.domain.imports import exports, tree_import
from app.domain.imports.tree_import import Imported
from app.domain.revisions.file_faults import SkippedFiles, around_faults
from app.domain.spaces import spaces
from app.kit.errors import Conflict, Invalid
from app.models.checks import checked
from app.models.organizations import Organization
from app.models.spaces import Space, SpaceCreate


async def import_(
    path: Annotated[Path, Parameter(help="folder or zip of Markdown files")],
    /,
    *,
    space: Annotated[str | None, Parameter(help="id of the space to import into")] = None,
    org: Annotated[str | None, Parameter(help="id of the organization to make a space in")] = None,
    title: Annotated[str | None, Parameter(help="title of the new space")] = None,
    replace: Annotated[bool, Parameter(help="remove pages and files that PATH does not have")] = False,
    report: Annotated[Path | None, Parameter(help="file for the report as JSON")] = None,
    database: DatabaseOption = None,
) -> None:
    """Import a folder or zip of Markdown as one revision and print the space's id."""
    if (space is None) == (org is None) or (org is None) != (title is None):
        raise Invalid("Name the space with --space ID, or make one with --org ID --title TITLE.")
    if report is not None:
        _check(report)
    done: dict[str, Any] = {}

    async def attempt(leaving: SkippedFiles) -> Imported:
        with (
            tree_import.open_plan(path) as plan,
            bar("Importing", tree_import.count_steps(plan)) as progress,
        ):

            async def run(cx: Context) -> Imported:
                into = await _space(cx, space, org, title)
                done["space"] = into.id
                return await tree_import.import_plan(
                    cx, into, plan, mirror=replace, leaving=leaving, progress=progress
                )

            return await change(database, run)

    result = await around_faults(attempt)
    if report is not None:
        report.write_bytes(orjson.dumps(result.report.as_json(), option=orjson.OPT_INDENT_2))
    say(result.report.as_text())
    if not result.changed:
        say("Nothing differs from what the space holds: no new revision.")
    give(done["space"])


def _check(report: Path) -> None:
    """Refuse a report that could not be written, before anything is imported."""
    if report.is_dir() or not os.access(report if report.exists() else report.parent, os.W_OK):
        raise Invalid(
            f"The report cannot be written to {report}. Name a file in a folder that you may write to."
        )


async def _space(cx: Context, space_id: str | None, organization_id: str | None, title: str | None) -> Space:
    if space_id is None:
        assert organization_id is not None
        with advice("List them with: docyard org list"):
            as_administrator = acting_in(cx, organization_id)
            await fetch(as_administrator, Organization, organization_id)
            new = checked(SpaceCreate, {"title": title}, strict=True)
            return await spaces.create(as_administrator, organization_id, new)
    owner = await organization_of(cx, space_id)
    held = await fetch(acting_in(cx, owner), Space, space_id, can="edit")
    if held.edit_mode == "locked":
        raise Conflict("The space is locked; unlock it first.")
    return held


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
