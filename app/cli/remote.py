"""Commands on content, specifications and integrations that call the server one is logged in to."""

from __future__ import annotations

import asyncio
import io
import tempfile
import zipfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, BinaryIO, Literal

from app.cli.login_profile import Profile, RemoteServer, connected
from app.cli.output import bar, give, say, table
from app.cli.session import CommandRefused
from app.formats.repository.export_rows import write_folder
from app.formats.repository.zip_archive import Zip

LARGEST = 100_000_000  # bytes of an upload
PAUSE = 0.5  # seconds between two looks at what runs


async def list_organizations(profile: Profile) -> None:
    """List the organizations that the person belongs to."""
    async with connected(profile) as server:
        found = [each async for each in server.items("/orgs")]
    table(("id", "title"), ((each["id"], each["title"]) for each in found))


async def import_folder(
    profile: Profile, path: Path, *, space: str | None, org: str | None, title: str | None
) -> None:
    """Import a folder or zip as an import run and print the space's id."""
    content = await asyncio.to_thread(_zipped, path)
    async with connected(profile) as server:
        if space is None:
            made = await server.call("POST", f"/orgs/{org}/spaces", {"title": title})
            space, organization = str(made["id"]), org
        else:
            organization = (await server.call("GET", f"/spaces/{space}"))["organization"]
        place = f"/orgs/{organization}"
        new = {"name": "content.zip", "size": len(content)}
        upload = await server.call("POST", f"{place}/uploads", new)
        await server.send(upload, content)
        source = {"type": "file", "files": [{"name": "content.zip", "upload": upload["id"]}]}
        run = await server.call("POST", f"{place}/imports", {"source": source, "target": {"space": space}})
        run = await _ended(lambda: server.call("GET", f"{place}/imports/{run['id']}"), "Importing")
    for problem in run.get("problems", ()):
        say(f"{problem['file']}: {problem['message']}")
    if run["status"] != "completed":
        raise CommandRefused(str(run.get("error", f"The import is {run['status']}.")))
    give(space)


def _zipped(path: Path) -> bytes:
    """Return a zip of a folder, or the zip that the path names; raises CommandRefused."""
    if path.is_file() and zipfile.is_zipfile(path):
        content = path.read_bytes()
    elif path.is_dir():
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for each in sorted(path.rglob("*")):
                inside = each.relative_to(path)
                if each.is_file() and not each.is_symlink() and inside.parts[0] != ".git":
                    archive.write(each, inside.as_posix())
        content = packed.getvalue()
    else:
        raise CommandRefused(f"{path} is neither a folder nor a zip file.")
    if len(content) > LARGEST:
        raise CommandRefused("The zipped content is larger than 100 MB, the limit of a server.")
    return content


async def export_folder(profile: Profile, path: Path, *, space: str) -> None:
    """Export a space's current content as a folder of Markdown."""
    async with connected(profile) as server:
        address = (await server.call("GET", f"/spaces/{space}/export"))["url"]
        with tempfile.TemporaryFile() as fetched:
            await server.fetch(address, fetched)
            count = await asyncio.to_thread(_unpacked, fetched, path)
    say(f"{count} files written to {path}.")


def _unpacked(archive: BinaryIO, path: Path) -> int:
    """Write the files of a zip to a new or empty folder, and return how many they were."""
    packed = Zip(archive)
    try:
        items = ((each, packed.read(each)) for each in packed.paths())
        return write_folder(items, path, lambda _: ())
    finally:
        packed.close()


async def sync(
    profile: Profile,
    space: str,
    direction: Literal["both", "import", "export"],
    message: str,
    *,
    url: str | None,
    ref: str | None,
    directory: str | None,
) -> None:
    """Synchronise a space with its repository and print its id."""
    async with connected(profile) as server:
        if ref is None:
            raise CommandRefused("Give the branch with --ref: the server does not say which one was used.")
        url = url or (await server.call("GET", f"/spaces/{space}/git/info"))["url"]
        body = {"url": url, "ref": ref}
        if directory is not None:
            body["repoProjectDirectory"] = directory
        if direction == "import":
            await server.call("POST", f"/spaces/{space}/git/import", body)
        else:
            await server.call("POST", f"/spaces/{space}/git/export", {**body, "commitMessage": message})
        await _synced(server, space)
    give(space)


async def _synced(server: RemoteServer, space: str) -> None:
    info = await _ended(lambda: server.call("GET", f"/spaces/{space}/git/info"), "Synchronising")
    operation = info["operation"]
    if operation["state"] != "success":
        raise CommandRefused(operation.get("message", f"The sync ended with {operation['state']}."))


async def publish_openapi(profile: Profile, org: str, slug: str, named: str, source: dict[str, str]) -> None:
    """Publish an OpenAPI specification and print the id of its version."""
    async with connected(profile) as server:
        path = f"/orgs/{org}/openapi/{slug}"
        before = await server.call("PUT", path, {"source": source})
        done = await _ended(lambda: server.call("GET", path), "Publishing")
    if errors := done.get("lastProcessedErrors"):
        told = "\n".join(f"  {each['message']}" for each in errors)
        raise CommandRefused(f"{named} was not published ({done.get('lastProcessErrorCode')}):\n{told}")
    is_new = done.get("lastVersion") != before.get("lastVersion")
    say(f"“{slug}” has a new version." if is_new else f"“{slug}” has not changed.")
    give(str(done["lastVersion"]))


async def publish_integration(profile: Profile, name: str, manifest: dict[str, Any]) -> None:
    """Publish an integration, or a new version of it, and print its name."""
    async with connected(profile) as server:
        made = await server.call("POST", f"/integrations/{name}", manifest)
    say(f"Published version {made['version']}.")
    give(name)


def _state(found: Any) -> str:
    """Return how far a run, a specification or a sync is, as the server says."""
    return str(found.get("status") or found.get("processingState") or found["operation"]["state"])


async def _ended(look: Callable[[], Awaitable[Any]], what: str) -> Any:
    """Wait until what a server does has ended, and return what it says then."""
    with bar(what, None):
        while True:
            found = await look()
            state = _state(found)
            if state not in ("pending", "in-progress", "progress", "running"):
                return found
            await asyncio.sleep(PAUSE)
