"""Blocks of integrations in Markdown: every property comes back as what it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.markdown import nodes, tags
from app.formats.markdown.document_validation import check_document
from app.formats.markdown.parser import to_document
from app.formats.markdown.writer import to_markdown
from app.kit.errors import Invalid

plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | plain
    | st.sampled_from(["%}", "it's", 'a"b\\']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain, inner, max_size=3),
    max_leaves=6,
)
properties = st.dictionaries(
    st.sampled_from(["content", "on", "data-x", "a b", "0"]) | plain, values, max_size=5
)


def lamp(**props: Any) -> dict[str, Any]:
    block = nodes.block("integration", void=True, integration="shop.lamps", block="Bulb_1", props=props)
    return {"object": "document", "data": {}, "nodes": [block]}


def data_of(source: str) -> list[dict[str, Any]]:
    return [node["data"] for node in to_document(source)["nodes"]]


@given(properties)
@settings(deadline=None)
def test_whatever_the_properties_are_they_come_back(props: dict[str, Any]) -> None:
    source = to_markdown(check_document(lamp(**props)))
    assert source.count("\n") == 1
    assert data_of(source) == [{"integration": "shop.lamps", "block": "Bulb_1", "props": props}]
    assert to_markdown(to_document(source)) == source


def test_it_is_written_as_people_would() -> None:
    source = to_markdown(lamp(content='Say "hi"', watt=60, on=True, places=["hall"], lines="a\nb"))
    assert source == (
        '{% @shop.lamps/Bulb_1 content="Say \\"hi\\"" watt=60 on=true'
        " places='[\"hall\"]' lines='\"a\\nb\"' %}\n"
    )


@pytest.mark.parametrize(
    ("source", "props"),
    [
        ("{% @draw/chart %}", {}),
        ('{%@draw/chart content="graph TD\n  A-->B" %}', {"content": "graph TD\n  A-->B"}),
        ("{% @draw/chart a='not json' b=on c=\"60\" %}", {"a": "not json", "b": "on", "c": "60"}),
        ("{% @draw/chart {z} %}", {"0": "{z}"}),
    ],
)
def test_what_people_write_is_read(source: str, props: dict[str, Any]) -> None:
    assert data_of(source) == [{"integration": "draw", "block": "chart", "props": props}]


def test_a_sentence_about_one_is_none() -> None:
    source = "Write \\{% @draw/chart %} alone on a line.\n"
    assert [node["type"] for node in to_document(source)["nodes"]] == ["paragraph"]
    assert to_markdown(to_document(source)) == source


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({"block": "b", "props": {}}, "integration"),
        ({"integration": "", "block": "b", "props": {"source": 1}}, "integration"),
        ({"integration": "a b", "block": "b"}, "integration"),
        ({"integration": "a", "block": "%}"}, "block"),
        ({"integration": "a"}, "block"),
        ({"integration": "a", "block": "b", "props": {"x": "y" * tags.LONGEST_TAG}}, "props"),
        ({"integration": "a", "block": "b", "props": {"x": 2**70}}, "props"),
    ],
)
def test_what_could_not_be_written_is_refused(data: dict[str, Any], path: str) -> None:
    with pytest.raises(Invalid) as refused:
        nodes.check_integration_block(data, "data")
    assert refused.value.path == f"data.{path}"


def test_a_drawing_stays_a_picture() -> None:
    drawing = nodes.block("drawing", void=True, ref=nodes.url_reference("a.svg"))
    assert (
        to_markdown(check_document({"object": "document", "data": {}, "nodes": [drawing]})) == "![](a.svg)\n"
    )
