"""Documents back to their source: what nobody changed stays to the byte, and what was changed is said."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.formats.markdown import nodes
from app.formats.markdown.incremental_writer import rewritten
from app.formats.markdown.parser import to_document
from app.formats.markdown.writer import to_markdown

SOURCE = """\
Title
=====
Some *words* right below,
wrapped __by hand__.

- one
- two
    - nested
- three

<!-- a remark -->

| a | b |
|--|--|
| 1 | 2 |
| 3 | 4 |

[ref]: https://example.org/ "Title"

+ other
+ list

{% hint style="info" %}
Take *care*.
{% endhint %}

See [this][ref] and a note[^1].

[^1]: The __note__.

```python
x = 1
```

***
Last line without an end"""
Edit = Callable[[list[Any]], object]


def paragraph(text: str) -> Any:
    return nodes.block("paragraph", [nodes.plain(text)])


def say(node: Any, text: str) -> None:
    node["nodes"] = [nodes.plain(text)]


def place(document: Any, kind: str, number: int = 0) -> int:
    return [n for n, node in enumerate(document["nodes"]) if node["type"] == kind][number]


def edited(source: str, edit: Edit) -> str:
    document = copy.deepcopy(to_document(source))
    edit(document["nodes"])
    wanted = to_document(to_markdown(document))
    made = rewritten(document, source)
    assert to_markdown(to_document(made)) == to_markdown(wanted)
    return made


KEPT: dict[str, tuple[Edit, tuple[str, str]]] = {
    "a heading": (
        lambda blocks: blocks.__setitem__(0, nodes.block("heading-1", [nodes.plain("Other")])),
        ("Title\n=====", "# Other"),
    ),
    "a paragraph": (
        lambda blocks: say(blocks[1], "New words."),
        ("Some *words* right below,\nwrapped __by hand__.", "New words."),
    ),
    "an item": (
        lambda blocks: say(blocks[2]["nodes"][2]["nodes"][0], "3"),
        ("- three", "- 3"),
    ),
    "a new item": (
        lambda blocks: blocks[2]["nodes"].append(
            {**nodes.block("list-item", [paragraph("four")]), "key": "new"}
        ),
        ("- three\n", "- three\n- four\n"),
    ),
    "a block that goes": (
        lambda blocks: blocks.pop(1),
        ("Some *words* right below,\nwrapped __by hand__.\n\n", ""),
    ),
    "a block that comes": (
        lambda blocks: blocks.insert(2, paragraph("New.")),
        ("by hand__.\n", "by hand__.\n\nNew.\n"),
    ),
    "a hint": (lambda blocks: say(blocks[5]["nodes"][0], "Care."), ("Take *care*.", "Care.")),
    "the last": (lambda blocks: say(blocks[-1], "End."), ("Last line without an end", "End.\n")),
    "a comment before it": (
        lambda blocks: blocks.pop(2),
        ("- one\n- two\n    - nested\n- three\n\n", ""),
    ),
}


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_did_not_change_stays(name: str, newline: str) -> None:
    edit, (was, now) = KEPT[name]
    assert SOURCE.count(was) == 1
    wanted = SOURCE.replace(was, now).replace("\n", newline)
    assert edited(SOURCE.replace("\n", newline), edit) == wanted


def test_lists_that_meet_are_still_two() -> None:
    source = "* a\n* b\n\nBetween.\n\n* c\n* d\n\nLast *words*.\n"
    assert edited(source, lambda blocks: blocks.pop(1)) == "* a\n* b\n\n- c\n- d\n\nLast *words*.\n"


def test_a_note_of_a_new_block_gets_its_definition() -> None:
    source = "One *word*.\n"
    note = nodes.inline("annotation", [nodes.plain("here")], label="n", body=[paragraph("Note.")])
    made = edited(source, lambda blocks: blocks.append(nodes.block("paragraph", [note])))
    assert made == "One *word*.\n\nhere[^n]\n\n[^n]: Note.\n"


@pytest.mark.parametrize("source", ["[ref]: https://example.org\n", "[^1]: A note.", "<!-- x -->\n"])
def test_what_has_no_blocks_stays_before_the_first_one(source: str) -> None:
    made = edited(source, lambda blocks: blocks.append(paragraph("New.")))
    assert made == f"{source.rstrip()}\n\nNew.\n"


some = st.integers(0, 9)
lines = st.sampled_from(
    [*SOURCE.split("\n\n"), "> quote\nlazy", "1) x\n2) y", "    code", "* a\n\n  b", "[^1]"]
)


@example(["[^1]: A note."], [("i", 0, 0)])
@given(st.lists(lines, max_size=7), st.lists(st.tuples(st.sampled_from("wdim"), some, some), max_size=4))
def test_any_edit_is_said_and_none_changes_nothing(
    parts: list[str], edits: list[tuple[str, int, int]]
) -> None:
    source = "\n\n".join(parts)
    document = copy.deepcopy(to_document(source))
    assert rewritten(document, source) == source
    blocks = document["nodes"]
    for kind, at, other in edits:
        if kind == "i" or not blocks:
            blocks.insert(at % (len(blocks) + 1), paragraph(f"New {other}."))
        elif kind == "d":
            blocks.pop(at % len(blocks))
        elif kind == "m":
            blocks.insert(other % len(blocks), blocks.pop(at % len(blocks)))
        elif blocks[at % len(blocks)]["type"] in ("paragraph", "heading-1"):
            say(blocks[at % len(blocks)], f"Other {other}")
    made = rewritten(document, source)
    wanted = to_document(to_markdown(document))
    assert to_markdown(to_document(made)) == to_markdown(wanted)
