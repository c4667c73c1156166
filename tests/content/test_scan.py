"""The scanner: links, anchors, sections and title of a page, for any text."""

from __future__ import annotations

import gc
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.formats.markdown.scanner import Scan, scan


def hrefs(markdown: str) -> list[tuple[str, str]]:
    found = scan(markdown)
    assert [markdown[link.start : link.end] for link in found.links] == [link.href for link in found.links]
    assert [link.start for link in found.links] == sorted(link.start for link in found.links)
    return [(link.kind, link.href) for link in found.links]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        (
            '{% content-ref url="a.md" %}\n[a.md](a.md)\n{% endcontent-ref %}',
            [("content-ref", "a.md"), ("link", "a.md")],
        ),
        ("{% file src='.gitbook/assets/x y.pdf' %}", [("file", ".gitbook/assets/x y.pdf")]),
        ('{% embed url="https://e.x/?a=1&b=%20c" %}', [("embed", "https://e.x/?a=1&b=%20c")]),
        ('text {% include "../.gitbook/includes/a.md" %} text', [("include", "../.gitbook/includes/a.md")]),
        (
            '{% openapi src="spec.yaml" path="/p" method="get" %}\nspec\n{% endopenapi %}',
            [("openapi", "spec.yaml")],
        ),
        ('{% swagger src="old.yaml" %}', [("openapi", "old.yaml")]),
        ('{% hint style="info" %}\n[a](b)\n{% endhint %}', [("link", "b")]),
        ('<a href="x.md" class="button primary">Go</a>', [("button", "x.md")]),
        ("see <a title=t href=x.md>x</a> or <a id='y'></a>", [("html", "x.md")]),
        ('<figure><img src="a.png" alt="[b](c)"></figure>', [("image", "a.png")]),
        (
            '<picture><source srcset="d.png 1x, e.png 2x" media="m"><img src="l.png"></picture>',
            [("image", "d.png"), ("image", "e.png"), ("image", "l.png")],
        ),
        (
            '<table data-view="cards"><tbody><tr><td><a href="p.md">p.md</a></td>'
            '<td data-card-cover><a href="c.png">c.png</a></td></tr></tbody></table>',
            [("html", "p.md"), ("html", "c.png")],
        ),
        ("<div>\n[not](markdown)\n\n[but](this)\n</div>", [("link", "this")]),
        ("{% raw %}\n[a](b) {% embed url='c' %}\n{% endraw %}\n[d](e)", [("link", "e")]),
        ("x {% raw %} [a](b) {% endraw %} [c](d)\n\n{% raw %} [e](f)", [("link", "d"), ("link", "f")]),
        ("<!-- <a href='no'> {% embed url='no' %} --> [a](b)", []),
        ("<!-- [no](no) -->\n[a](b)", [("link", "b")]),
        ("x <!-- [no](no) --> [a](b)", [("link", "b")]),
        ("```\n{% embed url='no' %}\n<a href='no'>\n```", []),
        ("`{% embed url='no' %}` `<a href='no'>`", []),
        ("[^1]: note [a](b)\n\ntext[^1]", [("link", "b")]),
        ("{% tab title='x' %}\n---\n[a](b)", [("link", "b")]),
    ],
)
def test_the_dialect_links_in_its_own_ways(markdown: str, expected: list[tuple[str, str]]) -> None:
    assert hrefs(markdown) == expected


def test_line_ends_of_other_systems_change_neither_offsets_nor_lines() -> None:
    markdown = "# A\r\n\r\ntext [a\r\nb](c.md)\r\n\r\n```\r\n# no\r\n```\r\n\r\nB\r\n===\r\n[d](e)\r## C\r"
    found = scan(markdown)
    assert [(heading.text, heading.line) for heading in found.headings] == [("A", 1), ("B", 10), ("C", 13)]
    assert [(markdown[link.start : link.end], link.line) for link in found.links] == [("c.md", 4), ("e", 12)]


@pytest.mark.parametrize(
    ("markdown", "anchors"),
    [
        ("# Hello, World!\n# hello world\n# Hello World", ["hello-world", "hello-world-1", "hello-world-2"]),
        ("# a-1\n# a\n# a", ["a-1", "a", "a-2"]),
        ("# `code()` & _more_ 1.2", ["code--more-12"]),
        ("# Straße nach München\n# 安装 指南\n# हिन्दी", ["straße-nach-münchen", "安装-指南", "हिन्दी"]),
        ('# <a id="mine"></a> Title\n# Other <a href="#o" id="o"></a>', ["mine", "o"]),
        ("# Title {#mine}\n# Title {#mine}\n# {#bad id}", ["mine", "mine-1", "bad-id"]),
        ("# !?\n# ...", ["section", "section-1"]),
        ("# [link](x) ![picture](y.png)", ["link-picture"]),
    ],
)
def test_every_heading_has_an_anchor_of_its_own(markdown: str, anchors: list[str]) -> None:
    assert [heading.anchor for heading in scan(markdown).headings] == anchors


def test_a_given_anchor_is_no_part_of_the_text() -> None:
    heading = scan('## Set *up* <a href="#go" id="go"></a>\n## Next {#n}').headings
    assert [(each.text, each.anchor) for each in heading] == [("Set up", "go"), ("Next", "n")]


def sections(markdown: str) -> list[tuple[str | None, str]]:
    return [(part.heading.text if part.heading else None, part.text) for part in scan(markdown).sections]


def test_sections_hold_the_text_from_heading_to_heading() -> None:
    page = "before\n\n# One\ntext\n\n## Two\n\n# Three\nmore\ntext"
    assert sections(page) == [(None, "before"), ("One", "text"), ("Two", ""), ("Three", "more text")]
    assert sections("# One\n") == [("One", "")]
    assert sections("---\na: b\n---\n\n<!-- no -->\n") == []


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("**bold** _it_ ~~old~~ `code` 2 * 3 snake_case", "bold it old code 2 * 3 snake_case"),
        ("[text](href 'title') ![alt](src) [ref][r] <https://e.x>\n\n[r]: /u", "text alt ref https://e.x"),
        ("a<br>b <span class='x'>c</span>d &amp; &#65; \\*", "a b cd & A *"),
        ("| a | b |\n|---|---|\n| [c](d) | `e` |", "a b c e"),
        ("```py\nx = [1](2)\n```\n\n    indented", "x = [1](2) indented"),
        ("<table><tr><td>a</td><td>b&nbsp;c</td></tr></table>", "a b c"),
        ("<style>a{b:c}</style>\n\n<script>\nvar x\n</script>\n\nseen", "seen"),
        ('{% hint style="info" %}\nnote\n{% endhint %}', "note"),
        ("- [ ] open\n- [x] done\n1. one\n   > quote\n   > more", "open done one quote more"),
        ("a <!-- hidden --> b", "a b"),
        ("{% raw %}{{ name }} {% if x %}{% endraw %}", "{{ name }} {% if x %}"),
    ],
)
def test_text_for_search_is_what_readers_see(markdown: str, text: str) -> None:
    assert sections(markdown) == [(None, text)]


@pytest.mark.parametrize(
    ("markdown", "title"),
    [
        ("# Title\n\ntext", "Title"),
        ("---\na: b\n---\n\n<!-- comment -->\n\n*Title*\n===", "Title"),
        ("\ufeff# Title", "Title"),
        ("text\n\n# Not", None),
        ("![cover](a.png)\n\n# Not", None),
        ("## Not\n# Not", None),
        ("> # Not", None),
        ("", None),
    ],
)
def test_the_title_is_a_first_heading_of_level_one(markdown: str, title: str | None) -> None:
    assert scan(markdown).title == title


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(st.characters() | st.sampled_from("[](){}%<>!`~*_#-=|>&;\\\n\r\t \0\ud800\"'"), max_size=200))
@example("\ud800# \0[\ud800](\0)\r\n\0")
@example("&#9999999; &#xFFFFFF; &#0;")
@example("# " + "#" * 99)
@example(">" * 1000 + "\n" + "- " * 1000)
def test_no_text_is_refused(markdown: str) -> None:
    found = scan(markdown)
    for link in found.links:
        assert markdown[link.start : link.end] == link.href
    assert len({heading.anchor for heading in found.headings}) == len(found.headings)


HOSTILE = [
    "[", "`", "<", "(", "*", "_", "![", "]", "{%", "\\", "&", "|", ">", "~", "[a](", "[a](b", "[a](<",
    "[a][", "[a]: ", "[a]: b\n", "<a ", "<a b='", '<a b="', "<a a", "<!--", "<!a", "<?", "`a``b```c", "*a_",
    "*a**b", "**a", "- ", "- a\n", "\n- ", "> ", "> a\n", "> - ", "    a\n", "```\n", "a\n---\n",
    "a\n:-|\n", "a|b\n-|-\n", "# a\n", "# a #", "<div>\n\n", "<style></style>", "{% raw %}",
    "{% raw %}{% endraw %}", '{% embed url="', "a=", "{#a} ", "[^a]: ", "[[a]", "[](", "x ", "&#1", "\r\n",
    "\t", "é*", ",",
]  # fmt: skip


@pytest.mark.parametrize("prefix", ["", "[a]: x\n\n", '<img srcset="'])
def test_hostile_text_takes_time_in_proportion_to_its_length(prefix: str) -> None:
    # Eight times the text may take sixteen times as long, not sixty-four times; short runs are noise.
    slow = [unit for unit in HOSTILE if not grows_evenly(prefix, unit)]
    assert slow == []


def grows_evenly(prefix: str, unit: str) -> bool:
    def seconds(size: int) -> float:
        markdown = prefix + unit * (size // len(unit))
        start = time.thread_time()
        scan(markdown)
        return time.thread_time() - start

    gc.disable()  # Collecting costs by the size of the whole process, not of the page.
    try:
        return any(seconds(32_000) < 16 * max(seconds(4_000), 0.001) for _ in range(3))
    finally:
        gc.enable()


def test_a_page_is_the_same_value_every_time() -> None:
    page = "# A\n[b](c)\n"
    assert isinstance(scan(page), Scan)
    assert scan(page) == scan(page)
