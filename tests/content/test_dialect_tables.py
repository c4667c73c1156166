"""Tables: pipes and HTML to one block, and back."""

from __future__ import annotations

from typing import Any

import pytest

from app.formats.markdown import nodes
from app.formats.markdown.parser import to_document
from app.formats.markdown.writer import to_markdown

CARDS = (
    '<table data-view="cards" data-card-size="large"><thead><tr><th></th><th data-hidden data-card-target '
    'data-type="content-ref"></th><th data-hidden data-card-cover data-type="files"></th></tr></thead><tbody>'
    '<tr><td><strong>A</strong> b</td><td><a href="a.md">a.md</a></td><td><a href="c.png">c.png</a></td></tr>'
    "</tbody></table>"
)


def table(source: str) -> dict[str, Any]:
    (block,) = to_document(source)["nodes"]
    return dict(block["data"]) if block["type"] == "table" else {}


def texts(data: dict[str, Any]) -> list[list[str]]:
    return [[nodes.plain_text(cell) for cell in row["values"].values()] for row in data["records"].values()]


def test_a_pipe_table_has_columns_and_records() -> None:
    data = table("| A | *B* |\n|:-:|---|\n| `a\\|b` | c |\n| d |\n")
    assert data["view"] == {"type": "grid", "columns": ["c1", "c2"]}
    assert data["definition"]["c1"] == {"id": "c1", "type": "text", "title": "A", "align": "center"}
    assert data["definition"]["c2"]["title"] == "B"
    assert data["definition"]["c2"]["nodes"][0]["leaves"][0]["marks"][0]["type"] == "italic"
    assert texts(data) == [["a|b", "c"], ["d", ""]]
    assert [row["orderIndex"] for row in data["records"].values()] == [0, 1]


def test_cards_name_their_target_and_cover() -> None:
    data = table(CARDS)
    assert data["view"] == {
        "type": "cards",
        "columns": ["c1"],
        "cardSize": "large",
        "targetDefinition": "c2",
        "coverDefinition": "c3",
    }
    assert [column["type"] for column in data["definition"].values()] == ["text", "content-ref", "files"]
    assert data["records"]["r1"]["values"]["c2"][0]["data"]["ref"] == {"kind": "url", "url": "a.md"}


def test_cards_are_written_as_they_came() -> None:
    assert to_markdown(to_document(CARDS)) == CARDS + "\n"


def test_html_cells_may_hold_paragraphs_and_lists() -> None:
    data = table(
        "<table><thead><tr><th width='100'>A</th></tr></thead><tbody><tr><td>a<ul><li>b</li></ul></td></tr>"
        "</tbody></table>"
    )
    assert data["definition"]["c1"]["width"] == "100"
    assert [block["type"] for block in data["records"]["r1"]["values"]["c1"]] == [
        "paragraph",
        "list-unordered",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "<table><tr><td>no head</td></tr></table>",
        "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td colspan='2'>b</td></tr></tbody></table>",
        "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td><td>c</td></tr></tbody></table>",
        "<table style='x'><thead><tr><th>a</th></tr></thead><tbody></tbody></table>",
        "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td><pre>b</pre></td></tr></tbody></table>",
        "<table>\n\n<tr><td>a</td></tr>\n\n<tr><td><table></table></td></tr>\n\n</table>",
    ],
)
def test_an_html_table_that_says_more_is_kept_as_it_is(source: str) -> None:
    (block,) = to_document(source)["nodes"]
    assert (block["type"], block["data"]["props"]["source"]) == ("integration", source)


def test_cells_without_nodes_are_written_as_text() -> None:
    document = to_document("| A | B |\n|-|-|\n| a | b |\n")
    document["nodes"][0]["data"]["records"]["r1"]["values"] = {"c1": "x|*y*", "c2": True}
    assert to_markdown(document) == "| A | B |\n| --- | --- |\n| x\\|\\*y\\* | true |\n"
