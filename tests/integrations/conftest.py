"""Fixtures shared by the tests of content sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cast import Cast
from tests.integrations.almanac import Almanac


@pytest.fixture
def almanac(cast: Cast, tmp_path: Path) -> Almanac:
    """An integration with a source, published and installed."""
    return Almanac(cast, tmp_path)
