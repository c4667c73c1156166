"""Calls that several tests share: making what a call needs takes longer than most questions about it."""

from __future__ import annotations

from app.api.operation import Operation
from tests import make
from tests.cast import Cast
from tests.contract.faces import Call
from tests.contract.recipes import RECIPES
from tests.instance import Instance


class SharedCalls:
    """A call for each operation, in an organization of its own, for tests that change nothing there."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._made: dict[str, tuple[Cast, Call]] = {}

    def of(self, operation: Operation) -> tuple[Cast, Call]:
        """Return the shared call of an operation, which the test only reads with or is refused."""
        if operation.id not in self._made:
            self._made[operation.id] = self.new(operation)
        return self._made[operation.id]

    def to_run(self, operation: Operation) -> tuple[Cast, Call]:
        """Return a call that the test runs: the shared one of a read, a new one of a write."""
        return self.new(operation) if operation.writes else self.of(operation)

    def new(self, operation: Operation) -> tuple[Cast, Call]:
        """Return a call in a fresh organization."""
        cast = make.cast(self._instance)
        return cast, RECIPES[operation.id](cast)
