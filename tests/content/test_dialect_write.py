"""Documents to Markdown: what is written is read back as the same document."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.markdown import nodes
from app.formats.markdown.parser import to_document
from app.formats.markdown.writer import to_markdown

ROUND_TRIPS = [
    "# A\n\n## A\n\n#### A {#b}\n\n# a # b ##\n\nSetext\n---\n",
    "Text **b** *i* ***bi*** ~~s~~ `c` **a *b*** a**b**c *a*b **a [b](c) d** **:rocket: x**",
    "**中文**，中**文**字 *字*字",
    "`` a`b `` ` `` ` `  ` <code>a<br>b</code> `a`**`b`**",
    (
        "a\\*b \\_c\\_ d_e_f \\[g] \\`h\\` \\<i> &lt;b> &amp;amp; 1\\. 2 \\# \\{% x %} "
        "\\$a\\$ \\:smile: ~ \\~~x~~"
    ),
    (
        "\\# a\n\n\\> b\n\n\\- c\n\n\\+ d\n\n1\\. e\n\n\\`\\`\\`\n\n\\--- \n\n\\*\\*\\*\n\n"
        "&#32;x&#32;\n\n\\[^1]: x\n"
    ),
    "wow\\![a](b) !\\[c] <sub>2</sub><sup>3</sup><kbd>K</kbd>",
    '[a \\] *b*](<c d> "t \\" u") [x](y\\(z) [](e) <https://a.org/?b=c&d> [@A](mention://u) ![i\\]](j)',
    '<mark style="color:red;">a **b**</mark> <mark style="background-color:blue;">c</mark>',
    (
        '<a href="a?b&amp;c" class="button secondary">Go</a> <i class="fa-star">:star:</i> '
        '<span class="x">y</span>'
    ),
    (
        '<code class="expression">a &amp;&amp; b ? "c" : d</code> $$a|b$$ $x$ :rocket: <img '
        'src="a" alt="b" width="3"> z'
    ),
    "* a\n* b\n  * c\n\n    d\n  * e\n\n- other\n- list\n\n1. x\n2. y\n\n5) z\n",
    "* * * a\n\n- [x] a\n- [ ] b\n\n  ```\n  c\n  ```\n- d\n\n* ***\n",
    "> a\n> > b\n>\n> * c\n\n> d\n",
    "```js title=x\na ``` b\n\n\tc\n```\n\n~~~a`b\n```\n~~~\n\n    indented\n\n``` \n```\n",
    '{% code title="a \\"b\\"" lineNumbers="true" %}\n```sh\na\n```\n{% endcode %}\n',
    (
        '{% hint style="info" %}\n## T\n\n* a\n\n{% tabs %}\n{% tab title="A" %}\n1. x\n'
        "{% endtab %}\n{% endtabs %}\n{% endhint %}\n"
    ),
    '{% hint style="info" %}{% endhint %}\n\n{% stepper %}\n{% step %}\n{% endstep %}\n{% endstepper %}\n',
    '{% columns %}\n{% column width="30%" %}\na\n{% endcolumn %}\n{% endcolumns %}\n',
    (
        '{% embed url="a" %}\n\n{% embed url="b" %}\nc **d**\n{% endembed %}\n\n'
        '{% file src="e" %}f{% endfile %}\n'
    ),
    (
        '{% content-ref url="a_b.md" %}\n[a_b.md](a_b.md)\n{% endcontent-ref %}\n\n'
        '{% content-ref url="a" %}\n[B](a)\n{% endcontent-ref %}\n'
    ),
    '{% include "a b.md" %}\n\n{% openapi src="s" path="/a/{b}" method="get" %}\n[s](s)\n{% endopenapi %}\n',
    (
        '{% swagger method="get" %}\n{% swagger-description %}\na\n'
        "{% endswagger-description %}\n{% endswagger %}\n"
    ),
    "{% if a %}\nb\n{% elif c %}\nd\n{% else %}\ne\n{% endif %}\n",
    '{% updates format="full" %}\n{% update date="2024-01-01" %}\n## A\n{% endupdate %}\n{% endupdates %}\n',
    "<details open>\n<summary>a <b>b</b> &amp; c</summary>\n\n> d\n\n</details>\n\n<details></details>\n",
    "| a | b |\n|:--|--:|\n| `x\\|y` \\| z | **c** <br> d |\n|  | [e](f) |\n",
    (
        "<table><thead><tr><th width='9'>a</th></tr></thead><tbody><tr><td>x &lt; [y] *z* "
        "$1<br>:smile:</td></tr></tbody></table>"
    ),
    "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td><p>b</p><ol><li>c<ul><li>d</li></ul></li></ol></td></tr></tbody></table>",
    '![a](b)\n\n<figure><img src="a" alt="b"><figcaption>c <em>d</em></figcaption></figure>\n',
    '<div><figure><img src="a" alt=""></figure><figure><img src="b" alt=""></figure></div>\n',
    "$$\na \\\\\nb\n$$\n\nx $$a$$ y\n",
    "a[^1] b[^x] c[^1]\n\n[^1]: One\n\n    ```\n     code\n    ```\n[^x]:\n    * list\n",
    "<div>\n  <b>x</b>\n</div>\n\n* <pre>\n  a\n\n  b</pre>\n\n{% youtube %}x{% endyoutube %}\n\n{% a %}\n",
    "---\ntitle: x\n---\n\n***\n\ntext\n",
    "![a&#10;b](c) {% hint %} x {% endhint %}\n\n{% hint %} a {% endhint %}\nb {% hint %} c {% endhint %}\n",
    "<div><br>\n\n</div>\n\nx<br>\n<br>y\n\n</kbd> <b> &nbsp;\n\n&nbsp;a&#9;\n",
    "[^1]:smile:\n\n<b></b><div>\n\n[^1]: n\n",
]


def without_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_keys(inside) for name, inside in value.items() if name != "key"}
    return [without_keys(inside) for inside in value] if isinstance(value, list) else value


def read_back(source: str) -> tuple[Any, Any]:
    document = to_document(source)
    return without_keys(document), without_keys(to_document(to_markdown(document)))


@pytest.mark.parametrize("source", ROUND_TRIPS)
def test_what_is_written_is_read_back(source: str) -> None:
    before, after = read_back(source)
    assert before == after


@pytest.mark.parametrize("source", ROUND_TRIPS)
def test_writing_twice_changes_nothing(source: str) -> None:
    once = to_markdown(to_document(source))
    assert to_markdown(to_document(once)) == once


@pytest.mark.parametrize(
    "source",
    [
        "# Title\n\nSome **bold** and _italic_ text with `code` and a [link](page.md).\n",
        "* one\n* two\n  1. three\n  2. four\n",
        '{% hint style="info" %}\nText\n{% endhint %}\n',
        (
            '{% tabs %}\n{% tab title="A" %}\na\n{% endtab %}\n\n{% tab title="B" %}\nb\n'
            "{% endtab %}\n{% endtabs %}\n"
        ),
        "<details>\n\n<summary>T</summary>\n\ntext\n\n</details>\n",
        '<figure><img src="a.png" alt="" width="375"><figcaption><p>C</p></figcaption></figure>\n',
        "| A | B |\n| --- | :---: |\n| a | b |\n",
        "```js\nlet a = 1;\n\nlet b;\n```\n",
        '## Title <a href="#other" id="other"></a>\n',
        "a[^1]\n\n[^1]: note\n",
    ],
)
def test_usual_markdown_is_written_as_it_came(source: str) -> None:
    assert to_markdown(to_document(source)) == source


def text_document(*leaves: dict[str, Any]) -> dict[str, Any]:
    return nodes.document([nodes.block("paragraph", [nodes.text(list(leaves))])])


def test_bold_beside_letters_and_spaces_stays_bold() -> None:
    bold = [nodes.mark("bold")]
    document = text_document(nodes.leaf("a"), nodes.leaf(" b ", bold), nodes.leaf("c"))
    assert without_keys(to_document(to_markdown(document))) == without_keys(document)


def test_references_are_written_as_the_caller_says_or_by_id() -> None:
    link = nodes.inline("link", [nodes.plain("a")], ref={"kind": "page", "page": "p1"})
    document = nodes.document([nodes.block("paragraph", [link])])
    assert to_markdown(document) == "[a](/pages/p1)\n"
    assert to_markdown(document, lambda ref: f"../{ref['page']}.md") == "[a](../p1.md)\n"


def test_an_editor_document_without_texts_is_written() -> None:
    empty = nodes.document(
        [nodes.block("paragraph"), nodes.block("hint", style="info"), nodes.block("heading-1")]
    )
    assert to_markdown(empty) == '{% hint style="info" %}\n{% endhint %}\n\n#\n'


def test_code_with_fences_gets_a_longer_fence() -> None:
    lines = [nodes.block("code-line", [nodes.plain(line)]) for line in ("```", "x", "````")]
    assert to_markdown(nodes.document([nodes.block("code", lines)])) == "`````\n```\nx\n````\n`````\n"


WORDS = st.sampled_from(
    [
        "a",
        "b",
        "word",
        "é",
        "中文",
        "1",
        "snake_case",
        "a*b",
        "C#",
        "x<y",
        "5$",
        "$x",
        "[z]",
        "`q`",
        "![",
        "&",
        "&amp;",
        "~",
        "#",
        ">",
        "-",
        "1.",
        "{%",
        "|",
        "\\",
        ":",
    ]
)
PLAIN = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)
ANYTHING = st.text(alphabet="ab \t\n*_`~[]()<>!#$&;:|{}%\\-+.1\u00a0é", min_size=1, max_size=20)
MARKS = st.lists(st.sampled_from(nodes.MARK_ORDER[1:]), max_size=3, unique=True)


@st.composite
def marked_text(draw: st.DrawFn) -> dict[str, Any]:
    """A text node as the parser would make it: neighbours differ in their marks."""
    inside: list[dict[str, Any]] = []
    for content, marks in draw(st.lists(st.tuples(PLAIN | ANYTHING, MARKS), min_size=1, max_size=4)):
        leaf = nodes.leaf(content, [nodes.mark(kind) for kind in marks])
        if not inside or inside[-1]["marks"] != leaf["marks"]:
            inside.append(leaf)
    return nodes.text(inside)


@settings(max_examples=300, deadline=None)
@given(marked_text())
def test_any_text_under_any_marks_is_read_back(text: dict[str, Any]) -> None:
    document = nodes.document([nodes.block("paragraph", [text])])
    assert without_keys(to_document(to_markdown(document))) == without_keys(document)


def indented(source: str, first: str, rest: str) -> str:
    lines = source.rstrip("\n").split("\n")
    return (
        "\n".join([first + lines[0], *(rest + line if line else rest.rstrip() for line in lines[1:])]) + "\n"
    )


LEAF_BLOCKS = st.sampled_from(
    [source for source in ROUND_TRIPS if not source.startswith("---") and "[^" not in source]
)
WRAPPERS = st.sampled_from(
    [
        lambda inside: f'{{% hint style="info" %}}\n{inside}{{% endhint %}}\n',
        lambda inside: f"{{% if a == 'b' %}}\n{inside}{{% endif %}}\n",
        lambda inside: f'{{% tabs %}}\n{{% tab title="x" %}}\n{inside}{{% endtab %}}\n{{% endtabs %}}\n',
        lambda inside: f"<details>\n\n<summary>s</summary>\n\n{inside}\n</details>\n",
        lambda inside: indented(inside, "> ", "> "),
        lambda inside: indented(inside, "* ", "  "),
        lambda inside: indented(inside, "1. ", "   "),
    ]
)
SOURCES = st.recursive(
    st.tuples(PLAIN, LEAF_BLOCKS).map(lambda parts: "\n\n".join(parts) + "\n"),
    lambda inner: (
        st.tuples(WRAPPERS, inner).map(lambda parts: parts[0](parts[1]))
        | st.tuples(inner, inner).map("\n".join)
    ),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None)
@given(SOURCES)
def test_compositions_are_read_back(source: str) -> None:
    before, after = read_back(source)
    assert before == after
