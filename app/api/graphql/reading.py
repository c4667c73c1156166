"""Fields that read: of each row that answers a GET, and of what names an object.

Several rows may share a field: that of a page by its id and by its path, that of the comments of a space and
of a change request. The one is called whose parameters are those that the parent and the arguments give.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from app.api.graphql.addresses import holds, stamp_of, values_of, within
from app.api.graphql.connections import PAGE, connection, counts_only, end_cursor
from app.api.graphql.converts import Convert, converted
from app.api.graphql.nodes import (
    COUNTS,
    Address,
    Node,
    Source,
    named_in,
    nodes,
    read_id,
    shape_of,
    type_name,
    wrong_type,
)
from app.api.graphql.queries import PLAIN, asked_of, body_of, renamed, without_default
from app.api.graphql.shape_fields import holds_list, named_fields
from app.api.graphql.state import Info, RequestState
from app.api.operation import Operation
from app.kit.database.paging import MAX_LIMIT, Page
from app.kit.errors import Forbidden, Invalid, NotFound, Unauthenticated
from app.models.base import Shape
from app.models.checks import checked
from app.present.shape import showing


@dataclass(slots=True)
class Reading:
    """Resolves a field by the rows that share it; `parent` is the type that it is a field of.

    `arguments` are the parameters of paths by the names of the arguments that give them, and `preset` what
    the query of the rows has where the parent decides it. `converts` make of other arguments what REST takes.
    """

    rows: Sequence[Operation]
    parent: Node | None
    arguments: Mapping[str, str]
    converts: Mapping[str, Convert]
    preset: Mapping[str, str]
    is_own: bool = field(init=False)
    name: str = field(init=False)
    is_list: bool = field(init=False)
    counts: Mapping[str, Mapping[str, Any]] = field(init=False)
    _rows: Mapping[frozenset[str], Operation] = field(init=False)
    _known: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self._rows = {frozenset(row.parameters): row for row in self.rows}
        self._known = frozenset[str]().union(*self._rows)
        is_of_user = self.parent is not None and self.parent.type == "User"
        self.is_own = is_of_user and not any("userId" in names for names in self._rows)
        self.name = self.rows[0].field.rpartition(".")[2]
        self.is_list = self.rows[0].paged
        self.counts = counts_of(self.parent, self.name) if self.parent is not None and self.is_list else {}

    async def __call__(self, source: Source | None, info: Info, /, **given: Any) -> Any:
        state: RequestState = info.context
        only_count = self.is_list and counts_only(info.field_nodes, info.fragments)
        values = values_of(source, self.parent) if source else {}
        if values.get("userId") and self.is_own and values.pop("userId") != state.actor.user_id:
            raise Forbidden("You can only read your own.")
        preset = {name: values[parameter] for name, parameter in self.preset.items()}
        for parameter in self.preset.values():
            del values[parameter]
        for name, parameter in self.arguments.items():
            if (text := given.pop(name, None)) is not None:
                place(values, parameter, text, name, self._known)
        row = self.row_for(values)
        if self.is_list:
            given = without_default(given, info)
        asked = {**converted(given, self.converts), **preset}
        return await read(state, row, values, asked, only_count=only_count)

    def row_for(self, values: Mapping[str, str]) -> Operation:
        """Return the row that takes these parameters; raises Invalid where none does."""
        row = self._rows.get(
            self._known.intersection(values)
        )  # an id may say more of the place than is asked for
        if row is None:
            named = {parameter: name for name, parameter in self.arguments.items()}
            choices = [[named[each] for each in row if each in named] for row in self._rows]
            if any(choices) and len(self._rows) > 1:
                wanted = " or ".join(
                    " and ".join(f"`{each}`" for each in choice) for choice in choices if choice
                )
                raise Invalid(f"Give either {wanted}.", path=next(iter(named.values())))
            raise NotFound("Objects of this kind have no such field.")
        return row


def place(
    values: dict[str, str], parameter: str, text: str, name: str, known: frozenset[str] = frozenset()
) -> None:
    """Put the object that an argument names into the parameters of a path.

    `known` are all parameters of the paths that it may be of, where there are more than the values yet. An id
    says the whole place of an object. Raises Invalid, naming the argument, where that is another place, or
    where the object is of another type.
    """
    wanted = named_in(known.union(values, (parameter,)), parameter)
    found = read_id(text) if wanted else None
    if wanted and not text:
        raise Invalid(f"{name}: An id has at least one character", path=name)
    if found is None:
        values[parameter] = text
        return
    other, address = found
    if other not in wanted:
        raise wrong_type(other, wanted[0], name)
    for each, value in other.named(address).items():
        if values.setdefault(each, value) != value:
            raise Invalid(f"This {other.type} is somewhere else.", path=name)


def counts_of(node: Node, field: str) -> dict[str, dict[str, Any]]:
    """Return the fields in which sources of a type say how many items a list has, with its arguments then."""
    shapes = {shape for row in node.rows.values() if (shape := shape_of(row)) is not None}
    kinds = {info.annotation for each in shapes if (info := named_fields(each).get(field)) is not None}
    whole = {field: PLAIN} if kinds & {int, int | None} else {}
    others = COUNTS.get(node.type, {}).items()
    return {**whole, **{name: {**PLAIN, **given} for name, (listed, given) in others if listed == field}}


async def read(
    state: RequestState,
    row: Operation,
    values: Mapping[str, str],
    given: dict[str, Any],
    *,
    only_count: bool = False,
) -> Any:
    """Call the function of a row that reads, and return the source of what it answers.

    Of a list that is asked `only_count` no items are read.
    """
    state.permit(row)
    cx = await state.context()
    arguments = row.arguments([values[name] for name in row.parameters])
    if row.query is not None:
        asked = asked_of(row, row.query, given)
        arguments.append(asked.model_copy(update={"limit": 0}) if only_count else asked)
    if row.body is not None:
        arguments.append(checked(row.body, body_of(row.body, given), strict=True))
    try:
        result = await state.limit.hold(row.call, cx, *arguments)
    except Invalid as invalid:
        raise renamed(invalid, {"page": "before" if given.get("before") else "after"}) from None
    assert row.show is not None
    shape = shape_of(row)
    stamp = stamp_of(shape) if shape is not None else None
    node = nodes().get(type_name(shape)) if shape is not None else None
    if row.paged and node is not None:
        values = await with_organization(state, values, node)
    if isinstance(result, Page):
        return connection(cx, row, result, stamp, values)

    def show(cx: Any, result: Any) -> Any:
        assert row.show is not None
        shown = row.show(cx, result)
        if stamp is not None and isinstance(shown, dict):
            stamp(shown, values)
        return shown

    shown = await showing(result, show, cx, result)
    wrapper = unwrapped(shape)
    return shown[wrapper] if wrapper and isinstance(shown, dict) else shown


async def with_organization(state: RequestState, values: Mapping[str, str], node: Node) -> Mapping[str, str]:
    """Return parameters with the organization of a space or an installation, where it is needed."""
    if "organizationId" not in node.parameters or "organizationId" in values:
        return values
    if "spaceId" in values:
        space = await load(state, nodes()["Space"], (values["spaceId"],))
        return {**values, "organizationId": space["organization"]}
    if "installationId" in values:
        installation = nodes()["IntegrationInstallation"]
        found = await load(state, installation, (values["integrationName"], values["installationId"]))
        return {**values, "organizationId": found["target"]["organization"]}
    return values


@cache
def unwrapped(shape: type[Shape] | None) -> str | None:
    """Return the one field of an answer that is only a wrapper of a list; GraphQL answers the list."""
    if shape is None or len(shape.model_fields) != 1:
        return None
    ((name, info),) = named_fields(shape).items()
    return name if holds_list(info.annotation) else None


async def load(state: RequestState, node: Node, address: Address) -> Any:
    """Read the object at an address, once in a request; raises as the operation that reads it does."""
    return await state.once((node.type, address), lambda: _load(state, node, address))


async def if_there(found: Awaitable[Any]) -> Any:
    """Return what is found, or None where it is gone or hidden from the caller."""
    try:
        return await found
    except (NotFound, Forbidden, Unauthenticated):
        return None


async def _load(state: RequestState, node: Node, address: Address) -> Any:
    values = node.named(address)
    if node.type in state.loaders:
        return await state.loaders[node.type](state, values)
    row = node.row(address)
    if row.method == "GET":
        return await read(state, row, values, {})
    from app.api.catalog import OPERATIONS  # all of them, which few queries need

    beside = [each for each in OPERATIONS if each.method == "GET" and each.parameters == row.parameters[:-1]]
    shape = shape_of(row)
    assert shape is not None
    own = values.pop(node.own)
    for each in (each for each in beside if each.paged and shape_of(each) is shape):
        after: str | None = None
        while True:
            page = await read(state, each, values, {"first": MAX_LIMIT, "after": after})
            for found in page["nodes"]:
                if found[node.key] == own:
                    return found
            if not page[PAGE].has_next:
                break
            after = end_cursor(page[PAGE])
    for each in beside:
        if not each.paged and (whole := shape_of(each)) is not None and holds(whole, shape):
            held = within(await read(state, each, values, {}), address)
            if held is not None:
                return held
    raise NotFound(f"There is no such {node.type}, or it cannot be read by itself.")
