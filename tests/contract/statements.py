"""Records the statements that calls run, in an application of their own beside the running one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any

import pytest

from app.access.token_actors import BY_HASH
from app.api.operation import Operation
from app.kit.database.statements import Compiled
from tests.cast import Cast
from tests.contract.faces import Call, address, in_query
from tests.contract.second_process import Stage, staged


def statements(cast: Cast, stage: Stage, row: Operation, *calls: Call) -> list[list[str]]:
    """The texts of the statements that each call runs, of the administrator or of who alone may make it."""
    texts = []
    for call in calls:
        with noting() as ran:
            path, params = address(row, call), in_query(call)
            answer = stage.send(
                (call.caller or cast.ada).token, row.method, path, params=params, json=call.body
            )
        assert answer.status_code < 400, answer.text
        texts.append(ran)
    return texts


def counts(cast: Cast, stage: Stage, row: Operation, *calls: Call) -> list[int]:
    """Return how many statements each of these calls runs, with the one that finds the caller."""
    caller = cast.instance.engine == "sqlite"  # left out below
    return [caller + len(texts) for texts in statements(cast, stage, row, *calls)]


def counts_anew(cast: Cast, row: Operation, *calls: Call) -> list[int]:
    """Return how many statements each of these calls runs in an application that has just started."""
    with staged(cast.instance) as stage:
        return counts(cast, stage, row, *calls)


@contextmanager
def noting() -> Iterator[list[str]]:
    """Notes every statement that this thread gives to a driver: each needs its arguments once.

    On SQLite without the one that finds the caller, who is remembered until somebody commits something.
    """
    ran: list[str] = []
    here, arguments = get_ident(), Compiled.arguments
    finding = BY_HASH.compiled("sqlite").text

    def noted(compiled: Compiled, values: dict[str, Any]) -> Sequence[Any]:
        # The running product has a thread of its own.
        if get_ident() == here and compiled.text != finding:
            ran.append(compiled.text)
        return arguments(compiled, values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compiled, "arguments", noted)
        yield ran
