"""Shows in payloads the objects around a change, so that clients' caches are right without asking again.

Beside the objects in the path of an operation, these are the ones that its body named, those that a deleted
or moved object was in before, and the organization: their lists and counts have changed too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from app.api.graphql.nodes import AT, Node, Source, nodes
from app.api.graphql.prepared import resolver_of
from app.api.graphql.reading import if_there, load, with_organization
from app.api.graphql.state import Info, RequestState
from app.api.operation import Operation
from app.kit.errors import Problem
from graphql import FieldNode, FragmentSpreadNode, InlineFragmentNode, SelectionSetNode, get_named_type

GIVEN = "@given"
WAS = "@was"


@dataclass(slots=True, frozen=True)
class Loading:
    """Resolves a field for an object that a change names: one of its path, or of its body by a `key`."""

    node: Node
    key: str = ""

    async def __call__(self, source: Source, info: Info) -> Any:
        values = source.get(AT)
        if values is None:
            return None
        if self.key:
            named = source[GIVEN].get(self.key)
            if named is None:
                return None
            values = {**values, self.node.own: named}
        address = self.node.address(values)
        return None if address is None else await if_there(load(info.context, self.node, address))


@dataclass(slots=True, frozen=True)
class LoadingCaller:
    """Resolves a field for the person who made a change of what is their own."""

    async def __call__(self, source: Source, info: Info) -> Any:
        state: RequestState = info.context
        if source.get(AT) is None or not state.actor.user_id:
            return None
        return await if_there(load(state, nodes()["User"], (state.actor.user_id,)))


@dataclass(slots=True, frozen=True)
class LoadingOrganization:
    """Resolves a field for the organization of the space, collection, integration or installation that a
    change names."""

    async def __call__(self, source: Source, info: Info) -> Any:
        return await if_there(self._load(source, info.context))

    async def _load(self, source: Source, state: RequestState) -> Any:
        values = source.get(AT)
        if values is None:
            return None
        was = source.get(WAS)
        if was is not None and "owner" in was:  # an integration, which may be gone by now
            organization = was["owner"]["id"]
        elif was is not None and "target" in was:  # an installation
            organization = was["target"]["organization"]
        elif "collectionId" in values:
            collection = await load(state, nodes()["Collection"], (values["collectionId"],))
            organization = collection["organization"]
        elif "integrationName" in values and "installationId" not in values:
            integration = await load(state, nodes()["Integration"], (values["integrationName"],))
            organization = integration["owner"]["id"]
        else:
            found = await with_organization(state, values, nodes()["Organization"])
            organization = found["organizationId"]
        return await load(state, nodes()["Organization"], (organization,))


@dataclass(slots=True, frozen=True)
class Before:
    """Resolves a field of a payload as that of the object as it was before the change."""

    resolve: Callable[..., Awaitable[Any]]

    async def __call__(self, source: Source, info: Info) -> Any:
        was = source.get(WAS)
        return None if was is None else await if_there(self.resolve(was, info))


def changed_by(row: Operation) -> Node | None:
    """Return the type of the object that a row changes; of what a row deletes, where that is an object."""
    if row.method == "DELETE" and not row.path.endswith("}"):
        return None
    return next((node for node in nodes().values() if row.parameters in node.rows), None)


async def before(state: RequestState, row: Operation, values: Mapping[str, str], info: Info) -> Source | None:
    """Return the object that a row is about to change, if the payload is asked where it was."""
    node = changed_by(row)
    address = node.address(values) if node is not None else None
    if node is None or address is None:
        return None
    payload: Any = get_named_type(info.return_type)
    asked = _asked(info, (each.selection_set for each in info.field_nodes))
    shown = (payload.fields[name] for name in asked if name in payload.fields)
    wanted = (Before, LoadingOrganization) if row.method == "DELETE" else Before
    if not any(isinstance(resolver_of(each), wanted) for each in shown):
        return None
    try:
        return cast("Source", await load(state, node, address))
    except Problem:  # the change is refused with its own reason
        return None


def _asked(info: Info, selections: Iterable[SelectionSetNode | None]) -> set[str]:
    """Return the names of the fields in selections."""
    found: set[str] = set()
    for selection in selections:
        for each in selection.selections if selection is not None else ():
            if isinstance(each, FieldNode):
                found.add(each.name.value)
            elif isinstance(each, FragmentSpreadNode):
                found |= _asked(info, [info.fragments[each.name.value].selection_set])
            elif isinstance(each, InlineFragmentNode):
                found |= _asked(info, [each.selection_set])
    return found
