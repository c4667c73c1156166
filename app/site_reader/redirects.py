"""Where an address leads at which no page is: redirects of the site, pages that moved, the first space."""

from __future__ import annotations

from typing import Any

from app.domain.publishing import visits
from app.domain.site_addresses import addresses
from app.domain.sites import redirects, site_nodes
from app.site_reader import answers, site_navigation
from app.site_reader.answers import Answer
from app.site_reader.site_navigation import Place
from app.site_reader.state import State
from app.site_reader.visit import Desk, Visit

PERMANENT, FOR_NOW = 308, 307


async def elsewhere(state: State, visit: Visit, place: Place | None, desk: Desk | None) -> Answer:
    """Where the visited address leads now, or a page that says that it leads nowhere."""
    found = await _redirect(state, visit)
    if found is not None:
        return found
    if desk is not None and place is not None:
        moved = _moved(visit, desk, "/".join(place.whole)) or _moved(visit, desk, "/".join(place.rest))
        if moved is not None:
            return answers.redirect(desk.tree.href(moved), status=PERMANENT)
        if not place.rest and not place.exact:
            return answers.redirect(visit.base + visits.below(visit.site, place.node.row))
    message = "There is no page at this address." if visit.parts else "There is nothing to read here yet."
    return answers.refused(
        state.runtime.settings, 404, "Not found", message, site_navigation.view_of(visit, place)
    )


async def _redirect(state: State, visit: Visit) -> Answer | None:
    """What the site's redirects say, unless they lead to what this visitor may not see."""
    found = redirects.target_of(visit.site, "/" + "/".join(visit.parts))
    if found is None:
        return None
    row, target = found
    if row.item_id is not None and not await _is_seen(state, visit, row):
        return None
    address = addresses.whole(visit.cx.settings, target)
    return answers.redirect(visit.inside(address) or address, status=PERMANENT if row.permanent else FOR_NOW)


async def _is_seen(state: State, visit: Visit, redirect: Any) -> bool:
    nodes = {node.row.id: node for node in site_nodes.every(visit.tree.roots)}
    node = nodes.get(redirect.item_id)
    if node is None or redirect.page_id is None:
        return node is not None
    desk = await state.desks.at(visit, node)
    return desk is not None and desk.tree.get(redirect.page_id) is not None


def _moved(visit: Visit, desk: Desk, path: str) -> Any | None:
    """The page that had this path before, in the space or in the repository it came from."""
    if not path:
        return None
    place = (desk.shelf.space_id, path)
    were = [
        row for row in visit.site.moved if (row.line_id, row.path) == place and desk.tree.get(row.page_id)
    ]
    if were:
        return desk.tree.get(max(were, key=lambda row: row.until).page_id)
    target = desk.shelf.moved.get(path) or desk.shelf.moved.get(f"{path}.md")
    if not target:
        return None
    row = desk.shelf.indexes.page_sources.get(str(target).strip("/").removeprefix("./"))
    return desk.tree.get(row.page_id) if row is not None else None
