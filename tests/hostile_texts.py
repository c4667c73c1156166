"""Texts that cost whoever reads them more than their length: each pattern again and again, up to a size."""

from __future__ import annotations

from collections.abc import Callable

Text = Callable[[int], str]


def _again(pattern: str, before: str = "", after: str = "") -> Text:
    return lambda size: before + pattern * (size // len(pattern)) + after


def _numbered(pattern: str) -> Text:
    return lambda size: "".join(pattern.format(number) for number in range(size // len(pattern)))


def _nested(pattern: str, deepest: int) -> Text:
    lines = [pattern.format("  " * depth) for depth in range(deepest)]
    whole = "".join(lines)
    return lambda size: whole * (size // len(whole))


def _wide_rows(size: int) -> str:
    """A table whose rows leave out most of its cells, which stand there all the same."""
    columns = max(1, int((size / 8) ** 0.5))
    rows = size // 8
    return f"{'|a' * columns}|\n{'|-' * columns}|\n" + "|\n" * rows


PATTERNS: dict[str, Text] = {
    "pictures": _again("!["),
    "footnotes": _again("[^"),
    "brackets": _again("["),
    "closing brackets": _again("[]"),
    "links": _again("[a](b) "),
    "links in links": _again("[a]("),
    "pictures in pictures": _again("![a]("),
    "references": _again("[a]["),
    "definitions": _numbered("[a{}]: b\n"),
    "footnotes defined": _numbered("[^a{0}]: b\n\n[^a{0}] "),
    "stars": _again("*a **b "),
    "stars and underscores": _again("*_"),
    "ends of emphasis": _again("a***"),
    "backticks": _again("`a``b```c"),
    "entities": _again("&amp;&#"),
    "escapes": _again("\\"),
    "angles": _again("<a "),
    "comments": _again("<!--"),
    "quotes": _again("> "),
    "lines of quotes": _again("> > > a\n"),
    "bullets": _again("- "),
    "lists": _again("- a\n"),
    "tasks": _again("- [ ] a\n"),
    "nested lists": _nested("{}- a\n", 100),
    "tables": _again("|a|b|\n", "|a|b|\n|-|-|\n"),
    "cells left out": _wide_rows,
    "headings": _again("# a\n"),
    "headings underlined": _again("a\n=\n"),
    "anchors": _again('<a id="x">', "# "),
    "formulas": _again("$$\na\n$$\n"),
    "dollars": _again("$a"),
    "fences": _again("```js\nvar a=1\n```\n"),
    "rules": _again("---\n"),
    "breaks": _again("a\\\n"),
    "tags": _again("{% hint %}\n"),
    "open tags": _again("{%"),
    "conditions": _again("{% if a %}\n"),
    "branches": _again("{% else %}", "{% if a %}", "{% endif %}"),
    "settled conditions": _again("{% if 1 %}x{% endif %}\n"),
    "expressions": _again('<code class="expression">1</code> '),
    "divisions": _again("<div>"),
    "blocks of HTML": _again("<div>\n\n"),
    "details": _again("<details>\n<summary>a</summary>\n"),
    "rows of HTML": _again("<tr><td>a</td></tr>", "<table>", "</table>"),
    "marks of HTML": _again("<b>"),
    "emoji": _again(":smile: "),
    "addresses": _again("<http://a.b> "),
    "words": _again("word "),
    "accents": _again("e\u0301\u0130 "),
    "one word": _again("a"),
    "empty lines": _again("\n"),
}
