"""Emphasis beside the punctuation of Chinese, Japanese and Korean: read, scanned and written alike."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.markdown import nodes
from app.formats.markdown.parser import to_document
from app.formats.markdown.scanner import scan
from app.formats.markdown.writer import to_markdown
from tests.scale import scaled


def marked(source: str) -> str:
    """The text of a line, where what is bold stands in [], italic in () and struck in {}."""
    brackets = {"bold": "[]", "italic": "()", "strikethrough": "{}"}
    made = ""
    for inline in to_document(source)["nodes"][0]["nodes"]:
        for leaf in inline.get("leaves", ()):
            said = leaf["text"]
            for mark in reversed(leaf["marks"]):
                said = said.join(brackets.get(mark["type"], "``"))
            made += said
    return made


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("**词：**字", "[词：]字"),
        ("字**（词）**字", "字[（词）]字"),
        ("*テスト。*テスト", "(テスト。)テスト"),
        ("**한국어(Korean)**은", "[한국어(Korean)]은"),
        ("**“词”**字", "[“词”]字"),
        ("字**a.**字", "字[a.]字"),
        ("~~词。~~字", "{词。}字"),
        ("**甲：**乙**丙**", "[甲：]乙[丙]"),
        ("**甲。*乙。*丙**丁", "[甲。][(乙。)][丙]丁"),
        ("前**`码`**后", "前[`码`]后"),
        # As before: beside no character of these scripts, behind a space, and between underscores.
        ("a**(b)**c", "a**(b)**c"),
        ("**😀**字 **é.**a", "[😀]字 **é.**a"),
        ("字** 词**字", "字** 词**字"),
        ("__词：__字", "__词：__字"),
    ],
)
def test_emphasis_beside_punctuation(source: str, expected: str) -> None:
    assert marked(source) == expected


PIECES = [
    "字", "词", "：", "。", "（", "）", "“", "a", ".", "(", " ", "*", "**", "_", "~~", "한", "😀", "`c`", "é",
]  # fmt: skip
LINES = (
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=12)
    .map(lambda parts: "x" + "".join(parts))
    .filter(lambda line: "~~~" not in line)  # the scanner takes two at a time only
)


@settings(max_examples=scaled(150, full=3000), deadline=None, derandomize=True)
@given(LINES)
def test_pages_say_to_searches_what_they_show(line: str) -> None:
    document = to_document(line)
    assert " ".join(nodes.plain_text(document["nodes"]).split()) == scan(line).sections[0].text
    assert to_document(to_markdown(document)) == document


def test_emphasis_is_written_with_signs() -> None:
    assert to_markdown(to_document("<b>词：</b>字<b>（词）</b>字")).strip() == "**词：**字**（词）**字"
