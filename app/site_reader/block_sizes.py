"""Heights of the blocks of integrations, as far as they were seen: pages leave room for their web frames.

A page is written before its blocks are asked for. What a block was shaped like when somebody last looked is
kept by this process, so that nothing moves for the next reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cachetools import LRUCache

from app.domain.sites.site_integrations import Block
from app.site_reader.rendering.web_frames import ratio_of

MOST = 10_000
_ratios: LRUCache[tuple[str, str], float] = LRUCache(MOST)


def remember(block: Block, output: Mapping[str, Any]) -> None:
    """Keep the ratio of the web frame that a block begins with, if it does."""
    inside = (output.get("element") or {}).get("children") or [{}]
    first = inside[0] if isinstance(inside[0], dict) else {}
    ratio = ratio_of(first.get("aspectRatio")) if first.get("type") == "webframe" else 0
    _ratios[block.integration, block.id] = ratio


def ratio(block: Block) -> float:
    """Return the ratio of width to height that a block had; 0 for one without a web frame or not seen."""
    return _ratios.get((block.integration, block.id), 0)


def of_site(site: Any) -> tuple[float, ...]:
    """Return the ratios of the blocks that a site's pages may have, as what its pages depend on."""
    named = ((row.name, each["id"]) for row in site.blocks_ for each in row.manifest["blocks"])
    return tuple(_ratios.get(name, 0) for name in named)
