"""Where an address leads at which no page is: redirects of the site, pages that moved, the first space."""

from __future__ import annotations

from typing import Any

from app.domain.publishing import visits
from app.domain.site_addresses import addresses
from app.domain.sites import redirects, site_nodes
from app.site_reader import responses, site_navigation
from app.site_reader.responses import SiteResponse
from app.site_reader.site_navigation import SiteLocation
from app.site_reader.state import ReaderState
from app.site_reader.visit import VisibleSpace, Visit

PERMANENT, FOR_NOW = 308, 307


async def elsewhere(
    state: ReaderState, visit: Visit, location: SiteLocation | None, space: VisibleSpace | None
) -> SiteResponse:
    """Redirect to where the visited address leads now, or answer that it leads nowhere."""
    found = await _redirect(state, visit)
    if found is not None:
        return found
    if space is not None and location is not None:
        moved = _moved(visit, space, location.whole) or _moved(visit, space, location.rest)
        if moved is not None:
            return responses.redirect(space.tree.href(moved), status=PERMANENT)
        if not location.rest and not location.exact:
            return responses.redirect(visit.base + visits.below(visit.site, location.node.row))
    message = "There is no page at this address." if visit.parts else "There is nothing to read here yet."
    return responses.error_page(
        state.runtime.settings, 404, "Not found", message, site_navigation.site_view(visit, location)
    )


async def _redirect(state: ReaderState, visit: Visit) -> SiteResponse | None:
    """Follow the site's redirects, unless they lead to what this visitor may not see."""
    found = redirects.target_of(visit.site, "/" + "/".join(visit.parts))
    if found is None:
        return None
    row, target = found
    if row.item_id is not None and not await _is_seen(state, visit, row):
        return None
    address = addresses.whole(visit.cx.settings, target)
    return responses.redirect(
        visit.inside(address) or address, status=PERMANENT if row.permanent else FOR_NOW
    )


async def _is_seen(state: ReaderState, visit: Visit, redirect: Any) -> bool:
    nodes = {node.row.id: node for node in site_nodes.every(visit.tree.roots)}
    node = nodes.get(redirect.item_id)
    if node is None or redirect.page_id is None:
        return node is not None
    space = await state.spaces.at(visit, node)
    return space is not None and space.tree.get(redirect.page_id) is not None


def _moved(visit: Visit, space: VisibleSpace, parts: list[str]) -> Any | None:
    """Return the page that had this path before, in the space or in the repository it came from."""
    if not parts:
        return None
    path = "/".join(parts)
    place = (space.snapshot.space_id, path)
    were = [
        row for row in visit.site.moved if (row.line_id, row.path) == place and space.tree.get(row.page_id)
    ]
    if were:
        return space.tree.get(max(were, key=lambda row: row.until).page_id)
    target = space.snapshot.moved.get(path) or space.snapshot.moved.get(f"{path}.md")
    if not target:
        return None
    row = space.snapshot.indexes.page_sources.get(str(target).strip("/").removeprefix("./"))
    return space.tree.get(row.page_id) if row is not None else None
