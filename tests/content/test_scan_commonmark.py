"""The scanner agrees with markdown-it-py on plain CommonMark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from app.formats.markdown.scanner import scan
from tests.scale import scaled

ORACLE = MarkdownIt("commonmark", {"store_labels": True}).enable(["table", "strikethrough"])
ORACLE.use(front_matter_plugin)
ORACLE.validateLink = lambda url: True  # type: ignore[method-assign]

Found = tuple[list[tuple[int, str, int]], list[tuple[str, str]], list[str]]


def by_markdown_it(markdown: str) -> Found:
    """Headings, the links and images written inline, and the hrefs of definitions."""
    environment: dict[str, dict[str, dict[str, str]]] = {}
    tokens = ORACLE.parse(markdown, environment)
    headings = [
        (int(token.tag[1]), said(tokens[at + 1].children or []), (token.map or [0])[0] + 1)
        for at, token in enumerate(tokens)
        if token.type == "heading_open"
    ]
    definitions = [reference["href"] for reference in environment.get("references", {}).values()]
    return headings, sorted(linked(tokens)), sorted(definitions)


def said(tokens: Sequence[Token]) -> str:
    return " ".join("".join(spoken(tokens)).split())


def spoken(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("text", "code_inline", "softbreak", "hardbreak"):
            yield token.content or "\n"
        elif token.type == "image":
            yield from spoken(token.children or [])


def linked(tokens: Sequence[Token]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for token in tokens:
        if token.meta and token.meta.get("label"):
            continue
        if token.type == "link_open" and not (token.info == "auto" and "mailto:" in str(token.attrs["href"])):
            found.append(("link", str(token.attrs["href"])))
        if token.type == "image":
            found.append(("image", str(token.attrs["src"])))
        found += linked(token.children or [])
    return found


def by_scan(markdown: str) -> Found:
    found = scan(markdown)
    headings = [(heading.level, heading.text, heading.line) for heading in found.headings]
    links, definitions = [], []
    for link in found.links:
        assert markdown[link.start : link.end] == link.href
        assert link.line == markdown.count("\n", 0, link.start) + 1
        href = ORACLE.normalizeLink(unescapeAll(link.href))
        before = markdown[: link.start].rstrip(" \n<")
        if before.endswith("]:"):
            definitions.append(href)
        elif link.kind in ("link", "image"):
            links.append((link.kind, href))
    return headings, sorted(links), sorted(set(definitions))


@pytest.mark.parametrize(
    "markdown",
    [
        "# One\n\n## Two ##\n\n###Three\n\n####### seven\n\n#\n\n# a \\#\n\n#\tTab",
        "Setext\n===\n\nTwo\nlines\n---\n\n> quoted\n===\n\n- item\n---\n\n---",
        "> # in quote\n\n- # in item\n  ## and below\n\n1. a\n\n   # inside\n\n  # outside",
        "```\n# no\n[a](b)\n```\n# yes\n~~~~ md\n~~~\n# no\n~~~~\n# yes",
        "    # code\n\n\t[a](b)\n\ntext\n    # lazy\n\n- item\n\n      # code in item\n\n    # in item",
        "- ```\n  # no\n  ```\n- ```\n  # no\n# closed with the item\n\n> ```\n# closed with the quote",
        "<!-- # no\n\n[a](b) -->\n# yes\n<pre>\n# no\n\n[a](b)\n</pre>\n<div>\n# no\n\n# yes\n</div>",
        "<script>\n# no\n\n</script>\n# yes\n\n<b>\n# no\n\ntext\n<b>\n# yes",
        '[a](b) [c](<d e> "t") [f](g (t)) [h](i\n"t") [j](k(l)m) [n](o\\)) [p]() [q](<>)',
        "[a]( b ) [c] (d) [e](f g) [h](i \"j' k) [l](m(n)",
        "![a](b) [![c](d)](e) ![f [g](h)](i) [j [k](l) m](n) [o ![p](q) r](s)",
        '[a\\](b) \\[c](d) [e\\]](f) [`g](h)` [i](j`k) `l` [m <n o="](p)">](q)',
        "[*a](b)* **[c](d)** [e_f](g) _[h](i)_ ~~[j](k)~~",
        "[a][r] [r] [r][] [R  x][r] [no][s] [b\\]: c](d)\n\n[r]: /url 'ti'\n[r2]: <u v>\n[r3]:\n/w\n'title'",
        "[r]: /url 'bad' title\n\n[s]: /x\n# heading\n\ntext\n[no]: /y\n\n> [q]: /z\n\n[q] [s]",
        "[a [b]][r] [a][r][s] ![r] ![x][r]\n\n[r]: /u\n[s]: /v",
        "<https://a.b/c?d=e#f> <x:y> <a@b.c> <not a link> https://bare.example <m:n o>",
        "`[a](b)` ``[c](`d)`` `[e](f) ```[g](h)``` \\`[i](j)\\`",
        "| [a](b) | c |\n|---|:-:|\n| [d](e) | `f|g` |\n| [h | i](j) | k\\|l |\nrow [m](n)\n\nno|it\n[o](p)",
        "text\n| a | b |\n|---|---|\n| [c](d) | e |\n# end",
        "* * *\n- - -\n_ _ _\n\n*\n\n  not in item\n\n-\n  in [item](a)",
        "10) [b](c)\n    [d](e)\n\n  - [f](g)\n      [h](i)",
        "-\n# a\n* b\n\n    [c](d)\n\ne\n\n    [f](g)\n- h\n\n\n    [i](j)\n    - [k](l)\n\n      [m](n)",
        "| a |\n|---|\n* b\n\n    [c](d)\n> - e\n\n  [f](g)\n```\n* h\n\n```\n    [i](j)\n- -\n* k\n|[l](m)|",
        "para\n2. no list\n1. list [a](b)\n\npara\n-\n\npara\n- [c](d)",
        "---\ntitle: '# no'\nlink: [a](b)\n---\n# yes\n\n---\n# again\n---",
        "> [a\n> b](c)\n> > [d\n> > e](f\n> > 'g')\nlazy [h](i)",
        "-\t[a](b)\n\n\t[c](d)\n\n>\t[e](f)\n\n\t\t[code](x)\n\n1.\t[g](h)\n\n\t# deep",
        "# *a* **b** _c_ __d__ `e` ~~f~~ [g](h) &amp; &copy; \\* <b>i</b> j_k_l *m **n* o* p ***q***",
        "# **a *b** c* d**e**f _g*h_i* 2 * 3 *4",
    ],
)
def test_headings_and_links_are_those_of_commonmark(markdown: str) -> None:
    assert by_scan(markdown) == by_markdown_it(markdown)


FRAGMENTS = [
    "a word", "*", "**", "_", "__", "`", "``", "[", "]", "(", ")", "![", "[a](b)", "[x](<c d>)",
    "![i](p.png)", "<b>", "</b>", "<!-- c -->", "<https://e.x/y>", "\\", "\\[", "&amp;", "&", "!", "[r]",
    "[x][r]", "[r][]", "<", "~~", "snake_case", "*em*", "**strong**", "`code`", ".", "é", "中", "(b)",
    "[a [b](c) d](e)", '"', "'", "1",
]  # fmt: skip
MARKS = st.text("ab *_`[]()!<>\\&~#.-", min_size=1, max_size=20)
INLINE = st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=8).map(" ".join) | MARKS.map(
    lambda text: f"x{text}"
)
BLOCK = st.one_of(
    INLINE.map(lambda text: f"x {text}"),
    st.tuples(INLINE, INLINE).map(lambda lines: f"x {lines[0]}\nx {lines[1]}"),
    st.tuples(st.sampled_from(["#", "##", "######"]), INLINE).map(" ".join),
    st.tuples(INLINE, st.sampled_from(["===", "---"])).map(lambda pair: f"x {pair[0]}\n{pair[1]}"),
    st.tuples(st.sampled_from(["```", "~~~"]), INLINE).map(
        lambda pair: f"{pair[0]}\n{pair[1]}\n# no\n{pair[0]}"
    ),
    INLINE.map(lambda text: f"    {text}"),
    INLINE.map(lambda text: f"<div>\nx {text}\n</div>".replace("<https", "https")),
    st.just("<!-- [a](b)\n\n# no -->"),
    st.tuples(INLINE, INLINE).map(lambda cells: f"| a | b |\n|---|---|\n| {cells[0]} | {cells[1]} |"),
    st.just("[r]: /url 'title'"),
    st.just("***"),
)


def contained(blocks: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Some blocks in a quote or in a list item."""

    def put(pair: tuple[tuple[str, str], list[str]]) -> str:
        (first, rest), inside = pair
        lines = "\n\n".join(inside).split("\n")
        return "\n".join((rest if at else first) + line for at, line in enumerate(lines))

    marks = st.sampled_from([("> ", "> "), ("- ", "  "), ("1. ", "   "), ("10) ", "    ")])
    return st.tuples(marks, st.lists(blocks, min_size=1, max_size=3)).map(put)


PAGE = st.lists(st.recursive(BLOCK, contained, max_leaves=6), min_size=1, max_size=5).map("\n\n".join)


@settings(max_examples=scaled(80, full=1500), deadline=None, derandomize=True)
@given(PAGE)
def test_any_composition_is_read_as_commonmark(markdown: str) -> None:
    assert by_scan(markdown) == by_markdown_it(markdown)
