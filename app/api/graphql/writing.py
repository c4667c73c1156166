"""Mutations: one `input`, and a payload that says what changed or what stands in the way.

What a person can mend is in `userErrors` of the payload (bad input, conflicts, rights that are missing, what
is gone); callers who are unknown or too frequent, and faults of the server, are errors of the whole request.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Any

import orjson

from app.access.audit_actions import AuditAction
from app.access.context import Context
from app.api.catalog import OPERATIONS
from app.api.graphql.addresses import stamp_of
from app.api.graphql.around import GIVEN, WAS, before
from app.api.graphql.inputs import Convert, converted
from app.api.graphql.nodes import AT, Node, Source, nodes, rest_id, shape_of
from app.api.graphql.queries import body_of
from app.api.graphql.reading import place
from app.api.graphql.state import Info, RequestState
from app.api.operation import Operation
from app.api.versions import arguments_at, refuse_stale
from app.kit import workers
from app.kit.clock import to_json
from app.kit.errors import Invalid, PreconditionFailed, Problem
from app.models.checks import checked
from app.models.content_changes import ContentChangesQuery
from app.runtime import may_write

KEY = "idempotencyKey"
"""The field of every input that names a write, so that it happens once."""

VERSION, REVISION = "expectedVersion", "expectedRevision"
"""The fields of inputs that say what the caller has read: of an object, and of content."""

OF_THE_REQUEST = frozenset({401, 405, 429, 499, 500, 502, 503})
"""The statuses of refusals that are errors of the request; all others are told in the payload."""


class Writing:
    """Resolves a mutation by the rows that share it: that of a space and that of its change requests.

    `arguments` are the parameters of paths by the names of the fields of the input that give them, `result`
    the field of the payload that shows what the row answers (empty: its fields are the payload's own), and
    `deletes` the type of what is deleted.
    """

    def __init__(
        self,
        rows: Sequence[Operation],
        arguments: Mapping[str, str],
        converts: Mapping[str, Convert],
        result: str,
        deletes: Node | None,
    ) -> None:
        self.rows = {frozenset(row.parameters): row for row in rows}
        self.arguments = arguments
        self.converts = converts
        self.result = result
        self.deletes = deletes

    async def __call__(self, _source: Any, info: Info, /, **arguments: dict[str, Any]) -> Source:
        state: RequestState = info.context
        try:
            given = dict(arguments["input"])
            values: dict[str, str] = {}
            for name, parameter in self.arguments.items():
                if (text := given.pop(name, None)) is not None:
                    place(values, parameter, text, name)
            row = self._row(values)
            given = converted(given, self.converts)
            was = await before(state, row, values, info)
            shown = await self._write(state, row, values, given)
        except Problem as problem:
            if problem.status in OF_THE_REQUEST:
                raise
            return {"userErrors": user_errors(problem)}
        payload: Source = {AT: values, GIVEN: given, WAS: was, "userErrors": []}
        if shown is not None:
            payload |= {self.result: shown} if self.result else shown
        if self.deletes is not None:
            address = self.deletes.address(values)
            payload["deletedId"] = self.deletes.id_of(address) if address else None
        return payload

    def _row(self, values: Mapping[str, str]) -> Operation:
        row = self.rows.get(frozenset(values))
        if row is not None:
            return row
        wanted = min(self.rows, key=lambda each: len(each - values.keys()))
        missing = [name for name, parameter in self.arguments.items() if parameter in wanted - values.keys()]
        if missing:
            raise Invalid(f"{missing[0]}: Field required", path=missing[0])
        over = [name for name, parameter in self.arguments.items() if parameter in values.keys() - wanted]
        raise Invalid(f"{over[0]}: This does not go with the other fields", path=over[0])

    async def _write(
        self, state: RequestState, row: Operation, values: Mapping[str, str], given: dict[str, Any]
    ) -> Any:
        state.permit(row)
        arguments: list[Any] = row.arguments([values[name] for name in row.parameters])
        if row.query is not None:
            arguments.append(_query(row))
        if row.body is not None:
            arguments.append(checked(row.body, body_of(row.body, given), strict=True))
        shape = shape_of(row)
        stamp = stamp_of(shape) if shape is not None else None

        async def act(cx: Context) -> Any:
            await _refuse_stale(cx, row, values, given)
            result = await row.call(cx, *arguments)
            if row.show is None:
                return None
            shown = row.show(cx, result)
            if cx.notes is not None:
                cx.notes.shown = shown
            return shown

        async def prepare() -> None:
            may_write(state.actor)
            if row.prepare is not None:
                arguments.append(await row.prepare(state.cx, *arguments))

        path = tuple((name, values[name]) for name in row.parameters)
        action = AuditAction("graphql", row.id, path, state.address)
        async with state.limit.suspended():
            if KEY in given and given[KEY] is not None:
                shown = await _once(state, row, given, values, prepare, act, action)
            else:
                await prepare()
                shown = await state.runtime.write(state.actor, act, action)
        state.forget()
        if stamp is not None and shown is not None:
            stamp(shown, values)
        return shown


async def _once(
    state: RequestState,
    row: Operation,
    given: Mapping[str, Any],
    values: Mapping[str, str],
    prepare: Callable[[], Awaitable[None]],
    act: Callable[[Context], Awaitable[Any]],
    action: AuditAction,
) -> Any:
    """Run a write once for an `idempotencyKey`, however often it is sent."""
    from app.api.replays import Answer, replayed

    async def fingerprint() -> str:
        asked = {name: value for name, value in given.items() if name != KEY}
        return await workers.run(state.size, _fingerprint, [row.id, values, asked])

    async def answer(cx: Context) -> Answer:
        return Answer(to_json(await act(cx)))

    found = await replayed(state.runtime, state.actor, given[KEY], KEY, fingerprint, prepare, answer, action)
    return orjson.loads(found.body)


def _fingerprint(asked: Any) -> str:
    return sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()


async def _refuse_stale(
    cx: Context, row: Operation, values: Mapping[str, str], given: Mapping[str, Any]
) -> None:
    """Raise PreconditionFailed where the object or the content has changed since the caller read it."""
    reading = read_at(row.path)
    if reading is None:
        return
    if (expected := given.get(VERSION)) is not None:
        await refuse_stale(cx, reading, arguments_at(reading, values), expected)
    if (expected := given.get(REVISION)) is not None:
        from app.domain.content import history

        entry = await history.get_entry(cx, row.arguments([values[name] for name in row.parameters])[0])
        if rest_id(expected, nodes()["Revision"], REVISION) != entry.revision.id:
            raise PreconditionFailed(
                "The content has changed since you read it; read it again.", path=REVISION
            )


@cache
def read_at(path: str) -> Operation | None:
    """Return the operation that reads what is at a path, if one does."""
    return next(
        (row for row in OPERATIONS if row.path == path and row.method == "GET" and not row.paged), None
    )


def _query(row: Operation) -> Any:
    if row.query is ContentChangesQuery:
        return ContentChangesQuery(compat=False)
    assert row.query is not None
    return checked(row.query, {}, strict=False)


def user_errors(problem: Problem) -> list[dict[str, Any]]:
    """Return the entries of `userErrors` for a refusal."""
    code = problem.code
    names = {"Idempotency-Key": KEY}
    if not problem.details:
        return [{"code": code, "message": problem.message, "path": None}]
    return [
        {
            "code": code,
            "message": each["message"],
            "path": [part for part in names.get(each["path"], each["path"]).split(".") if part],
        }
        for each in problem.details
    ]
