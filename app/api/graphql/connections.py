"""Connections: pages of lists as Relay's cursor connections have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from app.access.context import Context
from app.api.graphql.addresses import Stamp
from app.api.graphql.finishes import Edges
from app.api.operation import Operation
from app.kit.database.paging import Page
from app.present.shape import ShownRows
from graphql import FieldNode, FragmentDefinitionNode, FragmentSpreadNode, InlineFragmentNode

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
    place = None if stamp is None else partial(_placed, stamp, values)
    return page_source(ShownRows(cx, row.show, page.items, place), page)


def _placed(stamp: Stamp, values: Mapping[str, str], node: dict[str, Any]) -> None:
    stamp(node, values)


def page_source(nodes: Sequence[dict[str, Any]], page: Page[Any]) -> dict[str, Any]:
    """Return the source of a connection with these sources of its items."""
    return {
        "nodes": nodes,
        "edges": Edges(nodes, page.cursor),
        PAGE: page,
        "totalCount": page.count,
        **page.extra,
    }


def edge_cursor(make: Callable[[], str]) -> str:
    """Return the cursor of an item; cursors are signed, which takes longer than most of a row."""
    return make()


def page_info(page: Page[Any]) -> dict[str, Any]:
    """Return the source of what says where a page begins and ends."""
    return {"hasNextPage": page.has_next, "hasPreviousPage": page.has_previous, PAGE: page}


def start_cursor(page: Page[Any]) -> str | None:
    """Return the cursor of the first item of a page."""
    return page.cursor(0) if page.items else None


def end_cursor(page: Page[Any]) -> str | None:
    """Return the cursor of the last item of a page; of one without items, that of the next page."""
    return page.cursor(-1) if page.items else page.next


def counts_only(nodes: Iterable[FieldNode], fragments: Mapping[str, FragmentDefinitionNode]) -> bool:
    """Tell whether these fields, which are merged into one, ask a connection for nothing but its count."""
    return all(node.selection_set is not None and _is_count(node, fragments) for node in nodes)


def _is_count(
    node: FieldNode | InlineFragmentNode | FragmentDefinitionNode,
    fragments: Mapping[str, FragmentDefinitionNode],
) -> bool:
    """Tell whether nothing but the count is selected in a field or a fragment."""
    for each in node.selection_set.selections if node.selection_set is not None else ():
        if isinstance(each, FieldNode):
            if each.name.value not in COUNT:
                return False
        elif isinstance(each, FragmentSpreadNode):
            if not _is_count(fragments[each.name.value], fragments):
                return False
        elif isinstance(each, InlineFragmentNode) and not _is_count(each, fragments):
            return False
    return True
