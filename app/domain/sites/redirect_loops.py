"""Loops of redirects: refuses what would send visitors of a site around without end.

A redirect may close a loop that its own source is not part of: with `/b/y` to `/a/y`, a wildcard of `/a` to
`/b` sends `/a/y` around. So all redirects of the site are followed, not only those that change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from sqlalchemy import select

from app.domain.site_addresses import addresses
from app.domain.sites.moved_paths import shown_at
from app.domain.sites.structure import Structure
from app.formats.text.redirect_paths import MOST_STEPS, Step, looping
from app.kit import workers
from app.kit.database.statements import given, rows, table
from app.kit.errors import Conflict, Invalid
from app.models.redirects import Redirect

REDIRECTS = table(Redirect)
_ALL = rows(lambda: select(*REDIRECTS.c).where(REDIRECTS.c.site_id == given("site")))


class Route(NamedTuple):
    """The target of a redirect, and whether what is below its source is led along."""

    destination: dict[str, Any]
    wildcard: bool


Routes = Mapping[str, Route]  # by source


async def of_site(whole: Structure) -> dict[str, Any]:
    """Return the redirects of a site by source."""
    return {row.source: row for row in await whole.cx.db.all(_ALL, site=whole.site.id)}


def routes(known: Mapping[str, Any]) -> dict[str, Route]:
    """Return the routes of redirects that are kept."""
    return {source: Route(row.destination, row.capture_wildcard) for source, row in known.items()}


async def refuse_written(whole: Structure, before: Routes, after: Routes) -> None:
    """Raise Invalid where redirects that are written close a loop or lead into one."""
    if wrong := await _closed(whole, before, after):
        raise Invalid(_message(wrong), path="destination")


async def refuse_removed(whole: Structure, before: Routes, after: Routes) -> None:
    """Raise Conflict where a redirect that is removed was what ended the way of others."""
    if wrong := await _closed(whole, before, after):
        raise Conflict(_message(wrong))


async def refuse_renamed(whole: Structure) -> None:
    """Raise Conflict where redirects loop with the path that a section or space has now."""
    if wrong := await _closed(whole, {}, routes(await of_site(whole))):
        raise Conflict(_message(wrong), path="path")


async def _closed(whole: Structure, before: Routes, after: Routes) -> set[str]:
    """Return the sources that loop afterwards; those that did so before only where their route changes."""
    wrong = await _looping(whole, after)
    if wrong:
        changed = {source for source, route in after.items() if before.get(source) != route}
        wrong -= await _looping(whole, before) - changed
    return wrong


async def _looping(whole: Structure, found: Routes) -> set[str]:
    steps = {}
    for source, (destination, wildcard) in found.items():
        path = _path_of(whole, destination, wildcard)
        if path is not None:
            steps[source] = Step(path, wildcard)
    size = sum(len(source) + len(step.path) for source, step in steps.items())
    return await workers.run(size, looping, steps)


def _message(wrong: set[str]) -> str:
    return f"The redirect of {min(wrong)} would lead around without end, or {MOST_STEPS} times and more."


def _path_of(whole: Structure, destination: dict[str, Any], wildcard: bool) -> str | None:
    """Return the path of the site that a destination is, where there may be nothing but a redirect.

    What is below a section or space is such where a wildcard leads there.
    """
    kind = destination["kind"]
    if kind == "path":
        return str(destination["path"])
    if kind == "external":
        return _own_path(whole, destination["url"])
    if kind == "site-page" or not wildcard:
        return None
    item = whole.there(destination.get("siteSpace") or destination["siteSection"])
    return shown_at(whole, item) if item and item.alive else None


def _own_path(whole: Structure, url: str) -> str | None:
    """Return the path of an address that is the site's own."""
    for own in (addresses.of_site(whole.site), addresses.default_of(whole.site)):
        start = addresses.whole(whole.cx.settings, own)
        if url == start or url.startswith((f"{start}/", f"{start}?", f"{start}#")):
            return unquote(urlsplit(url).path.removeprefix(urlsplit(start).path)) or "/"
    return None
