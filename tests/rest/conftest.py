"""Fixtures of the tests of change requests and content changes."""

from __future__ import annotations

import pytest

from tests import make
from tests.cast import Cast


@pytest.fixture
def space(cast: Cast) -> str:
    """A space with nothing in it."""
    return str(make.space(cast.ada, cast.organization)["id"])


@pytest.fixture(params=["space", "change request"])
def request_id(request: pytest.FixtureRequest, cast: Cast, space: str) -> str | None:
    """Return where changes are made: in the space, or in a change request of it."""
    return None if request.param == "space" else str(make.change_request(cast.ed, space)["id"])
