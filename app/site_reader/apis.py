"""What a page shows of APIs: its blocks are gathered, and all that they name is read at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.openapi import openapi_blocks
from app.domain.openapi.openapi_blocks import Asked, Shown, asked_by
from app.kit import workers
from app.kit.errors import OverBudget
from app.site_reader.link_resolution import BodyLinks
from app.site_reader.visit import Visit
from app.site_reader.walking import blocks_of

MOST_BLOCKS = 100


async def of_page(visit: Visit, document: Any, links: BodyLinks) -> Mapping[Asked, Shown]:
    """What each block about an API on a page shows, in one statement at most."""
    if document is None or not visit.site.specs:
        return {}
    try:
        asked = await workers.run(links.stock.size(document), _asked, document, links)
    except OverBudget:  # so is the page
        return {}
    if not asked:
        return {}
    found = await openapi_blocks.shown(visit.cx, visit.site.organization_id, asked)
    return {each: shown for each, shown in zip(asked, found, strict=True) if shown is not None}


def _asked(document: Any, links: BodyLinks) -> list[Asked]:
    found_by = map(asked_by, blocks_of(document["nodes"], links))
    return list(dict.fromkeys(each for each in found_by if each is not None))[:MOST_BLOCKS]
