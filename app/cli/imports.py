"""`docyard import`: a folder, a zip or a Git repository into a space, or as a site with its languages."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import orjson
from cyclopts import Parameter

from app.access.context import Context
from app.access.fetch import fetch
from app.cli import login_profile, remote_imports
from app.cli.command_settings import DatabaseOption, settings_for
from app.cli.output import advice, bar, give, say
from app.cli.session import acting_in, change, inside, organization_of
from app.domain.imports import site_imports, tree_import
from app.domain.imports.site_imports import SiteOutcome, SitePart
from app.domain.imports.tree_import import Imported
from app.domain.revisions.documents import SkippedFiles, around_faults
from app.domain.spaces import spaces
from app.formats.repository.file_tree import Folder, Tree
from app.formats.repository.import_plan import read_plan
from app.formats.repository.import_report import Report, counted
from app.formats.repository.zip_archive import Zip
from app.kit.errors import Conflict, Invalid
from app.kit.http.outbound import Outbound
from app.models.checks import checked
from app.models.organizations import Organization
from app.models.spaces import Space, SpaceCreate

REMOTE = ("https://", "http://")


async def import_(
    source: Annotated[
        str, Parameter(name="REPO", help="a folder, a zip, or the address of a Git repository")
    ],
    /,
    *,
    space: Annotated[str | None, Parameter(help="id of the space to import into")] = None,
    org: Annotated[
        str | None, Parameter(help="id of the organization in which to create a space or a site")
    ] = None,
    title: Annotated[str | None, Parameter(help="title of the new space")] = None,
    site: Annotated[
        str | None, Parameter(help="title of the site to create, or title or id of the site to update")
    ] = None,
    publish: Annotated[
        bool | None,
        Parameter(
            negative="--unpublish", help="put the site online, or take it offline; by default, leave it"
        ),
    ] = None,
    ref: Annotated[str, Parameter(help="branch, tag or commit of a Git repository")] = "HEAD",
    replace: Annotated[bool, Parameter(help="remove pages and files that are not in REPO")] = False,
    report: Annotated[Path | None, Parameter(help="write the report to this file, as JSON")] = None,
    json: Annotated[bool, Parameter(negative="", help="print the ids and the report as JSON")] = False,
    database: DatabaseOption = None,
) -> None:
    """Import a folder, a zip or a Git repository and print the id of the space or the site."""
    if site is not None:
        if org is None or space is not None or title is not None:
            raise Invalid("Give --site with --org ID, and neither --space nor --title.")
    elif (space is None) == (org is None) or (org is None) != (title is None):
        raise Invalid("Give the space with --space ID, or create one with --org ID --title TITLE.")
    if publish is not None and site is None:
        raise Invalid("--publish and --unpublish need --site.")
    profile = login_profile.chosen(database)
    if profile is not None and (replace or report is not None):
        raise Invalid(
            "--replace and --report work on a database only; an import to a server adds and updates."
        )
    if report is not None:
        _check(report)
    async with _opened(source, ref, database) as tree:
        if profile is not None:
            into = remote_imports.RemoteImport(profile, org, space, title, site, publish, as_json=json)
            await into.run(tree)
            return
        if site is not None and org is not None:
            made, told = await _as_site(tree, org, site, publish, replace, database)
            told_ids: dict[str, Any] = _ids(made)
            result = made.site_id
        else:
            result, done = await _into_space(tree, space, org, title, replace, database)
            told, told_ids = done.report, {"space": result}
            if not done.changed:
                say("Nothing changed: the space already has this content, so there is no new revision.")
    if report is not None:
        report.write_bytes(orjson.dumps(told.as_json(), option=orjson.OPT_INDENT_2))
    if json:
        said = {**told_ids, "report": told.as_json()}
        give(orjson.dumps(said, option=orjson.OPT_INDENT_2).decode())
        return
    say(told.as_text())
    give(result)


@asynccontextmanager
async def _opened(source: str, ref: str, database: str | None) -> AsyncIterator[Tree]:
    """Yield the files of a folder, a zip or a Git repository; raises Invalid for anything else."""
    path = Path(source)
    if source.startswith(REMOTE):
        from app.kit.git.transfers import fetch as fetch_files
        from app.kit.git.transport import GitCredentials

        settings = settings_for(database)
        outbound = Outbound(settings.allowed_hosts, settings.outbound_timeout, settings.outbound_max_bytes)
        login = settings.git_login(source)
        with await fetch_files(
            source, ref, outbound=outbound, credentials=GitCredentials(*login) if login else None
        ) as checkout:
            yield checkout.tree
    elif ref != "HEAD":
        raise Invalid("--ref needs the address of a Git repository.")
    elif path.is_dir():
        yield Folder(path)
    elif path.is_file():
        with closing(Zip(path)) as packed:
            yield packed
    else:
        raise Invalid(f"{source} is neither a folder nor a zip file.", path="REPO")


def _check(report: Path) -> None:
    """Refuse a report that could not be written, before anything is imported."""
    if report.is_dir() or not os.access(report if report.exists() else report.parent, os.W_OK):
        raise Invalid(
            f"The report cannot be written to {report}. Choose a file in a folder that you can write to."
        )


async def _into_space(
    tree: Tree, space: str | None, org: str | None, title: str | None, replace: bool, database: str | None
) -> tuple[str, Imported]:
    done: dict[str, str] = {}

    async def attempt(leaving: SkippedFiles) -> Imported:
        plan = read_plan(tree, of_any_tool=True)
        with bar("Importing", tree_import.count_steps(plan)) as progress:

            async def run(cx: Context) -> Imported:
                into = await _space(cx, space, org, title)
                done["space"] = into.id
                return await tree_import.import_plan(
                    cx, into, plan, mirror=replace, leaving=leaving, progress=progress
                )

            return await change(database, run)

    result = await around_faults(attempt)
    return done["space"], result


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
        raise Conflict("The space is locked. Unlock it first.")
    return held


@dataclass(slots=True)
class _SiteRun:
    """An import of a repository as a site, which begins again without the files that it fails at."""

    tree: Tree
    organization_id: str
    named: str
    publish: bool | None
    mirror: bool
    database: str | None
    report: Report = field(default_factory=Report)

    async def attempt(self, leaving: SkippedFiles) -> SiteOutcome:
        self.report = Report()
        parts = site_imports.parts_of(self.tree, self.named, self.report)
        plans = site_imports.plans_of(parts)
        with bar("Importing", sum(map(tree_import.count_steps, plans))) as progress:

            async def run(cx: Context) -> SiteOutcome:
                return await site_imports.import_site(
                    await inside(cx, self.organization_id),
                    self.organization_id,
                    self.named,
                    parts,
                    plans,
                    publish=self.publish,
                    mirror=self.mirror,
                    leaving=leaving,
                    progress=progress,
                )

            return await change(self.database, run)


async def _as_site(
    tree: Tree, org: str, site: str, publish: bool | None, replace: bool, database: str | None
) -> tuple[SiteOutcome, Report]:
    running = _SiteRun(tree, org, site, publish, replace, database)
    made = await around_faults(running.attempt)
    for space in made.spaces:
        running.report.include(space.outcome.report)
        say(_told(space.part, space.outcome.report, changed=space.outcome.changed))
    say("The site is published." if made.is_published else "The site is not published.")
    return made, running.report


def _told(part: SitePart, report: Report, *, changed: bool) -> str:
    name = f"{part.title} ({part.language})" if part.language else part.title
    return f"{name}: {counted(report.pages, 'page')}{'' if changed else ', nothing changed'}."


def _ids(made: SiteOutcome) -> dict[str, Any]:
    shown = [
        {
            "id": space.space_id,
            "title": space.part.title,
            "language": space.part.language,
            "pages": space.outcome.report.pages,
        }
        for space in made.spaces
    ]
    return {"site": made.site_id, "created": made.is_new, "published": made.is_published, "spaces": shown}
