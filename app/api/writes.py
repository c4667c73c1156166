"""Writes whose answers are values: how GraphQL and the tools of agents run the rows that write.

REST answers bytes with headers of their own, and runs its writes in its adapter.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import orjson

from app.access.audit_actions import AuditAction
from app.access.context import Actor, Context
from app.api.operation import Operation
from app.kit import workers
from app.kit.clock import to_json
from app.runtime import Runtime, may_write

if TYPE_CHECKING:
    from app.models.audit import Face

KEY = "idempotencyKey"
"""The field of an input that names a write, so that it happens once."""

REVISION = "expectedRevision"
"""The field of an input that says which revision of some content the caller has read."""


@dataclass(slots=True, frozen=True)
class Write:
    """A call of a row that writes: the parameters of its path, and the arguments that they make with a body.

    `check` runs in the transaction before anything is changed. `asked` is all that the caller sent, of about
    so many characters (`size`), by which a retry is known.
    """

    row: Operation
    values: Mapping[str, str]
    arguments: list[Any]
    check: Callable[[Context], Awaitable[None]]
    asked: Mapping[str, Any]
    size: int

    async def run(self, runtime: Runtime, actor: Actor, face: Face, address: str | None, key: Any) -> Any:
        """Run it in one transaction, once for a `key` that is not None; returns what the row shows."""
        path = tuple((name, self.values[name]) for name in self.row.parameters)
        action = AuditAction(face, self.row.id, path, address)

        async def prepare() -> None:
            may_write(actor)
            if self.row.prepare is not None:
                made = await self.row.prepare(runtime.context(actor), *self.arguments)
                self.arguments.append(made)

        if key is None:
            await prepare()
            return await runtime.write(actor, self._act, action)
        from app.api.replays import WriteAnswer, replayed

        async def answer(cx: Context) -> WriteAnswer:
            return WriteAnswer(to_json(await self._act(cx)))

        found = await replayed(runtime, actor, key, KEY, self._fingerprint, prepare, answer, action)
        return orjson.loads(found.body)

    async def _act(self, cx: Context) -> Any:
        await self.check(cx)
        result = await self.row.call(cx, *self.arguments)
        if self.row.show is None:
            return None
        shown = self.row.show(cx, result)
        if cx.notes is not None:
            cx.notes.shown = shown
        return shown

    async def _fingerprint(self) -> str:
        asked = {name: value for name, value in self.asked.items() if name != KEY}
        return await workers.run(self.size, _hashed, [self.row.id, dict(self.values), asked])


def _hashed(asked: Any) -> str:
    return sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()
