"""Mutations: one `input`, and a payload that says what changed or what stands in the way.

What a person can mend is in `userErrors` of the payload (bad input, conflicts, rights that are missing, what
is gone); callers who are unknown or too frequent, and faults of the server, are errors of the whole request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.access.context import Context
from app.api.graphql.addresses import stamp_of
from app.api.graphql.around import GIVEN, WAS, before
from app.api.graphql.converts import Convert, converted
from app.api.graphql.errors import with_levels
from app.api.graphql.nodes import AT, Node, Source, nodes, rest_id, shape_of
from app.api.graphql.queries import body_of
from app.api.graphql.reading import place
from app.api.graphql.shape_fields import camel
from app.api.graphql.state import Info, RequestState
from app.api.operation import Operation
from app.api.versions import arguments_at, refuse_stale, refuse_stale_content
from app.api.writes import KEY, REVISION, Write
from app.kit.errors import Invalid, PreconditionFailed, Problem
from app.models.checks import checked
from app.models.content_changes import ContentChangesQuery
from graphql import get_nullable_type, is_input_object_type, is_leaf_type, is_list_type

VERSION = "expectedVersion"
"""The field of inputs that says which version of an object the caller has read."""

OF_THE_REQUEST = frozenset({401, 405, 429, 499, 500, 502, 503})
"""The statuses of refusals that are errors of the request; all others are told in the payload."""


@dataclass(slots=True)
class Writing:
    """Resolves a mutation by the rows that share it: that of a space and that of its change requests.

    `arguments` are the parameters of paths by the names of the fields of the input that give them, `result`
    the field of the payload that shows what the row answers (empty: its fields are the payload's own), and
    `deletes` the type of what is deleted. `reads` are the operations that read what the rows change, by the
    ids of those.
    """

    rows: Sequence[Operation]
    arguments: Mapping[str, str]
    converts: Mapping[str, Convert]
    result: str
    deletes: Node | None
    reads: Mapping[str, Operation]
    _rows: Mapping[frozenset[str], Operation] = field(init=False)
    _known: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self._rows = {frozenset(row.parameters): row for row in self.rows}
        self._known = frozenset[str]().union(*self._rows)

    async def __call__(self, _source: Any, info: Info, /, **arguments: dict[str, Any]) -> Source:
        state: RequestState = info.context
        try:
            given = dict(arguments["input"])
            values: dict[str, str] = {}
            for name, parameter in self.arguments.items():
                if (text := given.pop(name, None)) is not None:
                    place(values, parameter, text, name, self._known)
            row = self._row(values)
            given = converted(given, self.converts)
            was = await before(state, row, values, info)
            shown = await self._write(state, row, values, given)
        except Problem as problem:
            if problem.status in OF_THE_REQUEST:
                raise
            kind = info.parent_type.fields[info.field_name].args["input"].type
            return {"userErrors": user_errors(problem, kind, arguments["input"])}
        payload: Source = {AT: values, GIVEN: given, WAS: was, "userErrors": []}
        if shown is not None:
            payload |= {self.result: shown} if self.result else shown
        if self.deletes is not None:
            address = self.deletes.address(values)
            payload["deletedId"] = self.deletes.id_of(address) if address else None
        return payload

    def _row(self, values: Mapping[str, str]) -> Operation:
        row = self._rows.get(
            self._known.intersection(values)
        )  # an id may say more of the place than is asked for
        if row is not None:
            return row
        wanted = min(self._rows, key=lambda each: len(each - values.keys()))
        missing = [name for name, parameter in self.arguments.items() if parameter in wanted - values.keys()]
        if missing:
            raise Invalid(f"{missing[0]}: Field required", path=missing[0])
        too_many = self._known.intersection(values) - wanted
        over = [name for name, parameter in self.arguments.items() if parameter in too_many]
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

        async def check(cx: Context) -> None:
            await self._refuse_stale(cx, row, values, given)

        at = {name: values[name] for name in row.parameters}
        write = Write(row, at, arguments, check, given, state.size)
        async with state.limit.suspended():
            shown = await write.run(state.runtime, state.actor, "graphql", state.address, given.get(KEY))
        state.forget()
        if stamp is not None and shown is not None:
            stamp(shown, values)
        return shown

    async def _refuse_stale(
        self, cx: Context, row: Operation, values: Mapping[str, str], given: Mapping[str, Any]
    ) -> None:
        """Raise PreconditionFailed where the object or the content has changed since the caller read it."""
        reading = self.reads.get(row.id)
        if reading is None:
            return
        if (expected := given.get(VERSION)) is not None:
            try:
                await refuse_stale(cx, reading, arguments_at(reading, values), expected)
            except PreconditionFailed as stale:
                raise PreconditionFailed(stale.message, path=VERSION) from None
        if (expected := given.get(REVISION)) is not None:
            where = row.arguments([values[name] for name in row.parameters])[0]
            await refuse_stale_content(cx, where, rest_id(expected, nodes()["Revision"], REVISION))


def _query(row: Operation) -> Any:
    if row.query is ContentChangesQuery:
        return ContentChangesQuery(compat=False)
    assert row.query is not None
    return checked(row.query, {}, strict=False)


def user_errors(problem: Problem, kind: Any, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the entries of `userErrors` for a refusal of an input of a type."""
    code = problem.code
    names = {"Idempotency-Key": KEY}
    if not problem.details:
        return [{"code": code, "message": with_levels(problem.message), "path": None}]
    return [
        {
            "code": code,
            "message": with_levels(each["message"]),
            "path": located(names.get(each["path"], each["path"]).split("."), kind, given),
        }
        for each in problem.details
    ]


def _within(kind: Any, given: Any, part: str) -> str | None:
    """Return the field of an input that holds a field of REST; None where the input has that field itself.

    It is the chosen alternative, or the input that the alternatives are in.
    """
    if not is_input_object_type(kind) or not given:
        return None
    if kind.is_one_of:
        chosen: str = next(iter(given))
        inner = get_nullable_type(kind.fields[chosen].type)
        is_deeper = is_input_object_type(inner) and part in inner.fields
        return chosen if is_deeper or part not in kind.fields else None
    if part in kind.fields:
        return None
    kinds = {name: get_nullable_type(field.type) for name, field in kind.fields.items() if name in given}
    holders = (name for name, each in kinds.items() if is_input_object_type(each) and each.is_one_of)
    return next(holders, None)


def _entry(kind: Any, given: Any, key: str) -> int | None:
    """Return the place of a key among the entries that GraphQL has for a map of REST; None elsewhere."""
    inner = get_nullable_type(kind.of_type) if is_list_type(kind) else None
    if not is_input_object_type(inner) or "value" not in inner.fields or not isinstance(given, list):
        return None
    keys = [[each for name, each in entry.items() if name != "value"] for entry in given]
    return next((at for at, held in enumerate(keys) if key in held), None)


def located(parts: Sequence[str], kind: Any, given: Any) -> list[str]:
    """Return the path of an input by its path in REST, which has no fields of `@oneOf` inputs."""
    found: list[str] = []
    for part in filter(None, parts):
        kind = get_nullable_type(kind)
        if is_input_object_type(kind) and camel(part) in kind.fields:
            part = camel(part)
        while (holder := _within(kind, given, part)) is not None:
            found.append(holder)
            kind, given = get_nullable_type(kind.fields[holder].type), given[holder]
        if found and is_leaf_type(kind) and kind.name != "JSON":
            continue  # the field of REST that the chosen alternative stands for
        found.append(part)
        if (at := _entry(kind, given, part)) is not None:
            kind, given = get_nullable_type(kind.of_type).fields["value"].type, given[at].get("value")
        elif is_list_type(kind) and isinstance(given, list) and part.isdecimal() and int(part) < len(given):
            kind, given = kind.of_type, given[int(part)]
        elif is_input_object_type(kind) and part in kind.fields and isinstance(given, dict):
            kind, given = kind.fields[part].type, given.get(part)
        else:
            kind, given = None, None
    return found
