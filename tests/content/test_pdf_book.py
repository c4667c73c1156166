"""Books read back from their PDF: words, contents, outline, links, pictures, marks of change."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import pytest

from app.formats.markdown.passages import BodyText
from app.formats.pdf.book import Body, Book, BookPage, BookPicture
from app.formats.pdf.renderer import render
from app.formats.pdf.tex import formula
from tests.factories.pdfs import goals, outline, read, words


def png(width: int = 40, height: int = 30) -> bytes:
    """A grey picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x80" * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def printed(body: str, **pictures: bytes) -> str:
    """The words of a book of one page with this body."""
    given = {name.replace("_", "."): data for name, data in pictures.items()}
    return words(read(render(Book("Book", [BookPage("a", "Page", body_markdown=body)]), given)), 1)


PAGES = [
    BookPage("one", "First chapter", 0, "What it is", "Go to [part](part.md#deep).", path="one.md"),
    BookPage("part", "A part", 1, "", "## Deep\n\nBack to [one](../one.md).", path="sub/part.md"),
    BookPage("two", "Second chapter", 0, "", "Text with [a site](https://example.org/x).", path="two.md"),
]


def test_a_book_has_a_title_contents_chapters_and_numbers() -> None:
    reader = read(render(Book("The Handbook", PAGES, subtitle="For everyone", notes=["Revision 7"]), {}))
    texts = [" ".join(page.extract_text().split()) for page in reader.pages]
    assert len(texts) == 4
    assert texts[0] == "The Handbook For everyone Revision 7"
    assert texts[1].startswith("Contents First chapter")
    assert [number for number in ("First chapter 3", "Second chapter 4") if number in _undotted(texts[1])]
    assert texts[2].startswith("First chapter What it is")
    assert texts[3].startswith("Second chapter Text with a site.")
    assert [text.split()[-1] for text in texts[1:]] == ["2", "3", "4"]


def _undotted(content: str) -> str:
    return " ".join(content.replace(".", " ").split())


def test_the_outline_and_the_metadata_say_what_is_inside() -> None:
    reader = read(render(Book("The Handbook", PAGES, author="Ann", language="pt-BR"), {}))
    assert outline(reader) == ["Contents", "First chapter", ["A part", ["Deep"]], "Second chapter"]
    assert reader.metadata is not None
    assert (reader.metadata.title, reader.metadata.author) == ("The Handbook", "Ann")
    assert str(reader.root_object["/Lang"]) == "pt-BR"


def test_links_lead_to_pages_headings_and_addresses() -> None:
    pages = [*PAGES[:1], BookPage("long", "Long", 0, "", "word " * 2000, path="l.md"), *PAGES[1:]]
    pages[0] = BookPage("one", "First", 0, "", "[a](sub/part.md#deep) [b](#no) [c](gone.md)", path="one.md")
    reader = read(render(Book("B", pages), {}))
    last = next(n for n, page in enumerate(reader.pages) if "Back to" in page.extract_text())
    found = goals(reader)
    assert [goal for page, goal in found if page == 1] == [2, 3, last, last + 1]
    assert [goal for page, goal in found if page == 2] == [last, 2]
    assert (last, 2) in found
    assert (last + 1, "https://example.org/x") in found


def test_bare_addresses_are_links_and_no_links_of_links() -> None:
    body = "See https://example.org/a. [https://example.org/b](https://example.org/c) `https://example.org/d`"
    reader = read(render(Book("B", [BookPage("a", "Page", body_markdown=body)]), {}))
    assert [goal for _, goal in goals(reader)] == ["https://example.org/a", "https://example.org/c"]


def test_the_header_names_the_section_but_not_where_a_chapter_opens() -> None:
    reader = read(render(Book("The Handbook", [BookPage("a", "Alpha", body_markdown="word " * 3000)]), {}))
    texts = [" ".join(page.extract_text().split()) for page in reader.pages]
    assert texts[1].startswith("Alpha word")
    assert all(text.startswith("The Handbook Alpha word") for text in texts[2:])
    assert len(texts) > 3


def test_changed_pages_are_marked_in_the_contents_and_at_their_head() -> None:
    changes = {"added": "NEW", "edited": "EDITED", "deleted": "REMOVED", "moved": "MOVED"}
    pages = [BookPage(kind, f"Page {kind}", changed=kind) for kind in changes]  # type: ignore[arg-type]
    pages.append(BookPage("same", "Page same"))
    texts = [page.extract_text() for page in read(render(Book("B", pages), {})).pages]
    for number, (kind, tag) in enumerate(changes.items()):
        assert f"Page {kind} {tag} {3 + number}" in " ".join(texts[1].split())
        assert " ".join(texts[2 + number].split()) == f"{tag} Page {kind} {3 + number}"
    assert " ".join(texts[6].split()) == "Page same 7"


def test_a_book_of_one_page_has_no_contents() -> None:
    reader = read(render(Book("B", [BookPage("a", "Alone", body_markdown="# Alone\n\ntext")]), {}))
    assert [" ".join(page.extract_text().split()) for page in reader.pages] == ["B", "Alone text 2"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a **b** *c* ~~d~~ `e`", "a b c d e"),
        ("1. a\n2. b", "1. a 2. b"),
        ("7. a\n8. b", "7. a 8. b"),
        ("* a\n  * b", "• a • b"),
        ("- [x] done\n- [ ] open", "✓ done open"),
        ("> said", "said"),
        ("> [!WARNING]\n> hot", "Warning hot"),
        (":::tip Do\nit\n:::", "Success Do it"),
        ("Term\n: what it is", "Term what it is"),
        ("so ==it== is", "so it is"),
        ("```math\na + b\n```", "𝑎 + 𝑏"),
        ('```js title="a.js" {1} showLineNumbers\ngo();\nstop();\n```', "a.js 1 go(); 2 stop();"),
        ('{% hint style="danger" %}\nhot\n{% endhint %}', "Danger hot"),
        ('{% hint style="odd" %}\ncold\n{% endhint %}', "Note cold"),
        ('{% code title="x.py" %}\n```python\ndef f(): pass\n```\n{% endcode %}', "x.py def f(): pass"),
        ("| A | B |\n|---|--:|\n| c | 1 |", "A B c 1"),
        (
            '{% tabs %}\n{% tab title="T1" %}\na\n{% endtab %}\n{% tab title="T2" %}\nb\n{% endtab %}\n'
            "{% endtabs %}",
            "T1 a T2 b",
        ),
        (
            "{% columns %}\n{% column %}\na\n{% endcolumn %}\n{% column %}\nb\n{% endcolumn %}\n"
            "{% endcolumns %}",
            "a b",
        ),
        ("<details>\n<summary>More</summary>\n\ninside\n\n</details>", "More inside"),
        (
            "{% stepper %}\n{% step %}\n### Go\na\n{% endstep %}\n{% step %}\nb\n{% endstep %}\n"
            "{% endstepper %}",
            "1 Go a 2 b",
        ),
        ('{% embed url="https://e.org/v" %}', "EMBEDDED https://e.org/v"),
        ('{% file src="files/a.zip" %}\nThe archive\n{% endfile %}', "FILE The archive"),
        ('{% content-ref url="gone.md" %}\n[gone.md](gone.md)\n{% endcontent-ref %}', "PAGE gone.md"),
        ('{% include "part.md" %}', "REUSABLE CONTENT part.md"),
        ('{% openapi-operation spec="s" path="/p" method="get" %}', "API GET /p s"),
        ("{% youtube %}x y{% endyoutube %}", "YOUTUBE {% youtube %}x y{% endyoutube %}"),
        ("A[^1] and B[^2]\n\n[^1]: first\n[^2]: second", "A1 and B2 1. first 2. second"),
        ("[Ann](mention:u1) H<sub>2</sub>O x<sup>2</sup>", "@Ann H2O x2"),
        ("{% if a %}\nshown\n{% endif %}", "Shown if a shown"),
        ("![what](no.png)", "Picture: what (not found)"),
        ("![what](https://e.org/a.png)", "Picture: what (outside of this book)"),
        ("<iframe src='https://e.org/f'></iframe>", "IFRAME https://e.org/f"),
        ("<table><tr><td colspan=2>a</td></tr><tr><td>b</td><td>c</td></tr></table>", "a b c"),
        ("<script>alert(1)</script>", "SCRIPT"),
        ("$$\\unknown{x}$$", "\\unknown{x}"),
    ],
)  # fmt: skip
def test_every_block_is_set(body: str, expected: str) -> None:
    assert printed(body) == f"Page {expected} 2"


def test_cards_show_their_cells_and_lead_to_their_target() -> None:
    body = (
        '<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target '
        'data-type="content-ref"></th></tr></thead><tbody><tr><td>Card text</td>'
        '<td><a href="two.md">two.md</a></td></tr></tbody></table>'
    )
    pages = [BookPage("one", "One", body_markdown=body, path="one.md"), PAGES[2]]
    reader = read(render(Book("B", pages), {}))
    assert "Card text → Second chapter" in words(reader)
    assert (2, 3) in goals(reader)


def test_pictures_are_printed_once_each_and_bad_ones_are_named() -> None:
    body = "![one](a.png)\n\ntext ![two](a.png) here\n\n![bad](bad.png)\n\n![odd](odd.avif)\n"
    half = png()[:60]
    pictures = {"a.png": png(), "bad.png": half, "odd.avif": b"\0\0\0 ftypavif"}
    reader = read(render(Book("B", [BookPage("a", "P", body_markdown=body)]), pictures))
    assert "Picture: bad (broken)" in words(reader)
    assert "Picture: odd (a format that cannot be printed)" in words(reader)
    resources: Any = reader.pages[1]["/Resources"]
    assert len(resources["/XObject"]) == 1


def test_a_picture_is_found_from_its_page() -> None:
    page = BookPage("a", "P", body_markdown="![x](../img/a%20b.png)", path="docs/p.md")
    asked: list[tuple[str, str]] = []

    def picture_of(page: BookPage, href: str) -> BookPicture:
        asked.append((page.id, href))
        return BookPicture("x", len(png()), png)

    render(Book("B", [page]), picture_of)
    assert asked == [("a", "../img/a%20b.png")]
    assert "Picture" not in words(read(render(Book("B", [page]), {"img/a b.png": png()})))


@pytest.mark.parametrize(
    "source",
    [
        r"\frac{a}{b}",
        r"x_i^2 + \sqrt[3]{y}",
        r"\sum_{i=0}^{n} i \leq \int_0^1 f(x)\,dx",
        r"\left( \begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix} \right)",
        r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
        r"\hat{x} \cdot \vec{v} \in \mathbb{R}, \quad \text{if } x > 0",
        r"\begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}",
        r"\underbrace{a+b} \binom{n}{k} \operatorname{rank}(A) \mathrm{d}x \overset{!}{=} f''",
    ],
)
def test_formulas_are_set_not_shown_as_source(source: str) -> None:
    shown = printed(f"$$\n{source}\n$$\n\nand inline $${source}$$ too")
    assert "\\" not in shown
    assert "begin" not in shown
    assert "frac" not in shown


def test_the_lines_of_a_formula_are_aligned_where_they_say() -> None:
    aligned = formula(r"\begin{aligned} a &= b \\ c &= d \end{aligned}")
    assert str(aligned).count("'align'") == 2


def test_reusable_contents_are_put_in_where_pages_include_them() -> None:
    evaluated = 'In b <code class="expression">page.title</code>\n\n{% include "a.md" %}\n'
    included: dict[str, Body] = {
        "parts/a.md": 'In a, [two](../two.md) ![p](p.png)\n\n{% include "b.md" %}\n',
        "parts/b.md": lambda: BodyText(evaluated, conditional=True),
    }
    body = '{% include "../parts/a.md" %}\n\n{% include "../parts/c.md" %}\n'
    pages = [
        BookPage("one", "One", body_markdown=body, path="x/one.md", scope={"page": {"title": "1st"}}),
        BookPage("two", "Two", path="two.md"),
    ]
    reader = read(render(Book("B", pages, included=included), {"parts/p.png": png()}))
    shown = words(reader, 2)
    assert "In a, two" in shown
    assert "In b 1st" in shown
    assert shown.count("In a") == 1
    assert "REUSABLE CONTENT a.md" in shown
    assert "REUSABLE CONTENT ../parts/c.md" in shown
    assert "Picture" not in shown
    assert [goal for start, goal in goals(reader) if start == 2] == [3]


def test_what_is_told_to_be_conditional_is_evaluated_and_nothing_else() -> None:
    body = '<code class="expression">page.title</code>\n\n{% if page.title %}\nyes\n{% endif %}\n'
    assert "{{ page.title }}" in printed(body)
    scope = {"page": {"title": ""}}
    as_written = BookPage("a", "P", body_markdown=body, scope=scope)
    assert "{{ page.title }}" in words(read(render(Book("B", [as_written]), {})), 1)
    page = BookPage("a", "P", body_markdown=lambda: BodyText(body, conditional=True), scope=scope)
    shown = words(read(render(Book("B", [page]), {})), 1)
    assert "page.title" not in shown
    assert "yes" not in shown
