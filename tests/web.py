"""Calls of nobody in particular: httpx's own, which give up after five seconds, with more patience."""

from __future__ import annotations

from functools import partial

import httpx

from tests.patience import PATIENCE

get = partial(httpx.get, timeout=PATIENCE)
head = partial(httpx.head, timeout=PATIENCE)
post = partial(httpx.post, timeout=PATIENCE)
patch = partial(httpx.patch, timeout=PATIENCE)
put = partial(httpx.put, timeout=PATIENCE)
stream = partial(httpx.stream, timeout=PATIENCE)
