"""What tests of the engines share."""

from __future__ import annotations

from functools import partial

import pytest

from app import main
from app.runtime import Runtime
from tests.clock import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the servers that the test starts."""
    clock = Clock()
    monkeypatch.setattr(main, "Runtime", partial(Runtime, clock=clock))
    return clock
