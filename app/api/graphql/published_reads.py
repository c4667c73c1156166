"""Resolves the addresses at which visitors find sites, what is in them, and spaces."""

from __future__ import annotations

from types import SimpleNamespace

from app.api.graphql.addresses import values_of
from app.api.graphql.nodes import Node, Source, nodes
from app.api.graphql.reading import load, read
from app.api.graphql.state import Info, RequestState
from app.api.operations import operation
from app.domain.site_addresses import addresses, publication
from app.models.checks import checked
from app.models.queries import ShareKeyQuery


async def published_url(node: Node, source: Source, info: Info, shareKey: str | None = None) -> str | None:
    """Return the address of a site, or of something in it, with a key if that opens the site."""
    found: str | None = (source.get("urls") or {}).get("published")
    if found is None or not shareKey:
        return found
    checked(ShareKeyQuery, {"shareKey": shareKey}, strict=False)
    values = values_of(source, node)
    state: RequestState = info.context
    site = nodes()["Site"]
    address = site.address(values)
    assert address is not None
    visibility = (await load(state, site, address))["visibility"]

    async def opening() -> str | None:
        row = SimpleNamespace(id=values["siteId"], visibility=visibility)
        cx = await state.context()
        return await state.limit.hold(publication.share_key_of_site, cx, row, shareKey)

    key = await state.once(("share key", values["siteId"], shareKey), opening)
    return addresses.keyed(found, visibility, key)


async def space_url(source: Source, info: Info, shareKey: str | None = None) -> str | None:
    """Return the address of a space on the site that shows it, with a key if that opens the site."""
    if shareKey:
        state: RequestState = info.context
        source = await read(
            state, operation("spaces.getSpaceById"), {"spaceId": source["id"]}, {"shareKey": shareKey}
        )
    found: str | None = (source.get("urls") or {}).get("published")
    return found
