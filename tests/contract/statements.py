"""What calls run in the database: noted in an application of their own, beside the running one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any

import httpx
import pytest

from app.api.operation import Operation
from app.kit.database.statements import Compiled
from app.main import Services, create_app
from tests.cast import Cast
from tests.contract.faces import Call, address, in_body, in_query


def statements(cast: Cast, row: Operation, *calls: Call) -> list[list[str]]:
    """The texts of the statements that each of these calls of the administrator runs."""
    return asyncio.run(_statements(cast, row, calls))


def counts(cast: Cast, row: Operation, *calls: Call) -> list[int]:
    """How many statements each of these calls runs."""
    return [len(texts) for texts in statements(cast, row, *calls)]


async def _statements(cast: Cast, row: Operation, calls: Sequence[Call]) -> list[list[str]]:
    app = create_app(cast.house.settings)
    house: Services = app.state.services
    headers = {"Authorization": f"Bearer {cast.ada.token}"}
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test", headers=headers)
    texts = []
    try:
        await house.ready()
        for call in calls:
            with noting() as ran:
                answer = await client.request(
                    row.method, address(row, call), params=in_query(call), **in_body(call)
                )
            assert answer.status_code < 400, answer.text
            texts.append(ran)
    finally:
        await client.aclose()
        await house.close()
    return texts


@contextmanager
def noting() -> Iterator[list[str]]:
    """Notes every statement that this thread gives to a driver: each needs its arguments once."""
    ran: list[str] = []
    here, arguments = get_ident(), Compiled.arguments

    def noted(compiled: Compiled, values: dict[str, Any]) -> Sequence[Any]:
        if get_ident() == here:  # the running product has a thread of its own
            ran.append(compiled.text)
        return arguments(compiled, values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compiled, "arguments", noted)
        yield ran
