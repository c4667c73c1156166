"""Documents that callers send: what is refused, and where the refusal points."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.markdown import document_validation, nodes
from app.formats.markdown.document_validation import check_document
from app.formats.markdown.parser import to_document
from app.formats.markdown.writer import to_markdown
from app.kit.errors import Invalid

GOOD = to_document(
    "# A\n\n* b **c** [d](e)\n\n| f |\n|-|\n| g |\n\n"
    "<details><summary>h</summary>i</details>\n\nj[^1]\n\n[^1]: k\n"
)


def changed(*path: str | int, value: Any) -> dict[str, Any]:
    document = copy.deepcopy(GOOD)
    holder: Any = document
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return document


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for step, child in inside:
        yield (*path, step)
        yield from places(child, (*path, step))


ODD: list[Any] = [
    None,
    0,
    True,
    1.5,
    "",
    "link",
    [],
    [1],
    [{}],
    {},
    {"a": 1},
    [{"object": "text", "leaves": []}],
]


@given(st.sampled_from(list(places(GOOD))), st.sampled_from(ODD))
def test_what_is_accepted_can_be_written(path: tuple[str | int, ...], value: Any) -> None:
    try:
        document = check_document(changed(*path, value=copy.deepcopy(value)))
    except Invalid:
        return
    to_document(to_markdown(document))


def test_what_the_parser_makes_is_accepted() -> None:
    assert check_document(copy.deepcopy(GOOD)) == GOOD


def test_data_and_nodes_may_be_left_out() -> None:
    made = check_document({"object": "document", "nodes": [{"object": "block", "type": "divider"}]})
    assert made["nodes"][0] == {"object": "block", "type": "divider", "data": {}, "nodes": []}


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (None, "document"),
        ([], "document"),
        ({"object": "block", "nodes": []}, "document.object"),
        ({"object": "document"}, "document.nodes"),
        ({"object": "document", "data": 1, "nodes": []}, "document.data"),
        (changed("nodes", 1, value="x"), "document.nodes[1]"),
        (changed("nodes", 1, "type", value="marquee"), "document.nodes[1].type"),
        (changed("nodes", 1, "type", value=["paragraph"]), "document.nodes[1].type"),
        (changed("nodes", 1, "object", value="leaf"), "document.nodes[1].object"),
        (changed("nodes", 1, "object", value={}), "document.nodes[1].object"),
        (changed("nodes", 0, "data", value=[]), "document.nodes[0].data"),
        (changed("nodes", 0, "data", "level", value="2"), "document.nodes[0].data.level"),
        (changed("nodes", 0, "data", "id", value=[{}]), "document.nodes[0].data.id"),
        (changed("nodes", 2, "data", "view", value={"type": 1}), "document.nodes[2].data.view.type"),
        (changed("nodes", 0, "isVoid", value=0), "document.nodes[0].isVoid"),
        (changed("nodes", 0, "nodes", value={}), "document.nodes[0].nodes"),
        (changed("nodes", 0, "nodes", 0, "leaves", value=None), "document.nodes[0].nodes[0].leaves"),
        (
            changed("nodes", 0, "nodes", 0, "leaves", 0, "object", value="text"),
            "document.nodes[0].nodes[0].leaves[0].object",
        ),
        (
            changed("nodes", 0, "nodes", 0, "leaves", 0, "text", value=1),
            "document.nodes[0].nodes[0].leaves[0].text",
        ),
        (
            changed("nodes", 0, "nodes", 0, "leaves", 0, "marks", value=[{"type": "blink"}]),
            "document.nodes[0].nodes[0].leaves[0].marks[0].type",
        ),
        (
            changed(
                "nodes", 0, "nodes", 0, "leaves", 0, "marks", value=[{"type": "color", "data": {"text": 1}}]
            ),
            "document.nodes[0].nodes[0].leaves[0].marks[0].data.text",
        ),
        (
            changed("nodes", 1, "nodes", 0, "nodes", 0, "nodes", 1, "data", "ref", value={"kind": "x"}),
            "document.nodes[1].nodes[0].nodes[0].nodes[1].data.ref.kind",
        ),
        (changed("nodes", 2, "data", "records", value=[]), "document.nodes[2].data.records"),
        (changed("nodes", 2, "data", "definition", "c1", value=1), "document.nodes[2].data.definition.c1"),
        (
            changed("nodes", 2, "data", "records", "r1", "orderIndex", value="1"),
            "document.nodes[2].data.records.r1.orderIndex",
        ),
        (
            changed("nodes", 2, "data", "records", "r1", "values", "c1", value={}),
            "document.nodes[2].data.records.r1.values.c1",
        ),
        (
            changed("nodes", 2, "data", "records", "r1", "values", "c1", 0, "object", value="x"),
            "document.nodes[2].data.records.r1.values.c1[0].object",
        ),
        (changed("nodes", 3, "data", "title", value="h"), "document.nodes[3].data.title"),
        (
            changed("nodes", 3, "data", "title", 0, "object", value=""),
            "document.nodes[3].data.title[0].object",
        ),
        (
            changed("nodes", 4, "nodes", 1, "data", "body", 0, "type", value="x"),
            "document.nodes[4].nodes[1].data.body[0].type",
        ),
        (changed("nodes", 0, "data", "attributes", value={"a": 1}), "document.nodes[0].data.attributes.a"),
    ],
)
def test_a_refusal_names_the_place(document: object, path: str) -> None:
    with pytest.raises(Invalid) as refusal:
        check_document(document)
    assert refusal.value.path == path


def nested(depth: int) -> dict[str, Any]:
    inside: list[dict[str, Any]] = []
    for _ in range(depth):
        inside = [nodes.block("blockquote", inside)]
    return nodes.document(inside)


def test_depth_is_bounded() -> None:
    check_document(nested(nodes.MAX_DEPTH))
    with pytest.raises(Invalid, match="deeper than 100"):
        check_document(nested(nodes.MAX_DEPTH + 1))
    with pytest.raises(Invalid, match="deeper than 100"):
        check_document(nested(50_000))


def test_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_validation, "MAX_NODES", 10)
    check_document(nodes.document([nodes.block("divider") for _ in range(10)]))
    with pytest.raises(Invalid, match="more than 10 nodes"):
        check_document(nodes.document([nodes.block("divider") for _ in range(11)]))
