"""Files prepared beside this process come as those that are prepared in it."""

from __future__ import annotations

import asyncio

import pytest

from app.domain.imports.parallel import FEW, prepare_in_processes
from app.domain.revisions.documents import PreparedText, prepare
from app.domain.revisions.link_targets import LinkTargets

TARGETS = LinkTargets({"a.md": "1", "b.md": "2"}, {"c.png": "3"}, {})
PAGE = b"""---
title: "A"
description: zero \\0
layout: landing
surprise: true
---
# A

[b](b.md#there) ![c](c.png) [lost](nowhere.md) <https://example.org/>

## Below \xff

text
"""


def chunks(count: int) -> list[list[tuple[str, bytes]]]:
    return [[("a.md", PAGE), (f"{number}.md", b"# %d\n" % number)] for number in range(count)]


async def beside(count: int) -> list[list[PreparedText]]:
    return [chunk async for chunk in prepare_in_processes(iter(chunks(count)), TARGETS)]


@pytest.mark.parametrize("count", [0, FEW - 1, FEW, FEW * 4])
def test_processes_prepare_as_this_one_does_and_in_order(count: int) -> None:
    assert asyncio.run(beside(count)) == [prepare(chunk, TARGETS) for chunk in chunks(count)]
