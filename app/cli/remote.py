"""Commands on content, specifications and integrations that call the server one is logged in to."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, BinaryIO, Literal

from app.cli.command_settings import CommandRefused
from app.cli.login_profile import Profile, RemoteServer, connected
from app.cli.output import bar, give, say, table
from app.formats.repository.export_rows import write_folder
from app.formats.repository.zip_archive import Zip

LARGEST = 100_000_000  # bytes of an upload
PAUSE = 0.5  # seconds between two looks at what runs


async def list_organizations(profile: Profile) -> None:
    """List the organizations that the person belongs to."""
    async with connected(profile) as server:
        found = [each async for each in server.items("/orgs")]
    table(("id", "title"), ((each["id"], each["title"]) for each in found))


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
    info = await ended(lambda: server.call("GET", f"/spaces/{space}/git/info"), "Synchronising")
    operation = info["operation"]
    if operation["state"] != "success":
        raise CommandRefused(operation.get("message", f"The sync ended with {operation['state']}."))


async def publish_openapi(profile: Profile, org: str, slug: str, named: str, source: dict[str, str]) -> None:
    """Publish an OpenAPI specification and print the id of its version."""
    async with connected(profile) as server:
        path = f"/orgs/{org}/openapi/{slug}"
        before = await server.call("PUT", path, {"source": source})
        done = await ended(lambda: server.call("GET", path), "Publishing")
    if errors := done.get("lastProcessedErrors"):
        told = "\n".join(f"  {each['message']}" for each in errors)
        raise CommandRefused(f"{named} was not published ({done.get('lastProcessErrorCode')}):\n{told}")
    is_new = done.get("lastVersion") != before.get("lastVersion")
    say(f"“{slug}” has a new version." if is_new else f"“{slug}” has not changed.")
    give(str(done["lastVersion"]))


async def publish_integration(profile: Profile, name: str, manifest: dict[str, Any]) -> dict[str, Any]:
    """Publish an integration, or a new version of it, and return what the server says of it."""
    async with connected(profile) as server:
        made: dict[str, Any] = await server.call("POST", f"/integrations/{name}", manifest)
    return made


def _state(found: Any) -> str:
    """Return how far a run, a specification or a sync is, as the server says."""
    return str(found.get("status") or found.get("processingState") or found["operation"]["state"])


async def ended(look: Callable[[], Awaitable[Any]], what: str) -> Any:
    """Wait until what a server does has ended, and return what it says then."""
    with bar(what, None):
        while True:
            found = await look()
            state = _state(found)
            if state not in ("pending", "in-progress", "progress", "running"):
                return found
            await asyncio.sleep(PAUSE)
