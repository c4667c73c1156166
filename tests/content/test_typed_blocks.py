"""Documents as typed blocks: each kind has its shape, and whatever is stored becomes some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

import app.demo
from app.formats.markdown import nodes
from app.formats.markdown.document_validation import BLOCKS, INLINES
from app.formats.markdown.parser import to_document
from app.formats.markdown.scanner import scan
from app.models import blocks as block_shapes
from app.models import leaf_blocks, runs
from app.models.base import Shape
from app.models.blocks import BlockOut
from app.models.runs import RunOut
from app.present.blocks import blocks
from app.present.link_targets import as_written

Made = dict[str, Any]
GUIDE = Path(app.demo.__file__).parent / "guide"
PAGES = sorted(path.relative_to(GUIDE).as_posix() for path in GUIDE.rglob("*.md"))
SHAPES = [
    shape
    for module in (runs, leaf_blocks, block_shapes)
    for shape in vars(module).values()
    if isinstance(shape, type) and issubclass(shape, Shape) and shape.__module__ == module.__name__
]
_ANY: TypeAdapter[Any] = TypeAdapter(list[BlockOut])


def shown(markdown: str) -> list[Made]:
    """The blocks of a Markdown text, once their shape is checked."""
    return checked(blocks(to_document(markdown)))


def checked(made: list[Made]) -> list[Made]:
    _ANY.validate_json(orjson.dumps(made), strict=True, extra="forbid", by_alias=True, by_name=False)
    return made


def parts(made: Any) -> Iterator[Made]:
    """Every object in what was made, in order."""
    if isinstance(made, dict):
        yield made
    for value in made.values() if isinstance(made, dict) else made if isinstance(made, list) else ():
        yield from parts(value)


def kinds(made: Any) -> set[str]:
    return {part["type"] for part in parts(made) if "type" in part}


def text(content: str, *marks: str, **looks: str) -> Made:
    return {"type": "text", "text": content, "marks": [*marks], **looks}


def paragraph(key: str, content: str) -> Made:
    return {"key": key, "type": "paragraph", "runs": [text(content)]}


def elsewhere(href: str) -> Made:
    return {"kind": "url", "status": "ok", "href": href, "url": href}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_its_shape_and_nothing_unknown(page: str) -> None:
    source = (GUIDE / page).read_text()
    made = shown(source)
    assert "unknown" not in kinds(made)
    written = {heading.anchor for heading in scan(source).headings}
    assert {part["anchor"] for part in parts(made) if part.get("type") == "heading"} == written


@pytest.mark.parametrize("page", PAGES)
def test_no_text_of_a_page_is_lost(page: str) -> None:
    document = to_document((GUIDE / page).read_text())
    made = blocks(document)
    if kinds(made) & {"cards", "link-card"}:  # the names of what they lead to are not shown
        return
    titles = [
        column["title"]
        for node in nodes.walk(document)
        if node.get("type") == "table"
        for column in node["data"]["definition"].values()
        if "nodes" not in column
    ]
    said = [part.get("text") or part.get("code", "") for part in parts(made) if part.get("type") in _TEXTS]
    assert letters("".join(said)) == letters(nodes.plain_text(document["nodes"]) + "".join(titles))


_TEXTS = {"text", "code"}


def letters(content: str) -> Counter[str]:
    return Counter("".join(content.split()))


def test_the_sampler_has_blocks_and_runs_of_nearly_all_types() -> None:
    shapes = (*members(BlockOut), *members(RunOut))
    every = {get_args(shape.model_fields["type"].annotation)[0] for shape in shapes}
    assert every - kinds(shown((GUIDE / "writing" / "sampler.md").read_text())) == {
        *("integration", "quote", "divider", "html", "gallery", "drawing", "custom-tag", "unknown"),
        *("openapi-webhook", "openapi-schemas", "line-break", "anchor", "mention"),
    }


def members(union: Any) -> tuple[type[Shape], ...]:
    return get_args(get_args(union)[0])


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        (
            "#### A *b* {#c}",
            {"type": "heading", "level": 4, "anchor": "c", "runs": [text("A "), text("b", "italic")]},
        ),
        ("***", {"type": "divider"}),
        ("> a", {"type": "quote", "blocks": [paragraph("0.0", "a")]}),
        ("$$\na\n$$", {"type": "math", "formula": "a"}),
        (
            "3. a\n4. b",
            {
                "type": "list",
                "kind": "ordered",
                "start": 3,
                "items": [
                    {"key": f"0.{n}", "blocks": [paragraph(f"0.{n}.0", word)]} for n, word in enumerate("ab")
                ],
            },
        ),
        (
            "- [x] a",
            {
                "type": "list",
                "kind": "tasks",
                "items": [{"key": "0.0", "checked": True, "blocks": [paragraph("0.0.0", "a")]}],
            },
        ),
        (
            '{% code title="t" overflow="wrap" lineNumbers="true" %}\n```py\na\n\nb\n```\n{% endcode %}',
            {
                "type": "code",
                "language": "py",
                "title": "t",
                "lineNumbers": True,
                "wrap": True,
                "code": "a\n\nb",
            },
        ),
        (
            '{% hint style="odd" icon="x" %}\na\n{% endhint %}',
            {"type": "hint", "style": "info", "icon": "x", "blocks": [paragraph("0.0", "a")]},
        ),
        (
            '{% tabs %}\n{% tab title="A" %}\na\n{% endtab %}\n{% endtabs %}',
            {"type": "tabs", "tabs": [{"key": "0.0", "title": "A", "blocks": [paragraph("0.0.0", "a")]}]},
        ),
        (
            '{% columns %}\n{% column width="30%" %}\na\n{% endcolumn %}\n{% endcolumns %}',
            {
                "type": "columns",
                "panes": [
                    {
                        "key": "0.0",
                        "width": {"value": 30.0, "unit": "percent"},
                        "blocks": [paragraph("0.0.0", "a")],
                    }
                ],
            },
        ),
        (
            "<details><summary>s</summary>\n\na\n\n</details>",
            {"type": "details", "summary": [text("s")], "open": False, "blocks": [paragraph("0.0", "a")]},
        ),
        (
            "{% if visitor.claims.beta %}\na\n{% endif %}",
            {"type": "conditional", "condition": "visitor.claims.beta", "blocks": [paragraph("0.0", "a")]},
        ),
        (
            '{% embed url="https://a.org/" %}\na\n{% endembed %}',
            {"type": "embed", "target": elsewhere("https://a.org/"), "caption": [text("a")], "blocks": []},
        ),
        (
            '{% file src="/files/F" %}\na\n{% endfile %}',
            {
                "type": "file",
                "target": {"kind": "file", "status": "ok", "href": "/files/F", "file": "F"},
                "caption": [text("a")],
            },
        ),
        (
            '{% content-ref url="/spaces/S/pages/P#x" %}\n[P#x](/spaces/S/pages/P#x)\n{% endcontent-ref %}',
            {
                "type": "link-card",
                "target": {
                    "kind": "anchor",
                    "status": "ok",
                    "href": "/spaces/S/pages/P#x",
                    "space": "S",
                    "page": "P",
                    "anchor": "x",
                },
                "caption": [],
            },
        ),
        (
            '{% include "/reusable-contents/R" %}',
            {
                "type": "reusable-content",
                "target": {
                    "kind": "reusable-content",
                    "status": "ok",
                    "href": "/reusable-contents/R",
                    "reusableContent": "R",
                },
            },
        ),
        (
            '{% swagger src="https://a.org/s.json" path="/p" method="GET" summary="S" %}\n{% endswagger %}',
            {
                "type": "openapi-operation",
                "url": "https://a.org/s.json",
                "path": "/p",
                "method": "get",
                "title": "S",
                "blocks": [],
            },
        ),
        (
            '{% openapi-webhook spec="s" name="paid" method="post" %}\n{% endopenapi-webhook %}',
            {
                "type": "openapi-webhook",
                "specification": "s",
                "webhook": "paid",
                "method": "post",
                "blocks": [],
            },
        ),
        (
            '{% openapi-schemas spec="s" schemas="A, B" %}\n{% endopenapi-schemas %}',
            {"type": "openapi-schemas", "specification": "s", "schemas": ["A", "B"], "blocks": []},
        ),
        (
            "{% @lamp/lamp watt=60 %}",
            {"type": "integration", "integration": "lamp", "block": "lamp", "props": {"watt": 60}},
        ),
        (
            "{% youtube %}https://v.org/1{% endyoutube %}",
            {
                "type": "custom-tag",
                "name": "youtube",
                "markdown": "{% youtube %}https://v.org/1{% endyoutube %}",
                "addresses": ["https://v.org/1"],
            },
        ),
        (
            '<div onclick="x()"><a href="javascript:x()">a</a><img src="https://a.org/b.png"></div>',
            {
                "type": "html",
                "html": '<div><a rel="noopener noreferrer">a</a><img alt="" src="https://a.org/b.png"></div>',
            },
        ),
        (
            "| a | b |\n|---|:-:|\n| *c* | d |",
            {
                "type": "table",
                "hasHeader": True,
                "columns": [
                    {"type": "text", "runs": [text("a")], "blocks": []},
                    {"type": "text", "runs": [text("b")], "blocks": [], "align": "center"},
                ],
                "rows": [
                    {
                        "cells": [
                            {"runs": [text("c", "italic")], "blocks": []},
                            {"runs": [text("d")], "blocks": []},
                        ]
                    }
                ],
            },
        ),
    ],
    ids=lambda given: given["type"] if isinstance(given, dict) else "",
)
def test_a_block_says_everything_by_its_fields(markdown: str, expected: Made) -> None:
    assert shown(markdown) == [{"key": "0", **expected}]


def test_cells_have_the_values_of_their_columns() -> None:
    head = '<th width="90">a</th><th data-type="checkbox">b</th><th data-type="rating">c</th>'
    head += "<th data-hidden>d</th>"
    cells = "<td><p>x</p><p>y</p></td><td>true</td><td>4</td><td>z</td>"
    (table,) = shown(f"<table><thead><tr>{head}</tr></thead><tbody><tr>{cells}</tr></tbody></table>")
    assert [column["type"] for column in table["columns"]] == ["text", "checkbox", "rating"]
    assert table["columns"][0]["width"] == {"value": 90.0, "unit": "pixels"}
    first, second, third = table["rows"][0]["cells"]
    assert ([block["type"] for block in first["blocks"]], first["runs"]) == (["paragraph"] * 2, [])
    assert (second["checked"], third["rating"]) == (True, 4)


def test_cards_lead_somewhere_and_have_pictures() -> None:
    head = "<th>a</th><th data-hidden data-card-target>b</th><th data-hidden data-card-cover>c</th>"
    cells = '<td>x</td><td><a href="https://a.org/">y</a></td><td><a href="https://a.org/p.png">z</a></td>'
    start = '<table data-view="cards" data-card-size="large">'
    (made,) = shown(f"{start}<thead><tr>{head}</tr></thead><tbody><tr>{cells}</tr></tbody></table>")
    card = {
        "target": elsewhere("https://a.org/"),
        "cover": elsewhere("https://a.org/p.png"),
        "cells": [{"runs": [text("x")], "blocks": []}],
    }
    assert made == {"key": "0", "type": "cards", "large": True, "cards": [card]}


def test_pictures_are_blocks_galleries_or_runs() -> None:
    picture = '<img src="https://a.org/a.png" alt="A" width="50%">'
    dark = '<source srcset="https://a.org/d.png" media="(prefers-color-scheme: dark)">'
    alone = f"<figure><picture>{dark}{picture}</picture><figcaption>*b*</figcaption></figure>"
    made = shown(f'{alone}\n\n<div align="right">{alone}{alone}</div>\n\nIn a line {picture}\n')
    one = {
        "type": "image",
        "source": elsewhere("https://a.org/a.png"),
        "darkSource": elsewhere("https://a.org/d.png"),
        "alt": "A",
        "width": {"value": 50.0, "unit": "percent"},
        "fitsLine": False,
        "caption": [text("*b*")],
    }
    assert made[0] == {"key": "0", **one}
    images = [{"key": f"1.{n}", **one} for n in range(2)]
    assert made[1] == {"key": "1", "type": "gallery", "align": "right", "images": images}
    told = {name: value for name, value in one.items() if name not in ("caption", "darkSource")}
    assert made[2]["runs"] == [text("In a line "), told]


def test_frames_are_embedded_by_their_address() -> None:
    made = shown('<iframe src="https://v.org/1" title="A film" onload="x()"></iframe>\n')
    told = {"title": "A film", "caption": [], "blocks": []}
    assert made == [{"key": "0", "type": "embed", "target": elsewhere("https://v.org/1"), **told}]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("a  \nb", [text("a"), {"type": "line-break", "text": "\n"}, text("b")]),
        (
            '[**a**](https://b.org/ "t")',
            [
                {
                    "type": "link",
                    "target": elsewhere("https://b.org/"),
                    "title": "t",
                    "runs": [text("a", "bold")],
                }
            ],
        ),
        (
            '<a href="#x" class="button secondary">a</a>',
            [
                {
                    "type": "button",
                    "target": {"kind": "anchor", "status": "ok", "href": "#x", "url": "#x", "anchor": "x"},
                    "primary": False,
                    "runs": [text("a")],
                }
            ],
        ),
        (":tada:", [{"type": "emoji", "text": "\N{PARTY POPPER}", "code": "1f389"}]),
        ('<i class="fa-solid fa-gear">:gear:</i>', [{"type": "icon", "icon": "gear", "style": "solid"}]),
        ("a $$b$$", [text("a "), {"type": "math", "formula": "b"}]),
        ("[@Ann](mention://u1)", [{"type": "mention", "user": "u1", "text": "Ann"}]),
        (
            '<code class="expression">space.vars.a</code>',
            [{"type": "expression", "expression": "space.vars.a"}],
        ),
        ('a<a id="x"></a>', [text("a"), {"type": "anchor", "anchor": "x"}]),
        (
            '<u>a **b**</u> c <abbr title="t">d</abbr>',
            [
                text("a ", "underline"),
                text("b", "underline", "bold"),
                text(" c "),
                text("d", "abbreviation", title="t"),
            ],
        ),
        (
            '<mark style="color:#e00;background-color:blue">a</mark>',
            [text("a", color="red", background="blue")],
        ),
        (
            "a {% x %}https://b.org/{% endx %}",
            [text("a "), {"type": "link", "target": elsewhere("https://b.org/"), "runs": [text("https://b.org/")]}],
        ),
        ("<blink>a</blink>", [text("a")]),
    ],
)  # fmt: skip
def test_a_line_is_typed_runs(markdown: str, expected: list[Made]) -> None:
    assert shown(markdown) == [{"key": "0", "type": "paragraph", "runs": expected}]


def test_footnotes_are_numbered_and_stand_at_the_end() -> None:
    first, last = shown("a[^x] b[^y] c[^x]\n\n[^x]: one[^z]\n\n[^y]: two\n\n[^z]: three\n")
    numbers = [run["number"] for run in first["runs"] if run["type"] == "footnote"]
    assert numbers == [1, 2, 1]
    said = [[each["text"] for each in parts(note) if "text" in each] for note in last["footnotes"]]
    assert (last["type"], [note["number"] for note in last["footnotes"]]) == ("footnotes", [1, 2, 3])
    assert said == [["one"], ["two"], ["three"]]


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("https://a.org/", {"kind": "url", "status": "ok", "url": "https://a.org/"}),
        ("//a.org/", {"kind": "url", "status": "ok", "url": "https://a.org/"}),
        ("javascript:alert(1)", {"kind": "url", "status": "ok"}),
        ("/spaces/S", {"kind": "space", "status": "ok", "space": "S"}),
        ("/pages/P", {"kind": "page", "status": "ok", "page": "P"}),
        ("../a/b.md", {"kind": "page", "status": "broken"}),
        ("", {"kind": "page", "status": "broken"}),
    ],
)
def test_an_address_by_its_writing(href: str, expected: Made) -> None:
    assert as_written(href) == {"href": href, **expected}


def test_every_block_and_run_that_may_be_stored_is_typed() -> None:
    for kind in BLOCKS:
        node = {"object": "block", "type": kind, "data": {}, "nodes": [nodes.plain("a")]}
        assert "unknown" not in kinds(checked(blocks({"nodes": [node]})))
    for kind in INLINES:
        made = checked(
            blocks({"nodes": [nodes.block("paragraph", [nodes.inline(kind, [nodes.plain("a")])])]})
        )
        assert made[0]["runs"][0]["type"] != "text"


def test_what_no_version_knows_keeps_its_data() -> None:
    node = nodes.block("hologram", [nodes.block("paragraph", [nodes.plain("a")])], depth=3)
    made = checked(blocks(nodes.document([{**node, "key": "0"}])))
    inside = [{"type": "paragraph", "runs": [text("a")]}]
    assert made == [
        {"key": "0", "type": "unknown", "name": "hologram", "data": {"depth": 3}, "blocks": inside}
    ]


def test_what_is_nested_too_deep_is_text() -> None:
    node = nodes.plain("deep")
    for _ in range(5_000):
        node = nodes.block("blockquote", [node])
    made = checked(blocks(nodes.document([node])))
    assert [part["text"] for part in parts(made) if "text" in part] == ["deep"]


NAMES = sorted(BLOCKS | INLINES | {"hologram", "document"})
FIELDS = (
    "ref", "refDark", "style", "title", "level", "id", "start", "checked", "syntax", "lineNumbers", "formula",
    "url", "width", "align", "expression", "definition", "records", "view", "values", "columns", "type",
    "nodes", "leaves", "marks", "text", "body", "label", "code", "props", "integration", "block", "source",
    "html", "key", "object", "orderIndex", "coverDefinition", "kind", "user", "schemas", "color", "data",
)  # fmt: skip
INTEGERS = st.integers(-(2**63), 2**64 - 1)  # a body has others as floats
ODD = st.recursive(
    st.none() | st.booleans() | INTEGERS | st.floats(allow_nan=False) | st.text(max_size=4)
    | st.sampled_from(["<b>", "<a id=x>", "{% x %}https://a.org/{% endx %}", "/pages/P#a", "cards", *NAMES]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
NODES = st.recursive(
    st.builds(nodes.plain, st.text(max_size=4)) | ODD,
    lambda inner: st.fixed_dictionaries(
        {"object": st.sampled_from(["block", "block", "inline", "text"]), "type": st.sampled_from(NAMES)},
        optional={
            "data": st.dictionaries(st.sampled_from(FIELDS), ODD | st.lists(inner, max_size=3), max_size=5),
            "nodes": st.lists(inner, max_size=3) | ODD,
            "leaves": st.lists(ODD, max_size=2),
            "key": st.text(max_size=3) | ODD,
        },
    ),
    max_leaves=12,
)


@given(st.lists(NODES, max_size=4) | ODD)
def test_whatever_is_stored_has_its_shape(inside: Any) -> None:
    checked(blocks({"object": "document", "nodes": inside}))


def test_fields_of_one_name_have_one_type_in_all_members_of_a_union() -> None:
    for union in (BlockOut, RunOut):
        found: dict[str, set[str]] = {}
        for shape in members(union):
            shape.model_rebuild()
            for name, field in shape.model_fields.items():
                if name != "type":
                    found.setdefault(name, set()).add(f"{field.annotation} {field.is_required()}")
        assert {name: types for name, types in found.items() if len(types) > 1} == {}


def test_every_shape_and_field_is_described() -> None:
    assert all(shape.__doc__ for shape in SHAPES)
    fields = [(shape.__name__, name, field) for shape in SHAPES for name, field in shape.model_fields.items()]
    assert [(shape, name) for shape, name, field in fields if not field.description and name != "type"] == []
