"""In which blocks of a document its links stand: their keys, as whoever reads the document finds them.

They are worked out when somebody asks, since only the whole document tells them, and kept of the last ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from cachetools import LRUCache

from app.kit import workers
from app.kit.errors import OverBudget

MOST_KEPT = 2_000  # documents
_kept: LRUCache[str, Sequence[str]] = LRUCache(MOST_KEPT)


async def blocks_of_links(document_id: str, body: str) -> Sequence[str]:
    """The keys of the blocks in which the links of a body stand, by position; none for too large a body."""
    found = _kept.get(document_id)
    if found is None:
        try:
            found = await workers.run(2 * len(body), _read, body)
        except OverBudget:
            found = ()
        _kept[document_id] = found
    return found


def _read(body: str) -> Sequence[str]:
    from app.formats.dialect.link_blocks import keys_of_links

    return keys_of_links(body)
