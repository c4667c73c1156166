"""Markdown to documents: each construct becomes the structure it stands for."""

from __future__ import annotations

from typing import Any

import pytest

from app.formats.markdown import nodes
from app.formats.markdown.document_validation import check_document
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


def test_a_document_has_the_agreed_shape() -> None:
    assert to_document("Hi *you*") == {
        "object": "document",
        "data": {"schemaVersion": 1},
        "nodes": [
            {
                "object": "block",
                "type": "paragraph",
                "key": "0",
                "data": {},
                "isVoid": False,
                "nodes": [
                    {
                        "object": "text",
                        "key": "0.0",
                        "leaves": [
                            {"object": "leaf", "text": "Hi ", "marks": []},
                            {
                                "object": "leaf",
                                "text": "you",
                                "marks": [{"object": "mark", "type": "italic", "data": {}}],
                            },
                        ],
                    }
                ],
            }
        ],
    }


def test_keys_are_unique_and_the_same_for_the_same_body() -> None:
    source = "# A[^1]\n\n| a | b |\n|-|-|\n| *x* | y |\n\n* q\n  > r\n\n[^1]: n\n"
    keys = [node["key"] for node in nodes.walk(to_document(source))]
    assert len(keys) == len(set(keys)) == 15
    assert keys == [node["key"] for node in nodes.walk(to_document(source))]


@pytest.mark.parametrize(
    ("source", "kind", "data"),
    [
        ("# A b", "heading-1", {"id": "a-b"}),
        ("### A", "heading-3", {"id": "a"}),
        ("##### A", "heading-3", {"id": "a", "level": 5}),
        ('## A <a href="#x" id="x"></a>', "heading-2", {"id": "x"}),
        ('## <a id="x"></a>A', "heading-2", {"id": "x"}),
        ("## A {#x}", "heading-2", {"id": "x"}),
        ("***", "divider", {}),
        ("> a", "blockquote", {}),
        ("$$\na\n$$", "math", {"formula": "a"}),
        ("$$a+b$$", "math", {"formula": "a+b"}),
        ('{% hint style="warning" %}\na\n{% endhint %}', "hint", {"style": "warning"}),
        ("{% hint style='info' icon=\"x\" %}a{% endhint %}", "hint", {"style": "info", "icon": "x"}),
        ('{% embed url="https://x.org/?a=b&c" %}', "embed", {"url": "https://x.org/?a=b&c"}),
        ('{% file src="a b.pdf" %}', "file", {"ref": url("a b.pdf")}),
        ('{% include "../a.md" %}', "reusable-content", {"ref": url("../a.md")}),
        (
            '{% content-ref url="a.md" %}\n[a.md](a.md)\n{% endcontent-ref %}',
            "content-ref",
            {"ref": url("a.md")},
        ),
        (
            '{% openapi src="s.yaml" path="/p" method="get" %}\nx\n{% endopenapi %}',
            "openapi-operation",
            {"src": "s.yaml", "path": "/p", "method": "get"},
        ),
        (
            '{% openapi-operation spec="s" path="/p" method="get" %}',
            "openapi-operation",
            {"spec": "s", "path": "/p", "method": "get"},
        ),
        ('{% openapi-schemas spec="s" schemas="A,B" %}', "openapi-schemas", {"spec": "s", "schemas": "A,B"}),
        ('{% openapi-webhook spec="s" name="n" %}', "openapi-webhook", {"spec": "s", "name": "n"}),
        ('{% swagger method="get" path="/a" summary="s" %}\n', "swagger", None),
        ("1. a", "list-ordered", {}),
        ("3. a", "list-ordered", {"start": 3}),
        ("- a", "list-unordered", {}),
        ("- [x] a\n- b", "list-tasks", {}),
        ("{% if a > 1 && b %}\nx\n{% endif %}", "if", {"expression": "a > 1 && b"}),
        ("<video>\n</video>", "integration", None),
        ("{% youtube %}x{% endyoutube %}", "integration", None),
    ],
)
def test_blocks(source: str, kind: str, data: Node | None) -> None:
    block = only(source)
    assert block["type"] == kind
    assert data is None or block["data"] == data


def test_headings_with_the_same_text_get_numbered_anchors() -> None:
    assert [block["data"]["id"] for block in blocks("# A\n# A\n# A {#a-1}\n# A\n")] == [
        "a",
        "a-1",
        "a-1-1",
        "a-2",
    ]


def test_an_explicit_anchor_leaves_the_heading_text_alone() -> None:
    block = only('## Two words <a href="#x" id="x"></a>')
    assert nodes.plain_text(block["nodes"]) == "Two words"


def test_code_has_a_node_for_each_line_and_the_settings_of_its_tag() -> None:
    block = only(
        '{% code title="a.js" overflow="wrap" lineNumbers="true" %}\n```js x=1\na\n\nb\n```\n{% endcode %}\n'
    )
    assert block["data"] == {
        "syntax": "js",
        "meta": "x=1",
        "title": "a.js",
        "overflow": "wrap",
        "lineNumbers": True,
    }
    assert [nodes.plain_text(line["nodes"]) for line in block["nodes"]] == ["a", "", "b"]
    assert {line["type"] for line in block["nodes"]} == {"code-line"}


def test_indented_code_is_code() -> None:
    assert nodes.plain_text(only("    {% hint %}")["nodes"]) == "{% hint %}"


@pytest.mark.parametrize(
    ("source", "outer", "inner", "titles"),
    [
        (
            (
                '{% tabs %}\n{% tab title="A" %}\na\n{% endtab %}\n\n{% tab title="B" %}\nb\n'
                "{% endtab %}\n{% endtabs %}"
            ),
            "tabs",
            "tabs-item",
            [{"title": "A"}, {"title": "B"}],
        ),
        ("{% stepper %}{% step %}\na\n{% endstep %}{% endstepper %}", "stepper", "stepper-step", [{}]),
        (
            (
                '{% columns %}\n{% column width="50%" %}\na\n{% endcolumn %}\n{% column %}\nb\n'
                "{% endcolumn %}\n{% endcolumns %}"
            ),
            "columns",
            "column",
            [{"width": "50%"}, {}],
        ),
        (
            '{% updates %}\n{% update date="2024-05-01" %}\na\n{% endupdate %}\n{% endupdates %}',
            "updates",
            "update",
            [{"date": "2024-05-01"}],
        ),
    ],
)
def test_groups(source: str, outer: str, inner: str, titles: list[Node]) -> None:
    block = only(source)
    assert block["type"] == outer
    assert [child["type"] for child in block["nodes"]] == [inner] * len(titles)
    assert [child["data"] for child in block["nodes"]] == titles
    assert all(child["nodes"][0]["type"] == "paragraph" for child in block["nodes"])


def test_details_become_an_expandable_with_markdown_inside() -> None:
    block = only("<details>\n\n<summary>See <b>this</b></summary>\n\n* a\n\n</details>\n")
    assert block["type"] == "expandable"
    assert nodes.plain_text(block["data"]["title"]) == "See this"
    assert [child["type"] for child in block["nodes"]] == ["list-unordered"]


def test_else_becomes_an_if_of_its_own() -> None:
    found = blocks("{% if a %}\nA\n{% elif b %}\nB\n{% else %}\nC\n{% endif %}")
    assert [block["data"]["expression"] for block in found] == ["a", "!(a) && (b)", "!(a) && !(b)"]
    assert [nodes.plain_text(block["nodes"]) for block in found] == ["A", "B", "C"]


def test_a_caption_may_follow_an_embed_but_need_not() -> None:
    source = '{% embed url="a" %}\n\nText\n\n{% embed url="b" %} see *it* {% endembed %}\n'
    first, text, second = blocks(source)
    assert (first["data"]["url"], first["nodes"]) == ("a", [])
    assert text["type"] == "paragraph"
    assert nodes.plain_text(second["nodes"]) == "see it"


def test_an_unknown_tag_is_kept_as_it_was_written() -> None:
    source = '{% thing a="b" %}\n# not a heading\n\n  x\n{% endthing %}'
    assert only(source)["data"] == {"integration": "", "block": "thing", "props": {"source": source}}


def test_unknown_html_is_kept_as_it_was_written() -> None:
    source = '<div class="a">\n<p>b</p>\n</div>'
    assert only(source)["data"]["props"] == {"source": source}


def test_comments_are_dropped() -> None:
    found = blocks('a <!-- x --> b\n\n<!-- y\n\nz -->\n\n<!-- c --> {% include "d" %}\n')
    assert [block["type"] for block in found] == ["paragraph", "reusable-content"]
    assert nodes.plain_text(found[0]["nodes"]) == "a  b"


def test_raw_keeps_template_syntax_as_text() -> None:
    block = only("{% raw %}\n{{ a }} {% b %}\n{% endraw %}")
    assert nodes.plain_text(block["nodes"]) == "{{ a }} {% b %}"


def test_front_matter_is_set_aside() -> None:
    made = to_document("---\ntitle: A\n---\n\ntext\n")
    assert made["data"]["frontMatter"] == "title: A\n"
    assert [block["type"] for block in made["nodes"]] == ["paragraph"]
    assert [block["type"] for block in blocks("---\n\ntext\n\n---\n")] == ["divider", "paragraph", "divider"]


def test_a_lone_image_is_a_block_and_one_in_text_is_not() -> None:
    (image,) = only('![alt](a.png "t")')["nodes"]
    assert image["type"] == "image"
    assert image["data"] == {"ref": url("a.png"), "alt": "alt", "title": "t"}
    assert [node.get("type", "text") for node in inlines("see ![alt](a.png)")] == ["text", "inline-image"]


def test_a_figure_has_a_caption_a_size_and_a_dark_version() -> None:
    (image,) = only(
        '<figure><picture><source srcset="d.png" media="(prefers-color-scheme: dark)">'
        '<img src="l.png" alt="A &amp; B" width="300"></picture>'
        "<figcaption><p>See <em>it</em></p></figcaption></figure>"
    )["nodes"]
    assert image["data"] == {"ref": url("l.png"), "refDark": url("d.png"), "alt": "A & B", "width": "300"}
    assert nodes.plain_text(image["nodes"]) == "See it"


def test_figures_in_a_row_share_a_block() -> None:
    figures = [f'<figure><img src="{number}.png" alt=""></figure>' for number in (1, 2)]
    source = f'<div align="left">{" ".join(figures)}</div>'
    block = only(source)
    assert block["data"] == {"align": "left"}
    assert [image["data"]["ref"] for image in block["nodes"]] == [url("1.png"), url("2.png")]


def test_tags_nest_in_lists_and_quotes() -> None:
    block = only('* a\n\n  {% hint style="info" %}\n  > b\n  {% endhint %}\n* c\n')
    assert [child["type"] for child in block["nodes"][0]["nodes"]] == ["paragraph", "hint"]
    quote = only("> {% hint %}\n> a\n> {% endhint %}\n> b")
    assert [child["type"] for child in quote["nodes"]] == ["hint", "paragraph"]


def test_what_is_left_open_closes_where_its_container_does() -> None:
    found = blocks("* {% hint %}\n  a\n* b\n\n{% tabs %}\n{% tab %}\nc\n{% endtabs %}\n\nd\n")
    assert [block["type"] for block in found] == ["list-unordered", "tabs", "paragraph"]
    assert [item["nodes"][0]["type"] for item in found[0]["nodes"]] == ["hint", "paragraph"]


def test_an_end_that_belongs_to_nothing_is_text() -> None:
    assert leaves("{% endhint %}") == [("{% endhint %}", ())]
    assert [block["type"] for block in blocks("{% hint %}\na\n{% endtab %}\nb\n{% endhint %}")] == ["hint"]


def test_a_tag_in_code_is_code() -> None:
    assert only("```\n{% hint %}\n```")["type"] == "code"
    assert leaves("see `{% hint %}`") == [("see ", ()), ("{% hint %}", ("code",))]


@pytest.mark.parametrize(
    "source",
    [
        ">" * 500 + "a",
        "".join("  " * depth + "* a\n" for depth in range(200)),
        "{% hint %}\n" * 500 + "a",
        "<details>\n" * 300,
        "[" * 3000 + "a" + "](b)" * 3000,
        "*" * 5000,
        "<b>" * 3000,
        "".join(f"[^{i}]: [^{i + 1}]\n\n" for i in range(500)) + "[^0]",
        "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>" + "<ul><li>" * 200 + "x",
        "{% if a %}\n" + "{% elif b %}\nx\n" * 500,
        '{% openapi kind="a" void="b" nodes="c" data="d" %}',
        "\0\ud800\r\n\u2028{% \0",
    ],
)
def test_hostile_text_gives_a_valid_document(source: str) -> None:
    made = to_document(source)
    check_document(made)
    assert made["nodes"]


def test_what_is_nested_too_deep_is_still_there() -> None:
    assert "needle" in nodes.plain_text(to_document(">" * 300 + " needle")["nodes"])
    assert "needle" in nodes.plain_text(to_document("{% hint %}\n" * 300 + "needle")["nodes"])
