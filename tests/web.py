"""Requests of somebody without a token, each over a connection of its own, made with patience."""

from __future__ import annotations

from typing import Any

import httpx

from tests.patience import PATIENCE


def get(url: str, **options: Any) -> httpx.Response:
    """What is at an address."""
    return httpx.get(url, timeout=PATIENCE, **options)


def head(url: str, **options: Any) -> httpx.Response:
    """The headers of what is there."""
    return httpx.head(url, timeout=PATIENCE, **options)


def post(url: str, **options: Any) -> httpx.Response:
    """The answer to what is posted."""
    return httpx.post(url, timeout=PATIENCE, **options)
