"""Connections: pages of lists as Relay's cursor connections have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.access.context import Context
from app.api.graphql.addresses import Stamp
from app.api.operation import Operation
from app.kit.database.paging import Page
from graphql import FieldNode, FragmentDefinitionNode, FragmentSpreadNode, InlineFragmentNode, SelectionNode

PAGE = "@page"
COUNT = frozenset({"totalCount", "__typename"})


def connection(
    cx: Context,
    row: Operation,
    page: Page[Any],
    stamp: Stamp | None,
    values: Mapping[str, str],
) -> dict[str, Any]:
    """Return the source of a connection."""
    assert row.show is not None
    nodes = [row.show(cx, item) for item in page.items]
    if stamp is not None:
        for node in nodes:
            stamp(node, values)
    return page_source(nodes, page)


def page_source(nodes: list[dict[str, Any]], page: Page[Any]) -> dict[str, Any]:
    """Return the source of a connection with these sources of its items."""
    return {
        "nodes": nodes,
        PAGE: page,
        "totalCount": page.count,
        "pageInfo": {
            "hasNextPage": page.has_next,
            "hasPreviousPage": page.has_previous,
            "endCursor": page.cursor(-1) if nodes else page.next,
            "startCursor": page.cursor(0) if nodes else None,
        },
        **page.extra,
    }


def edges(source: dict[str, Any], _info: Any) -> list[dict[str, Any]]:
    """Return the items of a connection with their cursors."""
    page: Page[Any] = source[PAGE]
    return [{"node": node, "cursor": page.cursor(index)} for index, node in enumerate(source["nodes"])]


def counts_only(nodes: Iterable[FieldNode], fragments: Mapping[str, FragmentDefinitionNode]) -> bool:
    """Tell whether these fields, which are merged into one, ask a connection for nothing but its count."""

    def is_count(node: SelectionNode) -> bool:
        if isinstance(node, FieldNode):
            return node.name.value in COUNT
        if isinstance(node, FragmentSpreadNode):
            return all(map(is_count, fragments[node.name.value].selection_set.selections))
        assert isinstance(node, InlineFragmentNode)
        return all(map(is_count, node.selection_set.selections))

    return all(
        node.selection_set is not None and all(map(is_count, node.selection_set.selections)) for node in nodes
    )
