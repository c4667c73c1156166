"""Requests without a token: the functions of httpx with a longer timeout than its five seconds."""

from __future__ import annotations

from functools import partial

import httpx

from tests.timing import TIMEOUT

get = partial(httpx.get, timeout=TIMEOUT)
head = partial(httpx.head, timeout=TIMEOUT)
post = partial(httpx.post, timeout=TIMEOUT)
patch = partial(httpx.patch, timeout=TIMEOUT)
put = partial(httpx.put, timeout=TIMEOUT)
stream = partial(httpx.stream, timeout=TIMEOUT)
