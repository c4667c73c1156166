"""Sections of a page as parts of its source."""

from __future__ import annotations

import pytest

from app.formats.markdown.page_sections import source_sections, with_section

PAGES = {
    "a, b below it, c": (
        "# A\none\n## B\ntwo\n# C\nthree\n",
        {"a": "# A\none\n## B\ntwo\n", "b": "## B\ntwo\n", "c": "# C\nthree\n"},
    ),
    "text above": ("Before.\n\n# A\n", {"^": "Before.\n\n", "a": "# A\n"}),
    "underlined": (
        "A\n===\none\n\nB\n---\ntwo\n",
        {"a": "A\n===\none\n\nB\n---\ntwo\n", "b": "B\n---\ntwo\n"},
    ),
    "in code": ("# A\n```\n# no\n```\n# B\n", {"a": "# A\n```\n# no\n```\n", "b": "# B\n"}),
    "in quotes and lists": ("# A\n> # Q\n\n- # L\n", {"a": "# A\n> # Q\n\n- # L\n"}),
    "line ends": ("# A\r\none\r\n## B\rtwo\r", {"a": "# A\r\none\r\n## B\rtwo\r", "b": "## B\rtwo\r"}),
    "given anchors": ("# A {#x}\n# A\n# A\n", {"x": "# A {#x}\n", "a": "# A\n", "a-1": "# A\n"}),
    "a level left out": ("### C\n# A\n", {"c": "### C\n", "a": "# A\n"}),
    "nothing": ("", {}),
    "only words": ("Words.", {"^": "Words."}),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_section_is_the_heading_and_all_below_it(name: str) -> None:
    text, expected = PAGES[name]
    assert {each.anchor: text[each.start : each.end] for each in source_sections(text)} == expected


@pytest.mark.parametrize("name", PAGES)
def test_a_section_that_is_replaced_leaves_the_rest_as_it_is(name: str) -> None:
    text, _ = PAGES[name]
    for each in source_sections(text):
        now = with_section(text, each, "# New\n\nWords.\n")
        assert now.startswith(text[: each.start])
        assert now.endswith(text[each.end :])
        assert "new" in {found.anchor for found in source_sections(now)}
        assert with_section(text, each, "") == text[: each.start] + text[each.end :]
