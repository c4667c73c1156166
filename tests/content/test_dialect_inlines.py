"""Inline Markdown to text and inline nodes: marks, links, tags, footnotes, and what only looks like them."""

from __future__ import annotations

from typing import Any

import pytest

from app.formats.markdown import nodes
from app.formats.markdown.parser import to_document

Node = dict[str, Any]


def blocks(source: str) -> list[Node]:
    return list(to_document(source)["nodes"])


def only(source: str) -> Node:
    found = blocks(source)
    assert len(found) == 1, [block["type"] for block in found]
    return found[0]


def inlines(source: str) -> list[Node]:
    return list(only(source)["nodes"])


def leaves(source: str) -> list[tuple[str, tuple[str, ...]]]:
    (text,) = inlines(source)
    return [(leaf["text"], tuple(mark["type"] for mark in leaf["marks"])) for leaf in text["leaves"]]


def url(address: str) -> Node:
    return {"kind": "url", "url": address}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("**a** *b* ~~c~~ `d`", "bold italic strikethrough code"),
        ("<kbd>a</kbd> <sup>b</sup> <sub>c</sub>", "keyboard superscript subscript"),
        ("<b>a</b> <i>b</i> <s>c</s> <code>d</code>", "bold italic strikethrough code"),
    ],
)
def test_marks(source: str, expected: str) -> None:
    assert [marks[0] for _, marks in leaves(source) if marks] == expected.split()


def test_marks_have_one_order_however_they_nest() -> None:
    assert leaves("***a***") == leaves("_**a**_") == leaves("<i><b>a</b></i>") == [("a", ("bold", "italic"))]


def test_colors() -> None:
    (text,) = inlines('<mark style="color:red;background-color:blue;">a</mark>')
    assert text["leaves"][0]["marks"] == [
        {"object": "mark", "type": "color", "data": {"text": "red", "background": "blue"}}
    ]


def test_line_breaks() -> None:
    assert leaves("a  \nb\\\nc<br>d\ne") == [("a\nb\nc\nd e", ())]


@pytest.mark.parametrize(
    ("source", "kind", "data", "inside"),
    [
        ('[a](b.md#c "t")', "link", {"ref": url("b.md#c"), "title": "t"}, "a"),
        ("<https://x.org>", "link", {"ref": url("https://x.org")}, "https://x.org"),
        ("[a][r]\n\n[r]: b%20c", "link", {"ref": url("b%20c")}, "a"),
        ('<a href="b" target="_blank">a</a>', "link", {"ref": url("b")}, "a"),
        (
            '<a href="b" class="button primary" data-icon="x">a</a>',
            "button",
            {"ref": url("b"), "style": "primary", "icon": "x"},
            "a",
        ),
        ("[@Ann](mention://u1)", "mention", {"ref": {"kind": "user", "user": "u1"}}, "@Ann"),
        ('<a href="mention:u1">Ann</a>', "mention", {"ref": {"kind": "user", "user": "u1"}}, "Ann"),
        ("a :rocket:", "emoji", {"code": "1f680"}, ""),
        ('<i class="fa-star">:star:</i>', "icon", {"icon": "star"}, ""),
        ('<i class="fa-brands fa-x"></i>', "icon", {"icon": "x", "style": "brands"}, ""),
        (
            '<code class="expression">a &lt; b * c * d</code>',
            "expression",
            {"expression": "a < b * c * d"},
            "",
        ),
        ("a $$x_1$$", "inline-math", {"formula": "x_1"}, ""),
        ("a $x_1$.", "inline-math", {"formula": "x_1"}, ""),
        (
            '<img src="a.png" alt="x" data-size="line"> b',
            "inline-image",
            {"ref": url("a.png"), "alt": "x", "size": "line"},
            "",
        ),
    ],
)
def test_inlines(source: str, kind: str, data: Node, inside: str) -> None:
    found = [node for node in inlines(source) if node["object"] == "inline"]
    assert [(node["type"], node["data"], nodes.plain_text(node["nodes"])) for node in found] == [
        (kind, data, inside)
    ]


@pytest.mark.parametrize(
    "source",
    ["from $5 to $6", "${a}/${b}", "$HOME and $PATH", "12:30:45", ":no-such-name:", "a {% b", "x<y>z"],
)
def test_what_only_looks_like_a_construct_stays_text(source: str) -> None:
    assert "".join(text for text, _ in leaves(source)) == source


def test_a_script_link_is_no_link() -> None:
    for source in ("[a](javascript:x)", '<a href=" java\nscript:x">a</a>', '<img src="a"> [b](vbscript:x)'):
        found = [node for node in inlines(source) if node.get("type") in ("link", "button")]
        assert found == []


def test_tags_without_meaning_stay_raw_and_those_without_partner_become_text() -> None:
    (text,) = inlines('<span id="a">b</span> </kbd>')
    assert [(leaf["text"], leaf.get("html", False)) for leaf in text["leaves"]] == [
        ('<span id="a">', True),
        ("b", False),
        ("</span>", True),
        (" </kbd>", False),
    ]


def test_a_footnote_gives_its_text_to_the_first_reference() -> None:
    _, first, _, second = inlines("a[^n] b[^n]\n\n[^n]: See\n\n    * this\n")
    assert [block["type"] for block in first["data"]["body"]] == ["paragraph", "list-unordered"]
    assert second["data"] == {"label": "n"}
