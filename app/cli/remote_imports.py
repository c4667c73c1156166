"""`docyard import` to the server that one is logged in to: an import run for each space."""

from __future__ import annotations

import asyncio
import io
import zipfile
from dataclasses import dataclass
from typing import Any

import orjson

from app.cli.command_settings import CommandRefused
from app.cli.login_profile import Profile, RemoteServer, connected
from app.cli.output import give, say
from app.cli.remote import LARGEST, ended
from app.formats.repository.file_tree import Tree
from app.formats.repository.import_report import Report, counted


@dataclass(slots=True, frozen=True)
class RemoteImport:
    """An import to a server: into a space, as a new space of an organization, or as a new site."""

    profile: Profile
    org: str | None
    space: str | None
    title: str | None
    site: str | None
    publish: bool | None
    as_json: bool

    async def run(self, tree: Tree) -> None:
        """Import a tree, and print the id of the space or the site, and the report."""
        report = Report()
        async with connected(self.profile) as server:
            if self.site is not None:
                said = await self._as_site(server, tree, self.site, report)
            else:
                said = {"space": await self._into_space(server, tree, report)}
        if self.as_json:
            told = {**said, "report": report.as_json()}
            give(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
            return
        say(report.as_text())
        give(str(said["site" if self.site is not None else "space"]))

    async def _into_space(self, server: RemoteServer, tree: Tree, report: Report) -> str:
        if self.space is None:
            made = await server.call("POST", f"/orgs/{self.org}/spaces", {"title": self.title})
            space, organization = str(made["id"]), self.org
        else:
            space = self.space
            organization = (await server.call("GET", f"/spaces/{space}"))["organization"]
        await _imported(server, str(organization), space, tree, report)
        return space

    async def _as_site(self, server: RemoteServer, tree: Tree, title: str, report: Report) -> dict[str, Any]:
        from app.domain.imports.site_imports import parts_of

        place = f"/orgs/{self.org}"
        async for site in server.items(f"{place}/sites"):
            if site["title"].casefold() == title.casefold() or site["id"] == title:
                raise CommandRefused(
                    "The organization has this site already; an import to a server creates sites and does"
                    " not update them. Sync its spaces with Git, or import with --database."
                )
        spaces: list[dict[str, Any]] = []
        for part in parts_of(tree, title, report):
            new = {"title": part.title, **({"language": part.language} if part.language else {})}
            space = str((await server.call("POST", f"{place}/spaces", new))["id"])
            pages = await _imported(server, str(self.org), space, part.tree, report)
            say(f"{part.title}: {counted(pages, 'page')}.")
            spaces.append({"id": space, "title": part.title, "language": part.language, "pages": pages})
        made = await server.call(
            "POST", f"{place}/sites", {"title": title, "spaces": [s["id"] for s in spaces]}
        )
        if self.publish:
            try:
                await server.call("POST", f"{place}/sites/{made['id']}/publish")
            except CommandRefused as refused:
                told = f"The site {made['id']} was created and is not published"
                raise CommandRefused(f"{told}: {refused.message}") from refused
        say("The site is published." if self.publish else "The site is not published.")
        return {"site": made["id"], "created": True, "published": bool(self.publish), "spaces": spaces}


async def _imported(server: RemoteServer, organization: str, space: str, tree: Tree, report: Report) -> int:
    """Import a tree into a space as a run; how many pages that were. Raises CommandRefused if it failed."""
    content = await asyncio.to_thread(_zipped, tree)
    place = f"/orgs/{organization}"
    upload = await server.call("POST", f"{place}/uploads", {"name": "content.zip", "size": len(content)})
    await server.send(upload, content)
    source = {"type": "file", "files": [{"name": "content.zip", "upload": upload["id"]}]}
    run = await server.call("POST", f"{place}/imports", {"source": source, "target": {"space": space}})
    run = await ended(lambda: server.call("GET", f"{place}/imports/{run['id']}"), "Importing")
    for problem in run.get("problems", ()):
        report.add(problem["kind"], problem["file"], problem["message"], problem.get("line"))
    report.left_out += run.get("moreProblems", 0)
    if run["status"] != "completed":
        raise CommandRefused(str(run.get("error", f"The import is {run['status']}.")))
    pages = int(run["progress"]["pagesRead"])
    report.pages += pages
    return pages


def _zipped(tree: Tree) -> bytes:
    """Return a zip of a tree; raises CommandRefused for one that is too large."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in tree.paths():
            archive.writestr(path, tree.read(path))
    content = packed.getvalue()
    if len(content) > LARGEST:
        raise CommandRefused("The zipped content is larger than 100 MB, the limit of a server.")
    return content
